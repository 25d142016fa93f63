"""How much of what was said comes uninvited, and what would be recited."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rolememory import Home, Message
from rolememory.recall.allowance import MUCH, Allowance, Why, asks
from rolememory.schema.evidence import Reason, Scored
from rolememory.schema.passage import passage
from rolememory.schema.settings import BudgetSettings, PassageSettings, RecallSettings, Settings
from tests.builders import memory, question, scene
from tests.recall.chatter import CHATTER


def said(
    text: str, role: str = "user", relevance: float = 0.9, version: str = "v", speaker: str = ""
) -> Scored:
    one = passage(
        chat="c",
        version=version,
        role=role,  # type: ignore[arg-type]
        text=text,
        span=(0, len(text)),
        speaker=speaker,
        owner="",
        created=datetime(2026, 5, 1, tzinfo=UTC),
    )
    return Scored(one, relevance, relevance, ())


def _code(found: Why) -> str | None:
    """The code of a reason, which may be found out when somebody asks."""
    why = found if found is None or isinstance(found, Reason) else found()
    return why.code if why else None


def allowance(
    *texts: str,
    rules: PassageSettings | None = None,
    room: int = 2000,
    heard: int = MUCH,
    **turn: Any,
) -> Allowance:
    """What the last of these texts allows."""
    recall, budget = RecallSettings(passages=rules or RULES), BudgetSettings(max_total_length=room)
    settings = Settings(recall=recall, budget=budget)
    return Allowance(question(settings=settings, heard=heard, scene=scene(*texts, **turn)))


RULES = PassageSettings(uninvited=2, uninvited_own=1, uninvited_length=40, uninvited_threshold=0.5)
SHORT = said("I sold the boat.")
OWN = said("The map is safe.", "assistant", 0.95)


@pytest.mark.parametrize(
    ("candidate", "chosen", "asked", "code"),
    [
        pytest.param(SHORT, [], False, None, id="the first one comes"),
        pytest.param(SHORT, [SHORT, SHORT], False, "allowance", id="the third does not"),
        pytest.param(SHORT, [SHORT, SHORT], True, None, id="... unless somebody asks"),
        pytest.param(said("x" * 41), [], False, "allowance", id="a long one is too much"),
        pytest.param(OWN, [OWN], False, "allowance", id="a second one of the character's own"),
        pytest.param(OWN, [SHORT], False, None, id="one of the character's own"),
        pytest.param(said("Hm.", relevance=0.4), [], False, "uninvited", id="hardly touched"),
        pytest.param(
            said("Hm.", relevance=0.4),
            [SHORT, SHORT],
            True,
            "by_chance",
            id="... though somebody asks",
        ),
        pytest.param(said("Hm.", relevance=0.65), [], True, None, id="touched, and asked"),
    ],
)
def test_what_comes_uninvited(
    candidate: Scored, chosen: list[Scored], asked: bool, code: str | None
) -> None:
    found = allowance("Where is the mill?" if asked else "I sit down.").refuses(
        candidate.memory, candidate.relevance, chosen
    )
    assert _code(found) == code


def test_why_a_faint_one_is_out_is_told_as_it_was_when_it_was_refused() -> None:
    rules = allowance("I sit down.", user="lin", room=100)
    chosen = [Scored(SHORT.memory.model_copy(update={"user": "ann"}), 0.9, 0.9, ())]
    faint = said("Hm." * 3, relevance=0.4).memory.model_copy(update={"user": "ann"})
    found = rules.refuses(faint, 0.4, chosen)
    chosen += 3 * chosen
    assert _code(found) == "uninvited"
    assert _code(rules.refuses(faint, 0.4, chosen)) == "speaker_share"


@pytest.mark.parametrize(
    ("kinds", "code"),
    [
        pytest.param(1, None, id="words alone: it comes"),
        pytest.param(2, "uninvited", id="words and meaning: both may be mistaken"),
    ],
)
def test_more_kinds_of_evidence_must_be_surer(kinds: int, code: str | None) -> None:
    sold = said("I sold the boat.", relevance=0.7)
    vector = np.zeros(4, np.float32) if kinds == 2 else None
    found = allowance("I sit down.", vector=vector).refuses(sold.memory, sold.relevance, [])
    assert _code(found) == code


def test_each_further_passage_must_be_surer() -> None:
    first, second = said("I sold the boat.", relevance=0.8), said("I sold the cart.", relevance=0.8)
    rules = allowance("I sit down.", rules=PassageSettings(), heard=2000)
    assert rules.refuses(first.memory, first.relevance, []) is None
    reason = rules.refuses(second.memory, second.relevance, [first])
    assert isinstance(reason, Reason)
    assert reason.get("threshold") == 0.85


@pytest.mark.parametrize(
    ("role", "heard", "code"),
    [
        pytest.param("user", 2000, "uninvited", id="among many"),
        pytest.param("user", 20, None, id="among few"),
        pytest.param("assistant", 20, "uninvited", id="the character's own, among few"),
    ],
)
def test_less_is_asked_where_little_is_heard_but_for_words_of_its_own(
    role: str, heard: int, code: str | None
) -> None:
    sold, rules = said("I sold the boat.", role, 0.65), PassageSettings()
    assert (
        _code(allowance("I sit down.", rules=rules, heard=heard).refuses(sold.memory, 0.65, []))
        == code
    )


@pytest.mark.parametrize(
    ("text", "reply", "recited"),
    [
        pytest.param(
            "Under the third hearthstone, where nobody looks.",
            "She smiles. It is under the third hearthstone, where my father hid it.",
            False,
            id="five words in common are no quotation",
        ),
        pytest.param(
            "Under the third hearthstone, where nobody looks.",
            "It lies under the third hearthstone where nobody looks, she says.",
            True,
            id="six are",
        ),
        pytest.param(
            "地图就藏在第三块炉石下面，谁也找不到。",
            "她低声说：地图就藏在第三块炉石下面，别告诉别人。",
            True,
            id="十二个字是照搬",
        ),
        pytest.param("地图藏在炉石下面。", "炉石下面藏着地图。", False, id="换了说法"),
    ],
)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_what_would_be_recited(text: str, reply: str, recited: bool, role: str) -> None:
    rules = allowance("Hello.", "Hm.", reply, "Where is it?")
    found = rules.recited(said(text, role).memory)
    assert (found is not None) is (recited and role == "assistant")


@pytest.mark.parametrize(
    ("query", "speaker", "told"),
    [
        pytest.param("What does Mira paint?", "Mira", True, id="it names the character"),
        pytest.param("What do I paint?", "Mira", False, id="it is about somebody else"),
        pytest.param("What do the admirals paint?", "Mira", False, id="inside another word"),
        pytest.param("米拉喜欢画什么？", "米拉", True, id="问到角色的名字"),
        pytest.param("林墨喜欢画什么？", "米拉", False, id="问的是别人"),
        pytest.param("What did you paint?", "Mira", True, id="it asks the character"),
        pytest.param("你画过什么？", "米拉", True, id="问的是角色自己"),
        pytest.param("你还记得我画过什么吗？", "米拉", False, id="只是请角色回想"),
    ],
)
def test_own_words_beside_better_ones(query: str, speaker: str, told: bool) -> None:
    """Words of the character's own that are less to the point come where a question names it."""
    own = said("A heron, in grey.", "assistant", 0.6, speaker=speaker)
    found = allowance(query, room=400).refuses(own.memory, own.relevance, [SHORT])
    assert (found is None) is told
    assert found is None or (isinstance(found, Reason) and found.code == "reply_beside")


PAINTINGS = ["a heron", "the old harbour", "my sister asleep", "two storms", "an empty boat"]
PAINTINGS_ZH = ["一只鹭", "旧码头", "熟睡的妹妹", "两场风暴", "一条空船"]


@pytest.mark.parametrize(
    ("name", "told", "paintings", "queries"),
    [
        pytest.param(
            "Mira",
            ("I saw that you painted pictures.", "I painted {}."),
            PAINTINGS,
            ("What pictures have you painted?", "What pictures has Mira painted?"),
            id="en",
        ),
        pytest.param(
            "米拉",
            ("我看见你画过画。", "我画过一幅画，是{}。"),
            PAINTINGS_ZH,
            ("你画过什么画？", "米拉画过什么画？"),
            id="zh",
        ),
    ],
)
def test_who_asks_the_character_about_itself_hears_all_that_it_said_of_it(
    tmp_path: Path, name: str, told: tuple[str, str], paintings: list[str], queries: tuple[str, str]
) -> None:
    """The answer is what it said, though what others said of it shares more with the question."""
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        role = home.create(name)
        for number, painting in enumerate(paintings):
            said = [Message.user(told[0]), Message.assistant(told[1].format(painting))]
            role.observe(said, chat=f"day {number}", user="lin")
        found = [role.recall(one, chat="now", user="lin", dry_run=True) for one in queries]
    for turn in found:
        assert all(painting in turn.text for painting in paintings), turn.explain()


def test_memories_are_bound_by_none_of_this() -> None:
    one = memory("a", "an author's word")
    assert allowance("I sit down.").refuses(one, 0.1, [SHORT, SHORT]) is None


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("Where did I hide the map?", True),
        ("你还记得我妹妹叫什么吗", True),
        ("Tell me what I said about the boat.", True),
        ("I pour us both some tea and sit down.", False),
        ("我给两个人都倒了茶，坐了下来。", False),
        ("我养了几只鹅？", True),
        ("他送了我几封信？", True),
        ("过几天我再来看你。", False),
        ("I don't like warm weather, right?", True),
        ("我不喜欢热天，对吧？", True),
        ("Right?", False),
        ("对吧？", False),
        ('*leans in* "My brother\'s sword?"', True),
        ("Then the old mill?", True),
        ("Ysolde's birthday?", True),
        ("Password?", True),
        ("My liege?", False),
        ("Your Majesty?", False),
        ("It's raining?", False),
        ("Thirsty?", False),
        ("The mill is old.", False),
        ("等等，你师父的剑？", True),
        ("那座磨坊？", True),
        ("他生日？", True),
        ("我的天？", False),
        ("真的假的？", False),
        ("吃醋了？", False),
        ("那座磨坊很旧。", False),
    ],
)
def test_who_asks(query: str, asked: bool) -> None:
    assert asks(query) is asked


STUDIO = tuple(
    f"The studio on {street} street has {count} tall windows, a sprung floor and a patient landlord."
    for count, street in enumerate(
        "Alder Birch Cedar Damson Elm Fir Gorse Hazel Ivy Juniper".split(), 2
    )
)
STUDIO_ZH = tuple(
    f"{street}街的舞蹈室有{count}扇高窗，地板很有弹性，房东的脾气也好，只是冬天的暖气总要等到傍晚才会热起来，邻居又爱在半夜练琴。"
    for count, street in enumerate("桂花 梧桐 海棠 银杏 石榴 丁香 木槿 紫藤 玉兰 腊梅".split(), 2)
)


@pytest.mark.parametrize(
    ("told", "opening", "question", "limited"),
    [
        pytest.param(
            STUDIO, "I saw a studio.", "Is the studio good?", True, id="it continues the talk"
        ),
        pytest.param(
            STUDIO,
            "It is late.",
            "Which studio has a landlord?",
            False,
            id="it names something new",
        ),
        pytest.param(
            STUDIO,
            "I saw a studio.",
            "Did I tell you of a studio?",
            False,
            id="it asks for the past",
        ),
        pytest.param(
            STUDIO,
            "It is late.",
            "*The studio.* What do you think?",
            True,
            id="what was done names it",
        ),
        pytest.param(STUDIO_ZH, "我看了一间舞蹈室。", "舞蹈室怎么样？", True, id="接着说下去"),
        pytest.param(STUDIO_ZH, "天晚了。", "哪间舞蹈室的房东好？", False, id="提到新的事"),
        pytest.param(STUDIO_ZH, "我看了一间舞蹈室。", "还记得哪些舞蹈室吗？", False, id="问起过去"),
        pytest.param(STUDIO_ZH, "天晚了。", "（指着舞蹈室）你觉得怎么样？", True, id="动作里提到"),
    ],
)
def test_a_question_that_continues_the_talk_gets_a_quarter_of_the_block(
    told: tuple[str, ...], opening: str, question: str, limited: bool, tmp_path: Path
) -> None:
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        role = home.create("Mira")
        for number, text in enumerate(told):
            role.observe([Message.user(text)], chat=f"day {number}")
        window = [Message.user(opening), Message.assistant("Hm."), Message.user(question)]
        turn, whole = (
            role.recall(
                window,
                chat="today",
                settings={"recall.passages.continued_share": share},
                dry_run=True,
            )
            for share in (0.25, 1.0)
        )
    length = sum(len(one.memory.content) for one in turn.recalled)
    assert 0 < len(turn.recalled) <= len(whole.recalled)
    assert (len(turn.recalled) < len(whole.recalled) and length <= 500) == limited


@pytest.mark.parametrize(
    ("query", "heard", "relevance", "code"),
    [
        pytest.param("Where is the mill?", 2000, 0.5, "by_chance", id="one of many"),
        pytest.param("Where is the mill?", 170, 0.5, None, id="one of few"),
        pytest.param("Do you remember the mill?", 2000, 0.4, None, id="it asks for the past"),
        pytest.param("How did we meet?", 2000, 0.4, None, id="it asks for a meeting"),
        pytest.param("Where does Lin go?", 2000, 0.4, None, id="it names who said it"),
        pytest.param("那座磨坊在哪里？", 2000, 0.5, "by_chance", id="许多话里的一句"),
        pytest.param("那座磨坊在哪里？", 170, 0.5, None, id="话还不多"),
        pytest.param("还记得那座磨坊吗？", 2000, 0.4, None, id="问起过去"),
    ],
)
def test_what_may_be_chance_comes_if_the_past_is_asked_for_or_its_speaker_is_named(
    query: str, heard: int, relevance: float, code: str | None
) -> None:
    one = said("The mill is old. 磨坊很旧。", relevance=relevance, speaker="Lin")
    rules = allowance(query, rules=PassageSettings(), heard=heard)
    assert _code(rules.refuses(one.memory, relevance, [SHORT, SHORT])) == code
    assert rules.refuses(one.memory, relevance, [SHORT]) is None, "the best two come"


@pytest.mark.parametrize(
    ("name", "told", "query"),
    [
        (
            "Mira",
            ["Coach said my back looks strong.", "I ate two apples.", "The shower was cold."],
            "What happened on May 1st?",
        ),
        (
            "沈晚",
            ["教练夸我身材练得好。", "我吃了两个苹果。", "淋浴的水太凉。"],
            "5月1号我的心情怎么样？",
        ),
    ],
)
def test_a_question_of_a_day_is_answered_by_what_was_said_on_it(
    tmp_path: Path, name: str, told: list[str], query: str
) -> None:
    """Though they share no word, much else was said since, and two of them would come anyway."""
    first, much = (
        datetime(2023, 5, 1, 20, tzinfo=UTC),
        [*CHATTER[name], *map("{}!".format, CHATTER[name])],
    )
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        role = home.create(name)
        for days, texts in enumerate([told, much]):
            said = [Message.user(text, name="lin") for text in texts]
            role.observe(said, chat=f"{days}", user="lin", now=first + timedelta(2 * days))
        turn = role.recall(query, chat="now", user="lin", now=first + timedelta(6))
    assert {one.memory.content for one in turn.recalled} == set(told)


MILLS = [f"The old mill lost sail {number} in a storm." for number in range(9)]
MILLS_ZH = [f"老磨坊的第{number}片风帆在暴风里断了。" for number in range(9)]


@pytest.mark.parametrize(
    ("told", "beside", "asked"),
    [
        pytest.param(
            MILLS,
            "I walked past the mill. Are you hungry?",
            "Which sail did the mill lose?",
            id="en",
        ),
        pytest.param(MILLS_ZH, "我路过了磨坊。你饿不饿？", "磨坊断了哪片风帆？", id="zh"),
        pytest.param(
            MILLS, "*points at the mill* Are you hungry?", "The mill lost a sail?", id="done"
        ),
    ],
)
def test_what_stands_beside_a_question_brings_no_more_than_talk(
    tmp_path: Path, told: list[str], beside: str, asked: str
) -> None:
    """What was said in the message itself is ordinary talk: only what is asked may fill the block."""
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        role = home.create("Mira")
        for number, text in enumerate(told):
            role.observe([Message.user(text)], chat=f"day {number}", user="lin")
        found = [role.recall(one, chat="now", user="lin", dry_run=True) for one in (beside, asked)]
    assert len(found[0].recalled) <= 4 < len(found[1].recalled)


RING = "My grandmother's silver ring lies under the pear tree by the well."
RING_ZH = "奶奶的银戒指埋在井边的梨树下。"


@pytest.mark.parametrize(
    ("ring", "tree", "dug", "where"),
    [
        pytest.param(
            RING,
            "The pear tree by the mill blossoms early.",
            "I dug up grandmother's silver ring under the pear tree.",
            "Which pear tree is my grandmother's silver ring under?",
            id="en",
        ),
        pytest.param(
            RING_ZH,
            "磨坊旁的梨树开花很早。",
            "我把奶奶的银戒指从梨树下挖出来了。",
            "奶奶的银戒指埋在哪棵梨树下？",
            id="zh",
        ),
    ],
)
def test_what_nobody_asks_for_comes_only_beside_what_fits_little_better(
    tmp_path: Path, ring: str, tree: str, dug: str, where: str
) -> None:
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        role = home.create("Mira")
        role.observe([Message.user(tree)], chat="tree", user="lin")
        alone = role.recall(dug, chat="now", user="lin", dry_run=True)
        role.observe([Message.user(ring)], chat="ring", user="lin")
        beside = role.recall(dug, chat="now", user="lin", dry_run=True)
        asked = role.recall(where, chat="now", user="lin", dry_run=True)
        (left,) = beside.left_out()
    told = [{one.memory.content for one in turn.recalled} for turn in (alone, beside, asked)]
    assert told == [{tree}, {ring}, {ring, tree}]
    assert left.because is not None
    assert left.because.code == "beside_better"


@pytest.mark.parametrize(
    ("told", "query"),
    [
        pytest.param("My sister is called Nora.", "My sister's name?", id="en"),
        pytest.param("我妹妹叫小禾，嫁给了面包师。", "我妹妹的名字？", id="zh"),
    ],
)
def test_a_noun_with_a_question_mark_is_answered(tmp_path: Path, told: str, query: str) -> None:
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        mira = home.create("Mira")
        mira.observe([Message.user(told)], "Hm.", chat="one", user="lin")
        found = mira.recall(query, chat="two", user="lin").recalled
        assert [one.memory.content for one in found] == [told]
