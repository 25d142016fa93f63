"""The scan against a second telling of the specification, over random worlds."""

from math import ceil
from typing import Any

import pytest

from rolememory.cards.sillytavern import read_world
from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.scan import scan
from rolememory.schema.lorebook import BookSource, TimedState
from rolememory.schema.role import Character
from rolememory.schema.settings import ScanSettings
from rolememory.text.pattern import PatternBudget
from tests.recall.lore import reference
from tests.recall.lore.worlds import world

STRATEGIES = ("evenly", "character_first", "global_first")
ROLES = ("system", "user", "assistant")


def asked(
    case: dict[str, Any], chat: list[dict[str, Any]], state: TimedState, rules: str = "sillytavern"
) -> Activation:
    """The case as the product is asked it."""
    settings = ScanSettings(
        rules=rules,  # type: ignore[arg-type]
        scan_depth=case["depth"],
        min_activations=case["min_activations"],
        max_depth=case["max_depth"],
        budget_percent=case["budget"],
        budget_cap=case["cap"],
        include_names=case["include_names"],
        recursive=case["recursive"],
        max_recursion_steps=case["max_steps"],
        case_sensitive=case["caseSensitive"],
        match_whole_words=case["matchWholeWords"],
        use_group_scoring=case["useGroupScoring"],
        insertion_strategy=STRATEGIES[case["strategy"]],
    )
    return scan(
        [
            read_world({"entries": book["entries"]}, book["name"], BookSource(book["source"]))
            for book in case["books"]
        ],
        [
            {
                "role": "user" if one["is_user"] else "assistant",
                "name": one["name"],
                "content": one["mes"],
                "hidden": one.get("hidden"),
            }
            for one in chat
        ],
        card=Character(
            name=case["char"],
            user=case["user"],
            file=case["file"],
            tags=tuple(case["tags"]),
            **case["texts"],
        ),
        state=state,
        settings=settings,
        trigger=case["trigger"],
        injected=case["injected"],
        outside=[f"{book}.{uid}" for book, uid in case["outside"]],
        chance=case["rolls"],
        cost=lambda text: ceil(len(text.encode()) / 3.35),
        context_tokens=case["context"],
        patterns=PatternBudget(turn_ms=20_000, each_ms=5_000),
        dry_run=case["dry_run"],
    )


def answer(given: Activation) -> dict[str, Any]:
    """What is compared, of the product's answer."""
    place = given.placement
    lists = {
        name: list(getattr(place, name))
        for name in ("before", "after", "an_top", "an_bottom", "em_top", "em_bottom")
    }
    timers = {
        kind: {
            (one.book, int(one.entry), one.start, one.end, one.protected)
            for one in getattr(given.state, kind)
        }
        for kind in ("sticky", "cooldown")
    }
    return {
        "awake": [one.id for one in given.awake],
        "rolls": given.rolls,
        **lists,
        "depth": {
            (group.depth, ROLES.index(group.role)): list(group.entries) for group in place.depth
        },
        "outlets": {name: list(texts) for name, texts in place.outlets.items()},
        **timers,
    }


def expected(given: dict[str, Any]) -> dict[str, Any]:
    """The same of the reference's answer."""
    timers = {
        kind: {
            (*key, one["start"], one["end"], one["protected"])
            for key, one in given["timers"][kind].items()
        }
        for kind in ("sticky", "cooldown")
    }
    awake = [f"{entry['world']}.{entry['uid']}" for entry in given["awake"]]
    return {
        "awake": awake,
        "rolls": given["rolls"],
        **dict(reference.placed(given["awake"])),
        **timers,
    }


def compare(seed: int) -> None:
    """One world, all its turns."""
    case = world(seed)
    state, told = TimedState(), {"sticky": {}, "cooldown": {}}
    for chat in case["chats"]:
        wanted = reference.scan({**case, "chat": chat}, told)
        given = asked(case, chat, state)
        assert answer(given) == expected(wanted), f"world {seed}"
        state, told = given.state, wanted["timers"]


@pytest.mark.parametrize("block", range(6))
def test_scan_equals_the_plain_telling_of_the_specification(block: int) -> None:
    for seed in range(block * 50, block * 50 + 50):
        compare(seed)
