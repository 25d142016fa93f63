"""A model that tells chapters out of what it is shown, and stories long enough to have some."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rolememory.engine import Home, RoleMemory
from rolememory.schema.message import Message
from tests.endpoint import Behaviour, Endpoint, Line, answers
from tests.hashing import HashingEmbedder

U, A = Message.user, Message.assistant
CHAPTER, STORY, SCENE = "rolling_summary", "story", "scene"
_NUMBER = re.compile(r"(?:lamp|灯)\s?(\d+)", re.IGNORECASE)
_EXTRA = {
    "en": ("The mill lies behind the harbour wall and nobody has the key. " * 3),
    "zh": "磨坊在港口的墙后面，谁也没有钥匙。" * 6,
}


def step_of(line: Line) -> str:
    """Which question a request is."""
    name: str = line.request.json["response_format"]["json_schema"]["name"]
    return name


def told_of(conversation: str) -> list[int]:
    """The numbers of the lamps that are spoken of."""
    return sorted({int(one) for one in _NUMBER.findall(conversation)})


def tells(language: str = "en", **others: Any) -> Behaviour:
    """Tell a chapter by the lamps in it, a story by those in its chapters; other steps find nothing, or answer as given."""

    def behave(line: Line) -> None:
        step, shown = step_of(line), line.request.said
        if step in others:
            return answers(others[step])(line)
        if step not in (CHAPTER, STORY):
            return answers({"facts": []})(line)
        part = shown.split("<chat>")[-1] if step == CHAPTER else shown
        lamps = told_of(part)
        first, last = (lamps[0], lamps[-1]) if lamps else (0, 0)
        if language == "zh":
            text, title = f"林和米拉从灯{first}一直修到灯{last}。", f"灯{first}到{last}"
        else:
            text = f"Lin and Mira trimmed the lamps from lamp {first} to lamp {last}."
            title = f"Lamps {first} to {last}"
        return answers({"title": title, "chapter": text} if step == CHAPTER else {"story": text})(
            line
        )

    return behave


def opened(folder: Path, url: str, **settings: Any) -> Home:
    """A home whose chapters come often: a window of two messages, a chapter each 800 tokens."""
    told = {
        "learn.endpoint": url,
        "learn.model": "small",
        "learn.batch_size": 1000,
        "learn.summarize.trigger_tokens": 800,
        "memory.short_term_items": 2,
    }
    given = {name.replace("__", "."): value for name, value in settings.items()}
    return Home.open(folder, {**told, **given}, HashingEmbedder())


def exchange(number: int, language: str = "en", extra: str = "") -> list[Message]:
    """One exchange of some 100 tokens, which names its number."""
    more = _EXTRA[language]
    if language == "zh":
        return [U(f"我们把灯{number}修好吧。{more}"), A(f"灯{number}亮了。{more}{extra}")]
    return [U(f"Let us trim lamp {number}. {more}"), A(f"Lamp {number} burns. {more}{extra}")]


def tale(count: int, language: str = "en", first: int = 1) -> list[Message]:
    """So many exchanges."""
    return [one for number in range(first, first + count) for one in exchange(number, language)]


def play(role: RoleMemory, said: Sequence[Message], **about: Any) -> None:
    """Observe, and wait for commands and model."""
    role.observe(said, **{"chat": "harbour", "user": "lin", **about})
    settled(role)


def settled(role: RoleMemory) -> None:
    """Wait for commands and model."""
    assert role.learned(30)
    assert role.learner.worker.settle(60)


def asked(server: Endpoint, step: str = CHAPTER) -> list[str]:
    """What was asked of one step."""
    return [
        one.said
        for one in server.requests
        if one.json["response_format"]["json_schema"]["name"] == step
    ]
