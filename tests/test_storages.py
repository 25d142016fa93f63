"""A home works the same wherever it is kept: on files, and in a storage that has none."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from rolememory import Home, Message
from rolememory.errors import NoFolderError
from rolememory.storage.files.space import FileStorage
from rolememory.storage.in_memory import MemoryStorage
from rolememory.storage.port import Storage
from tests.storage.roles import CountingDisk


@pytest.fixture(params=["files", "memory"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return FileStorage(tmp_path / "home") if request.param == "files" else MemoryStorage()


def test_what_is_kept_is_there_when_the_home_is_opened_again(storage: Storage) -> None:
    with Home.open(storage) as home:
        mira = home.create("Mira", aliases=["米拉"])
        mira.remember("The beacon failed in the storm.", "semantic", keys=["beacon"])
        talk = [Message.user("My brother Karl lives in Graz."), Message.assistant("I see.")]
        mira.observe(talk, chat="harbour", user="lin")
        assert "beacon failed" in mira.recall(["Why is the beacon dark?"], chat="harbour").text
    with Home.open(storage) as home:
        mira = home.role("米拉")
        assert "beacon failed" in mira.recall(["Why is the beacon dark?"], chat="harbour").text
        assert [said.text for said in mira.chats.path("harbour")] == [one.content for one in talk]
        assert mira.search("beacon")[0].memory.content == "The beacon failed in the storm."
        assert mira.history()
        mira.undo(mira.history()[-1].txn)
        assert not mira.search("beacon")


def test_a_turn_looks_once_whether_a_file_changed_and_the_next_one_again(tmp_path: Path) -> None:
    disk = CountingDisk()
    with Home.open(FileStorage(tmp_path, disk)) as home:
        mira = home.create("Mira")
        said = [Message.user("Hello.")]
        mira.observe(said, chat="harbour", user="lin")
        for _ in range(3):
            disk.files_marked.clear()
            mira.recall([*said, Message.user("And you?")], chat="harbour", user="lin", dry_run=True)
        looked = Counter(disk.files_marked)
        chat = Path(mira.chats.info("harbour").file).name
        known = ("role.json", "rolememory.toml", "memory.json", "chats", ".pulse", chat)
        assert {name: looked[name] for name in known} == dict.fromkeys(known, 1)


def test_a_role_can_be_exported_and_brought_into_another_storage(storage: Storage) -> None:
    with Home.open(storage) as home:
        mira = home.create("Mira")
        mira.remember("The beacon failed.", "semantic", keys=["beacon"])
        told = mira.export()
    with Home.open(MemoryStorage()) as other:
        assert other.bring(told).made
        assert other.role("Mira").search("beacon")


def test_forgetting_a_person_leaves_nothing(storage: Storage) -> None:
    with Home.open(storage) as home:
        mira = home.create("Mira")
        mira.remember("Lin's cat is called Miso.", "semantic", user="lin", keys=["cat"])
        mira.observe([Message.user("My cat is called Miso.")], chat="lins", user="lin")
        assert home.forget("lin")[mira.id].memories
        kept = mira.space
        names = [name for at in ("", "state/", "journal/", "chats/") for name in kept.names(at)]
        logs = [name for at in ("journal/", "chats/", "") for name in kept.logs(at)]
        data = [kept.document(name).read() for name in names]
        lines = [
            line for log in logs for append in kept.log(log).read().appends for line in append.lines
        ]
        assert not any(b"Miso" in one for one in [*data, *lines])


def test_two_homes_over_one_storage_see_what_the_other_wrote(storage: Storage) -> None:
    with Home.open(storage) as one, Home.open(storage) as other:
        one.create("Mira").remember("The beacon failed.", "semantic", keys=["beacon"])
        mira = other.role("Mira")
        assert mira.search("beacon")
        one.role("Mira").observe([Message.user("Good evening.")], chat="harbour")
        assert [info.id for info in mira.chats.chats()] == ["harbour"]


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda home: home.path, id="its folder"),
        pytest.param(lambda home: home.create("Asha").backup(), id="a backup"),
    ],
)
def test_what_is_done_to_files_alone_says_so(call: Callable[[Home], object]) -> None:
    with (
        Home.open(MemoryStorage()) as home,
        pytest.raises(
            NoFolderError, match="has no folder; this works on homes that are kept as files"
        ),
    ):
        call(home)
