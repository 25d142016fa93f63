"""The user's preferences for replies, extracted by rules from memories and messages, as lines for the prompt.

The words are in worldbook_rules/lexicons/preference.{zh,en}.json. Of two that conflict the newer wins and a note names the
older; negated ones ("not too long", "别太简短") are ignored.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from itertools import chain
from typing import Literal

from rolememory.inject.environment import Templates
from rolememory.locales import LocalizedNote, LocalizedText, translatable, translated
from rolememory.schema.json_types import JsonObject
from rolememory.schema.memory import Memory, MemoryType
from rolememory.schema.scene import Language
from rolememory.schema.value_class import value_class
from rolememory.shipped import lexicon
from rolememory.text.names import USER_WORDS

Kind = Literal["technical_depth", "language", "response_length", "code_style"]
Where = Literal["tagged", "memory", "message"]
"""Where a preference stands: the less it must be one, the more has to stand beside it."""
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
    beside: Mapping[Where, Mapping[Kind, re.Pattern[str]]]  # required in the clause of a value
    against: Mapping[str, re.Pattern[str]]
    values: Mapping[str, Sequence[tuple[str, re.Pattern[str]]]]
    reach: int


def preferences(
    memories: Iterable[Memory], user: str = "", messages: Iterable[Utterance] = ()
) -> Preferences:
    """The preferences of the user of this name, from memories (without archived ones and those about others) and messages."""
    found = [
        *((one.since, one.id, _in_memory(one)) for one in memories if _of_user(one, user)),
        *((one.at, one.id, preferences_in(one.text, "message")) for one in messages),
    ]
    found.sort(key=lambda one: (one[0] or _EARLIEST, one[1]))
    known, overruled = dict[Kind, Preference](), dict[Kind, str]()
    for _, source, values in found:
        for kind, value in values.items():
            older = known.get(kind)
            if older and older.value != value:
                overruled[kind] = LocalizedNote(
                    LocalizedText(
                        "{kind}: {older!r} gives way to the newer {newer!r}",
                        kind=kind,
                        older=older.source,
                        newer=source,
                    )
                )
            known[kind] = Preference(kind, value, source)
    wishes = tuple(filter(None, map(known.get, _KINDS)))
    return Preferences(wishes, tuple(overruled.values()))


def _in_memory(memory: Memory) -> Mapping[Kind, str]:
    tagged = not _PREFERENCE_TAGS.isdisjoint(memory.tags)
    return preferences_in(memory.content, "tagged" if tagged else "memory")


@lru_cache(maxsize=65_536)
def preferences_in(text: str, where: Where) -> Mapping[Kind, str]:
    """The preferences in a text, at most one of a kind, the last one; in a message only lasting ones about replies.

    >>> preferences_in("Keep your answers short, please. I like long walks.", "message")
    {'response_length': 'concise'}
    """
    found: dict[Kind, str] = {}
    for language in _LANGUAGES:
        words = _words(language)
        for clause in words.ends.split(text.lower().replace("’", "'")):
            for kind in _KINDS:
                if value := _value(clause, kind, words, words.beside[where][kind]):
                    found[kind] = value
    return found


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


def _value(clause: str, kind: Kind, words: _PersonaLexicon, beside: re.Pattern[str]) -> str:
    """The value of that kind in a clause, or ""; the longest match wins, so that "no comments" is not "comments"."""
    if words.against[kind].search(clause) or not beside.search(clause):
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
    raw: JsonObject = lexicon(f"preference.{language}")

    def pattern(words: Iterable[str]) -> re.Pattern[str]:
        return re.compile("|".join(_spelt(words)) or r"(?!)")

    values = {
        kind: [(value, pattern(words)) for value, words in table.items()]
        for kind, table in raw["values"].items()
    }
    values["language"] = [(code, pattern(words)) for code, words in raw["languages"].items()]
    languages = [word for words in raw["languages"].values() for word in words]

    def beside(words: Iterable[str]) -> re.Pattern[str]:
        named = ([word.replace("{language}", one) for one in languages] for word in words)
        return pattern(dict.fromkeys(chain.from_iterable(named)))

    return _PersonaLexicon(
        ends=re.compile(f"[{re.escape(raw['clause_ends'])}]"),
        negation=pattern(raw["negations"]),
        no_negation=pattern(raw["not_negations"]),
        beside={
            "tagged": dict.fromkeys(_KINDS, re.compile("")),
            "memory": {kind: beside(raw["context"][kind]) for kind in _KINDS},
            "message": {
                kind: pattern(raw["spoken"].get(kind, raw["context"][kind])) for kind in _KINDS
            },
        },
        against={kind: pattern(raw["against"][kind]) for kind in _KINDS},
        values=values,
        reach=_REACH[language],
    )


def _spelt(words: Iterable[str]) -> Iterator[str]:
    """Patterns, longest first; Latin words with word boundaries; ^ stands for the start of a clause."""
    for word in sorted(words, key=len, reverse=True):
        plain = word.removeprefix("^")
        left = r"(?<![a-z])" if plain[0].isascii() and plain[0].isalpha() else ""
        right = r"(?![a-z])" if plain[-1].isascii() and plain[-1].isalpha() else ""
        yield (left if plain == word else r"^\W*") + re.escape(plain) + right
