"""Chat files: a header line, then one message per line, of any version."""

from collections.abc import Iterator
from dataclasses import field, replace
from datetime import datetime
from json import JSONDecodeError
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from rolememory.cards.limits import MEGABYTE
from rolememory.cards.tavern import files, summaries
from rolememory.cards.tavern.dates import sent_at
from rolememory.cards.tavern.summaries import LeftSummary
from rolememory.errors import FileError
from rolememory.schema.json_types import JsonMapping, object_of, text_of
from rolememory.schema.value_class import value_class
from rolememory.text.json_diagnostics import diagnose_json

Speaker = Literal["user", "assistant", "system"]

_BOM = b"\xef\xbb\xbf"
_NOBODY = frozenset({"", "unused", "you"})  # placeholder for a missing name in the header


@value_class
class TavernChatHead:
    """The header of a chat file; missing fields are empty."""

    user: str = ""
    character: str = ""
    created: datetime | None = None
    integrity: str = ""  # SillyTavern's chat id; older branches share that of their parent
    main_chat: str = ""  # the parent chat, by its file's name
    persona: str = ""  # avatar of the persona the chat is locked to
    books: tuple[str, ...] = ()  # lorebooks bound to the chat


@value_class
class TavernMessage:
    """A message: its selected swipe."""

    place: int  # from 0, as in SillyTavern
    speaker: Speaker
    text: str
    name: str = ""
    sent: datetime | None = None
    hidden: bool = False  # hidden from the model, by hand or by an extension, or a system message
    program: bool = False  # hidden, and not part of the story: a help text, a comment
    avatar: str = ""  # avatar file of the speaker, in groups


@value_class
class ChatFile:
    """A chat with its metadata."""

    path: Path
    head: TavernChatHead
    messages: tuple[TavernMessage, ...]
    summaries: tuple[LeftSummary, ...] = ()
    problems: tuple[FileError, ...] = field(default=())  # unreadable lines

    @property
    def name(self) -> str:
        """SillyTavern's name of the chat: the file's name without ending."""
        return self.path.stem


def read_head(path: Path) -> TavernChatHead:
    """The header, and the begin of the chat: from the header, else from its first message.

    Raises:
        FileError: it cannot be read.
    """
    with files.opened(path, files.CHAT) as file:
        rows = [_row(file.readline(files.LINE + 1).removeprefix(_BOM)) for _ in range(2)]
    head = _head(rows[0])
    first = next((row for row in rows if row and not _is_head(row)), {})
    return head if head.created else replace(head, created=sent_at(first.get("send_date")))


def _row(line: bytes) -> JsonMapping:
    """The object in a line; empty if invalid, which `read_chat` reports."""
    try:
        return object_of(files.loads(line.strip())) if line.strip() else {}
    except ValueError:
        return {}


def read_chat(path: Path) -> ChatFile:
    """Read a chat. Invalid lines are reported and left out. Cost: O(bytes), one line in memory at a time.

    Raises:
        FileError: the file cannot be read, is too large, or no line of it is a message.
    """
    head = TavernChatHead()
    messages: list[TavernMessage] = []
    left: list[LeftSummary] = []
    problems: list[FileError] = []
    for number, raw in _lines(path):
        if isinstance(raw, FileError):
            problems.append(raw)
        elif _is_head(raw):
            head = _head(raw) if number == 1 else head
        elif (message := _message(raw, len(messages))) is None:
            problems.append(_no_message(path, number))
        else:
            messages.append(message)
            left += summaries.of_message(object_of(raw.get("extra")), message.place)
            if len(messages) >= files.MESSAGES:
                problems.append(_too_many(path, number))
                break
    if problems and not messages:
        raise _no_chat(path, problems[0])
    return ChatFile(path, head, tuple(messages), tuple(left), tuple(problems))


def _lines(path: Path) -> Iterator[tuple[int, JsonMapping | FileError]]:
    """Each line that is not blank, with its number."""
    with files.opened(path, files.CHAT) as file:
        number = 0
        while line := file.readline(files.LINE + 1):
            number += 1
            if len(line) > files.LINE:
                yield number, _too_long(path, number)
                while line and not line.endswith(b"\n"):
                    line = file.readline(files.LINE)
            elif said := line.removeprefix(_BOM if number == 1 else b"").strip():
                yield number, _line(path, number, said)


def _line(path: Path, number: int, line: bytes) -> JsonMapping | FileError:
    try:
        found = files.loads(line)
    except JSONDecodeError as error:
        return FileError(
            path,
            "is not JSON: {error}",
            remedy="the line is left out; SillyTavern's backups folder may hold a whole copy",
            line=number,
            error=diagnose_json(line, error, 1)[0].message,
        )
    return found if isinstance(found, dict) else _no_message(path, number)


def _is_head(raw: JsonMapping) -> bool:
    return "mes" not in raw and (
        "chat_metadata" in raw or "user_name" in raw or "character_name" in raw
    )


def _head(raw: JsonMapping) -> TavernChatHead:
    if not _is_head(raw):
        return TavernChatHead()
    about = object_of(raw.get("chat_metadata"))
    bound = [
        text_of(about.get("world_info")),
        text_of(object_of(about.get("STMemoryBooks")).get("manualLorebook")),
    ]
    return TavernChatHead(
        user=_named(raw.get("user_name")),
        character=_named(raw.get("character_name")),
        created=sent_at(raw.get("create_date")),
        integrity=text_of(about.get("integrity")).strip()[:200],
        main_chat=text_of(about.get("main_chat")).strip(),
        persona=text_of(about.get("persona")),
        books=tuple(dict.fromkeys(name for one in bound if (name := one.strip()))),
    )


def _named(value: object) -> str:
    name = text_of(value).strip()
    return "" if name.casefold() in _NOBODY else name


def _message(raw: JsonMapping, place: int) -> TavernMessage | None:
    text = _text(raw)
    if text is None:
        return None
    extra = object_of(raw.get("extra"))
    hidden = raw.get("is_system") is True
    name = text_of(raw.get("name")).strip()
    return TavernMessage(
        place=place,
        speaker=_speaker(raw, extra),
        text=text,
        name=name,
        sent=sent_at(raw.get("send_date")),
        hidden=hidden,
        program=hidden
        and (
            extra.get("type") not in (None, "", "narrator")
            or "tool_invocations" in extra
            or name == "SillyTavern System"
        ),
        avatar=_avatar(raw),
    )


def _text(raw: JsonMapping) -> str | None:
    """The text: `mes`; if empty the selected swipe; in other programs' files an object around it."""
    said = raw.get("mes")
    said = said.get("message") if isinstance(said, dict) else said
    swipes = raw.get("swipes")
    chosen = raw.get("swipe_id")
    if (
        said in (None, "")
        and isinstance(swipes, list)
        and isinstance(chosen, int)
        and 0 <= chosen < len(swipes)
    ):
        said = swipes[chosen]
    return said if isinstance(said, str) else None


def _speaker(raw: JsonMapping, extra: JsonMapping) -> Speaker:
    if raw.get("is_user") is True:
        return "user"
    return "system" if extra.get("type") == "narrator" else "assistant"


def _avatar(raw: JsonMapping) -> str:
    """The speaker's avatar file: `original_avatar`, else from its image URL."""
    if avatar := text_of(raw.get("original_avatar")).strip():
        return avatar
    shown = text_of(raw.get("force_avatar"))
    if "type=avatar" not in shown or raw.get("is_user"):
        return ""
    try:
        return next(iter(parse_qs(urlsplit(shown).query).get("file", [])), "")
    except ValueError:
        return ""


def _no_message(path: Path, number: int) -> FileError:
    return FileError(
        path, 'is no message: it has no text "mes"', remedy="the line is left out", line=number
    )


def _too_long(path: Path, number: int) -> FileError:
    most = files.LINE // MEGABYTE
    return FileError(
        path,
        "a message of more than {most} MB",
        remedy="the line is left out; delete swipes that are not needed",
        line=number,
        most=most,
    )


def _too_many(path: Path, number: int) -> FileError:
    return FileError(
        path,
        "more than {messages} messages",
        remedy="the rest is left out; split the chat",
        line=number,
        messages=files.MESSAGES,
    )


def _no_chat(path: Path, first: FileError) -> FileError:
    return FileError(
        path,
        "holds no message that can be read; first: {reason}",
        remedy="look for a whole copy in SillyTavern's backups folder",
        line=first.line,
        reason=first.problem,
    )
