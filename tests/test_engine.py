"""One home, its roles, and what they remember: the library as an application uses it."""

import asyncio
import json
import os
import re
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rolememory import AsyncHome, AsyncRoleMemory, Home, Message, RoleMemory, aio
from rolememory.errors import (
    ClosedError,
    InvalidValueError,
    NotWrittenError,
    UnknownMemoryError,
    UnknownNameError,
    UnknownRoleError,
)
from rolememory.recall.explain import lets_in
from rolememory.schema.generation import Generation
from rolememory.storage.files.init_home import init

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
WORDS_ALONE = {"embedding.backend": "off"}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with Home.open(tmp_path / "home", WORDS_ALONE) as opened:
        yield opened


@pytest.fixture
def mira(home: Home) -> RoleMemory:
    role = home.create("Mira", aliases=("keeper",))
    role.remember(
        "The beacon of the lighthouse is lit at dusk.", "semantic", id="lighthouse", keys=["beacon"]
    )
    role.remember(
        "The lamp failed in the great storm of 1887.",
        id="storm-of-1887",
        keys=["storm"],
        created="1887-11-02",
    )
    role.remember("Patient, dry, hard to frighten.", "trait", id="patient", constant=True)
    role.remember("Wants to see the mainland once.", "goal", id="mainland")
    return role


def ids(turn: Any) -> list[str]:
    return [one.memory.id for one in turn.recalled]


def test_a_character_remembers(mira: RoleMemory) -> None:
    turn = mira.recall(["Why is the beacon dark?"])
    assert set(ids(turn)) == {"lighthouse", "patient"}
    assert "The beacon of the lighthouse is lit at dusk." in turn.text
    assert turn.messages[-1].content == "Why is the beacon dark?"
    assert [one.text for one in turn.parts] == [one.content for one in turn.messages[:2]]


def test_every_line_says_why_it_is_there(mira: RoleMemory) -> None:
    told = str(mira.recall(["Why is the beacon dark?"]).explain())
    assert "lighthouse" in told
    assert "'beacon' in message" in told
    assert "“beacon”" in str(mira.recall(["Why is the beacon dark?"]).explain(language="zh"))


@pytest.mark.parametrize(
    ("told", "touching", "strange", "gate", "nothing"),
    [
        (
            "My aunt and I made dumplings by hand, near the harbour. Then we took the tram home.",
            "She is a hard woman, and she made up her mind near noon.",
            "Good morning.",
            "which uninvited_threshold = 0.70 comes to here, and the message asks for nothing",
            "no memory has to do with the message",
        ),
        (
            "我妹妹叫小雨，她在青州读书。",
            "读书人就是麻烦，什么都讲究。",
            "早上好。",
            "（由 uninvited_threshold = 0.70 折算而来），而这条消息没有问起什么",
            "没有记忆与这条消息有关",
        ),
    ],
)
def test_a_turn_without_memories_says_why(
    tmp_path: Path, told: str, touching: str, strange: str, gate: str, nothing: str
) -> None:
    with Home.open(tmp_path, WORDS_ALONE) as home:
        role = home.role("Mira", create=True)
        role.observe([Message.user(told)], "...", chat="before", user="lin")
        turn = role.recall(touching, chat="now", user="lin")
        assert not turn.recalled
        assert gate in str(turn.explain())
        assert nothing in str(role.recall(strange, chat="now", user="lin").explain())


def test_a_role_can_be_exported_where_nothing_can_be_written(tmp_path: Path) -> None:
    with Home.open(tmp_path, WORDS_ALONE) as home:
        home.create("Mira").remember("The lamp failed.", id="lamp")
    lock = next(tmp_path.glob("*-*/.lock"))
    lock.unlink()
    lock.mkdir()
    with Home.open(tmp_path, WORDS_ALONE) as home:
        with pytest.raises(NotWrittenError):
            home.role("Mira").remember("The sea is cold.")
        told = home.role("Mira").export()
    assert [one["id"] for one in told["memory"]["episodic"]] == ["lamp"]


def test_a_name_may_be_a_number_and_nothing_else(home: Home) -> None:
    assert home.create("3") is home.role(3)
    with pytest.raises(InvalidValueError, match="expected a name or a number, got null"):
        home.role(None)  # type: ignore[arg-type]


def test_roles_answer_to_id_name_and_alias_and_are_the_same_object(
    home: Home, mira: RoleMemory
) -> None:
    assert home.role("MIRA") is home.role("keeper") is home.role(mira.id.upper()) is mira
    with pytest.raises(UnknownRoleError, match="did you mean 'Mira'"):
        home.role("mria")


def test_roles_are_isolated(home: Home, mira: RoleMemory) -> None:
    other = home.create("Asha")
    other.remember("The beacon is a secret signal.", keys=["beacon"])
    assert ids(other.recall(["Why is the beacon dark?"])) == ["the-beacon-is-a"]
    assert "secret signal" not in mira.recall(["Why is the beacon dark?"]).text


def test_users_hear_their_own_and_what_is_shared(mira: RoleMemory) -> None:
    mira.remember(
        "Lin is afraid of the beacon.", id="lins", keys=["beacon"], user="lin", source="user_input"
    )
    assert "lins" in ids(mira.recall(["Why is the beacon dark?"], user="lin"))
    assert "lins" not in ids(mira.recall(["Why is the beacon dark?"], user="wu"))
    assert "lins" not in [one.memory.id for one in mira.search("beacon", user="wu")]


def test_a_search_takes_what_recall_takes(mira: RoleMemory) -> None:
    asked = "Why is the beacon dark?"
    messages = [{"role": "assistant", "content": "Sit."}, {"role": "user", "content": asked}]
    assert mira.search(messages)[0].memory.id == mira.search(asked)[0].memory.id
    with pytest.raises(
        InvalidValueError, match="expected a text or a list of messages, got 'None'"
    ):
        mira.search(None)  # type: ignore[arg-type]


def test_what_is_written_survives_a_restart(home: Home, mira: RoleMemory) -> None:
    mira.remember("She lost a brother at sea.", id="brother", emotions=["sadness"])
    home.close()
    with Home.open(home.path, WORDS_ALONE) as again:
        assert again.role("mira").memories["brother"].emotions == ("sadness",)


def test_an_edit_of_the_file_is_heard_on_the_next_turn(mira: RoleMemory) -> None:
    mira.store.checkpoint(force=True)
    file = mira.folder / "memory.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["semantic"][0]["content"] = "The beacon burns whale oil."
    document["episodic"].append("A gull broke the east window of the lamp room.")
    file.write_text(json.dumps(document, ensure_ascii=False, indent=2), encoding="utf-8")
    assert "whale oil" in mira.recall(["Why is the beacon dark?"]).text
    assert "gull" in mira.recall(["Who broke the window of the lamp room?"]).text


def test_edit_archive_delete_undo(mira: RoleMemory) -> None:
    assert mira.edit("lighthouse", weight=1.5, keys=["beacon", "lamp"]).keys == ("beacon", "lamp")
    mira.archive("lighthouse")
    assert "lighthouse" not in ids(mira.recall(["Why is the beacon dark?"]))
    mira.edit("lighthouse", archived=False)
    mira.delete("lighthouse")
    assert "lighthouse" not in mira.memories
    mira.store.undo()
    assert mira.memories["lighthouse"].weight == 1.5
    with pytest.raises(UnknownMemoryError, match="did you mean 'lighthouse'"):
        mira.edit("lighthose", weight=1)


def test_a_field_out_of_bounds_is_refused_and_nothing_is_written(mira: RoleMemory) -> None:
    before = dict(mira.memories)
    with pytest.raises(InvalidValueError, match="salience"):
        mira.remember_all([{"content": "fine"}, {"content": "not fine", "salience": 7}])
    assert dict(mira.memories) == before


def test_a_dry_run_counts_nothing(mira: RoleMemory) -> None:
    for _ in range(3):
        mira.recall(["Why is the beacon dark?"], chat="harbour", dry_run=True)
    assert mira.turns == 0
    mira.recall(["Why is the beacon dark?"], chat="harbour")
    mira.recall(["Why is the beacon dark?"], chat="harbour")  # a swipe asks the same again
    assert mira.turns == 1
    mira.recall(
        ["Why is the beacon dark?", Message.assistant("The oil is gone."), "And the storm?"],
        chat="harbour",
    )
    assert mira.turns == 2


def test_a_dry_run_makes_nothing_heavier(mira: RoleMemory) -> None:
    for chat, dry_run in (("one", True), ("two", False)):
        said = [Message.user("Why is the beacon dark?")]
        mira.recall(said, chat=chat, dry_run=dry_run)
        mira.observe(said, mira.memories["lighthouse"].content, chat=chat)
        mira.usage.settle()
        assert bool(mira.usage.uses.of("lighthouse")) != dry_run


def test_the_same_turn_gives_the_same_bytes(mira: RoleMemory) -> None:
    first, second = (
        mira.recall(["Tell me of the beacon and the storm"], now=NOW) for _ in range(2)
    )
    assert first.text == second.text
    assert first.messages == second.messages


def test_hybrid_mode_offers_the_rest(tmp_path: Path) -> None:
    with Home.open(tmp_path, WORDS_ALONE | {"recall.mode": "hybrid"}) as home:
        role = home.create("Mira")
        role.remember("The beacon is lit at dusk.", id="one", keys=["beacon"])
        role.remember(
            "Oil for the lamp comes by boat with the beacon mail.",
            id="two",
            keys=["beacon", "dark", "why"],
        )
        turn = role.recall(["Why is the beacon dark?"])
        assert {one.memory.id for one in turn.near} | set(ids(turn)) == {"one", "two"}
        assert "one" not in ids(turn)


def test_settings_are_live(mira: RoleMemory) -> None:
    (mira.folder.parent / "rolememory.toml").write_text(
        "[recall]\nenabled = false\n", encoding="utf-8"
    )
    turn = mira.recall(["Why is the beacon dark?"])
    assert turn.text == ""
    assert "switched off" in str(turn.explain())
    (mira.folder.parent / "rolememory.toml").write_text(
        "[recall]\nmax_items = 1\n", encoding="utf-8"
    )
    assert len(mira.recall(["Why is the beacon dark?"]).recalled) == 1


def test_clean_archives_what_expired_and_deletes_nothing(mira: RoleMemory) -> None:
    mira.remember("The inn is closed this week.", id="inn", expires=NOW - timedelta(days=1))
    mira.remember("A rumour.", id="rumour", weight=0.1)
    count = len(mira.memories)
    assert {one.id for one in mira.clean(NOW, dry_run=True)} == {"inn", "rumour"}
    assert not mira.memories["inn"].archived
    mira.clean(NOW)
    assert mira.memories["inn"].archived
    assert len(mira.memories) == count


def test_a_limit_archives_the_weakest_at_once(tmp_path: Path) -> None:
    with Home.open(tmp_path, WORDS_ALONE | {"storage.max_memories.episodic": 2}) as home:
        role = home.create("Mira")
        for weight in (1.0, 0.5, 1.5):
            role.remember(f"Something of weight {weight}.", id=str(weight), weight=weight)
        assert [one.id for one in role.memories.values() if one.archived] == ["0.5"]


@pytest.mark.parametrize(
    ("changes", "gate"),
    [
        pytest.param({"archived": True}, "archived", id="an archived memory is brought back"),
        pytest.param({"expires": "2020-01-01"}, "expired", id="an expired one is given time"),
        pytest.param({"user": "lin"}, "other_user", id="a private one is shared"),
        pytest.param({"source": "ai_output"}, "source", id="a source is allowed"),
        pytest.param(
            {"keys": [], "content": "Gulls."}, "no_evidence", id="one that nothing woke gets a key"
        ),
    ],
)
def test_the_remedy_lets_it_in(mira: RoleMemory, changes: dict[str, Any], gate: str) -> None:
    mira.edit("lighthouse", **changes)
    turn = mira.recall(["Why is the beacon dark?"])
    refusal = turn.why_not("lighthouse")
    assert refusal is not None
    assert refusal.gate == gate
    assert refusal.remedy is not None
    assert turn.question is not None
    assert lets_in(turn.question, mira.memories["lighthouse"], refusal.remedy)


def test_the_remedy_of_a_budget_is_the_smallest_that_will_do(tmp_path: Path) -> None:
    with Home.open(tmp_path, WORDS_ALONE | {"budget.max_total_length": 60}) as home:
        role = home.create("Mira")
        role.remember("The beacon is lit at dusk.", id="one", keys=["beacon"])
        question = ["Why is the beacon dark?"]
        refusal = role.recall(question).why_not("one")
        assert refusal is not None
        assert refusal.gate == "budget"
        assert refusal.remedy is not None
        enough = int(str(refusal.remedy.value))
    for limit, there in ((enough, ["one"]), (enough - 1, [])):
        with Home.open(tmp_path, WORDS_ALONE | {"budget.max_total_length": limit}) as home:
            assert ids(home.role("mira").recall(question)) == there


def test_many_threads_may_ask_and_write_at_once(mira: RoleMemory) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(5):
                mira.remember(f"Boat {number} came in with {step} barrels.", keys=[f"boat{number}"])
                assert f"Boat {number}" in mira.recall([f"What about boat{number}?"]).text
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(mira.memories) == 4 + 30


def test_the_asynchronous_facade_is_the_same_call_on_a_thread(mira: RoleMemory) -> None:
    async def ask() -> list[Any]:
        return await asyncio.gather(
            *(aio(mira.recall)(["Why is the beacon dark?"]) for _ in range(4))
        )

    assert {turn.text for turn in asyncio.run(ask())} == {
        mira.recall(["Why is the beacon dark?"]).text
    }


def test_async_code_has_a_home_of_its_own(tmp_path: Path) -> None:
    async def live() -> tuple[str, int, list[str]]:
        async with AsyncHome.open(tmp_path, WORDS_ALONE) as home:
            mira = await home.role("Mira", create=True)
            await mira.remember("The beacon burns oil.", "fact", keys=["beacon"])
            turn, found = await asyncio.gather(mira.recall(BEACON), mira.search("oil"))
            full = await home.process_message_with_memory(mira.id, BEACON, [])  # S1.33, S1.35
            assert "- The beacon burns oil." in full.full_content
            await mira.observe(BEACON, "Oil.", chat="one")
            names = [role.name for role in await home.roles()]
            assert repr(mira).startswith("<AsyncRoleMemory Mira: 1 memory")
        with pytest.raises(ClosedError):
            await mira.recall(BEACON)
        return turn.text, len(found), names

    text, found, names = asyncio.run(live())
    assert "The beacon burns oil." in text
    assert (found, names) == (1, ["Mira"])


def test_each_async_call_is_the_call_itself() -> None:
    for ours, theirs in ((AsyncRoleMemory, RoleMemory), (AsyncHome, Home)):
        calls = {
            name: call
            for name, call in vars(ours).items()
            if callable(call) and hasattr(call, "__wrapped__")
        }
        assert len(calls) >= 5
        for name, call in calls.items():
            assert call.__wrapped__ is getattr(theirs, name)


def test_the_call_of_the_world_book_design(home: Home, mira: RoleMemory) -> None:
    full = home.process_message_with_memory(
        mira.id, "Why is the beacon dark?", [{"role": "assistant", "content": "Evening."}]
    )
    assert "## " not in full.full_content.split("\n")[0]
    assert "<rolememory>" not in full.full_content
    assert "The beacon of the lighthouse is lit at dusk." in full.full_content
    assert (
        home.process_message_with_memory(mira.id, "zzz zzz", []).full_content.count("beacon") == 0
    )


def book(**entries: dict[str, Any]) -> str:
    return json.dumps(
        {
            "entries": {
                uid: {"uid": int(uid), "comment": uid, **fields} for uid, fields in entries.items()
            }
        },
        ensure_ascii=False,
    )


def test_lore_and_memories_come_in_one_turn(mira: RoleMemory) -> None:
    (mira.folder / "worldbooks").mkdir()
    file = mira.folder / "worldbooks" / "harbour.json"
    file.write_text(
        book(**{"0": {"key": ["beacon"], "content": "The beacon burns whale oil.", "position": 0}}),
        encoding="utf-8",
    )
    turn = mira.recall([Message.system("You are Mira."), "Why is the beacon dark?"])
    assert [message.role for message in turn.messages].count("system") == 3
    assert "whale oil" in turn.messages[0].content
    assert [one.text for one in turn.parts] == [one.content for one in turn.messages[1:3]]
    assert "lore 'beacon'" in str(turn.explain())
    off = mira.recall(["Why is the beacon dark?"], settings={"lore.enabled": False})
    assert not [one for one in off.messages if "whale oil" in one.content]
    file.write_text("{", encoding="utf-8")
    assert "whale oil" in mira.recall(["Why is the beacon dark?"]).messages[0].content, (
        "a broken book keeps its last good entries"
    )
    file.write_text(
        book(**{"0": {"key": ["beacon"], "content": "The beacon burns rape oil.", "position": 0}}),
        encoding="utf-8",
    )
    assert "rape oil" in mira.recall(["Why is the beacon dark?"]).messages[0].content


def test_a_shared_budget_gives_memories_what_lore_leaves(tmp_path: Path) -> None:
    with Home.open(
        tmp_path, WORDS_ALONE | {"budget.shared_with_lore": True, "budget.max_total_length": 400}
    ) as home:
        role = home.create("Mira")
        role.remember("The beacon is lit at dusk.", keys=["beacon"])
        assert role.recall(["Why is the beacon dark?"]).recalled
        (role.folder / "worldbooks").mkdir()
        (role.folder / "worldbooks" / "b.json").write_text(
            book(**{"0": {"key": ["beacon"], "content": "oil " * 60}}), encoding="utf-8"
        )
        assert not role.recall(["Why is the beacon dark?"]).recalled


def test_a_shared_book_is_linked_by_its_name(home: Home) -> None:
    (home.path / "worldbooks").mkdir()
    (home.path / "worldbooks" / "coast.json").write_text(
        book(**{"0": {"key": ["灯塔"], "content": "灯塔烧的是鲸油。"}}), encoding="utf-8"
    )
    role = home.create("阿霞", worldbooks=["coast.json", "../coast.json"])
    turn = role.recall(["灯塔为什么灭了?"])
    assert turn.lore is not None
    assert [one.content for one in turn.lore.awake] == ["灯塔烧的是鲸油。"]


def test_a_shared_book_that_is_taken_away_says_nothing_more(home: Home) -> None:
    (home.path / "worldbooks").mkdir()
    file = home.path / "worldbooks" / "coast.json"
    text = book(**{"0": {"constant": True, "content": "The beacon burns whale oil."}})
    role = home.create("Asha", worldbooks=["coast.json"])

    def told() -> bool:
        return "whale oil" in str(role.recall(["Good evening."]).messages)

    file.write_text(text, encoding="utf-8")
    assert told()
    file.unlink()
    assert not told()
    assert "coast.json" in str(role.problems())
    file.write_text(text, encoding="utf-8")
    assert (told(), role.problems()) == (True, [])


def test_a_backup_is_made_before_the_first_change_of_a_day_and_can_be_put_back(
    mira: RoleMemory,
) -> None:
    home, backups = mira.folder.parent, mira.folder / "backups"
    mira.close()
    shutil.rmtree(backups)  # that of the day on which the role was made
    made = []
    for content in ("A new day.", "Still the same day."):
        with Home.open(home, WORDS_ALONE) as again:
            role = again.role("mira")
            role.remember(content)
            made.append(sorted(backups.iterdir()))
    assert len(made[0]) == 1
    assert made[0] == made[1], "one a day"
    with Home.open(home, WORDS_ALONE) as again:
        role = again.role("mira")
        assert role.restore() is not None
        assert "lighthouse" in role.memories
        assert not any("day." in one.content for one in role.memories.values())


def test_what_was_deleted_since_a_backup_is_put_back(mira: RoleMemory) -> None:
    mira.backup()
    mira.delete("lighthouse")
    assert mira.restore() is not None
    assert "lighthouse" in mira.memories


def test_a_role_goes_out_as_one_document_and_comes_in_elsewhere(
    mira: RoleMemory, tmp_path: Path
) -> None:
    document = json.loads(json.dumps(mira.export(), ensure_ascii=False))
    with Home.open(tmp_path / "elsewhere", WORDS_ALONE) as other:
        other.bring(document)
        assert other.role("mira").memories["lighthouse"] == mira.memories["lighthouse"]
        assert other.role("mira").id == mira.id


def test_history_names_each_change(mira: RoleMemory) -> None:
    mira.edit("lighthouse", weight=1.5, reason="it matters more")
    newest = mira.history("lighthouse")[0]
    assert newest.fields == {"weight": (1.0, 1.5)}
    assert newest.reason == "it matters more"


def test_figures_of_a_role(mira: RoleMemory) -> None:
    mira.archive("mainland")
    figures = mira.stats()
    assert (figures.total, figures.archived) == (4, 1)
    assert figures.by_type == {"episodic": 1, "semantic": 1, "traits": 1, "goals": 0}
    assert figures.bytes_on_disk > 0


@pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
def test_what_a_home_holds_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with Home.open(tmp_path / "home", WORDS_ALONE) as home:
            mira = home.create("Mira")
            mira.remember("The beacon failed in the storm.", keys=["beacon"])
            mira.observe(
                [Message.user("Please remember that my goose is Otto.")], "Noted.", user="lin"
            )
            mira.recall("Why is the beacon dark?", user="lin", chat="one")
            mira.backup()
    finally:
        os.umask(before)
    made = [tmp_path / "home", *(tmp_path / "home").rglob("*")]
    parts = {
        one.relative_to(tmp_path / "home" / mira.id).parts[0]
        for one in made
        if mira.id in one.parts and one.name != mira.id
    }
    assert {"memory.json", "role.json", "chats", "journal", "state", "backups"} <= parts
    assert [one for one in made if one.stat().st_mode & 0o077] == []


def test_edits_from_outside_are_told(home: Home, mira: RoleMemory) -> None:
    told = threading.Event()
    with home.watch(lambda changed: told.set() if changed.role == mira.id else None):
        file = mira.folder / "memory.json"
        file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        assert told.wait(60)


def test_preloading_reads_roles_behind(home: Home, mira: RoleMemory) -> None:
    home.preload()
    assert mira.recall(["Why is the beacon dark?"]).recalled


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            {"role": "wizard", "content": "hi"},
            "message: role: 'wizard' is not read; roles are system, user,",
        ),
        ({"role": "user", "content": "hi", "name": 5}, "message: name: 5 is not read"),
        ({"role": "user", "content": "hi", "sent": "soon"}, "message: sent: 'soon' is not read"),
        ({"role": "user", "message": "hi"}, "write 'content' in place of 'message'"),
        ({"role": "assistant", "id": "m1", "mes": "hi"}, "write 'content' in place of 'mes'"),
        (
            {"role": "user"},
            "a message without content: {'role': 'user'}; write 'content': '...'",
        ),
    ],
)
def test_a_message_that_is_none_is_refused_in_one_line(
    mira: RoleMemory, message: dict[str, Any], told: str
) -> None:
    for call in (mira.recall, mira.observe):
        with pytest.raises(InvalidValueError, match=re.escape(told)) as refused:
            call([message])
        assert "\n" not in str(refused.value)


def test_a_message_that_only_calls_a_tool_needs_no_content(mira: RoleMemory) -> None:
    called = {"role": "assistant", "tool_calls": [{"id": "1", "type": "function"}]}
    asked = [Message.user("What is the weather?"), called, {"role": "assistant", "content": None}]
    assert len(mira.observe(asked, "Rain.", chat="tool").entered) == 2


def test_a_kind_of_generation_that_is_none_is_refused(mira: RoleMemory) -> None:
    for call in (
        lambda: mira.observe("Hello.", "Hi.", kind="swpe"),  # type: ignore[arg-type]
        lambda: mira.recall("Hello.", generation="swpe"),  # type: ignore[arg-type]
        lambda: mira.recall("Hello.", generation=Generation("swpe")),  # type: ignore[arg-type]
    ):
        with pytest.raises(UnknownNameError, match="did you mean 'swipe'") as refused:
            call()
        assert "没有名为“swpe”的生成方式" in refused.value.text("zh")
    assert mira.chats.chats() == []


def test_a_chat_without_any_message_recalls_nothing(mira: RoleMemory) -> None:
    turn = mira.recall([])
    assert turn.text == ""
    assert turn.messages == ()
    assert "only 0 characters" in str(turn.explain())


def test_an_author_has_words_of_feeling_of_his_own(home: Home) -> None:
    role = home.create("Nix")
    role.remember(
        "The night the zorble came.",
        id="zorble",
        emotions=["sadness"],
        salience=1.0,
        triggers=["emotional"],
    )
    assert not role.recall(["Oh, what a zorbling evening this is!"]).recalled
    (home.path / "lexicons").mkdir()
    words = {"words": {"zorbling": {"sadness": 1.0, "valence": -1.0, "arousal": 0.8}}}
    (home.path / "lexicons" / "feeling.en.json").write_text(json.dumps(words), encoding="utf-8")
    with Home.open(home.path, WORDS_ALONE) as again:
        assert ids(again.role("nix").recall(["Oh, what a zorbling evening this is!"])) == ["zorble"]


@pytest.mark.parametrize(
    ("setting", "awake"), [("off", []), ("marked", ["oil"]), ("all", ["oil", "tea"])]
)
def test_lore_may_be_activated_by_meaning(tmp_path: Path, setting: str, awake: list[str]) -> None:
    entries = {
        "0": {
            "key": ["zzz"],
            "comment": "oil",
            "vectorized": True,
            "content": "The great lamp burns whale oil through the winter nights.",
        },
        "1": {
            "key": ["zzz"],
            "comment": "tea",
            "vectorized": False,
            "content": "Whale oil also warms the tea kettle in the lamp room.",
        },
        "2": {
            "key": ["zzz"],
            "comment": "off",
            "vectorized": True,
            "disable": True,
            "content": "Whale oil and lamp, but switched off.",
        },
    }
    with Home.open(tmp_path, WORDS_ALONE | {"lore.by_meaning": setting}) as home:
        role = home.create("Mira")
        (role.folder / "worldbooks").mkdir()
        (role.folder / "worldbooks" / "b.json").write_text(
            json.dumps({"entries": entries}), encoding="utf-8"
        )
        turn = role.recall(["How much whale oil does the lamp burn?"])
        assert turn.lore is not None
        assert sorted(one.entry.comment for one in turn.lore.awake) == awake


def test_memories_wake_lore_and_lore_wakes_memories_one_hop_each(tmp_path: Path) -> None:
    entries = {
        "0": {"key": ["brass"], "comment": "brass", "content": "Brass is polished with vinegar."},
        "1": {
            "key": ["beacon"],
            "comment": "beacon",
            "content": "The beacon was built by the Stevensons.",
        },
        "2": {"key": ["Edinburgh"], "comment": "city", "content": "Edinburgh is two days away."},
    }
    for crossing, memories, lore in (
        (False, {"lamp"}, {"beacon"}),
        (True, {"lamp", "builders"}, {"beacon", "brass"}),
    ):
        with Home.open(
            tmp_path / str(crossing),
            WORDS_ALONE | {"lore.cross_waking": crossing, "lore.recursive": False},
        ) as home:
            role = home.create("Mira")
            role.remember("A ring of brass holds it.", id="lamp", keys=["dark"])
            role.remember("They came from Edinburgh.", id="builders", keys=["Stevensons"])
            (role.folder / "worldbooks").mkdir()
            (role.folder / "worldbooks" / "b.json").write_text(
                json.dumps({"entries": entries}), encoding="utf-8"
            )
            turn = role.recall(["Why is the beacon dark?"])
            assert set(ids(turn)) == memories
            assert turn.lore is not None
            assert {one.entry.comment for one in turn.lore.awake} == lore


def test_how_the_user_likes_to_be_answered_stands_before_the_memories(tmp_path: Path) -> None:
    with Home.open(
        tmp_path, WORDS_ALONE | {"preset": "assistant", "recall.mode": "inject"}
    ) as home:
        role = home.create("Helper")
        role.remember(
            "用户是编程新手，喜欢简短的回答。",
            "semantic",
            subject="user",
            user="lin",
            source="user_input",
        )
        role.remember(
            "The user keeps bees in Leeds.",
            "semantic",
            id="bees",
            subject="user",
            user="lin",
            source="user_input",
            keys=["bees"],
        )
        turn = role.recall([Message.system("You help."), "How are my bees?"], user="lin")
        assert turn.persona
        system = "\n".join(message.content for message in turn.messages if message.role == "system")
        assert system.index("You help.") < system.index(turn.persona) < system.index(turn.text)
        assert role.recall(["How are my bees?"], user="wu").persona == ""


def test_a_broken_template_is_noted_and_the_chat_goes_on(mira: RoleMemory) -> None:
    (mira.folder.parent / "templates" / "inject").mkdir(parents=True)
    (mira.folder.parent / "templates" / "inject" / "default.en.jinja").write_text(
        "{% for memory in memories %}", encoding="utf-8"
    )
    turn = mira.recall(["Why is the beacon dark?"])
    assert "The beacon of the lighthouse is lit at dusk." in turn.text
    assert any("default.en.jinja" in note for note in turn.trace.notes)


def test_when_a_thing_was_written_down_is_not_when_it_happened(mira: RoleMemory) -> None:
    made = mira.remember("The oil ran out.", keys=["oil"])
    assert (made.created, made.written) != (None, None)
    assert made.created is None
    told = mira.remember("The oil came back.", keys=["oil"], created="1887-11-02")
    assert told.created == datetime(1887, 11, 2, tzinfo=UTC)
    text = mira.recall("What about the oil?", chat="other").text
    assert "- The oil ran out." in text
    assert "- [1887-11-02] The oil came back." in text
    assert mira.remember("Patient.", "trait").written is not None


def test_lore_reads_what_was_said_and_counts_what_was_cut_off(mira: RoleMemory) -> None:
    (mira.folder / "worldbooks").mkdir()
    late = {"key": ["beacon"], "content": "Late lore.", "delay": 4}
    card = {"key": ["cardword"], "content": "Card lore."}
    (mira.folder / "worldbooks" / "b.json").write_text(
        book(**{"0": late, "1": card}), encoding="utf-8"
    )
    chat = [Message.system("cardword"), "Why is the beacon dark?"]
    for unseen, awake in ((0, []), (3, ["Late lore."])):
        turn = mira.recall(chat, unseen=unseen, dry_run=True)
        assert turn.lore is not None
        assert [one.content for one in turn.lore.awake] == awake


BEACON = "Why is the beacon dark?"
FORMS = [
    pytest.param(BEACON, id="a text"),
    pytest.param(Message.user(BEACON), id="a message"),
    pytest.param({"role": "user", "content": BEACON}, id="a message of OpenAI's"),
    pytest.param([BEACON], id="a list of one text"),
    pytest.param({BEACON: None}.keys(), id="anything that gives messages"),
]


@pytest.mark.parametrize("said", FORMS)
def test_what_was_said_comes_in_any_form(mira: RoleMemory, said: Any) -> None:
    assert "lighthouse" in ids(mira.recall(said))
    seen = mira.observe(said, "It ran out of oil.", chat="one")
    assert [said.text for said in mira.chats.path(seen.chat)] == [BEACON, "It ran out of oil."]


@pytest.mark.parametrize("said", [7, None, b"Why?", [7], object()])
def test_what_is_no_message_is_refused(mira: RoleMemory, said: Any) -> None:
    for call in (mira.recall, mira.observe):
        with pytest.raises(InvalidValueError, match="expected a"):
            call(said)
    assert mira.chats.chats() == []


def test_users_and_chats_may_be_numbers_and_times_texts(mira: RoleMemory) -> None:
    mira.observe("My cat is Miso.", "Nice.", chat=77, user=12345, present=[12345, "ann"])
    assert [(info.id, info.user) for info in mira.chats.chats()] == [("77", "12345")]
    asked = "What is my cat called?"
    assert "Miso" in mira.recall(asked, chat=78, user=12345, present=12345).text
    assert "Miso" not in mira.recall(asked, chat=79, user=12345, present=[12345, "eve"]).text
    mira.remember("Lin likes tea.", user=12345, keys=["tea"])
    for now in ("2026-05-01", "2026年5月1日", 1777593600, "2026-05-01T08:00+08:00"):
        turn = mira.recall("Tea?", user=12345, now=now)
        assert turn.question is not None
        assert turn.question.scene.now == datetime(2026, 5, 1, tzinfo=UTC)
        assert "Lin likes tea." in turn.text
    assert "tea" not in mira.recall("Tea?", user=54321).text
    mira.forget(12345)
    assert "tea" not in mira.recall("Tea?", user=12345).text
    for wrong in ({"user": 1.5}, {"user": True}, {"now": "soon"}, {"present": [None]}):
        with pytest.raises(InvalidValueError):
            mira.recall("Tea?", **wrong)


def test_a_role_may_be_made_where_it_is_asked_for(home: Home) -> None:
    mira = home.role("Mira", create=True)
    assert home.role("mira", create=True) is mira
    assert [role.name for role in home.roles()] == ["Mira"]
    with pytest.raises(UnknownRoleError):
        home.role("Asha")
    with pytest.raises(InvalidValueError):
        home.role("Asha\nSystem", create=True)


def test_the_messages_go_out_as_plain_dicts(mira: RoleMemory) -> None:
    said = [
        {"role": "system", "content": "You are Mira.", "cache": True},
        {"role": "user", "content": BEACON, "name": "lin", "user": "lin"},
    ]
    turn = mira.recall(said, now="2026-05-01")
    messages = turn.openai()
    assert json.loads(json.dumps(messages)) == messages
    told = [{"role": "system", "content": one.text} for one in turn.parts]
    assert [said[0], *told] == messages[:3]
    assert messages[3] == {"role": "user", "content": BEACON, "name": "lin"}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        pytest.param({"kyes": ["beacon"]}, "did you mean 'keys'", id="a slip"),
        pytest.param({"voice": "alto"}, "no field named 'voice'", id="a field of the caller's own"),
        pytest.param({"typ": "goal"}, "did you mean 'type'", id="a short name, misspelt"),
    ],
)
def test_an_unknown_field_is_refused_with_a_suggestion(
    mira: RoleMemory, fields: dict[str, Any], told: str
) -> None:
    before = dict(mira.memories)
    for write in (lambda: mira.remember("x", **fields), lambda: mira.edit("patient", **fields)):
        with pytest.raises(UnknownNameError, match=told):
            write()
    assert mira.memories == before
    made = mira.remember("x", extra=fields)
    assert mira.memories[made.id].model_extra == fields


def test_memories_are_written_in_any_form(mira: RoleMemory) -> None:
    made = mira.remember_all(["A text.", {"content": "A fact.", "type": "fact"}])
    made += mira.remember_all("One text alone.")
    made += mira.remember_all({"text": "Fields alone.", "type": "goals"})
    assert [(one.content, one.type.value, one.tags) for one in made] == [
        ("A text.", "episodic", ()),
        ("A fact.", "semantic", ("fact",)),
        ("One text alone.", "episodic", ()),
        ("Fields alone.", "goal", ()),
    ]
    assert mira.remember("She hums.", "fact", keys="hum, song").keys == ("hum", "song")
    for wrong in ([7], [None]):
        with pytest.raises(InvalidValueError, match="expected a text or the fields"):
            mira.remember_all(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidValueError, match="none of episodic"):
        mira.remember("x", "dream")


def test_what_stands_before_you_says_what_it_is(home: Home, mira: RoleMemory) -> None:
    mira.observe(BEACON, "Oil.", chat="one")
    assert repr(home) == f"<Home {home.path}: 1 role>"
    assert repr(mira) == "<RoleMemory Mira: 4 memories, 1 chat>"
    turn = mira.recall(BEACON)
    assert repr(turn) == f"<Turn: {len(turn.recalled)} recalled, {len(turn.text)} characters>"


def test_use_after_close_is_told(tmp_path: Path) -> None:
    home = Home.open(tmp_path, WORDS_ALONE)
    mira = home.create("Mira")
    home.close()
    home.close()
    for use in (
        lambda: home.role("Mira"),
        lambda: home.create("Asha"),
        lambda: mira.recall(BEACON),
        lambda: mira.search("beacon"),
        lambda: mira.observe(BEACON),
        lambda: mira.remember("x"),
    ):
        with pytest.raises(ClosedError, match="open it again"):
            use()
    assert "closed" in repr(home)


def test_a_role_tells_what_is_wrong_with_its_files(home: Home, mira: RoleMemory) -> None:
    assert mira.problems() == []
    (mira.folder / "worldbooks").mkdir()
    (mira.folder / "worldbooks" / "coast.json").write_text("{")
    raw = json.loads((mira.folder / "memory.json").read_text("utf-8") or "{}")
    (mira.folder / "memory.json").write_text(json.dumps({**raw, "goals": [{"keys": ["x"]}]}))
    (mira.folder / "role.json").write_text('{"name": "Mira", "settings": {"recall.max_item": 3}}')
    for language, words in (
        ("en", ("coast.json", "a memory without content", "recall.max_item")),
        ("zh", ("coast.json", "没有内容", "recall.max_item")),
    ):
        told = "\n".join(one.text(language) for one in mira.problems())
        assert all(word in told for word in words), told


@pytest.mark.parametrize(
    ("said", "asked", "word", "panel", "regex"),
    [
        pytest.param("The mill burned down. [weather: hail]", "What burned down?", "mill", "hail", r"\\[weather:[^\\]]*\\]", id="en"),
        pytest.param("磨坊烧毁了。〔天气：冰雹〕", "什么烧毁了？", "磨坊", "冰雹", "〔天气：[^〕]*〕", id="zh"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("written", [False, True])
def test_a_home_may_say_what_is_no_story(
    home: Home, said: str, asked: str, word: str, panel: str, regex: str, written: bool
) -> None:
    rule = f'{{"rules": [{{"id": "weather", "regex": "{regex}"}}]}}'
    if written:
        (home.path / "cleaning.json").write_text(rule, encoding="utf-8")
    role = home.create("Asha")
    role.observe([said], "Hm.", chat="one", user="lin")
    told = role.recall([asked], chat="two", user="lin").text
    assert word in told
    assert (panel in told) is not written


RULE = '{"rules": [{"id": "weather", "regex": "hail"}]}'


@pytest.mark.parametrize(
    ("name", "wrong", "told"),
    [
        pytest.param("cleaning.json", RULE[:-1], "cleaning.json:1:", id="rules, no JSON"),
        pytest.param("cleaning.json", "[]", "expected an object", id="rules, no object"),
        pytest.param("personas.json", "{", "personas.json:1:", id="personas"),
        pytest.param("lexicons/feeling.en.json", "{", "feeling.en.json", id="words of feeling"),
        pytest.param(
            "rolememory.toml",
            '[clean]\nrules = ["weather", "thnk"]\n',
            "clean.rules: no cleaning rule named 'thnk'",
            id="a rule that nobody has",
        ),
    ],
)
def test_a_mistake_in_a_list_of_the_home_stops_no_turn(
    home: Home, name: str, wrong: str, told: str
) -> None:
    (home.path / "cleaning.json").write_text(RULE, encoding="utf-8")
    row = '{"personas": [{"name": "lin", "description": "Lin mends nets."}]}'
    (home.path / "personas.json").write_text(row, encoding="utf-8")
    (home.path / "lexicons").mkdir()
    role = home.create("Asha")
    entry = {"uid": 0, "constant": True, "content": "{{persona}}", "position": 0}
    (role.folder / "worldbooks").mkdir(exist_ok=True)
    (role.folder / "worldbooks" / "b.json").write_text(json.dumps({"entries": {"0": entry}}))

    def turn() -> list[str]:
        role.observe(["The mill burned down in the hail."], "Hm.", chat="one", user="lin")
        asked = role.recall(["What burned down?"], chat="two", user="lin", dry_run=True)
        return [message.content for message in asked.messages]

    before = turn()
    assert "Lin mends nets." in before[0]
    assert any("mill burned down in the ." in text for text in before)
    file = home.path / name
    good = file.read_bytes() if file.exists() else None
    file.write_text(wrong, encoding="utf-8")
    assert turn() == before
    (one,) = role.problems()
    assert told in one.text("en")
    file.unlink() if good is None else file.write_bytes(good)
    assert (turn(), role.problems()) == (before, [])


@pytest.mark.parametrize(
    ("name", "asked", "older", "newer", "shown"),
    [
        pytest.param(
            "cleaning.json",
            "What burned down?",
            RULE.replace("hail", "mill"),
            RULE,
            "The mill burned down in the .",
            id="cleaning rules",
        ),
        pytest.param(
            "lexicons/feeling.en.json",
            "Oh, what a zorbling evening this is!",
            '{"words": {}}',
            '{"words": {"zorbling": {"sadness": 1.0, "valence": -1.0, "arousal": 0.8}}}',
            "the night the zorble came",
            id="words of feeling",
        ),
    ],
)
def test_a_list_of_the_home_that_is_changed_while_it_is_read_applies_to_the_next_turn(
    home: Home, name: str, asked: str, older: str, newer: str, shown: str
) -> None:
    slow, meanwhile, later = (home.create(name) for name in ("Nix", "Asha", "Bo"))
    for role in (slow, meanwhile, later):
        role.remember(
            "the night the zorble came", emotions=["sadness"], salience=1.0, triggers=["emotional"]
        )

    def turn(one: RoleMemory) -> str:
        one.observe(["The mill burned down in the hail."], "Hm.", chat="one", user="lin")
        return one.recall([asked], chat="two", user="lin", dry_run=True).text

    (home.path / "lexicons").mkdir()
    file, written = home.path / name, home.path / "written"
    os.mkfifo(file)
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(turn, slow)
        with file.open("w") as pipe:  # waits until the other turn reads
            written.write_text(newer, encoding="utf-8")
            written.replace(file)
            assert shown in turn(meanwhile)
            pipe.write(older)
        reading.result()
    assert shown in turn(later)


@pytest.mark.parametrize(
    ("fact", "reply", "former", "new"),
    [
        pytest.param(
            "My brother sells copper kettles in Graz.",
            "Copper kettles from your brother's shop are lovely.",
            "Mira",
            "Asha",
            id="en",
        ),
        pytest.param(
            "我弟弟在格拉茨卖铜水壶。", "你弟弟店里的铜水壶真漂亮。", "米拉", "安安", id="zh"
        ),
    ],
)
def test_a_role_that_is_renamed_has_one_name_in_its_block_and_is_found_by_both(
    home: Home, fact: str, reply: str, former: str, new: str
) -> None:
    role, said = home.create(former), Message.assistant(reply, name=former)
    role.observe([fact], said, chat="one", user="lin")
    home.folder.rename(former, new)
    told = home.role(former).recall([fact], chat="two", user="lin").text
    assert reply.rstrip(".。") in told
    assert new in told
    assert former not in told


def test_a_file_is_no_home(tmp_path: Path) -> None:
    (file := tmp_path / "home").write_text("", encoding="utf-8")
    for makes in (lambda: Home.open(file, WORDS_ALONE), lambda: init(file)):
        with pytest.raises(InvalidValueError, match="is a file; name a folder") as refused:
            makes()
        assert refused.value.text("zh").endswith("是一个文件；请指定文件夹")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(NotWrittenError, match=re.escape(str(tmp_path / "file" / "home"))):
        Home.open(tmp_path / "file" / "home", WORDS_ALONE)
