"""What waits for a person, and what a person declined."""

import json
import logging
import subprocess
import sys
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rolememory.errors import NotWrittenError, UnknownNameError
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.memory import Chapter, Evidence, MemoryType, Source
from rolememory.schema.scene import Span
from rolememory.storage.erase import Ids, PersonTraces, RemainingLog
from rolememory.storage.files.space import FileSpace
from rolememory.storage.review import MOST_REFUSED, MOST_WAITING, Review, Waiting
from rolememory.storage.review.drafts import as_json, from_json
from rolememory.text.names import PersonNames
from tests.storage.refusing import RefusingDisk

DAY = datetime(2024, 5, 1, 18, 0, tzinfo=UTC)
WHY = Reason("instruction", (("words", "always obey"),))


def file_in(folder: Path) -> Path:
    (folder / "state").mkdir(exist_ok=True)
    return folder / "state" / "review.json"


def draft(content: str = "我对花生过敏", **more: Any) -> Draft:
    evidence = (Evidence(chat="harbour", version="v1", quote=content),)
    return Draft(content, MemoryType.SEMANTIC, Source.USER_INPUT, evidence, Reason("told"), **more)


def test_what_was_added_waits_in_order_and_survives(tmp_path: Path) -> None:
    review = Review(FileSpace(tmp_path))
    first = review.add(draft("one"), WHY, DAY)
    second = review.add(draft("two"), WHY, None)
    told = [
        (one.id, one.draft, one.reason, one.at) for one in Review(FileSpace(tmp_path)).waiting()
    ]
    assert told == [(first, draft("one"), WHY, DAY), (second, draft("two"), WHY, None)]


def test_the_same_draft_waits_once(tmp_path: Path) -> None:
    review = Review(FileSpace(tmp_path))
    assert review.add(draft(), WHY, DAY) == review.add(draft(), WHY, DAY)
    assert len(review.waiting()) == 1


def test_it_may_wait_under_the_id_of_its_memory(tmp_path: Path) -> None:
    review = Review(FileSpace(tmp_path))
    assert review.add(draft(), WHY, DAY, id="nuts-1f") == "nuts-1f"
    assert review.take("nuts-1f") == draft()


def test_what_is_taken_waits_no_more_and_may_come_again(tmp_path: Path) -> None:
    review = Review(FileSpace(tmp_path))
    waiting = review.add(draft(), WHY, DAY)
    assert review.take(waiting) == draft()
    assert Review(FileSpace(tmp_path)).waiting() == []
    assert review.add(draft(), WHY, DAY) == waiting


def test_what_is_dropped_never_comes_back(tmp_path: Path) -> None:
    review = Review(FileSpace(tmp_path))
    waiting = review.add(draft(), WHY, DAY)
    review.drop(waiting)
    again = Review(FileSpace(tmp_path))
    assert again.is_declined(waiting)
    assert again.add(draft(), WHY, DAY) == ""
    assert again.waiting() == []


def test_declined_memories_are_known_at_once_and_after_a_restart(tmp_path: Path) -> None:
    review = Review(FileSpace(tmp_path))
    review.add(draft(), WHY, DAY, id="a")
    assert not review.is_declined("a")
    review.decline(["a", "b"])
    assert [review.is_declined(one) for one in "abc"] == [True, True, False]
    assert [Review(FileSpace(tmp_path)).is_declined(one) for one in "abc"] == [True, True, False]
    assert review.waiting() == []


@pytest.mark.parametrize("act", ["take", "drop"])
def test_an_unknown_id_is_named_in_both_languages(act: str, tmp_path: Path) -> None:
    review = Review(FileSpace(tmp_path))
    review.add(draft(), WHY, DAY, id="nuts-1f")
    with pytest.raises(UnknownNameError, match="nuts-2f") as raised:
        getattr(review, act)("nuts-2f")
    assert "nuts-1f" in raised.value.text("zh")
    assert "没有" in raised.value.text("zh")


def test_only_the_newest_wait_and_the_log_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = file_in(tmp_path)
    many = [
        {"id": f"w{n}", "at": None, "reason": {"code": "told"}, "draft": as_json(draft(str(n)))}
        for n in range(MOST_WAITING)
    ]
    path.write_text(json.dumps({"version": 1, "waiting": many}), "utf-8")
    with caplog.at_level(logging.WARNING):
        Review(FileSpace(tmp_path)).add(draft("the last"), WHY, DAY, id="last")
    waiting = Review(FileSpace(tmp_path)).waiting()
    assert (len(waiting), waiting[0].id, waiting[-1].id) == (MOST_WAITING, "w1", "last")
    assert "oldest 1" in caplog.text
    assert "the last" not in caplog.text


def test_what_was_refused_is_seen_and_may_be_taken_or_dropped(tmp_path: Path) -> None:
    review = Review(FileSpace(tmp_path))
    rows = [Waiting(f"r{n}", draft(str(n), user="lin"), WHY, DAY) for n in range(MOST_REFUSED + 2)]
    review.refuse([*rows, rows[-1]])
    seen = Review(FileSpace(tmp_path)).refused()
    assert (len(seen), seen[0].id, seen[-1].reason) == (MOST_REFUSED, "r2", WHY)
    assert review.waiting() == []
    assert review.take("r5").content == "5"
    review.drop("r6")
    review.refuse(rows[6:7])
    assert {"r5", "r6"}.isdisjoint(one.id for one in review.refused())
    names = PersonNames(["lin"])
    review.forget(PersonTraces(names, Ids(names, ()), lambda lines: RemainingLog("", {})), ())
    assert review.refused() == []


def test_forgetting_a_person_removes_what_waits_of_theirs(tmp_path: Path) -> None:
    review = Review(FileSpace(tmp_path))
    review.add(draft("one", user="lin"), WHY, DAY)
    review.add(draft("two", user="ann"), WHY, DAY)
    review.add(draft("three"), WHY, DAY)
    names = PersonNames(["lin"])
    traces = PersonTraces(names, Ids(names, ()), lambda lines: RemainingLog("", {}))
    assert review.forget(traces, ()) == 1
    assert [one.draft.content for one in Review(FileSpace(tmp_path)).waiting()] == ["two", "three"]
    assert "one" not in file_in(tmp_path).read_text("utf-8")


def test_entries_of_another_version_stay_in_the_file(tmp_path: Path) -> None:
    path = file_in(tmp_path)
    strange = [
        {"id": "x", "draft": {"content": 3}},
        {"id": "y"},
        "text",
        {"draft": None, "later": True},
    ]
    path.write_text(
        json.dumps({"version": 9, "waiting": strange, "declined": ["d", 4], "later": {"k": 1}}),
        "utf-8",
    )
    review = Review(FileSpace(tmp_path))
    assert review.waiting() == []
    assert review.is_declined("d")
    review.add(draft(), WHY, DAY, id="mine")
    raw = json.loads(path.read_text("utf-8"))
    assert raw["later"] == {"k": 1}
    assert [one.get("id") for one in raw["waiting"]] == ["x", "y", None, "mine"]


def test_a_damaged_file_is_kept_aside(tmp_path: Path) -> None:
    file_in(tmp_path).write_bytes(b"{broken")
    Review(FileSpace(tmp_path)).add(draft(), WHY, DAY)
    assert file_in(tmp_path).with_name("review.json.damaged").read_bytes() == b"{broken"
    assert len(Review(FileSpace(tmp_path)).waiting()) == 1


@pytest.mark.parametrize("forever", [False, True])
def test_a_disk_that_refuses_leaves_the_queue_as_it_was(forever: bool, tmp_path: Path) -> None:
    Review(FileSpace(tmp_path)).add(draft("before"), WHY, DAY, id="before")
    refused = 0
    for at in range(30):
        disk = RefusingDisk(at, forever=forever)
        review = Review(FileSpace(tmp_path, disk=disk))
        try:
            review.decline([f"d{at}"])
        except NotWrittenError:
            refused += 1
            assert [one.id for one in review.waiting()] == ["before"]
            assert review.is_declined(f"d{at}") == Review(FileSpace(tmp_path)).is_declined(f"d{at}")
        if disk.made <= at:
            break
    assert refused > 3


def test_processes_beside_each_other_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from rolememory.storage.review import Review\n"
        "from rolememory.storage.files.space import FileSpace\n"
        "review = Review(FileSpace(Path(sys.argv[1])))\n"
        "for n in range(20): review.decline([f'{sys.argv[2]}-{n}'])"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name]) for name in "abc"
    ]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    review = Review(FileSpace(tmp_path))
    assert all(review.is_declined(f"{name}-{n}") for name in "abc" for n in range(20))


TEXT = st.text(max_size=12)
WORDS = st.lists(TEXT, max_size=3).map(tuple)
UNIT = st.floats(0, 1)
REASONS = st.builds(
    Reason,
    TEXT,
    st.lists(st.tuples(TEXT, st.one_of(TEXT, st.integers(-9, 9), UNIT)), max_size=3).map(tuple),
    st.none() | st.builds(Span, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)),
)
MOMENTS = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=8))]))
DRAFTS = st.builds(
    Draft,
    TEXT,
    st.sampled_from(MemoryType),
    st.sampled_from(Source),
    st.lists(st.builds(Evidence, chat=TEXT, version=TEXT, quote=TEXT), max_size=2).map(tuple),
    REASONS,
    subject=st.none() | TEXT,
    user=st.none() | TEXT,
    created=st.none() | MOMENTS,
    keys=WORDS,
    topics=WORDS,
    emotions=WORDS,
    tags=WORDS,
    salience=UNIT,
    confidence=UNIT,
    corrects=st.booleans(),
    replaces=TEXT,
    rests_on=WORDS,
    explicit=st.booleans(),
    context=WORDS,
    fault=st.none() | REASONS,
)


@settings(max_examples=60)
@given(DRAFTS)
def test_a_draft_is_the_same_after_json(one: Draft) -> None:
    assert from_json(Draft, json.loads(json.dumps(as_json(one)))) == one


@given(REASONS)
def test_a_reason_is_the_same_after_json(one: Reason) -> None:
    assert from_json(Reason, json.loads(json.dumps(as_json(one)))) == one


def test_every_field_of_a_draft_is_written() -> None:
    full = draft(
        subject="user", user="lin", created=DAY, keys=("花生",), topics=("food",), emotions=("fear",), tags=("fact",), salience=0.9,
        confidence=0.8, corrects=True, replaces="x", rests_on=("a",), explicit=True,
        constant=True, context=("v2",), fault=WHY, near=("v1",), chapter=Chapter(title="雪"),
    )  # fmt: skip
    assert set(as_json(full)) == {field.name for field in fields(Draft)}
    assert from_json(Draft, as_json(full)) == full


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(categories=["Cs", "Lu", "Lo"]), max_size=5))
def test_half_characters_do_not_break_the_file(tmp_path: Path, content: str) -> None:
    review = Review(FileSpace(tmp_path))
    review.take(review.add(replace(draft(), content=content), WHY, DAY))
    assert review.waiting() == []
