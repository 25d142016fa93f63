"""book new, import, export: lorebooks that come and go."""

import os
from pathlib import Path
from typing import Annotated

from rolememory.cli.bookshelf import BookName, book_or_role, book_path, read_file
from rolememory.cli.context import home_path, open_home
from rolememory.cli.options import Text, Yes, argument, option
from rolememory.cli.output import out
from rolememory.cli.words import Tongue, say
from rolememory.errors import FileError, InvalidValueError


def new(
    name: Annotated[str, argument("NAME", "its name, or the path of its file")],
    role: Annotated[
        Text,
        option("--role ROLE", "for this role; else for the whole home, or the file named"),
    ] = None,
    yes: Yes = False,
) -> None:
    """Two files that already pass."""
    from rolememory.authoring.expectations import beside
    from rolememory.authoring.starter_book import new_book, new_expectations

    path = _new_path(name, role)
    write_file(path, new_book(path.stem, Tongue.language), yes)
    write_file(beside(path), new_expectations(path.name, Tongue.language), yes)
    if out.json({"book": str(path), "tests": str(beside(path))}):
        return
    out.say("{path} and {name} are there", path=path, name=beside(path).name)
    out.say("try `rolememory book test {path}`", path=path)


def _new_path(name: str, role: str | None) -> Path:
    if role is not None:
        with open_home() as home:
            return home.folder.folder(home.folder.find(role).id) / "worldbooks" / _file_name(name)
    path = Path(name).expanduser()
    if path.suffix == ".json" or path.parent != Path() or not (home_path() / "worldbooks").is_dir():
        return path.with_suffix(".json")
    return home_path() / "worldbooks" / _file_name(name)


def _file_name(name: str) -> str:
    """A name as a file, on any system.

    >>> _file_name("灯塔: 传说?")
    '灯塔_ 传说_.json'
    """
    kept = "".join(
        "_" if letter in '<>:"/\\|?*' or letter < " " else letter
        for letter in name.removesuffix(".json")
    ).strip(" .")
    if not kept:
        raise InvalidValueError("{name!r} is no name for a file; write another", name=name)
    return f"{kept}.json"


def write_file(path: Path, text: str | bytes, yes: bool) -> None:
    """Write a file, never over another without being asked to."""
    from rolememory.storage.files.atomic import write

    if (
        path.exists()
        and not yes
        and not (out.asks and out.ask(say("{path} is there already; replace it?", path=path)))
    ):
        raise InvalidValueError("{path} is there already; --yes replaces it", path=path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            path.parent,
            "cannot be made: {strerror}",
            remedy="check the path",
            strerror=error.strerror,
        ) from error
    mode = path.stat().st_mode if path.exists() else 0o666 & ~_umask()
    write(path, text.encode("utf-8") if isinstance(text, str) else text)
    path.chmod(mode & 0o777)  # outside a home a file is as any other that its author makes


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def bring(
    file: BookName,
    role: Annotated[str, argument("ROLE", "a role: name, alias or id")],
    yes: Yes = False,
) -> None:
    """Any known format; JSON stays as it is. Its expectations come along."""
    from rolememory.authoring.expectations import beside

    path = book_path(file)
    book = read_file(path)
    with open_home() as home:
        folder = home.folder.folder(home.folder.find(role).id) / "worldbooks"
    goal = folder / f"{path.stem}.json"
    write_file(goal, path.read_bytes() if path.suffix == ".json" else _as_json(path), yes)
    if beside(path).exists():
        write_file(beside(goal), beside(path).read_bytes(), yes)
    told = {
        "book": str(goal),
        "name": book.name,
        "format": book.book.format,
        "entries": len(book.book.entries),
        "problems": list(book.book.problems),
    }
    if out.json(told):
        return
    out.say(
        "{name}: {entries} entries, now at {goal}",
        name=book.name,
        entries=told["entries"],
        goal=goal,
    )
    for problem in book.book.problems:
        out.warn(problem)


def _as_json(path: Path) -> bytes:
    """The book in a picture or an archive, as a file of its own."""
    from rolememory.authoring.convert import convert
    from rolememory.cards.book_files import load_book

    return convert(load_book(path), "lorebook_v3").data


def export(
    book: Annotated[
        str,
        argument("BOOK|ROLE", "a lorebook, or a role that has one"),
    ],
    to: Annotated[
        str,
        option("--to FORMAT", "the format, e.g. sillytavern or lorebook_v3"),
    ] = "sillytavern",
    file_out: Annotated[
        Text,
        option("--out -o FILE", "into this file; else to standard output"),
    ] = None,
    yes: Yes = False,
) -> None:
    """The same bytes when it is in that format already."""
    from rolememory.authoring.convert import convert
    from rolememory.cards.book_files import load_book

    made = convert(load_book(book_or_role(book)), to)
    for loss in made.losses:
        out.warn(f"{loss.field}{say(': ')}{loss.text(Tongue.language)}")
    if file_out is not None:
        write_file(Path(file_out).expanduser(), made.data, yes)
        out.say("written to {out}", out=file_out)
    elif b"\0" in made.data[:64]:
        raise InvalidValueError("{to} is no text; write it into a file with --out FILE", to=to)
    else:
        out.raw(made.data.decode("utf-8"))
