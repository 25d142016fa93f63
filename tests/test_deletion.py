"""A role is deleted while it is open here, in another home object, in another process: it is gone everywhere, and comes back only when restored."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rolememory import Home, Message
from rolememory.engine import RoleMemory
from rolememory.errors import (
    DeletedRoleError,
    InvalidValueError,
    RoleMemoryError,
    UnknownRoleError,
)
from rolememory.storage.files.space import DELETED, FileStorage
from rolememory.storage.in_memory import MemoryStorage
from rolememory.storage.port import Storage
from tests.durability.processes import forked
from tests.endpoint import Endpoint, Line, answers
from tests.hashing import HashingEmbedder
from tests.learn.model.behaviours import CHAT, GOOD

GONE = (UnknownRoleError, DeletedRoleError)
TALK = [Message.user("My brother Karl lives in Graz.", user="lin"), Message.assistant("I see.")]
ASKED = [*TALK, Message.user("Where does my brother live?", user="lin")]


@pytest.fixture(params=["files", "memory"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return FileStorage(tmp_path / "home") if request.param == "files" else MemoryStorage()


def opened(storage: Storage | Path) -> Home:
    """The home as another process opens it: with timers that are due at once."""
    settings = {"storage.fold_idle_s": 0.01}
    return Home.open(storage, settings, embedder=HashingEmbedder())


def filled(home: Home, name: str = "Mira") -> RoleMemory:
    """A role with a memory and a chat, which was read and recalled from."""
    role = home.create(name)
    role.remember("The beacon failed in the storm.", keys=["beacon"])
    role.observe(TALK, chat="harbour", user="lin")
    assert "beacon failed" in role.recall(["Why is the beacon dark?"], chat="harbour").text
    role.learned()
    return role


USES: dict[str, Callable[[RoleMemory], object]] = {
    "recalls": lambda role: role.recall(ASKED, chat="harbour", user="lin"),
    "searches": lambda role: role.search("beacon"),
    "observes": lambda role: role.observe(ASKED, chat="harbour", user="lin"),
    "remembers": lambda role: role.remember("The lens is new."),
    "edits": lambda role: role.edit(next(iter(role.memories), "m"), content="Other."),
    "undoes": lambda role: role.undo(),
    "ends a chapter": lambda role: role.end_chapter("harbour"),
    "backs up": lambda role: role.backup(),
    "cleans": lambda role: role.clean(),
    "exports": lambda role: role.export(),
    "tells its settings": lambda role: role.settings,
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_who_still_holds_a_deleted_role_is_told_and_brings_nothing_back(
    storage: Storage, use: Callable[[RoleMemory], object], caplog: pytest.LogCaptureFixture
) -> None:
    with opened(storage) as home, opened(storage) as other:
        mine, theirs = filled(home), other.role("Mira")
        theirs.recall(ASKED, chat="harbour", user="lin")
        theirs.remember("The ferry is late.")
        assert home.delete("Mira").id == mine.id
        for held in (mine, theirs):
            with pytest.raises(RoleMemoryError):
                use(held)
        for one in (home, other):
            assert one.roles() == []
            with pytest.raises(UnknownRoleError):
                one.role("Mira")
    assert storage.roles() == []
    assert not storage.role(mine.id).exists()
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("use", ["recalls", "searches", "observes", "remembers"])
def test_a_turn_that_reaches_a_deleted_role_gets_a_clear_error(storage: Storage, use: str) -> None:
    with opened(storage) as home, opened(storage) as other:
        filled(home)
        theirs = other.role("Mira")
        home.delete("Mira")
        with pytest.raises(GONE, match=r"no role named|this role was deleted"):
            USES[use](theirs)


def test_who_names_a_deleted_role_is_told_how_to_have_it_back(storage: Storage) -> None:
    home = opened(storage)
    filled(home, "沈晚")
    role = home.delete("沈晚")
    for name in ("沈晚", role.id):
        with pytest.raises(UnknownRoleError, match="rolememory role restore NAME") as told:
            home.role(name)
        assert "`rolememory role restore 名字` 可以恢复" in told.value.text("zh")
    home.delete("沈晚", for_good=True)
    with pytest.raises(UnknownRoleError, match="rolememory open NAME --create"):
        home.role("沈晚")


def test_a_restored_role_goes_on_as_it_was(storage: Storage) -> None:
    with opened(storage) as home, opened(storage) as other:
        mine, theirs = filled(home), other.role("Mira")
        theirs.recall(ASKED, chat="harbour", user="lin")
        before = mine.memories
        home.delete(mine.id)
        assert [role.name for role in other.deleted()] == ["Mira"]
        again = other.restore("mira")
        for one in (again, home.role("Mira"), theirs):
            assert one.memories == before
            assert "Graz" in one.recall(ASKED[2:], chat="inn", user="lin").text
        again.undo()
        assert not home.role("Mira").search("beacon")
        assert home.deleted() == []


def test_a_role_is_not_restored_beside_another_one_of_its_name_unless_named_by_its_id(
    storage: Storage,
) -> None:
    with opened(storage) as home:
        old = filled(home).id
        home.delete("Mira")
        new = home.create("Mira")
        assert not new.memories
        with pytest.raises(InvalidValueError, match="already answers to 'Mira'"):
            home.restore("Mira")
        with pytest.raises(UnknownRoleError, match="no role named 'Asha' \\(known: Mira\\)"):
            home.restore("Asha")
        assert home.restore(old).memories
        assert len(home.roles()) == 2


def test_an_export_of_a_deleted_role_makes_it_anew(storage: Storage) -> None:
    with opened(storage) as home, opened(storage) as other:
        mine, theirs = filled(home), other.role("Mira")
        told = mine.export()
        home.delete("Mira")
        assert other.bring(told).made
        for one in (home.role("Mira"), theirs):
            assert "beacon failed" in one.recall(["Why is the beacon dark?"]).text
            assert not one.chats.chats()
        with pytest.raises(InvalidValueError, match="exists already"):
            home.restore(mine.id)


def test_for_good_leaves_no_byte(tmp_path: Path) -> None:
    with opened(tmp_path) as home:
        filled(home).backup()
        home.delete("Mira", for_good=True)
        filled(home)
        home.delete("Mira")
        home.delete("Mira", for_good=True)
        with pytest.raises(UnknownRoleError):
            home.delete("Mira", for_good=True)
        assert home.deleted() == []
    assert [path.name for path in tmp_path.rglob("*") if path.name not in (DELETED, ".lock")] == []


def test_shared_lorebooks_stay_and_associates_do_without(tmp_path: Path) -> None:
    book = tmp_path / "worldbooks" / "town.json"
    book.parent.mkdir()
    book.write_text('{"entries": {"0": {"key": ["mill"], "content": "The mill burned down."}}}')
    with opened(tmp_path) as home:
        filled(home)
        asha = home.create("Asha", worldbooks=("town.json",))
        asha.associate("Mira")
        home.role("Mira").associate("Asha")
        assert "beacon failed" in asha.recall(["The beacon of Mira?"]).text
        home.delete("Mira")
        turn = asha.recall(["The beacon of Mira? And the mill?"])
        assert turn.lore is not None
        assert [one.content for one in turn.lore.awake] == ["The mill burned down."]
        assert "beacon failed" not in turn.text
        home.restore("Mira")
        assert "beacon failed" in asha.recall(["The beacon of Mira?"]).text


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_another_process_in_the_middle_of_writing_is_stopped(tmp_path: Path) -> None:
    with opened(tmp_path) as home:
        role_id = filled(home).id
    reads, writes = os.pipe()

    def work() -> int:
        with opened(tmp_path) as mine:
            role = mine.role("Mira")
            for number in range(10_000):
                try:
                    role.observe([Message.user(f"Boat {number}.")], chat=f"c{number % 3}")
                    role.remember(f"Boat {number}.")
                except GONE:
                    return 0
                os.write(writes, b"x") if number == 2 else None
        return 1

    child = forked(work)
    os.read(reads, 1)
    with opened(tmp_path) as home:
        home.delete("Mira")
        assert os.waitpid(child, 0)[1] == 0
        assert not (tmp_path / role_id).exists()
        assert len(home.restore("Mira").memories) >= 3


def test_a_model_that_answers_late_teaches_a_deleted_role_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as home:
        role_id = home.create("Mira").id

        def deletes(line: Line) -> None:
            home.delete("Mira")
            answers(GOOD)(line)

        with Endpoint(deletes, answers(GOOD)) as server:
            settings = {
                "storage.fold_idle_s": 0.01,
                "learn.endpoint": server.url,
                "learn.model": "m",
                "learn.batch_size": 1,
            }
            with Home.open(tmp_path, settings) as other:
                mira = other.role("Mira")
                said = [
                    (Message.user if who == "Lin" else Message.assistant)(text)
                    for who, _, text in (line.partition(": ") for line in CHAT)
                ]
                mira.observe(said, chat="harbour", user="Lin")
                mira.learned()
                report = mira.learner.worker.run(force=True)
                assert "this role was deleted" in str(report.notes)
                assert mira.learner.worker.settle(60)
            assert len(server.requests) == 1
        assert home.roles() == []
        assert not (tmp_path / role_id).exists()


def test_forgetting_a_person_purges_deleted_roles_that_name_them(storage: Storage) -> None:
    with opened(storage) as home:
        filled(home)
        home.create("Asha")
        home.delete("Mira")
        home.delete("Asha")
        home.forget("lin")
        files = isinstance(storage, FileStorage)
        assert [role.name for role in home.deleted()] == (["Asha"] if files else [])


class Leaving(FileStorage):
    """Files in which somebody else deletes a role as soon as the roles were listed."""

    leaves = ""

    def roles(self) -> list[str]:
        """All roles; then one is gone."""
        found, one, self.leaves = super().roles(), self.leaves, ""
        if one:
            FileStorage(self.path).delete(one)
        return found


def test_forgetting_a_person_goes_on_after_a_role_deleted_meanwhile(tmp_path: Path) -> None:
    storage = Leaving(tmp_path / "home")
    with opened(storage) as home:
        left, rafi = filled(home), filled(home, "Rafi")
        rafi.remember("Lin owes the ferryman.", user="lin")
        home.people.link("lin", "Traveller")
        storage.leaves = left.id
        assert set(home.forget("lin")) == {rafi.id}
        assert not [one for one in rafi.memories.values() if one.user]
        assert not rafi.chats.users()
        assert not home.people.follow().linked
        assert home.deleted() == []


def test_a_role_that_is_deleted_while_it_is_read_is_left_out_of_a_list(tmp_path: Path) -> None:
    def leaving(role: RoleMemory) -> str:
        FileStorage(tmp_path / "home").delete(role.id)
        return (role.folder / "role.json").read_text()

    with opened(FileStorage(tmp_path / "home")) as home:
        gone, here = home.create("Mira"), home.create("Rafi")
        assert home.of_role(gone.id, leaving) is None
        with pytest.raises(FileNotFoundError):  # of one that is still there it is told
            home.of_role(here.id, lambda one: (one.folder / "nothing").read_text())


def test_a_deleted_role_whose_backup_names_a_person_is_purged_with_them(tmp_path: Path) -> None:
    with opened(tmp_path) as home:
        mira = home.create("Mira")
        mira.remember("Lin owes the ferryman.", user="lin")
        mira.backup()
        mira.delete(*mira.memories)
        mira.store.prune(mira.history()[0].at.replace(year=9999))
        home.delete("Mira")
        home.forget("lin")
        assert home.deleted() == []
