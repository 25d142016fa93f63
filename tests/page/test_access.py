"""Everybody may read it: screen readers, keyboards, small screens, dark rooms."""

import pytest
from playwright.sync_api import Browser, expect

from tests.page.tour import VIEWS, walk
from tests.page.visitors import ALL, Visitor, axe, rows, visiting, words
from tests.serve.houses import Served
from tests.serve.rest.callers import Caller, asks

EVERYWHERE = pytest.mark.parametrize(
    ("language", "screen", "dark"),
    rows(
        [
            pytest.param("en", "desktop", False, id="in English at a desk by day"),
            pytest.param("zh", "phone", True, id="in Chinese on a phone by night"),
        ],
        [
            pytest.param("zh", "desktop", True, id="in Chinese at a desk by night"),
            pytest.param("en", "phone", False, id="in English on a phone by day"),
            pytest.param("en", "desktop", True, id="in English at a desk by night"),
            pytest.param("zh", "phone", False, id="in Chinese on a phone by day"),
        ],
    ),
)
OWN = (
    "welcome",
    "garden",
    "list",
    "memory",
    "insight",
    "settings",
)  # the others are looked at, full of things, beside this
NAMELESS = """() => {
  const all = [...document.querySelectorAll('[id]')].map(one => one.id);
  const twice = all.filter((id, place) => all.indexOf(id) !== place);
  const lost = [...document.querySelectorAll('label[for], [aria-describedby], [aria-labelledby], [aria-controls]')].flatMap(one =>
    [one.htmlFor, ...['aria-describedby', 'aria-labelledby', 'aria-controls'].flatMap(name => (one.getAttribute(name) ?? '').split(' '))]
      .filter(id => id && !document.getElementById(id)));
  const bare = [...document.querySelectorAll('input, select, textarea')].filter(one => !one.labels?.length && !one.ariaLabel).map(one => one.outerHTML);
  return [...twice, ...lost, ...bare];
}"""


@pytest.fixture
def lively(role: Caller) -> Caller:
    """A role with some of everything."""
    role.say(
        "Remember that my cat is called Biscuit.",
        "I will remember that.",
        "Correction: my cat is called Waffle.",
    )
    role.remember(
        "Mira keeps the light.", type="trait", emotions=["calm"], tags=["sea"], constant=True
    )
    role.post(
        "/recall",
        {"messages": asks("Where does my cat Biscuit live?"), "chat": "harbour", "user": "lin"},
    )
    return role


@EVERYWHERE
def test_every_view_fits_the_screen_and_has_no_serious_barrier(
    browser: Browser, house: Served, lively: Caller, language: str, screen: str, dark: bool
) -> None:
    checker = axe()
    with visiting(browser, house, language, screen, dark) as visitor:
        for view in VIEWS if ALL else OWN:
            walk(visitor, lively, view)
            name = f"{view}-{language}-{screen}-{'night' if dark else 'day'}"
            visitor.pictured(name, whole=view != "settings")
            assert (
                visitor.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
            ), view
            assert visitor.page.evaluate(NAMELESS) == [], view
            assert barriers(visitor, checker) == [], view


def barriers(visitor: Visitor, checker: str) -> list[tuple[str, str]]:
    """What keeps somebody out, as axe sees it: the rule, and the first element that breaks it."""
    visitor.page.evaluate(checker)
    found = visitor.page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [
        (one["id"], one["nodes"][0]["html"][:200])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def test_what_opens_has_no_serious_barrier_either(
    browser: Browser, house: Served, lively: Caller
) -> None:
    with visiting(browser, house, "zh", "phone") as visitor:
        walk(visitor, lively, "list")
        visitor.button("menu").click()
        assert barriers(visitor, axe()) == []
        visitor.button("menu").click()
        visitor.button("list.add").click()
        visitor.page.get_by_text(visitor.says("editor.more")).click()
        assert visitor.page.evaluate(NAMELESS) == []
        assert barriers(visitor, axe()) == []
        visitor.page.keyboard.press("Escape")
        walk(visitor, lively, "garden")
        visitor.page.locator("canvas").focus()
        visitor.page.keyboard.press("ArrowRight")
        visitor.page.locator("aside.picked").wait_for()
        assert barriers(visitor, axe()) == []


def test_language_and_theme_are_kept(at_desk: Visitor, role: Caller) -> None:
    at_desk.goes("list", role.id)
    at_desk.page.locator("#language").click()
    at_desk.reads(words("zh")["list.title"])
    assert at_desk.page.evaluate("document.documentElement.lang") == "zh-CN"
    at_desk.page.locator("#theme").click()
    at_desk.page.locator("#theme").click()
    at_desk.page.reload()
    at_desk.reads(words("zh")["list.title"])
    assert at_desk.page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_first_tab_skips_to_the_content(at_desk: Visitor, role: Caller) -> None:
    at_desk.goes("list", role.id)
    at_desk.page.evaluate("document.activeElement.blur()")
    at_desk.page.keyboard.press("Tab")
    expect(at_desk.page.get_by_text("Skip to content")).to_be_focused()
    at_desk.page.keyboard.press("Enter")
    expect(at_desk.page.locator("main")).to_be_focused()


def test_a_phone_opens_the_menu(browser: Browser, house: Served, role: Caller) -> None:
    with visiting(browser, house, "zh", "phone") as visitor:
        visitor.goes("list", role.id)
        link = visitor.page.get_by_role("link", name="设置", exact=True)
        expect(link).to_be_hidden()
        visitor.button("menu").click()
        link.click()
        visitor.reads(visitor.says("settings.title"))
        expect(link).to_be_hidden()


def test_an_unknown_role_says_what_to_do(at_desk: Visitor) -> None:
    at_desk.page.goto(f"{at_desk.served.url}/#/list/nobody")
    at_desk.reads("Choose another one at the top")


def test_a_page_without_its_key_says_where_it_is(at_desk: Visitor, role: Caller) -> None:
    at_desk.goes("list", role.id)
    at_desk.page.context.clear_cookies()
    at_desk.button("list.add").click()
    at_desk.field("field.content").fill("With the key.")
    at_desk.button("save").click()
    key = at_desk.page.get_by_label("Token", exact=True)
    expect(key).to_be_focused()
    expect(at_desk.page.locator(".banner")).to_have_count(0)
    dialog = at_desk.page.get_by_role("dialog", name=at_desk.says("token.title"))
    for wrong in ("not-this-one", "不是它"):
        key.fill(wrong)
        expect(dialog).not_to_contain_text(at_desk.says("token.wrong"))
        key.press("Enter")
        expect(dialog).to_contain_text(at_desk.says("token.wrong"))
        expect(key).to_have_value(wrong)
    key.fill(at_desk.served.house.token)
    at_desk.button("token.enter").click()
    at_desk.page.get_by_role("dialog").first.wait_for(state="detached")
    at_desk.button("list.add").click()
    at_desk.field("field.content").fill("With the key.")
    at_desk.button("save").click()
    at_desk.reads("With the key.")
    at_desk.errors = [error for error in at_desk.errors if "401" not in error]
