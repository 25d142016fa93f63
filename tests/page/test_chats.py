"""Chats that part, and calls that belong to nobody."""

import pytest
from playwright.sync_api import expect

from tests.page.visitors import EITHER, Visitor
from tests.serve.rest.callers import Caller

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
    rows.nth(1).get_by_role("link", name="Another evening").click()
    expect(visitor.page.locator("main h1")).to_have_text("Another evening")
    parting = visitor.page.locator(".parting")
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
        expect(visitor.field("chats.story")).to_have_value(chosen)
        assert story() == wanted
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
    visitor.served.house.puzzled("several", ("Mira", f"Mira <b> {visitor.language}"))
    told = visitor.page.locator("section[aria-labelledby=puzzles]")
    expect(told).to_contain_text(f"Mira <b> {visitor.language}")
    expect(told.locator("pre").first).to_have_text(
        "rolememory:\n  role: |-\n    {{char}}\n  user: |-\n    {{user}}"
    )
    expect(told.locator("pre").nth(1)).to_have_text(f"{visitor.served.url}/r/{role.id}/v1")
