"""The docs tell the truth: their code runs and prints what they say, their files load, their links lead somewhere, in both languages alike."""

import contextlib
import io
import json
import shlex
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from rolememory import Home
from rolememory.authoring.expectations import read_expectations
from rolememory.inject.sandbox import Sandbox
from rolememory.storage.memory_file import ARRAYS, read
from rolememory.storage.settings import load_settings
from tests.docs.pages import ALL, FRONT, GUIDES, Block, Page, beside
from tests.paths import ROOT

WORDS_ALONE = '[embedding]\nbackend = "off"\n'
BOTH = [page for page in [*FRONT, *GUIDES] if page.path.parent != ROOT / "docs"]
WITH_CODE = [page for page in BOTH if any(block.language == "python" for block in page.blocks)]


def named(pages: list[Page]) -> list[Any]:
    return [pytest.param(page, id=page.name) for page in pages]


def blocks(language: str) -> list[Any]:
    return [
        pytest.param(block, id=f"{page.name}-{n}")
        for page in BOTH
        for n, block in enumerate(page.blocks)
        if block.language == language
    ]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the example home in it, and nothing that loads a model."""
    shutil.copytree(ROOT / "examples" / "home", tmp_path / "examples" / "home")
    for home in (tmp_path / "examples" / "home", tmp_path / "memories"):
        home.mkdir(exist_ok=True)
        (home / "rolememory.toml").write_text(WORDS_ALONE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", named(WITH_CODE))
def test_the_code_of_a_page_prints_what_the_page_says(
    page: Page, desk: Path, request: pytest.FixtureRequest
) -> None:
    printed = _run(page)
    if request.config.getoption("--update-golden"):
        _written(page, printed)
        return
    for told, said in printed:
        assert said == (told.text if told else ""), (
            f"{page.name}: run pytest --update-golden and read the diff"
        )
    _run(page)  # a reader may run it again


def _run(page: Page) -> list[tuple[Block | None, str]]:
    """What each block prints, beside what the page says."""
    known: dict[str, Any] = {"__name__": "page"}
    printed = [(told, _printed(block, page, known)) for block, told in page.outputs()]
    for value in known.values():
        if isinstance(value, Home):
            value.close()
    return printed


def _printed(block: Block, page: Page, known: dict[str, Any]) -> str:
    """What a block prints; the names of the blocks before it are known to it."""
    line = page.text.count("\n", 0, block.start)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile("\n" * line + block.text, page.name, "exec"), known)  # the page's own code
    return "".join(f"{row.rstrip()}\n" for row in said.getvalue().splitlines())


def _written(page: Page, printed: list[tuple[Block | None, str]]) -> None:
    text = page.text
    for told, said in reversed(printed):
        if told:
            text = text[: told.start] + said + text[told.end :]
    page.path.write_text(text, encoding="utf-8", newline="\n")


@pytest.mark.parametrize("block", blocks("toml"))
def test_settings_on_a_page_load(block: Block, tmp_path: Path) -> None:
    tree = tomllib.loads(block.text)
    if "project" in tree:
        return
    if "case" in tree:
        assert read_expectations(block.text, "page.test.toml")
        return
    (tmp_path / "rolememory.toml").write_text(block.text, encoding="utf-8")
    assert not load_settings(tmp_path).notes


@pytest.mark.parametrize("block", blocks("json"))
def test_json_on_a_page_is_what_it_looks_like(block: Block) -> None:
    document = json.loads(block.text)
    if isinstance(document, dict) and not ARRAYS.keys().isdisjoint(document):
        assert read(block.text.encode()).problems == []
    elif isinstance(document, dict) and "content" in document:
        assert read(json.dumps({"semantic": [document]}).encode()).problems == []


@pytest.mark.parametrize("block", blocks("jinja"))
def test_templates_on_a_page_compile(block: Block) -> None:
    Sandbox().compile("page", block.text)


@pytest.mark.parametrize("page", named(ALL))
def test_links_lead_somewhere(page: Page) -> None:
    for target in page.links:
        file, _, anchor = target.partition("#")
        path = (page.path.parent / file).resolve() if file else page.path
        assert path.exists(), f"{page.name}: {target}"
        assert path.is_relative_to(ROOT), f"{page.name}: {target} leads out of the repository"
        if anchor:
            assert anchor in Page(path).anchors, f"{page.name}: {target}"


@pytest.mark.parametrize("page", named(BOTH))
def test_a_page_stands_in_both_languages_with_the_same_shape(page: Page) -> None:
    other = beside(page)
    assert other.path.exists(), f"{other.name} is missing"
    assert [level for level, _ in page.headings] == [level for level, _ in other.headings]
    assert [block.language for block in page.blocks] == [block.language for block in other.blocks]
    assert page.tables == other.tables


@pytest.mark.parametrize("page", named([page for page in GUIDES if page.path.parent.name == "zh"]))
def test_a_chinese_page_is_chinese(page: Page) -> None:
    assert sum("\u4e00" <= letter <= "\u9fff" for letter in page.prose) > len(page.prose) // 10


@pytest.mark.parametrize("folder", ["en", "zh"])
def test_the_index_names_every_page(folder: str) -> None:
    index = Page(ROOT / "docs" / folder / "index.md")
    assert {target.partition("#")[0] for target in index.links} >= {
        page.path.name for page in GUIDES if page.path.parent.name == folder
    } - {"index.md"}


def commands() -> list[Any]:
    """Every call of the command line that a page shows."""
    rows = [
        (page, line.split("#")[0].strip())
        for page in BOTH
        for block in page.blocks
        if block.language == "sh"
        for line in block.text.splitlines()
    ]
    told = [(page, command) for page, command in rows if command.startswith("rolememory ")]
    return [pytest.param(command, id=f"{page.name}: {command}") for page, command in told]


@pytest.mark.parametrize("command", commands())
def test_commands_on_a_page_are_there(command: str) -> None:
    """The command line takes every verb and option that a page shows."""
    from typer.main import get_command

    from rolememory.cli import command_line
    from rolememory.cli.app import application
    from rolememory.cli.verbs import VerbGroup

    words = list(command_line.read(shlex.split(command.split(" > ", maxsplit=1)[0])[1:]).rest)
    context, node = None, get_command(application())
    while isinstance(node, VerbGroup) and words:
        context = node.make_context(node.name, [words[0]], parent=context, resilient_parsing=True)
        node = node.get_command(context, words.pop(0))
    assert node is not None, "no verb"
    assert not isinstance(node, VerbGroup), "no verb"
    node.make_context(node.name, words, parent=context)


@pytest.mark.parametrize(
    "command",
    [
        "rolememory frobnicate x",
        "rolememory recall Mira hi --nope",
        "rolememory edit",
        "rolememory model steal x",
    ],
)
def test_a_command_that_is_not_there_is_found_out(command: str) -> None:
    with pytest.raises(Exception, match=r"no verb|[Nn]o such|[Mm]issing"):
        test_commands_on_a_page_are_there(command)
