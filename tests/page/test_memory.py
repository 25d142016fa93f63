"""The card of one memory: where it came from, how strong it is, when it was used, what it was before."""

from datetime import UTC, datetime

from playwright.sync_api import expect

from tests.page.visitors import EITHER, Visitor
from tests.serve.rest.callers import Caller, asks


@EITHER
def test_a_learned_memory_quotes_the_message_it_came_from_and_says_when_it_was_used(
    visitor: Visitor, role: Caller
) -> None:
    role.say("Remember that my cat is called Biscuit.", "A fine name!", "I think so too.")
    (memory,) = [one for one in role.get("/memories")["items"] if "Biscuit" in one["content"]]
    role.post(
        "/recall",
        {"messages": asks("Where does my cat Biscuit sleep?"), "chat": "harbour", "user": "lin"},
    )
    visitor.goes("memory", role.id, memory["id"])
    expect(visitor.page.locator("blockquote").first).to_contain_text("my cat is called Biscuit")
    expect(visitor.page.locator("blockquote + p").first).to_contain_text("lin")
    expect(visitor.page.get_by_role("img", name=visitor.says("strength.title"))).to_be_visible()
    injected = visitor.page.locator(
        "section", has=visitor.page.get_by_role("heading", name=visitor.says("injected.title"))
    )
    expect(injected.locator("li").first).not_to_be_empty()


@EITHER
def test_it_is_changed_its_history_told_and_taken_back(visitor: Visitor, role: Caller) -> None:
    memory = role.remember("As it was.")
    visitor.goes("memory", role.id, memory["id"])
    visitor.button("edit").first.click()
    visitor.field("field.content").fill("As it is.")
    visitor.button("save").click()
    expect(visitor.page.locator(".memory-text")).to_have_text("As it is.")
    history = visitor.page.locator(".history > li")
    expect(history.first).to_contain_text("As it was.")
    history.first.get_by_role("button").click()
    expect(visitor.page.locator(".memory-text")).to_have_text("As it was.")


@EITHER
def test_a_deleted_one_can_be_brought_back_from_its_own_page(
    visitor: Visitor, role: Caller
) -> None:
    memory = role.remember("Not for long.")
    visitor.goes("memory", role.id, memory["id"])
    visitor.button("delete").click()
    visitor.page.wait_for_url("**/#/list/**")
    visitor.goes("memory", role.id, memory["id"])
    visitor.reads(visitor.says("memory.gone"))
    visitor.page.locator(".history > li").first.get_by_role("button").click()
    expect(visitor.page.locator(".memory-text")).to_have_text("Not for long.")
    visitor.errors = [error for error in visitor.errors if "404" not in error]


def test_what_replaced_what_is_linked_both_ways(at_desk: Visitor, role: Caller) -> None:
    old = role.remember("Lin lives in Bergen.")
    new = role.remember("Lin lives in Oslo.", supersedes=[old["id"]])
    at_desk.goes("memory", role.id, new["id"])
    at_desk.page.get_by_role("link", name="Lin lives in Bergen.").click()
    at_desk.reads("Replaced by")
    at_desk.page.get_by_role("link", name="Lin lives in Oslo.").click()
    at_desk.reads("It replaced")


def test_a_message_that_was_swiped_away_is_struck_out(at_desk: Visitor, role: Caller) -> None:
    role.say("Remember that my cat is called Biscuit.", "A fine name!", "I think so too.")
    (memory,) = [one for one in role.get("/memories")["items"] if "Biscuit" in one["content"]]
    role.say("Remember that my dog is called Rex.", "A fine name!", "I think so too.")
    at_desk.goes("memory", role.id, memory["id"])
    at_desk.reads("swiped away, edited or deleted")


@EITHER
def test_what_will_be_left_is_drawn_and_said(visitor: Visitor, role: Caller) -> None:
    role("PATCH", "", {"settings": {"triggers.recency.clock": "wall"}})
    role.remember(
        "The beacon failed.",
        id="beacon",
        source="summary",
        keys=["beacon"],
        created=datetime.now(UTC).isoformat(),
    )
    visitor.goes("memory", role.id, "beacon")
    days = visitor.says("unit.days", count=19)  # 14 days halve it, so 0.4 are left after 18.5
    visitor.reads(visitor.says("strength.forecast", level="40%", age=days))
    assert visitor.page.locator(".spark-ahead").get_attribute("points")
