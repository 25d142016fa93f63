"""The decorators of the V3 specification under the default rules."""

from typing import Any

import pytest

from tests.recall.lore.books import awake, lore, told

BOT = {"role": "assistant", "content": "I nod."}
ME = {"role": "user", "content": "the lamp"}


def decorated(lines: str, *keys: str, **fields: Any) -> Any:
    return lore("a", *(keys or ("lamp",)), content=f"{lines}\ntext", **fields)


@pytest.mark.parametrize(
    ("lines", "chat", "asked", "wakes"),
    [
        pytest.param("@@activate", ["no key"], {}, True, id="activate needs no key"),
        pytest.param("@@dont_activate", [ME], {}, False, id="dont_activate beats keys"),
        pytest.param(
            "@@dont_activate\n@@activate", [ME], {}, True, id="activate beats dont_activate"
        ),
        pytest.param("@@activate_only_after 2", [BOT, ME], {}, False, id="only after: too early"),
        pytest.param(
            "@@activate_only_after 2", [BOT, BOT, ME], {}, True, id="only after: late enough"
        ),
        pytest.param(
            "@@activate_only_every 2", [BOT, ME], {}, False, id="only every second: not now"
        ),
        pytest.param(
            "@@activate_only_every 2", [BOT, BOT, ME], {}, True, id="only every second: now"
        ),
        pytest.param(
            "@@scan_depth 1", [ME, BOT], {}, False, id="scan_depth 1 sees the newest alone"
        ),
        pytest.param(
            "@@scan_depth 2",
            [ME, BOT],
            {"scan_depth": 1},
            True,
            id="scan_depth 2 sees further than the setting",
        ),
        pytest.param("@@is_greeting 1", [ME], {"greeting": 0}, False, id="another greeting"),
        pytest.param("@@is_greeting 1", [ME], {"greeting": 1}, True, id="its greeting"),
        pytest.param("@@is_user_icon ann", [ME], {"user_icon": "bob"}, False, id="another icon"),
        pytest.param("@@is_user_icon ann", [ME], {"user_icon": "ann"}, True, id="its icon"),
        pytest.param("@@additional_keys oil,whale", [ME], {}, False, id="additional key missing"),
        pytest.param(
            "@@additional_keys oil,whale",
            ["a lamp, whale oil"],
            {},
            True,
            id="one additional key is enough",
        ),
        pytest.param(
            "@@additional_keys oil\n@@additional_keys wick",
            ["lamp oil"],
            {},
            False,
            id="each line of additional keys counts",
        ),
        pytest.param(
            "@@exclude_keys night,雨", ["下雨 the lamp"], {}, False, id="an excluded key silences"
        ),
        pytest.param("@@exclude_keys night,雨", [ME], {}, True, id="no excluded key"),
        pytest.param(
            "@@shimmer\n@@@activate", ["no key"], {}, True, id="fallback of an unknown one"
        ),
        pytest.param(
            "@@depth 1\n@@@dont_activate", [ME], {}, True, id="no fallback for a known one"
        ),
        pytest.param(
            "@@scan_depth many\n@@@dont_activate",
            [ME],
            {},
            False,
            id="a bad value is as good as unknown",
        ),
        pytest.param(
            "@@instruct_depth 9\n@@instruct_scan_depth 9\n@@reverse_instruct_depth 9",
            [ME],
            {},
            True,
            id="instruct ones do nothing in chats",
        ),
    ],
)
def test_whether_it_wakes(lines: str, chat: list[Any], asked: dict[str, Any], wakes: bool) -> None:
    given = (
        told([decorated(lines)], **asked) if not chat else _scan(decorated(lines), chat, **asked)
    )
    assert (awake(given) == ["a"]) is wakes
    assert given.placement.before_text in ("", "text")


def _scan(entry: Any, chat: list[Any], **asked: Any) -> Any:
    return told([entry], *chat, **asked)


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        pytest.param("@@depth 2", ("system", 2), id="depth"),
        pytest.param("@@depth 2\n@@role user", ("user", 2), id="depth and role"),
        pytest.param("@@reverse_depth 1", ("system", 2), id="reverse depth counts from the start"),
        pytest.param("@@position after_desc", "after", id="after the description"),
        pytest.param(
            "@@position personality\n@@depth 2", "personality", id="position wins over depth"
        ),
        pytest.param("@@position scenario", "scenario", id="scenario"),
        pytest.param("@@position before_desc", "before", id="before the description"),
    ],
)
def test_where_it_stands(lines: str, place: Any) -> None:
    given = told([decorated(lines)], "one", "two", "the lamp").placement
    if isinstance(place, str):
        assert getattr(given, place) == ("text",)
    else:
        assert [(group.role, group.depth) for group in given.depth] == [place]


def test_keep_activate_after_match_stays_for_the_chat() -> None:
    entry = decorated("@@keep_activate_after_match")
    first = told([entry], "the lamp")
    later = told([entry], "the lamp", "dark", *["so"] * 9, state=first.state)
    assert (awake(later), later.awake[0].why.code) == (["a"], "sticky")
    assert awake(told([entry], "dark", state=first.state)) == []  # the message was taken back


def test_dont_activate_after_match_comes_once() -> None:
    entry = decorated("@@dont_activate_after_match")
    first = told([entry], "the lamp")
    later = told([entry], "the lamp", "the lamp again", state=first.state)
    assert (awake(first), awake(later)) == (["a"], [])
    assert later.explain("book.a").gate == "spent"


def test_ignore_on_max_context_goes_first() -> None:
    entries = [
        decorated("@@ignore_on_max_context", insertion_order=9),
        lore("b", "lamp", insertion_order=1),
    ]
    assert awake(told(entries, "the lamp", budget_cap=1)) == ["b"]
