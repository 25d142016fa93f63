"""Which chat the messages belong to: chats without a name, branches, and what only begins alike."""

from pathlib import Path

import pytest

from rolememory.schema.memory import Evidence
from tests.chats.talk import chats_at, said, shown, story

GREETING = "a: *The door creaks.* You are soaked."
HELLO = ["u: Hello!", "a: Hello, traveller. Sit by the stove."]
LONG = [GREETING, *story(8)]


# without a name


@pytest.mark.parametrize(
    ("first", "then", "same"),
    [
        pytest.param(story(2), story(3), True, id="it goes on"),
        pytest.param(story(2), story(2), True, id="it is shown again"),
        pytest.param(story(3), story(3)[:-2], True, id="the newest exchange is deleted"),
        pytest.param(story(3), [*story(3)[:-1], "a: No."], True, id="the newest reply is swiped"),
        pytest.param(LONG, [*LONG[6:], "u: So?"], True, id="it is cut and goes on"),
        pytest.param(LONG, [*LONG[:6], "a: No."], True, id="deleted a long way back, whole exchanges are the same"),
        pytest.param([GREETING], [GREETING, "u: Is the lamp wound?"], True, id="the greeting is answered"),
        pytest.param([GREETING, "u: Hello!", "a: Sit."], [GREETING, "u: Hello!", "a: Come in."], True, id="the first reply is swiped"),
        pytest.param(["u: ok"], ["u: ok", "a: Good."], True, id="the user's message first, then with the reply"),
        pytest.param(story(2), story(2, 50), False, id="nothing in common"),
        pytest.param(LONG, [GREETING, "u: Hello!", "a: Sit."], False, id="the same greeting begins another one"),
        pytest.param([GREETING, *HELLO, *story(4)], [GREETING, *HELLO], False, id="small talk begins another one"),
        pytest.param([*story(4), "u: ok", "a: Good."], ["u: ok", "a: What?"], False, id="an ok begins another one"),
        pytest.param([*story(4), "u: ok", *story(1, 40)], ["u: ok"], False, id="an ok alone begins another one"),
        pytest.param(["u: Translate: hello", "a: bonjour"], ["u: Translate: hallo", "a: bonsoir"], False, id="what is only similar is another one"),
    ],
)  # fmt: skip
def test_messages_without_a_chats_name_find_the_one_they_continue(
    tmp_path: Path, first: list[str], then: list[str], same: bool
) -> None:
    chats = chats_at(tmp_path)
    one = chats.observe(said(*first)).chat
    for again in (chats, chats_at(tmp_path)):
        assert (again.preview(said(*then)).chat == one) is same
    other = chats.observe(said(*then))
    assert (other.chat == one) is same
    assert chats.info(one).unnamed
    if not same:
        assert shown(chats.path(one)) == first
        assert shown(chats.path(other.chat)) == then


def test_chats_without_a_name_belong_to_a_user(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    names = [chats.observe(said(*story(2)), user=user).chat for user in ("lin", "bo", None)]
    assert len(set(names)) == 3
    assert chats.observe(said(*story(3)), user="bo").chat == names[1]
    assert [info.user for info in chats.chats()] == ["bo", None, "lin"]


def test_two_conversations_at_once_are_never_mixed(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    for end in range(1, 12):
        chats.observe(said(GREETING, *HELLO, *story(end)))
        chats.observe(said(GREETING, *HELLO, *story(end, 50)))
        chats = chats_at(tmp_path)
    assert sorted(shown(chats.path(info.id)) for info in chats.chats()) == sorted(
        [GREETING, *HELLO, *story(11, begin)] for begin in (0, 50)
    )


def test_of_two_that_fit_the_one_that_shares_more_goes_on(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*story(2), *story(1, 50)))
    second = chats.observe(said(*story(2), *story(1, 60)), chat="named")
    third = chats.observe(said(*story(2), *story(1, 70), *story(1, 80)))
    assert second.branch_of
    assert chats.observe(said(*story(2), *story(1, 70), *story(2, 80))).chat == third.chat


@pytest.mark.parametrize(
    "first", ["u: Hello!", GREETING, story(1)[0]], ids=["hello", "a greeting", "a question"]
)
@pytest.mark.parametrize(
    ("keep", "then"),
    [
        pytest.param(None, ["u: So?"], id="it goes on"),
        pytest.param(-1, ["a: No."], id="its newest reply is swiped"),
        pytest.param(-2, [], id="its newest exchange is deleted"),
        pytest.param(-2, ["u: Why?"], id="and then it goes on"),
    ],
)  # fmt: skip
def test_a_newer_chat_of_one_message_takes_nothing_from_an_older_that_begins_so(
    tmp_path: Path, first: str, keep: int | None, then: list[str]
) -> None:
    chats = chats_at(tmp_path)
    told = [first, "a: Come in.", *story(2, 20)]
    older, newer = (chats.observe(said(*texts)).chat for texts in (told, [first]))
    assert older != newer
    for again in (chats, chats_at(tmp_path)):
        assert again.preview(said(*told[:keep], *then)).chat == older
        assert again.preview(said(first, "a: Sit.", "u: Why?")).chat == newer


# branches


@pytest.mark.parametrize(
    ("parent", "child", "shared"),
    [
        pytest.param(LONG, [*LONG[:5], *story(2, 50)], 5, id="a fork in the middle"),
        pytest.param(LONG, [*LONG[:6], "a: No.", "u: Why?"], 6, id="a fork at a swiped reply"),
        pytest.param(LONG, LONG, len(LONG), id="a copy"),
        pytest.param(LONG, [*LONG[3:9], *story(2, 50)], 9, id="a fork whose beginning is cut off: it stays on the path"),
        pytest.param(["u: u1", "a: a1"], ["u: u1", "a: a1", "u: u2", "a: a2"], 2, id="one exchange in common is enough"),
        pytest.param([*HELLO, *story(2)], [*HELLO, "u: Another thing."], 0, id="hello and the same reply: two chats begin alike"),
        pytest.param([*HELLO, *story(2)], [*HELLO, *story(1), "u: Then?"], 4, id="hello, and then the same story"),
        pytest.param([GREETING, *story(2)], [GREETING, *story(2, 50)], 0, id="only the greeting in common"),
        pytest.param(["u: 你好", "a: 你好，旅人。", *story(1)], ["u: 你好", "a: 你好，旅人。", *story(1, 50)], 0, id="hello in Chinese"),
        pytest.param(["u: 我叫小明，想学点灯", "a: 那就上来。", *story(1)], ["u: 我叫小明，想学点灯", "a: 那就上来。", *story(1, 50)], 2, id="a name in Chinese"),
        pytest.param(story(3), story(1), 0, id="with one message of the user it is a chat that begins alike"),
        pytest.param(story(3), [story(3)[0], "a: No.", *story(1, 50)], 0, id="the same question, another reply"),
        pytest.param(story(2), story(3, 50), 0, id="nothing in common"),
    ],
)  # fmt: skip
def test_a_chat_that_begins_with_another_is_a_branch_of_it(
    tmp_path: Path, parent: list[str], child: list[str], shared: int
) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*parent), chat="parent", user="lin")
    preview = chats.preview(said(*child), chat="child", user="lin")
    observed = chats.observe(said(*child), chat="child", user="lin")
    assert observed.branch_of == preview.branch_of == ("parent" if shared else "")
    assert chats_at(tmp_path).info("child").branch_of == observed.branch_of
    path = chats_at(tmp_path).path("child")
    assert path[:shared] == chats.path("parent")[:shared]
    new = child[child.index(parent[shared - 1]) + 1 :] if shared else child
    assert shown(path) == [*parent[:shared], *new]
    assert shown(observed.entered) == new
    assert shown(chats.path("parent")) == parent


def test_a_branch_stands_by_itself_when_its_parent_is_removed(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LONG), chat="parent")
    chats.observe(said(*LONG[4:], *story(1, 50)), chat="child")
    chats.remove("parent")
    assert shown(chats_at(tmp_path).path("child")) == [*LONG, *story(1, 50)]


def test_a_branch_of_a_version_that_was_swiped_away(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    first = chats.observe(said(*LONG), chat="parent")
    chats.observe(said(*LONG[:-1], "a: No."), chat="parent")
    child = chats.observe(said(*LONG, *story(1, 50)), chat="child")
    assert child.branch_of == "parent"
    assert shown(child.entered) == story(1, 50)
    assert chats.path("child")[len(LONG) - 1].version == first.entered[-1].version


def test_of_several_parents_it_is_the_one_that_goes_along_farthest_then_the_last(
    tmp_path: Path,
) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LONG), chat="root")
    chats.observe(said(*LONG[:7], *story(2, 50)), chat="fork")
    assert (
        chats.observe(said(*LONG[:7], *story(1, 50), *story(1, 60)), chat="a").branch_of == "fork"
    )
    assert chats.observe(said(*LONG[:5], *story(1, 70)), chat="b").branch_of == "a"


def test_many_chats_each_count_alone(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    versions = [
        chats.observe(said(*story(1, number)), chat=f"chat {number}").entered[0].version
        for number in range(70)
    ]
    for number, version in enumerate(versions):
        assert chats.visible_from(None).sees(Evidence(chat=f"chat {number}", version=version))
        assert not chats.visible_from(None).sees(
            Evidence(chat=f"chat {number}", version=versions[number - 1])
        )


def test_branches_are_of_one_user(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LONG), chat="parent", user="lin")
    assert chats.observe(said(*LONG), chat="other", user="bo").branch_of == ""


def test_a_chat_that_is_known_is_never_made_a_branch(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said(*LONG), chat="one")
    chats.observe(said(*story(2, 50)), chat="two")
    assert chats.observe(said(*LONG), chat="two").branch_of == ""


def test_a_story_that_gets_a_name_later_goes_on_as_a_branch(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    unnamed = chats.observe(said(*story(3)))
    assert chats.observe(said(*story(4)), chat="named").branch_of == unnamed.chat
