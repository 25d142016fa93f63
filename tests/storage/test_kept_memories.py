"""Another process reads of a large memory.json only what it shows; what it reads from a cache is what stands in the file, or nothing is."""

import copy
import json
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from rolememory import Home, Memory, Message, RoleMemory
from rolememory.engine import context
from rolememory.schema.memory import UnreadMemory
from rolememory.storage.codec import decode
from rolememory.storage.derived import LEAST, DerivedFiles
from rolememory.storage.files.space import FileSpace
from rolememory.storage.memory_file import digest
from tests.bench.made_up import sentences
from tests.hashing import HashingEmbedder

WORDS_ALONE = {"embedding.backend": "off"}
CACHE, TERMS = ".cache/derived-memories.bin", ".cache/derived-terms.bin"
ASKED = (
    "Who painted the lamp near the harbour?",
    "What happened in spring 2015, and what does Ada hate?",
    "I am so sad about the beacon!",
    "灯塔的钥匙在哪里？",
)
SPECIAL: list[dict[str, Any]] = [
    {"content": "The beacon went dark.", "keys": ["beacon", "/dar+k/"], "constant": True},
    {"content": "Hates rain.", "subject": "Ada", "user": "ann", "topics": ["weather"]},
    {"content": "Lost a brother in the war.", "emotions": ["sadness"], "tags": ["war"]},
    {"content": "She paints lamps.", "supersedes": ["m3"], "type": "semantic", "mood": "calm"},
    {"content": "The lamp was sold.", "expires": "2020-01-01", "archived": False},
    {"content": "A big number.", "number": 2**70, "evidence": [{"chat": "c", "version": "v"}]},
]


def entries() -> list[dict[str, Any]]:
    plain = [
        {"content": text, "created": f"20{10 + at % 15}-03-04", "weight": 1 + at % 3 / 10}
        for at, text in enumerate(sentences(LEAST))
    ]
    return [{"id": f"m{at}", **entry} for at, entry in enumerate([*plain, *SPECIAL])]


def written(folder: Path, found: list[dict[str, Any]]) -> None:
    goals = [{"id": "g1", "content": "To light the beacon again, 灯塔。"}]
    text = json.dumps({"语": 1, "episodic": found, "goals": goals}, ensure_ascii=False, indent=1)
    (folder / "memory.json").write_text(text, encoding="utf-8")


def answers(role: RoleMemory) -> list[str]:
    turns = [role.recall([one], now="2026-06-01", user="ann", dry_run=True) for one in ASKED]
    return [f"{turn.text}\n{turn.explain()}" for turn in turns]


def unread(role: RoleMemory) -> int:
    return sum(type(one) is UnreadMemory for one in role.memories.values())


def reads_whole(role: RoleMemory) -> bool:
    """Whether its file is read from the first to the last entry, since no cache of it counts."""
    return reads_while(lambda: role.memories) >= LEAST


def asked(home: Path) -> list[str]:
    """What a process of its own answers."""
    with Home.open(home, WORDS_ALONE) as opened:
        return answers(opened.role("Mira"))


@pytest.fixture
def role(tmp_path: Path) -> Path:
    """The folder of a role that one process has asked."""
    with Home.open(tmp_path, WORDS_ALONE) as home:
        folder = home.create("Mira").folder
    written(folder, entries())
    asked(tmp_path)
    assert (folder / CACHE).exists()
    return folder


def test_only_what_is_shown_is_read_and_answers_stay_the_same(role: Path) -> None:
    def ask() -> list[str]:
        with Home.open(role.parent, WORDS_ALONE) as home:
            mira = home.role("Mira")
            mira.recall([ASKED[0]], dry_run=True)
            assert unread(mira) > LEAST / 2
            return answers(mira)

    warm = ask()
    (role / CACHE).unlink()
    (role / TERMS).unlink()
    assert warm == ask()


def reads_while(act: Callable[[], object]) -> int:
    """How many memories are read from their file meanwhile, in this thread and in those that begin."""
    found: list[str] = []

    def called(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is decode.__code__:
            found.append(event)

    threading.setprofile(called)
    sys.setprofile(called)
    try:
        act()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return len(found)


def test_neither_times_nor_feelings_nor_vectors_are_found_out_by_reading_all(role: Path) -> None:
    told = list[str]()

    def ask() -> None:
        with Home.open(role.parent, embedder=HashingEmbedder()) as home:
            mira = home.role("Mira")
            asked = "I was so sad in spring 2015!"
            told.append(mira.recall([asked], now="2026-06-01", dry_run=True).text)
            assert mira.ready(60)
            told.append(mira.recall([asked], now="2026-06-01", dry_run=True).text)

    ask()
    assert reads_while(ask) < LEAST / 2
    (role / CACHE).unlink()
    assert reads_while(ask) > LEAST
    assert told == told[:2] * 3


def test_what_an_author_wrote_stays_unread_when_it_is_taken_over(tmp_path: Path) -> None:
    with Home.open(tmp_path, WORDS_ALONE) as home:
        folder = home.create("Mira").folder
    written(folder, entries())
    with Home.open(tmp_path, WORDS_ALONE) as home:
        mira = home.role("Mira")
        answers(mira)
        assert mira.store.checkpoint()
        assert len(mira.history()) > LEAST
        assert unread(mira) > LEAST / 2


def test_remembering_reads_no_other_memory_and_nothing_is_remembered_twice(role: Path) -> None:
    with Home.open(role.parent, WORDS_ALONE) as home:
        mira = home.role("Mira")
        mira.recall([ASKED[0]], dry_run=True)
        ids = [mira.remember("Zebulon keeps the harbour lamp now.").id for _ in range(2)]
        assert ids[0] == ids[1]
        assert mira.remember(entries()[8]["content"]).id == "m8"
        mira.observe([Message.user("Remember that I hate porridge.")], "I will.", chat="c")
        assert any("porridge" in one.content for one in list(mira.memories.values())[-2:])
        assert unread(mira) > LEAST / 2


def test_a_file_that_was_edited_meanwhile_counts(role: Path) -> None:
    found = entries()
    found[7]["content"] = "Zebulon keeps the harbour lamp now."
    written(role, found[:-1])
    with Home.open(role.parent, WORDS_ALONE) as home:
        mira = home.role("Mira")
        assert reads_whole(mira)
        assert "Zebulon" in mira.recall(["Who is Zebulon?"], dry_run=True).text
        assert found[-1]["id"] not in mira.memories


def test_an_edit_beside_a_process_that_has_read_little_counts(role: Path) -> None:
    with Home.open(role.parent, WORDS_ALONE) as home:
        mira = home.role("Mira")
        mira.recall([ASKED[0]], dry_run=True)
        before, kept = dict(mira.memories), unread(mira)
        raw = json.loads((role / "memory.json").read_text(encoding="utf-8"))
        raw["episodic"][7]["content"] = "Zebulon keeps the harbour lamp now."
        (role / "memory.json").write_text(json.dumps(raw), encoding="utf-8")
        assert "Zebulon" in mira.recall(["Who is Zebulon?"], dry_run=True).text
        assert [one for one in mira.memories if mira.memories[one] is not before[one]] == ["m7"]
        assert unread(mira) >= kept - 1


def foreign(file: Path) -> None:
    """The cache of another role with as many memories."""
    with Home.open(file.parents[2], WORDS_ALONE) as home:
        other = home.create("Asha").folder
        written(other, [{**one, "content": f"No {one['content']}"} for one in entries()])
        answers(home.role("Asha"))
    file.write_bytes((other / CACHE).read_bytes())


def of_another_version(file: Path) -> None:
    """As other code would have written it, that laid it out in another way."""
    body = (DerivedFiles(FileSpace(file.parents[1])).load("memories") or b"")[8:]
    DerivedFiles(FileSpace(file.parents[1]), "others").keep("memories", body)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda file: file.unlink(), id="it is gone"),
        pytest.param(lambda file: file.write_bytes(b""), id="it is empty"),
        pytest.param(lambda file: file.write_bytes(file.read_bytes()[:-9]), id="it was cut off"),
        pytest.param(
            lambda file: file.write_bytes(file.read_bytes().replace(b'"m9"', b'"m8"', 1)),
            id="a name in it is another one",
        ),
        pytest.param(foreign, id="it is another role's"),
        pytest.param(of_another_version, id="another version wrote it"),
    ],
)
def test_a_cache_that_cannot_be_trusted_is_made_again(
    role: Path, spoil: Callable[[Path], None]
) -> None:
    told, kept = asked(role.parent), (role / CACHE).read_bytes()
    spoil(role / CACHE)
    with Home.open(role.parent, WORDS_ALONE) as home:
        mira = home.role("Mira")
        assert reads_whole(mira)
        assert answers(mira) == told
    assert (role / CACHE).read_bytes() == kept


def test_a_file_with_something_to_report_is_read_whole_each_time(role: Path) -> None:
    (role / CACHE).unlink()
    written(role, [*entries(), {"id": "odd", "content": "x", "emotions": ["xyzzy"]}])
    for _ in range(2):
        with Home.open(role.parent, WORDS_ALONE) as home:
            mira = home.role("Mira")
            answers(mira)
            assert not unread(mira)


def test_what_is_written_does_not_depend_on_what_was_read(role: Path) -> None:
    files = []
    for begun in (True, False):
        home = role.parent / f"copy {begun}"
        with Home.open(home, WORDS_ALONE) as opened:
            there = opened.create("Mira").folder
        for part in ("memory.json", "state/last-good.json", CACHE, TERMS):
            (there / part).parent.mkdir(exist_ok=True)
            (there / part).write_bytes((role / part).read_bytes())
        if not begun:
            (there / CACHE).unlink()
        with Home.open(home, WORDS_ALONE) as opened:
            mira = opened.role("Mira")
            assert reads_whole(mira) is not begun
            answers(mira)
            mira.edit("m5", content="Edited.", salience=0.9)
            assert mira.store.checkpoint(force=True)
            assert unread(mira) > LEAST / 2
            mira.forget("m6")
            mira.remember("New.", id="new", created="2026-05-01", type="trait")
            after = answers(mira)
        files.append((json.loads((there / "memory.json").read_bytes())["episodic"], after))
        assert asked(home) == after
    assert files[0] == files[1]


LEFT_OPEN = """
import sys
from rolememory import Home
home = Home.open(sys.argv[1], {"embedding.backend": "off", "storage.fold_idle_s": 0.01})
mira = home.role("Mira")
mira.recall(["Who painted the lamp near the harbour?"], dry_run=True)
if sys.argv[2:]:
    mira.remember(sys.argv[2])
print("asked", flush=True)
sys.stdin.read()
"""


def in_step(folder: Path) -> bool:
    """Whether what is kept was made from the memory.json as it stands."""
    found = digest((folder / "memory.json").read_bytes()).hex().encode()
    return found in (DerivedFiles(FileSpace(folder)).load("memories") or b"")


def until(done: Callable[[], bool]) -> None:
    """Wait for a background thread, as long as it takes (the test run has its own time limit)."""
    waiting = threading.Event()
    while not done():
        waiting.wait(0.005)


@pytest.mark.parametrize("new", [(), ("Zebulon keeps the harbour lamp now.",)])
def test_a_process_that_is_killed_has_kept_them(role: Path, new: tuple[str, ...]) -> None:
    if not new:
        (role / CACHE).unlink()
    before = (role / "memory.json").read_bytes()
    command = [sys.executable, "-c", LEFT_OPEN, str(role.parent), *new]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as left_open:
        assert left_open.stdout is not None
        assert left_open.stdout.readline() == b"asked\n"
        until(lambda: not new or (role / "memory.json").read_bytes() != before)
        until(lambda: (role / CACHE).exists() and in_step(role))
        left_open.kill()
    with Home.open(role.parent, WORDS_ALONE) as home:
        mira = home.role("Mira")
        mira.recall([ASKED[0]], dry_run=True)
        assert unread(mira) > LEAST / 2


def test_they_are_not_kept_anew_for_every_change(
    role: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "KEEP_SHARE", 1e9)
    (role / CACHE).unlink()
    with Home.open(role.parent, {**WORDS_ALONE, "storage.fold_idle_s": 0.01}) as home:
        mira = home.role("Mira")
        mira.recall([ASKED[0]], dry_run=True)
        until(lambda: not any(one.name.startswith("keep ") for one in threading.enumerate()))
        first = (role / CACHE).read_bytes()
        for at in range(20):
            before = (role / "memory.json").read_bytes()
            mira.edit("m5", content=f"Edited {at}.")
            mira.recall([ASKED[0]], dry_run=True)
            until(lambda before=before: (role / "memory.json").read_bytes() != before)  # type: ignore[misc]
            assert (role / CACHE).read_bytes() == first
    assert in_step(role)


def test_a_turn_goes_on_while_they_are_kept_and_what_it_changes_is_not_mixed_in(role: Path) -> None:
    with Home.open(role.parent, WORDS_ALONE) as home, ThreadPoolExecutor(1) as pool:
        mira = home.role("Mira")
        mira.recall([ASKED[0]], dry_run=True)
        mira.edit("m5", content="Edited.")
        mira.recall([ASKED[0]], dry_run=True)
        assert mira.store.checkpoint()
        before = (role / CACHE).read_bytes()

        @contextmanager
        def turns() -> Iterator[None]:
            pool.submit(mira.edit, "m6", content="Edited, too.").result()
            pool.submit(mira.recall, [ASKED[0]], dry_run=True).result()
            yield

        facts = mira.parts.context.pipeline.facts
        assert not mira.store.keep(partial(facts, turns=turns()))
        assert mira.store.checkpoint()
        assert (role / CACHE).read_bytes() == before
        assert mira.store.keep(partial(facts, turns=nullcontext()))
        assert in_step(role)


def one_unread() -> Memory:
    whole = Memory(id="a", content="Tea.", keys=("tea",))
    return UnreadMemory.each(["a"], lambda _: whole)["a"]


@pytest.mark.parametrize(
    "look",
    [
        pytest.param(lambda one: one, id="as it is"),
        pytest.param(lambda one: pickle.loads(pickle.dumps(one)), id="pickled"),
        pytest.param(copy.copy, id="copied"),
        pytest.param(copy.deepcopy, id="copied in depth"),
        pytest.param(
            lambda one: Memory.model_validate(one.model_dump(exclude_unset=True)), id="dumped"
        ),
        pytest.param(
            lambda one: Memory.model_validate_json(one.model_dump_json(exclude_unset=True)),
            id="as JSON",
        ),
        pytest.param(lambda one: one.model_copy(update={}), id="copied with changes"),
        pytest.param(Memory.model_validate, id="validated"),
    ],
)
def test_nobody_can_tell_an_unread_memory_from_another(look: Callable[[Memory], Memory]) -> None:
    whole = Memory(id="a", content="Tea.", keys=("tea",))
    assert isinstance(one_unread(), Memory)
    assert look(one_unread()) == whole == one_unread()
    assert (repr(look(one_unread())), hash(one_unread())) == (repr(whole), hash(whole))
    assert look(one_unread()).model_fields_set == whole.model_fields_set


def test_many_may_read_it_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        for _ in range(200):
            one = one_unread()
            told = pool.map(lambda one: (one.content, one.keys, one.priority), [one] * 8)
            assert set(told) == {("Tea.", ("tea",), 50)}
