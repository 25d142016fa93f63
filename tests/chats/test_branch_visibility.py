"""What counts from where: families, stories, and the random life of many chats beside a simple model."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from rolememory.chats import Chats
from rolememory.chats.log_index import log_name
from rolememory.chats.rows import ChatLogRow, encoded
from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import Evidence
from rolememory.storage.files.space import FileSpace
from tests.chats import walk
from tests.chats.talk import START, Clock, QuickDisk, chats_at, said, story

SHARED = story(3)


def sees(chats: Chats, here: str | None, there: str, *versions: ChatMessage) -> bool:
    evidence = Evidence(chat=there, version="+".join(one.version for one in versions))
    return chats.visible_from(here).sees(evidence)


def played(folder: Path, **stories: list[str]) -> Chats:
    """Chats of these names, played in this order."""
    chats = chats_at(folder)
    for name, lines in stories.items():
        chats.observe(said(*lines), chat=name, user="lin")
    return chats


# families


def test_what_stands_on_the_path_counts_and_what_was_swiped_away_does_not(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED, b=story(2, 50))
    (old,) = [one for one in chats.path("a") if one.slot == 5]
    assert [sees(chats, here, "a", old) for here in ("a", "b", None)] == [True, True, True]
    chats.observe(said(*SHARED[:-1], "a: No."), chat="a")
    assert [sees(chats, here, "a", old) for here in ("a", "b", None)] == [False, False, False]
    chats.observe(said(*SHARED), chat="a")
    assert [sees(chats, here, "a", old) for here in ("a", "b", None)] == [True, True, True]


def test_what_the_frontend_cut_off_counts(tmp_path: Path) -> None:
    chats = played(tmp_path, a=story(12))
    first = chats.path("a")[0]
    chats.observe(said(*story(12)[14:], "u: More."), chat="a")
    assert sees(chats, "a", "a", first)


def test_branches_share_what_came_before_the_fork_and_not_what_came_after(tmp_path: Path) -> None:
    chats = played(tmp_path, a=[*SHARED, *story(1, 10)], b=[*SHARED, *story(1, 20)], c=story(2, 30))
    before, after_a, after_b = chats.path("a")[0], chats.path("a")[-1], chats.path("b")[-1]
    assert [sees(chats, here, "a", before) for here in ("a", "b", "c")] == [True, True, True]
    assert [sees(chats, here, "a", after_a) for here in ("a", "b", "c", None)] == [
        True,
        False,
        True,
        True,
    ]
    assert [sees(chats, here, "b", after_b) for here in ("a", "b", "c", None)] == [
        False,
        True,
        True,
        True,
    ]


def test_words_that_one_branch_took_back_count_where_the_other_keeps_them(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED, b=[*SHARED, *story(1, 20)], c=story(2, 30))
    words = chats.path("a")[4]
    chats.observe(said(*SHARED[:4], "u: Something else altogether.", SHARED[5]), chat="a")
    assert [sees(chats, here, "a", words) for here in ("a", "b", "c")] == [False, True, True]


def test_the_same_words_said_anew_in_another_branch_are_no_support_of_the_first(
    tmp_path: Path,
) -> None:
    chats = played(
        tmp_path,
        a=[*SHARED, *story(1, 10)],
        b=[*SHARED, *story(1, 20), *story(1, 10)],
        c=story(2, 30),
    )
    in_a, in_b = chats.path("a")[-2], chats.path("b")[-2]
    assert in_a.version == in_b.version  # the words alone do not tell them apart
    chats.observe(said(*SHARED, *story(1, 20)), chat="b")
    assert [sees(chats, here, "b", in_b) for here in ("a", "b", "c")] == [False, False, False]
    assert [sees(chats, here, "a", in_a) for here in ("a", "b", "c")] == [True, False, True]


def test_a_support_of_several_versions_counts_when_all_of_them_do(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED, b=story(1, 50))
    first, second = chats.path("a")[1], chats.path("a")[5]
    assert sees(chats, "b", "a", first, second)
    chats.observe(said(*SHARED[:-1], "a: No."), chat="a")
    assert [sees(chats, here, "a", first, second) for here in ("a", "b")] == [False, False]


def test_words_that_stand_in_two_branches_and_in_none_together_support_nothing(
    tmp_path: Path,
) -> None:
    chats = played(tmp_path, a=[*SHARED, *story(1, 10)], b=[*SHARED, *story(1, 20)], c=story(2, 30))
    first, of_a, of_b = chats.path("a")[0], chats.path("a")[-1], chats.path("b")[-1]
    assert sees(chats, "c", "a", first, of_a)
    assert not sees(chats, "c", "a", of_a, of_b)


def test_an_answer_stands_right_behind_its_question(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED)
    question, answer = chats.path("a")[1:3]
    support = Evidence(chat="a", version=f"{question.version}+{answer.version}", adjoining=True)
    before = chats.visible_from("c").token
    assert chats.visible_from("a").sees(support)
    chats.observe(said(*SHARED[:2], "a: And another thing.", *SHARED[2:]), chat="a")
    assert not chats.visible_from("a").sees(support)
    assert chats.visible_from("c").token != before
    chats.observe(said(*SHARED), chat="a")
    assert chats.visible_from("a").sees(support)


@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param(Evidence(), id="none at all"),
        pytest.param(Evidence(chat="a", quote="a quote"), id="a quote without a version"),
        pytest.param(Evidence(chat="session-3", version="17"), id="a chat that is not ours"),
    ],
)
@pytest.mark.parametrize("here", ["a", "unknown", None])
def test_what_rests_on_no_chat_of_ours_always_counts(
    tmp_path: Path, evidence: Evidence, here: str | None
) -> None:
    assert played(tmp_path, a=SHARED).visible_from(here).sees(evidence)


def test_a_version_that_never_stood_there_does_not_count(tmp_path: Path) -> None:
    assert (
        not played(tmp_path, a=SHARED)
        .visible_from("a")
        .sees(Evidence(chat="a", version="0123456789ab"))
    )


def test_a_glimpse_shows_what_will_count_before_it_is_written(tmp_path: Path) -> None:
    chats = played(tmp_path, a=[*SHARED, *story(1, 10)])
    last = Evidence(chat="a", version=chats.path("a")[-1].version)
    first = Evidence(chat="a", version=chats.path("a")[0].version)
    swiped = chats.preview(said(*SHARED, story(1, 10)[0], "a: No."), chat="a")
    assert [chats.visible_from("a", swiped).sees(one) for one in (first, last)] == [True, False]
    assert chats.visible_from("a").sees(last)
    fork = chats.preview(said(*SHARED, "u: Otherwise."), chat="b", user="lin")
    assert [chats.visible_from("b", fork).sees(one) for one in (first, last)] == [True, False]
    unnamed = chats.preview(said("u: Something new."), user="lin")
    assert chats.visible_from("", unnamed).sees(last)


# stories


def played_apart(folder: Path, **stories: list[str]) -> Chats:
    """Chats where each is a story of its own, unless somebody chooses otherwise."""
    chats = Chats(FileSpace(folder, disk=QuickDisk()), clock=Clock(), living=lambda: "each")
    for name, lines in stories.items():
        chats.observe(said(*lines), chat=name, user="lin")
    return chats


def known(chats: Chats, there: str, *heres: str | None) -> list[bool]:
    """Whether what a chat begins with counts from each of these."""
    return [sees(chats, here, there, chats.path(there)[0]) for here in heres]


def test_a_chat_with_a_story_of_its_own_starts_empty_and_tells_nobody(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED, b=story(2, 50))
    chats.stories.assign("b", "own")
    assert (chats.info("b").story, chats.info("b").teaches) == ("own", True)
    assert known(chats, "a", "a", "b", None) == [True, False, True]
    assert known(chats, "b", "a", "b", None) == [False, True, True]
    chats.stories.assign("b", "default")
    assert known(chats, "b", "a", "b") == [True, True]


def test_each_chat_its_own_where_that_is_chosen(tmp_path: Path) -> None:
    chats = played_apart(tmp_path, a=SHARED, b=story(2, 50))
    assert [one.story for one in chats.chats()] == ["own", "own"]
    assert known(chats, "a", "a", "b", "new", None) == [True, False, False, True]
    for one in ("a", "b"):
        chats.stories.assign(one, "")
    assert known(chats, "a", "a", "b", "new", None) == [True, True, False, True]
    assert known(played(tmp_path), "a", "b", "new") == [True, True]


def test_who_chose_otherwise_lives_otherwise(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED, b=story(2, 50))
    chats.observe(said(*story(2, 70)), chat="c", user="wu")
    before = chats.visible_from("b").token
    chats.stories.choose("each", "lin")
    assert chats.visible_from("b").token != before
    assert [one.story for one in chats_at(tmp_path).chats()] == ["", "own", "own"]
    assert known(chats, "a", "a", "b", "c") == [True, False, False]
    assert chats.visible_from("new", user="lin").story != chats.visible_from("x", user="wu").story
    before = chats.visible_from("c").token
    chats.stories.choose("one", "lin")
    assert chats.visible_from("c").token != before
    assert known(played_apart(tmp_path), "a", "a", "b", "c") == [True, True, False]
    chats.stories.choose("each", "wu")
    chats.stories.choose(None, "lin")
    assert [chats.stories.default(one) for one in ("lin", "wu")] == ["one", "each"]


def test_a_choice_is_for_all_names_of_a_person(tmp_path: Path) -> None:
    names = {"Lin": "lin"}
    chats = Chats(FileSpace(tmp_path, disk=QuickDisk()), same=lambda one: names.get(one, one))
    chats.stories.choose("each", "Lin")
    assert [chats.stories.default(one) for one in ("lin", "Lin", "wu")] == ["each", "each", "one"]
    chats.stories.choose("one", "lin")
    assert chats.stories.default("Lin") == "one"


def test_a_branch_stays_in_the_story_of_its_chat(tmp_path: Path) -> None:
    chats = played_apart(tmp_path, a=[*SHARED, *story(1, 10)], b=[*SHARED, *story(1, 20)])
    chats.observe(said(*story(2, 50)), chat="c", user="lin")
    assert chats.info("b").branch_of == "a"
    assert chats.story_of("b") == chats.story_of("a") != chats.story_of("c")
    chats.stories.begin("dream")
    for one in ("a", "c"):
        chats.stories.assign(one, "dream")
    assert chats.info("b").story == "dream"
    assert known(chats, "c", "a", "b") == [True, True]
    fork = chats.preview(said(*SHARED, "u: Otherwise."), chat="new", user="lin")
    (first,) = chats.path("c")[:1]
    assert chats.visible_from("new", fork).sees(Evidence(chat="c", version=first.version))
    chats.stories.assign("b", "own")
    assert known(chats, "c", "a", "b") == [True, False]


def test_from_no_chat_one_story_may_be_looked_at(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED, b=story(2, 50))
    chats.stories.assign("b", "own")
    words = {one: Evidence(chat=one, version=chats.path(one)[0].version) for one in "ab"}
    for chat, told in (("a", "a"), ("b", "b"), ("new", "a")):
        visibility = chats.visible_from(None, story=chats.story_of(chat))
        assert [one for one in "ab" if visibility.sees(words[one])] == [told]


@pytest.mark.parametrize(
    ("mode", "sees_others", "teaches"),
    [("on", True, True), ("read_only", True, False), ("off", False, False)],
)
def test_modes(tmp_path: Path, mode: str, sees_others: bool, teaches: bool) -> None:
    chats = played(tmp_path, a=SHARED, b=story(2, 50))
    assert chats.update("b", mode=mode).teaches is teaches
    assert sees(chats, "b", "a", chats.path("a")[0]) is sees_others


def test_modes_and_timelines_of_earlier_versions_are_read_as_stories(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED, b=story(2, 50), c=story(2, 70), d=story(2, 90))
    (tmp_path / "state").mkdir()
    dream = {"timelines": {"dream": {"of": None, "at": None}}, "merged": {"": ["dream"]}}
    (tmp_path / "state" / "timelines.json").write_text(json.dumps(dream), encoding="utf-8")
    log = FileSpace(tmp_path, disk=QuickDisk()).log
    for chat, told in (("b", {"mode": "own"}), ("c", {"timeline": "dream", "mode": "shared"})):
        log(log_name(chat)).append(encoded(ChatLogRow(START, told=told)))
    chats = chats_at(tmp_path)
    assert {one.id: (one.story, one.mode) for one in chats.chats()} == {
        "a": ("", "on"),
        "b": ("own", "on"),
        "c": ("dream", "on"),
        "d": ("", "on"),
    }
    assert known(chats, "c", "a", "b", "c", "d") == [True, False, True, True]
    assert known(chats, "a", "c") == [False]
    chats.update("b", mode="read_only")
    chats.stories.begin("other")
    assert (chats.info("b").story, chats.info("b").mode) == ("own", "read_only")
    assert [one.merged for one in chats_at(tmp_path).stories.list()] == [("dream",), (), ()]
    chats.update("b", story="default")
    assert chats_at(tmp_path).info("b").story == ""


def test_a_forked_story_knows_what_was_told_before(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED)
    chats.stories.begin("dream", of="")
    chats.observe(said(*SHARED, *story(1, 10)), chat="a")
    chats.observe(said(*story(2, 50)), chat="b", user="lin")
    chats.stories.assign("b", "dream")
    early, late = chats.path("a")[0], chats.path("a")[-1]
    assert [sees(chats, "b", "a", one) for one in (early, late)] == [True, False]
    assert [sees(chats, "a", "a", one) for one in (early, late)] == [True, True]
    assert known(chats, "b", "a", "b") == [False, True]


def test_a_story_may_be_forked_from_any_moment_of_another_or_start_empty(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED, b=story(2, 50))
    path = chats.path("a")
    chats.stories.begin("middle", of="", at=path[2].at)
    chats.stories.begin("further", of="middle", at=path[5].at + timedelta(days=1))
    chats.stories.begin("empty")
    for name, until in (("middle", 3), ("further", 3), ("empty", 0)):
        chats.stories.assign("b", name)
        assert [sees(chats, "b", "a", one) for one in path] == [
            number < until for number in range(len(path))
        ]


def test_a_merged_story_is_known_from_then_on(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED, b=story(2, 50))
    chats.stories.begin("dream")
    chats.stories.assign("b", "dream")
    assert known(chats, "b", "a") == [False]
    seen = chats.visible_from("a").token
    assert chats.stories.merge("dream").merged == ("dream",)
    assert chats.visible_from("a").token != seen
    assert known(chats_at(tmp_path), "b", "a") == [True]
    assert known(chats, "a", "b") == [False]
    chats.stories.merge("", "dream")
    assert known(chats, "a", "b") == [True]
    assert [one.name for one in chats.stories.list()] == ["", "dream"]


def test_a_branch_in_another_story_keeps_its_own_beginning(tmp_path: Path) -> None:
    chats = played(tmp_path, a=[*SHARED, *story(1, 10)], b=[*SHARED, *story(1, 20)], c=story(2, 30))
    chats.stories.assign("b", "own")
    begun, rest, own = chats.path("a")[0], chats.path("a")[-1], chats.path("b")[-1]
    assert [sees(chats, "b", "a", one) for one in (begun, rest)] == [True, False]
    assert [sees(chats, here, "b", own) for here in ("a", "b", "c")] == [False, True, False]
    assert known(chats, "c", "b") == [False]


def test_stories_that_cannot_be_are_refused(tmp_path: Path) -> None:
    stories = chats_at(tmp_path).stories
    stories.begin("dream")
    for taken in ("dream", "own", "default"):
        with pytest.raises(InvalidValueError, match=f"there is a story '{taken}' already"):
            stories.begin(taken)
    with pytest.raises(InvalidValueError, match="expected a name of 1 to 200 characters, got ''"):
        stories.begin(" ")
    with pytest.raises(UnknownNameError, match="no story named 'drem'"):
        stories.begin("other", of="drem")
    with pytest.raises(InvalidValueError, match="expected one of one, each, got 'none'"):
        stories.choose("none")  # type: ignore[arg-type]
    with pytest.raises(InvalidValueError, match="cannot be merged into itself"):
        stories.merge("dream", "dream")
    with pytest.raises(UnknownNameError) as unknown:
        stories.merge("drem")
    assert unknown.value.text("zh") == "没有名为“drem”的故事（已有：dream）；是不是“dream”？"


def test_stories_last_and_a_damaged_file_is_reported(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED)
    chats.stories.begin("dream")
    assert chats_at(tmp_path).stories.list() == chats.stories.list()
    file = tmp_path / "state" / "stories.json"
    file.write_bytes(b"{")
    damaged = chats_at(tmp_path)
    (problem,) = damaged.problems
    assert problem.file == "state/stories.json"
    damaged.stories.begin("again")
    assert file.with_name("stories.json.damaged").read_bytes() == b"{"


# what moved between two looks


@pytest.mark.parametrize(
    ("then", "moved"),
    [
        pytest.param(
            [*SHARED[:-1], "a: No."], {4, 5}, id="a swipe: its reply, and what it answers"
        ),
        pytest.param(SHARED[:-2], {3, 4, 5}, id="the newest exchange is deleted"),
        pytest.param(
            [*SHARED[:3], "u: In between.", *SHARED[3:]], {2, 3}, id="a line parts two others"
        ),
        pytest.param([*SHARED, *story(1, 10)], set(), id="what is said next is new to everybody"),
        pytest.param(SHARED, set(), id="nothing"),
    ],
)
@pytest.mark.parametrize("written", [True, False])
def test_little_moves(tmp_path: Path, then: list[str], moved: set[int], written: bool) -> None:
    chats = played(tmp_path, a=SHARED, b=story(2, 50))
    old, before = chats.path("a"), chats.visible_from("b" if written else "a")
    preview = chats.preview(said(*then), chat="a")
    if written:
        chats.observe(said(*then), chat="a")
    after = chats.visible_from("b") if written else chats.visible_from("a", preview)
    assert after.place == before.place
    found = {version for chat, version in after.moved_since(before) or () if chat == "a"}
    assert found & {one.version for one in old} == {old[place].version for place in moved}


def test_what_was_deleted_and_comes_back_is_told(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED)
    (*_, last) = chats.path("a")
    chats.observe(said(*SHARED[:-1]), chat="a")
    before = chats.visible_from("a")
    chats.observe(said(*SHARED), chat="a")
    after = chats.visible_from("a")
    assert after.token != before.token
    assert ("a", last.version) in (after.moved_since(before) or ())


def test_another_story_moves_everything(tmp_path: Path) -> None:
    chats = played(tmp_path, a=SHARED, b=story(2, 50))
    before = chats.visible_from("b")
    chats.update("a", story="own")
    assert chats.visible_from("b").moved_since(before) is None


# a long random life


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_random_life_looks_as_a_simple_model_says(seed: int) -> None:
    result = walk.run(750, seed)
    assert result["wrong"] == "", result
    assert result["checks"] == 3
    assert result["followed"] > 20
