"""Putting the extension into a SillyTavern folder, and taking it out."""

import json
import tomllib
from pathlib import Path

import pytest
import yaml

from rolememory.cli.sillytavern import addresses, extension, hint, place
from rolememory.errors import InvalidValueError
from rolememory.storage.settings_text import set_value
from tests.cli.running import Command

HERE = ["http://127.0.0.1:8000", "http://localhost:8000"]


@pytest.fixture
def tavern(tmp_path: Path) -> Path:
    folder = tmp_path / "SillyTavern"
    (folder / "data" / "default-user").mkdir(parents=True)
    (folder / "data" / "_storage").mkdir()
    return folder


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    return Command(tmp_path / "memories", monkeypatch)


def origins(home: Path) -> list[str]:
    """The pages that may ask."""
    settings = tomllib.loads((home / "rolememory.toml").read_text(encoding="utf-8"))
    found: list[str] = settings.get("serve", {}).get("allowed_origins", [])
    return found


def files(folder: Path) -> dict[str, bytes]:
    """Everything in a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_everything_is_put_in_and_taken_out(command: Command, tavern: Path) -> None:
    before = files(tavern)
    assert command("integrate", "sillytavern", str(tavern)).code == 0
    target = tavern / "data" / "default-user" / "extensions" / "rolememory"
    assert files(target) == files(extension())
    assert origins(command.home) == HERE
    assert command("integrate", "sillytavern", str(tavern), "--remove").code == 0
    assert files(tavern) == before
    assert origins(command.home) == []


def test_origins_of_others_stay(command: Command, tavern: Path) -> None:
    command("init", str(command.home))
    other = ["http://box:9000"]
    set_value(command.home, "serve.allowed_origins", other)
    command("integrate", "sillytavern", str(tavern))
    command("integrate", "sillytavern", str(tavern))
    assert origins(command.home) == [*other, *HERE]
    command("integrate", "sillytavern", str(tavern), "--remove")
    assert origins(command.home) == other


def test_an_older_one_of_ours_is_replaced(command: Command, tavern: Path) -> None:
    command("integrate", "sillytavern", str(tavern))
    target = tavern / "data" / "default-user" / "extensions" / "rolememory"
    (target / "gone.js").write_text("old", encoding="utf-8")
    assert command("integrate", "sillytavern", str(tavern)).code == 0
    assert files(target.parent) == {
        f"rolememory/{name}": data for name, data in files(extension()).items()
    }


@pytest.mark.parametrize("kind", ["another extension", "a git checkout", "a link"])
def test_what_is_not_ours_stays(command: Command, tavern: Path, kind: str) -> None:
    target = tavern / "data" / "default-user" / "extensions" / "rolememory"
    target.parent.mkdir(parents=True)
    if kind == "a link":
        elsewhere = tavern / "mine"
        elsewhere.mkdir()
        target.symlink_to(elsewhere)
    else:
        target.mkdir()
        (target / "manifest.json").write_text(
            json.dumps({"display_name": "rolememory" if kind == "a git checkout" else "x"}), "utf-8"
        )
    if kind == "a git checkout":
        (target / ".git").mkdir()
    before = files(tavern)
    for words in ((), ("--remove",)):
        ran = command("integrate", "sillytavern", str(tavern), *words)
        assert (ran.code, "something else stands there" in ran.err) == (1, True)
    assert files(tavern) == before
    assert not (command.home / "rolememory.toml").exists() or origins(command.home) == []


@pytest.mark.parametrize(
    ("users", "wanted", "found"),
    [
        pytest.param([], None, "default-user", id="a folder nobody has used yet"),
        pytest.param(["lin"], None, "lin", id="the only user"),
        pytest.param(["lin", "default-user"], None, "default-user", id="the usual one of several"),
        pytest.param(["lin", "mei"], "mei", "mei", id="the one that is named"),
        pytest.param(["lin", "mei"], None, "refused", id="nobody can tell which"),
        pytest.param(["lin"], "../x", "refused", id="one that is not there"),
    ],
)
def test_whose_folder(tmp_path: Path, users: list[str], wanted: str | None, found: str) -> None:
    for name in ("_storage", *users):
        (tmp_path / "data" / name).mkdir(parents=True)
    if found == "refused":
        with pytest.raises(InvalidValueError):
            place(tmp_path, wanted)
    else:
        assert place(tmp_path, wanted) == tmp_path / "data" / found / "extensions" / "rolememory"


def test_for_the_user_that_is_named(command: Command, tavern: Path) -> None:
    for name in ("default-user", "mei"):
        (tavern / "data" / name).mkdir(parents=True, exist_ok=True)
    assert command("integrate", "sillytavern", str(tavern), "--user", "mei").code == 0
    assert (tavern / "data" / "mei" / "extensions" / "rolememory").is_dir()


def test_for_everybody(command: Command, tavern: Path) -> None:
    (tavern / "public" / "scripts" / "extensions").mkdir(parents=True)
    assert command("integrate", "sillytavern", str(tavern), "--all-users").code == 0
    assert (
        tavern
        / "public"
        / "scripts"
        / "extensions"
        / "third-party"
        / "rolememory"
        / "manifest.json"
    ).is_file()


@pytest.mark.parametrize(
    ("config", "found"),
    [
        pytest.param("port: 8123\n", "http://127.0.0.1:8123", id="its port"),
        pytest.param("ssl:\n  enabled: true\n", "https://127.0.0.1:8000", id="with a certificate"),
        pytest.param("port: [\n", "http://127.0.0.1:8000", id="a broken file"),
        pytest.param("- 1\n", "http://127.0.0.1:8000", id="no settings at all"),
        pytest.param("port: many\n", "http://127.0.0.1:8000", id="no number"),
    ],
)
def test_the_address_of_its_page(tmp_path: Path, config: str, found: str) -> None:
    (tmp_path / "config.yaml").write_text(config, encoding="utf-8")
    assert next(iter(addresses(tmp_path))) == found


def test_another_address(command: Command, tavern: Path) -> None:
    command("integrate", "sillytavern", str(tavern), "--address", "https://st.example:8443/")
    assert origins(command.home) == ["https://st.example:8443"]
    assert command("integrate", "sillytavern", str(tavern), "--address", "st.example").code == 1


def test_no_such_program(command: Command, tmp_path: Path) -> None:
    ran = command("integrate", "sillytavern", str(tmp_path))
    assert (ran.code, "server.js" in ran.err) == (1, True)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_to_paste_is_told(command: Command, tavern: Path, lang: str) -> None:
    out = command("integrate", "sillytavern", str(tavern), lang=lang).out
    assert "http://127.0.0.1:8787/v1" in out
    assert hint() in out
    assert command("integrate", "sillytavern", str(tavern), "--json").json["parameters"] == hint()


def test_names_do_not_break_the_parameters() -> None:
    filled = hint().replace("{{char}}", 'Dr. "Bones": #2 - {x}').replace("{{user}}", "林 'y': & *z")
    found = yaml.safe_load(filled)["rolememory"]
    assert (found["role"], found["user"]) == ('Dr. "Bones": #2 - {x}', "林 'y': & *z")


def test_every_word_has_its_translation() -> None:
    import re

    told = {
        match.replace("\\n", "\n").replace("\\'", "'")
        for path in extension().glob("*.js")
        for match in re.findall(r"say\(\s*'((?:[^'\\]|\\.)*)'", path.read_text(encoding="utf-8"))
    }
    known = json.loads((extension() / "i18n" / "zh-cn.json").read_text(encoding="utf-8"))
    assert told == set(known)
    assert all(
        sorted(re.findall(r"\{\d\}", en)) == sorted(re.findall(r"\{\d\}", zh))
        for en, zh in known.items()
    )


def test_nothing_becomes_html() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in extension().glob("*.js"))
    assert not [
        word
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")
        if word in sources
    ]
