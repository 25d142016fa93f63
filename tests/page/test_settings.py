"""Settings: explained, changed live, taken back; presets; how the models stand."""

from pathlib import Path

from playwright.sync_api import Route, expect

from rolememory.storage.settings_tree import sections
from tests.page.visitors import EITHER, Visitor
from tests.serve.rest.callers import Caller

KEY = "recall.relevance_threshold"


@EITHER
def test_a_setting_is_found_explained_changed_and_put_back(visitor: Visitor, house: object) -> None:
    visitor.goes("settings")
    visitor.field("settings.search").fill(KEY)
    field = visitor.page.get_by_label(KEY, exact=True)
    expect(field).to_have_value("0.3")
    told = {"en": "left out", "zh": "低于此值"}[visitor.language]
    expect(visitor.page.locator(".setting").filter(has=field)).to_contain_text(told)
    field.fill("0.45")
    field.press("Enter")
    expect(visitor.page.locator(".setting").filter(has=field)).to_contain_text("rolememory.toml")
    assert visitor.served.home.settings.recall.relevance_threshold == 0.45
    visitor.button("settings.reset.one", key=KEY).click()
    visitor.reads(visitor.says("settings.is.default"))
    assert visitor.served.home.settings.recall.relevance_threshold == 0.3


@EITHER
def test_every_table_of_settings_says_what_it_is_for(visitor: Visitor) -> None:
    visitor.goes("settings")
    groups = visitor.page.locator(".group > summary")
    expect(groups).to_have_count(1 + len([name for name in sections() if "." not in name]))
    assert [told for told in groups.all_inner_texts() if "settings.of." in told] == []


def test_a_value_that_does_not_fit_is_refused_with_the_reason(at_desk: Visitor) -> None:
    at_desk.goes("settings")
    at_desk.field("settings.search").fill(KEY)
    field = at_desk.page.get_by_label(KEY, exact=True)
    field.fill("7")
    field.press("Enter")
    expect(at_desk.page.get_by_role("alert")).to_contain_text(KEY)
    expect(field).to_have_value("0.3")
    at_desk.errors = [error for error in at_desk.errors if "422" not in error]


def test_a_role_has_settings_of_its_own(at_desk: Visitor, role: Caller) -> None:
    at_desk.goes("settings")
    at_desk.field("settings.for").select_option(role.id)
    at_desk.field("settings.search").fill("recall.scan_depth")
    field = at_desk.page.get_by_label("recall.scan_depth", exact=True)
    field.fill("9")
    field.press("Enter")
    expect(at_desk.page.locator(".setting").filter(has=field)).to_contain_text("role.json")
    assert role.get()["settings"] == {"recall": {"scan_depth": 9}}
    assert at_desk.served.home.settings.recall.scan_depth == 4


@EITHER
def test_a_preset_is_chosen_and_taken_back(visitor: Visitor) -> None:
    visitor.goes("settings", "presets")
    visitor.button("presets.choose.one", name="koishi").click()
    expect(visitor.page.locator(".presets li.chosen-row")).to_contain_text("koishi")
    assert visitor.served.home.settings.preset == "koishi"
    visitor.button("presets.choose.one", name="default").click()
    expect(visitor.page.locator(".presets li.chosen-row")).to_contain_text("default")


def test_an_edit_of_the_file_shows_up_by_itself(at_desk: Visitor) -> None:
    at_desk.goes("settings")
    at_desk.field("settings.search").fill("recall.candidates")
    field = at_desk.page.get_by_label("recall.candidates", exact=True)
    expect(field).to_have_value("80")
    file: Path = at_desk.served.home.path / "rolememory.toml"
    before = file.read_bytes() if file.exists() else b""
    file.write_bytes(
        before + b"\n[recall]\ncandidates = 33\n"
        if b"[recall]" not in before
        else before.replace(b"[recall]", b"[recall]\ncandidates = 33")
    )
    expect(field).to_have_value("33")
    file.write_bytes(before)
    expect(field).to_have_value("80")


@EITHER
def test_it_says_what_works_now(visitor: Visitor) -> None:
    visitor.goes("settings", "models")
    ladder = visitor.page.locator(".ladder > li")
    expect(ladder.first).to_contain_text(visitor.says("state.is.ready"))
    expect(ladder.nth(1)).to_contain_text(visitor.says("state.meaning.off"))


def test_a_comment_of_the_author_survives_a_change_made_on_the_page(at_desk: Visitor) -> None:
    file: Path = at_desk.served.home.path / "rolememory.toml"
    before = file.read_bytes() if file.exists() else None
    file.write_text(
        "# mine, do not touch\n[recall]  # what comes to mind\nmax_items = 7  # lucky\n\n# the end\n",
        "utf-8",
    )
    at_desk.goes("settings")
    at_desk.field("settings.search").fill("recall.max_items")
    field = at_desk.page.get_by_label("recall.max_items", exact=True)
    expect(field).to_have_value("7")
    kept, held = True, list[Route]()  # taken back before the table was read again

    def hold(route: Route) -> None:
        held.append(route) if kept and route.request.method == "GET" else route.continue_()

    at_desk.page.route("**/api/settings*", hold)
    field.fill("9")
    field.press("Enter")
    saved = at_desk.says("settings.saved", key="recall.max_items")
    at_desk.reads(saved)
    kept = False
    assert (
        file.read_text("utf-8")
        == "# mine, do not touch\n[recall]  # what comes to mind\nmax_items = 9  # lucky\n\n# the end\n"
    )
    at_desk.page.locator(".toast", has_text=saved).get_by_role(
        "button", name=at_desk.says("undo")
    ).click()
    expect(field).to_have_value("7")
    file.unlink() if before is None else file.write_bytes(before)
