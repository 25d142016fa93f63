"""Chapters: what left the window, or what somebody ended, becomes a memory that tells it; through the real filter, over real HTTP."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from rolememory.engine import Home, RoleMemory
from rolememory.errors import UnknownMemoryError
from rolememory.learn.model.chapter_writer import ChatChapters
from rolememory.schema.memory import Memory, Source
from rolememory.schema.message import Message
from tests.endpoint import Endpoint, answers, status, then_hangs
from tests.learning.teller import (
    STORY,
    A,
    U,
    asked,
    exchange,
    opened,
    play,
    settled,
    tale,
    tells,
    told_of,
)


@pytest.fixture
def model() -> Iterator[Endpoint]:
    with Endpoint(tells()) as served:
        yield served


@pytest.fixture
def home(tmp_path: Path, model: Endpoint) -> Iterator[Home]:
    with opened(tmp_path, model.url) as served:
        yield served


def lamps(chapters: list[Memory]) -> list[tuple[int, int]]:
    """The first and last lamp of each chapter."""
    found = [told_of(one.content) for one in chapters]
    return [(one[0], one[-1]) for one in found]


def spans(role: RoleMemory, chat: str = "harbour") -> list[tuple[int, int]]:
    """The places of the messages that each chapter tells of."""
    path = role.chats.path(chat)
    place = {said.version: at for at, said in enumerate(path)}
    return [(place[one.stretch[0]], place[one.stretch[-1]]) for one in role.chapters(chat)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_s4_11_what_left_the_window_becomes_chapters_that_are_kept(
    tmp_path: Path, language: str
) -> None:
    with Endpoint(tells(language)) as server, opened(tmp_path, server.url) as home:
        role = home.create("Mira" if language == "en" else "米拉")
        play(role, tale(40, language))
        chapters = role.chapters("harbour")
        assert len(chapters) >= 2
        assert lamps(chapters)[0][0] == 1
        one = chapters[0]
        assert (one.source, one.type.value, one.tags) == (Source.SUMMARY, "episodic", ("chapter",))
        assert one.chapter is not None
        assert (
            one.chapter.title
            == ("Lamps 1 to %d" if language == "en" else "灯1到%d") % lamps(chapters)[0][1]
        )
        assert set(one.chapter.people) == {"lin", role.role.name}
        assert one.created is not None
        assert one.chapter.until is not None
        assert one.created < one.chapter.until
        said = [each.text for each in role.chats.path("harbour") if each.version in one.stretch]
        assert told_of(" ".join(said)) == [*range(1, lamps(chapters)[0][1] + 1)], "its evidence"


def test_chapters_follow_one_another_without_a_gap_and_never_reach_the_window(home: Home) -> None:
    role = home.create("Mira")
    for count in range(1, 61):
        play(role, tale(count))
    found = spans(role)
    assert found[0][0] == 0
    assert all(then[0] == one[1] + 1 for one, then in pairwise(found))
    assert found[-1][1] < 120 - 2
    assert all(start % 2 == 0 for start, _ in found), "whole exchanges"


def test_the_former_chapters_are_given_to_the_next_call(home: Home, model: Endpoint) -> None:
    role = home.create("Mira")
    play(role, tale(60))
    first, second, third = asked(model)[:3]
    chapters = role.chapters()
    assert "<memories>" not in first
    assert chapters[0].content in second
    assert chapters[0].content in third
    assert chapters[1].content in third


def test_it_is_told_once_however_often_it_is_looked_at_and_across_restarts(
    tmp_path: Path, model: Endpoint
) -> None:
    for _ in range(3):
        with opened(tmp_path, model.url) as home:
            role = home.role("Mira", create=True)
            play(role, tale(40))
            play(role, tale(40))
            role.learner.worker.run(force=True)
            chapters = len(role.chapters())
    assert len(asked(model)) == chapters == len(role_memories(tmp_path, model))


def role_memories(folder: Path, model: Endpoint) -> list[Memory]:
    with opened(folder, model.url) as home:
        return [one for one in home.role("Mira").memories.values() if one.stretch]


@pytest.mark.parametrize(
    "dead",
    [
        pytest.param(status(500), id="fails"),
        pytest.param(answers(""), id="answers nothing at all"),
        pytest.param(answers({"chapter": 7}), id="answers another shape"),
    ],
)
def test_a_dead_model_delays_and_loses_nothing(tmp_path: Path, dead: Any) -> None:
    """When the model is back, every message that left the window has its chapter, once."""
    with Endpoint(dead) as server:
        with opened(tmp_path, server.url) as home:
            role = home.create("Mira")
            for count in range(1, 41):
                role.observe(tale(count), chat="harbour", user="lin")
            settled(role)
            assert role.chapters() == []
        server.now(tells())
        with opened(tmp_path, server.url) as home:
            role = home.role("Mira")
            role.learner.worker.run(force=True)
            play(role, tale(41))
            found = spans(role)
            assert found[0][0] == 0
            assert len(found) == len(asked(server)[-len(found) :])
            assert all(then[0] == one[1] + 1 for one, then in pairwise(found))


def test_what_was_told_before_the_server_died_is_kept(tmp_path: Path) -> None:
    chapter = answers({"title": "One", "chapter": "Lin and Mira trimmed the lamps from lamp 1 on."})
    with Endpoint(chapter, status(500)) as server, opened(tmp_path, server.url) as home:
        role = home.create("Mira")
        play(role, tale(40))
        assert [one.chapter.title for one in role.chapters() if one.chapter] == ["One"]


def test_a_hanging_model_holds_up_no_turn(tmp_path: Path) -> None:
    with Endpoint(then_hangs()) as server, opened(tmp_path, server.url) as home:
        role = home.create("Mira")
        role.observe(tale(40), chat="harbour", user="lin")
        assert server.wait_for(1)
        assert role.recall([U("Which lamp burns?")], chat="harbour", user="lin").text


# ── how long ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("again", "expected"),
    [
        pytest.param("Lin and Mira trimmed lamp 1.", "Lin and Mira trimmed lamp 1.", id="asked for again"),
        pytest.param("Lin trimmed a lamp with Mira. " * 30, "Lin trimmed a lamp with Mira. " * 19 + "Lin trimmed a lamp with Mira.", id="else cut at a sentence"),
    ],
)  # fmt: skip
def test_an_answer_that_is_too_long(tmp_path: Path, again: str, expected: str) -> None:
    long = answers({"title": "T", "chapter": "Lin trimmed the lamp with Mira. " * 40})
    short = answers({"title": "T", "chapter": again})
    with Endpoint(long, short) as server, opened(tmp_path, server.url) as home:
        role = home.create("Mira")
        play(role, tale(14))
        (one,) = role.chapters()
        assert one.content == expected
        assert len(one.content) <= 600
        assert "600" in asked(server)[1], "the fault is told"


def test_a_model_that_writes_no_json_is_understood(tmp_path: Path) -> None:
    words = "Lin and Mira trimmed all the lamps of the harbour."
    with Endpoint(answers(words)) as server, opened(tmp_path, server.url) as home:
        role = home.create("Mira")
        play(role, tale(14))
        assert [one.content for one in role.chapters()] == [words]


def test_what_the_filter_refuses_costs_little_and_is_told_once_the_model_does_well(
    tmp_path: Path,
) -> None:
    other = answers({"title": "T", "chapter": "米拉和林修好了所有的灯。"})
    with Endpoint(other) as server, opened(tmp_path, server.url) as home:
        role = home.create("Mira")
        for count in range(14, 25):
            play(role, tale(count))
        assert role.chapters() == []
        assert len(asked(server)) == 2, "once for each stretch"
        server.now(tells())
        for count in range(25, 40):
            play(role, tale(count))
        found = spans(role)
        assert found[0][0] == 0
        assert all(then[0] == one[1] + 1 for one, then in pairwise(found))


# ── where one ends ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "title"),
    [
        pytest.param("/chapter The first lamps", "The first lamps", id="a command with a title"),
        pytest.param("(OOC: new chapter)", "Lamps 1 to 3", id="out of character"),
        pytest.param("（场外：新的一章）", "Lamps 1 to 3", id="in Chinese"),
        pytest.param("/章节 最初的灯", "最初的灯", id="a Chinese command with a title"),
    ],
)
def test_a_person_ends_a_chapter_in_the_chat(home: Home, line: str, title: str) -> None:
    role = home.create("Mira")
    play(role, [*tale(3), U(line), A("The lamps burn, and the night is long.")])
    (one,) = role.chapters()
    assert one.chapter is not None
    assert (one.chapter.title, len(one.stretch)) == (title, 6)
    found = [each.memory.content for each in role.search(line, user="lin")]
    assert not any(line in content for content in found)


def test_an_ended_chapter_waits_for_the_model(tmp_path: Path) -> None:
    with Endpoint(status(500)) as server:
        with opened(tmp_path, server.url) as home:
            role = home.create("Mira")
            play(role, tale(3))
            report = role.end_chapter("harbour", "First light")
            assert (report.summaries, bool(report.notes)) == (0, True)
        server.now(tells())
        with opened(tmp_path, server.url) as home:
            role = home.role("Mira")
            play(role, tale(4))
            (one,) = role.chapters()
            assert one.chapter is not None
            assert (one.chapter.title, len(one.stretch)) == ("First light", 6)
            assert role.end_chapter("harbour").summaries == 1
            assert spans(role) == [(0, 5), (6, 7)]
            assert role.end_chapter("harbour").summaries == 0


@pytest.mark.parametrize(
    ("before", "after", "parts"),
    [
        pytest.param("【地点】茶楼", "【地点】渡口", 2, id="another place"),
        pytest.param("[Time: 3 March | Place: mill]", "[Time: 4 March | Place: mill]", 2, id="another day"),
        pytest.param("[Time: dusk, 21:05 | Place: mill]", "[Time: dusk, 21:50 | Place: mill, upstairs]", 1, id="the clock goes on, and upstairs is no other place"),
    ],
)  # fmt: skip
def test_the_scene_that_is_printed_moves(
    tmp_path: Path, model: Endpoint, before: str, after: str, parts: int
) -> None:
    role = opened(tmp_path, model.url, learn__summarize__trigger_tokens=2400).create("Mira")

    def printed(number: int) -> list[Message]:
        user, reply = exchange(number)
        return [user, A(f"{before if number < 8 else after}\n{reply.content}")]

    play(role, [one for number in range(1, 12) for one in printed(number)])
    found = role.chapters()
    assert len(found) == parts - 1
    if found:
        assert spans(role) == [(0, 13)], "up to the exchange that moved it"
        assert found[0].chapter is not None
        assert found[0].chapter.place == ("茶楼" if "茶楼" in before else "mill")


# ── following the chat ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_swipe_inside_a_chapter_withdraws_it_and_it_is_told_anew(
    home: Home, model: Endpoint
) -> None:
    role = home.create("Mira")
    said = tale(30)
    play(role, said)
    before = role.chapters()
    swiped = [*said[:5], A("Lamp 3 stays dark and Mira weeps. " * 6), *said[6:]]
    play(role, swiped)
    after = role.chapters()
    assert before[0].id not in {one.id for one in after}
    assert [one.id for one in after[1:]] == [one.id for one in before[1:]]
    assert spans(role)[0] == (0, len(before[0].stretch) - 1)
    assert "stays dark" in asked(model)[-1]
    play(role, said)
    assert [one.id for one in role.chapters()] == [one.id for one in before]
    assert len(asked(model)) == len(before) + 1


def test_a_message_that_was_deleted_and_is_back_brings_the_first_chapter_alone(home: Home) -> None:
    role = home.create("Mira")
    said = tale(30)
    play(role, said)
    before = [one.id for one in role.chapters()]
    play(role, [*said[:4], *said[6:]])
    assert [one.id for one in role.chapters()][1:] == before[1:]
    assert role.chapters()[0].id != before[0]
    play(role, said)
    assert [one.id for one in role.chapters()] == before


def test_a_fork_shares_the_chapters_before_it_and_nothing_after(
    home: Home, model: Endpoint
) -> None:
    role = home.create("Mira")
    said = tale(40)
    play(role, said)
    told, calls = role.chapters("harbour"), len(asked(model))
    fork = [*said[:40], *tale(20, first=70)]
    play(role, fork, chat="other shore")
    shared = [one for one in role.chapters("other shore") if one.evidence[0].chat == "harbour"]
    assert [one.id for one in shared] == [one.id for one in told if max(told_of(one.content)) <= 20]
    assert len(asked(model)) - calls == len(role.chapters("other shore")) - len(shared)
    assert {one.id for one in role.chapters("harbour") if one.evidence[0].chat == "harbour"} == {
        one.id for one in told
    }


@pytest.mark.parametrize("mode", ["off", "read_only"])
def test_a_chat_that_teaches_nothing_has_no_chapters(
    home: Home, model: Endpoint, mode: str
) -> None:
    role = home.create("Mira")
    role.observe(tale(1), chat="harbour", user="lin")
    role.chats.update("harbour", mode=mode)
    play(role, tale(40))
    assert asked(model) == []
    assert role.end_chapter("harbour").summaries == 0


def test_what_was_said_while_memory_was_off_is_in_no_chapter(home: Home, model: Endpoint) -> None:
    role = home.create("Mira")
    secret = [U("/memory off"), A("As you wish.")]
    for number in range(6):
        secret += [
            U(f"The violet box {number} is under the stairs. " * 6),
            A("Violet it is. " * 12),
        ]
    said = [*tale(12), *secret, U("/memory on"), A("Good."), *tale(12, first=20)]
    play(role, said)
    role.end_chapter("harbour")
    assert len(role.chapters()) >= 2
    assert not any("violet" in one for one in asked(model))


def test_where_others_come_a_chapter_ends_and_theirs_is_told_without_it(
    home: Home, model: Endpoint
) -> None:
    role = home.create("Mira")
    said = [*tale(5), U("The violet box is under the stairs."), A("I keep it to myself. " * 9)]
    play(role, said, present=["lin"])
    joint = [*said, *tale(20, first=30)]
    play(role, joint, present=["lin", "ann"])
    alone, together = role.chapters()[0], role.chapters()[-1]
    assert len(alone.stretch) == len(said)
    assert together.chapter is not None
    assert "ann" in together.chapter.people
    assert not any("violet" in one for one in asked(model)[1:])
    assert alone.content not in asked(model)[1], "what ann did not hear colours no chapter of hers"


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_chapter_is_edited_told_anew_and_taken_away(home: Home, model: Endpoint) -> None:
    role = home.create("Mira")
    play(role, tale(14))
    (one,) = role.chapters()
    edited = role.edit(one.id, content="The night of the lamps.", chapter={"title": "Night"})
    assert edited.chapter is not None
    assert one.chapter is not None
    assert (edited.chapter.title, edited.chapter.people) == ("Night", one.chapter.people)
    play(role, tale(15))
    assert [each.content for each in role.chapters()] == ["The night of the lamps."]
    (report,) = role.retell(one.id)
    assert report.summaries == 1
    (again,) = role.chapters()
    assert (again.stretch, again.content) == (one.stretch, one.content)
    role.delete(again.id)
    calls = len(asked(model))
    play(role, tale(16))
    role.learner.worker.run(force=True)
    assert role.chapters() == []
    assert len(asked(model)) == calls, "what somebody took away is not told again"


def test_a_range_is_told_anew(home: Home, model: Endpoint) -> None:
    role = home.create("Mira")
    play(role, tale(60))
    before = role.chapters()
    assert len(before) > 3
    reports = role.retell(before[1].id, through=before[-2].id)
    after = role.chapters()
    assert len(reports) == len(before) - 2
    assert [one.stretch for one in after] == [one.stretch for one in before]
    kept = [old.id == new.id for old, new in zip(before, after, strict=True)]
    assert kept == [True, *[False] * len(reports), True]
    calls = len(asked(model))
    with pytest.raises(UnknownMemoryError):
        role.retell(after[2].id, through=after[0].id)
    assert len(asked(model)) == calls


def test_telling_anew_without_a_model_leaves_what_there_is(home: Home, model: Endpoint) -> None:
    role = home.create("Mira")
    play(role, tale(14))
    before = role.chapters()
    model.now(status(500))
    (report,) = role.retell(before[0].id)
    assert (report.summaries, bool(report.notes)) == (0, True)
    assert role.chapters() == before


def test_the_prompt_can_be_another(tmp_path: Path, model: Endpoint) -> None:
    own = "用一句话概括这一章：{conversation}"
    with opened(tmp_path, model.url, learn__summarize__prompt=own) as home:
        role = home.create("Mira")
        play(role, tale(14))
        assert asked(model)[0].startswith("用一句话概括这一章：<chat>")


def test_forgetting_a_person_takes_the_chapters_of_their_chats(home: Home) -> None:
    role = home.create("Mira")
    play(role, tale(20), present=["lin", "ann"], user="ann")
    assert role.chapters()
    role.forget("ann")
    assert not any(one.chapter for one in role.memories.values())


def test_no_fact_and_no_conclusion_is_drawn_from_a_chapter_or_takes_its_place(
    tmp_path: Path, model: Endpoint
) -> None:
    with opened(tmp_path, model.url, learn__inference_enabled=True) as home:
        role = home.create("Mira")
        play(role, tale(40))
        texts = [one.content for one in role.chapters()]
        role.learner.worker.run(force=True)
        others = [one for step in ("extraction", "inference") for one in asked(model, step)]
        assert others
        assert not any(text in one for text in texts for one in others)


# ── the story so far ─────────────────────────────────────────────────────────────────────────────────────────────────


def story_so_far(role: RoleMemory) -> list[Memory]:
    """The stories so far that nothing replaced, shortest first."""
    found = [one for one in role.memories.values() if one.chapter and one.chapter.parts]
    replaced = {old for one in found for old in one.supersedes}
    return sorted(
        (one for one in found if one.id not in replaced),
        key=lambda one: len(one.chapter.parts),  # type: ignore[union-attr]
    )


def test_many_chapters_make_a_story_so_far_that_is_bounded(home: Home, model: Endpoint) -> None:
    role = home.create("Mira")
    for count in range(10, 171, 10):
        play(role, tale(count))
    chapters = role.chapters()
    (told,) = story_so_far(role)
    assert told.chapter is not None
    assert [*told.chapter.parts] == [one.id for one in chapters[: len(told.chapter.parts)]]
    assert 2 <= len(chapters) - len(told.chapter.parts) <= 5
    assert lamps([told]) == [(1, lamps(chapters)[len(told.chapter.parts) - 1][1])]
    assert len(asked(model, STORY)) == len(told.chapter.parts) / 4, (
        "one call for every four chapters"
    )
    assert len(told.content) <= 600
    assert told.evidence[0].version.count("+") < 5 * len(told.chapter.parts)
    longest = max(len(one) for one in asked(model, STORY))
    assert longest < 4 * len(asked(model, STORY)[0])


def test_a_story_so_far_whose_chapter_changed_is_told_from_the_beginning(
    home: Home, model: Endpoint
) -> None:
    role = home.create("Mira")
    said = tale(100)
    play(role, said)
    (before,) = story_so_far(role)
    play(role, [*said[:5], A("Lamp 3 stays dark and Mira weeps. " * 6), *said[6:]])
    ids = {one.id for one in role.chapters()}
    told = [one for one in story_so_far(role) if ids.issuperset(one.chapter.parts)]  # type: ignore[union-attr]
    assert [one.id for one in told] != [before.id]
    assert len(told) == 1
    assert told[0].chapter is not None
    assert told[0].chapter.parts[0] == role.chapters()[0].id


class Counting(dict[str, Sequence[Memory]]):
    """A mapping that counts how often it is asked."""

    asked = 0

    def get(self, key: str, default: Any = None) -> Any:
        self.asked += 1
        return super().get(key, default)


def test_the_next_turn_of_a_long_chat_asks_nothing_and_reads_only_its_end(
    home: Home, model: Endpoint
) -> None:
    role = home.create("Mira")
    play(role, tale(120))
    calls = len(model.requests)
    play(role, tale(121))
    assert len(model.requests) == calls
    by_version = Counting()
    for one in role.chapters():
        for version in one.stretch:
            by_version[version] = [one]
    told = ChatChapters(role.chats.path("harbour"), by_version, frozenset({"harbour"}))
    ((run, closed),) = told.runs(whole=False)
    assert (len(run), closed) == (242 - 1 - spans(role)[-1][1], False)
    assert by_version.asked == len(run) + 1


# ── in the prompt ────────────────────────────────────────────────────────────────────────────────────────────────────

NEXT = "Shall we go on?"


def turn(role: RoleMemory, said: Sequence[Message] = (), **about: Any) -> Any:
    """A turn whose window holds these messages and one more of the user's."""
    told = {"chat": "harbour", "user": "lin", "dry_run": True, **about}
    return role.recall([*said, U(told.pop("query", NEXT))], **told)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_chapters_stand_before_the_block_in_their_order(tmp_path: Path, language: str) -> None:
    with Endpoint(tells(language)) as server, opened(tmp_path, server.url) as home:
        role = home.create("Mira" if language == "en" else "米拉")
        said = tale(40 if language == "en" else 20, language)
        play(role, said)
        query = NEXT if language == "en" else "我们接着走吗？"
        found = turn(role, said[-2:], query=query)
        texts = [one.content for one in role.chapters()]
        places = [found.story.find(text) for text in texts]
        assert places == sorted(places)
        assert -1 not in places
        assert found.story.splitlines()[0] == "<rolememory>"
        assert ("The story so far" if language == "en" else "到目前为止的故事") in found.story
        told = [one.content for one in found.messages if texts[0] in one.content]
        assert len(told) == 1
        assert not any(one.memory.chapter for one in found.recalled)


def test_a_chapter_never_overlaps_the_visible_history(home: Home) -> None:
    role = home.create("Mira")
    said = tale(40)
    play(role, said)
    ends = [end for _, end in spans(role)]
    texts = [one.content for one in role.chapters()]
    for first in range(0, 80, 5):
        found = turn(role, said[first:])
        expected = [text for text, end in zip(texts, ends, strict=True) if end < first]
        assert [text for text in texts if text in found.story] == expected


def test_chapters_have_a_limit_of_their_own_and_take_nothing_from_passages(
    tmp_path: Path, model: Endpoint
) -> None:
    with opened(tmp_path, model.url) as home:
        role = home.create("Mira")
        said = tale(40)
        play(role, said)
        question = "Where does the mill lie, and who has the key of lamp 7?"
        none = turn(role, said[-4:], query=question, settings={"budget.chapters": 0})
        some = turn(role, said[-4:], query=question)
        few = turn(role, said[-4:], query=question, settings={"budget.chapters": 250})

        def passages(one: Any) -> list[str]:
            return [each.memory.id for each in one.recalled if each.memory.chapter is None]

        assert none.story == ""
        assert passages(none) == passages(some) == passages(few) != []
        assert max(len(one.text) for one in (none, some, few)) <= 2000
        assert 0 < len(few.story) <= 250 < len(some.story) <= 1000
        both = [one for one in some.recalled if one.memory.content in some.story]
        assert both == [], "what stands there is not told twice"
        newest = role.chapters()[-1].content
        assert newest in few.story, "the newest first"


def test_a_chapter_is_recalled_by_what_it_tells_where_it_does_not_stand_there_anyway(
    tmp_path: Path,
) -> None:
    words = "Mira swore at the mill by the copper heron that Lin would never sail alone. " * 2
    oath = answers({"title": "The oath", "chapter": words})
    with Endpoint(oath) as server, opened(tmp_path, server.url, budget__chapters=0) as home:
        role = home.create("Mira")
        said = tale(14)
        play(role, said)
        found = turn(role, said[-4:], query="What did Mira swear by the copper heron?")
        assert found.story == ""
        assert role.chapters()[0].id in [one.memory.id for one in found.recalled]


def test_the_story_so_far_stands_for_the_chapters_that_it_tells(home: Home) -> None:
    role = home.create("Mira")
    said = tale(170)
    play(role, said)
    found = turn(role, said[-4:])
    (so_far,) = story_so_far(role)
    assert so_far.chapter is not None
    chapters = role.chapters()
    inside = [one.content for one in chapters if one.id in so_far.chapter.parts]
    others = [one.content for one in chapters if one.id not in so_far.chapter.parts]
    assert so_far.content in found.story
    assert [text for text in inside if f"- {text}" in found.story] == []
    assert all(text in found.story for text in others)
    assert len(found.story) <= 1000
    visible = turn(role, said[20:])
    assert so_far.content not in visible.story, "part of it is in view"


def test_the_story_is_the_same_letter_by_letter_until_a_chapter_comes(home: Home) -> None:
    role = home.create("Mira")
    play(role, tale(30))
    first = turn(role, tale(30)[-2:]).story
    for count in (31, 32):
        play(role, tale(count))
        assert turn(role, tale(count)[-2:], query=f"Lamp {count}?").story == first != ""


def test_presence_and_stories_hold_for_chapters(home: Home) -> None:
    role = home.create("Mira")
    play(role, tale(14))
    (one,) = role.chapters()
    assert one.content in turn(role, chat="tavern").story, "chats share one life"
    assert turn(role, chat="tavern", user="ann").story == ""
    assert turn(role, chat="tavern", present=["lin", "ann"]).story == ""
    assert turn(role, present=["lin", "ann"]).story == ""
    role.chats.update("harbour", story="own")
    assert turn(role, chat="tavern").story == ""
    assert one.content in turn(role).story
    role.chats.update("harbour", mode="off")
    assert turn(role).story == ""


def test_what_was_said_only_here_is_told_only_here(home: Home) -> None:
    role = home.create("Mira")
    play(role, [U("/memory here"), A("Between us."), *tale(14)])
    (one,) = role.chapters()
    assert one.content in turn(role).story
    assert turn(role, chat="tavern").story == ""


def test_a_swipe_takes_a_chapter_out_of_the_prompt_at_once(tmp_path: Path) -> None:
    with Endpoint(tells()) as server, opened(tmp_path, server.url) as home:
        role = home.create("Mira")
        said = tale(14)
        play(role, said)
        (one,) = role.chapters()
        server.now(status(500))
        swiped = [*said[:5], A("Lamp 3 stays dark and Mira weeps."), *said[6:]]
        role.observe(swiped, chat="harbour", user="lin")
        assert turn(role, swiped[-2:]).story == ""
        role.observe(said, chat="harbour", user="lin")
        assert one.content in turn(role, said[-2:]).story


@pytest.mark.parametrize(
    ("days", "least", "heading"),
    [
        pytest.param(0, 3.0, "The story so far", id="a talk that goes on"),
        pytest.param(2, 3.0, "The story so far", id="two days are no break"),
        pytest.param(5, 3.0, "Previously, 5 days ago", id="five days are"),
        pytest.param(5, 0.0, "The story so far", id="nobody wants it"),
    ],
)
def test_previously_on_after_days(home: Home, days: int, least: float, heading: str) -> None:
    role = home.create("Mira")
    said = tale(14)
    play(role, said)
    later = datetime.now(UTC) + timedelta(days=days)
    wanted = {"inject.previously_days": least}
    found = turn(role, said[-2:], now=later, settings=wanted)
    assert heading in found.story
    role.observe([*said, U("I am back."), A("At last.")], chat="harbour", user="lin", now=later)
    again = turn(role, [*said[-2:], U("I am back."), A("At last.")], now=later, settings=wanted)
    assert "The story so far" in again.story
