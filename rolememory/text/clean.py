"""Cleaning of messages: removes reasoning, markup, status panels, variables and out-of-character remarks.

The rules are data, `worldbook_rules/cleaning.json`; a user's file may replace or add groups.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import regex
from pydantic import BaseModel, Field

from rolememory.errors import FileError
from rolememory.schema.settings import CleanSettings
from rolememory.schema.value_class import value_class
from rolememory.shipped import shipped
from rolememory.text.own_file import checked, own_object

OUT_OF_CHARACTER = "out_of_character"  # id of the group for out-of-character remarks
_LONGEST_REGEX = 2000
_CACHED_LENGTH = 65_536  # longer texts are cleaned each time: the cache stays small
_TIMEOUT_S = 0.1  # for one rule on one text; a rule that takes longer leaves the text as it is
_LONGEST_TEXT = 1_000_000  # longer texts are not cleaned
_EXAMPLE = '{"rules": [{"id": ..., "regex": ...}]}'
_EMPTY_LINES = regex.compile(r"[^\S\n]*\n(?:[^\S\n]*\n){2,}")
_Text = Annotated[str, Field(min_length=1)]


@value_class
class Rule:
    """One regular expression; rules with the same `id` are a group, enabled together."""

    id: _Text
    regex: _Text
    zh: str = ""
    en: str = ""
    replacement: str = ""
    needs: tuple[_Text, ...] = ()  # every match contains one of these; empty = unknown


class _RuleFile(BaseModel):
    """The content of a file of rules."""

    rules: list[Rule]


class Cleaner:
    """Applies the rules in order. Pure except for the time-out; thread-safe; recent results are cached.

    >>> Cleaner(load_rules()).clean("<think>She knows.</think>The beacon <b>went</b> dark. ((OOC: brb))")
    'The beacon went dark.'
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._work: tuple[Cleaner | None, tuple[Rule, ...]] = (
            None,
            self.rules,
        )  # cleaner applied first, rules after it
        known = all(rule.needs for rule in self.rules)
        needs = tuple(each for rule in self.rules for each in rule.needs)
        self._any = _signs(needs) if known else None
        self._kept = lru_cache(maxsize=2048)(self._clean)
        self._replaced = lru_cache(maxsize=2048)(self._replace)
        self._fewer: dict[str, Cleaner] = {}

    def clean(self, text: str) -> str:
        """The cleaned text; the same object if nothing is removed."""
        return self._kept(text) if len(text) <= _CACHED_LENGTH else self._clean(text)

    def without(self, group: str) -> "Cleaner":
        """The cleaner without one group, cached. If that is the last group, both share the work of the others."""
        if group not in self._fewer:
            fewer = self._fewer[group] = Cleaner(rule for rule in self.rules if rule.id != group)
            if self._work[0] is None and self.rules[: len(fewer.rules)] == fewer.rules:
                self._work = fewer, self.rules[len(fewer.rules) :]
        return self._fewer[group]

    def _clean(self, text: str) -> str:
        if len(text) > _LONGEST_TEXT or (self._any is not None and not self._any.search(text)):
            return text
        cleaned = self._replaced(text) if len(text) <= _CACHED_LENGTH else self._replace(text)
        return text if cleaned == text else _EMPTY_LINES.sub("\n\n", cleaned).strip()

    def _replace(self, text: str) -> str:
        first, rules = self._work
        if first is not None:
            text = first._replaced(text) if len(text) <= _CACHED_LENGTH else first._replace(text)
        for rule in rules:
            signs = _signs(rule.needs)
            if signs is None or signs.search(text):
                with suppress(TimeoutError):
                    text = _compiled(rule.regex).sub(rule.replacement, text, timeout=_TIMEOUT_S)
        return text


def cleaner_for(settings: CleanSettings, added: Sequence[Rule] = ()) -> Cleaner | None:
    """The cleaner of the settings, with the user's rules; None if cleaning is off.

    A user's new group is always applied; unknown group names are ignored.
    """
    if not settings.enabled:
        return None
    new = {rule.id for rule in added} - {rule.id for rule in load_rules()}
    return Cleaner(chosen(merged(load_rules(), added), {*settings.rules, *new}))


def merged(rules: Sequence[Rule], own: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules with the user's: a group with a known id is replaced, a new one is appended.

    >>> base = [Rule("think", "a"), Rule("html", "b")]
    >>> [rule.regex for rule in merged(base, [Rule("think", "c"), Rule("mine", "d")])]
    ['c', 'b', 'd']
    """
    groups = _groups(rules) | _groups(own)
    return tuple(rule for group in groups.values() for rule in group)


def _groups(rules: Sequence[Rule]) -> dict[str, list[Rule]]:
    groups: dict[str, list[Rule]] = {}
    for rule in rules:
        groups.setdefault(rule.id, []).append(rule)
    return groups


def chosen(rules: Sequence[Rule], names: Collection[str]) -> tuple[Rule, ...]:
    """The rules of the named groups, in the order of the rules."""
    return tuple(rule for rule in rules if rule.id in names)


def load_rules(path: Path | None = None) -> tuple[Rule, ...]:
    """The rules of a file, by default the shipped one.

    Raises:
        FileError: the file is not JSON, or a rule is invalid; names the rule and field.
    """
    if path is None:
        return _shipped()
    rules = checked(path, own_object(path, _EXAMPLE), _RuleFile).rules
    for number, rule in enumerate(rules):
        _try(path, f"rules[{number}]", rule)
    return tuple(rules)


@lru_cache(maxsize=1)
def _shipped() -> tuple[Rule, ...]:
    """The shipped rules, not validated (a test does that): patterns are compiled when needed."""
    raw = own_object(shipped("worldbook_rules", "cleaning.json"), _EXAMPLE)
    return tuple(Rule(**{**row, "needs": tuple(row.get("needs", ()))}) for row in raw["rules"])


def _try(path: Path, place: str, rule: Rule) -> None:
    """Raise a FileError for an invalid pattern or replacement."""
    if len(rule.regex) > _LONGEST_REGEX:
        raise FileError(
            path,
            "{count} characters long",
            field=f"{place}.regex",
            remedy="keep it below {limit}",
            count=len(rule.regex),
            limit=_LONGEST_REGEX,
        )
    try:
        _compiled(rule.regex)
    except (regex.error, RecursionError, OverflowError) as error:
        raise FileError(
            path,
            "not a regular expression: {error}",
            field=f"{place}.regex",
            remedy="mend the pattern",
            error=error,
        ) from error
    if "\\" not in rule.replacement:
        return  # it has no group references
    try:
        _compiled(rule.regex + "|").sub(
            rule.replacement, ""
        )  # matches the empty text, so the replacement is tried
    except (regex.error, IndexError) as error:
        raise FileError(
            path,
            "cannot be used: {error}",
            field=f"{place}.replacement",
            remedy="refer to groups that exist",
            error=error,
        ) from error


@lru_cache(maxsize=256)
def _signs(needs: tuple[str, ...]) -> re.Pattern[str] | None:
    """Finds one of these texts, in any case; None for none."""
    sought = "|".join(map(re.escape, dict.fromkeys(needs)))
    return re.compile(sought, re.IGNORECASE) if sought else None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    return regex.compile(pattern, regex.VERSION0)
