"""Chats from outside: what is kept of a message, lists of chats, short-term context, changes, listeners."""

import re
from datetime import UTC, datetime, timedelta
from itertools import count, pairwise
from pathlib import Path

import pytest

from rolememory.chats import Chats
from rolememory.errors import InvalidValueError, UnknownChatError, UnknownNameError
from rolememory.schema.learning import Observed
from rolememory.schema.memory import Evidence
from rolememory.schema.message import Message
from rolememory.storage.files.space import FileSpace
from rolememory.text.cancellation import cancel_when
from tests.chats.talk import START, chats_at, said, shown, story, without
from tests.storage.refusing import everything

LINES = ["a: The door creaks.", "u: Is the lamp wound?", "a: It burns until four."]


def uncalled(text: str) -> str:
    """Takes out blocks as the injector puts them in."""
    return re.sub(r"<block>.*?</block>\s*", "", text, flags=re.DOTALL)


# a chat at one moment


def test_a_chat_that_somebody_holds_knows_nothing_of_what_is_said_later(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LINES[:2]), chat="harbour")
    held = chats.chat("harbour")
    chats.observe(said(*LINES), chat="harbour")
    news, mark = held.since(0)
    assert (len(news), len(held.path)) == (2, 2)
    assert [one.text for one in chats.chat("harbour").since(mark)[0]] == ["It burns until four."]


def test_a_preview_shows_the_chat_as_it_was_looked_at_whatever_is_observed_meanwhile(
    tmp_path: Path,
) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LINES[:2]), chat="harbour")
    looks = list[int]()  # steps of each

    def looked(observe_at: int = 0) -> list[str]:
        """The preview's path; at that step the same look is observed."""
        steps = count(1)

        def given_up() -> bool:
            looks[-1] = next(steps)
            if looks[-1] == observe_at:
                chats.observe(look, chat="harbour")
            return False

        looks.append(0)
        with cancel_when(given_up):
            preview = chats.preview(look, chat="harbour")
        assert (preview.known, len(preview.entered)) == (True, 1)
        return shown(preview.path)

    look = said(*LINES)
    before = looked()
    after = looked(looks[-1] - 1)  # the look is over, what it shows is put together
    assert after == before == shown(chats.path("harbour")) == LINES


# what is kept of a message


def test_an_edit_or_swipe_keeps_slot_and_time_and_is_another_version(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    first = chats.observe(said(*LINES), chat="harbour").entered[-1]
    observed = chats.observe(said(*LINES[:2], "a: It went out."), chat="harbour")
    (second,) = observed.entered
    assert (second.slot, second.at) == (first.slot, first.at)
    assert observed.left == (first.version,)
    back = chats.observe(said(*LINES), chat="harbour")
    assert (back.entered, back.returned, back.left) == ((), (first,), (second.version,))


def test_the_same_words_are_the_same_version_and_in_a_further_slot_they_have_a_number(
    tmp_path: Path,
) -> None:
    chats = chats_at(tmp_path)
    versions = [
        one.version
        for one in chats.observe(said("u: ok", "a: ok", "u: ok", "u: ok"), chat="harbour").entered
    ]
    assert versions[2:] == [f"{versions[0]}.2", f"{versions[0]}.3"]
    assert versions[0] != versions[1]
    assert [
        one.version for one in chats.observe(said("u: ok"), chat="another").entered
    ] == versions[:1]


@pytest.mark.parametrize(
    ("raw", "text", "kept", "emotions"),
    [
        pytest.param("It burns.", "It burns.", "", (), id="as it came"),
        pytest.param(
            "[happy] It burns.",
            "It burns.",
            "[happy] It burns.",
            ("joy",),
            id="without tags of emotion",
        ),
        pytest.param(
            "<block>x</block>\nIt burns.",
            "It burns.",
            "<block>x</block>\nIt burns.",
            (),
            id="without what is cleaned out",
        ),
        pytest.param(
            "  It burns.\r\nBrightly. \n",
            "It burns.\nBrightly.",
            "",
            (),
            id="blank edges and kinds of line end are nothing",
        ),
        pytest.param("half \ud83d", "half \ufffd", "", (), id="half a character is marked"),
    ],
)
def test_a_reply_is_kept_clean_and_raw_where_that_differs(
    tmp_path: Path, raw: str, text: str, kept: str, emotions: tuple[str, ...]
) -> None:
    chats = chats_at(tmp_path)
    chats.observe(
        [Message.user("Well?"), Message.assistant(raw, name="Asha")], chat="harbour", clean=uncalled
    )
    (_, one) = chats_at(tmp_path).path("harbour")
    assert (one.text, one.raw, one.emotions, one.name) == (text, kept, emotions, "Asha")


def test_tags_in_the_users_words_are_his(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    assert chats.observe(said("u: [happy] Hi"), chat="harbour").entered[0].text == "[happy] Hi"


def test_a_block_of_ours_that_changes_every_turn_changes_nothing(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LINES[:2]), chat="harbour", clean=uncalled)
    for number in range(3):
        assert not chats.observe(
            said(LINES[0], f"u: <block>{number}</block>\n{LINES[1][3:]}"),
            chat="harbour",
            clean=uncalled,
        ).entered
    assert shown(chats.path("harbour")) == LINES[:2]


def test_what_came_before_stays_what_it_was_when_the_rules_of_cleaning_change(
    tmp_path: Path,
) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said("u: <block>x</block> Hello.", "a: Yes."), chat="harbour", clean=uncalled)
    observed = chats.observe(
        said("u: <block>x</block> Hello.", "a: Yes.", "u: Hm."), chat="harbour", clean=str.upper
    )
    assert shown(observed.entered) == ["u: HM."]
    assert observed.left == ()


def test_times_are_those_of_the_frontend_else_of_the_clock_and_always_rise(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    sent = datetime(2023, 1, 1, tzinfo=UTC)
    told = [
        Message.user("One.", sent=sent),
        Message.assistant("Two.", sent=sent),
        Message.user("Three."),
        Message.assistant("Four.", sent=sent),
    ]
    times = [one.at for one in chats.observe(told, chat="harbour").entered]
    assert times[0] == sent
    assert times[1] - sent == timedelta(milliseconds=1)
    assert times[2] == START - timedelta(milliseconds=1)  # one more follows
    assert all(earlier < later for earlier, later in pairwise(times))


def test_a_time_given_for_the_look_stands_in_for_the_clock(tmp_path: Path) -> None:
    at = datetime(2020, 2, 2, tzinfo=UTC)
    chats = chats_at(tmp_path)
    assert chats.observe(said("u: One."), chat="harbour", at=at).entered[0].at == at
    assert chats.info("harbour").created == at


def test_a_clock_that_goes_back_disturbs_no_order(tmp_path: Path) -> None:
    times = iter([START, START - timedelta(days=400), START - timedelta(days=800)])
    chats = Chats(FileSpace(tmp_path), clock=lambda: next(times))
    for end in (1, 2, 3):
        chats.observe(said(*LINES[:end]), chat="harbour")
    assert all(earlier.at < later.at for earlier, later in pairwise(chats.path("harbour")))


def test_there_is_always_room_between_two_messages(tmp_path: Path) -> None:
    chats, lines = chats_at(tmp_path), [*LINES]
    chats.observe(said(*lines), chat="harbour")
    for number in range(40):
        lines.insert(2, f"u: In between {number}.")
        chats.observe(said(*lines), chat="harbour")
        lines.insert(3, f"u: And behind {number}.")
        chats.observe(said(*lines), chat="harbour")
    path = chats_at(tmp_path).path("harbour")
    assert shown(path) == lines
    assert all(earlier.at <= later.at for earlier, later in pairwise(path))
    assert path == chats.path("harbour")


def test_one_look_is_one_line(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LINES), chat="harbour")
    chats.observe(said(LINES[0], "u: Is the lamp lit?", LINES[2], *story(3)), chat="harbour")
    assert chats.info("harbour").file.read_bytes().count(b"\n") == 2


# glimpse


@pytest.mark.parametrize(
    ("late", "left"),
    [
        pytest.param(LINES[:1], LINES, id="nothing new"),
        pytest.param(["a: The door creaks!"], LINES, id="in other words"),
        pytest.param(["u: Hello?", LINES[0]], ["u: Hello?", *LINES], id="what stood before"),
        pytest.param([*LINES[:2], "a: It went out."], [*LINES[:2], "a: It went out."], id="swipe"),
    ],
)
def test_a_turn_that_ends_out_of_order_hides_nothing_of_a_later_one(
    tmp_path: Path, late: list[str], left: list[str]
) -> None:
    chats, shows = chats_at(tmp_path), said(*late)
    chats.observe(said(*LINES), chat="harbour")
    chats.observe(shows, chat="harbour", requested=START - timedelta(hours=1))
    assert shown(chats.path("harbour")) == left
    goes_on = [*shows, *said("u: And now?")]
    chats.observe(goes_on, chat="harbour", requested=START + timedelta(days=1))
    assert shown(chats.path("harbour")) == [*late, "u: And now?"]


def test_what_was_deleted_before_the_request_is_gone(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LINES), chat="harbour")
    chats.observe(said(*LINES[:1]), chat="harbour", requested=START + timedelta(days=1))
    assert shown(chats.path("harbour")) == LINES[:1]


def test_a_glimpse_is_what_observe_would_find_and_writes_nothing(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LINES, *story(2)), chat="harbour")
    before = everything(tmp_path)
    look = said(*LINES[1:2], "a: It went out.", *story(2), "u: And now?")
    preview = chats.preview(look, chat="harbour")
    assert everything(tmp_path) == before
    assert (preview.chat, preview.known, preview.unseen) == ("harbour", True, 1)
    assert [one.slot for one in preview.entered] == [-1, -1]
    observed = chats.observe(look, chat="harbour")
    assert [(one.version, one.text) for one in preview.entered] == [
        (one.version, one.text) for one in observed.entered
    ]
    assert shown(preview.path) == shown(chats.path("harbour"))
    assert preview.left == observed.left


def test_a_glimpse_at_a_chat_that_is_not_known_makes_none(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    preview = chats.preview(said(*LINES), chat="harbour")
    assert (preview.chat, preview.known, shown(preview.path)) == ("harbour", False, LINES)
    assert chats.preview([]).chat == ""
    assert not (tmp_path / "chats").exists()


def test_chats_that_are_only_asked_for_leave_nothing(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LINES), chat="harbour")
    for number in range(5):
        chats.preview(said(*LINES), chat=f"asked {number}")
    assert chats.observe(said(*LINES), chat="asked 3").entered
    assert [info.id for info in chats.chats()] == ["asked 3", "harbour"]
    assert shown(chats_at(tmp_path).path("asked 3")) == LINES


# lists


def test_chats_are_listed_newest_first_with_their_titles(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(
        said(
            "a: Welcome to the lighthouse.",
            "u: 请问今晚的风暴会不会把灯塔的灯吹灭？我很担心港口里的那些船。",
        ),
        chat="one",
        user="lin",
    )
    chats.observe(said("a: Welcome to the inn."), chat="two", user="bo", title="The inn")
    chats.observe(said("u: Is there a room for the night, and stew, and a fire?"), chat="three")
    assert [
        (info.id, info.title, info.user, info.messages) for info in chats_at(tmp_path).chats()
    ] == [
        ("three", "Is there a room for the night, and stew…", None, 1),
        ("two", "The inn", "bo", 1),
        ("one", "请问今晚的风暴会不会把灯塔的灯吹灭？我…", "lin", 2),
    ]
    assert [info.id for info in chats.chats(user="lin")] == ["one"]
    assert [info.id for info in chats.chats(user=None)] == ["three"]


def test_the_last_chat_is_there_after_a_restart_with_its_messages(tmp_path: Path) -> None:
    assert chats_at(tmp_path).active() is None
    chats = chats_at(tmp_path)
    for name, user in [("one", "lin"), ("two", "lin"), ("three", "bo")]:
        chats.observe(said(*LINES), chat=name, user=user)
    restarted = chats_at(tmp_path)
    assert restarted.active() == chats.info("three")
    assert restarted.active("lin") == chats.info("two")
    assert shown(restarted.path("two")) == LINES
    restarted.update("two", archived=True)
    assert getattr(restarted.active("lin"), "id", "") == "one"
    assert [info.id for info in restarted.chats(archived=True, user="lin")] == ["two", "one"]


def test_a_chat_nobody_knows_is_named_with_the_nearest(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LINES), chat="harbour")
    for asked in (chats.info, chats.path, chats.versions, chats.remove, chats.update):
        with pytest.raises(
            UnknownChatError, match=r"no chat named 'harbor'.*did you mean 'harbour'"
        ):
            asked("harbor")
    with pytest.raises(UnknownChatError) as unknown:
        chats.info("harbor")
    assert unknown.value.text("zh") == "没有名为“harbor”的会话（已有：harbour）；是不是“harbour”？"


@pytest.mark.parametrize(
    "name",
    [
        "灯塔 / 第一章",
        "../../etc/passwd",
        "CON",
        "a" * 3000,
        "line\nbreak",
        ".hidden",
        "harbour ",
        "emoji 🏮",
        "half \ud83d",
    ],
)
def test_any_text_may_be_the_name_of_a_chat(tmp_path: Path, name: str) -> None:
    chats = chats_at(tmp_path)
    observed = chats.observe(said(*LINES), chat=name)
    assert shown(chats_at(tmp_path).path(name)) == LINES
    assert chats.info(name).id == observed.chat
    assert chats.info(name).file.parent == tmp_path / "chats"
    assert len(chats.info(name).file.name) < 120


# short-term context


@pytest.mark.parametrize(
    ("items", "characters", "kept"),
    [
        pytest.param(20, 10_000, 6, id="everything fits"),
        pytest.param(4, 10_000, 4, id="the last four"),
        pytest.param(20, 25, 2, id="cut a second time by length, whole messages only"),
        pytest.param(20, 5, 1, id="the newest in any case"),
        pytest.param(0, 100, 0, id="none asked for"),
    ],
)
def test_the_last_messages_cut_by_number_and_length(
    tmp_path: Path, items: int, characters: int, kept: int
) -> None:
    lines = [f"{'ua'[number % 2]}: message {number}" for number in range(6)]
    chats = chats_at(tmp_path)
    chats.observe(said(*lines), chat="harbour")
    assert shown(chats.recent("harbour", items, characters)) == lines[len(lines) - kept :]


# changes


def test_what_is_told_about_a_chat_lasts(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LINES), chat="harbour")
    chats.stories.begin("dream")
    told = chats.update("harbour", title="The lamp", archived=True, story="dream", mode="read_only")
    assert (told.title, told.archived, told.story, told.mode, told.teaches) == (
        "The lamp",
        True,
        "dream",
        "read_only",
        False,
    )
    assert chats_at(tmp_path).info("harbour") == told
    before = told.file.read_bytes()
    chats.update("harbour", title="The lamp", archived=True)
    assert told.file.read_bytes() == before
    assert chats.update("harbour", title="", story="own").title == "Is the lamp wound?"
    assert shown(chats.path("harbour")) == LINES


def test_modes_and_stories_that_are_not_known_are_refused(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LINES), chat="harbour")
    chats.stories.begin("dream")
    with pytest.raises(
        InvalidValueError, match="expected one of on, here, read_only, off, got 'of'"
    ):
        chats.update("harbour", mode="of")
    with pytest.raises(UnknownNameError, match=r"no story named 'dreams'.*did you mean 'dream'"):
        chats.stories.assign("harbour", "dreams")


def test_who_is_forgotten_leaves_no_trace(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said("u: My secret is a pearl."), chat="one", user="lin")
    chats.observe(said("u: My secret is a pearl, still."), user="lin")
    chats.observe(said(*LINES), chat="three", user="bo")
    chats.forget(without("lin"))
    assert [info.id for info in chats_at(tmp_path).chats()] == ["three"]
    assert not any(b"pearl" in data or b"lin" in data for data in everything(tmp_path).values())


def test_a_chat_that_was_removed_may_begin_again(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LINES), chat="harbour")
    chats.remove("harbour")
    assert chats.chats() == []
    assert shown(chats.observe(said(*LINES), chat="harbour").entered) == LINES
    assert shown(chats_at(tmp_path).path("harbour")) == LINES


# listeners


def test_listeners_hear_what_was_written_until_they_stop(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    chats, heard = chats_at(tmp_path), list[Observed]()

    def fails(observed: Observed) -> None:
        raise RuntimeError("not today")

    chats.follow(fails)
    stop = chats.follow(heard.append)
    first = chats.observe(said(*LINES), chat="harbour")
    chats.observe(said(*LINES), chat="harbour")
    chats.preview(said(*LINES, "u: So?"), chat="harbour")
    assert heard == [first]
    assert "a listener of chat harbour failed" in caplog.text
    stop()
    stop()
    chats.observe(said(*LINES, "u: So?"), chat="harbour")
    assert heard == [first]


def test_two_users_who_call_different_chats_alike_each_have_their_own(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*story(3)), chat="main", user="lin")
    other = chats.observe(said(*story(3, 50)), chat="main", user="bo")
    assert other.chat == "main@bo"
    assert chats.observe(said(*story(4, 50)), chat="main", user="bo").chat == "main@bo"
    assert chats.observe(said(*story(4)), chat="main", user="lin").chat == "main"
    assert [shown(chats.path(name)) for name in ("main", "main@bo")] == [story(4), story(4, 50)]


@pytest.mark.parametrize(
    ("lin", "bo", "shared"),
    [
        pytest.param(["a: Welcome to the inn.", "u: Hello!", "a: Sit down."],
                     ["a: Welcome to the inn.", "u: Hello!", "a: Are you hungry?"],
                     False, id="a greeting and a hello"),
        pytest.param(["u: 你好", "a: 请坐。"], ["u: 你好", "a: 要喝茶吗？"], False, id="打招呼都一样"),
        pytest.param(["u: Hello!", "a: Sit down."], ["u: Hello!", "a: Sit down.", "u: And I?"],
                     True, id="an exchange"),
        pytest.param(["u: Does the ferry to the island leave tonight?"],
                     ["u: Does the ferry to the island leave tonight?", "u: I hope so."],
                     True, id="words that are no chance"),
    ],
)  # fmt: skip
def test_another_user_is_in_a_chat_who_goes_on_with_it(
    tmp_path: Path, lin: list[str], bo: list[str], shared: bool
) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*lin), chat="main", user="lin")
    for known in (chats, chats_at(tmp_path)):
        assert known.preview(said(*bo), chat="main", user="bo").chat == (
            "main" if shared else "main@bo"
        )
    chats.observe(said(*bo), chat="main", user="bo")
    assert chats.readers("main").users == ({"lin", "bo"} if shared else {"lin"})


def test_whoever_tells_whose_words_the_others_are_is_in_their_chat(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said("u: Hi"), chat="main", user="lin")
    told = [Message.user("Hi", user="lin"), Message.user("Hi both", user="bo")]
    assert chats.observe(told, chat="main", user="bo").chat == "main"


def test_two_users_in_one_chat_share_it(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*story(3)), chat="channel", user="lin")
    assert chats.observe(said(*story(4)), chat="channel", user="bo").chat == "channel"
    assert shown(chats.path("channel")) == story(4)


def test_threads_share_chats(tmp_path: Path) -> None:
    import threading

    chats = Chats(FileSpace(tmp_path))

    def play(name: str) -> None:
        for end in range(1, 9):
            chats.observe(said(*story(end)), chat=name)
            chats.visible_from(name).sees(Evidence(chat=name, version="none"))
            chats.preview(said(*story(end + 1)), chat=name)

    threads = [
        threading.Thread(target=play, args=(name,)) for name in ("one", "two", "three", "one")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [shown(Chats(FileSpace(tmp_path)).path(name)) for name in ("two", "three")] == [
        story(8)
    ] * 2
    assert sorted(shown(Chats(FileSpace(tmp_path)).versions("one").values())) == sorted(story(8))
