"""Statements compared by their words: what clashes, what agrees, what only looks alike; and the words themselves."""

import json
from itertools import chain
from typing import Any

import pytest

from rolememory.learn.reconcile import Known, reconcile
from rolememory.learn.reconcile.by_words import clash, restates
from rolememory.learn.reconcile.finding import IDENTITY, NUMBER
from rolememory.learn.reconcile.lexicon import lexicon
from rolememory.learn.reconcile.quantities import quantities
from rolememory.learn.reconcile.reading import read
from rolememory.schema.claims import ATTRIBUTES
from rolememory.shipped import shipped
from tests.bench.contradictions import PARTS, by_all, by_words, crowd, drafts, rows, scores

CLASHING = [
    ("denied", "The user smokes.", "The user does not smoke."),
    ("denied", "The user drinks coffee every morning.", "The user stopped drinking coffee."),
    ("denied", "The user owns a motorcycle.", "The user sold the motorcycle."),
    ("denied", "The user plans to visit Japan in May.", "The user cancelled the trip to Japan."),
    ("denied", "The user is writing a novel.", "The user gave the novel up."),
    ("denied", "The user lives in Rome.", "The user used to live in Rome."),
    ("denied", "The user doesn't have a car.", "The user bought a car."),
    ("denied", "Mira has never left the island.", "Mira left the island."),
    ("opposite", "The gate is locked.", "The gate is unlocked."),
    ("opposite", "Mira hates running.", "Mira has come to love running."),
    ("exclusive", "The user's hair is red.", "The user's hair is black."),
    (
        "exclusive",
        "The user's favourite season is spring.",
        "The user's favourite season is autumn in the north.",
    ),
    ("number", "The user weighs 80 kg.", "The user weighs 75 kg."),
    ("number", "The user has three children.", "The user has four children."),
    ("moved", "The user has an exam on Friday.", "The user's exam was postponed to Monday."),
    ("denied", "The user has a girlfriend named Lily.", "The user broke up with Lily."),
    ("ended", "The user has a girlfriend named Lily.", "The user and Lily broke up."),
    ("ended", "The user has a dog called Rex.", "Rex died last month."),
    ("ended", "The user is single.", "The user got engaged."),
    ("ended", "The user owes Ben 50 euros.", "The user paid Ben back."),
    ("switched", "The user's cat is named Momo.", "The user renamed the cat to Kiki."),
    ("switched", "The user lives in Lyon.", "The user moved to Oslo."),
    ("denied", "用户抽烟。", "用户不抽烟了。"),
    ("denied", "用户有一辆摩托车。", "用户把摩托车卖了。"),
    ("denied", "用户打算五月去日本。", "用户取消了去日本的计划。"),
    ("denied", "用戶對堅果過敏。", "用户对坚果不过敏。"),
    ("denied", "用户住在罗马。", "用户以前住在罗马。"),
    ("denied", "用户没有车。", "用户买车了。"),
    ("opposite", "米拉讨厌跑步。", "米拉爱上了跑步。"),
    ("number", "用户体重80公斤。", "用户体重七十五公斤。"),
    ("moved", "用户周五有考试。", "考试推迟到周一了。"),
    ("ended", "用户的女朋友叫莉莉。", "用户和莉莉分手了。"),
    ("ended", "用户怀孕了。", "用户生了个男孩。"),
    ("ended", "用户是学生。", "用户毕业了。"),
    ("switched", "用户的猫叫摸摸。", "用户的猫改名叫琪琪了。"),
]
AGREEING = [
    ("The user can't stand mushrooms.", "The user hates mushrooms."),
    ("The user is 180 cm tall.", "The user is 1.80 m tall."),
    ("The user never eats pork.", "The user doesn't eat pork."),
    ("The user's birthday is on March 3rd.", "The user was born on the 3rd of March."),
    ("The user gets up at 6 am.", "The user wakes up at six o'clock."),
    ("用户受不了香菜。", "用户讨厌香菜。"),
    ("用户的生日是三月三号。", "用户是3月3日出生的。"),
    ("用户身高一米八。", "用户身高180厘米。"),
    ("用戶討厭貓。", "用户不喜欢猫。"),
    ("用户讨厌猫。", "The user hates cats."),
]
LOOK_ALIKES = [
    ("The user likes tea.", "The user likes coffee."),
    ("The user has a sister.", "The user has no brother."),
    ("The user weighs 80 kg.", "The user lifted 75 kg."),
    ("The user lived in Rome for two years.", "The user moved to Oslo in May."),
    ("The user met Anna in Rome.", "The user no longer lives in Rome."),
    ("The user has a dog called Rex.", "The user's fish died last month."),
    ("The user dreams of living in Kyoto.", "The user moved to Berlin."),
    ("The user likes dogs more than cats.", "The user likes cats more than dogs."),
    ("The user plans to go to Lima with Ann.", "The user plans to go to Ann with Lima."),
    ("The user smokes.", "Should the user quit smoking?"),
    ("The user smokes.", "The user should quit smoking."),
    ("The user smokes.", "The user wants to quit smoking."),
    ("The user is quite happy.", "The user is happy if it rains."),
    ("The user works at a bank.", "The user graduates in June."),
    ("The user eats pork.", "The user does not eat spicy pork."),
    ("The user goes to the gym on Mondays.", "Change of plan: meet me at the old mill instead."),
    ("Mira loves the sea.", "Mira does not love the captain."),
    ("Mira guards the east gate.", "Aldric guards the west gate."),
    ("用户喜欢喝茶。", "用户喜欢喝咖啡。"),
    ("用户抽烟。", "用户应该戒烟。"),
    ("用户睡了八个小时。", "用户昨晚睡了五个小时。"),
    ("用户有三个孩子。", "用户有四个表弟。"),
    ("用户在罗马认识了安娜。", "用户不住在罗马了。"),
    ("用户养了一只叫雷克斯的狗。", "用户的金鱼死了。"),
    ("用户和小明去了北京。", "用户没和小红去北京。"),
    ("用户怕坐飞机。", "用户不怕开车。"),
    ("用户把地图藏在井里。", "用户在桥边遇见了小山，那时还没有井。"),
    ("用户梦想住在京都。", "用户上个月搬到成都了。"),
]


@pytest.mark.parametrize(
    ("shape", "old", "new"), CLASHING, ids=[f"{old} - {new}" for _, old, new in CLASHING]
)
def test_clash(shape: str, old: str, new: str) -> None:
    assert clash(read(old), read(new)) == shape
    assert not restates(read(old), read(new))


@pytest.mark.parametrize(("one", "other"), AGREEING, ids=[" = ".join(pair) for pair in AGREEING])
def test_restatement(one: str, other: str) -> None:
    assert restates(read(one), read(other))
    assert restates(read(other), read(one))
    assert clash(read(one), read(other)) is None


@pytest.mark.parametrize(
    ("old", "new"), LOOK_ALIKES, ids=[" / ".join(pair) for pair in LOOK_ALIKES]
)
def test_look_alikes_stand_side_by_side(old: str, new: str) -> None:
    assert clash(read(old), read(new)) is None
    assert not restates(read(old), read(new))


@pytest.mark.parametrize(
    ("text", "numbers", "times"),
    [
        ("we have three hundred and twelve people", {(312.0, "person")}, set()),
        ("they pay me $12 an hour", {(12.0, "usd")}, set()),
        ("i go there twice a week", {(2.0, "times a week")}, set()),
        ("the locker is 214", {(214.0, "")}, set()),
        ("on the 5th at half past nothing", set(), {"date 5"}),
        ("in 2019, or on friday at 4:30 pm", set(), {"year 2019", "day 5", "clock 16:30"}),
        ("我三百一十二岁", {(312.0, "year")}, set()),
        ("一点也不喜欢一个人", set(), set()),
        ("周二下午三点半，或者2020年", set(), {"day 2", "clock 15:30", "year 2020"}),
        ("六月去，五号回", set(), {"month 6", "date 5"}),
        ("身高一米八，体重六十公斤", {(180.0, "cm"), (60.0, "kg")}, set()),
        ("nothing to count here", set(), set()),
    ],
)
def test_quantities(text: str, numbers: set[tuple[float, str]], times: set[str]) -> None:
    found = quantities(text)
    assert {one.number for one in found if one.number} == numbers
    assert {one.time for one in found if one.time} == times


def test_hostile_texts_are_read_in_bounded_length() -> None:
    for text in (
        "not " * 20_000,
        "不" * 20_000,
        "one hundred " * 9_000,
        "一" * 20_000,
        "\ue000" * 500,
        "",
        "!!!",
        "at at at 5 5 5" * 2_000,
    ):
        assert len(read(text).words) < 200


def _raw(name: str) -> Any:
    return json.loads(
        shipped("worldbook_rules", "lexicons", f"{name}.json").read_text(encoding="utf-8")
    )


RELATIONS = _raw("reconcile")
NAMED = {
    *chain.from_iterable(RELATIONS["opposites"]),
    *chain.from_iterable(RELATIONS["rivals"]),
    *chain.from_iterable(
        names for one in RELATIONS["ends"] for names in (one["told"], one["ends"])
    ),
    *chain.from_iterable(
        RELATIONS[section]
        for section in (
            "light",
            "faint",
            "only",
            "switchable",
            "unique",
            "transitive",
            "lasting",
            "intents",
        )
    ),
    *chain.from_iterable(RELATIONS["attributes"].values()),
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_meaning_that_is_related_is_worded(language: str) -> None:
    words = _raw(f"reconcile.{language}")
    assert (
        NAMED - {NUMBER, IDENTITY}
        <= words["mean"].keys() | words["things"].keys() | words["people"].keys()
    )
    assert all(
        phrases for section in ("mean", "things", "people") for phrases in words[section].values()
    )


def test_attributes_and_spellings_are_known() -> None:
    assert RELATIONS["attributes"].keys() <= ATTRIBUTES.keys()
    assert "歡".translate(lexicon().spelling) == "欢"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("part", PARTS)
def test_measured_pairs_stay_as_good_as_they_were(language: str, part: str) -> None:
    for judge in (by_words, by_all):
        found: Any = scores(rows(language, part), judge)
        assert found["contradicts"]["precision"] >= 0.94
        assert found["contradicts"]["recall"] >= 0.5
        assert found["same"]["precision"] >= 0.85
        assert found["lost"] <= 1


def test_facts_in_other_words_outdate_nothing_in_a_crowd() -> None:
    known = Known(crowd(600))
    replaced = [
        verdict for verdict in reconcile(drafts(60), known) if verdict.action == "supersede"
    ]
    honest = [
        verdict
        for verdict in replaced
        if any(sign in verdict.draft.content for sign in ("no longer", "不再"))
    ]
    lives = [
        verdict
        for verdict in replaced
        if any(sign in verdict.draft.content for sign in ("lives in", "住在"))
    ]
    assert len(replaced) == len(honest) + len(lives)
