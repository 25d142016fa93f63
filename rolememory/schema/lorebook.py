"""Lorebooks, their entries, and the timers of a chat. Field names are ours, whatever the file format."""

import json
from enum import StrEnum
from hashlib import blake2b
from typing import Literal

from pydantic import BaseModel, Field

from rolememory.locales import LocalizedText
from rolememory.schema.entry import Entry
from rolememory.schema.json_types import JsonMapping, JsonObject

Voice = Literal["system", "user", "assistant"]
Number = int | float


class BookSource(StrEnum):
    """The owner of a book: decides the order of scanning."""

    GLOBAL = "global"
    CHARACTER = "character"
    CHAT = "chat"
    PERSONA = "persona"


class LorePosition(StrEnum):
    """Where an entry's text goes."""

    BEFORE = "before"  # before the character's description
    AFTER = "after"
    NOTE_TOP = "an_top"  # above and below the author's note
    NOTE_BOTTOM = "an_bottom"
    DEPTH = "depth"  # `depth` messages from the end
    EXAMPLES_TOP = "em_top"
    EXAMPLES_BOTTOM = "em_bottom"
    OUTLET = "outlet"  # at {{outlet::name}} in the prompt
    PERSONALITY = "personality"  # beside that field of the card (decorator @@position)
    SCENARIO = "scenario"


class MatchSource(StrEnum):
    """Texts besides the chat that an entry may search, in scan order."""

    PERSONA = "persona"
    DESCRIPTION = "description"
    PERSONALITY = "personality"
    DEPTH_PROMPT = "depth_prompt"
    SCENARIO = "scenario"
    CREATOR_NOTES = "creator_notes"


class CharacterFilter(BaseModel, frozen=True):
    """The characters an entry is for: names are card file names without extension, tags are tag ids."""

    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    exclude: bool = False  # flips each of the two tests


class LoreEntry(Entry, extra="ignore"):
    """One entry of a lorebook. `id` is unique inside its book; unknown fields of the file stay in `raw`."""

    comment: str = ""  # its title in editors, never in a prompt
    enabled: bool = True
    selective: bool = True  # whether secondary keys are asked
    insertion_order: Number = 100  # higher = tried first for the budget, and placed later
    priority: Number | None = (
        None  # of cards: lower is dropped first; None = insertion_order decides
    )
    position: LorePosition | None = LorePosition.BEFORE  # None = the file names none
    depth: int | None = 4  # None = the file names none, which means 4
    role: Voice = "system"  # position depth: role of the message
    outlet: str = ""
    ignore_budget: bool = False
    exclude_recursion: bool = False
    prevent_recursion: bool = False
    delay_until_recursion: int = 0  # level; 0 = no
    probability: Number = 100  # percent
    use_probability: bool = True
    scan_depth: int | None = None  # None = the setting
    case_sensitive: bool | None = None
    match_whole_words: bool | None = None
    use_group_scoring: bool | None = None
    use_regex: bool | None = None  # of V3 cards: keys are patterns; None = a key in slashes is one
    match_sources: tuple[MatchSource, ...] = ()
    group: str = ""  # names, comma separated
    group_override: bool = False
    group_weight: Number = 100
    sticky: int = 0  # messages; 0 = no
    cooldown: int = 0
    delay: int = 0
    triggers: tuple[str, ...] = ()  # kinds of generation it is for; empty = all
    character_filter: CharacterFilter | None = None
    by_meaning: bool = False  # marked for activation by meaning
    card_case_sensitive: bool | None = None  # the card's own field, not its extension
    raw: JsonObject = Field({}, repr=False)  # as in the native world file

    def fingerprint(self, book: str) -> str:
        """A digest of all its fields."""
        said = self.raw or self.model_dump(mode="json", exclude={"raw"})
        told = json.dumps([book, said], ensure_ascii=False, sort_keys=True, default=str)
        return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class Lorebook(BaseModel, frozen=True, arbitrary_types_allowed=True):
    """A lorebook: its entries in file order, and its own fields. `raw` is the document it was read from."""

    name: str = ""
    source: BookSource = BookSource.GLOBAL
    entries: tuple[LoreEntry, ...] = ()
    description: str = ""
    scan_depth: int | None = None  # of cards; entries override it
    token_budget: int | None = None
    recursive_scanning: bool | None = None
    format: str = ""  # source format: "sillytavern", "character_book", "novelai", ...
    problems: tuple[LocalizedText, ...] = ()  # unreadable entries and fields, one line each
    raw: JsonObject = Field({}, repr=False)


class TimedEffect(BaseModel, frozen=True):
    """A running timer of an entry: start and end in numbers of visible messages."""

    book: str
    entry: str
    fingerprint: str
    start: int
    end: int | None = None  # None = for the rest of the chat
    protected: bool = False  # kept if the chat has not advanced

    @property
    def key(self) -> tuple[str, str]:
        """Book and id of its entry."""
        return self.book, self.entry


class TimedState(BaseModel, frozen=True):
    """All timers of one chat, stored as JSON."""

    sticky: tuple[TimedEffect, ...] = ()
    cooldown: tuple[TimedEffect, ...] = ()
    kept: tuple[TimedEffect, ...] = ()  # decorator @@keep_activate_after_match
    spent: tuple[TimedEffect, ...] = ()  # decorator @@dont_activate_after_match

    @classmethod
    def of(cls, raw: "TimedState | JsonMapping | None") -> "TimedState":
        """Read it from JSON; None gives no timers."""
        return raw if isinstance(raw, TimedState) else cls.model_validate(raw or {})


def lore_id(book: str, entry: str) -> str:
    """The id of an entry, unique among all books of a turn.

    >>> lore_id("harbour", "3")
    'harbour.3'
    """
    return f"{book}.{entry}" if book else entry
