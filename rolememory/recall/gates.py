"""Eligibility of memories: a table of filters ("gates"), in order.

A gate checks one memory in one turn and returns None (open) or a `Reason`. Explanations show the first closed gate, so
the order is visible to users.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import compress

from rolememory.recall.active_set import (
    EVERYTHING,
    Visibility,
    counts,
    is_later,
    last,
)
from rolememory.schema.evidence import Change, Reason
from rolememory.schema.memory import MemoriesById, Memory
from rolememory.schema.passage import Passage
from rolememory.schema.settings import RecallSettings
from rolememory.schema.value_class import value_class
from rolememory.text.arrays import Mask
from rolememory.text.cancellation import cancellable
from rolememory.text.intent import technical
from rolememory.triggers.table import SOURCES, Among, Table


@value_class
class Asker:
    """The input of gates besides the memory: user, time, rules."""

    user: str | None
    now: datetime
    rules: RecallSettings
    superseded: Mapping[str, str]  # id of an outdated memory -> id of the one that replaced it
    visibility: Visibility = (
        EVERYTHING  # which messages stand, as seen from this chat, and were heard by all who read
    )
    aside: bool = True  # asks out of character, or searches

    def is_only(self, user: str) -> bool:
        """Whether only this user reads the reply."""
        readers = self.visibility.readers
        return self.user == user if readers is None else readers.are(user)


@value_class
class MemoryGate:
    """One filter; `remedy` is the smallest change of the memory or a setting that opens it."""

    name: str
    closed: Callable[[Memory, Asker], Reason | None]
    remedy: Callable[[Memory, Asker], Change | None]


def _archived(memory: Memory, _: Asker) -> Reason | None:
    return Reason("archived") if memory.archived else None


def _withdrawn(memory: Memory, asker: Asker) -> Reason | None:
    stands = counts(memory, asker.visibility) and not is_later(memory, asker.visibility)
    return None if stands else Reason("withdrawn")


def _superseded(memory: Memory, asker: Asker) -> Reason | None:
    by = asker.superseded.get(memory.id)
    return Reason("superseded", (("by", by),)) if by else None


def _expired(memory: Memory, asker: Asker) -> Reason | None:
    over = memory.expires is not None and memory.expires <= asker.now
    return Reason("expired", (("at", str(memory.expires)),)) if over else None


def _other_user(memory: Memory, asker: Asker) -> Reason | None:
    foreign = (
        memory.user is not None
        and not any(map(asker.visibility.knows, memory.evidence))  # there presence has decided
        and not asker.is_only(memory.user)
    )
    return (
        Reason("other_user") if foreign else None
    )  # whose it is stays unsaid: that alone may be private


def _aside(memory: Memory, asker: Asker) -> Reason | None:
    story = asker.aside or not (isinstance(memory, Passage) and memory.ooc)
    return None if story else Reason("out_of_character")


def _source(memory: Memory, asker: Asker) -> Reason | None:
    if isinstance(memory, Passage):
        wanted = asker.rules.passages.recall in ("all", memory.role)
    else:
        wanted = memory.source in asker.rules.sources
    return None if wanted else Reason("source", (("source", memory.source.value),))


def _tag(memory: Memory, asker: Asker) -> Reason | None:
    wanted = asker.rules.tags
    return (
        None
        if not wanted or set(wanted) & set(memory.tags)
        else Reason("tag", (("wanted", ", ".join(wanted)),))
    )


def _excluded_tag(memory: Memory, asker: Asker) -> Reason | None:
    unwanted = [tag for tag in memory.tags if tag in asker.rules.exclude_tags]
    return Reason("excluded_tag", (("tag", unwanted[0]),)) if unwanted else None


def _drop_superseder(memory: Memory, asker: Asker) -> Change:
    return Change("memory", "archived", True, entry_id=asker.superseded[memory.id])


def _allow_source(memory: Memory, asker: Asker) -> Change:
    if isinstance(memory, Passage):
        return Change("settings", "recall.passages.recall", "all")
    return Change(
        "settings",
        "recall.sources",
        (*(source.value for source in asker.rules.sources), memory.source.value),
    )


def _without_unwanted(memory: Memory, asker: Asker) -> Change:
    return Change(
        "memory", "tags", tuple(tag for tag in memory.tags if tag not in asker.rules.exclude_tags)
    )


GATES: tuple[MemoryGate, ...] = (
    MemoryGate("archived", _archived, lambda m, a: Change("memory", "archived", False)),
    MemoryGate("withdrawn", _withdrawn, lambda m, a: Change("memory", "evidence", ())),
    MemoryGate("superseded", _superseded, _drop_superseder),
    MemoryGate("expired", _expired, lambda m, a: Change("memory", "expires", None)),
    MemoryGate("other_user", _other_user, lambda m, a: Change("memory", "user", None)),
    MemoryGate("out_of_character", _aside, lambda m, a: None),
    MemoryGate("source", _source, _allow_source),
    MemoryGate("tag", _tag, lambda m, a: Change("memory", "tags", (*m.tags, a.rules.tags[0]))),
    MemoryGate("excluded_tag", _excluded_tag, _without_unwanted),
)


def first_closed(memory: Memory, asker: Asker) -> tuple[MemoryGate, Reason] | None:
    """The first closed gate for this memory, with its reason; None if it is eligible."""
    for gate in GATES:
        if reason := gate.closed(memory, asker):
            return gate, reason
    return None


def eligible(memories: Iterable[Memory], asker: Asker) -> frozenset[str]:
    """The ids of eligible memories."""
    return frozenset(one.id for one in cancellable(memories) if first_closed(one, asker) is None)


def eligible_rows(table: Table, asker: Asker) -> "tuple[Mask, list[str]]":
    """Mask of eligible rows among ungated memories, (n_rows,), and the ids that must be checked one by one."""
    import numpy as np

    ungated, rules = table.ungated.values, asker.rules
    sources = np.isin(table.source.values, [SOURCES[one] for one in rules.sources])
    special = compress(table.row_of, (~ungated[table.rows]).tolist())
    replaced = (one for one in asker.superseded if one in table.row_of)
    return ungated & sources & (not rules.tags), [*special, *replaced]


def heirs(memories: MemoriesById, asker: Asker, heard: Collection[str]) -> Mapping[str, str]:
    """Replaced memory -> its final replacement, if both are otherwise eligible.

    Cost: O(replaced), all gates for each.
    """
    found: dict[str, str] = {}
    as_before = replace(asker, superseded={})
    for old in asker.superseded:
        memory, new = memories.get(old), last(old, asker.superseded)
        if memory and new != old and new in heard and first_closed(memory, as_before) is None:
            found[old] = new
    return found


def inherited(memories: MemoriesById, asker: Asker, heard: Collection[str]) -> Mapping[str, str]:
    """`heirs`, cached on the audience, which is the same object while nothing changes."""
    if not asker.superseded:
        return {}
    if not isinstance(heard, Among):
        return heirs(memories, asker, heard)
    if heard.heirs is None:
        heard.heirs = heirs(memories, asker, heard)
    return heard.heirs


def unchanged_between(
    memories: Iterable[Memory], now: datetime
) -> tuple[datetime | None, datetime | None]:
    """The last expiry before `now` and the next one after: between them, results of `eligible` stay valid."""
    moments = [memory.expires for memory in memories if memory.expires]
    past, future = [at for at in moments if at <= now], [at for at in moments if at > now]
    return max(past, default=None), min(future, default=None)


def turn_gate(
    query: str, before: int, rules: RecallSettings, *, off: bool = False
) -> tuple[Reason, Change] | None:
    """Why recall is skipped on this turn, and what would change it, else None. Source: S4.8, S4.20.

    `before`: how many messages of the chat precede this one; `off`: somebody said that nothing is recalled in this chat.
    """
    length, given = len(query.strip()), rules.long_term_trigger == "always"
    gates = (
        (not rules.enabled, Reason("disabled"), "recall.enabled", True),
        (off, Reason("chat_off"), "mode", "on"),
        (not rules.auto, Reason("disabled"), "recall.auto", True),
        (
            rules.first_round_empty and before == 0,
            Reason("first_round"),
            "recall.first_round_empty",
            False,
        ),
        (
            length < rules.min_query_length,
            Reason("short_query", (("length", length),)),
            "recall.min_query_length",
            length,
        ),
        (
            not (given or _is_triggered(query, rules.long_term_keywords)),
            Reason("no_trigger_word"),
            "recall.long_term_trigger",
            "always",
        ),
    )
    for closed, why, field, value in gates:
        if closed:
            return why, Change("chat" if field == "mode" else "settings", field, value)
    return None


def _is_triggered(query: str, keywords: Collection[str]) -> bool:
    """Whether a message holds one of these words; none given: whether it asks about earlier talk."""
    said = query.casefold()
    named = any(word.casefold() in said for word in keywords)
    return named or (not keywords and technical(query))
