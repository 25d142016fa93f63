"""What is looked at when a lorebook of a stranger comes: keys that match everything, within the time that patterns may take."""

from rolememory.authoring.import_review import everywhere
from rolememory.cards.book import read_book
from rolememory.schema.lorebook import BookSource, Lorebook
from rolememory.schema.settings import ScanSettings

SLOW = (r"/(?:\w+\W*)+Z(?=\d)/", r"/^(\w+\s?)*$(?!x)/", r"/(.+)+\1!/")


def book(*keys: str) -> Lorebook:
    entries = {
        str(uid): {"uid": uid, "key": [key], "content": "Hm."} for uid, key in enumerate(keys)
    }
    return read_book({"entries": entries}, "coast", BookSource.GLOBAL)


def test_keys_that_match_everything_are_found_among_them() -> None:
    found = everywhere([book("/.*/", "lamp", *SLOW)], ScanSettings())
    assert [one.key for one in found] == ["/.*/"]
