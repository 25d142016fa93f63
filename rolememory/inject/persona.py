"""The user's preferences for replies, extracted by rules from memories and messages, as lines for the prompt.

The words are in worldbook_rules/lexicons/preference.{zh,en}.json. Of two that conflict the newer wins and a note names the
older; negated ones ("not too long", "别太简短") are ignored.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from itertools import chain
from typing import Any, Literal

from rolememory.inject.environment import Templates
from rolememory.locales import translatable, translated
from rolememory.schema.memory import Memory, MemoryType
from rolememory.schema.scene import Language
from rolememory.schema.value_class import value_class
from rolememory.shipped import lexicon
from rolememory.text.names import USER_WORDS

Kind = Literal["technical_depth", "language", "response_length", "code_style"]
_KINDS: tuple[Kind, ...] = ("technical_depth", "response_length", "code_style", "language")
_LANGUAGES: tuple[Language, ...] = ("zh", "en")
_UNSAID = frozenset(
    {"intermediate", "balanced", "documented"}
)  # the default of models, not rendered
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_PREFERENCE_TAGS = frozenset({"preference", "偏好"})
_REACH: Mapping[Language, int] = {
    "zh": 4,
    "en": 24,
}  # maximum distance of a negation before its word, in characters
_NAMES = translatable(
    {
        "zh": "Chinese", "en": "English", "ja": "Japanese", "ko": "Korean", "fr": "French", "de": "German", "es": "Spanish",
        "ru": "Russian", "it": "Italian", "pt": "Portuguese", "yue": "Cantonese",
    },
    "language",
)  # fmt: skip


@value_class
class Utterance:
    """A message of the user: passage id, text, time."""

    id: str
    text: str
    at: datetime | None = None


@value_class
class Preference:
    """A preference: kind, value (a language as its code), and the id of its memory or passage."""

    type: Kind
    value: str
    source: str


@value_class
class Preferences:
    """The current preferences, at most one of a kind, and notes of what each overruled last."""

    wishes: tuple[Preference, ...] = ()
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to render."""
        return any(wish.value not in _UNSAID for wish in self.wishes)


@value_class
class _PersonaLexicon:
    """The lexicon of a language, as patterns."""

    ends: re.Pattern[str]
    negation: re.Pattern[str]
    no_negation: re.Pattern[str]
    context: Mapping[str, re.Pattern[str]]  # required beside a value, in a memory
    spoken: Mapping[str, re.Pattern[str]]  # the same for messages, which are about much else
    against: Mapping[str, re.Pattern[str]]
    values: Mapping[str, Sequence[tuple[str, re.Pattern[str]]]]
    reach: int


def preferences(
    memories: Iterable[Memory], user: str = "", said: Iterable[Utterance] = ()
) -> Preferences:
    """The preferences of the user of this name, from memories (without archived ones and those about others) and messages."""
    found = [
        *((one.since, one.id, said_in(one)) for one in memories if _of_user(one, user)),
        *((one.at, one.id, wishes_in(one)) for one in said),
    ]
    found.sort(key=lambda one: (one[0] or _EARLIEST, one[1]))
    known, overruled = dict[Kind, Preference](), dict[Kind, str]()
    for wish in chain.from_iterable(said for _, _, said in found):
        older = known.get(wish.type)
        if older and older.value != wish.value:
            overruled[wish.type] = (
                f"{wish.type}: {older.source!r} gives way to the newer {wish.source!r}"
            )
        known[wish.type] = wish
    wishes = tuple(filter(None, map(known.get, _KINDS)))
    return Preferences(wishes, tuple(overruled.values()))


def said_in(memory: Memory) -> list[Preference]:
    """The preferences in a memory, at most one of a kind; the last one counts."""
    told = bool(_PREFERENCE_TAGS & set(memory.tags))
    return _found(
        memory.content, memory.id, lambda words, kind: None if told else words.context[kind]
    )


def wishes_in(said: Utterance) -> list[Preference]:
    """The lasting preferences in a message: how to reply, not one-off requests.

    >>> [wish.value for wish in wishes_in(Utterance("p1", "Keep your answers short, please. I like long walks."))]
    ['concise']
    """
    return [Preference(kind, value, said.id) for kind, value in _spoken(said.text)]


@lru_cache(maxsize=65_536)
def _spoken(text: str) -> tuple[tuple[Kind, str], ...]:
    found = _found(text, "", lambda words, kind: words.spoken[kind])
    return tuple((wish.type, wish.value) for wish in found)


def _found(
    text: str, source: str, context: Callable[[_PersonaLexicon, Kind], re.Pattern[str] | None]
) -> list[Preference]:
    found: dict[Kind, Preference] = {}
    for language in _LANGUAGES:
        words = _words(language)
        for clause in words.ends.split(text.lower().replace("’", "'")):
            for kind in _KINDS:
                if value := _value(clause, kind, words, context(words, kind)):
                    found[kind] = Preference(kind, value, source)
    return list(found.values())


def personalisation(preferences: Preferences, language: Language, templates: Templates) -> str:
    """The lines for the prompt; "" without preferences."""
    if not preferences:
        return ""
    wishes = [
        {
            "type": wish.type,
            "value": wish.value,
            "name": translated(_NAMES.get(wish.value, wish.value), language, "language"),
        }
        for wish in preferences.wishes
        if wish.value not in _UNSAID
    ]
    return str(templates.render("persona", "default", language, {"wishes": wishes}).text).strip(
        "\n"
    )


def _of_user(memory: Memory, user: str) -> bool:
    if memory.archived:
        return False
    if memory.subject is None:
        return memory.type not in (MemoryType.TRAIT, MemoryType.GOAL)  # those are the role's own
    return memory.subject.casefold() in {*USER_WORDS, user.casefold()}


def _value(clause: str, kind: Kind, words: _PersonaLexicon, context: re.Pattern[str] | None) -> str:
    """The value of that kind in a clause, or ""; the longest match wins, so that "no comments" is not "comments"."""
    if words.against[kind].search(clause) or (context and not context.search(clause)):
        return ""
    hits = [
        (match, value)
        for value, pattern in words.values[kind]
        for match in pattern.finditer(clause)
    ]
    spans = [match for match, _ in hits]
    meant = (
        (match.start(), value)
        for match, value in hits
        if not (_inside_another(match, spans) or _negated(clause, match.start(), words))
    )
    return max(meant, default=(0, ""))[1]


def _inside_another(match: re.Match[str], others: Sequence[re.Match[str]]) -> bool:
    return any(
        other.start() <= match.start()
        and match.end() <= other.end()
        and len(other.group()) > len(match.group())
        for other in others
    )


def _negated(clause: str, start: int, words: _PersonaLexicon) -> bool:
    """Whether a negation is closely before the word."""
    before = words.no_negation.sub(lambda match: " " * len(match.group()), clause[:start])
    return any(start - match.end() <= words.reach for match in words.negation.finditer(before))


@cache
def _words(language: Language) -> _PersonaLexicon:
    raw: dict[str, Any] = lexicon(f"preference.{language}")

    def pattern(words: Iterable[str]) -> re.Pattern[str]:
        return re.compile("|".join(_spelt(words)) or r"(?!)")

    values = {
        kind: [(value, pattern(words)) for value, words in table.items()]
        for kind, table in raw["values"].items()
    }
    values["language"] = [(code, pattern(words)) for code, words in raw["languages"].items()]
    return _PersonaLexicon(
        ends=re.compile(f"[{re.escape(raw['clause_ends'])}]"),
        negation=pattern(raw["negations"]),
        no_negation=pattern(raw["not_negations"]),
        context={kind: pattern(raw["context"][kind]) for kind in _KINDS},
        spoken={kind: pattern(raw["spoken"].get(kind, raw["context"][kind])) for kind in _KINDS},
        against={kind: pattern(raw["against"][kind]) for kind in _KINDS},
        values=values,
        reach=_REACH[language],
    )


def _spelt(words: Iterable[str]) -> Iterator[str]:
    """Patterns, longest first; Latin words with word boundaries."""
    for word in sorted(words, key=len, reverse=True):
        left = r"(?<![a-z])" if word[0].isascii() and word[0].isalpha() else ""
        right = r"(?![a-z])" if word[-1].isascii() and word[-1].isalpha() else ""
        yield f"{left}{re.escape(word)}{right}"
