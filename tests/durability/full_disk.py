"""A real small file system that fills up, and one that becomes read-only, where mounting is allowed.

    python -m tests.durability.full_disk

Prints one JSON object: what was acknowledged, lost, refused, and whether it went on by itself.
"""

import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rolememory.errors import NotWrittenError
from tests.storage.roles import add, contents, store_at


@contextlib.contextmanager
def small_disk(kilobytes: int) -> Iterator[Path | None]:
    """A file system of this size, or None where it cannot be mounted."""
    folder = Path(tempfile.mkdtemp(prefix="small-"))
    mounted = sys.platform == "linux" and _mount(
        "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)
    )
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def _mount(*arguments: str) -> bool:
    with contextlib.suppress(OSError):
        return (
            subprocess.run(["mount", *arguments], check=False, capture_output=True).returncode == 0
        )
    return False


def full(folder: Path) -> dict[str, Any]:
    """Write until the disk is full, look, make room, write on."""
    filler = folder / "filler"
    filler.write_bytes(b"x" * 200_000)
    store, said = store_at(folder / "role"), dict[str, str]()
    refused = _until_refused(store, said)
    lost = sum(contents(store).get(name) != content for name, content in said.items())
    still = contents(store) == said
    filler.unlink()
    store.commit([add("after", "room")])
    store.checkpoint()
    goes_on = contents(store) == {**said, "after": "room"}
    return {
        "acknowledged": len(said),
        "lost": lost,
        "readable": still,
        "refused": refused,
        "goes_on": goes_on,
    }


def _until_refused(store: Any, said: dict[str, str]) -> str:
    for number in range(10_000):
        try:
            store.commit([add(f"m{number}", "y" * 3000)])
        except NotWrittenError as error:
            return str(error)
        said[f"m{number}"] = "y" * 3000
        if number % 5 == 4:
            with contextlib.suppress(NotWrittenError):
                store.checkpoint()
    return ""


def read_only(folder: Path) -> dict[str, Any]:
    """Write, make the file system read-only, look, make it writable, write on."""
    role = folder / "role"
    store = store_at(role)
    store.commit([add("a"), add("b")])
    _mount("-o", "remount,ro", str(folder))
    refused = ""
    try:
        store.commit([add("c")])
    except NotWrittenError as error:
        refused = str(error)
    readable = contents(store) == {"a": "text", "b": "text"}
    _mount("-o", "remount,rw", str(folder))
    store.commit([add("c")])
    return {
        "refused": refused,
        "readable": readable,
        "goes_on": set(contents(store)) == {"a", "b", "c"},
    }


def main() -> None:
    """Both."""
    with small_disk(700) as folder:
        print(json.dumps({"full": full(folder) if folder else "cannot mount here"}))
    with small_disk(700) as folder:
        print(json.dumps({"read_only": read_only(folder) if folder else "cannot mount here"}))


if __name__ == "__main__":
    main()
