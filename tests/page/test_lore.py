"""Lorebooks and cards: brought in by drop or chooser, edited with the linter looking on, tested, carried away."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.page.visitors import EITHER, Visitor, words
from tests.serve.rest.callers import Caller, good

HOSTILE = "<img src=x onerror=alert(1)>"
WORLD = {
    "entries": {
        "0": {
            "uid": 0,
            "key": ["beacon"],
            "comment": f"Beacon {HOSTILE}",
            "content": "The beacon stands on rock.",
        }
    }
}
TESTS = '[[case]]\nname = "the beacon is known"\nmessages = ["Where is the beacon?"]\nfires = ["Beacon"]\n'
CARD: Mapping[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Asha", "description": "Asha keeps bees.", "personality": "calm", "scenario": "", "first_mes": "Good morning.",
        "mes_example": "", "creator": f"Ann {HOSTILE}", "tags": ["bees"], "extensions": {},
        "character_book": {"name": "garden", "extensions": {}, "entries": [{"keys": ["hive"], "content": "Nine hives.", "extensions": {}, "enabled": True, "insertion_order": 1}]},
    },
}  # fmt: skip
ON_TOP = """(one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""
DROP = """([name, text]) => {
    const carried = new DataTransfer();
    carried.items.add(new File([text], name));
    const zone = document.querySelector(".drop");
    for (const kind of ["dragover", "drop"]) zone.dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
def keeper(role: Caller) -> Caller:
    """A role with a book of one entry."""
    role.api.post(
        f"/books/{role.id}/import", params={"filename": "harbour.json"}, json=WORLD
    ).raise_for_status()
    return role


def world(keeper: Caller) -> dict[str, Any]:
    return keeper.get("/export")["worldbooks"]["harbour.json"]  # type: ignore[no-any-return]


def opened(visitor: Visitor, keeper: Caller, part: str = "") -> Locator:
    """The book, open at one of its parts."""
    visitor.goes("lore", keeper.id)
    book = visitor.page.locator("details[data-book='harbour.json']")
    book.locator("summary").first.click()
    if part:
        book.get_by_role("button", name=visitor.says(f"lore.part.{part}")).click()
    return book


@EITHER
def test_an_error_stands_above_the_dialog_that_made_it(visitor: Visitor, keeper: Caller) -> None:
    opened(visitor, keeper).locator("li[data-uid]").first.get_by_role("button").first.click()
    visitor.field("lore.content").fill("It stands on sand.")
    visitor.page.locator("#lint > *").first.wait_for()
    visitor.page.context.set_offline(True)
    visitor.button("save").click()
    banner = visitor.page.locator(".banner", has_text=visitor.says("error.unreachable"))
    expect(banner).to_be_in_viewport()
    assert banner.evaluate(ON_TOP)
    visitor.page.context.set_offline(False)
    visitor.errors.clear()


@EITHER
def test_a_dropped_book_is_shown_first_and_its_entries_wake(visitor: Visitor, role: Caller) -> None:
    visitor.goes("lore", role.id)
    visitor.page.evaluate(DROP, ["harbour.json", json.dumps(WORLD)])
    expect(visitor.page.locator("#would")).to_contain_text(visitor.says("lore.entries", count=1))
    assert role.get("/export")["worldbooks"] == {}
    visitor.button("lore.bring").click()
    book = visitor.page.locator("details[data-book='harbour.json']")
    book.locator("summary").first.click()
    expect(book).to_contain_text(f"Beacon {HOSTILE}")
    visitor.field("lore.trial.text").fill("the beacon at night")
    expect(visitor.page.locator("#lore-told [data-pass='1']")).to_contain_text(
        "The beacon stands on rock."
    )
    assert world(role) == WORLD


@EITHER
def test_a_chosen_card_becomes_the_role_s_card_with_its_book(
    visitor: Visitor, role: Caller, tmp_path: Path
) -> None:
    file = tmp_path / "asha.json"
    file.write_text(json.dumps(CARD), "utf-8")
    visitor.goes("lore", role.id)
    visitor.page.locator("input[type=file]").set_input_files(file)
    expect(visitor.page.locator("#would")).to_contain_text(HOSTILE)
    visitor.reads(visitor.says("lore.as.other", card="Asha", role=role.name))
    visitor.button("lore.bring").click()
    card = visitor.page.locator("section[aria-labelledby=card]")
    expect(card).to_contain_text(f"Ann {HOSTILE}")
    expect(visitor.page.locator("section[aria-labelledby=shelves]")).to_contain_text("garden")


def test_what_is_neither_card_nor_book_is_said_to_be_so(at_desk: Visitor, role: Caller) -> None:
    at_desk.goes("lore", role.id)
    at_desk.page.evaluate(DROP, ["letter.json", '{"dear": "Mira"}'])
    expect(at_desk.page.get_by_role("dialog")).to_contain_text(at_desk.says("lore.bring.unknown"))
    at_desk.page.keyboard.press("Escape")
    expect(at_desk.page.get_by_role("dialog")).to_have_count(0)


def test_a_book_of_the_same_name_is_only_written_over_when_asked(
    at_desk: Visitor, keeper: Caller
) -> None:
    at_desk.goes("lore", keeper.id)
    at_desk.page.evaluate(DROP, ["harbour.json", json.dumps({"entries": {}})])
    expect(at_desk.button("lore.bring")).to_be_disabled()
    at_desk.reads(at_desk.says("lore.book.there"))
    at_desk.field("lore.book.replace").check()
    at_desk.button("lore.bring").click()
    expect(at_desk.page.get_by_role("dialog")).to_have_count(0)
    assert world(keeper) == {"entries": {}}


@EITHER
def test_an_entry_is_checked_while_it_is_written_and_removed_with_a_way_back(
    visitor: Visitor, keeper: Caller
) -> None:
    book = opened(visitor, keeper)
    book.get_by_role("button", name=visitor.says("lore.edit")).click()
    visitor.field("lore.keys.lines").fill("/beacon(/")
    expect(visitor.page.locator("#lint li").first).to_be_visible()
    visitor.field("lore.keys.lines").fill("beacon\n/light, (house|room)/")
    visitor.button("save").click()
    expect(book).to_contain_text("/light, (house|room)/")
    assert world(keeper)["entries"]["0"]["key"] == ["beacon", "/light, (house|room)/"]
    book.get_by_role("button", name=visitor.says("lore.add")).click()
    visitor.field("lore.name").fill("The bell")
    visitor.field("lore.content").fill("A bell of bronze.")
    visitor.field("lore.keys.lines").fill("bell")
    visitor.button("save").click()
    expect(book.locator("li[data-uid]")).to_have_count(2)
    book.locator("li[data-uid]", has_text="The bell").get_by_role(
        "button", name=visitor.says("delete")
    ).click()
    expect(book.locator("li[data-uid]")).to_have_count(1)
    visitor.page.locator(".toast").last.get_by_role("button", name=visitor.says("undo")).click()
    expect(book).to_contain_text("A bell of bronze.")


@EITHER
def test_a_book_is_tested(visitor: Visitor, keeper: Caller) -> None:
    book = opened(visitor, keeper, "tests")
    visitor.field("lore.tests.text").fill(
        TESTS.replace("Where is the beacon?", "Hello.").replace(
            '"Beacon"', json.dumps(f"Beacon {HOSTILE}")
        )
    )
    visitor.button("lore.tests.run").click()
    expect(book.locator(".cases .failed")).to_contain_text("the beacon is known")
    visitor.field("lore.tests.text").fill(
        TESTS.replace('"Beacon"', json.dumps(f"Beacon {HOSTILE}"))
    )
    visitor.button("lore.tests.run").click()
    expect(book.locator(".cases .passed")).to_contain_text("the beacon is known")
    visitor.button("save").click()
    visitor.reads(visitor.says("lore.tests.saved"))
    assert keeper.api.get(f"/books/{keeper.id}/harbour/tests").json()["cases"] == 1


@EITHER
def test_a_book_is_carried_away_in_another_format_told_before_what_is_lost(
    visitor: Visitor, keeper: Caller
) -> None:
    book = opened(visitor, keeper, "save")
    book.get_by_label(visitor.says("lore.save.as")).select_option("lorebook_v3")
    expect(book.locator("#lost-books")).not_to_be_empty()
    with visitor.page.expect_download() as kept:
        book.get_by_role("button", name=visitor.says("lore.export"), exact=True).click()
    assert kept.value.suggested_filename == "harbour.json"
    assert "beacon" in Path(kept.value.path()).read_text("utf-8")
    visitor.page.locator("section[aria-labelledby=card]").get_by_label(
        visitor.says("lore.save.as")
    ).select_option("charx")
    with visitor.page.expect_download() as card:
        visitor.page.locator("section[aria-labelledby=card]").get_by_role(
            "button", name=visitor.says("lore.export"), exact=True
        ).click()
    assert card.value.suggested_filename.endswith(".charx")


def test_a_book_of_everybody_is_used_and_let_go_again(at_desk: Visitor, role: Caller) -> None:
    name = f"far {role.name}"
    role.api.post("/books/shared", json={"name": name}).raise_for_status()
    at_desk.goes("lore", role.id)
    at_desk.field("lore.link.name").select_option(f"{name}.json")
    at_desk.button("lore.link").click()
    expect(at_desk.page.locator("section[aria-labelledby=shelves]")).to_contain_text(
        words("en")["lore.shared"]
    )
    assert role.get()["worldbooks"] == [f"{name}.json"]
    at_desk.button("remove.one", name=f"{name}.json").click()
    expect(at_desk.page.locator("section[aria-labelledby=linked]")).to_contain_text(
        words("en")["lore.linked.none"]
    )
    assert role.get()["worldbooks"] == []


@EITHER
def test_a_deleted_role_leaves_the_list_and_comes_back(visitor: Visitor, keeper: Caller) -> None:
    keeper.remember("The beacon failed.")
    keeper.remember("The pier is old.", archived=True)
    keeper.say("Hello there.")
    visitor.goes("lore", keeper.id)
    visitor.button("lore.delete.role").click()
    dialog = visitor.page.get_by_role("dialog")
    expect(dialog).to_contain_text(visitor.says("lore.delete.role.goes", memories=2, chats=1))
    with visitor.page.expect_download() as saved:
        dialog.get_by_role("button", name=visitor.says("lore.export.role")).click()
    assert json.loads(Path(saved.value.path()).read_text("utf-8"))["role"]["id"] == keeper.id
    dialog.get_by_role("button", name=visitor.says("delete"), exact=True).click()
    visitor.reads(visitor.says("lore.deleted.role", name=keeper.name))
    option = visitor.page.locator(f"#role option[value='{keeper.id}']")
    expect(option).to_have_count(0)
    assert keeper("GET").status_code == 404
    visitor.button("undo").last.click()
    expect(option).to_have_count(1)
    expect(visitor.page.locator("details[data-book='harbour.json']")).to_have_count(1)
    assert keeper.get()["memories"] == 1


@EITHER
def test_a_role_deleted_for_good_has_no_way_back(visitor: Visitor, role: Caller) -> None:
    visitor.goes("lore", role.id)
    visitor.button("lore.delete.role").click()
    expect(visitor.page.get_by_role("dialog")).to_be_focused()
    visitor.page.keyboard.press("Space")
    expect(visitor.field("lore.delete.role.nothing")).not_to_be_checked()
    visitor.field("lore.delete.role.nothing").check()
    visitor.reads(visitor.says("lore.delete.role.never"))
    visitor.button("lore.delete.role.for.good").click()
    visitor.reads(visitor.says("lore.deleted.role", name=role.name))
    expect(visitor.page.locator(f"#role option[value='{role.id}']")).to_have_count(0)
    deleted = role.api.get("/deleted-roles", params={"limit": 500}).json()["items"]
    assert role.id not in [one["id"] for one in deleted]


@EITHER
def test_a_role_that_is_deleted_elsewhere_is_missed_by_its_name(
    visitor: Visitor, role: Caller
) -> None:
    visitor.goes("list", role.id)
    visitor.forgiven = ("404", role.id)  # what the list had asked before it was told
    good(role("DELETE"))
    expect(visitor.page.get_by_role("alert")).to_contain_text(
        visitor.says("role.unknown", name=role.name)
    )
