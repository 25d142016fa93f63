"""Edits from outside are noticed whatever way an editor saves (S1.33, P9)."""

import os
import queue
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rolememory.schema.settings import StorageSettings
from rolememory.storage.files.changed import Changed, concerns
from rolememory.storage.files.watch import Watch, remote_kind
from rolememory.storage.home import HomeFolder

NEW = b'{"version": 1, "episodic": [{"content": "new"}]}'
PATIENCE_S = 60.0  # a bound for a machine under load; every wait ends as soon as the change is told


def in_place(path: Path) -> None:
    path.write_bytes(NEW)


def in_pieces(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for at in range(len(NEW)):
            file.write(NEW[at : at + 1])


def truncate_then_write(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(0)
        file.write(NEW)
        os.fsync(file.fileno())


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\n")


def through(name: str) -> Callable[[Path], None]:
    """Write beside under that name, then rename over."""

    def save(path: Path) -> None:
        beside = path.with_name(name)
        beside.write_bytes(NEW)
        beside.replace(path)

    return save


def backup_then_rename(path: Path) -> None:
    path.rename(path.with_name(path.name + "~"))
    path.write_bytes(NEW)


def backup_by_link(path: Path) -> None:
    os.link(path, path.with_name("memory.json.bak"))
    through(".memory.json.new")(path)


def vim(path: Path) -> None:
    probe = path.with_name("4913")
    probe.touch()
    probe.unlink()
    swap = path.with_name(".memory.json.swp")
    swap.write_bytes(b"b0VIM")
    backup_then_rename(path)
    path.with_name(path.name + "~").unlink()
    swap.unlink()


def emacs(path: Path) -> None:
    lock = path.with_name(".#memory.json")
    lock.symlink_to("me@here")
    path.with_name("#memory.json#").write_bytes(NEW)
    backup_then_rename(path)
    path.with_name("#memory.json#").unlink()
    lock.unlink()


def delete_then_create(path: Path) -> None:
    path.unlink()
    path.write_bytes(NEW)


def from_another_folder(path: Path) -> None:
    outside = path.parent.parent.parent / "downloaded.json"
    outside.write_bytes(NEW)
    outside.replace(path)


def exchanged_folder(path: Path) -> None:
    folder, fresh = path.parent, path.parent.with_name(".fresh")
    shutil.copytree(folder, fresh)
    (fresh / path.name).write_bytes(NEW)
    folder.rename(folder.with_name(".gone"))
    fresh.rename(folder)


def same_size_and_time(path: Path) -> None:
    before = path.stat()
    fresh = path.with_name("x.tmp")
    fresh.write_bytes(path.read_bytes()[::-1])
    os.utime(fresh, ns=(before.st_atime_ns, before.st_mtime_ns))
    fresh.replace(path)


WAYS = {
    "in place": in_place,
    "byte by byte": in_pieces,
    "truncated, then written": truncate_then_write,
    "appended to": append,
    "by a hidden temporary": through(".memory.json.tmp-1"),
    "by a named temporary": through("memory.json.tmp"),
    "as JetBrains saves": through("memory.json___jb_tmp___"),
    "as GNOME saves": through(".goutputstream-ABC123"),
    "as Office saves": through("~$memory.json"),
    "as Syncthing brings it": through(".syncthing.memory.json.tmp"),
    "old one renamed to a backup": backup_then_rename,
    "old one linked to a backup": backup_by_link,
    "as vim saves": vim,
    "as emacs saves": emacs,
    "deleted and created": delete_then_create,
    "moved in from elsewhere": from_another_folder,
    "the whole folder replaced": exchanged_folder,
    "replaced by one of the same size and time": same_size_and_time,
}


class Heard:
    """What the watcher told."""

    def __init__(self) -> None:
        self._told: queue.Queue[Changed] = queue.Queue()

    def __call__(self, changed: Changed) -> None:
        self._told.put(changed)

    def until(self, role: str | None, kind: str) -> Changed:
        while True:
            changed = self._told.get(timeout=PATIENCE_S)
            if changed.role == role and kind in changed.kinds:
                return changed

    def everything(self) -> list[Changed]:
        return list(self._told.queue)


@pytest.fixture
def home(tmp_path: Path) -> HomeFolder:
    (tmp_path / "home").mkdir()
    return HomeFolder(tmp_path / "home")


@pytest.fixture(params=["native", "polling"])
def settings(request: pytest.FixtureRequest) -> StorageSettings:
    return StorageSettings(watch=request.param, poll_s=0.05)


@pytest.fixture
def heard(home: HomeFolder, settings: StorageSettings) -> Iterator[Heard]:
    listener = Heard()
    home.create("Mira")
    with Watch(home.path, listener, settings, quiet_s=0.02) as watch:
        assert watch.mode == settings.watch
        yield listener


@pytest.mark.parametrize(
    "save", [pytest.param(save, id=f"a memory file saved {name}") for name, save in WAYS.items()]
)
def test_every_way_of_saving_is_noticed(
    save: Callable[[Path], None], home: HomeFolder, heard: Heard
) -> None:
    role = home.find("Mira")
    save(home.folder(role.id) / "memory.json")
    assert "memory" in heard.until(role.id, "memory").kinds


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        pytest.param("{id}/role.json", "role", id="a role renamed by hand"),
        pytest.param("{id}/card.png", "card", id="a card exchanged"),
        pytest.param("{id}/worldbooks/harbour.json", "worldbook", id="a book of the role"),
        pytest.param("worldbooks/world.json", "worldbook", id="a book of all roles"),
        pytest.param("templates/inject/mine.jinja", "template", id="a template in a new folder"),
        pytest.param("presets/mine.toml", "settings", id="a preset of one's own"),
        pytest.param("rolememory.toml", "settings", id="the settings"),
    ],
)
def test_each_kind_of_file_is_told_apart(
    place: str, kind: str, home: HomeFolder, heard: Heard
) -> None:
    role = home.find("Mira")
    path = home.path / place.format(id=role.id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    assert kind in heard.until(role.id if "{id}" in place else None, kind).kinds


def test_what_we_write_ourselves_besides_is_not_told(home: HomeFolder, heard: Heard) -> None:
    folder = home.folder(home.find("Mira").id)
    for name in (
        "chats/a.jsonl",
        "journal/1.jsonl",
        "state/timers.json",
        ".cache/vectors.bin",
        "memory.json.prev",
        "memory.json~",
        ".lock",
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    (home.path / "rolememory.toml").write_text("")
    heard.until(None, "settings")
    assert {(one.role, one.kinds) for one in heard.everything()} <= {
        (None, frozenset({"settings"}))
    }


def test_a_role_that_appears_is_told_whole(home: HomeFolder, heard: Heard) -> None:
    asha = home.create("Asha")
    assert {"memory", "role"} <= heard.until(asha.id, "role").kinds


def test_a_listener_that_fails_does_not_make_it_deaf(
    home: HomeFolder, settings: StorageSettings, caplog: pytest.LogCaptureFixture
) -> None:
    told: queue.Queue[Changed] = queue.Queue()

    def listener(changed: Changed) -> None:
        told.put(changed)
        raise ValueError("a listener's own mistake")

    with Watch(home.path, listener, settings, quiet_s=0.02):
        for text in ("1", "22"):
            (home.path / "rolememory.toml").write_text(text)
            assert told.get(timeout=PATIENCE_S).kinds == {"settings"}
    assert "a listener failed" in caplog.text


def test_polling_looks_as_often_as_the_settings_say(home: HomeFolder) -> None:
    often, seldom = Heard(), Heard()
    quick, slow = (StorageSettings(watch="polling", poll_s=pause) for pause in (0.02, 3600.0))
    with (
        Watch(home.path, seldom, slow, quiet_s=0.01),
        Watch(home.path, often, quick, quiet_s=0.01),
    ):
        for text in ("1", "22", "333", "4444"):
            (home.path / "rolememory.toml").write_text(text)
            often.until(None, "settings")
    assert seldom.everything() == []


def test_no_thread_is_left_behind(home: HomeFolder, settings: StorageSettings) -> None:
    before = set(threading.enumerate())
    for _ in range(3):
        watch = Watch(home.path, lambda _: None, settings)
        watch.start()
        watch.start()
        watch.stop()
        watch.stop()
    assert set(threading.enumerate()) <= before


def test_off_watches_nothing(home: HomeFolder) -> None:
    before = set(threading.enumerate())
    with Watch(home.path, lambda _: None, StorageSettings(watch="off")) as watch:
        assert watch.mode == "off"
        assert set(threading.enumerate()) <= before


def test_where_the_system_refuses_it_looks_instead(
    home: HomeFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from watchdog.observers import Observer

    def full(*_: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr(Observer, "start", full)  # the system's limit, which a test cannot lower
    heard = Heard()
    with Watch(home.path, heard, StorageSettings(poll_s=0.05), quiet_s=0.02) as watch:
        assert watch.mode == "polling"
        assert "inotify watch limit reached" in watch.notes[0]
        (home.path / "rolememory.toml").write_text("")
        heard.until(None, "settings")


@pytest.mark.parametrize(
    ("mount", "kind"),
    [
        pytest.param("nas:/home /home nfs4 rw 0 0", "nfs4", id="a network share"),
        pytest.param("C: /home 9p rw 0 0", "9p", id="a Windows drive seen from WSL"),
        pytest.param("sshfs /home/lin fuse.sshfs rw 0 0", "fuse.sshfs", id="a folder over ssh"),
        pytest.param("/dev/sda1 /home ext4 rw 0 0", "", id="a local disk"),
        pytest.param("nas:/x /home/linda nfs rw 0 0", "", id="another folder that begins alike"),
    ],
)
def test_a_share_is_known_by_its_mount(mount: str, kind: str, tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"rootfs / ext4 rw 0 0\n{mount}\n")
    assert remote_kind(Path("/home/lin/memories"), mounts) == kind


def test_what_lies_outside_concerns_nobody() -> None:
    assert concerns(Path("/elsewhere/memory.json"), Path("/home")) is None
