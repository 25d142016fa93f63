"""A third language is files alone: the one that the page on extending shows, dropped into a home."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rolememory.engine import Home
from rolememory.storage.home import init
from tests.cli.running import Ran, process
from tests.paths import ROOT

ROLE = "Mira"
FRAME = "{{ char }} memoras:\n{% for memory in memories %}- {{ memory.text }}\n{% endfor %}"


def shown(language: str) -> str:
    """The catalogue that the page of that language shows."""
    page = (ROOT / "docs" / language / "extending.md").read_text("utf-8")
    found = re.search(r"```po\n(.*?)```", page, re.DOTALL)
    assert found
    return found[1]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a role and the files of the language."""
    home = tmp_path_factory.mktemp("eo") / "home"
    init(home)
    with Home.open(home, {"embedding.backend": "off"}) as opened:
        opened.create(ROLE)
    files = {"locales/eo.po": shown("en"), "templates/inject/default.eo.jinja": FRAME}
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, "utf-8")
    return home


def speak(home: Path, *arguments: str) -> Ran:
    return process("--home", str(home), *arguments, environment={"ROLEMEMORY_LANG": ""})


def test_both_pages_show_the_same() -> None:
    assert shown("en") == shown("zh")


def test_it_is_spoken_when_asked_for(home: Path) -> None:
    added = speak(home, "add", ROLE, "The beacon failed.", "--key", "beacon", "--lang", "eo")
    assert added.out.startswith("Mira memoras ")
    refused = speak(home, "recall", "Nobody", "hello", "--lang", "eo")
    assert "neniu rolo kun la nomo Nobody (ekzistas: Mira)" in refused.err


def test_the_settings_choose_it(home: Path, tmp_path: Path) -> None:
    mine = shutil.copytree(home, tmp_path / "home")
    assert speak(mine, "settings", "language", "eo").code == 0
    assert speak(mine, "settings", "inject.language", "eo").code == 0
    told = speak(mine, "add", ROLE, "The beacon failed in the storm.", "--key", "storm")
    assert told.out.startswith("Mira memoras ")
    recalled = speak(mine, "recall", ROLE, "What was it about the storm?")
    assert "Mira memoras:\n- The beacon failed in the storm." in recalled.out


def test_what_is_not_translated_is_english(home: Path) -> None:
    assert speak(home, "roles", "--lang", "eo").out == speak(home, "roles", "--lang", "en").out


def test_a_language_without_a_catalogue_is_refused(home: Path) -> None:
    refused = speak(home, "roles", "--lang", "tlh")
    assert (refused.code, "expected one of en, eo, zh" in refused.err) == (2, True)


def test_those_who_ask_over_http_hear_it(home: Path) -> None:
    code = (
        "from pathlib import Path; from rolememory.locales import add_folder; "
        "from rolememory.serve.http_refusal import language_of; "
        f"add_folder(Path({str(home)!r}) / 'locales'); "
        "print(language_of({'accept-language': 'eo, en;q=0.5'}, 'zh'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "eo"


def test_a_catalogue_that_cannot_be_read_costs_its_words_alone(home: Path, tmp_path: Path) -> None:
    mine = shutil.copytree(home, tmp_path / "home")
    (mine / "locales/zh.po").write_bytes('msgid "x"\nmsgstr "灯塔"\n'.encode("gbk"))
    told = speak(mine, "recall", "Nobody", "hello", "--lang", "zh")
    assert "没有名为" in told.err
    assert "Traceback" not in told.err
