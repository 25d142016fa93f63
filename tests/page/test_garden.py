"""The garden: a map to walk in, with time, and the same as a list."""

import re

from playwright.sync_api import Browser, Locator, expect

from tests.page.visitors import EITHER, Visitor, visiting
from tests.serve.houses import Served
from tests.serve.rest.callers import Caller

SEA = ["The beacon failed in the storm.", "A storm broke the beacon.", "The keeper lit the beacon."]
TEA = ["Jasmine tea calms her.", "She drinks jasmine tea.", "Lin brought jasmine tea."]
APART = """async ({ role, own }) => {
  const { planted, grown, mapped } = await import("/web/views/garden_data.js");
  const { places } = planted(await grown(role), await mapped(role));
  const [x, y] = places.get(own);
  const others = [...places].filter(([id]) => id !== own);
  return Object.fromEntries(others.map(([id, [ox, oy]]) => [id, Math.hypot(ox - x, oy - y)]));
}"""


def planted(role: Caller) -> None:
    role.remember(
        "The storm of 1887.", created="2023-01-01T10:00:00Z", topics=["weather"], emotions=["fear"]
    )
    role.remember(
        "Lin likes tea.",
        type="semantic",
        created="2024-06-01T10:00:00Z",
        topics=["tea"],
        emotions=["joy"],
    )
    role.remember(
        "Mira keeps the light.", type="trait", created="2025-06-01T10:00:00Z", topics=["work"]
    )


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


def test_it_looks_the_same_after_another_view(at_desk: Visitor, role: Caller) -> None:
    planted(role)
    at_desk.goes("chats", role.id)
    at_desk.goes("garden", role.id)
    ways = [at_desk.button(f"garden.{one}").bounding_box() for one in ("map", "list")]
    assert len({way["y"] for way in ways if way}) == 1


def test_what_is_alike_stands_together(at_desk: Visitor, role: Caller) -> None:
    for at, text in enumerate([*SEA, *TEA]):
        role.remember(text, id=f"{'sea' if at < len(SEA) else 'tea'}{at}")
    at_desk.goes("garden", role.id)
    expect(at_desk.page.locator("canvas")).to_have_attribute("data-points", str(len([*SEA, *TEA])))
    apart = at_desk.page.evaluate(APART, {"role": role.id, "own": "sea0"})
    own = {one: far for one, far in apart.items() if one.startswith("sea")}
    assert len(own) == 2
    assert max(own.values()) < min(far for one, far in apart.items() if one.startswith("tea"))


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
    expect(at_desk.page.get_by_role("complementary")).to_contain_text("The only one.")


def test_a_memory_that_was_replaced_goes_when_the_newer_comes(
    at_desk: Visitor, role: Caller
) -> None:
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
    role.say("Remember that my cat is called Biscuit.", "A fine name!", "I think so too.")
    expect(at_desk.page.locator("canvas")).not_to_have_attribute("data-points", "1")


@EITHER
def test_a_memory_is_written_tended_and_brought_back_in_the_garden(
    visitor: Visitor, role: Caller
) -> None:
    visitor.goes("garden", role.id)
    visitor.reads(visitor.says("garden.empty"))
    visitor.button("garden.add").click()
    visitor.field("field.content").fill("The beacon failed.")
    visitor.button("save").click()
    canvas = visitor.page.locator("canvas")
    expect(canvas).to_have_attribute("data-points", "1")
    chosen = visitor.page.get_by_role("complementary", name=visitor.says("garden.chosen"))
    expect(chosen).to_contain_text("The beacon failed.")
    chosen.get_by_role("button", name=visitor.says("pin"), exact=True).click()
    expect(chosen).to_contain_text(visitor.says("pinned"))
    chosen.get_by_role("button", name=visitor.says("edit"), exact=True).click()
    visitor.field("field.content").fill("The beacon burns.")
    visitor.button("save").click()
    expect(chosen).to_contain_text("The beacon burns.")
    assert (
        role.post("/search", {"query": "burns beacon"})["items"][0]["content"]
        == "The beacon burns."
    )
    chosen.get_by_role("button", name=visitor.says("delete"), exact=True).click()
    visitor.reads(visitor.says("garden.empty"))
    visitor.page.locator(".toast").last.get_by_role("button", name=visitor.says("undo")).click()
    expect(canvas).to_have_attribute("data-points", "1")


def test_what_is_added_is_recalled_by_the_next_message(at_desk: Visitor, role: Caller) -> None:
    at_desk.goes("garden", role.id)
    at_desk.button("garden.add").click()
    at_desk.field("field.content").fill("The beacon failed in the storm of 1887.")
    at_desk.button("save").click()
    expect(at_desk.page.locator("canvas")).to_have_attribute("data-points", "1")
    turn = role.post(
        "/recall", {"messages": [{"role": "user", "content": "Why did the beacon fail?"}]}
    )
    assert [one["content"] for one in turn["items"]] == ["The beacon failed in the storm of 1887."]


def test_the_keys_tend_the_chosen_one(at_desk: Visitor, role: Caller) -> None:
    role.remember("The only one.", id="only")
    at_desk.goes("garden", role.id)
    canvas = at_desk.page.locator("canvas")
    expect(canvas).to_have_attribute("data-points", "1")
    canvas.focus()
    at_desk.page.keyboard.press("ArrowRight")
    chosen = at_desk.page.get_by_role("complementary")
    expect(chosen).to_contain_text("The only one.")
    at_desk.page.keyboard.press("p")
    expect(chosen).to_contain_text(at_desk.says("pinned"))
    at_desk.page.keyboard.press("a")
    at_desk.reads(at_desk.says("garden.empty"))
    assert role.get("/memories/only")["memory"]["archived"] is True
    at_desk.page.locator(".toast").last.get_by_role("button", name="Undo").click()
    expect(canvas).to_have_attribute("data-points", "1")
    canvas.focus()
    at_desk.page.keyboard.press("ArrowRight")
    at_desk.page.keyboard.press("e")
    expect(at_desk.field("field.content")).to_be_focused()
    at_desk.page.keyboard.press("Escape")
    canvas.focus()
    at_desk.page.keyboard.press("Delete")
    at_desk.reads(at_desk.says("garden.empty"))
    assert role.get("/memories", params={"archived": "all"})["total"] == 0


def test_the_keys_move_the_map(at_desk: Visitor, role: Caller) -> None:
    planted(role)
    at_desk.goes("garden", role.id)
    canvas = at_desk.page.locator("canvas")
    expect(canvas).to_have_attribute("data-points", "3")
    canvas.focus()
    at_desk.page.keyboard.press("0")
    drawn = "document.querySelector('canvas').toDataURL()"
    frame = f"new Promise((done) => requestAnimationFrame(() => done({drawn})))"
    whole = at_desk.page.evaluate(frame)
    for key in ("+", "-", "Shift+ArrowLeft"):
        at_desk.page.keyboard.press(key)
        at_desk.page.wait_for_function(f"(whole) => {drawn} !== whole", arg=whole)
        at_desk.page.keyboard.press("0")
        at_desk.page.wait_for_function(f"(whole) => {drawn} === whole", arg=whole)


def test_what_it_replaced_is_a_ghost_joined_by_a_line(at_desk: Visitor, role: Caller) -> None:
    old = role.remember("Lin lives in Bergen.", created="2023-01-01T10:00:00Z")
    new = role.remember(
        "Lin lives in Oslo.", created="2024-01-01T10:00:00Z", supersedes=[old["id"]]
    )
    at_desk.page.goto(f"{at_desk.served.url}/#/garden/{role.id}?at={new['id']}")
    canvas = at_desk.page.locator("canvas")
    expect(canvas).to_have_attribute("data-points", "2")
    expect(canvas).not_to_have_attribute("data-lines", "0")
    chosen = at_desk.page.get_by_role("complementary")
    expect(chosen).to_contain_text("it replaced")
    chosen.get_by_role("button", name="Lin lives in Bergen.").click()
    expect(chosen).to_contain_text("replaced by")
    at_desk.page.get_by_label("replaced", exact=True).uncheck()
    expect(canvas).to_have_attribute("data-points", "1")


@EITHER
def test_the_slider_goes_on_into_what_will_have_faded(visitor: Visitor, role: Caller) -> None:
    role("PATCH", "", {"settings": {"triggers.recency.clock": "wall"}})
    role.remember("A summary of today.", source="summary")
    visitor.goes("garden", role.id)
    told = visitor.page.locator("#garden-told")
    expect(told).to_have_text(
        visitor.says("garden.told", at=visitor.says("garden.now"), count=1, fading=0)
    )
    visitor.page.get_by_role("slider").focus()
    visitor.page.keyboard.press("End")
    moment = visitor.says("garden.ahead", age=visitor.says("unit.days", count=28))
    expect(told).to_have_text(visitor.says("garden.told", at=moment, count=1, fading=1))
    visitor.field("garden.only").select_option("fading")
    expect(visitor.page.locator("canvas")).to_have_attribute("data-points", "1")
    visitor.button("garden.to.now").click()
    expect(visitor.page.locator("canvas")).to_have_attribute("data-points", "0")


def test_fingers_move_and_widen_the_map(browser: Browser, house: Served, role: Caller) -> None:
    planted(role)
    with visiting(browser, house, "zh", "phone") as visitor:
        visitor.goes("garden", role.id)
        canvas = visitor.page.locator("canvas")
        expect(canvas).to_have_attribute("data-points", "3")
        before = picture(canvas)
        touches(visitor, canvas, [[(150, 150), (200, 150)], [(100, 150), (260, 150)]])
        assert picture(canvas) != before
        visitor.button("garden.whole").click()
        visitor.page.wait_for_function(
            "([one, seen]) => one.toDataURL() === seen", arg=[canvas.element_handle(), before]
        )


def picture(canvas: Locator) -> str:
    """What stands on it, once it is drawn."""
    return str(
        canvas.evaluate(
            "async one => { for (let at = 0; at < 4; at++) await new Promise(requestAnimationFrame); return one.toDataURL(); }"
        )
    )


def touches(visitor: Visitor, canvas: Locator, steps: list[list[tuple[int, int]]]) -> None:
    """Fingers on the canvas, from each place to the next."""
    box = canvas.bounding_box()
    assert box
    session = visitor.page.context.new_cdp_session(visitor.page)
    for step, fingers in enumerate(steps):
        points = [
            {"x": box["x"] + x, "y": box["y"] + y, "id": finger}
            for finger, (x, y) in enumerate(fingers)
        ]
        session.send(
            "Input.dispatchTouchEvent",
            {"type": "touchMove" if step else "touchStart", "touchPoints": points},
        )
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
