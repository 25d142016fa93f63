"""Plans and writes lorebooks: which are imported, and under which name."""

from collections.abc import Mapping
from pathlib import Path, PurePath

import orjson

from rolememory.authoring.import_review import everywhere
from rolememory.authoring.importer.ledger import Ledger, digest, state_of
from rolememory.authoring.importer.plan import Problems, RolePlan, State, WorldPlan
from rolememory.cards.book import read_book
from rolememory.cards.book_file import Book
from rolememory.cards.book_files import load_book
from rolememory.cards.role_parts import file_name
from rolememory.cards.tavern.layout import DataFolder
from rolememory.cards.tavern.settings import TavernSettings
from rolememory.engine import Home
from rolememory.errors import FileError
from rolememory.locales import LocalizedText
from rolememory.schema.lorebook import BookSource
from rolememory.storage.imported_books import note_imported
from rolememory.storage.port import bytes_in, rewrite
from rolememory.storage.role_file import MAX_BYTES
from rolememory.text.fold import fold_name


def read_worlds(source: DataFolder, problems: Problems) -> dict[Path, Book]:
    """Every lorebook that can be read. Cards, chats and personas name it as its file."""
    found = {}
    for path in problems.listed(source.worlds, ".json"):
        with problems.noted():
            found[path] = load_book(path)
    return found


def books_of(role: RolePlan, settings: TavernSettings) -> list[str]:
    """The lorebooks of a character in every chat: its card's, additional ones, global ones."""
    more = settings.more_books.get(PurePath(role.avatar).stem, ())
    return [name for name in dict.fromkeys((role.world, *more, *settings.global_books)) if name]


def world_plans(
    home: Home, worlds: Mapping[Path, Book], ledger: Ledger, problems: Problems
) -> dict[str, WorldPlan]:
    """The plan of every lorebook by its name."""
    taken = {str(row["file"]) for row in ledger.all("world").values() if row.get("file")}
    plans: dict[str, WorldPlan] = {}
    for path, book in worlds.items():
        data = book.write()
        if len(data) > MAX_BYTES:
            problems.append(_too_large(path))
            continue
        file, state = _goal(home, path.name, data, ledger, taken)
        plan = plans[path.stem] = WorldPlan(
            path, len(book.form.listed(book.raw)), file, data, state
        )
        taken.add(plan.file)
    return plans


def _goal(home: Home, name: str, data: bytes, ledger: Ledger, taken: set[str]) -> tuple[str, State]:
    """The name of a lorebook's file here, and whether that is there already."""
    row = ledger.of("world", name)
    if row.get("file"):
        file = str(row["file"])
        now = _standing(home, file)
        state = state_of(None if now is None else digest(now), digest(data), row.get("digest", ""))
        return file, state
    stem = file_name(PurePath(name).stem)
    number = 1
    file = f"{stem}.json"
    while fold_name(file) in {fold_name(one) for one in taken} or _standing(home, file) not in (
        None,
        data,
    ):
        number += 1
        file = f"{stem}-{number}.json"
    return file, "new" if _standing(home, file) is None else "same"


def _standing(home: Home, file: str) -> bytes | None:
    return bytes_in(home.space.blob(f"worldbooks/{file}"))


def write_world(home: Home, plan: WorldPlan, ledger: Ledger) -> None:
    """Write the lorebook into the home's shared folder.

    Raises:
        NotWrittenError: the disk refused.
    """
    if plan.state in ("new", "changed"):
        rewrite(home.space, f"worldbooks/{plan.file}", plan.data)
        note_imported(home.space, plan.file)
    if plan.state != "kept":
        ledger.note("world", plan.path.name, file=plan.file, digest=digest(plan.data))


def catch_all_keys(home: Home, plan: WorldPlan) -> tuple[FileError, ...]:
    """The keys of a lorebook that match any text, each with advice."""
    if plan.state not in ("new", "changed"):
        return ()
    book = read_book(orjson.loads(plan.data), plan.name, BookSource.GLOBAL)
    return tuple(
        FileError(plan.path, LocalizedText("{told}", told=one))
        for one in everywhere([book], home.settings.lore)
    )


def _too_large(path: Path) -> FileError:
    most = MAX_BYTES // 2**20
    return FileError(
        path, "has more than {most} MB", remedy="split it into several lorebooks", most=most
    )
