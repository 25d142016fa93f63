"""Whatever people, cards, books and chats write is text in every view: it is shown, it does nothing, it breaks nothing."""

import json
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Dialog

from tests.page.tour import VIEWS, walk
from tests.page.visitors import Visitor, rows, visiting
from tests.serve.houses import Served
from tests.serve.rest.callers import Caller, asks, good

ATTACKS = {
    "a script": "<script>window.hit=1</script>",
    "a picture that fails": "<img src=x onerror=window.hit=1>",
    "ways out of elements and attributes": "\"'></title></textarea></style></script><svg/onload=window.hit=1>",
    "template braces of many languages": "{{constructor.constructor('window.hit=1')()}} ${window.hit=1} <%= 7*7 %> {name} {0}",
    "an address that is a script": "javascript:window.hit=1//",
    "markdown that is a script": '[click](javascript:window.hit=1) ![x](x" onerror="window.hit=1)',
    "a link over everything": "<a href='https://example.com' style='position:fixed;inset:0'>click</a>",
    "a frame and a form": "<iframe srcdoc='<script>top.hit=1</script>'></iframe><form action=//example.com><button>ok",
    "a comment that hides": "<!--[if gte IE 4]><script>window.hit=1</script><![endif]--> --><b onmouseover=window.hit=1>x",
    "letters that run backwards": "\u202eexe.txt\u2066\u200f abc \u202a",
    "signs that cannot be seen": "a\u200b\u200d\ufeff\u2028b\u00ad\u0301\u0301\u0301\u0301",
    "one huge word": "W" * 180,
    "heaps of marks": "Z" + "\u0351\u0337\u0489" * 40,
    "names of every object": "__proto__ constructor toString hasOwnProperty",
}
QUICK = ("ways out of elements and attributes", "one huge word")
AS_ROWS = pytest.mark.parametrize(
    "text",
    rows(
        [pytest.param(ATTACKS[name], id=name) for name in QUICK],
        [pytest.param(text, id=name) for name, text in ATTACKS.items() if name not in QUICK],
    ),
)
AWRY = """() => ({
  hit: window.hit ?? null,
  made: document.querySelectorAll('main script, main iframe, main form[action], main style, main svg[onload], main [onerror], main [onmouseover]').length,
  lured: [...document.querySelectorAll('a[href], img[src]')].filter(one => !/^(#|\\/)/.test(one.getAttribute('href') ?? one.getAttribute('src'))).length,
  aside: document.documentElement.scrollWidth - innerWidth,
})"""


def beset(api: httpx.Client, text: str) -> Caller:
    """A role whose card, memories, book, chat and user are all called so."""
    book = {
        "name": text,
        "entries": [
            {
                "keys": [text],
                "content": text,
                "name": text,
                "comment": text,
                "enabled": True,
                "insertion_order": 1,
            }
        ],
    }
    data = {
        "name": text,
        "description": text,
        "tags": [text],
        "creator": text,
        "character_book": book,
    }
    card = json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data})
    made = good(
        api.post(
            "/cards",
            content=card.encode(),
            params={"name": text},
            headers={"content-type": "application/octet-stream"},
        )
    )
    role = Caller(api, made["role"], text)
    named: dict[str, Any] = {
        "keys": [text],
        "tags": [text],
        "topics": [text],
        "emotions": [text],
        "subject": text,
    }
    role.remember(text, id="theirs", **named)
    role.remember(f"{text} again", id="newer", supersedes=["theirs"], user=text)
    role.say(
        f"Remember that my cat is called {text}. {text}",
        text,
        f"Correction: I live in {text}.",
        chat=text,
        user=text,
        title=text,
    )
    role.post("/recall", {"messages": asks(text), "chat": text, "user": text})
    return role


@AS_ROWS
def test_it_is_text_in_every_view(
    browser: Browser, house: Served, api: httpx.Client, text: str
) -> None:
    role = beset(api, text)
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    with visiting(browser, house, "en", "phone") as visitor:
        visitor.page.on("dialog", dismiss)
        for view in VIEWS:
            walk(visitor, role, view)
            assert visitor.page.evaluate(AWRY) == {
                "hit": None,
                "made": 0,
                "lured": 0,
                "aside": 0,
            }, view
        visitor.page.remove_listener("dialog", dismiss)
    assert dialogs == []


@AS_ROWS
def test_a_memory_is_shown_and_edited_as_it_was_written(
    at_desk: Visitor, role: Caller, text: str
) -> None:
    role.remember(text, id="theirs", tags=[text], keys=[text])
    at_desk.goes("memory", role.id, "theirs")
    shown = at_desk.page.locator(".memory-text")
    shown.wait_for()
    assert shown.evaluate("one => one.textContent") == text
    at_desk.button("edit").first.click()
    at_desk.field("field.content").wait_for()
    assert at_desk.field("field.content").evaluate("one => one.value") == text
    assert at_desk.page.evaluate(AWRY) == {"hit": None, "made": 0, "lured": 0, "aside": 0}


def test_what_runs_backwards_turns_nothing_around_it(at_desk: Visitor, role: Caller) -> None:
    role.remember("\u202eexe.txt", id="theirs", tags=["\u202etag"], subject="\u202ename")
    at_desk.goes("list", role.id)
    at_desk.page.locator("li[data-row]").wait_for()
    found = at_desk.page.evaluate(
        "[...document.querySelectorAll('.said, .facts-line > *')].map(one => getComputedStyle(one).unicodeBidi)"
    )
    assert len(found) > 3
    assert set(found) <= {"isolate", "plaintext"}


def test_no_script_and_no_style_runs_but_ours(at_desk: Visitor, role: Caller) -> None:
    at_desk.goes("list", role.id)
    at_desk.page.evaluate(
        """() => {
          window.broken = [];
          addEventListener('securitypolicyviolation', event => window.broken.push(event.effectiveDirective));
          const script = document.createElement('script');
          script.textContent = 'window.hit = 1';
          document.body.append(script);
          document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.hit=1">');
        }"""
    )
    at_desk.page.wait_for_function("window.broken.some(one => one.startsWith('script-src'))")
    assert at_desk.page.evaluate("window.hit ?? null") is None
    at_desk.errors.clear()
