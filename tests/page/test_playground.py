"""Trying a message: what fires as one types, what it costs, why the rest does not fire, and one button that lets it in."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.designs.chats import chatting
from tests.page.visitors import EITHER, Visitor, visiting
from tests.serve.rest.callers import Caller, asks

Entry = dict[str, Any]


@pytest.fixture
def told(role: Caller) -> Caller:
    """A role with memories, and a book whose entries wake one another."""
    role.remember("Mira keeps the beacon.", keys=["beacon"])
    role.remember("The dog sleeps by the stove.", keys=["dog"])
    role.remember("Lin is afraid of the beacon.", id="fear", user="lin", keys=["beacon"])
    role.remember("Ann sails on Sundays.", user="ann")
    book = {
        "0": {
            "uid": 0,
            "key": ["beacon"],
            "comment": "The beacon",
            "content": "The beacon stands above the drowned chapel.",
        },
        "1": {
            "uid": 1,
            "key": ["drowned chapel"],
            "comment": "The chapel",
            "content": "Under the chapel lies a bell.",
        },
        "2": {
            "uid": 2,
            "key": ["beacon"],
            "comment": "The keeper",
            "content": "Keeper Tom has one eye.",
            "disable": True,
        },
        "3": {
            "uid": 3,
            "key": ["storm"],
            "comment": "The storm",
            "content": "Storms come from the west.",
        },
    }
    role.api.post(
        f"/books/{role.id}/import", params={"filename": "harbour.json"}, json={"entries": book}
    ).raise_for_status()
    return role


def fired(visitor: Visitor) -> Locator:
    return visitor.page.locator("section[aria-labelledby=fired]")


def missed(visitor: Visitor) -> None:
    """Unfolds what did not fire."""
    expect(visitor.page.locator("#missed-rows")).to_have_count(0)
    visitor.page.locator("#missed").click()


def undo(visitor: Visitor) -> None:
    visitor.page.locator(".toast").last.get_by_role("button", name=visitor.says("undo")).click()


@EITHER
def test_what_fires_is_told_while_one_types_and_what_does_not_is_let_in(
    visitor: Visitor, told: Caller
) -> None:
    visitor.goes("playground", told.id)
    visitor.field("play.message").fill("Where is the beacon?")
    expect(fired(visitor)).to_contain_text("Mira keeps the beacon.")
    expect(fired(visitor).locator(".signed").first).to_contain_text(visitor.says("play.relevance"))
    expect(fired(visitor).locator(".reasons .meter").first).to_be_visible()
    expect(visitor.page.locator(".ruler").first).to_have_attribute(
        "aria-label", re.compile("2,000")
    )
    expect(visitor.page.locator(".ruler .piece.episodic")).to_have_count(1)
    expect(visitor.page.locator(".prompt mark")).to_contain_text("Mira keeps the beacon.")
    missed(visitor)
    visitor.page.locator("#missed-rows li", has_text="The dog sleeps").get_by_role("button").click()
    expect(fired(visitor)).to_contain_text("The dog sleeps")
    undo(visitor)
    expect(fired(visitor)).not_to_contain_text("The dog sleeps")
    assert told.get("/turns")["total"] == 0


@EITHER
def test_entries_stand_under_the_pass_that_woke_them_and_one_is_switched_on_and_off_again(
    visitor: Visitor, told: Caller
) -> None:
    visitor.goes("playground", told.id)
    visitor.field("play.message").fill("Where is the beacon?")
    lore = visitor.page.locator("section[aria-labelledby=lore]")
    expect(lore.locator("[data-pass='1']")).to_contain_text("The beacon stands above")
    expect(lore.locator("[data-pass='2']")).to_contain_text("Under the chapel lies a bell.")
    missed(visitor)
    asleep = visitor.page.locator("#asleep li", has_text="The keeper")
    asleep.get_by_role("button").click()
    expect(lore).to_contain_text("Keeper Tom has one eye.")
    undo(visitor)
    expect(lore).not_to_contain_text("Keeper Tom has one eye.")
    visitor.page.locator("#asleep li", has_text="The storm").get_by_role(
        "button", name=visitor.says("play.say"), exact=False
    ).click()
    expect(visitor.field("play.message")).to_have_value("Where is the beacon? storm")
    expect(lore).to_contain_text("Storms come from the west.")


@EITHER
def test_a_memory_of_somebody_fires_when_that_person_speaks(visitor: Visitor, told: Caller) -> None:
    visitor.goes("playground", told.id)
    visitor.field("play.message").fill("Where is the beacon?")
    missed(visitor)
    visitor.page.get_by_role("button", name=visitor.says("play.speak.as", user="lin")).click()
    expect(visitor.field("play.user")).to_have_value("lin")
    expect(fired(visitor)).to_contain_text("Lin is afraid of the beacon.")


@EITHER
def test_a_budget_of_a_trial_decides_what_fits(visitor: Visitor, told: Caller) -> None:
    visitor.goes("playground", told.id)
    visitor.field("play.message").fill("beacon")
    expect(fired(visitor)).to_contain_text("Mira keeps the beacon.")
    visitor.field("play.limit").fill("1")
    expect(fired(visitor)).to_contain_text(visitor.says("play.fired.none"))
    missed(visitor)
    expect(visitor.page.locator("#missed-rows")).to_contain_text("Mira keeps the beacon.")


def test_a_real_chat_is_opened_and_its_middle_is_folded(at_desk: Visitor, told: Caller) -> None:
    told.say(
        *(f"Line {number} of the story." for number in range(12)),
        "And the beacon?",
        chat="harbour",
        title="At the harbour",
    )
    at_desk.goes("playground", told.id)
    at_desk.field("play.chat").select_option(label="At the harbour")
    expect(fired(at_desk)).to_contain_text("Mira keeps the beacon.")
    prompt = at_desk.page.locator("section[aria-labelledby=sent]")
    expect(prompt).to_contain_text("And the beacon?")
    expect(prompt.locator(".prompt.user .who").last).to_have_text("lin")
    expect(prompt.locator(".prompt.assistant .who").last).to_have_text(told.name)
    expect(prompt).not_to_contain_text("Line 3 of")
    at_desk.button("play.sent.folded", count=9).click()
    expect(prompt).to_contain_text("Line 3 of")


@EITHER
@pytest.mark.parametrize("place", ["playground", "welcome"], ids=["trying out", "at the start"])
def test_a_question_is_from_whom_the_character_heard_last(
    visitor: Visitor, told: Caller, place: str
) -> None:
    told.say("I sail on Sundays.", "So you do.", chat="first", user="ann")
    told.say("I feed the gulls at noon.", "So you do.", chat="second", user="lin")
    visitor.goes("list", told.id)  # the role that is looked at
    visitor.goes(place, *([told.id] if place == "playground" else []))
    visitor.reads(visitor.says("people.assumed", user="lin"))
    visitor.field("play.message" if place == "playground" else "welcome.ask").fill(
        "When do I feed the gulls?"
    )
    if place == "welcome":
        visitor.button("welcome.recall").click()
    answer = visitor.page.locator("#recalled") if place == "welcome" else fired(visitor)
    expect(answer).to_contain_text("I feed the gulls at noon.")


def test_before_anybody_spoke_a_question_is_from_the_only_person_it_knows(
    at_desk: Visitor, role: Caller
) -> None:
    role.post("/memories", {"content": "Wen feeds the gulls at noon.", "user": "wen"})
    for place in ("playground", "welcome"):
        at_desk.goes("list", role.id)
        at_desk.goes(place, *([role.id] if place == "playground" else []))
        at_desk.reads(at_desk.says("people.assumed", user="wen"))


@pytest.mark.parametrize("whose", ["frontend", "ours"])
def test_the_prompt_that_is_shown_is_the_prompt_that_is_sent(
    browser: Browser, tmp_path: Path, whose: str
) -> None:
    with chatting(tmp_path, settings={"serve.lorebook": whose}) as mira:
        role = mira.mind
        role.remember("Mira keeps the beacon.", keys=["beacon"])
        (role.folder / "worldbooks").mkdir(exist_ok=True)
        entries = [
            {"content": "It is above a chapel."},
            {"content": "Gulls.", "position": 4, "depth": 1},
        ]
        book = {"entries": {str(n): {"uid": n, "key": ["beacon"], **entries[n]} for n in range(2)}}
        (role.folder / "worldbooks" / "harbour.json").write_text(json.dumps(book), "utf-8")
        mira.say("Where is the beacon?", system="")
        with visiting(browser, mira.house, "en", "desktop") as visitor:
            visitor.goes("playground", role.id)
            visitor.field("play.message").fill("Where is the beacon?")
            expect(visitor.page.locator("section[aria-labelledby=lore]")).to_contain_text("chapel")
            rows = visitor.page.locator("section[aria-labelledby=sent] .prompt .wrapped")
            expect(rows.last).to_have_text("Where is the beacon?")
            shown = rows.all_inner_texts()
        assert shown == [text for _, text in mira.sent]
        assert ("chapel" in "".join(shown)) == (whose == "ours")


def test_what_really_went_out_says_why(at_desk: Visitor, told: Caller) -> None:
    at_desk.goes("playground", told.id)
    real = at_desk.page.locator("section[aria-labelledby=real]")
    expect(real).to_contain_text(at_desk.says("play.real.none"))
    told.post("/recall", {"messages": asks("Where is the beacon?"), "chat": "harbour"})
    real.locator("summary").first.click()
    expect(real).to_contain_text("Mira keeps the beacon.")
    expect(real.locator("pre")).to_contain_text("Mira keeps the beacon.")


def test_an_outdated_question_is_dropped(at_desk: Visitor, told: Caller) -> None:
    asked: list[str] = []
    hold: list[Callable[[], None]] = []

    def later(route: Any) -> None:
        asked.append(json.loads(route.request.post_data)["messages"][-1]["content"])
        hold.append(route.continue_) if asked[-1] == "dog" else route.continue_()

    at_desk.page.route("**/explain", later)
    at_desk.goes("playground", told.id)
    with at_desk.page.expect_request("**/explain"):
        at_desk.field("play.message").fill("dog")
    at_desk.field("play.message").fill("beacon")
    expect(fired(at_desk)).to_contain_text("Mira keeps the beacon.")
    for go in hold:
        go()
    expect(fired(at_desk)).not_to_contain_text("The dog sleeps")
    assert asked.index("dog") < asked.index("beacon")
