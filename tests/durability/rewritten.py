"""Mutated files of authors, rewritten by us: whatever stood there stands beside the new one, or nothing was written.

    python -m tests.durability.rewritten --files 100000

Prints one JSON object: files, how many were written and refused, lost ones, what happened to the first of them.
"""

import argparse
import json
import random
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from rolememory.authoring.entries import changed, placed
from rolememory.authoring.starter_book import new_book
from rolememory.cards.book_files import book_formats, load_book
from rolememory.errors import RoleMemoryError
from rolememory.storage.files.space import FileSpace
from rolememory.storage.home import HomeFolder
from rolememory.storage.port import rewrite
from rolememory.storage.settings_text import commented, set_value
from tests.cards.makers import dump_book
from tests.durability.mutated import mutated

ROLE = {"name": "Mira", "aliases": ["米拉"], "voice": {"pitch": 1.50}, "worldbooks": ["coast.json"]}
ROLE_ID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
Act = Callable[[Path, random.Random], None]


def _edit_entry(path: Path, chance: random.Random) -> None:
    """As REST edits an entry."""
    book = load_book(path.read_bytes(), path.name)
    standing = placed(book)
    if standing:
        fields = chance.choice([{"content": "It is lit."}, {"keys": ["lamp"]}, {"enabled": False}])
        fresh = changed(book, chance.choice(standing).uid, fields)
        rewrite(FileSpace(path.parent), path.name, fresh.write())


def _rename_role(path: Path, chance: random.Random) -> None:
    home = HomeFolder(path.parent.parent)
    home.rename(ROLE_ID, f"Mira {chance.random()}")


def _set_setting(path: Path, chance: random.Random) -> None:
    set_value(path.parent, "recall.max_items", chance.randrange(100))


def _files() -> dict[str, tuple[bytes, Act]]:
    world = load_book(new_book("harbour").encode(), "harbour.json")
    formats = [name for name in book_formats() if name != "character_book_v2"]
    books = {f"{name}.json": (dump_book(world, name), _edit_entry) for name in formats}
    return {
        **books,
        f"{ROLE_ID}/role.json": (json.dumps(ROLE, indent=1).encode(), _rename_role),
        "rolememory.toml": (commented("en").encode(), _set_setting),
    }


def run(files: int, seed: int = 0) -> dict[str, Any]:
    """Rewrite so many mutated files."""
    chance, known = random.Random(seed), _files()
    result: dict[str, Any] = {"files": files, "written": 0, "refused": 0, "lost": 0}
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    try:
        for _ in range(files):
            name = chance.choice(list(known))
            whole, act = known[name]
            data = mutated(whole, chance)
            outcome = _outcome(folder / name, data, act, chance)
            result[outcome] += 1
            if outcome == "lost":
                result.setdefault("first", f"{name}: {data[:300]!r}")
    finally:
        shutil.rmtree(folder)
    return result


def _outcome(path: Path, data: bytes, act: Act, chance: random.Random) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    before = path.with_name(path.name + ".prev")
    before.unlink(missing_ok=True)
    with suppress(RoleMemoryError):
        act(path, chance)
    if path.read_bytes() == data:
        return "refused"
    return "written" if before.exists() and before.read_bytes() == data else "lost"


def main() -> None:
    """The long run."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--files", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    print(json.dumps(run(given.files, given.seed), ensure_ascii=False))


if __name__ == "__main__":
    main()
