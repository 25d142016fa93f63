"""Which memories may be asked, and what would open each gate."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rolememory.recall.active_set import EVERYTHING, Visibility
from rolememory.recall.explain import with_field
from rolememory.recall.gates import (
    GATES,
    Asker,
    eligible,
    eligible_rows,
    first_closed,
    turn_gate,
    unchanged_between,
)
from rolememory.schema.memory import Evidence, Memory, Source, is_ungated
from rolememory.schema.settings import RecallSettings
from rolememory.triggers.table import Table
from tests.recall.test_active_set import hides

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def memory(**fields: Any) -> Memory:
    return Memory(**{"id": "m", "content": "the beacon failed", **fields})


def asker(
    user: str | None = None,
    superseded: dict[str, str] | None = None,
    visibility: Visibility = EVERYTHING,
    **rules: Any,
) -> Asker:
    return Asker(user, NOW, RecallSettings(**rules), superseded or {}, visibility)


@pytest.mark.parametrize(
    ("one", "by", "gate"),
    [
        pytest.param(memory(), asker(), None, id="an ordinary memory may be asked"),
        pytest.param(memory(keys=("sea",)), asker(), None, id="so may one with keys"),
        pytest.param(memory(archived=True), asker(), "archived", id="an archived one stays out"),
        pytest.param(
            memory(), asker(superseded={"m": "n"}), "superseded", id="what was replaced stays out"
        ),
        pytest.param(
            memory(evidence=(Evidence(chat="harbour", version="v1"),)),
            asker(visibility=hides("v1")),
            "withdrawn",
            id="what was swiped away stays out",
        ),
        pytest.param(memory(expires=NOW), asker(), "expired", id="it expires at that very moment"),
        pytest.param(
            memory(expires=NOW + timedelta(seconds=1)), asker(), None, id="and not a second before"
        ),
        pytest.param(memory(user="lin"), asker("lin"), None, id="lin hears what lin said"),
        pytest.param(memory(user="lin"), asker("wu"), "other_user", id="wu does not"),
        pytest.param(memory(user="lin"), asker(None), "other_user", id="nor does a nameless user"),
        pytest.param(
            memory(source=Source.AI_OUTPUT), asker(), "source", id="raw replies are off by default"
        ),
        pytest.param(
            memory(source=Source.AI_OUTPUT),
            asker(sources=("ai_output",)),
            None,
            id="and on when allowed",
        ),
        pytest.param(memory(), asker(tags=("sea",)), "tag", id="a wanted tag is missing"),
        pytest.param(
            memory(tags=("sea", "night")), asker(tags=("sea",)), None, id="one wanted tag is enough"
        ),
        pytest.param(
            memory(tags=("secret",)),
            asker(exclude_tags=("secret",)),
            "excluded_tag",
            id="an unwanted tag is there",
        ),
        pytest.param(
            memory(archived=True, user="lin"),
            asker("wu"),
            "archived",
            id="the first closed gate is told",
        ),
    ],
)
def test_gates(one: Memory, by: Asker, gate: str | None) -> None:
    closed = first_closed(one, by)
    assert (closed[0].name if closed else None) == gate
    assert (one.id in eligible([one], by)) is (gate is None)
    rows, special = eligible_rows(Table([one]), by)
    assert special == [one.id] or bool(rows[0]) is (gate is None)
    assert not (special and is_ungated(one) and one.id not in by.superseded)


@pytest.mark.parametrize(
    "gate",
    [
        gate
        for gate in GATES
        if gate.name not in {"withdrawn", "superseded", "source", "out_of_character"}
    ],
    ids=lambda gate: gate.name,
)
def test_the_remedy_opens_its_gate(gate: Any) -> None:
    by = asker("wu", tags=("sea",), exclude_tags=("secret",))
    shut = memory(archived=True, expires=NOW, user="lin", tags=("secret",))
    remedy = gate.remedy(shut, by)
    assert gate.closed(shut, by) is not None
    assert gate.closed(with_field(shut, remedy.field, remedy.value), by) is None


def test_whose_memory_it_is_stays_unsaid() -> None:
    closed = first_closed(memory(user="lin"), asker("wu"))
    assert closed is not None
    assert "lin" not in repr(closed[1])


def test_who_may_be_asked_changes_only_when_something_expires() -> None:
    hours = [memory(id=str(hour), expires=NOW + timedelta(hours=hour)) for hour in (-5, -1, 3, 2)]
    assert unchanged_between(hours, NOW) == (NOW - timedelta(hours=1), NOW + timedelta(hours=2))
    assert unchanged_between([], NOW) == (None, None)


@pytest.mark.parametrize(
    ("occasion", "rules", "gate"),
    [
        pytest.param(("why?", 4), {}, None, id="an ordinary message asks"),
        pytest.param(("why?", 4), {"enabled": False}, "disabled", id="recall is off"),
        pytest.param(("why?", 4), {"auto": False}, "disabled", id="recall is only by hand"),
        pytest.param(
            ("why?", 0),
            {"first_round_empty": True},
            "first_round",
            id="the first round is left empty",
        ),
        pytest.param(("why?", 1), {"first_round_empty": True}, None, id="the second is not"),
        pytest.param(("a", 4), {}, "short_query", id="one letter asks for nothing"),
        pytest.param(("龙", 4), {}, "short_query", id="nor does one character"),
        pytest.param(("龙呢", 4), {}, None, id="two characters do"),
        pytest.param(
            ("hello", 4),
            {"long_term_trigger": "keywords", "long_term_keywords": ("remember",)},
            "no_trigger_word",
            id="no word asks",
        ),
        pytest.param(
            ("Remember me?", 4),
            {"long_term_trigger": "keywords", "long_term_keywords": ("remember",)},
            None,
            id="a word asks",
        ),
        pytest.param(
            ("你还记得吗", 4),
            {"long_term_trigger": "keywords", "long_term_keywords": ("记得",)},
            None,
            id="也可以用中文问",
        ),
    ],
)
def test_turn_gate(occasion: tuple[str, int], rules: dict[str, Any], gate: str | None) -> None:
    settings = RecallSettings(**rules)
    closed = turn_gate(*occasion, settings)
    assert (closed[0].code if closed else None) == gate
    if closed:
        change = closed[1]
        mended = settings.model_copy(update={change.field.removeprefix("recall."): change.value})
        assert turn_gate(*occasion, mended) is None
