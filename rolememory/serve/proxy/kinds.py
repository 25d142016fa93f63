"""Classifies calls: only the character's own turns are learned from, and not every call is one."""

from collections.abc import Iterator, Mapping
from typing import Any

from rolememory.schema.json_types import list_of, objects_of
from rolememory.serve.proxy.completion import for_the_user
from rolememory.serve.proxy.frontend_prompts import first_match, prompts
from rolememory.serve.proxy.hint import Hint
from rolememory.serve.proxy.proxy_call import Kind
from rolememory.serve.proxy.transcript_parser import ParsedTranscript, SpeakerNames
from rolememory.text.fold import fold_name

_SHORT = 1_500  # maximum characters of an instruction; longer texts are cards

_SAID: Mapping[str, Kind] = {
    "normal": "normal",
    "swipe": "swipe",
    "regenerate": "regenerate",
    "continue": "continue",
    "append": "continue",
    "impersonate": "impersonate",
    "quiet": "quiet",
    "task": "task",
    "title": "task",
    "tags": "task",
}


class Habits:
    """The form of a role's ordinary calls; different ones are not turns. One per role."""

    def __init__(self) -> None:
        self.streams: bool | None = None
        self.last_word = ""

    def keep(self, body: Mapping[str, Any], talk: ParsedTranscript) -> None:
        """Record an ordinary call."""
        self.streams = bool(body.get("stream"))
        self.last_word = talk.last_word


def kind_of(
    body: Mapping[str, Any],
    talk: ParsedTranscript,
    hint: Hint,
    names: SpeakerNames,
    habits: Habits | None = None,
) -> Kind:
    """The kind of a call: as the frontend says, else by its instructions and the form of the call."""
    if hint.task or hint.kind in _SAID:
        return "task" if hint.task else _SAID[hint.kind]
    last = talk.spoken[-1].role if talk.spoken else ""
    signs: tuple[tuple[Kind, bool], ...] = (
        ("task", _is_task(talk)),
        (
            "continue",
            last == "assistant" and first_match(prompts().continuing, talk.last_word) is not None,
        ),
        (
            "impersonate",
            _is_for_the_user(talk, names)
            or for_the_user(body.get("prompt"), body.get("stop"), hint.role),
        ),
        ("quiet", _is_quiet(body, talk, habits)),
        ("continue", last == "assistant" and _ends_open(body, talk)),
    )
    return next((kind for kind, shown in signs if shown), "normal")


def _is_for_the_user(talk: ParsedTranscript, names: SpeakerNames) -> bool:
    """Whether the model writes as the user; false if another person is named."""
    found = first_match(prompts().impersonate, talk.last_word)
    if found is None or first_match(prompts().nudge, talk.last_word):
        return False
    named = fold_name(found["user"])
    if names.users:
        return any(fold_name(name) in named for name in names.users)
    return fold_name(names.char) != named


def _is_task(talk: ParsedTranscript) -> bool:
    """Whether this is a task about the chat, instead of the chat or after it: a title, tags, a summary."""
    return any(first_match(prompts().task, text) for text in _asked(talk))


def _asked(talk: ParsedTranscript) -> Iterator[str]:
    """The possible instructions of a call: the last text; before any reply also the first one, unless it is as long as a card."""
    replied = len(talk.spoken) > 1 or any(one.role == "assistant" for one in talk.spoken)
    if talk.last_word:
        yield talk.last_word
    if talk.spoken and talk.spoken[-1].role == "user" and not (replied and talk.after):
        yield talk.spoken[-1].content
    if talk.around and not replied and len(talk.around[0]) <= _SHORT:
        yield talk.around[0]


def _is_quiet(body: Mapping[str, Any], talk: ParsedTranscript, habits: Habits | None) -> bool:
    """Whether this is an instruction after a complete history, not streamed."""
    if body.get("stream") or not talk.after:
        return False
    if first_match(prompts().quiet, talk.last_word):
        return True
    if habits is None or habits.streams is None:
        return False
    return habits.streams and talk.last_word != habits.last_word


def _ends_open(body: Mapping[str, Any], talk: ParsedTranscript) -> bool:
    """Whether the chat ends with a message of the character."""
    last = objects_of(list_of(body.get("messages"))[-1:])
    return (
        not talk.after
        and len(talk.spoken) > 1
        and [one.get("role") for one in last] == ["assistant"]
    )
