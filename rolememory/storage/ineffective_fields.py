"""Finds what has no effect in a valid memory.json: misspelt names, invalid patterns and emotions, a later version."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rolememory.errors import PatternError, closest, misspelt
from rolememory.locales import Localized
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.memory import Memory
from rolememory.schema.problem import Problem, quoted
from rolememory.storage.codec import ALIASES, MEANINGS
from rolememory.text.pattern import compile_pattern

if TYPE_CHECKING:
    from rolememory.text.affect_lexicon import Lexicon

_OF_A_FILE = ("$schema", "version", "through")
_OF_A_MEMORY = frozenset(Memory.model_fields) | frozenset(ALIASES) | frozenset(MEANINGS)
_PATTERN = re.compile(r"/(?:[^/\\]|\\.)+/[a-zA-Z]*", re.DOTALL)
_EMOTIONS = ("emotions", "emotionalContext", "emotionLabel", "emotion")
_NO_FEELING = frozenset({"neutral", "none", "中性", "平静", "无"})


def ineffective_in_file(
    raw: JsonMapping, sections: Iterable[str], version: int
) -> Iterator[Problem]:
    """Ignored parts of a file: unknown sections, and a later version number."""
    found = raw.get("version")
    if isinstance(found, int) and found > version:
        yield Problem.of("later_version", field="version", found=str(found), known=str(version))
    known = (*sections, *_OF_A_FILE)
    for name in raw.keys() - known:
        near = misspelt(name, known)
        lost = _holds_memories(raw[name])
        if near or lost:
            yield Problem.of(
                "unknown_section",
                field=name,
                drops=lost,
                found=quoted(name),
                wanted=quoted(near or "episodic"),
            )


def _holds_memories(value: Any) -> bool:
    """Whether the items of this list look like memories."""
    return isinstance(value, list) and any(
        isinstance(one, dict) and ("content" in one or "text" in one) for one in value
    )


def ineffective_in_entry(raw: Any, memory: Memory) -> Iterator[Problem]:
    """Fields of an entry without effect. Cost: O(fields)."""
    if isinstance(raw, dict) and not raw.keys() <= _OF_A_MEMORY:
        yield from _misspelt(raw)
    for name in ("keys", "secondary_keys"):
        for place, key in enumerate(getattr(memory, name)):
            if key.startswith("/") and (reason := _broken(key)):
                yield Problem.of("bad_pattern", field=f"{name}[{place}]", reason=reason)
    for place, label in enumerate(memory.emotions):
        if not _felt(label):
            yield Problem.of(
                "unknown_emotion",
                field=_written(raw, place),
                found=quoted(label),
                label=label,
                wanted=_nearest(label),
            )


def _written(raw: Any, place: int) -> str:
    """The path of that emotion, with the author's name for the field."""
    name = next(one for one in _EMOTIONS if one in raw)
    return f"{name}[{place}]" if isinstance(raw.get(name), list) else name


def _misspelt(raw: JsonMapping) -> Iterator[Problem]:
    """Unknown names close to a field's name (one letter away if that field is present); others are an author's own."""
    written = {ALIASES.get(name, name) for name in raw}
    there = {one for one in _OF_A_MEMORY if ALIASES.get(one, one) in written}
    for name in raw.keys() - _OF_A_MEMORY:
        if near := misspelt(name, _OF_A_MEMORY - there) or misspelt(name, there, most=1):
            yield Problem.of(
                "unknown_field",
                field=name,
                found=quoted(name),
                wanted=quoted(ALIASES.get(near, near)),
            )


def still_ineffective(problems: Iterable[Problem], lexicon: "Lexicon | None") -> list[Problem]:
    """The problems left when the home's own emotion lexicon is taken into account."""
    return [
        one
        for one in problems
        if lexicon is None
        or one.code != "unknown_emotion"
        or not _known(str(dict(one.values)["label"]), lexicon)
    ]


@lru_cache(maxsize=4096)
def _broken(key: str) -> Localized | None:
    """What is wrong with a pattern; None if valid, or if it is plain text such as a path."""
    if not _PATTERN.fullmatch(key):
        return None
    try:
        compile_pattern(key)
    except PatternError as error:
        return error.message
    return None


@lru_cache(maxsize=4096)
def _felt(label: str) -> bool:
    from rolememory.text.affect_lexicon import EMOTIONS, shipped_lexicon

    plain = label.strip().casefold()
    return plain in EMOTIONS or plain in _NO_FEELING or _known(label, shipped_lexicon())


def _known(label: str, lexicon: "Lexicon") -> bool:
    from rolememory.text.affect import affect_of_labels

    return not affect_of_labels([label], lexicon).neutral


def _nearest(label: str) -> str:
    """The most similar emotion, else all of them."""
    from rolememory.text.affect_lexicon import EMOTIONS

    return quoted(near) if (near := closest(label, EMOTIONS)) else ", ".join(EMOTIONS)
