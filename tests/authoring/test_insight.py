"""What stands out among memories."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rolememory.authoring.insight import Insight, InsightContext, insight
from rolememory.authoring.merge import merged
from rolememory.authoring.similarity import likeness
from rolememory.authoring.themes import themes
from rolememory.schema.memory import Evidence, Memory

START = datetime(2025, 1, 1, tzinfo=UTC)


def told(*texts: str, **fields: Any) -> dict[str, Memory]:
    return {
        f"m{at}": Memory(id=f"m{at}", content=text, created=START + timedelta(days=at), **fields)
        for at, text in enumerate(texts)
    }


def found(memories: dict[str, Memory], known: InsightContext | None = None) -> Insight:
    return insight(memories, likeness(list(memories.values())), known)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(
            "Lin likes jasmine tea.",
            "Lin likes jasmine tea a lot.",
            True,
            id="the same with more words",
        ),
        pytest.param(
            "The beacon failed in the storm.",
            "In the storm the beacon failed!",
            True,
            id="the same in another order",
        ),
        pytest.param(
            "林喜欢茉莉茶。",
            "林喜欢茉莉茶！",
            True,
            id="the same with other punctuation, in Chinese",
        ),
        pytest.param("Tam lives in Bergen.", "Tam lives in Oslo.", False, id="two homes"),
        pytest.param("Mira hates tea.", "Mira loves tea.", False, id="hate and love"),
        pytest.param("林住在北京。", "林住在上海。", False, id="two homes, in Chinese"),
        pytest.param(
            "Mira loves Tom's violin.", "Mira loves Tim's violin.", False, id="another person"
        ),
        pytest.param(
            "Mira paid 40 coins for the coat.",
            "Mira paid 70 coins for the hat.",
            False,
            id="other numbers of other things",
        ),
        pytest.param(
            "The beacon stands on rock.",
            "Jasmine tea calms her.",
            False,
            id="nothing to do with each other",
        ),
    ],
)
def test_two_memories_side_by_side(one: str, other: str, same: bool) -> None:
    assert bool(found(told(one, other, type="semantic")).mergeable) is same


@pytest.mark.parametrize(
    "fields",
    [{"user": "lin"}, {"subject": "Tam"}, {"type": "goal"}],
    ids=["another user's", "of another person", "of another type"],
)
def test_what_is_not_of_one_kind_is_not_merged(fields: dict[str, Any]) -> None:
    one, other = (
        Memory(id="a", content="She likes tea.", type="semantic"),
        Memory(id="b", content="She likes tea.", **{"type": "semantic", **fields}),
    )
    assert found({"a": one, "b": other}).mergeable == ()


@pytest.mark.parametrize(
    ("fields", "stays"),
    [
        pytest.param({"locked": True}, "b", id="what is locked"),
        pytest.param({"weight": 1.5}, "b", id="the heavier"),
        pytest.param(
            {"evidence": (Evidence(chat="c", version="v", quote="q"),), "source": "user_input"},
            "a",
            id="what an author wrote",
        ),
    ],
)
def test_who_stays_of_two(fields: dict[str, Any], stays: str) -> None:
    seen = found(
        {
            "a": Memory(id="a", content="She likes tea."),
            "b": Memory(id="b", content="She likes tea.", **fields),
        }
    )
    assert [pair.keep for pair in seen.mergeable] == [stays]


def test_a_theme_is_named_by_what_its_memories_share() -> None:
    memories = told(
        "The beacon failed in the storm.", "A storm broke the beacon.", "The keeper lit the beacon in the storm.",
        "她喜欢茉莉茶。", "茉莉茶让她平静。", "他带来了茉莉茶。",
    )  # fmt: skip
    groups = themes(memories, likeness(list(memories.values())))
    assert {frozenset(one.ids) for one in groups} == {
        frozenset({"m0", "m1", "m2"}),
        frozenset({"m3", "m4", "m5"}),
    }
    names = [" ".join(one.name) for one in groups]
    assert any("beacon" in name.casefold() for name in names)
    assert any("茉莉" in name for name in names)


@pytest.mark.parametrize(
    ("keys", "said", "why"),
    [
        pytest.param((), "", "quiet_no_keys", id="it has none"),
        pytest.param(("violin",), "the rain goes on", "quiet_unsaid", id="they were not said"),
        pytest.param(
            ("oil",), "the boiler boils", "quiet_unsaid", id="part of another word is not the word"
        ),
        pytest.param(("violin",), "play the violin", "quiet_outdone", id="they were said"),
        pytest.param(("小提琴",), "请拉小提琴", "quiet_outdone", id="they were said, in Chinese"),
        pytest.param(("/viol.n/",), "play the violin", "quiet_patterns", id="they are patterns"),
    ],
)
def test_why_a_memory_is_silent(keys: tuple[str, ...], said: str, why: str) -> None:
    memory = Memory(id="m", content="The keeper hid a violin.", keys=keys, created=START)
    (row,) = found({"m": memory}, InsightContext(turns_since=lambda _: 30, said=said)).quiet
    assert (row.turns, row.because.code) == (30, why)


@pytest.mark.parametrize(
    ("known", "fields"),
    [
        pytest.param(InsightContext(turns_since=lambda _: 3), {}, id="told lately"),
        pytest.param(InsightContext(turns_since=lambda _: None), {}, id="told nobody knows when"),
        pytest.param(
            InsightContext(turns_since=lambda _: 30, prompted={"m"}), {}, id="was in a prompt"
        ),
        pytest.param(
            InsightContext(turns_since=lambda _: 30), {"constant": True}, id="is always there"
        ),
    ],
)
def test_who_is_not_called_silent(known: InsightContext, fields: dict[str, Any]) -> None:
    assert (
        found({"m": Memory(id="m", content="A coat.", created=START, **fields)}, known).quiet == ()
    )


def test_keys_that_were_said_are_offered_first() -> None:
    memory = {"m": Memory(id="m", content="The lighthouse keeper hid a violin in the cellar.")}
    said = found(memory, InsightContext(said="she went down to the cellar")).lacking[0].keys
    assert "cellar" in said[0].casefold()
    assert not any(key.casefold() in ("the", "a", "in") for key in said)


def test_what_stays_takes_over_what_the_other_rests_on() -> None:
    said = [Evidence(chat="c", version=str(at), quote="q") for at in range(2)]
    keep = Memory(id="a", content="Tea.", evidence=(said[0],), supersedes=("old",))
    drop = Memory(
        id="b",
        content="Tea!",
        evidence=tuple(said),
        supersedes=("older", "a"),
        tags=("x",),
        constant=True,
    )
    fields = merged(keep, drop)
    assert [one["version"] for one in fields["evidence"]] == ["0", "1"]
    assert (fields["supersedes"], fields["tags"], fields["constant"]) == (
        ["old", "older"],
        ["x"],
        True,
    )
    assert merged(Memory(id="a", content="Tea."), drop)["supersedes"] == ["older"]
    assert "evidence" not in merged(Memory(id="a", content="Tea."), drop)
