"""The index: order of the list, edits, books met twice, sharing between turns."""

from rolememory.recall.lore.index import LoreIndex
from rolememory.recall.lore.scan import scan
from rolememory.schema.lorebook import BookSource, Lorebook
from rolememory.schema.role import Character
from rolememory.schema.settings import ScanSettings
from tests.recall.lore.books import awake, lore


def book(name: str, source: str, *entries: object) -> Lorebook:
    return Lorebook(name=name, source=BookSource(source), entries=entries)


def test_the_list_goes_chat_persona_then_by_strategy() -> None:
    books = [
        book(source, source, lore(source)) for source in ("global", "character", "persona", "chat")
    ]
    settings = ScanSettings(insertion_strategy="global_first")
    assert [one.book.name for one in LoreIndex(books, settings).entries] == [
        "chat",
        "persona",
        "global",
        "character",
    ]


def test_a_book_met_twice_is_read_once() -> None:
    books = [
        book("b", "character", lore("x")),
        book("b", "global", lore("y")),
        book("", "chat", lore("z")),
        book("", "chat", lore("w")),
    ]
    assert [one.entry.id for one in LoreIndex(books).entries] == ["z", "w", "y"]


def test_an_edited_index_answers_as_a_new_one() -> None:
    old = book("b", "global", lore("a", "beacon"), lore("b", "lamp"), lore("c", "/oil/"))
    new = book("b", "global", old.entries[0], lore("b", "wick"), old.entries[2])
    edited, fresh = LoreIndex([old]).updated([new]), LoreIndex([new])
    for text in ("beacon", "lamp", "wick", "oil", "beacon and wick"):
        assert awake(scan(edited, [text])) == awake(scan(fresh, [text]))
    assert set(edited.keys) == set(fresh.keys)
    assert (
        edited.entries[0].keys is LoreIndex([old]).entries[0].keys
        or edited.entries[0].entry is old.entries[0]
    )


def test_one_index_serves_many_speakers() -> None:
    index = LoreIndex([book("b", "global", lore("a", "{{char}}"), lore("b", "beacon"))])
    for name in ("Mira", "Asha", "Mira"):
        given = scan(index, [f"Hello {name}"], card=Character(name=name))
        assert awake(given) == ["a"]
    assert awake(scan(index, ["Hello Mira"], card=Character(name="Asha"))) == []


def test_a_scan_leaves_the_index_as_it_is() -> None:
    index = LoreIndex([book("b", "global", lore("a", "beacon", content="oil"), lore("b", "oil"))])
    first = scan(index, ["beacon"])
    assert awake(scan(index, ["hm"])) == []
    assert awake(scan(index, ["beacon"])) == awake(first) == ["a", "b"]
