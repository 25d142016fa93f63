"""Cards and books that SillyTavern itself ships: read, written, compared. Fetched once into a cache outside; skipped where npm cannot."""

import json
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

from rolememory.authoring.convert import convert
from rolememory.cards.base import dump, load
from rolememory.cards.book_files import book_formats, load_book
from rolememory.cards.json_edit import same
from rolememory.cards.role_parts import role_from_card, with_books

pytestmark = pytest.mark.slow

PACKAGE = "sillytavern@1.19.0"
CACHE = Path(tempfile.gettempdir()) / "rolememory-npm"
SERAPHINA, ELDORIA = (
    "package/default/content/default_Seraphina.png",
    "package/default/content/Eldoria.json",
)


@pytest.fixture(scope="module")
def shipped() -> dict[str, bytes]:
    archive = CACHE / "sillytavern-1.19.0.tgz"
    if not archive.exists():
        CACHE.mkdir(exist_ok=True)
        try:
            done = subprocess.run(
                ["npm", "pack", PACKAGE, "--silent"],
                cwd=CACHE,
                capture_output=True,
                timeout=180,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as why:
            pytest.skip(f"npm cannot bring {PACKAGE}: {why}")
        if done.returncode or not archive.exists():
            pytest.skip(f"npm cannot bring {PACKAGE}")
    with tarfile.open(archive) as packed:
        members = {name: packed.extractfile(name) for name in (SERAPHINA, ELDORIA)}
        return {name: member.read() for name, member in members.items() if member}


def test_the_card_is_read(shipped: dict[str, bytes]) -> None:
    card = load(shipped[SERAPHINA], "default_Seraphina.png")
    assert (card.name, card.format, card.problems) == ("Seraphina", "png", ())
    assert card.book is not None
    assert (card.book.name, card.book.problems) == ("Eldoria", ())
    assert card.extensions["talkativeness"] == "0.5"
    assert card.character().file == "default_Seraphina"


def test_unchanged_it_is_the_same_bytes(shipped: dict[str, bytes]) -> None:
    assert dump(load(shipped[SERAPHINA])) == shipped[SERAPHINA]
    assert load_book(shipped[ELDORIA]).write() == shipped[ELDORIA]


def test_one_field_changed_changes_nothing_else(shipped: dict[str, bytes]) -> None:
    card = load(shipped[SERAPHINA])
    again = load(dump(card.with_fields(scenario="At sea.")))
    expected = {**card.raw, "data": {**card.raw["data"], "scenario": "At sea."}}
    assert same(
        again.raw, {**expected, "scenario": "At sea."} if "scenario" in card.raw else expected
    )


@pytest.mark.parametrize("target", ["v1", "v2", "v3", "charx"])
def test_the_card_comes_back_from_every_format(shipped: dict[str, bytes], target: str) -> None:
    card = load(shipped[SERAPHINA], "seraphina")
    there = load(convert(card, target).data, "seraphina")
    back = json.loads(convert(there, card.form.name).data)
    if target == "charx":  # its picture came along, as an icon
        assert back["data"].pop("assets")[0]["type"] == "icon"
    assert same(back, card.raw)


def test_the_book_comes_back_from_every_format(shipped: dict[str, bytes]) -> None:
    book = load_book(shipped[ELDORIA], "Eldoria")
    assert len(book.lorebook().entries) == 4
    for target in book_formats():
        there = load_book(convert(book, target).data, "Eldoria")
        assert same(json.loads(convert(there, "sillytavern").data), book.raw)


def test_the_role_goes_out_as_it_came_in(shipped: dict[str, bytes]) -> None:
    card = load(shipped[SERAPHINA], "seraphina.png")
    files = role_from_card(card).files
    assert files["card.png"] == shipped[SERAPHINA]
    books = [load_book(data) for name, data in files.items() if name.startswith("worldbooks/")]
    assert dump(with_books(card, books)) == shipped[SERAPHINA]
