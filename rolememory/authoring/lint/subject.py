"""The input of lint rules: a book, prepared once."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import chain

from rolememory.authoring.books import BookFile
from rolememory.authoring.lint.finding import Findings
from rolememory.recall.lore.groups import group_names
from rolememory.recall.lore.index import Lore, LoreIndex
from rolememory.recall.lore.keys import START, KeyKind, LoreKey
from rolememory.recall.lore.rules import LoreRules
from rolememory.recall.lore.token_budget import lore_budget
from rolememory.schema.json_types import list_of, object_of
from rolememory.schema.lorebook import Lorebook
from rolememory.schema.role import Character
from rolememory.schema.settings import LengthSettings, ScanSettings
from rolememory.text.embed.base import everyday_sentences
from rolememory.text.keys import KeySpec
from rolememory.text.lengths import counter_for
from rolememory.text.macros import Macros, for_character

PATTERN_S = 0.05  # seconds per pattern search


@dataclass(frozen=True, eq=False)
class Subject:
    """A book under these settings."""

    file: BookFile
    settings: ScanSettings
    character: Character
    tokens: Callable[[str], int]

    @classmethod
    def of(cls, file: BookFile, settings: ScanSettings | None = None) -> "Subject":
        """Prepare with product defaults; a card provides its character."""
        known = {} if "entries" in file.raw else object_of(file.raw.get("data"))
        who = Character(name=str(known.get("name") or ""), tags=tuple(list_of(known.get("tags"))))
        count = counter_for("tokens", LengthSettings())
        return cls(file, settings or ScanSettings(), who, count)

    @property
    def book(self) -> Lorebook:
        """The book."""
        return self.file.book

    @property
    def rules(self) -> LoreRules:
        """The activation rules."""
        return self.index.rules

    @property
    def exact(self) -> bool:
        """Whether these are SillyTavern's rules."""
        return self.rules.name == "sillytavern"

    @cached_property
    def macros(self) -> Macros:
        """Expands macros; unknown names are unchanged."""
        who = self.character
        named = Character(
            name=who.name or "{{char}}",
            user=who.user if who.user != "User" else "{{user}}",
            tags=who.tags,
        )
        return for_character(named, card_macros=self.settings.rules != "sillytavern")

    @cached_property
    def index(self) -> LoreIndex:
        """The indexed entries, macros in keys expanded."""
        made = LoreIndex([self.book], self.settings)
        return made.speaking(for_character(self.character, card_macros=made.rules.card_macros))

    @cached_property
    def entries(self) -> tuple[Lore, ...]:
        """Every entry, in the order of the file."""
        prepared = {lore.entry.id: lore for lore in self.index.entries}
        return tuple(prepared[entry.id] for entry in self.book.entries)

    @cached_property
    def living(self) -> tuple[Lore, ...]:
        """The enabled entries."""
        return tuple(lore for lore in self.entries if lore.entry.enabled)

    @cached_property
    def budget(self) -> int:
        """The token budget of lore."""
        return lore_budget(self.settings, self.settings.context_tokens)

    @cached_property
    def costs(self) -> Mapping[str, int]:
        """Tokens of each entry's text, by id."""
        return {
            lore.entry.id: self.tokens(self.macros.expand(lore.content)) for lore in self.entries
        }

    @cached_property
    def everyday(self) -> tuple[tuple[tuple[str, Collection[KeySpec]], ...], ...]:
        """Everyday sentences in scan form, each with the plain keys in it, by language."""
        name = "Lin: " if self.settings.include_names else ""
        return tuple(
            tuple((text := f"{START}{name}{one}", self.index.keys.read(text)) for one in sentences)
            for sentences in everyday_sentences().values()
        )

    def is_woken(self, lore: Lore) -> bool:
        """Whether it fires without keys: constant, or activated by a decorator."""
        return lore.constant or lore.asked.activate

    def keys_in(self, text: str, among: tuple[LoreKey, ...]) -> Iterator[LoreKey]:
        """Those of these keys that a scan would find in the text."""
        found = self.index.keys.read(text)
        for key in among:
            if (key.kind is KeyKind.PLAIN and key.spec in found) or (
                key.pattern is not None and fits(key, text)
            ):
                yield key


Rule = Callable[[Subject], Findings]


def each_entry(rule: Callable[[Subject, Lore], Findings]) -> Rule:
    """A rule about single entries, applied to every enabled one."""

    @wraps(rule)
    def asked(subject: Subject) -> Findings:
        return chain.from_iterable(rule(subject, lore) for lore in subject.living)

    return asked


def rivals(one: Lore, other: Lore) -> bool:
    """Whether they share a group, of which one is selected."""
    groups = [
        group_names(lore.entry.group, exact=False) for lore in (one, other) if lore.entry.group
    ]
    return len(groups) == 2 and not set(groups[0]).isdisjoint(groups[1])


def fits(key: LoreKey, text: str) -> bool:
    """Whether a pattern matches a text, within the time limit."""
    try:
        return key.pattern is not None and key.pattern.search(text, timeout_s=PATTERN_S) is not None
    except TimeoutError:
        return False
