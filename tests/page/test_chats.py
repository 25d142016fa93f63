"""Chats that part, and calls that belong to nobody."""

import pytest
from playwright.sync_api import expect

from tests.endpoint import Endpoint
from tests.learning.teller import tale, tells
from tests.page.visitors import EITHER, Visitor
from tests.serve.rest.callers import Caller, good

BEGIN = ("I live in Oslo.", "A fine town.", "My cat is called Biscuit.")


@pytest.fixture
def parted(role: Caller) -> Caller:
    """Two chats that begin alike."""
    role.say(*BEGIN, "Good.", "I drink tea.", chat="harbour", title="Harbour")
    role.say(*BEGIN, "Good.", "I never drink tea.", chat="harbour-2", title="Another evening")
    return role


@EITHER
def test_a_branch_stands_under_its_chat_and_both_say_where_they_part(
    visitor: Visitor, parted: Caller
) -> None:
    visitor.goes("chats", parted.id)
    rows = visitor.page.locator("main tbody tr")
    expect(rows.nth(0)).to_contain_text("Harbour")
    expect(rows.nth(1).locator(".branch")).to_have_count(1)
    expect(rows.nth(1).get_by_role("link", name="Harbour", exact=True)).to_have_count(1)
    rows.nth(1).get_by_role("link", name="Another evening").click()
    expect(visitor.page.locator("main h1")).to_have_text("Another evening")
    parting = visitor.page.locator(".parting")
    expect(visitor.page.locator(".facts").get_by_role("link", name="Harbour")).to_have_count(1)
    expect(parting).to_contain_text(visitor.says("chats.parts.from"))
    expect(visitor.page.locator("article:has(+ .parting)")).to_contain_text("Good.")
    parting.get_by_role("link", name="Harbour").click()
    expect(visitor.page.locator("main h1")).to_have_text("Harbour")
    expect(visitor.page.locator(".parting")).to_contain_text(visitor.says("chats.parts.to"))


@EITHER
def test_a_chat_is_put_into_a_story_and_back(visitor: Visitor, parted: Caller) -> None:
    def story() -> tuple[str, bool]:
        chat = parted.get("/chats/harbour")["chat"]
        return chat["story"], chat["chosen"]

    visitor.goes("chats", parted.id, "harbour")
    for chosen, wanted in (("own", ("own", True)), ("", ("", True)), ("default", ("", False))):
        with visitor.page.expect_response(lambda found: found.request.method == "PATCH"):
            visitor.field("chats.story").select_option(chosen)
        assert story() == wanted
        visitor.page.reload()  # so that the next choice is of what stands now
        expect(visitor.field("chats.story")).to_have_value(chosen)
    visitor.goes("chats", parted.id)
    with visitor.page.expect_response(lambda found: found.request.method == "PUT"):
        visitor.field("story.living").select_option("each")
    assert parted.get("/stories/default")["stories"] == "each"
    parted("PUT", "/stories/default", {"stories": None})


@EITHER
def test_a_call_for_nobody_is_told_with_the_words_that_cure_it(
    visitor: Visitor, role: Caller
) -> None:
    visitor.goes("chats", role.id)
    visitor.served.house.report_unidentified("several", ("Mira", f"Mira <b> {visitor.language}"))
    told = visitor.page.locator("section[aria-labelledby=puzzles]")
    expect(told).to_contain_text(f"Mira <b> {visitor.language}")
    expect(told.locator("pre").first).to_have_text(
        "rolememory:\n  role: |-\n    {{char}}\n  user: |-\n    {{user}}"
    )
    expect(told.locator("pre").nth(1)).to_have_text(f"{visitor.served.url}/r/{role.id}/v1")


@EITHER
def test_chapters_of_a_chat_are_ended_told_anew_and_taken_away(
    visitor: Visitor, role: Caller
) -> None:
    with Endpoint(tells()) as model:
        telling = {"learn.endpoint": model.url, "learn.model": "small", "learn.batch_size": 1000}
        good(role.api.patch("/settings", json={"values": telling}))
        role.say(*(one.content for one in tale(3)), chat="harbour", title="Harbour")
        visitor.goes("chats", role.id, "harbour")
        section = visitor.page.locator("section[aria-labelledby=chapters]")
        section.get_by_role("button", name=visitor.says("chapters.end")).click()
        visitor.field("chapters.name").fill("First light")
        dialog = visitor.page.get_by_role("dialog")
        dialog.get_by_role("button", name=visitor.says("chapters.end")).click()
        row = section.locator("li[data-id]")
        expect(row).to_contain_text("First light")
        expect(row).to_contain_text("lamp 1 to lamp 3")
        before = row.get_attribute("data-id")
        row.get_by_role("button", name=visitor.says("chapters.again")).click()
        expect(section.locator(f"li:not([data-id='{before}'])")).to_have_count(1)
        row.get_by_role("button", name=visitor.says("chapters.remove")).click()
        expect(section.locator("li")).to_have_count(0)
        assert role.get("/chapters")["items"] == []
        none = {"learn.endpoint": "", "learn.model": "", "learn.batch_size": 5}
        good(role.api.patch("/settings", json={"values": none}))


@EITHER
def test_an_error_goes_when_what_failed_goes_well(visitor: Visitor, role: Caller) -> None:
    role.say("Good evening.", "Good evening.", chat="harbour")
    visitor.goes("chats", role.id, "harbour")
    failing = "**/api/roles/*/chats/*"
    banner = visitor.page.locator(".banner[role=alert]")
    mode = visitor.field("chats.mode")
    visitor.page.route(failing, lambda route: route.fulfill(status=500))
    mode.select_option("off")
    expect(banner).to_have_count(1)
    visitor.page.unroute(failing)
    mode.select_option("here")
    expect(banner).to_have_count(0)
    visitor.errors = [one for one in visitor.errors if "Failed to load resource" not in one]


@EITHER
def test_a_server_that_is_away_is_told_until_it_is_back(visitor: Visitor, role: Caller) -> None:
    role.say("Good evening.", "Good evening.", chat="harbour")
    visitor.goes("chats", role.id, "harbour")
    banner = visitor.page.locator(".banner[role=alert]")
    mode = visitor.field("chats.mode")
    go = "(answers) => fetch('/healthz').then(() => answers, () => !answers)"
    visitor.page.context.set_offline(True)
    visitor.page.wait_for_function(go, arg=False)  # the browser needs a moment to let go
    mode.select_option("off")
    expect(banner).to_contain_text(visitor.says("error.unreachable"))
    visitor.page.context.set_offline(False)
    visitor.page.wait_for_function(go, arg=True)
    mode.select_option("here")
    expect(banner).to_have_count(0)
    expect(mode).to_have_value("here")
    visitor.errors = [one for one in visitor.errors if "ERR_INTERNET_DISCONNECTED" not in one]


def test_the_line_to_the_server_is_taken_up_once_it_answers_anything(
    at_desk: Visitor, role: Caller
) -> None:
    role.say("Good evening.", "Good evening.", chat="harbour")
    page, lines = at_desk.page, "**/api/events"
    page.route(lines, lambda route: route.abort())
    at_desk.goes("chats", role.id, "harbour")
    broken = page.locator(".banner.off")
    expect(broken).to_have_count(1)
    page.evaluate(  # no pause comes to an end by itself any more
        "window.setTimeout = (_, ms) => { window.paused ||= ms >= 500 && ms !== 9000; }"
    )
    page.wait_for_function("() => window.paused")
    page.unroute(lines)
    at_desk.field("chats.mode").select_option("here")
    expect(broken).to_have_count(0)
    at_desk.errors = [one for one in at_desk.errors if "ERR_FAILED" not in one]
