"""The sentences around the one that answers: told by real roles, asked through real turns."""

from pathlib import Path

import pytest

from rolememory import Home, Message, RoleMemory

FILLER = {
    "en": "Rain taps on the shutters and nobody hurries to say anything. "
    "Somewhere below a door falls shut, and the stairs creak for a while. "
    "The candle burns a little lower while the kettle begins to sing. ",
    "zh": "雨点敲着窗板，谁也不急着开口说话。楼下什么地方有扇门关上了，楼梯又响了好一阵。蜡烛慢慢烧短，水壶轻轻地响了起来。",
}
TOLD = {
    "en": (
        "The smuggler's ledger lies in the bell tower. It is bound in green leather. "
        "Only Rafi has ever opened it.",
        "Where does the smuggler's ledger lie?",
        "Only Rafi",
    ),
    "zh": (
        "走私犯的账本藏在钟楼里。封面是绿色的皮子。只有阿辉打开过它。",
        "走私犯的账本藏在哪里？",
        "只有阿辉",
    ),
}
MODEL_OFF = {"embedding.backend": "off"}


def told(role: RoleMemory, *texts: str, chat: str = "old") -> None:
    talk = [
        made
        for text in texts
        for made in (Message.user("Mm." if text.isascii() else "嗯。"), Message.assistant(text))
    ]
    role.observe(talk, chat=chat, user="lin")


def long(language: str, told: str, times: int = 4) -> str:
    return f"{FILLER[language] * times}{told} {FILLER[language] * times}"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_sentences_around_the_answer_come_along(tmp_path: Path, language: str) -> None:
    text, question, last = TOLD[language]
    with Home.open(tmp_path, MODEL_OFF) as home:
        role = home.create("Mira")
        told(role, long(language, text))
        turn = role.recall([Message.user(question)], chat="new", user="lin")
        (best,) = (one for one in turn.recalled if last in one.memory.content)
        assert text in best.memory.content.replace("\n", " ")
        assert len(turn.text) <= 2000
        role.delete(*(one.memory.id for one in role.search(last, user="lin", limit=1)))
        again = role.recall([Message.user(question)], chat="new", user="lin")
        assert last not in again.text


def test_no_sentence_is_told_twice(tmp_path: Path) -> None:
    lines = [f"The ledger of ship {number} lies under plank {number}." for number in range(24)]
    with Home.open(tmp_path, MODEL_OFF) as home:
        role = home.create("Mira")
        told(role, " ".join(lines))
        turn = role.recall([Message.user("Where does the ledger of each ship lie?")], user="lin")
        held = [line for line in lines if line in turn.text]
        assert len(held) > 5
        assert all(turn.text.count(line) == 1 for line in held)
        passages = [one.memory for one in turn.recalled]
        assert len(passages) == len({one.id for one in passages})


def test_what_was_not_asked_for_comes_alone(tmp_path: Path) -> None:
    text, _, _ = TOLD["en"]
    with Home.open(tmp_path, {**MODEL_OFF, "recall.passages.uninvited_threshold": 0.3}) as home:
        role = home.create("Mira")
        told(role, long("en", text))
        talk = [Message.user("I dreamt of the smuggler's ledger in the bell tower.")]
        turn = role.recall(talk, chat="new", user="lin")
        assert turn.recalled
        assert all(len(one.memory.content) <= 280 for one in turn.recalled)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        pytest.param("你给我推荐过哪一部电影？", True, id="who asks what was replied"),
        pytest.param("我想看哪一部电影？", False, id="and nobody else"),
    ],
)
def test_a_reply_comes_that_shares_nothing_with_the_question(
    tmp_path: Path, question: str, told: bool
) -> None:
    said = ("今晚打算去看电影，还没决定看哪一部。", "周一起我的腿就疼。")
    replies = ("《海港之光》也许是不错的选择。", "那要好好休息。")
    talk = [Message.user(said[0]), Message.assistant(replies[0])]
    talk += [Message.user(said[1]), Message.assistant(replies[1])]
    with Home.open(tmp_path, MODEL_OFF) as home:
        role = home.create("Mira")
        role.observe(talk, chat="old", user="lin")
        turn = role.recall(question, chat="new", user="lin")
        assert said[0] in turn.text
        assert (replies[0] in turn.text) is told


def test_words_out_of_character_do_not_come_along(tmp_path: Path) -> None:
    said = "((brb, the pizza is here)) The smuggler's ledger lies in the bell tower. ((sorry))"
    with Home.open(tmp_path, MODEL_OFF) as home:
        role = home.create("Mira")
        told(role, said)
        turn = role.recall([Message.user("Where does the smuggler's ledger lie?")], user="lin")
        assert "bell tower" in turn.text
        assert "pizza" not in turn.text
        assert "sorry" not in turn.text


@pytest.mark.parametrize(
    ("said", "asked", "word"),
    [
        pytest.param("((I am away on Sunday, my cousin marries.))", "When does my cousin marry?", "Sunday", id="en"),
        pytest.param("（场外：我星期天不在，表姐结婚。）", "我表姐哪天结婚？", "星期天", id="zh"),
    ],
)  # fmt: skip
def test_words_out_of_character_are_recalled_out_of_character_alone(
    tmp_path: Path, said: str, asked: str, word: str
) -> None:
    with Home.open(tmp_path, MODEL_OFF) as home:
        role = home.create("Mira")
        told(role, said)
        for question, known in ((asked, False), (f"(({asked}))", True)):
            turn = role.recall([Message.user(question)], chat="new", user="lin", dry_run=True)
            assert (word in turn.text) is known, question


@pytest.mark.parametrize("limit", [600, 900, 1400])
def test_the_budget_holds(tmp_path: Path, limit: int) -> None:
    with Home.open(tmp_path, {**MODEL_OFF, "budget.max_total_length": limit}) as home:
        role = home.create("Mira")
        told(role, *(long("en", f"Ledger {number} lies in tower {number}.") for number in range(5)))
        turn = role.recall([Message.user("Where does ledger 3 lie?")], chat="new", user="lin")
        assert 0 < len(turn.text) <= limit


def test_messages_around_lend_evidence_however_long_they_are(tmp_path: Path) -> None:
    question, answer = "Where is the spare key of the boathouse?", "Under the third flowerpot."
    with Home.open(tmp_path, MODEL_OFF) as home:
        role = home.create("Mira")
        talk = [
            Message.user(f"{question} {FILLER['en'] * 6}"),
            Message.assistant(answer),
            *(Message.user(f"{FILLER['en']} {number}") for number in range(12)),
        ]
        role.observe(talk, chat="old", user="lin")
        found = role.search(question, user="lin", limit=3)
        assert answer in {one.memory.content for one in found}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_same_words_from_two_messages_are_told_once(tmp_path: Path, language: str) -> None:
    text, question, _ = TOLD[language]
    with Home.open(tmp_path, MODEL_OFF) as home:
        role = home.create("Mira")
        told(role, f"{FILLER[language]}{text}", f"{text} {FILLER[language]}", chat="older")
        told(role, f"{text} {FILLER[language][::-1]}")
        turn = role.recall([Message.user(question)], chat="new", user="lin")
        assert turn.text.count(text.partition("." if language == "en" else "。")[0]) == 1


STORY = (
    "The smith at Lowick keeps the brass key of the chapel. He wears it on a cord of red wool. "
    "It was a gift from the old abbot, who left the valley in spring and was not seen again. "
    "Since then nobody has rung the bell, and the children play among the graves until it is dark."
)


@pytest.mark.parametrize(
    ("fields", "whole"),
    [
        pytest.param({"evidence": [{"chat": "walk"}]}, False, id="what rests on a chat, in part"),
        pytest.param(
            {"evidence": [{"chat": "walk"}], "locked": True}, True, id="what is locked, whole"
        ),
        pytest.param({}, True, id="what rests on no chat, whole"),
    ],
)
def test_of_a_long_memory_the_answer_is_told_where_better_ones_stand_before_it(
    tmp_path: Path, fields: dict[str, object], whole: bool
) -> None:
    keys = ("chapel", "crypt", "belfry", "sacristy", "chapel gate")
    with Home.open(tmp_path, MODEL_OFF) as home:
        role = home.create("Mira")
        better = [
            {
                "content": f"The brass key of the {key} is at the smith's.",
                "evidence": [{"chat": "walk"}],
                "source": "user_input",
            }
            for key in keys
        ]
        role.remember_all([*better, {"content": STORY, "source": "user_input", **fields}])
        question = [Message.user("Where is the brass key at the smith's kept?")]
        told = [one.memory for one in role.recall(question).recalled]
        (story,) = (one for one in told if "Lowick" in one.content)
        assert len(told) > 2
        assert "The smith at Lowick keeps the brass key of the chapel." in story.content
        assert ("graves" in story.content) is whole
        assert "graves" in role.memories[story.id].content, "the memory itself stays as it is"
