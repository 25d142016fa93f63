"""Rules for fields and decorators unknown to the format or its activation rules."""

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import Any

from rolememory.authoring.lint.finding import Findings, of, of_book
from rolememory.authoring.lint.subject import Subject, each_entry
from rolememory.cards.character_book import CARD_NAMES, world_entry
from rolememory.cards.sillytavern import FIELD_NAMES, NEW_ENTRY, listed_entries
from rolememory.errors import misspelt
from rolememory.recall.lore.index import Lore
from rolememory.text.decorators import KNOWN, read_card, split

_WORLD_FIELDS = frozenset(NEW_ENTRY) | {
    "uid",
    "displayIndex",
    "characterFilter",
    "extensions",
    "hash",
    "decorators",
    "world",
    "addMemo",
}
_CARD_FIELDS = frozenset(
    "keys content extensions enabled insertion_order case_sensitive use_regex constant name comment id priority selective"
    " secondary_keys position".split()
)
_KNOWN: Mapping[str, tuple[frozenset[str], Mapping[str, str]]] = {
    "sillytavern": (_WORLD_FIELDS, FIELD_NAMES),
    "character_book": (_CARD_FIELDS, CARD_NAMES),
}
"""The fields of each format, and what it calls those of the other."""
_READ_BY_SILLYTAVERN = ("@@activate", "@@dont_activate")


def same_ids(subject: Subject) -> Findings:
    """Two entries with one id: by exact rules one hides the other."""
    ids = Counter(str(lore.entry.raw.get("uid", lore.entry.id)) for lore in subject.entries)
    for lore in subject.entries:
        own = str(lore.entry.raw.get("uid", lore.entry.id))
        if ids[own] > 1 and lore.entry.id != own:
            yield of(lore, "lost_id" if subject.exact else "same_id", "id", id=own)
    yield from (of_book("doubled_name", name, name=name) for name in subject.file.doubled)


def misspelled(subject: Subject) -> Findings:
    """Fields with a nearly known name, or with that of the other format; they have no effect."""
    known, other = _KNOWN.get(subject.book.format, (frozenset(), {}))
    for lore, raw in _raw_entries(subject) if known else ():
        for field in sorted(raw.keys() - known):
            near = other.get(field) or misspelt(field, sorted(known), most=2)
            if near:
                yield of(lore, "misspelled", field, field=field, near=near)


def _raw_entries(subject: Subject) -> Iterator[tuple[Lore, Mapping[str, Any]]]:
    """Each entry with its object in the file; entries that could not be read are skipped."""
    if subject.book.format != "character_book":
        yield from ((lore, lore.entry.raw) for lore in subject.entries)
        return
    book: Any = subject.book.raw
    book = book["data"] if isinstance(book.get("data"), Mapping) else book
    waiting = deque(subject.entries)
    for at, (_, one) in enumerate(listed_entries(book.get("entries"))):
        if waiting and isinstance(one, Mapping) and world_entry(one, at) == waiting[0].entry.raw:
            yield waiting.popleft(), one


@each_entry
def decorators(subject: Subject, lore: Lore) -> Findings:
    """Decorator lines without effect."""
    head, _ = split(lore.entry.content.lstrip("\r\n"))
    lines = [line.rstrip() for line in head]
    if lines and subject.file.spec == "chara_card_v2":
        yield of(lore, "v2_decorator", "content", line=lines[0])
    for at, line in enumerate(lines):
        code = _idle_there(line) if subject.exact else _idle_here(lines, at)
        if code:
            yield of(lore, code, "content", line=line, name=line.lstrip("@").partition(" ")[0])


def _idle_there(line: str) -> str:
    return "" if line in _READ_BY_SILLYTAVERN or line.startswith("@@@") else "idle_decorator"


def _idle_here(lines: list[str], at: int) -> str:
    """Whether a line has an effect alone; one with a fallback below it may be unknown on purpose."""
    line = lines[at]
    if line.startswith("@@@") or (at + 1 < len(lines) and lines[at + 1].startswith("@@@")):
        return ""
    name = line.lstrip("@").partition(" ")[0]
    if name not in KNOWN:
        return "unknown_decorator"
    asked, _ = read_card(line + "\nx")
    tokens_only = name.startswith("instruct_") or name == "reverse_instruct_depth"
    return "" if tokens_only or asked != read_card("x")[0] else "decorator_value"


@each_entry
def lost_in_entries(subject: Subject, lore: Lore) -> Findings:
    """Fields of a card's entry that SillyTavern does not import."""
    lost = [name for name in ("priority", "use_regex") if getattr(lore.entry, name)]
    if lost and subject.exact:
        yield of(lore, "lost_field", lost[0], fields=", ".join(lost))


def lost_in_book(subject: Subject) -> Findings:
    """Fields of a card's book that SillyTavern does not import."""
    fields = ("scan_depth", "token_budget", "recursive_scanning")
    lost = [name for name in fields if getattr(subject.book, name) is not None]
    if lost and subject.exact:
        yield of_book("lost_field", lost[0], fields=", ".join(lost))


RULES = (same_ids, misspelled, decorators, lost_in_entries, lost_in_book)
