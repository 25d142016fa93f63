"""Asides, jokes, hypotheses, others' words, moods of the moment: what a player writes and what states nothing of anybody for good."""

import json
from pathlib import Path

import pytest

from rolememory.learn.statements import Speaker, claims
from rolememory.schema.claims import ROLE, USER

PLAYER = Speaker(USER, ROLE, shown={USER: "Lin", ROLE: "Mira"})
TABLES = {
    name: json.loads((Path(__file__).parent / f"{name}_nothing.json").read_text("utf-8"))
    for name in ("english", "chinese")
}


@pytest.mark.parametrize("says", [says for table in TABLES.values() for says in table])
def test_nothing_is_claimed(says: str) -> None:
    assert [claim.content for claim in claims(says, PLAYER) if claim.certainty >= 0.5] == []


def test_there_are_enough_of_both_languages() -> None:
    assert all(len(table) >= 150 for table in TABLES.values()), (
        "measured on sentences that were written before the rules were mended"
    )
