"""Faults put into books: which are tried, which are not worth trying, and how many the shipped expectations notice."""

from typing import Any

import pytest

from rolememory.authoring.books import BookFile, read_book_file
from rolememory.authoring.expectations import ExpectationCase, beside, read_expectations
from rolememory.authoring.lint.recursion import hears
from rolememory.authoring.lint.subject import Subject
from rolememory.authoring.mutate import Mutation, MutationContext, mutations
from rolememory.authoring.mutation_run import run_mutations, uncovered
from rolememory.recall.lore.index import LoreIndex
from rolememory.schema.settings import ScanSettings
from rolememory.shipped import shipped
from tests.authoring.books import BEACON, STORM, card_book, world

BOOKS = sorted(shipped("worldbook_rules", "worldbooks").glob("*.json"))


def faults(file: BookFile, limit: int | None = None, **settings: Any) -> list[Mutation]:
    chosen = ScanSettings(**settings)
    ground = MutationContext(
        file.book, LoreIndex([file.book], chosen), hears(Subject.of(file, chosen))
    )
    return mutations(ground, limit)


def fields(*entries: dict[str, Any], **settings: Any) -> set[str]:
    """Fields of the first entry that are changed."""
    return {one.field for one in faults(world(*entries), **settings) if one.entry == "0"}


@pytest.mark.parametrize(
    ("field", "entries"),
    [
        pytest.param("keys", [BEACON], id="a key is deleted"),
        pytest.param(
            "secondary_keys", [{**BEACON, "keysecondary": ["oil"]}], id="a secondary key is deleted"
        ),
        pytest.param(
            "selective", [{**BEACON, "keysecondary": ["oil"]}], id="secondary keys are not asked"
        ),
        pytest.param(
            "selective_logic",
            [{**BEACON, "keysecondary": ["oil"]}],
            id="they are asked the other way round",
        ),
        pytest.param("content", [BEACON], id="the text is emptied"),
        pytest.param("enabled", [BEACON], id="it is switched off"),
        pytest.param("constant", [BEACON], id="it is always there"),
        pytest.param("probability", [{**BEACON, "probability": 40}], id="chance"),
        pytest.param("case_sensitive", [BEACON], id="cases"),
        pytest.param("match_whole_words", [BEACON], id="whole words"),
        pytest.param("scan_depth", [{**BEACON, "scanDepth": 2}], id="how far back"),
        pytest.param("triggers", [{**BEACON, "triggers": ["normal"]}], id="kinds of generation"),
        pytest.param(
            "character_filter",
            [{**BEACON, "characterFilter": {"names": ["a"], "tags": []}}],
            id="whose it is",
        ),
        pytest.param(
            "exclude_recursion", [STORM, {**BEACON, "content": "a storm"}], id="others wake it"
        ),
        pytest.param(
            "prevent_recursion", [{**BEACON, "content": "a storm"}, STORM], id="it wakes others"
        ),
        pytest.param("position", [BEACON], id="its place"),
        pytest.param("depth", [{**BEACON, "position": 4}], id="how deep"),
        pytest.param("role", [{**BEACON, "position": 4}], id="who says it"),
        pytest.param("outlet", [{**BEACON, "position": 7, "outletName": "sky"}], id="its outlet"),
        pytest.param("insertion_order", [BEACON, STORM], id="its order"),
        pytest.param("ignore_budget", [{**BEACON, "ignoreBudget": True}], id="the budget"),
        pytest.param("group", [{**BEACON, "group": "w"}, {**STORM, "group": "w"}], id="its group"),
        pytest.param(
            "group_weight", [{**BEACON, "group": "w"}, {**STORM, "group": "w"}], id="its odds"
        ),
        pytest.param(
            "group_override",
            [{**BEACON, "group": "w"}, {**STORM, "group": "w"}],
            id="its privilege",
        ),
        pytest.param("sticky", [{**BEACON, "sticky": 4}], id="how long it stays"),
        pytest.param("cooldown", [{**BEACON, "cooldown": 4}], id="how long it rests"),
        pytest.param("delay", [{**BEACON, "delay": 4}], id="how long it waits"),
    ],
)
def test_what_is_tried(field: str, entries: list[dict[str, Any]]) -> None:
    assert field in fields(*entries)


@pytest.mark.parametrize(
    ("field", "entries", "settings"),
    [
        pytest.param("case_sensitive", [{"key": ["灯塔"]}], {}, id="Chinese has no cases"),
        pytest.param("match_whole_words", [{"key": ["灯塔"]}], {}, id="nor word edges"),
        pytest.param("selective", [BEACON], {}, id="no secondary keys"),
        pytest.param("keys", [{**BEACON, "constant": True}], {}, id="keys of a constant"),
        pytest.param("keys", [{"key": []}], {}, id="no keys"),
        pytest.param("insertion_order", [BEACON], {}, id="alone in its place"),
        pytest.param("group_weight", [{**BEACON, "group": "w"}], {}, id="no rival"),
        pytest.param("depth", [BEACON], {}, id="not at a depth"),
        pytest.param("exclude_recursion", [BEACON, STORM], {}, id="nobody wakes it"),
        pytest.param(
            "prevent_recursion",
            [{**BEACON, "content": "a storm"}, STORM],
            {"recursive": False},
            id="no recursion",
        ),
        pytest.param(
            "prevent_recursion",
            [{**BEACON, "content": "a storm"}, {**STORM, "excludeRecursion": True}],
            {},
            id="nobody listens",
        ),
        pytest.param(
            "prevent_recursion",
            [{**BEACON, "content": "the beacon"}, BEACON],
            {},
            id="who is woken is there already",
        ),
        pytest.param(
            "delay_until_recursion",
            [{**BEACON, "delayUntilRecursion": 1}],
            {},
            id="the first level does not wait by our rules",
        ),
        pytest.param("sticky", [BEACON], {}, id="no timer"),
        pytest.param("enabled", [{**BEACON, "disable": True}], {}, id="off already"),
    ],
)
def test_what_could_never_be_noticed_is_not_tried(
    field: str, entries: list[dict[str, Any]], settings: dict[str, Any]
) -> None:
    assert field not in fields(*entries, **settings)


def test_a_key_that_says_nothing_new_is_kept() -> None:
    assert [
        one.was for one in faults(world({"key": ["beacon", "dark beacon"]})) if one.field == "keys"
    ] == ["beacon"]


def test_decorators_are_taken_away_one_by_one() -> None:
    tried = [
        one
        for one in faults(world({**BEACON, "content": "@@depth 2\n@@role user\nThe beacon."}))
        if one.field == "content"
    ]
    assert [(one.code, one.was, one.value) for one in tried] == [
        ("empty", "", "@@depth 2\n@@role user\n"),
        ("delete", "@@depth 2", "@@role user\nThe beacon."),
        ("delete", "@@role user", "@@depth 2\nThe beacon."),
    ]


def test_faults_of_the_book_itself() -> None:
    file = card_book({"keys": ["b1"]}, token_budget=400, scan_depth=3, recursive_scanning=False)
    assert {(one.field, one.value) for one in faults(file) if not one.entry} == {
        ("token_budget", 100),
        ("scan_depth", 2),
        ("scan_depth", 4),
        ("recursive_scanning", True),
    }


def test_a_fault_changes_one_field_of_one_entry() -> None:
    file = world(BEACON, STORM)
    for one in faults(file):
        changed = one.applied(file.book)
        pairs = zip(file.book.entries, changed.entries, strict=True)
        differing = [
            (old.id, name)
            for old, new in pairs
            for name in type(old).model_fields
            if name != "raw" and getattr(old, name) != getattr(new, name)
        ]
        assert differing == [(one.entry, one.field)]


def test_a_limit_takes_the_same_ones_every_time() -> None:
    file = world(BEACON, STORM, {**BEACON, "key": ["oil"]})
    some = faults(file, limit=7)
    assert len(some) == 7
    assert some == faults(file, limit=7)
    assert {one.key for one in some} <= {one.key for one in faults(file)}
    assert {one.key for one in some} <= {one.key for one in faults(file, limit=12)}


def cases(toml: str) -> list[ExpectationCase]:
    return read_expectations(toml, "x")


def test_what_nobody_expects_survives() -> None:
    verdict = run_mutations(
        world(BEACON), cases('[[case]]\nmessages = ["beacon"]\nfires = ["Beacon"]')
    )
    survived = {(one.field, one.code) for one in verdict.survivors}
    assert survived >= {("content", "empty"), ("position", "set"), ("match_whole_words", "flip")}
    assert not survived & {("keys", "delete"), ("enabled", "flip"), ("probability", "set")}
    assert verdict.tried == verdict.noticed + len(verdict.survivors)


def test_more_is_noticed_where_more_is_expected() -> None:
    toml = """
        [[case]]
        each = ["a beacon", "BEACON"]
        exactly = ["Beacon"]
        contains = ["whale oil"]
        places = { Beacon = "before" }
        [[case]]
        messages = ["beacons"]
        exactly = []
        """
    assert run_mutations(world(BEACON), cases(toml)).score == 1.0


def test_cases_that_fail_anyway_are_left_out_and_told() -> None:
    verdict = run_mutations(
        world(BEACON), cases('[[case]]\nname = "wrong"\nmessages = ["Hm."]\nfires = ["Beacon"]')
    )
    assert (verdict.failing, verdict.noticed) == (("wrong",), 0)


def test_what_no_case_touches_is_told() -> None:
    file = world(BEACON, STORM, {"key": ["lamp", "/l[uv]x/"], "comment": "Lamp"})
    missing = uncovered(
        file, cases('[[case]]\nmessages = ["The beacon, a lux."]\nfires = ["Beacon"]')
    )
    assert missing.entries == ("1",)
    assert missing.keys == {"1": ("storm",), "2": ("lamp",)}


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_shipped_expectations_hold_and_notice_nineteen_of_twenty_faults(path: Any) -> None:
    file = read_book_file(path.read_bytes(), path.name)
    given = read_expectations(beside(path).read_text(encoding="utf-8"), beside(path).name)
    verdict = run_mutations(file, given)
    assert verdict.failing == ()
    assert verdict.tried >= 150
    assert verdict.score >= 0.95, [(one.title, one.field, one.was) for one in verdict.survivors]
    assert uncovered(file, given) == type(uncovered(file, given))((), {})
