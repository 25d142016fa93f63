"""The prompt texts of frontends, from worldbook_rules/lexicons/frontends.json."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from rolememory.shipped import lexicon

_LONGEST = 20_000  # characters of a text that are searched, at its beginning and end


@dataclass(frozen=True, slots=True)
class FrontendPrompts:
    """The compiled patterns."""

    nudge: Sequence[re.Pattern[str]]
    prompt: Sequence[re.Pattern[str]]
    members: Sequence[re.Pattern[str]]
    scaffolding: re.Pattern[str]
    markers: re.Pattern[str]  # of instruct templates in text completions
    continuing: Sequence[re.Pattern[str]]
    impersonate: Sequence[re.Pattern[str]]
    quiet: Sequence[re.Pattern[str]]
    task: Sequence[re.Pattern[str]]
    wrapped: Sequence[re.Pattern[str]]  # the user's text within added documents
    nobody: frozenset[str]


@cache
def prompts() -> FrontendPrompts:
    """The shipped patterns."""
    raw = lexicon("frontends")

    def table(name: str) -> list[re.Pattern[str]]:
        return [re.compile(one, re.IGNORECASE) for one in raw[name]]

    return FrontendPrompts(
        nudge=table("nudge"),
        prompt=table("prompt"),
        members=table("members"),
        scaffolding=re.compile("|".join(f"(?:{one})" for one in raw["scaffolding"]), re.IGNORECASE),
        markers=re.compile(f"(?:{'|'.join(raw['markers'])})[ \\t]*", re.IGNORECASE | re.MULTILINE),
        continuing=table("continue"),
        impersonate=table("impersonate"),
        quiet=table("quiet"),
        task=table("task"),
        wrapped=table("wrapped"),
        nobody=frozenset(name.casefold() for name in raw["nobody"]),
    )


def first_match(patterns: Iterable[re.Pattern[str]], text: str) -> re.Match[str] | None:
    """The match of the first pattern found in a text; only its beginning and end are searched."""
    looked = text if len(text) <= 2 * _LONGEST else f"{text[:_LONGEST]}\n{text[-_LONGEST:]}"
    return next((found for pattern in patterns if (found := pattern.search(looked))), None)


def unwrapped(text: str) -> str:
    r"""The user's text, without documents that the frontend put around it.

    >>> unwrapped("### Task:\nAnswer from this.\n<context>...</context>\n<user_query>Who is Anna?</user_query>")
    'Who is Anna?'
    """
    if "Task:" not in text[:40]:
        return text
    return next(
        (
            found["said"]
            for pattern in prompts().wrapped
            if (found := pattern.search(text)) and found["said"]
        ),
        text,
    )
