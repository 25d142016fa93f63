"""Constant entries come every turn."""

from rolememory.schema.evidence import Hit, Reason
from rolememory.triggers.base import Parts
from rolememory.triggers.constant import ConstantTrigger
from tests.builders import entry, memory, scene


def test_constant_entries_fire_fully_and_others_do_not() -> None:
    entries = [
        entry("rule", constant=True),
        memory("oath", constant=True, triggers=["semantic"]),
        memory("lamp", keys=["beacon"]),
    ]
    fired = list(ConstantTrigger(entries, Parts()).fire(scene(), {"rule", "oath", "lamp"}))
    assert fired == [Hit(name, "constant", 1.0, Reason("constant")) for name in ("rule", "oath")]


def test_a_constant_entry_that_is_not_asked_for_stays_silent() -> None:
    assert (
        list(
            ConstantTrigger([entry("rule", constant=True)], Parts()).fire(scene("hi"), frozenset())
        )
        == []
    )
