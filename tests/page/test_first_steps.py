"""An empty home: from nothing to the first recalled memory."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from rolememory.engine import Home
from tests.cards.tavern.folders import life
from tests.page.visitors import EITHER, Visitor, visiting
from tests.serve.houses import WORDS_ONLY, Served, served


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "home") as house:
        yield house


@EITHER
def test_from_an_empty_home_to_a_first_recalled_memory(
    browser: Browser, empty: Served, language: str, screen: str
) -> None:
    said, asked = {
        "en": ("The beacon failed in the storm of 1887.", "Why is the beacon dark?"),
        "zh": ("1887 年的暴风雨中灯塔熄灭了。", "灯塔为什么灭了？"),
    }[language]
    with visiting(browser, empty, language, screen) as visitor:
        visitor.page.goto(empty.url)
        visitor.reads(visitor.says("welcome.title"))
        expect(visitor.page.get_by_text(f"{empty.url}/v1").first).to_be_visible()
        visitor.button("welcome.make").click()
        visitor.reads(visitor.says("welcome.name.missing"))
        visitor.field("welcome.name").fill("Mira")
        visitor.button("welcome.make").click()
        visitor.field("welcome.tell").fill(said)
        visitor.button("welcome.keep").click()
        visitor.reads(visitor.says("done.add"))
        visitor.field("welcome.ask").fill(asked)
        visitor.button("welcome.recall").click()
        expect(visitor.page.locator("#recalled")).to_contain_text(said)
        visitor.page.get_by_role("link", name=visitor.says("welcome.garden")).click()
        expect(visitor.page.locator("canvas")).to_have_attribute("data-points", "1")


REST_WORDS = re.compile(r"`|/api/|\bbody\b|请求体|-[0-9a-f]{4}-")


@EITHER
def test_what_is_refused_is_told_in_words_of_the_page(
    browser: Browser, empty: Served, tmp_path: Path, language: str, screen: str
) -> None:
    role, nothing = empty.home.create("Mira"), tmp_path / "nothing.png"
    nothing.touch()
    with visiting(browser, empty, language, screen) as visitor:
        visitor.goes("welcome")
        visitor.page.locator("summary", has_text=visitor.says("welcome.another")).click()
        alert = visitor.page.locator(".banner[role=alert]")
        for name, told in (("mira", role.role.name), ("x" * 300, "name")):
            visitor.field("welcome.name").fill(name)
            visitor.button("welcome.make").click()
            expect(alert).to_contain_text(told)
            expect(alert).not_to_contain_text(REST_WORDS)
        visitor.field("welcome.card.file").set_input_files(nothing)
        refused = visitor.page.get_by_text("nothing.png")
        expect(refused).to_be_visible()
        expect(refused).not_to_contain_text(REST_WORDS)
        visitor.errors = [error for error in visitor.errors if "422" not in error]


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, Any]:
    """What another home exports."""
    with Home.open(tmp_path / "elsewhere", WORDS_ONLY) as home:
        role = home.create("Asha")
        role.remember("Asha likes tea.")
        return role.export()


def test_what_another_home_exported_comes_in_as_a_file(
    browser: Browser,
    empty: Served,
    elsewhere: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    document = tmp_path_factory.mktemp("outside") / "asha.json"
    document.write_text(json.dumps(elsewhere), "utf-8")
    empty.home.create("Abe")
    with visiting(browser, empty, "en", "desktop") as visitor:
        visitor.goes("welcome")
        visitor.page.locator("summary", has_text=visitor.says("welcome.another")).click()
        visitor.field("welcome.card.file").set_input_files(document)
        visitor.reads("Roles here: 2")
        expect(visitor.page.locator("#role")).to_have_value(empty.home.role("Asha").id)
        chosen = visitor.page.locator("ol.steps button[aria-pressed=true]")
        expect(chosen).to_have_text("Asha")
        visitor.page.get_by_role("button", name="Abe", exact=True).click()
        expect(chosen).to_have_text("Abe")
        expect(visitor.page.locator("#role")).to_have_value(empty.home.role("Abe").id)


@EITHER
def test_a_card_becomes_a_role(
    browser: Browser,
    empty: Served,
    tmp_path_factory: pytest.TempPathFactory,
    language: str,
    screen: str,
) -> None:
    card = {
        "spec": "chara_card_v2",
        "spec_version": "2.0",
        "data": {
            "name": "Wren",
            "description": "Wren mends clocks.",
            "character_book": {"entries": [{"keys": ["the"], "content": "Tick.", "enabled": True}]},
        },
    }
    document = tmp_path_factory.mktemp("outside") / "wren.json"
    document.write_text(json.dumps(card), "utf-8")
    with visiting(browser, empty, language, screen) as visitor:
        visitor.goes("welcome")
        visitor.field("welcome.card.file").set_input_files(document)
        visitor.reads(visitor.says("welcome.have", count=1))
        expect(visitor.page.locator("#role")).to_contain_text("Wren")
        visitor.reads(visitor.says("welcome.brought", name="Wren"))  # with what is wrong with it
    wren = empty.home.role("Wren")
    assert (wren.role.card, dict(wren.memories)) == ("card.json", {})


@EITHER
def test_a_card_of_a_role_that_is_there_is_asked_about_by_buttons(
    browser: Browser,
    empty: Served,
    tmp_path_factory: pytest.TempPathFactory,
    language: str,
    screen: str,
) -> None:
    card = {"spec": "chara_card_v2", "data": {"name": "Wren", "description": "Wren mends clocks."}}
    document = tmp_path_factory.mktemp("outside") / "wren.json"
    document.write_text(json.dumps(card), "utf-8")
    empty.home.create("Wren").remember("The tower clock stands still.")
    with visiting(browser, empty, language, screen) as visitor:
        visitor.goes("welcome")
        visitor.page.locator("summary", has_text=visitor.says("welcome.another")).click()
        visitor.field("welcome.card.file").set_input_files(document)
        update = visitor.button("welcome.card.update", name="Wren")
        expect(update).to_be_visible()
        expect(visitor.page.get_by_role("alert")).not_to_contain_text("into")  # a word of REST
        update.click()
        visitor.reads(visitor.says("welcome.brought", name="Wren"))
        visitor.errors = [error for error in visitor.errors if "409" not in error]
    assert empty.home.role("Wren").role.card == "card.json"


@EITHER
def test_what_is_missing_is_one_step_away(
    browser: Browser, empty: Served, language: str, screen: str
) -> None:
    with visiting(browser, empty, language, screen) as visitor:
        visitor.goes("welcome")
        visitor.page.get_by_role(
            "link", name=visitor.says("welcome.upstream.set"), exact=True
        ).click()
        expect(visitor.page.get_by_label("serve.upstream", exact=True)).to_be_visible()


def brings(visitor: Visitor, empty: Served) -> None:
    """Presses what brings everything that was found, and sees it here."""
    expect(visitor.page.locator("#tavern-found")).to_contain_text("明月")
    assert empty.home.roles() == []
    moon = visitor.says("tavern.many.of", name="明月", count=2)
    visitor.page.get_by_label(moon).select_option("one")
    visitor.button("tavern.bring").click()
    going = visitor.page.locator("#tavern-going")
    expect(going).to_contain_text(visitor.says("tavern.done"))
    expect(going).to_be_visible()
    expect(visitor.page.locator("#role")).to_contain_text("明月")
    visitor.reads(visitor.says("welcome.have", count=4))
    assert sorted(role.name for role in empty.home.roles()) == ["Asha", "Asha", "Bo", "明月"]
    told = {
        role.card_from: {one.story for one in empty.home.role(role.id).chats.chats()}
        for role in empty.home.roles()
    }
    assert (told["Asha.png"], told["明月.png"]) == ({"own"}, {""})


@EITHER
def test_a_whole_folder_of_sillytavern_comes_by_its_path(
    browser: Browser, empty: Served, tmp_path: Path, language: str, screen: str
) -> None:
    user = life(tmp_path / "SillyTavern")
    with visiting(browser, empty, language, screen) as visitor:
        visitor.goes("welcome")
        visitor.button("tavern.look").click()
        visitor.reads(visitor.says("tavern.path.missing"))
        visitor.field("tavern.path").fill(str(user.parent.parent))
        visitor.button("tavern.look").click()
        brings(visitor, empty)


def test_a_whole_folder_of_sillytavern_comes_from_the_browser(
    browser: Browser, empty: Served, tmp_path: Path
) -> None:
    user = life(tmp_path / "SillyTavern")
    with visiting(browser, empty, "en", "desktop") as visitor:
        visitor.goes("welcome")
        visitor.field("tavern.files").set_input_files(user.parent.parent)
        brings(visitor, empty)


def test_a_folder_that_is_none_says_what_to_choose(
    browser: Browser, empty: Served, tmp_path: Path
) -> None:
    (tmp_path / "holiday").mkdir()
    (tmp_path / "holiday" / "sea.txt").write_text("blue", "utf-8")
    with visiting(browser, empty, "en", "desktop") as visitor:
        visitor.goes("welcome")
        visitor.field("tavern.files").set_input_files(tmp_path / "holiday")
        visitor.reads(visitor.says("tavern.files.none"))
        visitor.field("tavern.path").fill(str(tmp_path / "nowhere"))
        visitor.button("tavern.look").click()
        visitor.reads("there is no such folder")
        visitor.errors = [
            error for error in visitor.errors if "Failed to load resource" not in error
        ]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"[1, 2", id="broken"),
        pytest.param(b"[1, 2]", id="a list"),
        pytest.param(b"", id="empty"),
        pytest.param(b" " * (33 << 20), id="too large"),
    ],
)
def test_a_file_that_is_none_says_so_and_what_to_do(
    browser: Browser, empty: Served, tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    document = tmp_path_factory.mktemp("outside") / "holiday.json"
    document.write_bytes(data)
    with visiting(browser, empty, "en", "desktop") as visitor:
        visitor.goes("welcome")
        visitor.field("welcome.card.file").set_input_files(document)
        told = visitor.page.get_by_role("alert")
        expect(told).to_contain_text("holiday.json")
        expect(told).to_contain_text(" — ")  # what to do
        visitor.errors = [
            error for error in visitor.errors if "Failed to load resource" not in error
        ]
