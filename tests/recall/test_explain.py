"""Why in, why not, and the smallest change: applied to the real home, it lets the memory in."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rolememory import Home, RoleMemory, Turn
from rolememory.errors import UnknownMemoryError
from rolememory.schema.evidence import Change, Refusal

WORDS_ALONE: dict[str, Any] = {"embedding.backend": "off"}
QUESTION = [
    "The lantern hangs by the door.",
    "Why is the beacon dark, and who drank the honey tea at the harbour?",
]
TEXTS = (
    "The beacon of the lighthouse is lit at dusk.",
    "The beacon failed in the great storm of 1887.",
    "She drinks honey tea when the nights are long.",
    "The harbour master owes her three barrels of oil.",
    "灯塔的钥匙挂在厨房门后。",
    "The lantern hangs by the door.",
    "She wants to see the mainland once before she dies.",
    "A gull broke the east window of the lamp room.",
)

fields = st.fixed_dictionaries(
    {},
    optional={
        "keys": st.sampled_from([["beacon"], ["tea"], ["harbour", "beacon"], ["door"], ["storm"]]),
        "type": st.sampled_from(["episodic", "semantic", "trait", "goal"]),
        "archived": st.booleans(),
        "expires": st.sampled_from(["2001-01-01", "2999-01-01"]),
        "user": st.sampled_from(["lin", "wu"]),
        "source": st.sampled_from(["manual", "ai_output", "user_input"]),
        "tags": st.sampled_from([["secret"], ["sea"]]),
        "triggers": st.sampled_from([["keyword"], ["emotional"]]),
        "weight": st.sampled_from([0.0, 1.0, 2.0]),
    },
)
rules = st.fixed_dictionaries(
    {},
    optional={
        "recall.relevance_threshold": st.sampled_from([0.1, 0.3, 0.7, 0.95]),
        "recall.max_items": st.sampled_from([0, 1, 3]),
        "recall.max_per_type.episodic": st.sampled_from([0, 1]),
        "recall.exclude_tags": st.just(["secret"]),
        "recall.mode": st.sampled_from(["inject", "hybrid"]),
        "budget.max_total_length": st.sampled_from([0, 120, 260, 2000]),
        "budget.per_type.semantic": st.sampled_from([10, 80]),
    },
)


def apply(home_path: Path, overrides: dict[str, Any], memory_id: str, change: Change) -> Turn:
    """What the same question gives once exactly this was changed, in the settings or in the files."""
    if change.target == "settings":
        overrides = overrides | {
            change.field: list(change.value) if isinstance(change.value, tuple) else change.value
        }
    with Home.open(home_path, WORDS_ALONE | overrides) as home:
        role = home.role("Mira")
        meant = change.entry_id or memory_id
        before = (
            {change.field: getattr(role.memories[meant], change.field)}
            if change.target == "memory"
            else {}
        )
        if before:
            role.edit(meant, **{change.field: change.value})
        turn = role.recall(QUESTION, user="wu", dry_run=True)
        if before:
            role.edit(meant, **before)
        return turn


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(fields, min_size=4, max_size=8), rules)
def test_applying_exactly_the_named_change_lets_it_in(
    tmp_path_factory: pytest.TempPathFactory,
    given_: list[dict[str, Any]],
    overrides: dict[str, Any],
) -> None:
    path = tmp_path_factory.mktemp("home")
    with Home.open(path, WORDS_ALONE | overrides) as home:
        role = home.create("Mira")
        role.remember_all(
            [
                {"id": f"m{number}", "content": text, **one}
                for number, (text, one) in enumerate(zip(TEXTS, given_, strict=False))
            ]
        )
        turn = role.recall(QUESTION, user="wu", dry_run=True)
        inside = {one.memory.id for one in turn.recalled}
        refusals = {memory_id: turn.why_not(memory_id) for memory_id in role.memories}
    assert {memory_id for memory_id, refusal in refusals.items() if refusal is None} == inside
    for memory_id, refusal in refusals.items():
        if refusal is not None and refusal.remedy is not None:
            after = apply(path, overrides, memory_id, refusal.remedy)
            assert memory_id in {one.memory.id for one in after.recalled}, refusal


@pytest.fixture
def mira(tmp_path: Path) -> Iterator[RoleMemory]:
    with Home.open(tmp_path / "home", WORDS_ALONE) as home:
        yield home.create("Mira")


def asked(role: RoleMemory, memory_id: str) -> Refusal:
    refusal = role.recall(QUESTION, user="wu", dry_run=True).why_not(memory_id)
    assert refusal is not None
    return refusal


@pytest.mark.parametrize(
    ("one", "gate", "remedy"),
    [
        pytest.param(
            {"content": TEXTS[7]},
            "no_evidence",
            ("memory", "keys"),
            id="nothing pointed to it: a key would",
        ),
        pytest.param(
            {"content": TEXTS[7], "triggers": ["emotional"]},
            "no_evidence",
            ("memory", "keys"),
            id="a key alone would not, if only feeling may wake it",
        ),
        pytest.param(
            {"content": TEXTS[5], "keys": ["lantern"]},
            "visible",
            ("settings", "recall.skip_visible"),
            id="a message says it already",
        ),
        pytest.param(
            {"content": TEXTS[0], "archived": True},
            "archived",
            ("memory", "archived"),
            id="bring it back",
        ),
        pytest.param(
            {"content": TEXTS[0], "user": "lin", "keys": ["beacon"]},
            "other_user",
            ("memory", "user"),
            id="share it",
        ),
    ],
)
def test_first_gate_and_way_through(
    mira: RoleMemory, one: dict[str, Any], gate: str, remedy: tuple[str, str]
) -> None:
    mira.remember(**one, id="m")
    refusal = asked(mira, "m")
    assert refusal.gate == gate
    if "triggers" in one:
        assert refusal.remedy is None or refusal.remedy.field in {"triggers", "constant"}
        return
    assert refusal.remedy is not None
    assert (refusal.remedy.target, refusal.remedy.field) == remedy


def test_a_replaced_memory_names_what_replaced_it(mira: RoleMemory) -> None:
    mira.remember("The beacon burns whale oil.", id="old", keys=["beacon"])
    mira.remember("The beacon burns rape oil.", id="new", keys=["beacon"], supersedes=["old"])
    refusal = asked(mira, "old")
    assert refusal.because.get("by") == "new"
    assert refusal.remedy == Change("memory", "archived", True, entry_id="new")


def test_two_closed_gates_have_no_single_remedy(mira: RoleMemory) -> None:
    mira.remember(TEXTS[0], id="m", archived=True, user="lin")
    assert asked(mira, "m").remedy is None


def test_an_unknown_memory_is_named(mira: RoleMemory) -> None:
    mira.remember(TEXTS[0], id="lighthouse")
    with pytest.raises(UnknownMemoryError, match="did you mean 'lighthouse'"):
        mira.recall(QUESTION, dry_run=True).why_not("lighthose")


def test_what_was_left_out_is_listed_best_first_without_being_asked(mira: RoleMemory) -> None:
    mira.remember(
        "The beacon burns whale oil every night of the year.", id="far", keys=["beacon"], user="wu"
    )
    mira.remember(TEXTS[5], id="said", keys=["lantern", "beacon"])
    turn = mira.recall(QUESTION, user="wu", dry_run=True)
    assert [refusal.entry_id for refusal in turn.left_out()] == ["said"]
