"""Chats, review, people, figures: with a real server behind them."""

from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.page.visitors import EITHER, Visitor, visiting
from tests.serve.houses import Served
from tests.serve.rest.callers import Caller, caller

HOSTILE = "<img src=x onerror=alert(1)>"
VIEWS = ("playground", "chats", "review", "users", "lore", "insight")


@pytest.fixture
def told(role: Caller) -> Caller:
    """A role to whom something was told, of which one thing waits for a word."""
    role.remember("I live in Bergen.", id="home", type="semantic", subject="user", user="lin")
    role.remember("Mira keeps the beacon.", keys=["beacon"])
    role.remember("The dog sleeps by the stove.", keys=["dog"])
    role.say("Remember that I am allergic to walnuts.", "The first answer.")
    role.say(
        "Remember that I am allergic to walnuts.", "Another answer.", "Correction: I live in Oslo."
    )
    return role


@EITHER
def test_a_chat_shows_its_versions_and_what_they_taught_and_is_renamed(
    visitor: Visitor, told: Caller
) -> None:
    visitor.goes("chats", told.id)
    visitor.page.locator("main table a").click()
    page = visitor.page
    expect(page.locator("article", has_text="walnuts")).to_contain_text(
        visitor.says("chats.learned")
    )
    page.get_by_text(visitor.says("chats.others", count=1)).click()
    visitor.reads("The first answer.")
    visitor.button("chats.rename").click()
    visitor.field("chats.name").fill(f"Harbour {HOSTILE}")
    visitor.button("save").click()
    expect(page.locator("main h1")).to_have_text(f"Harbour {HOSTILE}")
    visitor.field("chats.mode").select_option("read_only")
    visitor.reads(visitor.says("mode.read_only.hint"))
    visitor.button("chats.archive").click()
    visitor.button("chats.bring").wait_for()
    chat = told.get("/chats", params={"archived": "all"})["items"][0]
    assert (chat["title"], chat["mode"], chat["archived"]) == (
        f"Harbour {HOSTILE}",
        "read_only",
        True,
    )


@EITHER
def test_what_waits_is_mended_and_accepted(visitor: Visitor, told: Caller) -> None:
    visitor.goes("review", told.id)
    row = visitor.page.locator("#waiting li[data-row]")
    expect(row).to_contain_text("I live in Oslo")
    expect(row).to_contain_text("I live in Bergen.")
    row.focus()
    visitor.page.keyboard.press("e")
    visitor.field("review.text").fill("I moved to Oslo.")
    visitor.page.get_by_role("dialog").get_by_role(
        "button", name=visitor.says("review.accept")
    ).click()
    visitor.reads(visitor.says("review.none"))
    assert "I moved to Oslo." in [one["content"] for one in told.get("/memories")["items"]]


def test_keys_accept_and_reject_what_waits(at_desk: Visitor, told: Caller) -> None:
    at_desk.goes("review", told.id)
    row = at_desk.page.locator("#waiting li[data-row]")
    row.focus()
    at_desk.page.keyboard.press("a")
    at_desk.reads(at_desk.says("review.none"))
    told.say("Remember that my card is 4111 1111 1111 1111.", "I see.", chat="shop")
    expect(row).to_contain_text("my card is")
    row.focus()
    at_desk.page.keyboard.press("Delete")
    at_desk.reads(at_desk.says("review.none"))
    texts = " ".join(one["content"] for one in told.get("/memories")["items"])
    assert ("I live in Oslo" in texts, "my card" in texts) == (True, False)


@EITHER
def test_what_waits_is_rejected_and_what_was_learned_is_taken_back(
    visitor: Visitor, told: Caller
) -> None:
    visitor.goes("review", told.id)
    learned = visitor.page.locator("#learned li", has_text="walnuts")
    learned.get_by_role("button").click()
    expect(visitor.page.locator("#learned")).not_to_contain_text("walnuts")
    visitor.page.locator("#waiting").get_by_role(
        "button", name=visitor.says("review.reject")
    ).click()
    visitor.reads(visitor.says("review.none"))
    assert told.get("/review")["total"] == 0


@EITHER
def test_what_was_replaced_stands_beside_what_took_its_place(
    visitor: Visitor, told: Caller
) -> None:
    told.say("Remember that my boat is called Heron.", "I will.", chat="boats")
    told.say(
        "Remember that my boat is called Heron.",
        "I will.",
        "Correction: my boat is called Petrel.",
        chat="boats",
    )
    visitor.goes("review", told.id)
    row = visitor.page.locator("#learned li", has_text="Petrel").first
    expect(row).to_contain_text(visitor.says("review.replaced"))
    expect(row.locator("li")).to_contain_text("Heron")


@EITHER
def test_a_person_is_forgotten_only_when_his_name_is_typed(
    visitor: Visitor, another: Callable[[str], Caller]
) -> None:
    name = f"Bo {HOSTILE} {visitor.language}"
    other = another(f"Inn {visitor.language}")
    other.say("Remember that I am allergic to walnuts.", "Noted.", user=name)
    assert other.get("/memories")["total"] == 1
    visitor.goes("users", other.id)
    visitor.page.get_by_role("button", name=visitor.says("users.forget.one", user=name)).click()
    dialog = visitor.page.get_by_role("dialog")
    forget = dialog.get_by_role("button", name=visitor.says("users.forget.yes"), exact=True)
    expect(forget).to_be_disabled()
    dialog.get_by_role("textbox").fill(name)
    forget.click()
    expect(dialog).to_have_count(0)
    expect(visitor.page.locator("table")).not_to_contain_text(name)
    assert other.get("/memories")["total"] == 0


@EITHER
def test_a_story_is_forked_and_merged(visitor: Visitor, told: Caller) -> None:
    visitor.goes("users", told.id)
    visitor.page.get_by_role(
        "button", name=f"{visitor.says('lines.fork')}: {visitor.says('story.shared')}"
    ).click()
    visitor.field("lines.name").fill("what if")
    visitor.page.get_by_role("dialog").get_by_role(
        "button", name=visitor.says("lines.fork"), exact=True
    ).click()
    visitor.page.get_by_role("button", name=f"{visitor.says('lines.merge')}: what if").click()
    visitor.page.get_by_role("dialog").get_by_role(
        "button", name=visitor.says("lines.merge"), exact=True
    ).click()
    visitor.reads(
        visitor.says("lines.merge.sure", name="what if", into=visitor.says("story.shared"))
    )
    visitor.page.get_by_role("dialog").get_by_role(
        "button", name=visitor.says("lines.merge"), exact=True
    ).click()
    expect(visitor.page.locator("#stories li").first).to_contain_text("what if")
    assert told.get("/stories")["items"][0]["merged"] == ["what if"]


@EITHER
def test_figures_say_what_is_there(visitor: Visitor, told: Caller) -> None:
    told.post("/recall", {"messages": [{"role": "user", "content": "Where is the beacon?"}]})
    visitor.goes("insight", told.id)
    expect(visitor.page.locator("section[aria-labelledby=figures]")).to_contain_text(
        visitor.says("figure.total")
    )
    expect(visitor.page.locator("section[aria-labelledby=plots] svg").first).to_be_visible()


@pytest.fixture
def another(api: httpx.Client) -> Callable[[str], Caller]:
    return lambda name: caller(api, name)


@pytest.fixture
def on_phone(browser: Browser, house: Served) -> Iterator[Visitor]:
    with visiting(browser, house, "zh", "phone") as found:
        yield found


def test_names_of_users_are_text_and_nothing_is_wider_than_a_phone(
    on_phone: Visitor, another: Callable[[str], Caller]
) -> None:
    role = another(f"Mira {HOSTILE}")
    role.remember(f"{HOSTILE} <script>alert(1)</script> beacon", keys=["beacon", HOSTILE])
    role.say(
        "Remember that I am allergic to walnuts.",
        "Noted.",
        chat=f"inn {HOSTILE}",
        user=HOSTILE,
        title=HOSTILE,
    )
    page = on_phone.page
    for view in VIEWS:
        on_phone.goes(view, role.id)
        expect(page.get_by_role("main")).to_contain_text(HOSTILE)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
        assert page.locator("main img, main script").count() == 0, view
