"""Odd corners of the exact rules, each as the real SillyTavern answers it (`make conformance-live` found them)."""

from typing import Any

import pytest

from rolememory.cards.sillytavern import read_world
from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.scan import scan
from rolememory.schema.settings import ScanSettings
from tests.recall.lore.books import awake

GROUP = {"key": ["oil"], "group": "lamps", "content": "x"}


def exact(
    entries: list[dict[str, Any]],
    *messages: str,
    chance: tuple[float, ...] = (0.0,),
    **settings: Any,
) -> Activation:
    """Scan entries as a world file has them, in its order; uids count from 0."""
    book = read_world(
        {
            "entries": {
                str(uid): {"uid": uid, "order": 100, **entry} for uid, entry in enumerate(entries)
            }
        },
        "book",
    )
    return scan(
        book,
        list(messages),
        settings=ScanSettings(rules="sillytavern", include_names=False, **settings),
        chance=chance,
    )


@pytest.mark.parametrize(
    ("logic", "winner"),
    [
        pytest.param({"selectiveLogic": 0}, "1", id="and_any: seen secondary keys count"),
        pytest.param(
            {}, "0", id="no logic named: secondary keys decide as and_any, but do not count"
        ),
        pytest.param({"selectiveLogic": None}, "0", id="null is no logic"),
    ],
)
def test_score_of_secondary_keys(logic: dict[str, Any], winner: str) -> None:
    given = exact(
        [{**GROUP}, {**GROUP, "keysecondary": ["lamp"], "selective": True, **logic}],
        "lamp oil",
        use_group_scoring=True,
    )
    assert awake(given) == [winner]


@pytest.mark.parametrize(
    ("oldest", "seen"),
    [
        pytest.param(" ", True, id="a message of blanks is a message"),
        pytest.param("", False, id="the oldest message, if it is empty, is none"),
    ],
)
def test_an_old_message_that_says_nothing(oldest: str, seen: bool) -> None:
    given = exact([{"key": [r"/oil\n/"], "content": "x"}], oldest, "oil", scan_depth=9)
    assert (awake(given) == ["0"]) is seen


def test_a_pattern_that_matches_nothing_at_all_wakes_even_a_blind_entry() -> None:
    assert awake(exact([{"key": ["/^/"], "scanDepth": 0, "content": "x"}], "oil")) == ["0"]
