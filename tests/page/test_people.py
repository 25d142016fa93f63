"""Several names of one person, at the page: asked about once, linked and unlinked."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.page.visitors import EITHER, Visitor, visiting
from tests.serve.houses import Served, served

NAMES = {"en": ("Lin", "<b>Traveller</b>/1"), "zh": ("小林", "旅人")}


@pytest.fixture
def met(tmp_path: Path, language: str) -> Iterator[Served]:
    """A home that knew one person and meets a new name."""
    with served(tmp_path / "home") as house:
        mira = house.home.create("Mira")
        for name in NAMES[language]:
            mira.observe(["Good evening."], "Good evening.", chat=f"of {name}", user=name)
        yield house


def asked(visitor: Visitor, person: str, name: str) -> str:
    """Goes to the start and reads the question."""
    visitor.goes("welcome")
    question = visitor.says("people.ask", name=name, person=person)
    visitor.reads(question)
    return question


def not_asked(visitor: Visitor, *places: str) -> None:
    """Nobody is asked about, there and after a reload."""
    for place in places:
        visitor.goes(*place.split("/"))
        with visitor.page.expect_response("**/api/links"):
            visitor.page.reload()
        visitor.page.locator("ol.steps, #stories").first.wait_for()
        expect(visitor.button("people.yes")).to_have_count(0)


@EITHER
@pytest.mark.parametrize("same", [True, False], ids=["yes", "no"])
def test_a_new_name_is_asked_about_once(
    browser: Browser, met: Served, language: str, screen: str, same: bool
) -> None:
    person, name = NAMES[language]
    with visiting(browser, met, language, screen) as visitor:
        question = asked(visitor, person, name)
        assert visitor.page.locator("main b").count() == 0, "a name is text"
        visitor.button("people.yes" if same else "people.no").click()
        visitor.misses(question)
        not_asked(visitor, "welcome", f"users/{met.home.role('Mira').id}")
    assert met.home.people.follow().names_of(person) == ({person, name} if same else {person})


@EITHER
def test_who_is_heard_of_while_the_page_is_open_is_asked_about(
    browser: Browser, met: Served, language: str, screen: str
) -> None:
    person, name = NAMES[language]
    met.home.people.link(person, name)
    with visiting(browser, met, language, screen) as visitor:
        not_asked(visitor, "welcome")
        body = {"messages": [{"role": "user", "content": "Hi."}], "chat": "new", "user": "Ann"}
        address = f"{met.url}/api/roles/Mira/observe"
        assert visitor.page.request.post(address, data=body).ok
        visitor.reads(visitor.says("people.ask", name="Ann", person=person))


@EITHER
def test_names_are_linked_and_unlinked_under_people(
    browser: Browser, met: Served, language: str, screen: str
) -> None:
    person, name = NAMES[language]
    with visiting(browser, met, language, screen) as visitor:
        page = visitor.page
        visitor.goes("users", met.home.role("Mira").id)
        title = visitor.says("people.link.title", person=person)
        page.get_by_role("button", name=title, exact=True).click()
        visitor.field("people.other").select_option(name)
        page.get_by_role("dialog").get_by_role(
            "button", name=visitor.says("people.link"), exact=True
        ).click()
        row = page.locator("table tbody tr")
        expect(row).to_have_count(1)
        expect(row).to_contain_text(name)
        assert met.home.people.follow().names_of(person) == {person, name}
        visitor.button("users.unlink.one", name=name).click()
        expect(row).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert met.home.people.follow().names_of(person) == {person}


@EITHER
def test_a_yes_can_be_taken_back_at_once(
    browser: Browser, met: Served, language: str, screen: str
) -> None:
    person, name = NAMES[language]
    with visiting(browser, met, language, screen) as visitor:
        asked(visitor, person, name)
        visitor.button("people.yes").click()
        visitor.reads(visitor.says("people.linked", person=person, name=name))
        visitor.button("undo").click()
        expect(visitor.button("undo")).to_have_count(0)
        not_asked(visitor, "welcome")
    assert met.home.people.follow().names_of(person) == {person}
