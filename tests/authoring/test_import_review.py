"""What is looked at when a lorebook of a stranger comes: keys that match everything, within the time that patterns may take."""

from itertools import count

from rolememory.authoring.import_review import everywhere
from rolememory.cards.book import read_book
from rolememory.schema.lorebook import BookSource, Lorebook
from rolememory.schema.settings import ScanSettings
from tests.text.prose import dearer

SLOW = (r"/(?:\w+\W*)+Z(?=\d)/", r"/^(\w+\s?)*$(?!x)/", r"/(.+)+\1!/")


def book(*keys: str) -> Lorebook:
    entries = {
        str(uid): {"uid": uid, "key": [key], "content": "Hm."} for uid, key in enumerate(keys)
    }
    return read_book({"entries": entries}, "coast", BookSource.GLOBAL)


def test_keys_that_match_everything_are_found_among_them() -> None:
    found = everywhere([book("/.*/", "lamp", *SLOW)], ScanSettings())
    assert [one.key for one in found] == ["/.*/"]


def test_so_are_letters_and_words_of_grammar() -> None:
    found = everywhere([book("e", "lamp", "The", "的", "灯", "it", "海港")], ScanSettings())
    assert [one.key for one in found] == ["e", "The", "的", "it"]


def test_ten_times_the_patterns_cost_ten_times_as_much() -> None:
    fresh = count()  # no pattern is met twice: what was compiled for one book helps no other

    def looked_at(most: int) -> None:
        slow = [key[:-1] + f"|{next(fresh)}/" for key in SLOW]
        everywhere([book(*(slow[at % 3] for at in range(most)))], ScanSettings())

    assert dearer(lambda: looked_at(1000), lambda: looked_at(100)) < 20
