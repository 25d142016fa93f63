"""book new, import, export: lorebooks that come and go."""

import os
from pathlib import Path
from typing import Annotated

from rolememory.cli.bookshelf import BookName, book_or_role, book_path, read_file
from rolememory.cli.desk import Desk, desk
from rolememory.cli.options import Text, Yes, argument, option
from rolememory.cli.verbs import AUTHOR, verb
from rolememory.cli.words import Tongue, both, say
from rolememory.errors import FileError, InvalidValueError


@verb(
    "book new",
    AUTHOR,
    both("begin a book, with its expectations beside it", "新建一本世界书，并附上期望文件"),
)
def new(
    name: Annotated[str, argument("NAME", "its name, or the path of its file", "书名，或文件路径")],
    role: Annotated[
        Text,
        option(
            "--role ROLE",
            "for this role; else for the whole home, or the file named",
            "给这个角色；不写则放进记忆库，或写到指定文件",
        ),
    ] = None,
    yes: Yes = False,
) -> None:
    """Two files that already pass."""
    from rolememory.author.expectations import beside
    from rolememory.author.newbook import new_book, new_expectations

    here = desk()
    path = _new_path(here, name, role)
    write_file(here, path, new_book(path.stem, Tongue.language), yes)
    write_file(here, beside(path), new_expectations(path.name, Tongue.language), yes)
    if here.out.as_json:
        here.out.data({"book": str(path), "tests": str(beside(path))})
        return
    here.out.say(
        say(f"{path} and {beside(path).name} are there", f"已写好 {path} 和 {beside(path).name}")
    )
    here.out.say(
        say(f"try `rolememory book test {path}`", f"可以试试 `rolememory book test {path}`")
    )


def _new_path(here: Desk, name: str, role: str | None) -> Path:
    if role is not None:
        with here.home() as home:
            return home.folder.folder(home.folder.find(role).id) / "worldbooks" / _file_name(name)
    path = Path(name).expanduser()
    if path.suffix == ".json" or path.parent != Path() or not (here.path / "worldbooks").is_dir():
        return path.with_suffix(".json")
    return here.path / "worldbooks" / _file_name(name)


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
        raise InvalidValueError(
            f"{name!r} is no name for a file; write another", zh=f"“{name}”不能用作文件名；请换一个"
        )
    return f"{kept}.json"


def write_file(here: Desk, path: Path, text: str | bytes, yes: bool) -> None:
    """Write a file, never over another without being asked to."""
    from rolememory.storage.files.atomic import write

    if (
        path.exists()
        and not yes
        and not (
            here.out.asks
            and here.out.ask(
                say(f"{path} is there already; replace it?", f"{path} 已存在，要替换吗？")
            )
        )
    ):
        raise InvalidValueError(
            f"{path} is there already; --yes replaces it", zh=f"{path} 已存在；加 --yes 可替换"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            path.parent,
            f"cannot be made: {error.strerror}",
            remedy="check the path",
            zh=("建不了文件夹", "请检查路径"),
        ) from error
    mode = path.stat().st_mode if path.exists() else 0o666 & ~_umask()
    write(path, text.encode("utf-8") if isinstance(text, str) else text)
    path.chmod(mode & 0o777)  # outside a home a file is as any other that its author makes


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


@verb("book import", AUTHOR, both("give a role a book, as it is", "把一本世界书原样交给角色"))
def bring(
    file: BookName,
    role: Annotated[str, argument("ROLE", "a role: name, alias or id", "角色的名字、别名或 id")],
    yes: Yes = False,
) -> None:
    """Any known format; JSON stays as it is. Its expectations come along."""
    from rolememory.author.expectations import beside

    here = desk()
    path = book_path(here, file)
    book = read_file(path)
    with here.home() as home:
        folder = home.folder.folder(home.folder.find(role).id) / "worldbooks"
    goal = folder / f"{path.stem}.json"
    write_file(here, goal, path.read_bytes() if path.suffix == ".json" else _as_json(path), yes)
    if beside(path).exists():
        write_file(here, beside(goal), beside(path).read_bytes(), yes)
    told = {
        "book": str(goal),
        "name": book.name,
        "format": book.book.format,
        "entries": len(book.book.entries),
        "problems": list(book.book.problems),
    }
    if here.out.as_json:
        here.out.data(told)
        return
    here.out.say(
        say(
            f"{book.name}: {told['entries']} entries, now at {goal}",
            f"{book.name}：{told['entries']}个条目，已放到 {goal}",
        )
    )
    for problem in book.book.problems:
        here.out.warn(problem)


def _as_json(path: Path) -> bytes:
    """The book in a picture or an archive, as a file of its own."""
    from rolememory.author.convert import convert
    from rolememory.cards.book_files import load_book

    return convert(load_book(path), "lorebook_v3").data


@verb(
    "book export",
    AUTHOR,
    both(
        "write a book in another format; what it cannot hold is told",
        "把世界书写成另一种格式，并说明有哪些内容放不下",
    ),
)
def export(
    book: Annotated[
        str,
        argument("BOOK|ROLE", "a lorebook, or a role that has one", "世界书，或有一本世界书的角色"),
    ],
    to: Annotated[
        str,
        option(
            "--to FORMAT",
            "the format, e.g. sillytavern or lorebook_v3",
            "格式，例如 sillytavern 或 lorebook_v3",
        ),
    ] = "sillytavern",
    out: Annotated[
        Text,
        option(
            "--out -o FILE",
            "into this file; else to standard output",
            "写到这个文件；不写就输出到标准输出",
        ),
    ] = None,
    yes: Yes = False,
) -> None:
    """The same bytes when it is in that format already."""
    from rolememory.author.convert import convert
    from rolememory.cards.book_files import load_book

    here = desk()
    made = convert(load_book(book_or_role(here, book)), to)
    for loss in made.losses:
        here.out.warn(f"{loss.field}{say(': ', '：')}{loss.text(Tongue.language)}")
    if out is not None:
        write_file(here, Path(out).expanduser(), made.data, yes)
        here.out.say(say(f"written to {out}", f"已写到 {out}"))
    elif b"\0" in made.data[:64]:
        raise InvalidValueError(
            f"{to} is no text; write it into a file with --out FILE",
            zh=f"{to} 不是文本格式；请用 --out 写到文件",
        )
    else:
        here.out.raw(made.data.decode("utf-8"))
