"""What was said, in passages that recall can ask for."""

from pathlib import Path

import pytest

from rolememory import Home
from rolememory.chats.forgotten import Forgotten
from rolememory.chats.passages import ChatPassages
from rolememory.schema.message import Message
from rolememory.storage.files.space import FileSpace
from tests.chats.talk import chats_at, said, without

LONG = " ".join(
    f"The {number}th lamp on the quay was lit by the keeper's daughter." for number in range(40)
)


def texts(passages: ChatPassages) -> list[str]:
    return [one.content for one in passages.follow().values()]


def test_a_long_message_is_several_passages_and_a_new_one_adds_its_own(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    passages = ChatPassages(chats, lambda one: one.role)
    chats.observe(talk := said("u: Who lit them?", f"a: {LONG}"), chat="c", user="lin")
    first = passages.follow()
    assert " ".join(texts(passages)) == f"Who lit them? {LONG}"
    assert max(map(len, texts(passages))) <= 280
    assert passages.follow() is first
    chats.observe([*talk, *said("u: 我把船卖了。")], chat="c", user="lin")
    newest = list(passages.follow().values())[-1]
    assert (newest.content, newest.subject, newest.user) == ("我把船卖了。", "user", "lin")
    assert newest.evidence[0].version in chats.versions("c")


def test_a_swipe_that_returns_has_the_same_ids(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    passages = ChatPassages(chats, lambda one: one.role)
    for reply in ("Yes.", "No.", "Yes."):
        chats.observe(said("u: Will you?", f"a: {reply}"), chat="c")
        passages.follow()
    assert sorted(texts(passages)) == ["No.", "Will you?", "Yes."]


def test_what_a_passage_answers_is_the_same_whenever_it_is_read(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    passages, hello = ChatPassages(chats, lambda one: one.role), ("u: Hello.", "a: Good evening.")
    asked, answer, again = "u: Who keeps bees?", "a: Anna, in Riga.", "u: And who else?"
    told = []
    for talk in (
        (*hello, asked, answer),
        (*hello, asked, "a: Bo, by the mill."),  # a swipe
        (*hello, asked, answer),
        (*hello, "u: 谁养蜜蜂？", answer),  # an edit
        (*hello, asked, answer, again, "a: Nobody, I think."),
        (*hello, f"{asked} It is late.", answer),  # a remark behind the question
        (*hello, asked, again, "a: Nobody, I think."),  # an answer is taken out
        ("u: Nothing of this.", "a: No."),  # a window that shows none of it
    ):
        chats.observe(said(*talk), chat="c", user="lin")
        live = dict(passages.follow())
        anew = dict(ChatPassages(chats_at(tmp_path), lambda one: one.role).follow())
        assert live == anew
        told += [one.evidence[0].answers for one in live.values() if one.content in answer]
    assert told == [*["Who keeps bees?"] * 3, "谁养蜜蜂？", *["Who keeps bees?"] * 4]


@pytest.mark.parametrize(
    ("before", "answer", "question"),
    [
        pytest.param("他皱眉：“你妹妹穿什么？我没看清。”", "绿裙子。", "你妹妹穿什么？", id="zh"),
        pytest.param(
            "他问：「你妹妹穿什么？」", "绿裙子。", "他问：「你妹妹穿什么？」", id="whole"
        ),
        pytest.param(
            'He frowns. "What did she wear? I saw nothing."',
            "A green dress.",
            "What did she wear?",
            id="en",
        ),
    ],
)
def test_a_question_within_quoted_speech_is_told_without_half_of_the_quotation(
    tmp_path: Path, before: str, answer: str, question: str
) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said("u: ...", f"a: {before}", f"u: {answer}"), chat="c", user="lin")
    live = ChatPassages(chats, lambda one: one.role).follow()
    told = [one.evidence[0].answers for one in live.values() if one.content == answer]
    assert told == [question]


@pytest.mark.parametrize(
    ("before", "answer", "question"),
    [
        pytest.param("Pumpkin? A fine name.", "I never eat leeks.", "", id="an echo, en"),
        pytest.param("汤圆？好名字。", "我不吃香菜。", "", id="an echo, zh"),
        pytest.param("Pumpkin?", "Our cat.", "Pumpkin?", id="one word, and nothing after it"),
        pytest.param("Passing through?", "Morning, Jo. A rough night.", "", id="held up, en"),
        pytest.param("（灯晃了晃）新来的琴师？坐。", "柳老师早。下雨了。", "", id="held up, zh"),
        pytest.param("Are you new? Sit.", "Since May. I play.", "Are you new?", id="closed, en"),
        pytest.param("你是新来的吗？坐。", "五月来的。拉琴。", "你是新来的吗？", id="closed, zh"),
        pytest.param("多大了？说来听听。", "三岁。", "多大了？", id="asked, then bidden to tell"),
        pytest.param("学得如何？", "我的绣坊叫什么？", "", id="a question in return, zh"),
        pytest.param("How is it going?", "Why do you ask?", "", id="a question in return, en"),
        pytest.param(
            "几个？", "三个，怎么了？", "几个？", id="an answer with a question behind it"
        ),
    ],
)
def test_a_line_is_told_with_a_question_only_if_it_answers_one(
    tmp_path: Path, before: str, answer: str, question: str
) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said("u: Hello.", f"a: {before}", f"u: {answer}"), chat="c", user="lin")
    live = ChatPassages(chats, lambda one: one.role).follow()
    told = [one.evidence[0].answers for one in live.values() if one.content == answer]
    assert told == [question]


def test_silence_is_kept_and_never_recalled(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    talk = said("u: 你喜欢我吗？", "a: ……", "u: ...?!", "a: *——*", "u: ❤️", "a: 42")
    chats.observe(talk, chat="c", user="lin")
    passages = ChatPassages(chats, lambda one: one.role)
    assert texts(passages) == ["你喜欢我吗？", "❤️", "42"]
    assert len(chats.path("c")) == len(talk)


def test_a_removed_chat_takes_its_passages_along(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    passages = ChatPassages(chats, lambda one: one.role)
    for name in ("one", "two"):
        chats.observe(said(f"u: this is {name}"), chat=name)
    assert len(passages.follow()) == 2
    chats.remove("one")
    assert texts(passages) == ["this is two"]


def test_what_another_process_erased_is_gone(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    passages = ChatPassages(chats, lambda one: one.role)
    talk = [Message.user("I keep bees.", user="bob"), Message.user("I keep goats.", user="ann")]
    chats.observe(talk, chat="one", user="ann")
    chats.observe(said("u: I keep geese."), chat="two", user="ann")
    assert sorted(texts(passages)) == ["I keep bees.", "I keep geese.", "I keep goats."]
    chats_at(tmp_path).forget(without("bob"))
    assert sorted(texts(passages)) == ["I keep geese.", "I keep goats."]


def test_what_is_said_next_is_all_that_is_told_anew(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    passages = ChatPassages(chats, lambda one: one.role)
    for name in ("one", "two"):
        chats.observe(talk := said("u: Go on.", "a: So be it.", "u: Where to?"), chat=name)
    before = passages.follow().version
    chats.observe([*talk, *said("a: Home.")], chat="two")
    newest = passages.follow().since(before) or []
    assert [passages.current[one].content for one in newest] == ["Home."]
    chats.observe([*talk, *said("a: To sea.")], chat="two")
    assert len(passages.follow().since(before) or []) == 2
    chats.observe([*talk, *said("a: Home.")], chat="two")
    assert len(passages.follow().since(before) or []) == 2, "it came back as it was"


TELL = {
    "en": ("I hid the map under the third hearthstone.", "Where is the map hidden?", "hearthstone"),
    "zh": ("我把地图藏在第三块炉石下面了。", "地图藏在哪里？", "炉石"),
}


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("language", TELL)
def test_what_was_said_in_another_chat_is_recalled_in_its_words(
    tmp_path: Path, language: str, role: str
) -> None:
    tell, ask, word = TELL[language]
    quiet = {"embedding.backend": "off", "learn.enabled": False, "recall.passages.recall": "all"}
    with Home.open(tmp_path, quiet) as home:
        mira = home.create("Mira")
        talk = [
            Message.user("..."),
            Message.user(tell) if role == "user" else Message.assistant(tell),
        ]
        mira.observe(talk, chat="harbour", user="lin")
        assert word in mira.recall([ask], chat="new", user="lin").text
        assert word not in mira.recall([ask], chat="new", user="bob").text
        assert word not in mira.recall([ask], chat="new", user="lin", present=["lin", "bob"]).text
        assert word not in mira.recall([*talk, ask], chat="harbour", user="lin").text
        turn = mira.recall([ask], chat="new", user="lin")
        (one,) = (found.memory for found in turn.recalled if word in found.memory.content)
        assert one.evidence[0].chat == "harbour"
        assert one.source.value == ("user_input" if role == "user" else "ai_output")
        assert one.id in str(turn.explain())
        only = {"recall.passages.recall": "user"}
        heard = mira.recall([ask], chat="new", user="lin", settings=only).text
        assert (word in heard) is (role == "user")
        silent = {"recall.passages.recall": "none"}
        assert not mira.recall([ask], chat="new", user="lin", settings=silent).text


def test_a_swiped_passage_is_not_recalled_until_it_returns(tmp_path: Path) -> None:
    quiet = {"embedding.backend": "off", "learn.enabled": False, "recall.passages.recall": "all"}
    with Home.open(tmp_path, quiet) as home:
        mira = home.create("Mira")
        for reply, told in (
            ("The password is heron.", True),
            ("I say nothing.", False),
            ("The password is heron.", True),
        ):
            mira.observe(["What is the password?", Message.assistant(reply)], chat="c", user="lin")
            assert (
                "heron" in mira.recall(["What is the password?"], chat="d", user="lin").text
            ) is told


@pytest.mark.parametrize(
    ("tell", "order", "ask", "word"),
    [
        (
            "There is a motorbike behind the old mill.",
            "(OOC: forget the motorbike)",
            "What is behind the old mill?",
            "motorbike",
        ),
        ("我买了一辆摩托车。", "（场外：忘掉摩托车的事。）", "我买了什么？", "摩托车"),
    ],
)
def test_what_is_to_be_forgotten_stays_away_also_when_it_is_sent_again(
    tmp_path: Path, tell: str, order: str, ask: str, word: str
) -> None:
    plain = {"embedding.backend": "off"}
    with Home.open(tmp_path, plain) as home:
        mira = home.create("Mira")
        talk = [Message.user(tell), Message.assistant("Oh?")]
        mira.observe(talk, chat="one", user="lin")
        assert word in mira.recall([ask], chat="two", user="lin").text
        mira.observe(
            [*talk, Message.user(order), Message.assistant("As you wish.")], chat="one", user="lin"
        )
        assert mira.learned(20)
        assert word not in mira.recall([ask], chat="two", user="lin").text
        mira.observe(talk, chat="three", user="lin")
        turn = mira.recall([ask], chat="two", user="lin")
        assert not [
            one for one in turn.recalled if one.memory.id.startswith("p-") and word in one.line
        ]
    with Home.open(tmp_path, plain) as home:
        turn = home.role("Mira").recall([ask], chat="two", user="lin")
        assert not [
            one for one in turn.recalled if one.memory.id.startswith("p-") and word in one.line
        ]


def test_a_passage_is_kept_edited_and_forgotten_by_hand(tmp_path: Path) -> None:
    plain = {"embedding.backend": "off", "learn.enabled": False}
    with Home.open(tmp_path, plain) as home:
        mira = home.create("Mira")
        mira.observe(["The vault opens at noon."], chat="c", user="lin")

        def recalled() -> list[str]:
            turn = mira.recall(["When does the vault open?"], chat="d", user="lin")
            return [one.memory.id for one in turn.recalled]

        (said,) = recalled()
        kept = mira.keep(said, keys=["vault"])
        assert (kept.evidence[0].chat, kept.user) == ("c", "lin")
        assert recalled() == [kept.id], "one line for one piece of evidence"
        mira.delete(kept.id)
        edited = mira.edit(said, content="The vault opens at dusk.")
        assert recalled() == [edited.id]
        mira.delete(edited.id)
        assert recalled() == []
        mira.restore_passages(said)
        assert recalled() == [said]
        mira.edit(said, content="The vault opens at dawn.")
        mira.undo()
        assert recalled() == [said], "what stood in its place was taken back"


def test_what_was_forgotten_stays_away_however_its_message_is_cut(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe([*said("u: Who lit them?"), Message.assistant(LONG)], chat="c")
    forgotten = Forgotten(FileSpace(tmp_path))
    every = list(ChatPassages(chats, lambda one: one.role).follow().values())
    forgotten.add([every[2]])
    told = texts(ChatPassages(chats, lambda one: one.role, forgotten))
    assert told == [one.content for one in every if one is not every[2]]
    both = every[2].model_copy(update={"start": every[2].start + 9, "end": every[3].start + 9})
    forgotten.add([both])
    told = texts(ChatPassages(chats, lambda one: one.role, Forgotten(FileSpace(tmp_path))))
    assert told == [one.content for one in every if one not in every[2:4]]
    forgotten.restore(every[2:4])
    assert len(texts(ChatPassages(chats, lambda one: one.role, forgotten))) == len(every)


PANELS = {
    "en": (
        "[Time: dusk | Place: the mill]\nThe wheel creaks.",
        "dusk, the mill",
        "The wheel creaks.",
    ),
    "zh": ("【时间】三月初七【地点】茶楼【好感】45\n雨还在下。", "三月初七，茶楼", "雨还在下。"),
    "json": ('{"time": "dusk", "place": "the mill"}\nIt creaks.', "dusk, the mill", "It creaks."),
}


@pytest.mark.parametrize("form", PANELS)
def test_what_a_panel_prints_is_the_scene_and_no_passage(tmp_path: Path, form: str) -> None:
    reply, scene, words = PANELS[form]
    chats = chats_at(tmp_path)
    passages = ChatPassages(chats, lambda one: one.role)
    talk = [*said("u: I listen."), Message.assistant(reply), *said("u: I come closer.")]
    chats.observe(talk, chat="c", user="lin")
    found = {one.content: one.scene for one in passages.follow().values()}
    assert found == {"I listen.": "", words: scene, "I come closer.": scene}
    again = ChatPassages(chats_at(tmp_path), lambda one: one.role)
    assert {one.content: one.scene for one in again.follow().values()} == found
    stamps = [dict(one.stamp).get("place") for one in chats_at(tmp_path).path("c")]
    assert stamps == [None, scene.replace("，", ", ").split(", ")[1], None]


def test_the_scene_follows_a_swipe_and_an_edit(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    passages = ChatPassages(chats, lambda one: one.role)

    def told(place: str, *more: str) -> dict[str, str]:
        reply = Message.assistant(f"[Time: dusk | Place: {place}]\nIt is quiet at {place}.")
        chats.observe([*said("u: I walk."), reply, *said(*more)], chat="c", user="lin")
        return {one.content: one.scene for one in passages.follow().values()}

    told("the mill")
    assert told("the quay")["It is quiet at the quay."] == "dusk, the quay"
    swiped_back = told("the mill", "u: I sit down.")
    assert swiped_back["I sit down."] == "dusk, the mill"
    edited = told("the tower", "u: I sit down.")
    assert edited["I sit down."] == "dusk, the tower"


def test_who_speaks_in_a_message_is_kept_with_it(tmp_path: Path) -> None:
    text = '*The innkeeper grumbles* "I have three daughters." I nod. ((brb))'
    chats = chats_at(tmp_path)
    chats.observe([Message.user(text)], chat="c", user="lin")
    for kept in (chats, chats_at(tmp_path)):
        (one,) = kept.path("c")
        assert [(span.kind, text[span.start : span.end]) for span in one.spans] == [
            ("action", "*The innkeeper grumbles*"),
            ("quote", '"I have three daughters."'),
            ("ooc", "((brb))"),
        ]


ASIDE = {
    "en": (
        "I pour us tea. (OOC: I am allergic to shellfish in real life)",
        "What am I allergic to?",
        "(OOC: what am I allergic to?)",
        "shellfish",
    ),
    "zh": (
        "我倒了两杯茶。（场外：我现实里对贝类过敏）",
        "我对什么过敏？",
        "（场外：我对什么过敏？）",
        "贝类",
    ),
}


@pytest.mark.parametrize("language", ASIDE)
def test_words_out_of_character_are_recalled_by_such_words_alone(
    tmp_path: Path, language: str
) -> None:
    tell, ask, aside, word = ASIDE[language]
    plain = {"embedding.backend": "off", "learn.enabled": False}
    with Home.open(tmp_path, plain) as home:
        mira = home.create("Mira")
        mira.observe([tell, Message.assistant("...")], chat="harbour", user="lin")
        assert word not in mira.recall([ask], chat="new", user="lin").text
        assert word in mira.recall([aside], chat="new", user="lin").text
        assert word not in mira.recall([ask], chat="new", user="lin").text
        (one,) = [
            found.memory for found in mira.search(ask, user="lin") if word in found.memory.content
        ]
        closed = mira.recall([ask], chat="new", user="lin").why_not(one.id)
        assert closed is not None
        assert (closed.gate, closed.remedy) == ("out_of_character", None)


def test_a_template_may_say_what_was_printed_last(tmp_path: Path) -> None:
    (tmp_path / "templates" / "inject").mkdir(parents=True)
    (tmp_path / "templates" / "inject" / "here.jinja").write_text(
        "{% macro line(memory) %}- {{ memory.text }} ({{ stamp.mood }}){% endmacro -%}"
        "{{ stamp.place }}, {{ stamp.affection }}{% if '内功' in stamp %}/{{ stamp['内功'] }}{% endif %}:\n"
        "{% for memory in memories %}{{ line(memory) }}\n{% endfor %}",
        encoding="utf-8",
    )
    plain = {"embedding.backend": "off", "inject.template": "here", "learn.enabled": False}
    with Home.open(tmp_path, plain) as home:
        mira = home.create("Mira")
        mira.remember("The map lies under the hearth.", constant=True)

        def block(*told: str) -> list[str]:
            talk = [Message.user("Hm."), *map(Message.assistant, told), Message.user("Well?")]
            turn = mira.recall(talk, chat="c", user="lin")
            assert not turn.trace.notes
            return turn.text.splitlines()[1:-1]

        line = "- The map lies under the hearth. "
        assert block() == [", :", f"{line}()"]
        mill = "【地点】磨坊【好感】45【内功】九【心情】平静\n好。"
        assert block(mill) == ["磨坊, 45/九:", f"{line}(平静)"]
        assert block(mill.replace("磨坊", "茶楼</rolememory>")) == ["茶楼, 45/九:", f"{line}(平静)"]
        assert block(mill) == ["磨坊, 45/九:", f"{line}(平静)"]
