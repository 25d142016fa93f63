"""The background of a role: when a model is asked, what it reads, what is remembered of that."""

import logging
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import orjson
import pytest

from rolememory.errors import RegistrationError, SettingsError
from rolememory.learn.model import base
from rolememory.learn.model.base import Batch, ExtractorDependencies, Factory, register
from rolememory.learn.model.progress import Progress
from rolememory.learn.model.worker import LOCK
from rolememory.llm.errors import BUSY
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.memory import Evidence, MemoryType, Source
from rolememory.storage.files.space import FileSpace
from tests.builders import memory
from tests.endpoint import Endpoint, Line, answers, status, then_hangs
from tests.learn.model.behaviours import CHAT, GOOD
from tests.learn.model.house import Chat, House

NONE = answers({"facts": []})


def talk(exchanges: int) -> list[str]:
    """So many final exchanges, and one that is not."""
    pairs = [
        (f"Lin: I own boat number {number}.", f"Mira: Boat {number}, I see.")
        for number in range(1, exchanges + 2)
    ]
    return [line for pair in pairs for line in pair]


def shown(server: Endpoint, number: int = -1) -> list[str]:
    """The numbered lines of a question."""
    asked = server.requests[number].json["messages"][0]["content"]
    chat = asked.rpartition("<chat>\n")[2].partition("\n</chat>")[0]
    return [line for line in chat.splitlines() if line.startswith("[")]


@pytest.mark.parametrize(
    ("exchanges", "requests", "left"),
    [(1, 0, 1), (4, 0, 4), (5, 1, 0), (9, 1, 4), (10, 2, 0)],
)
def test_s4_36_a_model_reads_five_dialogues_at_a_time(
    exchanges: int, requests: int, left: int, tmp_path: Path
) -> None:
    with (
        Endpoint(NONE) as server,
        House(tmp_path, server.url, *talk(exchanges), batch_size=5) as house,
    ):
        assert house.touch()
        assert len(server.requests) == requests
        assert sum(house.queue.values()) == left
        assert house.touch(5)
        assert len(server.requests) == requests


def test_s0_6_an_exchange_is_read_once_the_next_message_of_the_user_stands(tmp_path: Path) -> None:
    with Endpoint(NONE) as server, House(tmp_path, server.url, *CHAT[:3]) as house:
        assert house.touch()
        assert server.requests == []
        house.say("Lin: Good night.")
        assert house.touch()
        assert shown(server) == [
            "[1] Lin: Hi! I moved from Rome to Paris.",
            "[2] Mira: I promise to visit you.",
        ]
        assert "(earlier) Mira: Welcome to the harbour." in server.requests[0].said


def test_n_12_the_last_exchange_is_judged_without_the_next_message(tmp_path: Path) -> None:
    with Endpoint(NONE) as server, House(tmp_path, server.url, *CHAT[:3], delay_s=60) as house:
        assert house.touch()
        house.now += timedelta(seconds=58)
        assert house.behind.run().read == 0
        house.now += timedelta(seconds=2)
        assert house.behind.run().read == 1
        assert shown(server)[0] == "[1] Lin: Hi! I moved from Rome to Paris."


def test_n_12_what_nobody_has_replied_to_waits_for_longer(tmp_path: Path) -> None:
    with Endpoint(NONE) as server, House(tmp_path, server.url, *CHAT[:2], delay_s=1.0) as house:
        assert house.touch()
        house.now += timedelta(minutes=5)
        assert house.behind.run().read == 0
        house.now += timedelta(minutes=595)
        assert house.behind.run().read == 1


def test_the_newest_exchange_is_read_once_it_was_quiet(tmp_path: Path) -> None:
    with (
        Endpoint(NONE) as server,
        House(tmp_path, server.url, *CHAT, idle_minutes=10.0, batch_size=5) as house,
    ):
        assert house.touch()
        house.now += timedelta(minutes=9)
        assert house.behind.run().read == 0
        house.now += timedelta(minutes=1)
        assert house.behind.run().read == 2
        assert len(server.requests) == 1


def test_by_force_all_is_read_at_once(tmp_path: Path) -> None:
    with Endpoint(NONE) as server, House(tmp_path, server.url, *CHAT, batch_size=5) as house:
        assert house.behind.run().read == 0
        report = house.behind.run(force=True)
        assert (report.read, report.requests, report.left, report.finished) == (2, 1, 0, True)
        assert len(server.requests) == 1


def test_s4_28_a_dead_model_leaves_the_queue_and_a_restart_goes_on(tmp_path: Path) -> None:
    with Endpoint(status(500)) as server:
        with House(tmp_path, server.url, *talk(3), batch_size=2) as house:
            house.touch()
            assert house.queue == {"harbour": 3}
        server.now(NONE)
        with House(tmp_path, server.url, *talk(3), batch_size=2) as house:
            house.touch()
            assert house.queue == {"harbour": 1}
            assert shown(server)[0] == "[1] Lin: I own boat number 1."
        with House(tmp_path, server.url, *talk(5), batch_size=2) as house:
            house.touch()
            assert shown(server)[0] == "[1] Lin: I own boat number 3."


def test_after_a_restart_the_first_turn_looks_at_every_chat(tmp_path: Path) -> None:
    chats = [Chat("old", (*talk(1),)), Chat("new", CHAT)]
    with Endpoint(NONE) as server, House(tmp_path, server.url, chats=chats) as house:
        house.touch(chat="new")
        assert len(server.requests) == 2
        assert house.queue == {}


def test_what_cannot_be_kept_is_read_again(tmp_path: Path) -> None:
    with Endpoint(answers(GOOD)) as server, House(tmp_path, server.url, *CHAT) as house:
        file = house.role.folder / "memory.json"
        sound = file.read_bytes()
        file.write_bytes(b'{"episodic": [')
        house.touch()
        assert house.queue == {"harbour": 1}
        assert "memory.json" in house.behind.status()["last_error"]
        file.write_bytes(sound)
        house.touch()
        assert house.queue == {}
        assert house.actors == ["model", "model"]


def test_a_swipe_is_read_and_the_words_before_it_are_not_learned_twice(tmp_path: Path) -> None:
    with Endpoint(answers(GOOD)) as server, House(tmp_path, server.url, *CHAT) as house:
        house.touch()
        house.tell("harbour", *CHAT[:2], "Mira: I never go anywhere.", *CHAT[3:])
        server.now(answers({"facts": GOOD["facts"][:1]}))
        house.touch()
        assert shown(server) == ["[1] Mira: I never go anywhere."]
        assert "(earlier) Lin: Hi! I moved from Rome to Paris." in server.requests[-1].said
        assert len(house.kept) == 2
        assert house.refused == []


ELSEWHERE = ("Mira: Good morning.",)
"""A beginning of its own: what follows is no branch of another chat."""


@pytest.mark.parametrize(
    ("start", "other", "requests"),
    [
        pytest.param(ELSEWHERE, {}, 2, id="a chat that says the same is not read again there"),
        pytest.param((), {}, 2, id="nor is a branch"),
        pytest.param(
            (),
            {"story": "own"},
            2,
            id="nor a branch with a story of its own: what stands in it counts in it",
        ),
        pytest.param(ELSEWHERE, {"story": "own"}, 4, id="a chat with a story of its own is"),
        pytest.param(ELSEWHERE, {"story": "dream"}, 4, id="and a chat of another story"),
        pytest.param(ELSEWHERE, {"user": "somebody else"}, 4, id="and a chat of another user"),
    ],
)
def test_what_was_read_in_another_chat(
    start: tuple[str, ...], other: dict[str, Any], requests: int, tmp_path: Path
) -> None:
    chats = [Chat("a", (*talk(2),)), Chat("b", (*start, *talk(4)), **other)]
    with Endpoint(NONE) as server, House(tmp_path, server.url, chats=chats) as house:
        house.behind.run()
        house.touch(chat="a")
        assert len(server.requests) == 2 + requests
        assert house.queue == {}


@pytest.mark.parametrize(("start", "queue"), [(ELSEWHERE, {"a": 1, "b": 1}), ((), {"b": 1})])
def test_what_another_chat_says_no_longer_is_read_unless_both_are_branches(
    start: tuple[str, ...], queue: dict[str, int], tmp_path: Path
) -> None:
    chats = [Chat("a", (*talk(1),)), Chat("b", (*start, *talk(1)))]
    with Endpoint(NONE) as server, House(tmp_path, server.url, chats=chats) as house:
        house.touch(chat="a")
        assert (len(server.requests), house.queue) == (1, {})
        house.tell("b", *start, "Lin: Something else.", *talk(1)[1:])  # the newest is read first
        assert house.queue == queue


def test_only_chats_that_teach_are_read(tmp_path: Path) -> None:
    chats = [Chat("private", CHAT, mode="read_only")]
    with Endpoint(NONE) as server, House(tmp_path, server.url, chats=chats) as house:
        house.touch(chat="private")
        assert house.behind.run(force=True).read == 0
        assert server.requests == []


@pytest.mark.parametrize(
    "learn",
    [
        {"extractor": "rules"},
        {"endpoint": ""},
        {"model": ""},
        {"enabled": False},
        {"extractor": "model", "endpoint": ""},
    ],
    ids=str,
)
def test_without_a_model_nothing_happens(learn: dict[str, Any], tmp_path: Path) -> None:
    with Endpoint(NONE) as server, House(tmp_path, server.url, *CHAT, **learn) as house:
        assert house.touch(2)
        assert house.behind.run(force=True) == house.behind.run()
        assert house.behind.status() | {"notes": 0} == {
            "on": False, "busy": False, "queue": {}, "requests": 0, "upstreams": {}, "last_error": "", "notes": 0,
            "exchanges_since_conclusions": 0,
            "shared": False, "today": {"calls": 0, "tokens": 0}, "daily_tokens": 0,
        }  # fmt: skip
        assert server.requests == []


def test_settings_that_cannot_be_read_stop_nothing(tmp_path: Path) -> None:
    with Endpoint(NONE) as server, House(tmp_path, server.url, *CHAT) as house:
        good = house.settings
        house.broken = SettingsError("rolememory.toml", "not TOML")
        house.behind.touch("harbour")
        assert house.behind.settle(60.0)
        house.broken = None
        assert house.settings is good
        assert house.touch()
        assert len(server.requests) == 1


def test_one_request_is_under_way_at_a_time(tmp_path: Path) -> None:
    chats = [Chat(f"chat {number}", (*talk(3),)) for number in range(3)]

    def slow(line: Line) -> None:
        line.wait(0.02)
        NONE(line)

    with Endpoint(slow) as server, House(tmp_path, server.url, chats=chats) as house:
        threads = [threading.Thread(target=house.behind.run) for _ in range(3)]
        for thread in threads:
            thread.start()
        for one in chats:
            house.behind.touch(one.id)
        for thread in threads:
            thread.join()
        assert house.behind.settle(60.0)
        assert (server.most_at_once, house.queue) == (1, {})
        assert len(server.requests) == 3


def test_two_processes_do_not_ask_twice(tmp_path: Path) -> None:
    with (
        Endpoint(NONE) as server,
        House(tmp_path, server.url, *CHAT) as house,
        House(tmp_path, server.url, *CHAT) as other,
    ):
        with FileSpace(tmp_path).lock(LOCK):
            assert house.touch()
            report = house.behind.run(deadline_s=0.05)
            assert (report.finished, report.notes) == (False, (BUSY,))
            assert server.requests == []
        house.touch()
        assert other.behind.run(force=False).requests == 0
        assert len(server.requests) == 1


def test_turns_are_not_held_up_by_a_server_that_hangs(tmp_path: Path) -> None:
    with (
        Endpoint(then_hangs()) as server,
        House(tmp_path, server.url, *CHAT, timeout_s=30.0) as house,
    ):
        house.behind.touch("harbour")
        assert server.wait_for(1)
        assert not house.behind.settle(0.01)
        for _ in range(20):
            house.behind.touch("harbour")
        assert len(server.requests) == 1
        assert house.behind.status()["busy"]


def test_an_exchange_no_answer_can_be_had_for_holds_up_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "rolememory")

    def chokes(line: Line) -> None:
        numbered = [one for one in line.request.said.splitlines() if one.startswith("[")]
        (
            answers("I cannot help with that.")
            if any("number 2" in one for one in numbered)
            else NONE
        )(line)

    with Endpoint(chokes) as server, House(tmp_path, server.url, *talk(3), batch_size=3) as house:
        house.touch()
        assert (house.queue, len(server.requests)) == ({"harbour": 3}, 2)
        for left in (2, 1, 0):
            house.say(*["Lin: A word.", "Mira: A word."] * 3)
            house.touch()
            assert house.queue.get("harbour", 0) == left
            house.touch(3)
        assert len(server.requests) == 11
        unread = [one for one in house.refused if one.reason.code == "unread"]
        assert [one.draft.content for one in unread] == ["I own boat number 2."]
    assert "nothing could be learned from message 3" in caplog.text
    assert Progress(FileSpace(tmp_path)).given_up("harbour", "model", 1) == []


def test_a_server_that_answers_nothing_usable_to_anything_loses_nothing(tmp_path: Path) -> None:
    with Endpoint(answers("No.")) as server, House(tmp_path, server.url, *talk(4)) as house:
        for _ in range(60):
            house.touch()
            house.seconds += 31.0
        assert house.queue == {"harbour": 4}
        server.now(NONE)
        house.seconds += 31.0
        assert house.behind.run().read == 4


def test_what_an_older_program_wrote_down_as_read_is_not_read_again(tmp_path: Path) -> None:
    with House(tmp_path, "", *talk(2)) as house:
        versions = [one.version for one in house.role.chats.path("harbour")]
    (tmp_path / "state").mkdir(exist_ok=True)
    older = {"read": {"model": versions[:4]}, "hard": {"model v9": [2, 1]}, "ends": {"v9": "Frost"}}
    (tmp_path / "state" / "model.json").write_bytes(
        orjson.dumps({"chats": {"harbour": older}, "exchanges": 3, "users": ["lin"]})
    )
    with Endpoint(NONE) as server, House(tmp_path, server.url, *talk(2)) as house:
        assert house.behind.run(force=True).read == 1
        assert shown(server, 0) == ["[1] Lin: I own boat number 3.", "[2] Mira: Boat 3, I see."]
    found = Progress(FileSpace(tmp_path))
    assert (found.exchanges, found.users[0]) == (4, "lin")
    assert (found.trouble("harbour", "model", "v9"), found.ends("harbour")) == (
        (0, 2),
        {"v9": "Frost"},
    )
    assert not (tmp_path / "state" / "model.json").exists()


def calls_of(act: Callable[[], object]) -> int:
    """How many functions are called."""
    counted = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event == "call"

    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(None)
    return counted


def test_a_look_costs_what_is_new(tmp_path: Path) -> None:
    """About as many calls behind 240 exchanges as behind 30, a read exchange and what is written down included."""
    calls: dict[int, int] = {}
    for exchanges in (30, 240):
        lines, quiet = talk(exchanges), {"summarize": {"enabled": False}}
        with (
            Endpoint(NONE) as server,
            House(tmp_path / str(exchanges), server.url, *lines, **quiet) as house,
        ):
            for thing in ("kite", "tent", "sledge"):  # the first look of a process is at everything
                house.say(f"Lin: I own a {thing}.", f"Mira: A {thing}, I see.")
                calls[exchanges] = calls_of(lambda house=house: house.behind.run(force=True))  # type: ignore[misc]
            assert house.queue == {}
    assert calls[240] < 1.3 * calls[30], calls


def test_a_damaged_state_counts_as_unread(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    damaged = {"read\nmodel\nharbour": 7, "hard\n\nharbour": {"model v": [1]}}
    FileSpace(tmp_path).log("state/model").append(
        orjson.dumps({**damaged, "role": {"exchanges": "x", "users": 3}})
    )
    with Endpoint(NONE) as server, House(tmp_path, server.url, *CHAT) as house:
        house.touch()
        assert len(server.requests) == 1
        assert house.queue == {}


def test_a_chat_in_chinese_is_asked_about_in_chinese(tmp_path: Path) -> None:
    with (
        Endpoint(NONE) as server,
        House(
            tmp_path, server.url, "Lin: 我从罗马搬到巴黎了。", "Mira: 那我给你写信。", "Lin: 晚安。"
        ) as house,
    ):
        house.touch()
        assert server.requests[0].said.startswith("你的任务")
        assert shown(server) == ["[1] Lin：我从罗马搬到巴黎了。", "[2] Mira：那我给你写信。"]


def test_what_is_known_and_touches_on_it_is_shown(tmp_path: Path) -> None:
    with Endpoint(NONE) as server, House(tmp_path, server.url, *CHAT) as house:
        house.knows(
            memory("rome", "Lin lives in Rome.", user="Lin"),
            memory("old", "Lin came from Paris to Rome.", archived=True),
            memory("other", "Somebody else moved to Paris.", user="else"),
            memory(
                "gone",
                "Lin moved to Rome.",
                evidence=[Evidence(chat="harbour", version="v77", quote="x")],
            ),
            memory("far", "Mira likes thunder."),
        )
        house.touch()
        assert "<memories>\n[1] Lin lives in Rome.\n</memories>" in server.requests[0].said


def test_a_fact_that_replaces_a_known_one_says_which(tmp_path: Path) -> None:
    with (
        Endpoint(answers({"facts": [{**GOOD["facts"][0], "replaces": 1}]})) as server,
        House(tmp_path, server.url, *CHAT) as house,
    ):
        learned = {"user": "Lin", "subject": "user", "source": Source.SUMMARY}
        house.knows(memory("rome", "Lin lives in Rome.", **learned))
        house.touch()
        assert house.kept[0].supersedes == ("rome",)
        assert len(server.requests) == 1


@pytest.fixture
def registered() -> Iterator[dict[str, Factory]]:
    before = dict(base.EXTRACTORS)
    yield base.EXTRACTORS
    base.EXTRACTORS.clear()
    base.EXTRACTORS.update(before)


class Boats:
    """An extractor of somebody else."""

    name: ClassVar[str] = "boats"
    broken: ClassVar[bool] = False

    def __init__(self, means: ExtractorDependencies) -> None:
        self.means = means

    def extract(self, batch: Batch) -> Sequence[Draft]:
        if self.broken:
            raise ZeroDivisionError
        found = [said for said in batch.said if "boat" in said.text and said.version in batch.fresh]
        return [
            Draft(
                f"{batch.person} has a boat.",
                MemoryType.SEMANTIC,
                Source.SUMMARY,
                (Evidence(chat=batch.chat, version=said.version),),
                Reason("boats"),
            )
            for said in found
        ]


def test_an_extractor_of_another_package_reads_along_without_any_model(
    registered: dict[str, Factory], tmp_path: Path
) -> None:
    register("boats")(Boats)
    with House(tmp_path, "", *talk(2)) as house:
        house.touch()
        assert house.contents == ["Lin has a boat.", "Lin has a boat."]
        house.touch()
        assert len(house.kept) == 2
        house.set(extractor="rules")
        house.say("Lin: Another boat!")
        house.touch()
        assert len(house.kept) == 2


def test_an_extractor_that_fails_disturbs_neither_the_model_nor_the_chat(
    registered: dict[str, Factory],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    register("boats")(Boats)
    monkeypatch.setattr(Boats, "broken", True)
    with Endpoint(answers(GOOD)) as server, House(tmp_path, server.url, *CHAT) as house:
        house.touch()
        assert (house.queue, len(house.kept)) == ({}, 2)
        assert house.behind.status()["last_error"] == "learning from chats: ZeroDivisionError"
        house.touch(5)
    told = [
        record.getMessage()
        for record in caplog.records
        if record.name == "rolememory.learn.model.run"
    ]
    assert told == ["extractor boats: not learned from yet: learning from chats: ZeroDivisionError"]


def test_a_name_is_registered_once(registered: dict[str, Factory]) -> None:
    register("boats")(Boats)
    register("boats")(Boats)
    with pytest.raises(RegistrationError, match="boats"):
        register("boats")(type("Rafts", (Boats,), {}))


def test_a_batch_that_was_not_full_is_read_after_a_quiet_while_by_itself(tmp_path: Path) -> None:
    with (
        Endpoint(NONE) as server,
        House(tmp_path, server.url, *CHAT, batch_size=5, idle_minutes=0.0005) as house,
    ):
        house.behind.touch("harbour")
        assert house.behind.settle(60.0)
        house.now += timedelta(minutes=1)
        assert server.wait_for(1)
        assert house.behind.run().left == 0
        assert len(server.requests) == 1


def test_a_template_that_cannot_be_used_is_told_and_replaced(tmp_path: Path) -> None:
    (tmp_path / "learn").mkdir()
    (tmp_path / "learn" / "extraction.jinja").write_text("{{ nobody }}", encoding="utf-8")
    with (
        Endpoint(answers(GOOD)) as server,
        House(tmp_path, server.url, *CHAT, templates=tmp_path) as house,
    ):
        house.touch()
        assert len(house.kept) == 2
        (note,) = house.behind.status()["notes"]
        assert "extraction.jinja" in note


def test_long_exchanges_go_in_smaller_batches(tmp_path: Path) -> None:
    lines = [
        line
        for number in range(4)
        for line in (f"Lin: {number} {'word ' * 150}", f"Mira: {number} {'word ' * 150}")
    ]
    with Endpoint(NONE) as server, House(tmp_path, server.url, *lines, batch_size=3) as house:
        house.behind.run(force=True)
        assert [len(shown(server, number)) for number in range(len(server.requests))] == [6, 2]
        house.say(*[line * 2 for line in lines])
        house.behind.run(force=True)
        assert max(len(request.said) for request in server.requests) < 12_000


def test_status_tells_what_waits_even_while_the_chats_cannot_be_read(tmp_path: Path) -> None:
    with Endpoint(NONE) as server, House(tmp_path, server.url, *CHAT, batch_size=5) as house:
        house.touch()
        assert house.behind.status()["queue"] == {"harbour": 1}

        folder = house.role.folder / "chats"
        folder.rename(house.role.folder / "away")
        folder.write_bytes(b"")
        assert house.behind.status()["queue"] == {}
        assert house.behind.run(force=True).read == 0
        folder.unlink()
        folder.with_name("away").rename(folder)
        assert house.behind.run(force=True).read == 2


def test_after_closing_nothing_is_asked(tmp_path: Path) -> None:
    with Endpoint(NONE) as server, House(tmp_path, server.url, *CHAT) as house:
        house.behind.close()
        assert house.touch()
        assert house.behind.run(force=True).read == 0
        assert server.requests == []


class Interrupted(House):
    """Somebody may speak at any look at the clock."""

    looks = 0
    speaks_at = 0

    @property
    def now(self) -> datetime:
        """The time; it goes on when somebody speaks."""
        self.looks += 1
        if self.looks == self.speaks_at:
            self._now += timedelta(hours=2)
            self.behind.touch("harbour")
        return self._now

    @now.setter
    def now(self, now: datetime) -> None:
        self._now = now


def test_who_speaks_while_it_is_looked_whether_anybody_does_is_looked_at_again(
    tmp_path: Path,
) -> None:
    def quiet(speaks: bool) -> int:
        """Look once everybody is silent; how often the clock was looked at."""
        house.now += timedelta(days=1)
        house.looks, house.speaks_at = 0, looks if speaks else 0
        house.behind._read_quiet()
        return house.looks

    looks = 0
    with Endpoint(NONE) as server, Interrupted(tmp_path, server.url, *talk(1)) as house:
        for speaks in (False, False, True):
            assert house.touch()
            looks = quiet(speaks)
            assert ("harbour" in house.behind._extraction.spoken_at) is speaks
