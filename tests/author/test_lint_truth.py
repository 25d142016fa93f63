"""What lint says can never fire does not fire, in no random world; and lint survives all of them."""

from typing import Any

import pytest

from rolememory.author.lint.check import check
from rolememory.author.lint.words import severity
from rolememory.recall.lore.scan import scan
from rolememory.schema.role import Character
from rolememory.schema.settings import ScanSettings
from tests.author.books import written
from tests.recall.lore.worlds import TEXTS, world

NEVER = {
    "disabled", "no_keys", "only_secondary", "no_key_works", "luckless", "no_probability", "blind", "for_nobody", "no_known_trigger",
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


def test_every_finding_of_a_random_world_has_its_words() -> None:
    for seed in SEEDS:
        for book in world(seed)["books"]:
            raw = {key: value for key, value in book.items() if key != "source"}
            assert all(
                severity(one) for one in check(written(raw), ScanSettings(rules="sillytavern"))
            )
