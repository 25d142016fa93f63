"""Reasons, refusals and changes as people read them."""

import re
from pathlib import Path

import pytest

import rolememory
from rolememory.locales import translated
from rolememory.recall.lore.gates import STAGES
from rolememory.schema.evidence import Change, Reason, Refusal, Value
from rolememory.schema.wording import _REASONS, word, word_change, word_gate
from rolememory.text.affect import EMOTIONS


def reason(code: str, **values: Value) -> Reason:
    return Reason(code, tuple(values.items()))


@pytest.mark.parametrize(
    ("told", "english", "chinese"),
    [
        (reason("key", key="beacon", message=0), "'beacon' in message 1", "第1条消息里的“beacon”"),
        (
            reason("key", key="灯塔", message=2, keys=3),
            "'灯塔' in message 3, one of 3 keys",
            "第3条消息里的“灯塔”等3个关键词",
        ),
        (reason("key", key="beacon", message=-1), "'beacon'", "“beacon”"),
        (reason("key"), "none of its keys is in the messages read", "读到的消息里没有它的关键词"),
        (
            reason("pattern", key="/oil.*/", message=0, text="oil lamp"),
            "'oil lamp' in message 1 fits /oil.*/",
            "第1条消息里的“oil lamp”符合 /oil.*/",
        ),
        (reason("meaning", cosine=0.712, words=0.0, terms=""), "0.71 alike", "语义相近 0.71"),
        (
            Reason("meaning", (("cosine", 0.0), ("words", 0.0), ("terms", ""), ("own", 0.04))),
            "next to a matching line (0.04 of its own)",
            "挨着一句切题的话（自身 0.04）",
        ),
        (
            reason("meaning", cosine=0.0, words=0.5, terms="storm, oil"),
            "in common: storm, oil",
            "共有“storm, oil”",
        ),
        (
            reason("meaning", cosine=0.71, words=0.5, terms="storm"),
            "0.71 alike, shares storm",
            "语义相近 0.71，共有“storm”",
        ),
        (reason("age", days=12, freshness=0.5), "12 days old", "12天前"),
        (reason("age", days=1, freshness=0.9), "1 day old", "1天前"),
        (reason("age", turns=30, freshness=0.9), "30 turns old", "30轮之前"),
        (reason("feeling", emotion="sadness", words="泪"), "sadness, as in 泪", "悲伤，从“泪”读出"),
        (
            reason("mood", emotion="joy", words="", fit=0.2),
            "joy, by the mood",
            "喜悦，与当下情绪相比",
        ),
        (reason("constant"), "in every prompt", "每轮都放进提示词"),
        (reason("weight", weight=1.5), "weight 1.50", "权重 1.50"),
        (reason("priority", priority=90), "priority 90", "优先级 90"),
        (
            reason("expired", at="1887-11-02 00:00:00+00:00"),
            "it expired on 1887-11-02",
            "已于1887-11-02过期",
        ),
        (
            reason("below_threshold", relevance=0.21, threshold=0.3),
            "relevance 0.21 is below 0.30",
            "相关度 0.21，低于 0.30",
        ),
        (
            reason("type_limit", type="trait", limit=3),
            "3 of type trait are in already",
            "特质类已有3条",
        ),
        (
            reason("short_query", length=1),
            "the message has only 1 character",
            "消息太短，只有1个字",
        ),
        (reason("brand_new", x=1, y="z"), "brand_new x=1 y=z", "brand_new x=1 y=z"),
        (reason("brand_new"), "brand_new", "brand_new"),
    ],
)
def test_reason_in_words(told: Reason, english: str, chinese: str) -> None:
    assert word(told, "en") == english
    assert word(told, "zh") == chinese


@pytest.mark.parametrize(
    ("change", "english", "chinese"),
    [
        (
            Change("settings", "recall.relevance_threshold", 0.287),
            "set recall.relevance_threshold to 0.287",
            "把 recall.relevance_threshold 设为 0.287",
        ),
        (
            Change("settings", "recall.enabled", True),
            "set recall.enabled to true",
            "把 recall.enabled 设为 true",
        ),
        (
            Change("settings", "recall.sources", ("manual", "ai_output")),
            "set recall.sources to manual, ai_output",
            "把 recall.sources 设为 manual、ai_output",
        ),
        (
            Change("memory", "keys", ("old", "storm")),
            "give it the key 'storm'",
            "给它加上关键词“storm”",
        ),
        (Change("memory", "constant", True), "make it constant", "设为常驻"),
        (Change("memory", "archived", False), "take it out of the archive", "取消归档"),
        (Change("memory", "archived", True, entry_id="b"), "archive 'b'", "归档“b”"),
        (Change("memory", "expires", None), "take away its expiry date", "去掉过期时间"),
        (Change("memory", "tags", ()), "set its tags to none", "把标签改为“无”"),
        (Change("memory", "triggers", ()), "let every strategy wake it", "允许所有策略唤起它"),
        (Change("memory", "weight", 1.5), "set its weight to 1.5", "把它的 weight 改为 1.5"),
        (Change("message", "content", "storm"), "say 'storm'", "在消息里提到“storm”"),
    ],
)
def test_change_in_words(change: Change, english: str, chinese: str) -> None:
    assert word_change(change, "en") == english
    assert word_change(change, "zh") == chinese


def test_refusal_names_the_way_in() -> None:
    refused = Refusal("a", "archived", Reason("archived"), Change("memory", "archived", False))
    assert word_gate(refused, "en") == "it is archived; take it out of the archive"
    assert word_gate(refused, "zh") == "已归档；可取消归档"


SOURCES = [
    path.read_text(encoding="utf-8")
    for path in sorted(Path(rolememory.__file__).parent.rglob("*.py"))
]
CODES = sorted(
    {code for source in SOURCES for code in re.findall(r"""\bReason\(\s*"(\w+)\"""", source)}
    | set(STAGES)
)


def test_every_code_has_a_sentence() -> None:
    assert {*CODES} - {*_REASONS} == set()


@pytest.mark.parametrize("label", EMOTIONS)
def test_emotions_are_named_as_elsewhere(label: str) -> None:
    told = word(reason("feeling", emotion=label), "zh")
    assert told == translated(label, "zh", "emotion") != label
