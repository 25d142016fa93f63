"""Reads chats from files: a JSON list of messages, JSON lines, an OpenAI request, a SillyTavern chat, or lines `Name: text`."""

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from rolememory.cli.files import read_text
from rolememory.errors import FileError, InvalidValueError
from rolememory.schema.message import Message


def messages_of(
    chat: str | None,
    message: str | None = None,
    user: str | None = None,
    characters: Collection[str] = (),
) -> list[Message]:
    """The messages of a chat file in any format, if given, and the user's newest message.

    Raises:
        FileError: not a chat.
    """
    from rolememory.authoring.dialogue import read_dialogue

    told: list[Message] = []
    if chat:
        text = read_text(chat)
        is_json = text.lstrip()[:1] in ("", "[", "{")
        told = chat_messages(text, chat) if is_json else read_dialogue(text, user, characters)
    said = read_text("-").strip() if message == "-" else message
    return [*told, *((Message.user(said),) if said is not None else ())]


def chat_messages(text: str, file: str) -> list[Message]:
    r"""The messages of a chat, oldest first.

    >>> [one.content for one in chat_messages('[{"role": "user", "content": "hi"}, "and?"]', "chat.json")]
    ['hi', 'and?']
    >>> chat_messages('{"user_name": "Lin"}\n{"name": "Mira", "is_user": false, "mes": "Hello."}', "chat.jsonl")[0].role
    'assistant'

    Raises:
        FileError: not a chat, with the line.
    """
    if not text.strip():
        raise FileError(
            file,
            "the file is empty",
            remedy="give a chat as JSON, JSON lines, or lines `Name: text`",
        )
    return [_message(raw, file, line) for line, raw in _rows(text, file)]


def _rows(text: str, file: str) -> Iterator[tuple[int | None, Any]]:
    """(line, message) of each; the line is only known in JSON lines."""
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        if len(lines) < 2 or not lines[0][1].lstrip().startswith("{"):
            raise _not_json(text, error, file) from error
        yield from _lines(lines, file)
        return
    except RecursionError as error:
        raise FileError(file, "nested too deep", remedy="give a list of messages") from error
    if isinstance(whole, Mapping):
        whole = whole.get("messages", [whole] if "role" in whole or "mes" in whole else None)
    if not isinstance(whole, list):
        example = '[{"role": "user", "content": "..."}]'
        raise FileError(file, "holds no messages", remedy="write {example}", example=example)
    yield from ((None, raw) for raw in whole)


def _lines(lines: list[tuple[int, str]], file: str) -> Iterator[tuple[int, Any]]:
    for number, line in lines:
        try:
            raw = json.loads(line)
        except json.JSONDecodeError as error:
            raise _not_json(line, error, file, number) from error
        said = not isinstance(raw, Mapping) or "mes" in raw or "role" in raw
        if said or number != lines[0][0]:  # SillyTavern's first line is about the chat
            yield number, raw


def _not_json(
    text: str, error: json.JSONDecodeError, file: str, line: int | None = None
) -> FileError:
    from rolememory.text.json_diagnostics import diagnose_json

    first = diagnose_json(text.encode(), error, 1)[0]
    return FileError(
        file,
        "not JSON: {told}",
        remedy="give a chat as JSON, JSON lines, or lines `Name: text`",
        line=line or first.line,
        column=first.column,
        told=first.message,
    )


def _message(raw: Any, file: str, line: int | None) -> Message:
    from rolememory.cards.tavern.dates import sent_at

    try:
        if isinstance(raw, Mapping) and "mes" in raw:
            said = {"role": _speaker(raw), "content": str(raw["mes"]), "name": raw.get("name")}
            raw = said | {"sent": sent_at(raw.get("send_date"))}
        return Message.of(raw)
    except (InvalidValueError, ValueError, TypeError, AttributeError) as error:
        if isinstance(raw, Mapping) and isinstance(error, InvalidValueError) and "role" in raw:
            raise FileError(file, error.message, line=line) from error
        found = json.dumps(raw, ensure_ascii=False, default=str)[:80]
        example = '{"role": "user", "content": "..."}'
        raise FileError(
            file,
            "expected a message, got {found}",
            remedy="write {example}",
            line=line,
            found=found,
            example=example,
        ) from error


def _speaker(raw: Mapping[str, Any]) -> str:
    """The role of a SillyTavern message; one hidden from the model is left out, as an import does."""
    return "system" if raw.get("is_system") else "user" if raw.get("is_user") else "assistant"
