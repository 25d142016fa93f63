"""The list: find, choose, change, take back."""

import re

from playwright.sync_api import expect

from tests.page.visitors import EITHER, Visitor
from tests.serve.rest.callers import Caller


@EITHER
def test_a_memory_is_written_changed_and_taken_back(visitor: Visitor, role: Caller) -> None:
    visitor.goes("list", role.id)
    visitor.reads(visitor.says("list.empty"))
    visitor.button("list.add").click()
    dialog = visitor.page.get_by_role("dialog")
    visitor.button("save").click()
    visitor.reads(visitor.says("editor.empty"))
    visitor.field("field.content").fill("The beacon failed.")
    visitor.field("field.keys").fill("beacon, 灯塔")
    visitor.button("save").click()
    expect(dialog).to_have_count(0)
    row = visitor.page.locator("li[data-row]")
    expect(row).to_contain_text("The beacon failed.")
    (memory,) = role.get("/memories")["items"]
    assert memory["keys"] == ["beacon", "灯塔"]
    row.get_by_role("button", name=visitor.says("edit")).click()
    visitor.field("field.content").fill("The beacon burns.")
    visitor.button("save").click()
    expect(row).to_contain_text("The beacon burns.")
    expect(dialog).to_have_count(0)  # only then does the message with its button stand there
    visitor.page.locator(".toast").last.get_by_role("button", name=visitor.says("undo")).click()
    expect(row).to_contain_text("The beacon failed.")


@EITHER
def test_many_are_chosen_archived_deleted_and_brought_back(visitor: Visitor, role: Caller) -> None:
    for number in range(3):
        role.remember(f"Day {number}.")
    visitor.goes("list", role.id)
    rows = visitor.page.locator("li[data-row]")
    expect(rows).to_have_count(3)
    visitor.field("list.choose.page").check()
    visitor.button("archive").click()
    expect(rows).to_have_count(0)
    visitor.button("undo").last.click()
    expect(rows).to_have_count(3)
    visitor.field("list.choose.page").check()
    visitor.button("delete").click()
    visitor.page.get_by_role("dialog").get_by_role(
        "button", name=visitor.says("delete"), exact=True
    ).click()
    expect(rows).to_have_count(0)
    assert role.get("/memories")["total"] == 0
    visitor.button("undo").last.click()
    expect(rows).to_have_count(3)


@EITHER
def test_it_is_found_by_words_type_and_tag(visitor: Visitor, role: Caller) -> None:
    role.remember("The beacon failed.", tags=["sea"])
    role.remember("Lin likes tea.", type="semantic")
    visitor.goes("list", role.id)
    rows = visitor.page.locator("li[data-row]")
    expect(rows).to_have_count(2)
    visitor.field("list.search").fill("BEACON")
    expect(rows).to_have_text([re.compile("beacon")])
    visitor.field("list.search").fill("")
    visitor.field("filter.type").select_option("semantic")
    expect(rows).to_have_text([re.compile("tea")])
    visitor.field("list.search").fill("no such thing")
    visitor.reads(visitor.says("list.nothing"))
    visitor.button("list.clear").click()
    expect(rows).to_have_count(2)
    visitor.page.get_by_text(visitor.says("list.more")).click()
    visitor.field("filter.tag").select_option("sea")
    expect(rows).to_have_text([re.compile("beacon")])


def test_the_keyboard_alone_is_enough(at_desk: Visitor, role: Caller) -> None:
    for text in ("First.", "Second.", "Third."):
        role.remember(text)
    at_desk.goes("list", role.id)
    links = at_desk.page.locator("li[data-row] a")
    expect(links).to_have_count(3)
    links.first.focus()
    at_desk.page.keyboard.press("ArrowDown")
    expect(links.nth(1)).to_be_focused()
    at_desk.page.keyboard.press("x")
    at_desk.reads(at_desk.says("list.chosen", count=1))
    at_desk.page.keyboard.press("p")
    expect(at_desk.page.locator("li[data-row]").nth(1)).to_contain_text(at_desk.says("pinned"))
    at_desk.page.keyboard.press("e")
    expect(at_desk.field("field.content")).to_be_focused()
    at_desk.page.keyboard.press("Escape")
    expect(links.nth(1)).to_be_focused()
    at_desk.page.keyboard.press("Delete")
    expect(links).to_have_count(2)
    expect(links.nth(1)).to_be_focused()
    at_desk.page.keyboard.press("Control+z")
    expect(links).to_have_count(3)
    links.first.focus()
    at_desk.page.keyboard.press("a")
    expect(links).to_have_count(2)
    assert role.get("/memories", params={"archived": "yes"})["total"] == 1


def test_the_focus_stays_in_a_dialog(at_desk: Visitor, role: Caller) -> None:
    at_desk.goes("list", role.id)
    at_desk.button("list.add").click()
    for _ in range(40):
        at_desk.page.keyboard.press("Tab")
    assert at_desk.page.evaluate("!!document.activeElement.closest('[role=dialog]')")
    at_desk.page.keyboard.press("Escape")
    expect(at_desk.button("list.add")).to_be_focused()


def test_what_was_written_is_not_lost_by_a_slip(at_desk: Visitor, role: Caller) -> None:
    at_desk.goes("list", role.id)
    at_desk.button("list.add").click()
    at_desk.field("field.content").fill("A long evening.")
    asked: list[str] = []
    at_desk.page.once("dialog", lambda one: (asked.append(one.message), one.dismiss()))
    at_desk.page.keyboard.press("Escape")
    expect(at_desk.field("field.content")).to_have_value("A long evening.")
    assert asked == [at_desk.says("discard")]
    at_desk.page.once("dialog", lambda one: one.accept())
    at_desk.page.mouse.click(5, 5)
    expect(at_desk.page.get_by_role("dialog")).to_have_count(0)


def test_what_changes_elsewhere_shows_up_by_itself(at_desk: Visitor, role: Caller) -> None:
    at_desk.goes("list", role.id)
    at_desk.reads(at_desk.says("list.empty"))
    role.remember("Told elsewhere.")
    at_desk.reads("Told elsewhere.")


def test_two_at_once_do_not_overwrite_each_other(at_desk: Visitor, role: Caller) -> None:
    made = role.remember("As it was.")
    at_desk.goes("list", role.id)
    at_desk.page.locator("li[data-row]").get_by_role("button", name="Edit").click()
    role("PATCH", f"/memories/{made['id']}", {"content": "As the other wrote."})
    at_desk.field("field.content").fill("As I write.")
    at_desk.button("save").click()
    at_desk.reads("As the other wrote.")
    at_desk.button("editor.mine").click()
    at_desk.button("save").click()
    expect(at_desk.page.get_by_role("dialog")).to_have_count(0)
    at_desk.reads("As I write.")
    at_desk.errors = [error for error in at_desk.errors if "412" not in error]


def test_a_long_list_comes_in_pages(at_desk: Visitor, role: Caller) -> None:
    role.post(
        "/memories/bulk",
        {"op": "add", "memories": [{"content": f"Day {number}."} for number in range(150)]},
    )
    at_desk.goes("list", role.id)
    at_desk.reads("1–100 of 150")
    at_desk.button("list.after").click()
    at_desk.reads("101–150 of 150")
    at_desk.field("list.choose.page").check()
    at_desk.button("list.choose.all", count=150).click()
    at_desk.reads(at_desk.says("list.chosen", count=150))
