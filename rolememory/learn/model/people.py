"""Resolves names that a model gives to people."""

from collections.abc import Iterable

from rolememory.inject.fence import tame
from rolememory.learn.model.base import LONGEST_NAME
from rolememory.llm.answer_words import answer_words
from rolememory.schema.learning import USER, ChatMessage, Company
from rolememory.text.fold import fold, folded_key

_USER, _ROLE, _SPEAKER = (
    frozenset(answer_words("words")[name]) for name in ("user", "role", "speaker")
)


def subject_of(about: str, said: ChatMessage, company: Company) -> str | None:
    """The subject of a fact, as in `Memory.subject`; the speaker if none is named.

    >>> from datetime import UTC, datetime
    >>> said = ChatMessage("v1", "user", "Anna is my sister.", datetime(2025, 3, 1, tzinfo=UTC))
    >>> [subject_of(about, said, Company("Mira", user="Lin")) for about in ("user", "lin", "", "Mira", "character", "Anna")]
    ['user', 'user', 'user', None, None, 'Anna']
    """
    name = folded_key(about)
    if not name or name in _SPEAKER:
        found = company.subject_of(said)
    elif name in _USER or name == folded_key(company.user):
        found = USER
    elif name in _ROLE or name in {folded_key(one) for one in (company.role, *company.role_names)}:
        found = ""
    else:
        found = tame(about)[:LONGEST_NAME].strip()
    return found or None


def subject_in(text: str, company: Company) -> str | None:
    """The subject of a sentence that has none given: the role if only it is named, else the user.

    >>> company = Company("Mira", user="Lin")
    >>> subject_in("Mira promised to wait.", company), subject_in("Lin's birthday is October 25th.", company)
    (None, 'user')
    """
    return None if names_role(text, company) and not names_user(text, company) else USER


def names_role(text: str, company: Company) -> bool:
    """Whether a sentence speaks of the role by name."""
    return _names(text, (company.role, *company.role_names))


def names_user(text: str, company: Company) -> bool:
    """Whether a sentence speaks of the user by name or by that word."""
    return _names(text, (company.user, "the user", "用户", "用戶"))


def _names(text: str, names: Iterable[str]) -> bool:
    folded = fold(text).text
    return any(name and folded_key(name) in folded for name in names)
