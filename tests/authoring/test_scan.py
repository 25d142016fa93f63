"""What an author is told of a scan: which pass, which key, where it stands, what it costs, what was closed."""

from typing import Any

import pytest

from rolememory.authoring.books import entry_named, read_book_file, title
from rolememory.authoring.scan import look
from rolememory.errors import AmbiguousNameError, FileError, UnknownNameError
from rolememory.schema.lorebook import LoreEntry
from rolememory.schema.message import Message
from rolememory.schema.settings import ScanSettings
from tests.authoring.books import BEACON, STORM, card_book, world

CHAT = [
    Message.assistant("The harbour sleeps.", name="Mira"),
    Message.user("Why is the beacon dark, though?", name="Lin"),
]


def one(*entries: dict[str, Any], said: Any = CHAT, **asked: Any) -> Any:
    return look([world(*entries).book], said, **asked)


def test_a_key_is_shown_where_it_stands() -> None:
    place = one(BEACON).fired[0].place
    said = CHAT[place.message - 1].content
    assert (place.source, place.message, said[place.offset : place.offset + len(place.match)]) == (
        "message",
        2,
        "beacon",
    )
    assert place.quote == "Why is the beacon dark, thoug…"


def test_a_speaker_is_no_place_in_what_was_said() -> None:
    assert one({"key": ["Lin"]}).fired[0].place.offset == -1


@pytest.mark.parametrize(
    ("entry", "target"),
    [
        pytest.param({}, "before", id="before the character"),
        pytest.param({"position": 1}, "after", id="after it"),
        pytest.param(
            {"position": 4, "depth": 2, "role": 1}, "depth 2 user", id="among the messages"
        ),
        pytest.param({"position": 7, "outletName": "sky"}, "outlet sky", id="an outlet"),
        pytest.param(
            {"content": "@@depth 1\n@@role assistant\nx"},
            "depth 1 assistant",
            id="decorators go first",
        ),
        pytest.param({"content": "@@reverse_depth 2\nx"}, "depth -2 system", id="from the start"),
        pytest.param(
            {"content": "@@position scenario\nx"}, "scenario", id="beside a field of the card"
        ),
    ],
)
def test_where_a_text_goes(entry: dict[str, Any], target: str) -> None:
    assert one({**BEACON, **entry}).fired[0].target == target


def test_nowhere_under_exact_rules() -> None:
    assert (
        one({**BEACON, "position": 7}, settings=ScanSettings(rules="sillytavern")).fired[0].target
        == "nowhere"
    )


def test_an_entry_is_named_whose_text_woke_another() -> None:
    report = one({**BEACON, "content": "The beacon failed in the storm."}, STORM)
    woken = next(fired for fired in report.fired if fired.title == "Storm")
    assert (woken.in_pass, woken.phase, woken.woken_by, woken.place.message) == (
        2,
        "recursion",
        "Beacon",
        0,
    )


def test_what_was_not_spoken_of_is_left_out_unless_asked_for() -> None:
    quiet = one(BEACON, STORM)
    assert (quiet.silent, quiet.quiet) == ((), 1)
    assert [silent.title for silent in one(BEACON, STORM, everything=True).silent] == ["Storm"]


@pytest.mark.parametrize(
    ("entry", "gate", "field"),
    [
        pytest.param({"disable": True}, "disabled", "enabled", id="switched off"),
        pytest.param({"delay": 9}, "delay", "delay", id="too early"),
        pytest.param({"keysecondary": ["oil"]}, "secondary", "selective", id="secondary keys"),
        pytest.param({"probability": 1}, "chance", "probability", id="chance"),
        pytest.param({"content": "long " * 9000}, "budget", "ignore_budget", id="too dear"),
    ],
)
def test_a_closed_gate_comes_with_its_remedy(entry: dict[str, Any], gate: str, field: str) -> None:
    silent = one({**BEACON, **entry}).silent[0].refusal
    assert (silent.gate, silent.remedy.field, silent.remedy.entry_id) == (gate, field, "")


def test_a_rival_is_called_by_its_title() -> None:
    report = one(
        {**BEACON, "group": "w"}, {**STORM, "key": ["beacon"], "group": "w", "groupOverride": True}
    )
    assert report.silent[0].refusal.because.get("winner") == "Storm"


def test_sums() -> None:
    report = one({**BEACON, "sticky": 4}, {"constant": True})
    assert report.used == sum(fired.tokens for fired in report.fired)
    assert (report.messages, report.overflowed, report.budget) == (2, False, 2048)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        pytest.param({"comment": "Lamp", "keys": ("x",)}, "Lamp", id="its comment"),
        pytest.param({"keys": ("", "灯塔")}, "灯塔", id="else its first key"),
        pytest.param(
            {"content": "word " * 20},
            "word word word word word word word word…",
            id="else how it begins",
        ),
        pytest.param({}, "7", id="else its id"),
    ],
)
def test_titles(fields: dict[str, Any], told: str) -> None:
    assert title(LoreEntry(**{"id": "7", "content": "", **fields})) == told


def test_entries_go_by_title_or_uid() -> None:
    entries = world(BEACON, STORM, STORM).book.entries
    assert [entry_named(entries, name).id for name in ("beacon", " BEACON ", "1")] == [
        "0",
        "0",
        "1",
    ]
    with pytest.raises(UnknownNameError, match=r"did you mean 'Beacon'"):
        entry_named(entries, "Baecon")
    with pytest.raises(AmbiguousNameError, match=r"uid 1, 2"):
        entry_named(entries, "Storm")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        pytest.param(
            b'{"entries": {"0": {"key": ["a"],}}}',
            "1:32: a comma before }; remove the comma",
            id="a comma too many",
        ),
        pytest.param(b"[]", "expected an object", id="a list"),
        pytest.param(b'{"name": "x"}', "no lorebook of a known format", id="no entries"),
        pytest.param(b"\x89PNG\r\n\x1a\n", "book.json", id="a picture without anything"),
        pytest.param(b"", "book.json", id="nothing at all"),
    ],
)
def test_a_file_that_is_no_book(data: bytes, told: str) -> None:
    with pytest.raises(FileError, match=r"book\.json") as caught:
        read_book_file(data, "book.json")
    assert told in str(caught.value)


def test_a_card_brings_its_book() -> None:
    file = card_book({"keys": ["beacon"]}, spec="chara_card_v3")
    assert (file.spec, file.book.format, file.book.entries[0].keys) == (
        "chara_card_v3",
        "character_book",
        ("beacon",),
    )
