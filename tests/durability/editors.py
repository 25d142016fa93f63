"""Sixteen ways in which editors save, while the role is being written and folded: nothing is empty, nothing is lost.

    python -m tests.durability.editors --rounds 50

Prints one JSON object: saves, empty sets seen, edits and memories lost, saves that were not live within a second.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rolememory.errors import NotWrittenError
from rolememory.storage.memories import RoleStore
from tests.storage.roles import add, store_at

Way = Callable[[Path, bytes], None]


def _in_place(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _slowly(path: Path, data: bytes) -> None:
    with path.open("wb", buffering=0) as file:
        for at in range(0, len(data), max(len(data) // 8, 1)):
            file.write(data[at : at + max(len(data) // 8, 1)])
            time.sleep(0.002)


def _half_then_rest(path: Path, data: bytes) -> None:
    with path.open("wb", buffering=0) as file:
        file.write(data[: len(data) // 2])
        time.sleep(0.03)
        file.write(data[len(data) // 2 :])


def _by_rename(path: Path, data: bytes) -> None:
    temporary = path.with_name("memory.json~tmp")
    temporary.write_bytes(data)
    temporary.replace(path)


def _by_synced_rename(path: Path, data: bytes) -> None:
    temporary = path.with_name(".goutputstream-X1")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _vi(path: Path, data: bytes) -> None:
    backup = path.with_name("memory.json~")
    path.replace(backup)
    path.write_bytes(data)
    backup.unlink()


def _vi_backupcopy(path: Path, data: bytes) -> None:
    backup = path.with_name("memory.json~")
    shutil.copyfile(path, backup)
    path.write_bytes(data)
    backup.unlink()


def _sed(path: Path, data: bytes) -> None:
    entry = json.loads(data)["episodic"][-1]
    line = json.dumps(entry) + ","
    subprocess.run(["sed", "-i", f's/"episodic": \\[/&{line}/', str(path)], check=True)


def _unlink_then_write(path: Path, data: bytes) -> None:
    path.unlink()
    path.write_bytes(data)


def _unlink_then_rename(path: Path, data: bytes) -> None:
    temporary = path.with_name("memory.json.new")
    temporary.write_bytes(data)
    path.unlink()
    temporary.rename(path)


def _overwrite_then_cut(path: Path, data: bytes) -> None:
    with path.open("r+b", buffering=0) as file:
        file.write(data)
        file.truncate(len(data))


def _with_mark_and_windows_ends(path: Path, data: bytes) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))


def _rename_with_windows_ends(path: Path, data: bytes) -> None:
    _by_rename(path, data.replace(b"\n", b"\r\n"))


def _emacs(path: Path, data: bytes) -> None:
    backup = path.with_name("memory.json.~1~")
    backup.unlink(missing_ok=True)
    os.link(path, backup)
    _by_rename(path, data)


def _twice(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    path.write_bytes(data + b"\n")


def _copied_over(path: Path, data: bytes) -> None:
    temporary = path.with_name("upload.part")
    temporary.write_bytes(data)
    shutil.copyfile(temporary, path)
    temporary.unlink()


WAYS: dict[str, Way] = {
    "in place": _in_place,
    "slowly": _slowly,
    "half, then the rest": _half_then_rest,
    "temporary and rename": _by_rename,
    "temporary, fsync, rename (GNOME)": _by_synced_rename,
    "backup by rename (vi)": _vi,
    "backup by copy (vi backupcopy)": _vi_backupcopy,
    "sed -i": _sed,
    "delete and write": _unlink_then_write,
    "delete and rename": _unlink_then_rename,
    "overwrite, then cut": _overwrite_then_cut,
    "byte order mark, CRLF": _with_mark_and_windows_ends,
    "rename, CRLF": _rename_with_windows_ends,
    "hard link and rename (Emacs)": _emacs,
    "twice in a row": _twice,
    "copied over": _copied_over,
}


class _House:
    """A role with a writer that commits and folds, and a reader that looks, all the time."""

    def __init__(self, folder: Path, seed: str) -> None:
        self.folder, self.chance = folder, random.Random(seed)
        self.store: RoleStore = store_at(folder, fold_lines=8, fold_idle_s=0.01)
        self.store.commit([add("first")])
        self.store.checkpoint()
        self.written, self.empty, self.stop = {"first"}, 0, threading.Event()
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._write, self._look)
        ]
        for thread in self._threads:
            thread.start()

    def _write(self) -> None:
        number = 0
        while not self.stop.is_set():
            number += 1
            try:
                self.store.commit([add(f"ours{number}")])
            except NotWrittenError:
                continue  # an editor was in the middle of a save for long: not acknowledged
            self.written.add(f"ours{number}")
            self.stop.wait(self.chance.uniform(0, 0.02))

    def _look(self) -> None:
        reader = store_at(self.folder)
        while not self.stop.is_set():
            self.empty += not reader.snapshot().memories
            self.stop.wait(0.002)
        reader.abandon()

    def close(self) -> set[str]:
        """Stop; what is there at the end."""
        self.stop.set()
        for thread in self._threads:
            thread.join()
        self.store.close()
        return set(store_at(self.folder).snapshot().memories)


def run(rounds: int, ways: list[str] | None = None, seed: int = 0) -> dict[str, Any]:
    """Every way, `rounds` saves each."""
    result: dict[str, Any] = {"ways": 0, "saves": 0, "empty": 0, "lost": 0, "late": 0}
    for name in ways or WAYS:
        folder = Path(tempfile.mkdtemp(prefix="editors-"))
        house = _House(folder, f"{seed} {name}")
        edits = [
            edit
            for number in range(rounds)
            if (edit := _save(house, WAYS[name], f"author{number}", result))
        ]
        lost = ({*edits} | house.written) - house.close()
        result["ways"], result["saves"] = result["ways"] + 1, result["saves"] + len(edits)
        result["lost"] += len(lost)
        result["empty"] += house.empty
        if lost:
            result.setdefault("first", f"{name}: {sorted(lost)}")
        shutil.rmtree(folder)
    return result


def _save(house: _House, way: Way, name: str, result: dict[str, Any]) -> str | None:
    """Open, type, save; then wait until it is live."""
    path = house.folder / "memory.json"
    document = json.loads(path.read_text("utf-8-sig"))
    time.sleep(house.chance.choice([0, 0, 0.01, 0.05]))
    document["episodic"].append({"id": name, "content": "by hand"})
    way(path, json.dumps(document, indent=2).encode())
    end = time.monotonic() + 1.0
    while name not in house.store.snapshot().memories:
        if time.monotonic() > end:
            result["late"] += 1
            result.setdefault("first_late", name)
            break
        time.sleep(0.002)
    return name


def main() -> None:
    """The long run."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=50)
    options.add_argument("--way", action="append", choices=list(WAYS))
    given = options.parse_args()
    print(json.dumps(run(given.rounds, given.way), ensure_ascii=False))


if __name__ == "__main__":
    main()
