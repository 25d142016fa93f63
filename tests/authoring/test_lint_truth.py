"""What lint says can never fire does not fire, in no random world; and lint survives all of them."""

from typing import Any

import pytest

from rolememory.authoring.lint.check import check
from rolememory.authoring.lint.words import severity
from rolememory.recall.lore.scan import scan
from rolememory.schema.message import Message
from rolememory.schema.role import Character
from rolememory.schema.settings import ScanSettings
from rolememory.text.embed.base import everyday_sentences
from tests.authoring.books import written
from tests.recall.lore.worlds import TEXTS, world

NEVER = {
    "no_keys", "only_secondary", "no_key_works", "luckless", "no_probability", "blind", "for_nobody", "no_known_trigger",
    "forbidden", "waits_excluded", "waits_in_vain", "too_dear", "contradiction",
}  # fmt: skip
SEEDS = range(120)


def shut_out(raw: dict[str, Any], settings: ScanSettings) -> set[str]:
    return {one.entry for one in check(written(raw), settings) if one.code in NEVER}


@pytest.mark.parametrize("rules", ["default", "sillytavern"])
def test_what_can_never_fire_does_not(rules: str) -> None:
    told = 0
    for seed in SEEDS:
        raw = {key: value for key, value in world(seed)["books"][0].items() if key != "source"}
        settings = ScanSettings(rules=rules, scan_depth=seed % 4, recursive=seed % 3 > 0)
        never = shut_out(raw, settings)
        told += len(never)
        for start in range(0, len(TEXTS), 3):
            said = [*TEXTS[start:], *TEXTS[:start]]
            given = scan(
                written(raw).book,
                said,
                settings=settings,
                card=Character(name="Mira", user="Ann", file="mira", tags=("t1",)),
                chance=seed + 1,
            )
            assert never.isdisjoint(one.entry.id for one in given.awake), (seed, start)
    assert told > 100  # the worlds do have such entries


ANYTHING = [
    "", " ", "\u3000", "the", "a", "e", "的", "了", "。", ".", ":", "Lin:", "{{random::the::a}}",
    "/./", "/.*/", "/.+/", "/.?/", "/(?:)/", "/^/", "/$/", "/^/m", "/$/m", "/\\b/", "/\\B/", "/\\w/", "/\\w+/", "/\\W/", "/\\s/", "/\\S/", "/\\S+/", "/\\D/",
    "/[^]/", "/[\\s\\S]/", "/[\\s\\S]*/", "/[a-z]/", "/[a-z]/i", "/[a-zA-Z]+/", "/[aeiou]/", "/[^x]/", "/[^\\n]+/", "/x*/", "/x?/", "/x{0,3}/", "/|x/", "/x|/",
    "/x||y/", "/(x|)/", "/(?=.)/", "/(?!x)/", "/(?!)|./", "/(?<!x)/", "/(?<=.)./", "/.{1,}/", "/.{3,}/s", "/.*?/", "/.+?/s", "/()/", "/[\\u0000-\\uffff]/",
    "/\\p{L}/u", "/\\p{Letter}+/u", "/\\P{N}/u", "/\\p{Script=Han}/u", "/[一-龥]/", "/[\\u4e00-\\u9fff]+/", "/[，。！？,.!?]/", "/[.。]/", "/[.。]$/m", "/e|a|i/",
    "/\\x01/", "/\\x01./", "/^\\x01/", "/^.*$/m", "/^.+/s", "/\\x01\\w+: /", "/: /", "/:/", "/\\w{2,}/", "/ /", "/\\s+\\w/", "/[a-z]{2}/", "/(\\w)/", "/(?<n>.)/",
    "/(a|e|i|o|u|的|了|是)/", "/.{0,}/", "/(?:.|\\n)+/", "/[^a]/i", "/[\\w\\W]/", "/\\w|[一-龥]/u", "/t|o|n/i",
]  # fmt: skip


@pytest.mark.parametrize("rules", ["default", "sillytavern"])
@pytest.mark.parametrize("key", ANYTHING)
def test_a_key_that_fires_on_everything_is_told(rules: str, key: str) -> None:
    raw = {"entries": {"0": {"uid": 0, "key": [key, "beacon"], "content": "It is dark."}}}
    settings, book = ScanSettings(rules=rules, scan_depth=1), written(raw)
    shares = [
        sum(
            bool(
                scan(
                    book.book, [Message(role="user", name="Lin", content=one)], settings=settings
                ).awake
            )
            for one in sentences
        )
        / len(sentences)
        for sentences in everyday_sentences().values()
    ]
    codes = {one.code for one in check(book, settings)}
    assert (max(shares) >= 0.9) <= bool(codes & {"broad_key", "blank_key", "empty_pattern"}), shares


def test_every_finding_of_a_random_world_has_its_words() -> None:
    for seed in SEEDS:
        for book in world(seed)["books"]:
            raw = {key: value for key, value in book.items() if key != "source"}
            assert all(
                severity(one) for one in check(written(raw), ScanSettings(rules="sillytavern"))
            )
