"""What stands out, on the page: every finding is decided with one press, and every decision can be taken back."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.page.visitors import EITHER, Visitor, axe
from tests.serve.rest.callers import Caller, asks

HOSTILE = "<img src=x onerror=alert(1)>"
LIN = {"type": "semantic", "subject": "user", "user": "lin"}


@pytest.fixture
def known(role: Caller) -> Caller:
    role.remember("Lin likes jasmine tea.", id="tea", keys=["tea"], **LIN)
    role.remember("Lin likes jasmine tea a lot.", id="tea-too", keys=["jasmine"], **LIN)
    role.remember(
        f"The keeper hid a violin in the cellar {HOSTILE}", id="violin", created="2025-01-01"
    )
    for turn in range(21):
        role.post(
            "/recall",
            {
                "messages": [{"role": "user", "content": f"How is the weather on night {turn}?"}],
                "chat": f"c{turn}",
            },
        )
    return role


def part(visitor: Visitor, name: str) -> Locator:
    return visitor.page.locator(f"section[aria-labelledby={name}]")


def undo(visitor: Visitor) -> None:
    visitor.page.locator(".toast").last.get_by_role(
        "button", name=visitor.says("undo"), exact=True
    ).click()


@EITHER
def test_how_the_model_stands_is_told_in_the_language_of_the_page(
    visitor: Visitor, known: Caller
) -> None:
    visitor.goes("insight", known.id)
    told = part(visitor, "figures").locator(".facts dd").last
    states = [visitor.says(f"meaning.{one}") for one in ("ready", "loading", "absent", "failed")]
    expect(told).to_have_text(re.compile("|".join(map(re.escape, states))))


@EITHER
def test_a_silent_memory_says_why_and_takes_a_key(visitor: Visitor, known: Caller) -> None:
    visitor.goes("insight", known.id)
    row = part(visitor, "silent").locator("li", has_text="violin")
    expect(row).to_contain_text(HOSTILE)
    row.get_by_role("button").first.click()
    expect(part(visitor, "bare")).not_to_contain_text("violin")
    assert len(known.get("/memories/violin")["memory"]["keys"]) == 1
    undo(visitor)
    expect(part(visitor, "bare")).to_contain_text("violin")


def test_what_recalled_the_memories_is_counted(at_desk: Visitor, known: Caller) -> None:
    for text in ("Is there tea?", "More tea, please."):
        known.post("/recall", {"messages": asks(text), "user": "lin"})
    at_desk.goes("insight", known.id)
    row = part(at_desk, "plots").get_by_role("row", name=at_desk.says("strategy.keyword"))
    expect(row).to_contain_text("2")


@EITHER
def test_clusters_have_names_and_nobody_meets_a_barrier(visitor: Visitor, known: Caller) -> None:
    for number, text in enumerate(
        [
            "The beacon failed in the storm.",
            "A storm broke the beacon.",
            "The keeper lit the beacon in the storm.",
        ]
    ):
        known.remember(text, id=f"sea{number}")
    visitor.goes("insight", known.id)
    theme = part(visitor, "themes").locator("details", has_text="beacon")
    theme.locator("summary").click()
    expect(theme).to_contain_text("A storm broke the beacon.")
    visitor.page.evaluate(axe())
    found = visitor.page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']})")
    assert [
        (one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]
    ] == []
