"""A walk through every view of the page."""

from collections.abc import Mapping
from urllib.parse import quote

from playwright.sync_api import expect

from tests.page.visitors import Visitor
from tests.serve.rest.callers import Caller

VIEWS = (
    "welcome",
    "garden",
    "list",
    "memory",
    "playground",
    "chats",
    "chat",
    "review",
    "users",
    "lore",
    "insight",
    "settings",
)
_SIGNS: Mapping[str, str] = {  # what stands there once the view has what it asked for
    "welcome": "ol.steps",
    "garden": "canvas",
    "list": "li[data-row]",
    "memory": "dl.facts",
    "chat": "article",
    "settings": "details.group",
}


def walk(visitor: Visitor, role: Caller, view: str) -> None:
    """To a view of this role, by the address; the first memory and the first chat where it needs one. Waits until it is there."""
    parts = {
        "welcome": ["welcome"],
        "settings": ["settings"],
        "memory": ["memory", role.id, *_first(role, "/memories", view == "memory")],
        "chat": ["chats", role.id, *_first(role, "/chats", view == "chat")],
    }.get(view, [view, role.id])
    visitor.goes(*(quote(part, safe="") for part in parts))
    visitor.page.locator(_SIGNS.get(view, "main h1")).first.wait_for(state="attached")
    expect(visitor.page.locator("main .busy")).to_have_count(0)


def _first(role: Caller, path: str, wanted: bool) -> list[str]:
    return [role.get(path)["items"][0]["id"]] if wanted else []
