"""Use, associates and upkeep as an application meets them: through Home and RoleMemory, on real files."""

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from rolememory import Home, Message, RoleMemory
from rolememory.errors import InvalidValueError, UnknownMemoryError, UnknownRoleError
from rolememory.locales import Localized
from rolememory.serve.token import token_of
from rolememory.triggers.dates import DatesTrigger

WORDS_ALONE = {"embedding.backend": "off"}
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
BEACON = "Why is the beacon dark?"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with Home.open(tmp_path / "home", WORDS_ALONE) as opened:
        yield opened


@pytest.fixture
def mira(home: Home) -> RoleMemory:
    role = home.create("Mira")
    role.remember(
        "The beacon burns whale oil from Tromso.",
        "semantic",
        id="oil",
        keys=["beacon"],
        source="summary",
    )
    role.remember(
        "The beacon was built by Ferdinand.",
        "semantic",
        id="built",
        keys=["beacon"],
        source="summary",
    )
    return role


def ids(turn: Any) -> set[str]:
    return {one.memory.id for one in turn.recalled}


def noted(role: RoleMemory) -> dict[str, bool]:
    """memory -> whether the newest turn that held it used it."""
    role.usage.settle()
    return {one: uses[0].referenced for one in role.memories if (uses := role.usage.uses.of(one))}


@pytest.mark.skipif(os.name != "posix", reason="rights of others are told on POSIX systems")
def test_what_is_kept_is_for_its_owner_alone(tmp_path: Path) -> None:
    document = None
    before = os.umask(0)
    try:
        with Home.open(tmp_path / "new" / "home", WORDS_ALONE) as home:
            role = home.create("Mira")
            role.remember("The beacon burns whale oil.", keys=["beacon"])
            role.backup()
            role.observe([BEACON], "It ran out of oil.", chat="harbour", user="lin")
            role.recall([BEACON], chat="harbour", user="lin")
            home.people.link("lin", "Lin")
            token_of(home.path)
            document = role.export()
        with Home.open(tmp_path / "new" / "home", WORDS_ALONE) as home:
            home.role("Mira").restore()
            home.bring(document | {"role": {"id": str(uuid4()), "name": "Asha"}})
    finally:
        os.umask(before)
    made = [tmp_path / "new", *(tmp_path / "new").rglob("*")]
    assert len({path.suffix for path in made}) > 5, "memories, chats, journal, states, backups"
    assert {stat.filemode(path.stat().st_mode) for path in made} == {"drwx------", "-rw-------"}


class TestUse:
    def test_what_a_reply_used_weighs_more_in_the_next_turn(self, mira: RoleMemory) -> None:
        turn = mira.recall([BEACON], chat="harbour")
        assert ids(turn) == {"oil", "built"}
        mira.observe([BEACON], "The oil from Tromso came late.", chat="harbour")
        assert noted(mira) == {"oil": True, "built": False}
        after = mira.recall(
            [BEACON, Message.assistant("The oil from Tromso came late."), "And the beacon?"],
            chat="harbour",
        )
        scores = {one.memory.id: one.score for one in after.answer.scored}
        assert scores["oil"] > {one.memory.id: one.score for one in turn.answer.scored}["oil"]
        assert "by use" in str(after.explain())

    def test_a_swipe_takes_its_use_with_it(self, mira: RoleMemory) -> None:
        mira.recall([BEACON], chat="harbour")
        mira.observe([BEACON], "The oil from Tromso came late.", chat="harbour")
        mira.recall([BEACON], chat="harbour")
        mira.observe([BEACON], "Ferdinand would know.", chat="harbour")
        assert noted(mira) == {"oil": False, "built": True}

    def test_a_dry_run_notes_nothing(self, mira: RoleMemory) -> None:
        mira.recall([BEACON], chat="harbour", dry_run=True)
        mira.observe([BEACON], "The oil from Tromso came late.", chat="harbour")
        assert noted(mira) == {}

    def test_it_survives_a_restart(self, home: Home, mira: RoleMemory) -> None:
        mira.recall([BEACON], chat="harbour")
        mira.observe([BEACON], "The oil from Tromso came late.", chat="harbour")
        home.close()
        with Home.open(home.path, WORDS_ALONE) as again:
            assert noted(again.role("Mira")) == {"oil": True, "built": False}

    def test_a_use_told_by_hand(self, mira: RoleMemory) -> None:
        assert mira.used("oil", BEACON) == pytest.approx(1.0796)
        assert mira.used("oil", BEACON) == pytest.approx(1.0796), "the same query once"
        assert mira.used("oil", "What does it burn?") > 1.1
        assert [one.id for one in mira.core(1.1)] == ["oil"]
        with pytest.raises(UnknownMemoryError):
            mira.used("nothing", BEACON)

    def test_weights_for_good(self, mira: RoleMemory) -> None:
        assert mira.reweigh("oil", 0.5).weight == 1.5
        assert mira.reweigh("oil", 9.0).weight == 2.0
        mira.undo()
        assert mira.memories["oil"].weight == 1.5

    def test_archived_ones(self, mira: RoleMemory) -> None:
        mira.archive("oil")
        assert [one.id for one in mira.archived()] == ["oil"]


class TestUpkeep:
    def test_once_a_day(self, mira: RoleMemory) -> None:
        mira.edit("oil", expires=NOW)
        assert [one.id for one in mira.tend(NOW)] == ["oil"]
        mira.edit("built", expires=NOW)
        assert mira.tend(NOW + timedelta(hours=23)) == []
        assert [one.id for one in mira.tend(NOW + timedelta(hours=24))] == ["built"]

    def test_it_runs_by_itself_behind_a_chat_and_not_with_every_message(
        self, home: Home, mira: RoleMemory
    ) -> None:
        mira.edit("oil", expires=NOW)
        mira.observe(["Good morning."], "Good morning.", chat="harbour")
        home.close()
        with Home.open(home.path, WORDS_ALONE) as again:
            role = again.role("Mira")
            assert [one.id for one in role.archived()] == ["oil"]
            role.edit("built", expires=NOW)
            role.observe(["Good night."], "Good night.", chat="harbour")
        with Home.open(home.path, WORDS_ALONE) as again:
            assert [one.id for one in again.role("Mira").archived()] == ["oil"]

    def test_a_look_changes_nothing(self, mira: RoleMemory) -> None:
        mira.edit("oil", expires=NOW)
        assert [one.id for one in mira.clean(NOW, dry_run=True)] == ["oil"]
        assert [one.id for one in mira.tend(NOW)] == ["oil"]

    def test_what_lost_its_message_goes_after_a_week_and_comes_back_with_it(
        self, mira: RoleMemory
    ) -> None:
        said = [
            Message.user("I am a baker."),
            Message.assistant("Bread, then?"),
            Message.user("Rye bread."),
        ]
        seen = mira.observe(said, chat="harbour", now=NOW)
        version = next(one.version for one in seen.entered if one.text == "I am a baker.")
        mira.parts.context.home.pool.submit(
            lambda: None
        ).result()  # the upkeep of a first chat, by today's clock
        mira.remember(
            "The user is a baker.",
            "semantic",
            id="baker",
            source="user_input",
            evidence=[{"chat": "harbour", "version": version}],
        )
        mira.observe([Message.user("I am a smith."), *said[1:]], chat="harbour", now=NOW)
        gone = [[one.id for one in mira.clean(NOW + timedelta(days=day))] for day in (0, 6, 8)]
        assert [("baker" in ids) for ids in gone] == [False, False, True]
        mira.observe(said, chat="harbour", now=NOW + timedelta(days=9))
        mira.clean(NOW + timedelta(days=9))
        assert not mira.memories["baker"].archived

    def test_what_a_person_archived_stays_away(self, mira: RoleMemory) -> None:
        mira.archive("oil")
        mira.clean(NOW)
        assert mira.memories["oil"].archived

    def test_rows_die_with_their_memory(self, mira: RoleMemory) -> None:
        mira.used("oil", BEACON)
        mira.delete("oil")
        mira.clean(NOW)
        assert mira.usage.uses.of("oil") == []


class TestAssociates:
    @pytest.fixture
    def asha(self, home: Home, mira: RoleMemory) -> RoleMemory:
        role = home.create("Asha")
        role.remember("The beacon is a secret signal.", "semantic", id="signal", keys=["beacon"])
        return role

    def test_both_sides_must_name_each_other(self, mira: RoleMemory, asha: RoleMemory) -> None:
        assert "Asha/signal" not in ids(mira.recall([BEACON]))
        mira.associate("Asha")
        turn = mira.recall([BEACON])
        assert "Asha/signal" not in ids(turn)
        assert any("Asha" in note and "Mira" in note for note in turn.trace.notes)
        (told,) = (note for note in turn.trace.notes if "Asha" in note)
        assert isinstance(told, Localized)
        assert "没有把 'Mira' 列为关联角色" in told.text("zh")
        asha.associate("Mira", 0.1)
        turn = mira.recall([BEACON])
        assert "Asha/signal" in ids(turn)
        assert turn.trace.notes == ()
        assert "(Asha remembers)" in turn.text
        assert "Mira/oil" in {one.memory.id for one in asha.recall([BEACON]).answer.scored}

    def test_it_can_be_ended_by_either_side(self, mira: RoleMemory, asha: RoleMemory) -> None:
        mira.associate("Asha")
        asha.associate("Mira")
        asha.associate("Mira", 0)
        assert asha.role.associates == ()
        assert "Asha/signal" not in ids(mira.recall([BEACON]))

    def test_the_last_factor_counts(self, mira: RoleMemory, asha: RoleMemory) -> None:
        mira.associate("Asha", 0.2)
        mira.associate(asha.id, 0.7)
        assert [(one.role, one.factor) for one in mira.role.associates] == [(asha.id, 0.7)]

    @pytest.mark.parametrize("factor", [-0.1, 1.1, float("nan")])
    def test_a_factor_out_of_bounds(
        self, mira: RoleMemory, asha: RoleMemory, factor: float
    ) -> None:
        with pytest.raises(InvalidValueError, match="0 to 1"):
            mira.associate("Asha", factor)

    def test_nobody_of_that_name(self, mira: RoleMemory) -> None:
        with pytest.raises(UnknownRoleError):
            mira.associate("Nora")

    @pytest.mark.parametrize(
        "broken",
        [
            pytest.param({"role.json": "{"}, id="its role.json is broken"),
            pytest.param({"role.json": None, "memory.json": None}, id="it is gone"),
        ],
    )
    def test_a_broken_or_missing_other_leaves_a_note(
        self, home: Home, mira: RoleMemory, asha: RoleMemory, broken: dict[str, str | None]
    ) -> None:
        mira.associate("Asha")
        asha.associate("Mira")
        folder = asha.folder
        home.close()
        for name, text in broken.items():
            (folder / name).unlink() if text is None else (folder / name).write_text(
                text, encoding="utf-8"
            )
        with Home.open(home.path, WORDS_ALONE) as again:
            turn = again.role("Mira").recall([BEACON])
            assert {"oil", "built"} <= ids(turn)
            assert "Asha/signal" not in ids(turn)
            assert turn.trace.notes

    def test_two_that_hear_each_other_at_the_same_time(
        self, mira: RoleMemory, asha: RoleMemory
    ) -> None:
        from concurrent.futures import ThreadPoolExecutor

        mira.associate("Asha")
        asha.associate("Mira")
        with ThreadPoolExecutor(4) as pool:
            turns = [
                pool.submit(role.recall, [BEACON], chat=str(number))
                for number in range(20)
                for role in (mira, asha)
            ]
            heard = [ids(turn.result(30)) for turn in turns]
        assert all({"Asha/signal", "oil"} <= one or {"Mira/oil", "signal"} <= one for one in heard)

    def test_what_is_heard_is_not_noted_as_used_here(
        self, mira: RoleMemory, asha: RoleMemory
    ) -> None:
        mira.associate("Asha")
        asha.associate("Mira")
        mira.recall([BEACON], chat="harbour")
        mira.observe([BEACON], "It is a secret signal, and the oil is from Tromso.", chat="harbour")
        assert noted(mira) == {"oil": True, "built": False}
        assert noted(asha) == {}


def test_an_associate_tells_what_its_own_story_of_the_same_name_knows(home: Home) -> None:
    mira, asha = home.create("Mira"), home.create("Asha")
    mira.associate("Asha")
    asha.associate("Mira")
    order = "(OOC: remember that a wolf howls at the tower every night.)"
    asha.observe([order, Message.assistant("*nods*")], chat="old", user="lin")
    assert asha.learned(30)

    def told(chat: str) -> bool:
        return "howls" in mira.recall(["Does a wolf howl?"], chat=chat, user="lin").text

    assert told("new")
    asha.stories.begin("dream")
    asha.stories.assign("old", "dream")
    assert not told("new")
    mira.observe(["Hello."], chat="dreamt", user="lin")
    mira.stories.begin("dream")
    mira.stories.assign("dreamt", "dream")
    assert told("dreamt")
    asha.stories.assign("old", "default")
    assert (told("new"), told("dreamt")) == (True, False)


def test_what_was_observed_is_read_before_the_next_turn(mira: RoleMemory) -> None:
    mira.recall(BEACON)
    mira.observe(["The storm came in June 1887."], "I was furious.", chat="a")
    context = mira.parts.context
    index = context.pipeline.follow(
        context.candidates(context.stored(), context.settings), context.settings
    )
    (dates,) = (one.trigger for one in index.strategies if isinstance(one.trigger, DatesTrigger))
    assert [index.table.entry(row).content for row in dates._rows.values] == [
        "The storm came in June 1887."
    ]
