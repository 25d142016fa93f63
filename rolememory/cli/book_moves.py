"""book new, import, export: creates, imports and exports lorebooks."""

from pathlib import Path
from typing import Annotated

from rolememory.cli.bookshelf import BookName, book_or_role, book_path, read_file
from rolememory.cli.context import home_path, open_home
from rolememory.cli.files import give_converted, print_converted, write_file
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.options import FileOut, Text, Yes, argument, option
from rolememory.cli.output import out, pasted, picked, say


def new(
    name: Annotated[str, argument("NAME", "its name, or the path of its file")],
    role: Annotated[
        Text, option("--role ROLE", "for this role; else for the whole home, or the file named")
    ] = None,
    yes: Yes = False,
) -> None:
    """Two files that already pass."""
    from rolememory.authoring.expectations import beside
    from rolememory.authoring.starter_book import new_book, new_expectations

    path = _new_path(name, role)
    write_file(path, new_book(path.stem, ProcessLanguage.language), yes)
    write_file(beside(path), new_expectations(path.name, ProcessLanguage.language), yes)
    tests = beside(path)
    out.result(
        {"book": str(path), "tests": str(tests)},
        say("{path} and {name} are there", path=path, name=tests.name),
        say("try `rolememory book test {path}`", path=pasted(str(path))),
    )


def _new_path(name: str, role: str | None) -> Path:
    from rolememory.cards.role_parts import file_name

    file = f"{file_name(name.removesuffix('.json'))}.json"
    if role is not None:
        with open_home() as home:
            return home.folder.folder(home.folder.find(role).id) / "worldbooks" / file
    path = Path(name).expanduser()
    if path.suffix == ".json" or path.parent != Path() or not (home_path() / "worldbooks").is_dir():
        return path.with_suffix(".json")
    return home_path() / "worldbooks" / file


def bring(
    file: BookName,
    role: Annotated[str, argument("ROLE", "a role: name, alias or id")],
    yes: Yes = False,
) -> None:
    """Any known format; JSON stays as it is. Its expectations come along."""
    from rolememory.authoring.convert import as_lorebook
    from rolememory.authoring.expectations import beside
    from rolememory.cards.book_files import load_book
    from rolememory.storage.imported_books import note_imported

    path = book_path(file)
    book = read_file(path)
    with open_home() as home:
        space = home.folder.space(home.folder.find(role).id)
        folder = Path(space.place) / "worldbooks"
    goal = folder / f"{path.stem}.json"
    write_file(goal, as_lorebook(load_book(path), path.read_bytes()), yes)
    note_imported(space, goal.name)
    if beside(path).exists():
        write_file(beside(goal), beside(path).read_bytes(), yes)
    told = {
        "book": str(goal),
        "name": book.name,
        **picked(book.book, "format problems"),
        "entries": len(book.book.entries),
    }
    if not out.json(told):
        out.say("{name}: {entries} {entries:entry|entries}, now at {goal}", goal=goal, **told)
        out.warn(*book.book.problems)


def export(
    book: Annotated[str, argument("BOOK|ROLE", "a lorebook, or a role that has one")],
    to: Annotated[
        str, option("--to FORMAT", "the format, e.g. sillytavern or lorebook_v3")
    ] = "sillytavern",
    file_out: FileOut = None,
    yes: Yes = False,
) -> None:
    """The same bytes when it is in that format already."""
    from rolememory.authoring.convert import convert
    from rolememory.cards.book_files import load_book

    made = convert(load_book(book_or_role(book)), to)
    if file_out is None:
        print_converted(made)
    else:
        give_converted(made, file_out, yes)
