"""Rules for fields and decorators unknown to the format or its activation rules."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from rapidfuzz import process

from rolememory.authoring.lint.finding import Findings, of, of_book
from rolememory.authoring.lint.subject import Subject, each_entry
from rolememory.cards.sillytavern import NEW_ENTRY
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
    """Fields with a nearly known name, which have no effect."""
    known = {"sillytavern": _WORLD_FIELDS, "character_book": _CARD_FIELDS}.get(subject.book.format)
    if known is None:
        return
    for lore, raw in _raw_entries(subject):
        for field in raw:
            near = (
                None
                if field in known
                else process.extractOne(field, sorted(known), score_cutoff=85)
            )
            if near:
                yield of(lore, "misspelled", field, field=field, near=near[0])


def _raw_entries(subject: Subject) -> Iterator[tuple[Lore, Mapping[str, Any]]]:
    """Each entry with its object in the file."""
    book: Any = subject.book.raw
    book = book["data"] if isinstance(book.get("data"), Mapping) else book
    entries = book.get("entries")
    listed = list(entries.values()) if isinstance(entries, Mapping) else list(entries or ())
    if len(listed) == len(subject.entries) and subject.book.format == "character_book":
        yield from (
            (lore, raw)
            for lore, raw in zip(subject.entries, listed, strict=True)
            if isinstance(raw, Mapping)
        )
    else:
        yield from ((lore, lore.entry.raw) for lore in subject.entries)


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
