"""What users install: built from the source archive, put into a folder of its own, used far from the checkout."""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.paths import ROOT

pytestmark = pytest.mark.slow

SHIPPED = ("worldbook_rules", "templates", "examples/home")
NO_CHECKOUT = """
import sys
sys.path = [{installed!r}, *(path for path in sys.path if path != {checkout!r})]
sys.argv = ["rolememory", *{arguments!r}]
"""
RUN = "import runpy; runpy.run_module('rolememory', run_name='__main__')\n"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("built")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="session")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, installed away from the checkout; what it depends on comes from the environment of the tests."""
    target = tmp_path_factory.mktemp("site")
    options = (
        "--quiet --no-deps --no-index --no-compile --disable-pip-version-check --target".split()
    )
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, target, next(built.glob("*.whl"))],
        check=True,
    )
    return target


def ran(code: str, folder: Path) -> str:
    """What an isolated Python prints: it reads no PYTHONPATH and not the folder it stands in, so the checkout is out of its sight."""
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", "-c", code],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def setting(installed: Path, *arguments: str) -> str:
    """Code that puts the installed package in the checkout's place."""
    return NO_CHECKOUT.format(installed=str(installed), checkout=str(ROOT), arguments=arguments)


def command(installed: Path, folder: Path, *arguments: str) -> str:
    """What the installed command prints."""
    return ran(setting(installed, *arguments) + RUN, folder)


def files_under(folder: Path) -> set[str]:
    """What git would ship of a folder of the checkout: no caches, no state of somebody's run."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", folder.relative_to(ROOT)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {
        Path(name).relative_to(folder.relative_to(ROOT)).as_posix()
        for name in listed.split("\0")
        if name
    }


def test_the_package_is_the_installed_one(installed: Path, tmp_path: Path) -> None:
    code = setting(installed) + "import rolememory; print(rolememory.__file__)"
    assert Path(ran(code, tmp_path).strip()).is_relative_to(installed)


@pytest.mark.parametrize("folder", SHIPPED)
def test_the_wheel_has_all_its_data(installed: Path, folder: str) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    inside = installed / "rolememory" / "_data" / folder
    there = {path.relative_to(inside).as_posix() for path in inside.rglob("*") if path.is_file()}
    assert files_under(ROOT / folder) <= there
    assert there


def test_the_wheel_is_typed_and_has_its_command(installed: Path) -> None:
    assert (installed / "rolememory" / "py.typed").is_file()
    (entries,) = installed.glob("rolememory-*.dist-info/entry_points.txt")
    assert "rolememory = rolememory.cli.app:main" in entries.read_text(encoding="utf-8")


def test_the_wheel_has_no_tests(installed: Path) -> None:
    assert {path.name for path in installed.iterdir() if path.suffix != ".dist-info"} - {"bin"} == {
        "rolememory"
    }


def test_the_source_archive_can_be_worked_on(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for wanted in (
        "Makefile",
        "pyproject.toml",
        "constraints.txt",
        "README.zh-CN.md",
        "tests/test_engine.py",
        "docs/en/index.md",
        "examples/01_recall.py",
    ):
        assert wanted in names


def test_the_demo_plays(installed: Path, tmp_path: Path) -> None:
    """In Chinese, whose catalogue and templates come along as data; the rest of this file speaks English."""
    told = command(installed, tmp_path, "demo", "--words", "--no-pause", "--lang", "zh")
    assert "想起" in told
    assert "<rolememory>" in told
    assert list(tmp_path.iterdir()) == []


def test_a_home_is_made_and_remembers(installed: Path, tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        return command(installed, tmp_path, *arguments, "--home", "memories", "--lang", "en")

    run("init")
    assert (tmp_path / "memories" / "rolememory.toml").is_file()
    run("settings", "embedding.backend", "off")
    run("open", "Mira", "--create")
    run("add", "Mira", "The beacon failed in the storm of 1887.", "-k", "beacon")
    assert "The beacon failed in the storm of 1887." in run(
        "recall", "Mira", "Why is the beacon dark?"
    )
    told = json.loads(run("recall", "Mira", "Why is the beacon dark?", "--json"))
    assert "storm of 1887" in json.dumps(told)
    assert [path.name for path in tmp_path.iterdir()] == ["memories"]
