"""Everything above `storage` knows only the port: who still reaches for files is named here, with the reason."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import rolememory
from tests.parsing import parsed

PACKAGE = Path(rolememory.__file__).parent
FILES = "rolememory.storage.files"
PLACES = {
    *("state", "journal", "chats", "worldbooks", "backups", ".cache"),
    *("memory.json", "role.json"),
}
BY_HAND = "people name, edit and check files here; it runs on homes that are kept as files"
TEMPLATES = "templates, lexicons, cleaning rules and models are read from the home's folder"
BACKUPS = "backups are zips of files; another storage has its own"
REACHING = {
    "authoring/importer/run.py": "an error of the disk is worded as the storage words it",
    "cli/book_moves.py": BY_HAND,
    "cli/bookshelf.py": BY_HAND,
    "cli/checks.py": BY_HAND,
    "cli/files.py": "files named on the command line",
    "cli/model_export.py": TEMPLATES,
    "cli/health.py": BACKUPS,
    "cli/roles.py": BY_HAND,
    "cli/upkeep.py": BACKUPS,
    "engine/home.py": TEMPLATES,
    "engine/context.py": BACKUPS,
    "engine/maintenance.py": BACKUPS,
    "recall/own_rules.py": TEMPLATES,
    "serve/keys.py": "the keys lie in the home's folder",
    "serve/app_state.py": "an editor's saves are watched in the home's folder",
    "serve/proxy/identify.py": "cards are read as files, to compare descriptions",
    "serve/rest/books.py": "books are edited as files",
    "serve/rest/roles.py": "books are edited as files",
    "serve/rest/book_folders.py": "books are edited as files",
    "serve/rest/staged_uploads.py": "what is uploaded waits in a folder",
    "serve/rest/book_tests.py": "books are edited as files",
    "serve/token.py": "the token lies in the home's folder",
    "text/embed/graph.py": TEMPLATES,
}
FOREIGN = {"cards/tavern/layout.py"}  # folders of another program


def reaches(source: str) -> Iterator[str]:
    """Where a source opens files of a role or a home by their paths, or imports what knows them."""
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(FILES):
            yield f"{node.lineno}: imports {node.module}"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            named = node.right.values[0] if isinstance(node.right, ast.JoinedStr) else node.right
            if isinstance(named, ast.Constant) and str(named.value).split("/")[0] in PLACES:
                yield f"{node.lineno}: joins {named.value!r} to a path"


MODULES = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.relative_to(PACKAGE).parts[0] != "storage"
    and str(path.relative_to(PACKAGE)) not in FOREIGN
]


def test_nobody_else_opens_the_files_of_a_role() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix(): told
        for path in MODULES
        if (told := list(reaches(path.read_text(encoding="utf-8"))))
    }
    assert {name: told for name, told in found.items() if name not in REACHING} == {}
    assert REACHING.keys() - found.keys() == set(), "these no longer need to be named"


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        pytest.param('role_folder / "state" / "clock.json"', True, id="a state by its path"),
        pytest.param('folder / f"chats/{name}.jsonl"', True, id="a chat by its path"),
        pytest.param("from rolememory.storage.files.disk import DISK", True, id="the disk"),
        pytest.param('space.document("state/clock.json")', False, id="through the port"),
        pytest.param('home / "pictures"', False, id="what is no place of ours"),
    ],
)
def test_the_rule_can_fail(line: str, broken: bool) -> None:
    assert bool(list(reaches(line))) is broken
