"""story chapters, story chapter, story retell, and /chapter while talking: chapters by hand, as a person types it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rolememory.engine import Home
from tests.cli.running import Command
from tests.endpoint import Endpoint, Line, status
from tests.learning.teller import play, tale, tells
from tests.serve.proxy.upstreams import streams

SETTINGS = """[learn]
endpoint = "{url}"
model = "small"
[embedding]
backend = "off"
"""


@pytest.fixture
def model() -> Iterator[Endpoint]:
    with Endpoint(tells()) as served:
        yield served


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Endpoint) -> Command:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "rolememory.toml").write_text(SETTINGS.format(url=model.url), encoding="utf-8")
    with Home.open(folder) as opened:
        play(opened.create("Mira"), tale(3))
    return Command(folder, monkeypatch)


@pytest.mark.parametrize(
    ("language", "none", "title"),
    [
        pytest.param("en", "no chapters yet", "1. First light; ", id="English"),
        pytest.param("zh", "还没有章节", "1. First light；", id="Chinese"),
    ],
)
def test_a_chapter_is_ended_listed_edited_told_anew_and_deleted(
    home: Command, language: str, none: str, title: str
) -> None:
    assert none in home("story", "chapters", "Mira", lang=language).out
    done = home("story", "chapter", "Mira", "harbour", "--title", "First light", lang=language)
    assert "lamp 1 to lamp 3" in done.out
    shown = home("story", "chapters", "Mira", lang=language).out
    assert shown.startswith(title)
    (one,) = home("story", "chapters", "Mira", "harbour", "--json").json
    assert (one["title"], one["messages"], one["chat"]) == ("First light", 6, "harbour")
    assert sorted(one["people"]) == ["Mira", "lin"]
    assert home("edit", "Mira", one["id"], "chapter=Dusk", "content=Three lamps burn.").code == 0
    (edited,) = home("story", "chapters", "Mira", "--json").json
    assert (edited["title"], edited["content"], edited["people"]) == (
        "Dusk",
        "Three lamps burn.",
        one["people"],
    )
    line = ("story", "retell", "Mira", one["id"], "--through", one["id"], "--json")
    (again,) = home(*line).json
    assert again["content"] == one["content"]
    assert [each["id"] for each in home("story", "chapters", "Mira", "--json").json] == [
        again["id"]
    ]
    assert home("delete", "Mira", again["id"], "--yes").code == 0
    assert home("story", "chapters", "Mira", "--json").json == []
    home("story", "chapter", "Mira", "harbour")
    assert home("story", "chapters", "Mira", "--json").json == [], "what was taken away stays away"


def test_chapters_of_a_chat_are_listed_and_told_anew_up_to_one(home: Command) -> None:
    for count in (3, 4):
        with Home.open(home.home) as opened:
            play(opened.role("Mira"), tale(count))
        home("story", "chapter", "Mira", "harbour")
    with Home.open(home.home) as opened:
        play(opened.role("Mira"), tale(1), chat="tower", user="tom")
    home("story", "chapter", "Mira", "tower")
    of_tower, *others = (
        [each["id"] for each in home("story", "chapters", "Mira", *chat, "--json").json]
        for chat in (["tower"], ["harbour"], [])
    )
    assert [len(of_tower), *map(len, others)] == [1, 2, 3]
    first, last = others[0]
    anew = home("story", "retell", "Mira", first, "--through", last, "--json").json
    assert len(anew) == 2


def test_without_a_model_it_says_what_to_do_and_waits(home: Command, model: Endpoint) -> None:
    model.now(status(500))
    done = home("story", "chapter", "Mira", "harbour", "--title", "First light")
    assert (done.code, "status 500" in done.err) == (0, True)
    assert home("story", "chapter", "Mira", "nowhere").code == 1
    assert home("story", "retell", "Mira", "nowhere").code == 1
    model.now(tells())
    assert "First light" in home("story", "chapter", "Mira", "harbour").out


def test_talking_ends_a_chapter_and_begins_with_what_happened_before(
    home: Command, model: Endpoint
) -> None:
    told, says = tells(), streams("The", " lamps", " burn.")

    def both(line: Line) -> None:
        (told if "response_format" in line.request.json else says)(line)

    model.now(both)
    said = home(
        "chat", "Mira", "--chat", "harbour", "--user", "lin", "--upstream", model.url,
        stdin=b"Lamp 4?\n/chapter The fourth lamp\n",
    )  # fmt: skip
    assert "The fourth lamp" in said.out
    assert "lamp 1 to lamp 4" in said.out
    (one,) = home("story", "chapters", "Mira", "--json").json
    assert one["messages"] == 8
    texts = [row["text"] for row in json.loads(home("sessions", "Mira", "harbour", "--json").out)]
    assert not any("/chapter" in text for text in texts)
    (home.home / "rolememory.toml").write_text(
        SETTINGS.format(url=model.url) + "[inject]\npreviously_days = 0.0000001\n", "utf-8"
    )
    later = home("chat", "Mira", "--chat", "harbour", "--user", "lin", "--upstream", model.url)
    assert "Previously:" in later.out
    assert one["content"] in later.out
