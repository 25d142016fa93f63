"""Places on a plane: what is alike stands together, what stood stays."""

from collections.abc import Sequence

import pytest

from rolememory.authoring.layout import Layout, Spot, laid_out
from rolememory.authoring.similarity import likeness
from rolememory.schema.memory import Memory

SUBJECTS = {
    "sea": ("beacon", "storm", "harbour", "lantern", "tide"),
    "tea": ("jasmine", "kettle", "porcelain", "teahouse", "leaves"),
    "灯": ("灯塔", "风暴", "港口", "灯笼", "潮水"),
    "茶": ("茉莉", "茶壶", "瓷杯", "茶馆", "茶叶"),
}


def memories(each: int = 12) -> list[Memory]:
    return [
        Memory(
            id=f"{name}{at}",
            content=f"{words[at % 5]} {words[(at + 1) % 5]} {words[(at * 2 + 2) % 5]}",
        )
        for name, words in SUBJECTS.items()
        for at in range(each)
    ]


def spots(rows: Sequence[Memory], before: Layout | None = None) -> tuple[Layout, dict[str, Spot]]:
    found = laid_out(rows, likeness(rows), before)
    return found, found.of(rows)


def apart(one: Spot, other: Spot) -> float:
    return float(((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5)


def kind(memory_id: str) -> str:
    return memory_id.rstrip("0123456789")


def test_a_memory_stands_among_its_own() -> None:
    _, found = spots(memories())
    nearest = {
        one: min(
            (other for other in found if other != one),
            key=lambda other: apart(found[one], found[other]),
        )
        for one in found
    }
    assert sum(kind(one) == kind(other) for one, other in nearest.items()) >= 0.9 * len(found)


def test_the_same_memories_stand_in_the_same_places() -> None:
    assert spots(memories())[1] == spots(memories())[1]


@pytest.mark.parametrize("each", [1, 2, 12])
def test_a_newcomer_moves_nobody_and_stands_among_its_own(each: int) -> None:
    before, old = spots(memories(each))
    new = Memory(id="sea99", content="beacon storm harbour")
    _, found = spots([*memories(each), new], before)
    assert {one: spot for one, spot in found.items() if one != "sea99"} == old
    assert kind(min(old, key=lambda one: apart(old[one], found["sea99"]))) == "sea"


def test_who_goes_and_comes_back_changes_no_others_place() -> None:
    before, old = spots(memories())
    left, _ = spots(memories()[:-3], before)
    _, again = spots(memories(), left)
    assert {one: again[one] for one in list(old)[:-3]} == {one: old[one] for one in list(old)[:-3]}


def test_too_many_newcomers_lay_the_whole_out_anew() -> None:
    before, _ = spots(memories(3))
    after, found = spots(memories(12), before)
    assert (after.placed, len(found)) == (0, 48)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4])
def test_few_have_places_of_their_own(count: int) -> None:
    _, found = spots(memories()[:count])
    assert len(set(found.values())) == count
    assert all(-1 <= value <= 1 for spot in found.values() for value in spot)


def test_equal_texts_stand_apart() -> None:
    _, found = spots([Memory(id=f"m{at}", content="The beacon failed.") for at in range(8)])
    assert len(set(found.values())) == 8
