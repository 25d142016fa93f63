"""The eleven points of durability and merging, row by row, on real folders."""

import json
import os
import shutil
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import time_ns
from typing import Any

import pytest

from rolememory.errors import (
    InvalidValueError,
    NotWrittenError,
    ReadOnlyRoleError,
    UnknownMemoryError,
)
from rolememory.schema.memory import MemoryType
from rolememory.storage.committed_state import CommittedStateReader
from rolememory.storage.files import atomic
from rolememory.storage.files.space import FileSpace
from rolememory.storage.memories import Edit, RoleStore
from tests.storage.roles import (
    CountingDisk,
    FailingDisk,
    add,
    contents,
    put,
    save,
    saved,
    store_at,
    take,
)

BEACON = {"id": "a", "content": "The beacon failed.", "keys": ["beacon"], "weight": 1.5}


DAY = datetime(2026, 5, 1, tzinfo=UTC)


def document(*episodic: Any, through: int | None = 0, **more: Any) -> dict[str, Any]:
    head = {} if through is None else {"through": through}
    return {
        "version": 1,
        **head,
        "episodic": list(episodic),
        "semantic": [],
        "traits": [],
        "goals": [],
        **more,
    }


def journal(folder: Path) -> list[bytes]:
    return (folder / "journal" / "1.jsonl").read_bytes().splitlines()


# 1, 2: the journal is kept, and truth is file plus journal


def test_what_was_committed_is_seen_by_every_reader_before_any_fold(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    store.commit([add("a", "灯塔熄灭了。"), add("b", "two")])
    assert not (tmp_path / "memory.json").exists()
    assert contents(store) == {"a": "灯塔熄灭了。", "b": "two"}


def test_the_journal_stays_after_the_fold_for_history_and_undo(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    store.commit([add("a")])
    assert store.checkpoint()
    store.commit([put("a", weight=2)], actor="learn")
    assert [(line.actor, line.op, line.fields) for line in store.history("a", limit=1)] == [
        ("learn", "set", {"weight": (1.0, 2.0)})
    ]
    assert [line.seq for line in store.history()] == [2, 1]


def test_prune_forgets_folded_history_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rolememory.storage.journal.SEGMENT_BYTES", 200)
    store = store_at(tmp_path)
    for number in range(6):
        store.commit([add(f"m{number}")])
    assert len(list((tmp_path / "journal").iterdir())) > 2
    later = store.history()[0].at.replace(year=2999)
    assert store.prune(later) > 0
    assert contents(store) == {f"m{number}": "text" for number in range(6)}
    store.commit([add("after")])
    assert "after" in contents(store)


def test_prune_forgets_what_is_older_in_a_short_journal_too(tmp_path: Path) -> None:
    times = iter(range(100))
    store = RoleStore(FileSpace(tmp_path), clock=lambda: DAY + timedelta(minutes=next(times)))
    store.commit([add("a"), add("b")])
    store.commit([Edit("remove", "a")])
    store.commit([put("b", weight=2)])
    first = (tmp_path / "journal/1.jsonl").read_bytes()
    assert store.prune(store.history()[0].at) == 3
    assert [(line.op, line.id) for line in store.history()] == [("set", "b")]
    assert b'"a"' not in b"".join(one.read_bytes() for one in (tmp_path / "journal").iterdir())
    (tmp_path / "journal/1.jsonl").write_bytes(
        first
    )  # as a process leaves it that dies before it went
    assert [line.seq for line in store_at(tmp_path).history()] == [4, 3, 2, 1]
    assert store_at(tmp_path).snapshot().memories["b"].weight == 2
    assert store.prune(DAY + timedelta(days=1)) == 4
    assert store.history() == []
    store.commit([add("c")])
    store.undo()
    assert contents(store_at(tmp_path)) == {"b": "text"}
    assert [line.seq for line in store.history()] == [6, 5]


def test_who_starts_after_a_long_change_need_not_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rolememory.storage.journal.SEGMENT_BYTES", 200)
    store = store_at(tmp_path)
    store.commit([add(f"m{number}") for number in range(6)])
    store.checkpoint()
    fresh = CommittedStateReader(FileSpace(tmp_path), 1e9, time_ns)
    assert fresh.snapshot().memories == store.snapshot().memories
    assert (fresh.latest.seq, fresh.journal.lines(0)) == (6, [])
    store.commit([add("after")])
    assert (fresh.snapshot().seq, len(fresh.journal.lines(0))) == (7, 1)
    assert len(store.history()) == 7


# 3: not acknowledged, not there


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("short", [False, True], ids=["refused", "short write"])
def test_a_write_that_fails_is_not_acknowledged_and_not_there(
    tmp_path: Path, lasting: bool, short: bool
) -> None:
    for at in range(1, 30):
        folder = tmp_path / f"{at}"
        store_at(folder, document(BEACON)).commit([put("a", weight=1.9)])
        disk = FailingDisk(at, lasting=lasting, short=short)
        store = store_at(folder, disk=disk)
        try:
            store.commit([add("b", "new")])
        except NotWrittenError:
            known = (
                {"a"} if not lasting else {"a", "b"}
            )  # a lasting failure may leave the outcome open, never a torn set
            assert set(contents(store)) <= known
        else:
            assert set(contents(store)) == {"a", "b"}
        disk.heal()
        store.commit([add("c", "later")])
        assert {"a", "c"} <= set(contents(store))
        assert contents(store)["a"] == "The beacon failed."


def test_a_full_disk_is_named_with_the_file_and_the_way_out(tmp_path: Path) -> None:
    store = store_at(tmp_path, disk=FailingDisk(1, lasting=True))
    with pytest.raises(
        NotWrittenError, match="not written: made to fail; what was there still stands"
    ):
        store.commit([add("a")])


def test_all_edits_of_a_commit_or_none(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    with pytest.raises(UnknownMemoryError, match="no memory named 'zz'"):
        store.commit([put("a", weight=0), put("zz", weight=1)])
    assert store.snapshot().memories["a"].weight == 1.5


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        pytest.param(
            put("a", weight=7),
            r"memory a: weight: 7 is out of bounds \(≤ 2.0\)",
            id="a weight of 7 is out of bounds",
        ),
        pytest.param(put("a", keys={"storm": 1}), "keys: expected a list", id="keys are a list"),
        pytest.param(put("a", content=" "), "without content", id="a memory says something"),
        pytest.param(add("b", "half \ud83d"), "memory b", id="half a character is refused"),
        pytest.param(add("b", "x", odd=float("nan")), "memory b", id="not a number is refused"),
        pytest.param(
            add("b", "x", odd={1, 2}), "memory b", id="a value that is no JSON is refused"
        ),
        pytest.param(add("a"), "there already", id="an id is taken once"),
    ],
)
def test_what_cannot_be_a_memory_is_refused(tmp_path: Path, edit: Edit, said: str) -> None:
    store = store_at(tmp_path, document(BEACON))
    with pytest.raises(InvalidValueError, match=said):
        store.commit([edit])
    assert contents(store) == {"a": "The beacon failed."}


# 4: what is no line


def damaged(rows: list[bytes], kind: str) -> bytes:
    whole = b"".join(row + b"\n" for row in rows)
    cut = {
        "torn in the middle": 25,
        "without its newline": 1,
        "without its commit": len(rows[-1]) + 1,
    }
    if kind in cut:
        return whole[: -cut[kind]]
    last = rows[-1].replace(b"second", b"sEcond") if kind == "with a wrong crc" else b"\0" * 80
    return b"".join(row + b"\n" for row in rows[:-1]) + last + b"\n" * (kind == "with a wrong crc")


@pytest.mark.parametrize(
    "kind",
    [
        "torn in the middle",
        "without its newline",
        "without its commit",
        "with a wrong crc",
        "zeroed",
    ],
)
def test_a_transaction_that_is_not_whole_never_happened(tmp_path: Path, kind: str) -> None:
    store = store_at(tmp_path)
    store.commit([add("a", "first")])
    store.commit([add("b", "second"), add("c", "second too")])
    path = tmp_path / "journal" / "1.jsonl"
    path.write_bytes(damaged(journal(tmp_path), kind))
    again = store_at(tmp_path)
    assert set(again.snapshot().memories) == {"a"}
    again.commit([add("d", "after")])
    assert contents(again) == {"a": "first", "d": "after"}
    reported = [problem.code for problem in store_at(tmp_path).snapshot().problems]
    assert reported == (["bad_line"] if kind == "with a wrong crc" else [])


def test_a_damaged_line_elsewhere_is_reported_with_its_place(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    for name in "abc":
        store.commit([add(name)])
    rows = journal(tmp_path)
    (tmp_path / "journal" / "1.jsonl").write_bytes(
        b"\n".join([rows[0], rows[1].replace(b"text", b"tExt"), rows[2], b""])
    )
    snapshot = store_at(tmp_path).snapshot()
    assert set(snapshot.memories) == {"a", "c"}
    assert snapshot.problems[0].text().startswith("journal/1.jsonl:2: a damaged line")


# 5, 7: per field; the author's saves


CHANGES = [
    pytest.param(
        [put("a", weight=0.5)],
        {**BEACON},
        {"weight": 0.5},
        id="the file did not touch the field: our change comes",
    ),
    pytest.param(
        [put("a", weight=0.5)],
        {**BEACON, "weight": 0.5},
        {"weight": 0.5},
        id="both say the same: nothing to do",
    ),
    pytest.param(
        [put("a", weight=0.5)],
        {**BEACON, "weight": 2},
        {"weight": 2.0},
        id="they disagree: the file wins",
    ),
    pytest.param(
        [put("a", weight=0.5)],
        {**BEACON, "priority": 90},
        {"weight": 0.5, "priority": 90},
        id="different fields: both edits stand",
    ),
    pytest.param(
        [put("a", weight=0.5), put("a", weight=0.7)],
        {**BEACON},
        {"weight": 0.7},
        id="our changes come in order",
    ),
    pytest.param(
        [put("a", mood="calm")],
        {**BEACON, "mood": "wild"},
        {"mood": "wild"},
        id="an unknown field is a field too",
    ),
    pytest.param(
        [put("a", type="goal")], {**BEACON}, {"type": MemoryType.GOAL}, id="the type is a field too"
    ),
]


@pytest.mark.parametrize(
    "folded", [False, True], ids=["not folded", "folded: a stale editor buffer"]
)
@pytest.mark.parametrize(("ours", "theirs", "then"), CHANGES)
def test_per_field_the_file_wins(
    tmp_path: Path, ours: list[Edit], theirs: Any, then: dict[str, Any], folded: bool
) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([])
    store.checkpoint(force=True)
    for edit in ours:
        store.commit([edit])
    if folded:
        store.checkpoint()
    save(tmp_path, document(theirs))
    for reader in (store, store_at(tmp_path)):
        memory = reader.snapshot().memories["a"]
        assert {name: memory.model_dump()[name] for name in then} == then
    store.checkpoint()
    assert store_at(tmp_path).snapshot().memories["a"] == memory


def test_a_disagreement_is_written_down_once(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([put("a", weight=0.5)])
    save(tmp_path, document({**BEACON, "weight": 2}))
    assert "conflict" in [problem.code for problem in store.snapshot().problems]
    store.checkpoint()
    store.commit([add("b")])
    store.checkpoint()
    rows = [
        json.loads(row)
        for row in (tmp_path / "journal" / "conflicts.jsonl").read_text().splitlines()
    ]
    assert [
        (row["id"], row["field"], row["before"], row["after"], row["file"]) for row in rows
    ] == [("a", "weight", 1.5, 0.5, 2.0)]


@pytest.mark.parametrize("edit", [put("a", weight=0.5), take("a")], ids=["set", "remove"])
def test_what_the_author_deleted_stays_deleted(tmp_path: Path, edit: Edit) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([edit])
    save(tmp_path, document())
    assert contents(store) == {}
    store.checkpoint()
    assert contents(store) == {}


def test_what_the_author_changed_is_not_removed_behind_his_back(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([take("a")])
    save(tmp_path, document({**BEACON, "priority": 99}))
    assert contents(store) == {"a": "The beacon failed."}


def test_a_stale_buffer_does_not_lose_what_was_learned_meanwhile(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([add("learned", "She sings.")], actor="learn")
    store.checkpoint()
    save(
        tmp_path, document({**BEACON, "content": "The beacon broke."})
    )  # the editor had opened it before
    assert contents(store) == {"learned": "She sings.", "a": "The beacon broke."} | {}
    store.commit([put("learned", weight=2)])
    store.checkpoint()
    assert saved(tmp_path)["through"] == store.snapshot().seq
    assert contents(store) == {"a": "The beacon broke.", "learned": "She sings."}


def test_the_author_may_take_his_own_edit_back_in_the_same_buffer(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([add("b")])
    store.checkpoint()
    base = saved(tmp_path)
    changed = json.loads(json.dumps(base))
    changed["episodic"][0]["weight"] = 0.1
    changed["episodic"].pop()
    save(tmp_path, changed)
    store.commit([add("c")])
    store.checkpoint()
    save(tmp_path, base)  # undone in an editor that did not reload
    assert store.snapshot().memories["a"].weight == 1.5
    assert set(contents(store)) == {"a", "b", "c"}


def test_the_authors_edit_is_history_too(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([add("b")])
    save(tmp_path, document({**BEACON, "content": "The beacon broke."}))
    store.checkpoint()
    line = store.history("a")[0]
    assert (line.actor, line.fields) == (
        "author",
        {"content": ("The beacon failed.", "The beacon broke.")},
    )
    store.undo(line.txn)
    assert store.snapshot().memories["a"].content == "The beacon failed."


@pytest.mark.parametrize(
    "through", [None, 999], ids=["does not say what it has seen", "claims to have seen the future"]
)
def test_a_file_that_cannot_tell_is_the_authors_whole_word(
    tmp_path: Path, through: int | None
) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([add("b", "ours")])
    store.checkpoint()
    save(tmp_path, document({**BEACON, "content": "new"}, through=through))
    assert contents(store) == {"a": "new"}
    store.commit([add("c")])
    assert contents(store) == {"a": "new", "c": "text"}
    copies = list(tmp_path.glob("memory.conflict-*.json"))
    assert [entry["id"] for entry in json.loads(copies[0].read_text("utf-8"))["episodic"]] == [
        "a",
        "b",
    ]
    assert "conflict_copy" in [problem.code for problem in store.snapshot().problems]
    assert saved(tmp_path)["through"] < store.snapshot().seq


def test_another_process_that_folded_is_not_a_foreign_save(tmp_path: Path) -> None:
    one, other = store_at(tmp_path, document(BEACON)), store_at(tmp_path)
    one.commit([add("b")])
    other.snapshot()
    one.checkpoint()
    other.commit([add("c")])
    other.checkpoint()
    assert [line.actor for line in one.history()] == ["user", "user"]
    assert set(one.snapshot().memories) == {"a", "b", "c"}
    assert not list(tmp_path.glob("memory.conflict-*"))


# 6: folding


def test_a_fold_keeps_order_unknown_fields_invalid_entries_and_future_versions(
    tmp_path: Path,
) -> None:
    text = {
        "later": {"x": [1, {"y": 2}]},
        "traits": [{"content": "brave", "id": "t", "mood": {"deep": 1}}],
        "version": 7,
        "episodic": [
            {"weight": 9, "content": "too heavy"},
            {"text": "old", "id": 5, "keywords": ["k"], "sparkle": 2**70},
        ],
        "through": 0,
        "odd": 1.5,
    }
    store = store_at(tmp_path, text)
    store.commit([put("5", weight=1.25, content="newer"), add("n", "new", type="trait")])
    store.checkpoint()
    found = saved(tmp_path)
    assert list(found) == list(text)
    assert found["version"] == 7
    assert found["later"] == text["later"]
    assert found["episodic"] == [
        {"weight": 9, "content": "too heavy"},
        {"text": "newer", "id": 5, "keywords": ["k"], "sparkle": 2**70, "weight": 1.25},
    ]
    assert found["traits"] == [*text["traits"], {"id": "n", "content": "new"}]  # type: ignore[misc]


def test_a_broken_file_is_never_folded_over(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([put("a", weight=0.5)])
    save(tmp_path, "{ broken")
    assert store.checkpoint() is False
    assert (tmp_path / "memory.json").read_text() == "{ broken"


class Author(FailingDisk):
    """An editor that writes the start of a file and the whole one later: after so many looks at it, and again when a writer has just taken the lock."""

    def __init__(self, folder: Path, saves: int, looks: int, start: str = "") -> None:
        super().__init__()
        self.folder, self.saves, self.looks, self.start = folder, saves, looks, start
        self.left = 0
        self.written = 0

    def begin(self) -> None:
        save(self.folder, self.start)
        self.saves, self.left = self.saves - 1, self.looks

    def mark(self, path: Path) -> Any:
        if path == self.folder and self.saves and not self.left:  # the lock is being taken
            self.begin()
        elif path.name == "memory.json" and self.left:
            self.left -= 1
            if not self.left:
                self.written += 1
                save(self.folder, document({**BEACON, "content": f"saved {self.written}"}))
        return super().mark(path)


@pytest.mark.parametrize(
    ("saves", "looks"),
    [
        pytest.param(1, 5, id="one save"),
        pytest.param(4, 5, id="another begins whenever it is our turn"),
        pytest.param(1, 200, id="a slow one"),
    ],
)
def test_a_write_waits_for_a_save_by_hand(tmp_path: Path, saves: int, looks: int) -> None:
    author = Author(tmp_path, saves, looks)
    store = store_at(tmp_path, document(BEACON), disk=author)
    author.begin()
    store.commit([add("b", "ours")])
    assert not author.saves
    assert contents(store) == {"a": f"saved {saves}", "b": "ours"}


def test_the_old_file_is_kept_beside_the_new_one(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    before = (tmp_path / "memory.json").read_bytes()
    store.commit([put("a", weight=0.5)])
    store.checkpoint()
    assert (tmp_path / "memory.json.prev").read_bytes() == before


@pytest.mark.parametrize("exchanges", [True, False], ids=["with an atomic exchange", "without one"])
def test_an_editor_that_saves_during_the_fold_loses_nothing(
    tmp_path: Path, exchanges: bool
) -> None:
    class Racing(FailingDisk):
        """An editor saves at the very moment the new file is put in place."""

        raced = False

        def _race(self, path: Path) -> None:
            if not self.raced and path.name == "memory.json":
                self.raced = True
                save(path.parent, document({**BEACON, "content": "saved just now"}))

        def exchange(self, one: Path, other: Path) -> None:
            if self.exchanges:
                self._race(other)
            super().exchange(one, other)

        def replace(self, source: Path, target: Path) -> None:
            self._race(source)
            super().replace(source, target)

    disk = Racing(exchanges=exchanges)
    store = store_at(tmp_path, document(BEACON), disk=disk)
    store.commit([put("a", weight=0.5)])
    assert store.checkpoint()
    assert disk.raced
    assert saved(tmp_path)["episodic"] == [{**BEACON, "content": "saved just now", "weight": 0.5}]


@pytest.mark.parametrize("soon", [True, False], ids=["saves at once", "saves later"])
def test_an_editor_that_opens_a_fold_which_gives_way_loses_nothing(
    tmp_path: Path, soon: bool
) -> None:
    class Peeking(FailingDisk):
        """An editor saves just before the exchange; another window opens what stands there then, and saves soon or later."""

        seen: Any = None

        def exchange(self, one: Path, other: Path) -> None:
            first = self.seen is None
            if first:
                save(tmp_path, document({**BEACON, "content": "saved just now"}))
            super().exchange(one, other)
            self.seen = self.seen or saved(tmp_path)
            if not first and soon and "c" not in str(self.seen["episodic"][-1]["id"]):
                self.save()

        def save(self) -> None:
            self.seen["episodic"].append({"id": "c", "content": "from the other window"})
            save(tmp_path, self.seen)

    disk = Peeking()
    store = store_at(tmp_path, document(BEACON), disk=disk)
    store.commit([add("b")])
    store.checkpoint()
    assert disk.seen["through"] == 1
    if not soon:
        disk.save()
    assert contents(store) == {"a": "saved just now", "b": "text", "c": "from the other window"}


def test_a_save_into_the_file_that_was_just_replaced_is_brought_back(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([put("a", weight=0.5)])
    descriptor = os.open(tmp_path / "memory.json", os.O_WRONLY)  # an editor that holds it open
    store.checkpoint()
    os.ftruncate(descriptor, 0)
    os.write(descriptor, json.dumps(document({**BEACON, "content": "late"})).encode())
    os.close(descriptor)
    store.checkpoint()
    memory = store.snapshot().memories["a"]
    assert (memory.content, memory.weight) == ("late", 0.5)


def test_what_a_killed_fold_left_is_looked_after(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([put("a", weight=0.5)])
    (tmp_path / ".memory.json.1-1.tmp").write_text(
        json.dumps(document({**BEACON, "content": "an author's"}))
    )
    (tmp_path / ".memory.json.1-2.tmp").write_text(json.dumps(document(BEACON)))
    (tmp_path / ".memory.json.1-3.tmp").write_text("half")
    store_at(tmp_path).checkpoint()
    assert not list(tmp_path.glob(".memory.json*"))
    assert len(list(tmp_path.glob("memory.conflict-*"))) == 1


def test_windows_line_ends_stay(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    (tmp_path / "memory.json").write_bytes(
        json.dumps(document(BEACON), indent=2).replace("\n", "\r\n").encode("utf-8-sig")
    )
    store.commit([put("a", weight=0.5)])
    store.checkpoint()
    data = (tmp_path / "memory.json").read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") > 5


# 8: ids


def test_entries_without_id_answer_at_once_and_are_named_at_the_next_fold(tmp_path: Path) -> None:
    store = store_at(
        tmp_path,
        document(
            "a plain text",
            {"content": "another"},
            {"id": "x", "content": "1"},
            {"id": "x", "content": "2"},
        ),
    )
    first = list(store.snapshot().memories)
    assert first == list(store_at(tmp_path).snapshot().memories)
    assert [problem.code for problem in store.snapshot().problems] == ["duplicate_id"]
    store.checkpoint(force=True)
    assert [entry["id"] for entry in saved(tmp_path)["episodic"]] == first
    assert list(store.snapshot().memories) == first
    assert store.snapshot().problems == ()


def test_a_plain_text_can_be_changed(tmp_path: Path) -> None:
    store = store_at(tmp_path, {"semantic": ["The sea is cold."]})
    (name,) = store.snapshot().memories
    store.commit([put(name, weight=2)])
    store.checkpoint()
    assert saved(tmp_path)["semantic"] == [
        {"id": name, "content": "The sea is cold.", "weight": 2.0}
    ]


def test_a_name_written_twice_is_reported_and_the_original_is_kept(tmp_path: Path) -> None:
    text = '{"through": 0, "episodic": [{"id": "a", "content": "one", "content": "two"}]}'
    store = store_at(tmp_path, text)
    assert [problem.code for problem in store.snapshot().problems] == ["duplicate_key"]
    store.commit([add("b")])
    store.checkpoint()
    assert contents(store) == {"a": "two", "b": "text"}
    assert [path.read_text() for path in tmp_path.glob("memory.conflict-*")] == [text]


# 9: broken files


@pytest.mark.parametrize("restart", [False, True], ids=["in the same process", "across a restart"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"episodic": [{"content": "x"},]}',
        "null",
        pytest.param("\x00" * 64, id="zeros"),
        '{"episodic": {}}',
    ],
)
def test_the_last_good_set_answers_while_the_file_is_broken(
    tmp_path: Path, text: str, restart: bool
) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([add("b")])
    store.checkpoint()
    save(tmp_path, text)
    store = store_at(tmp_path) if restart else store
    snapshot = store.snapshot()
    assert set(snapshot.memories) == {"a", "b"}
    assert not snapshot.writable
    assert all(problem.place.startswith("memory.json") for problem in snapshot.problems)
    os.utime(tmp_path / "memory.json", (1, 1))  # nobody is in the middle of a save
    with pytest.raises(ReadOnlyRoleError, match=r"until memory.json is mended: memory.json"):
        store.commit([add("c")])
    store.close()
    assert (tmp_path / "memory.json").read_text() == text
    save(tmp_path, document(BEACON, through=store.snapshot().seq))
    assert store.commit([add("c")]).writable
    assert set(contents(store)) == {"a", "c"}


def test_a_file_that_is_gone_is_written_again(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([add("b")])
    store.checkpoint()
    (tmp_path / "memory.json").unlink()
    for reader in (store, store_at(tmp_path)):
        assert [problem.code for problem in reader.snapshot().problems] == ["missing_file"]
        assert set(reader.snapshot().memories) == {"a", "b"}
    store.checkpoint()
    assert [entry["id"] for entry in saved(tmp_path)["episodic"]] == ["a", "b"]


def test_while_the_file_is_away_the_newest_good_state_answers_in_every_process(
    tmp_path: Path,
) -> None:
    one, other = store_at(tmp_path, document(BEACON)), store_at(tmp_path)
    one.checkpoint(force=True)
    other.commit([add("b")])
    save(tmp_path, document({**BEACON, "content": "the author's"}))
    one.checkpoint()  # takes the save over; the other process has not looked
    (tmp_path / "memory.json").unlink()
    assert other.snapshot().memories["a"].content == "the author's"
    other.checkpoint()
    assert contents(one) == {"a": "the author's", "b": "text"}


def test_a_save_is_taken_over_once(tmp_path: Path) -> None:
    disk = FailingDisk()
    store = store_at(tmp_path, document(BEACON), disk=disk)
    os.utime(tmp_path / "memory.json", (1, 1))
    store.checkpoint()
    assert disk.count <= 12


def test_a_commit_waits_for_a_save_in_progress(tmp_path: Path) -> None:
    author = Author(tmp_path, 0, 5, start=json.dumps(document(BEACON))[:20])
    store = store_at(tmp_path, document(BEACON), disk=author)
    store.commit([add("b")])
    author.saves = 1
    author.begin()
    store.commit([add("c")])
    assert contents(store) == {"a": "saved 1", "b": "text", "c": "text"}


def test_a_file_beyond_the_cap_is_refused_before_it_is_read(tmp_path: Path) -> None:
    disk = CountingDisk()
    store = store_at(
        tmp_path, document({**BEACON, "content": "x" * 5000}), disk=disk, max_file_mb=0.001
    )
    (problem,) = store.snapshot().problems
    assert "MB, the limit is 0.001 MB; raise storage.max_file_mb" in problem.text()
    assert "memory.json" not in disk.files_read


# 11: readers


def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    with atomic.locked(tmp_path):
        assert set(store.snapshot().memories) == {"a"}


def test_a_look_at_something_unchanged_costs_three_stat_calls(tmp_path: Path) -> None:
    disk = CountingDisk()
    store = store_at(tmp_path, document(BEACON), disk=disk)
    store.commit([add("b")])
    for path in (tmp_path / "memory.json", tmp_path / "journal", tmp_path / "journal" / "1.jsonl"):
        os.utime(path, (1, 1))
    store.snapshot()
    disk.calls.clear()
    first, second = store.snapshot(), store.snapshot()
    assert first is second
    assert disk.calls == {"mark": 6}


def test_what_did_not_change_is_the_same_object(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON, {"id": "b", "content": "two"}))
    one = store.snapshot()
    two = store.commit([put("b", weight=2)])
    store.checkpoint()
    save(tmp_path, {**saved(tmp_path), "traits": [{"id": "c", "content": "three"}]})
    three = store.snapshot()
    assert one.memories["a"] is two.memories["a"] is three.memories["a"]
    assert two.memories["b"] is three.memories["b"]
    assert one.version < two.version < three.version


def test_a_state_tells_what_was_written_since_another_one(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    before = store.snapshot()
    store.commit([add("b"), add("c")])
    store.commit([take("c"), put("b", content="other")])
    store.checkpoint()
    store.commit([add("d")])
    found = store.snapshot()
    assert set(found.changes.since(before.mark) or ()) == {"b", "c", "d"}
    save(tmp_path, document({**BEACON, "content": "The author says otherwise."}))
    found = store.snapshot()
    assert found.changes is before.changes
    assert found.changes.since(before.mark) is None  # anything may be another


def test_a_fold_is_no_change_of_content(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    before = store.commit([add("b")])
    store.checkpoint()
    assert store.snapshot().version == before.version


# undo, closing, folding by itself


def test_undo_takes_back_one_step_after_another(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([put("a", weight=2), add("b")])
    store.commit([take("a")])
    assert set(store.undo().memories) == {"a", "b"}
    assert store.undo().memories["a"].weight == 1.5
    assert set(store.snapshot().memories) == {"a"}
    with pytest.raises(InvalidValueError, match="nothing in the journal can be taken back"):
        store.undo()


def test_an_undoing_can_be_undone_by_name(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([put("a", weight=2)])
    store.undo()
    assert store.undo(store.history()[0].txn).memories["a"].weight == 2


def test_errors_speak_chinese_too(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    with pytest.raises(InvalidValueError) as refused:
        store.commit([put("a", weight=7)])
    assert refused.value.text("zh") == "记忆 a：weight：7 超出范围（≤ 2.0）；请写范围内的数字"


def test_undo_leaves_what_somebody_changed_since(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON))
    store.commit([put("a", weight=2, priority=60)])
    txn = store.history()[0].txn
    store.commit([put("a", priority=80)])
    memory = store.undo(txn).memories["a"]
    assert (memory.weight, memory.priority) == (1.5, 80)


def test_close_folds_and_a_store_is_a_context(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        store.commit([add("a")])
    assert saved(tmp_path)["episodic"] == [{"id": "a", "content": "text"}]


def test_quiet_is_when_it_folds_by_itself(tmp_path: Path) -> None:
    store = store_at(tmp_path, fold_idle_s=0.01)
    store.commit([add("a")])
    _until((tmp_path / "memory.json").exists)
    store.close()


def test_a_role_that_was_removed_does_not_come_back(tmp_path: Path) -> None:
    store = store_at(tmp_path / "role", document(BEACON))
    store.commit([add("b")])
    shutil.rmtree(tmp_path / "role")
    assert store.checkpoint()
    store.close()
    assert not (tmp_path / "role").exists()


def test_many_lines_are_folded_without_waiting_for_quiet(tmp_path: Path) -> None:
    store = store_at(tmp_path, fold_lines=3)
    for number in range(3):
        store.commit([add(f"m{number}")])
    _until((tmp_path / "memory.json").exists)
    store.close()


def test_a_large_role_is_folded_when_the_changes_are_worth_it(tmp_path: Path) -> None:
    save(tmp_path, document(*({"id": f"m{at}", "content": "Rain."} for at in range(640))))
    store, before = store_at(tmp_path, fold_lines=1), (tmp_path / "memory.json").read_bytes()
    for at in range(19):
        store.commit([put(f"m{at}", weight=1.5)])
    assert (tmp_path / "memory.json").read_bytes() == before
    store.commit([put(f"m{at}", weight=0.5) for at in range(100, 400)])
    assert b'"weight": 0.5' in (tmp_path / "memory.json").read_bytes()
    store.close()


def test_a_reader_alone_takes_the_authors_save_over(tmp_path: Path) -> None:
    store = store_at(tmp_path, document(BEACON), fold_idle_s=0.01)
    store.snapshot()
    _until((tmp_path / "state" / "last-good.json").exists)
    assert saved(tmp_path) == document(BEACON)  # and leaves his file as it is
    store.close()


def _until(done: Any) -> None:
    """Wait for a background thread, as long as it takes (the test run has its own time limit)."""
    waiting = threading.Event()
    while not done():
        waiting.wait(0.005)


def test_threads_share_a_store(tmp_path: Path) -> None:
    store: RoleStore = store_at(tmp_path)

    def work(name: str) -> None:
        for number in range(10):
            store.commit([add(f"{name}{number}")])
            store.snapshot()

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(contents(store)) == 40
    assert [line.seq for line in store.history()] == list(range(40, 0, -1))
