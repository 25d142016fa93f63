"""What `make conformance-live` is made of, as far as it can be tried without the real program."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.conformance.live.__main__ import compared
from tests.conformance.live.minimise import minimised
from tests.conformance.live.worlds import FEATURES, world
from tests.conformance.worldinfo import IMPORTS, run

WORLDS = [case for number in range(60) if "kind" not in (case := world(f"some-{number}"))][:40]
NOTHING: dict[str, Any] = {
    **{place: [] for place in ("activated", "an_top", "an_bottom", "em_top", "em_bottom", "depth")},
    **dict.fromkeys(("before", "after"), ""),
    "outlets": {},
}


def entries_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    books = case.get("books") or [{"entries": case["entries"]}]
    return [entry for book in books for entry in book["entries"].values()]


def test_a_seed_is_a_world() -> None:
    assert world("a-7") == world("a-7")
    assert world("a-7") != world("a-8")


@pytest.mark.parametrize("feature", FEATURES)
def test_every_feature_occurs(feature: str) -> None:
    fields = {field: values[0] for field, values in FEATURES[feature].items()}
    assert any(
        entry.get(field, usual) != usual
        for case in WORLDS
        for entry in entries_of(case)
        for field, usual in fields.items()
    )


def test_books_of_all_programs_occur() -> None:
    cases = [world(f"foreign-{number}") for number in range(600)]
    assert {case["format"] for case in cases if case.get("kind") == "import"} == {
        *IMPORTS,
        "to_character_book",
    }


def test_uids_are_unique_in_a_world() -> None:
    for case in WORLDS:
        uids = [entry["uid"] for entry in entries_of(case) if "uid" in entry]
        assert len(uids) == len(set(uids))


def test_our_scan_answers_every_world() -> None:
    for case in WORLDS:
        expected = {"turns": [NOTHING for _ in case["turns"]]} if "turns" in case else NOTHING
        assert all(isinstance(fault, str) for fault in run({**case, "expected": expected}))


class Sayings:
    """A program that answers what it is told to, in place of the real one."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self.said = answers

    def answers(self, cases: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
        return self.said[: len(cases)]


def test_a_difference_is_told_and_an_equal_answer_is_not() -> None:
    case = {
        **WORLDS[0],
        "chat": [],
        "entries": {"0": {"uid": 0, "order": 1, "content": "x"}},
        "user": {"name": "Ann"},
    }
    plain = {name: value for name, value in case.items() if name not in ("turns", "books", "rolls")}
    said = [
        faults
        for _, faults in compared(
            Sayings(NOTHING, {**NOTHING, "before": "x"}, {"error": "no"}), [plain] * 3
        )
    ]  # type: ignore[arg-type]
    assert said == [[], ["before: expected 'x', got ''"], ["SillyTavern breaks: no"]]


def test_minimising_leaves_what_matters() -> None:
    case = next(case for case in WORLDS if len(entries_of(case)) > 5 and "turns" in case)
    wanted = next(entry["uid"] for entry in entries_of(case)[2:] if entry["content"])

    def shows(cases: Sequence[dict[str, Any]]) -> list[bool]:
        return [
            bool(one["turns"])
            and any(entry["uid"] == wanted and entry["content"] for entry in entries_of(one))
            for one in cases
        ]

    small = minimised(case, shows)
    [left] = entries_of(small)
    assert (left["uid"], set(left), len(left["content"])) == (
        wanted,
        {"uid", "content", "order"} | set(left) & {"key"},
        1,
    )
    assert (small["chat"], small["rolls"], len(small["turns"])) == ([], [], 1)
