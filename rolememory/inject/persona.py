"""How the user likes to be answered: read by rules from memories and from what they said, told in a few lines.

The words stand in worldbook_rules/lexicons/preference.{zh,en}.json. Of two memories that differ, the newer wins and the
older is named; what was negated ("not too long", "别太简短") does not count.
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
_UNSAID = frozenset({"intermediate", "balanced", "documented"})  # the model's own manner
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_PREFERENCE_TAGS = frozenset({"preference", "偏好"})
_REACH: Mapping[Language, int] = {
    "zh": 4,
    "en": 24,
}  # characters a negation may stand before its word
_NAMES = translatable(
    {
        "zh": "Chinese", "en": "English", "ja": "Japanese", "ko": "Korean", "fr": "French", "de": "German", "es": "Spanish",
        "ru": "Russian", "it": "Italian", "pt": "Portuguese", "yue": "Cantonese",
    },
    "language",
)  # fmt: skip


@value_class
class Utterance:
    """Something that the user said: the id of its passage, its words, when."""

    id: str
    text: str
    at: datetime | None = None


@value_class
class Preference:
    """One wish: its kind, its value (a language as its code), and the memory or passage it was read from."""

    type: Kind
    value: str
    source: str


@value_class
class Preferences:
    """What counts, one of each kind, and what each overruled last, as notes."""

    wishes: tuple[Preference, ...] = ()
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to say."""
        return any(wish.value not in _UNSAID for wish in self.wishes)


@value_class
class _PersonaLexicon:
    """The lexicon of one language, as patterns."""

    ends: re.Pattern[str]
    negation: re.Pattern[str]
    no_negation: re.Pattern[str]
    context: Mapping[str, re.Pattern[str]]  # one of these beside a value, in a memory
    spoken: Mapping[str, re.Pattern[str]]  # the same in what a user says, who speaks of much else
    against: Mapping[str, re.Pattern[str]]
    values: Mapping[str, Sequence[tuple[str, re.Pattern[str]]]]
    reach: int


def preferences(
    memories: Iterable[Memory], user: str = "", said: Iterable[Utterance] = ()
) -> Preferences:
    """How to answer the user (by this name): from memories, archived ones and those about others left out, and from their own words."""
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
    """The wishes in one memory, at most one of a kind; the last one said counts."""
    told = bool(_PREFERENCE_TAGS & set(memory.tags))
    return _found(
        memory.content, memory.id, lambda words, kind: None if told else words.context[kind]
    )


def wishes_in(said: Utterance) -> list[Preference]:
    """The lasting wishes in what a user said: how to answer, not what to do now.

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
    """The lines for the prompt; empty when there is nothing to say."""
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
    """The value of that kind a clause asks for; the longest word wins, so that "no comments" is not "comments"."""
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
    """Whether a negation stands shortly before the word."""
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
    """Longest first; Latin words stand alone."""
    for word in sorted(words, key=len, reverse=True):
        left = r"(?<![a-z])" if word[0].isascii() and word[0].isalpha() else ""
        right = r"(?![a-z])" if word[-1].isascii() and word[-1].isalpha() else ""
        yield f"{left}{re.escape(word)}{right}"
