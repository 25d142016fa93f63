"""Trying out, chats, review, people, books and settings: no barrier for anybody, nothing wider than the screen."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.page.visitors import Visitor, axe, visiting
from tests.serve.houses import Served
from tests.serve.rest.callers import Caller, asks

ROOMS = [
    pytest.param("en", "desktop", True, id="in English at a desk by night"),
    pytest.param("zh", "phone", False, id="in Chinese on a phone by day"),
]
BOOK = {
    "0": {
        "uid": 0,
        "key": ["beacon"],
        "comment": "The beacon",
        "content": "The beacon stands above the chapel.",
    },
    "1": {
        "uid": 1,
        "key": ["chapel"],
        "comment": "The chapel",
        "content": "A bell lies there.",
        "disable": True,
    },
}

CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Asha",
        "description": "Asha keeps bees.",
        "first_mes": "Good morning.",
        "tags": ["bees", "garden"],
        "creator": "Ann",
    },
}
DIALOGS = {"entry", "bring", "forget"}


@pytest.fixture
def lively(role: Caller, house: Served) -> Caller:
    """A role with some of everything."""
    role.remember(
        "I live in Bergen.",
        id="home",
        type="semantic",
        subject="user",
        user="lin",
        created="2026-01-05T10:00:00Z",
    )
    role.remember(
        "Mira keeps the beacon.", keys=["beacon"], type="trait", created="2026-02-05T10:00:00Z"
    )
    role.remember("The dog sleeps.", keys=["dog"])
    role.say(
        "Remember that I am allergic to walnuts.",
        "The first answer.",
        "Correction: I live in Oslo.",
    )
    role.api.post(
        f"/books/{role.id}/import", params={"filename": "harbour.json"}, json={"entries": BOOK}
    ).raise_for_status()
    role.post(
        "/recall", {"messages": asks("Where is the beacon?"), "chat": "harbour", "user": "lin"}
    )
    house.house.report_unidentified("none")
    return role


def visits(visitor: Visitor, role: Caller) -> Iterator[str]:
    """One view after another, each with what it shows at its fullest."""
    page = visitor.page
    visitor.goes("playground", role.id)
    visitor.field("play.message").fill("Where is the beacon?")
    page.locator("#missed").click()
    page.locator("#asleep li").first.wait_for()
    yield "playground"
    visitor.goes("lore", role.id)
    page.locator("details.shelved summary").first.click()
    page.locator("li[data-uid]").first.wait_for()
    yield "lore"
    page.locator("li[data-uid]").first.get_by_role("button").first.click()
    page.locator("#lint > *").first.wait_for()
    yield "entry"
    page.keyboard.press("Escape")
    page.locator("input[type=file]").set_input_files(
        {"name": "asha.json", "mimeType": "application/json", "buffer": json.dumps(CARD).encode()}
    )
    page.locator("#would").wait_for()
    yield "bring"
    visitor.goes("chats", role.id)
    page.locator("main table, #puzzles").first.wait_for()
    yield "chats"
    visitor.goes("chats", role.id, "harbour")
    page.locator("article").first.wait_for()
    yield "chat"
    visitor.goes("review", role.id)
    page.locator("#waiting li").first.wait_for()
    yield "review"
    visitor.goes("users", role.id)
    page.locator("#stories li").first.wait_for()
    yield "users"
    page.locator("main table .danger").first.click()
    page.get_by_role("dialog").wait_for()
    yield "forget"
    for part, shown in (
        ("presets", ".presets li"),
        ("models", ".ladder li"),
    ):
        visitor.goes("settings", part)
        page.locator(shown).first.wait_for()
        yield part


@pytest.mark.parametrize(("language", "screen", "dark"), ROOMS)
def test_no_view_has_a_serious_barrier_or_is_wider_than_the_screen(
    browser: Browser, house: Served, lively: Caller, language: str, screen: str, dark: bool
) -> None:
    checker, found = axe(), []
    with visiting(browser, house, language, screen, dark) as visitor:
        for name in visits(visitor, lively):
            visitor.pictured(f"{name}-{language}-{screen}", whole=name not in DIALOGS)
            if visitor.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                found.append((name, "wider than the screen", ""))
            visitor.page.evaluate(checker)
            told = visitor.page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
            found += [
                (name, one["id"], json.dumps([node["html"][:160] for node in one["nodes"]]))
                for one in told
                if one["impact"] in ("serious", "critical")
            ]
    assert found == []
