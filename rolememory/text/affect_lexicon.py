"""Emotion lexicons: files, overrides by an author's file, and the inflections of words.

A lexicon file is JSON: `words` (word: emotion weights, valence, arousal), `plain` (neutral words that mask those inside
them: 恐怕 is not 怕), `negators`, `intensifiers`, `doubts` (if, 如果), `contrasts` (but, 但是), `names` of the
emotions, `patterns` (regexes: hahaha, 2333).
In a word `~` means any inflection and `{}` any of `fillers`. A later file overrides an earlier one word by word.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import orjson

from rolememory.errors import FileError, closest
from rolememory.locales import Listed, translatable
from rolememory.schema.json_types import JsonObject
from rolememory.schema.scene import Feeling
from rolememory.schema.value_class import value_class
from rolememory.shipped import shipped
from rolememory.text.fold import fold
from rolememory.text.own_file import own_object
from rolememory.text.plain import simplified

EMOTIONS = translatable(
    (
        "joy",
        "trust",
        "fear",
        "surprise",
        "sadness",
        "disgust",
        "anger",
        "anticipation",
        "love",
        "longing",
        "shame",
        "calm",
    ),
    "emotion",
)
"""The twelve emotions. Source: R. Plutchik's eight basic ones, and four common in stories: love, longing (nostalgia,
homesickness), shame (with guilt and embarrassment) and calm (relief, peace), which are mixtures of the eight."""

PLANE: Mapping[str, tuple[float, float]] = {
    "joy": (0.8, 0.6),
    "trust": (0.6, 0.3),
    "fear": (-0.7, 0.8),
    "surprise": (0.05, 0.8),
    "sadness": (-0.8, 0.4),
    "disgust": (-0.75, 0.55),
    "anger": (-0.75, 0.85),
    "anticipation": (0.55, 0.6),
    "love": (0.85, 0.5),
    "longing": (-0.25, 0.45),
    "shame": (-0.65, 0.5),
    "calm": (0.65, 0.12),
}
"""Default (valence, arousal) of each emotion. Source: J. Russell's circumplex, placed by hand."""

_SECTIONS = {
    "version", "language", "about", "names", "words", "patterns", "plain", "negators", "negators_after", "intensifiers",
    "intensifiers_after", "doubts", "contrasts", "fillers", "$schema",
}  # fmt: skip
_BARE_WEIGHT = 0.7  # of a word given only a label


@value_class
class WordEffect:
    """The effects of one word on a sentence; there may be several."""

    feeling: Feeling | None = None
    language: str = ""
    before: float = 1.0  # factor on the feeling that follows
    after: float = 1.0  # factor on the feeling before
    negates: bool = False  # the words after
    negates_last: bool = False  # the word before
    doubts: bool = False
    contrasts: bool = False


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Word effects by folded word. Built once; compared by identity, so that it can be a cache key."""

    marks: Mapping[str, WordEffect]
    names: Mapping[str, str]  # folded name of an emotion: its label
    patterns: tuple[tuple[re.Pattern[str], WordEffect], ...] = ()

    @cached_property
    def effects(self) -> tuple[WordEffect, ...]:
        """Every effect by number: those of words, then of patterns."""
        return (*self.marks.values(), *(mark for _, mark in self.patterns))

    @cached_property
    def numbered(self) -> tuple[tuple[int, re.Pattern[str]], ...]:
        """The patterns with their numbers."""
        return tuple(
            (number, pattern) for number, (pattern, _) in enumerate(self.patterns, len(self.marks))
        )

    @cached_property
    def automaton(self) -> Any:
        """The Aho-Corasick automaton of all words; its values index `effects`."""
        from ahocorasick_rs import AhoCorasick

        return AhoCorasick(list(self.marks), store_patterns=False)


@lru_cache(maxsize=8)
def shipped_lexicon() -> Lexicon:
    """The shipped lexicon: English, Chinese and emoji."""
    return load_lexicon()


def load_lexicon(paths: Iterable[Path] = ()) -> Lexicon:
    """The shipped lexicons overridden by these files, in order.

    Raises:
        FileError: a file cannot be read, or a field is invalid; names file and field.
    """
    marks: dict[str, WordEffect] = {}
    names: dict[str, str] = {}
    patterns: dict[str, tuple[re.Pattern[str], WordEffect]] = {}
    for path in [
        *(
            shipped("worldbook_rules", "lexicons", name)
            for name in ("feeling.en.json", "feeling.zh.json", "emoji.json")
        ),
        *paths,
    ]:
        page = _LexiconFile(path)
        names.update(page.names())
        marks.update(page.marks())
        patterns.update(page.patterns())
    return Lexicon(marks, names, tuple(patterns.values()))


class _LexiconFile:
    """One validated lexicon file; errors name the file and the field."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._colours: dict[bytes, Feeling] = {}
        raw = self._raw = own_object(path, '{"words": {"grief": {"sadness": 0.9}}}')
        for name in sorted(raw.keys() - _SECTIONS):
            near = closest(name, _SECTIONS)
            raise FileError(
                path,
                "unknown section",
                field=name,
                remedy=f"did you mean {near!r}?" if near else "",
            )

    def marks(self) -> dict[str, WordEffect]:
        """The effects of each folded word of this file."""
        marks: dict[str, WordEffect] = {}
        fillers, language = self._list("fillers"), str(self._raw.get("language", ""))
        changes = list(self._changes())
        made: dict[tuple[tuple[str, Any], ...], WordEffect] = {}
        for plain, (_, change) in zip(_folded(changes), changes, strict=True):
            fields = tuple(change.items())
            if (effect := made.get(fields)) is None:
                effect = made[fields] = WordEffect(language=language, **change)
            for key in forms(plain, fillers) if "~" in plain or "{" in plain else (plain,):
                known = marks.get(key)
                marks[key] = replace(known, **change) if known else effect
        marks.pop("", None)
        return marks

    def _changes(self) -> Iterator[tuple[str, JsonObject]]:
        """Every word as written, and the fields of its effect."""
        yield from ((word, {}) for word in self._list("plain"))
        yield from (
            (word, {"feeling": self._feeling("words", word, value)})
            for word, value in self._dict("words").items()
        )
        flags = {
            "negators": "negates",
            "negators_after": "negates_last",
            "doubts": "doubts",
            "contrasts": "contrasts",
        }
        for section, flag in flags.items():
            yield from ((word, {flag: True}) for word in self._list(section))
        for section, side in {"intensifiers": "before", "intensifiers_after": "after"}.items():
            yield from (
                (word, {side: self._number(f"{section}.{word}", value, 0.1, 3.0)})
                for word, value in self._dict(section).items()
            )

    def names(self) -> dict[str, str]:
        """Folded names of the emotions."""
        found = {}
        for label, names in self._dict("names").items():
            self._known(label, "names")
            if not isinstance(names, list):
                raise FileError(
                    self._path,
                    "expected a list of names, got {names!r}",
                    field=f"names.{label}",
                    names=names,
                )
            found.update({fold(str(name)).text: label for name in names})
        return found

    def patterns(self) -> dict[str, tuple[re.Pattern[str], WordEffect]]:
        """Regexes over folded text."""
        found = {}
        for body, value in self._dict("patterns").items():
            try:
                found[body] = (re.compile(body), WordEffect(self._feeling("patterns", body, value)))
            except re.error as problem:
                raise FileError(
                    self._path,
                    "not a valid pattern: {reason}",
                    field=f"patterns.{body}",
                    reason=problem,
                ) from problem
        return found

    def _feeling(self, section: str, word: str, value: object) -> Feeling:
        """The feeling of a word; equal ones are shared (thousands of words, hundreds of feelings)."""
        colour = orjson.dumps(value)
        if colour not in self._colours:
            self._colours[colour] = self._checked(f"{section}.{word}", value)
        return self._colours[colour]

    def _checked(self, where: str, value: object) -> Feeling:
        given = {value: _BARE_WEIGHT} if isinstance(value, str) else value
        if not isinstance(given, dict):
            raise FileError(
                self._path,
                "expected emotions and their weights, got {value!r}",
                field=where,
                remedy='write {{"joy": 0.7}}',
                value=value,
            )
        plane = {
            key: self._number(f"{where}.{key}", given[key], low, 1.0)
            for key, low in (("valence", -1.0), ("arousal", 0.0))
            if key in given
        }
        weights = {}
        for label in given.keys() - plane.keys():
            self._known(label, where)
            weights[label] = self._number(f"{where}.{label}", given[label], 0.0, 1.0)
        return felt_as(weights, plane.get("valence"), plane.get("arousal"))

    def _known(self, label: str, where: str) -> None:
        if label not in EMOTIONS:
            near = closest(label, EMOTIONS)
            remedy = translatable("did you mean {near!r}?" if near else "use one of {known}")
            raise FileError(
                self._path,
                "unknown emotion {label!r}",
                field=where,
                remedy=remedy,
                label=label,
                near=near,
                known=Listed(EMOTIONS),
            )

    def _number(self, where: str, value: object, low: float, high: float) -> float:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not low <= value <= high
        ):
            raise FileError(
                self._path,
                "expected a number from {low:g} to {high:g}, got {value!r}",
                field=where,
                low=low,
                high=high,
                value=value,
            )
        return float(value)

    def _list(self, section: str) -> list[str]:
        value = self._raw.get(section, [])
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise FileError(self._path, "expected a list of words", field=section)
        return value

    def _dict(self, section: str) -> JsonObject:
        value = self._raw.get(section, {})
        if not isinstance(value, dict):
            raise FileError(
                self._path, "expected an object, got {value!r}", field=section, value=value
            )
        return value


def _folded(changes: Sequence[tuple[str, Any]]) -> list[str]:
    """The folded words; folding all at once is far faster than one by one."""
    words = [word for word, _ in changes]
    plain = fold("|".join(words)).text.split("|")
    if len(plain) != len(words):  # a word contains the separator
        plain = [fold(word).text for word in words]
    return [simplified(word).strip() for word in plain]


def felt_as(
    weights: Mapping[str, float], valence: float | None = None, arousal: float | None = None
) -> Feeling:
    """A feeling of these weights; missing valence or arousal are weighted means of the emotions' defaults.

    >>> felt_as({"joy": 1.0})
    Feeling(emotions=(('joy', 1.0),), valence=0.8, arousal=0.6, words=())
    """
    felt = sorted(
        ((label, weight) for label, weight in weights.items() if weight > 0),
        key=lambda pair: (-pair[1], EMOTIONS.index(pair[0])),
    )
    total = sum(weight for _, weight in felt) or 1.0
    means = [
        round(sum(weight * PLANE[label][axis] for label, weight in felt) / total, 4)
        for axis in (0, 1)
    ]
    return Feeling(
        tuple(felt),
        means[0] if valence is None else valence,
        means[1] if arousal is None else arousal,
    )


def forms(word: str, fillers: Iterable[str] = ()) -> Iterator[str]:
    """The texts of a lexicon word: `~` after a word is any inflection, `{}` any filler.

    >>> sorted(forms("clench~ {} fist", ["her"]))[:2]
    ['clench her fist', 'clenched her fist']
    """
    choices = []
    for token in word.split(" "):
        if token.endswith("~"):
            choices.append(sorted(inflections(token[:-1])))
        else:
            choices.append(
                [token.replace("{}", filler) for filler in fillers] if "{}" in token else [token]
            )
    return (" ".join(tokens) for tokens in itertools.product(*choices))


def inflections(word: str) -> set[str]:
    """All regular English inflections of a word, as noun, verb or adjective; overgenerates harmlessly.

    >>> sorted(inflections("cry") & {"cried", "crying", "cries", "cryed"})
    ['cried', 'cries', 'crying']
    >>> {"sobbed", "sobbing"} <= inflections("sob"), "panicked" in inflections("panic"), "gently" in inflections("gentle")
    (True, True, True)
    """
    stems, soft = _stems(word)
    base = word[:-1] if word.endswith("e") and not word.endswith("ee") else word
    ing = {stem + "ing" for stem in stems} if base == word else {base + "ing"}
    past = {
        stem.removesuffix("e") + ending
        for stem in (stems if soft == word else {soft})
        for ending in ("ed", "er", "est")
    }
    return {word, _plural(word, soft), _adverb(word, soft), *ing, *past}


def _plural(word: str, soft: str) -> str:
    if soft.endswith("i"):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _adverb(word: str, soft: str) -> str:
    if word.endswith("le"):
        return word[:-1] + "y"
    return word + "ally" if word.endswith("ic") else soft + "ly"


def _stems(word: str) -> tuple[set[str], str]:
    """The stems for endings (last consonant doubled or not, c as ck), and the word with y as i."""
    doubled = word + word[-1:] if re.search(r"[^aeiou][aeiou][bcdfgklmnprtvz]$", word) else word
    hard = word + "k" if word.endswith("c") else word
    soft = word[:-1] + "i" if re.search(r"[^aeiou]y$", word) else word
    return {word, doubled, hard}, soft
