"""Preset `anh`, the world-book design: four kinds of memory, four strategies, one headed block in the system prompt (S1)."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rolememory.engine import ROLE_MEMORY_HEADING, Home
from tests.designs.chats import Chatting, a, chatting, u

LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])
KINDS: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "en": {
        "episodic": ("The lamp of the tower failed in the storm.", "storm", "Was there a storm?"),
        "semantic": ("The tower has ninety steps.", "steps", "How many steps are there?"),
        "traits": ("Mira is patient with guests.", "patient", "Are you patient?"),
        "goals": ("Mira wants to repair the lamp.", "repair", "Will you repair it?"),
    },
    "zh": {
        "episodic": ("暴风雨那夜，塔上的灯灭了。", "暴风雨", "那次暴风雨怎么样？"),
        "semantic": ("塔有九十级台阶。", "台阶", "台阶有多少级？"),
        "traits": ("明月待客很有耐心。", "耐心", "你有耐心吗？"),
        "goals": ("明月想修好那盏灯。", "修好", "你会修好它吗？"),
    },
}
HEADINGS = {
    "en": ("Traits", "Goals", "Knowledge and facts", "Experiences"),
    "zh": ("性格特征", "目标", "知识与事实", "经历"),
}
HISTORY = [{"role": "assistant", "content": "…"}]
WORDS = {"embedding.backend": "off"}


def entries(language: str) -> list[dict[str, Any]]:
    """One entry of each kind with the fields of the design."""
    types = {"episodic": "episodic", "semantic": "semantic", "traits": "trait", "goals": "goal"}
    return [
        {
            "id": kind,
            "type": types[kind],
            "content": content,
            "keywords": [key],
            "triggerType": "keyword",
            "priority": 50,
            "isConstant": False,
            "roleUuid": "",
            "timestamp": "2025-03-01T12:00:00Z",
            "relevanceWeight": 1.0,
            "emotionalWeight": 0.5,
            "timeDecayFactor": 1.0,
            "relatedTopics": [],
            "emotionalContext": [],
        }
        for kind, (content, key, _) in KINDS[language].items()
    ]


def written(mira: Chatting, language: str) -> None:
    """The four arrays as the design stores them."""
    role = mira.house.home.role("Mira")
    one = {entry["id"]: [entry] for entry in entries(language)}
    (role.folder / "memory.json").write_text(json.dumps({"version": 1, **one}), "utf-8")


@LANGUAGES
@pytest.mark.parametrize("kind", ["episodic", "semantic", "traits", "goals"])
def test_each_kind_is_woken_by_its_keyword(tmp_path: Path, language: str, kind: str) -> None:
    """S1.1, S1.3, S1.8, S1.9, S1.13, S1.14, S1.22, S1.37: `{memoryDir}/{roleUuid}/memory.json`, with the design's own fields."""
    with chatting(tmp_path, preset="anh", language=language, settings=WORDS) as mira:
        written(mira, language)
        content, _, asked = KINDS[language][kind]
        assert content in mira.say(asked)


@LANGUAGES
def test_the_block_has_its_heading_once_and_one_for_each_kind(
    tmp_path: Path, language: str
) -> None:
    """S1.5, S1.19, S1.29, N.8: `## 角色记忆` or the English of it, the kinds under it, and dates only before what happened."""
    with chatting(tmp_path, preset="anh", language=language, settings=WORDS) as mira:
        written(mira, language)
        block = mira.say(" ".join(asked for _, _, asked in KINDS[language].values()))
        lines = block.split("\n")
        heading = {"en": "## Role memory", "zh": ROLE_MEMORY_HEADING}[language]
        assert lines[1] == heading
        assert str(mira.sent).count(heading) == 1
        assert [one for one in lines if one.startswith("### ")] == [
            f"### {one}" for one in HEADINGS[language]
        ]
        dated = [one for one in lines if "2025" in one]
        assert len(dated) == 1
        assert KINDS[language]["episodic"][0] in dated[0]


@LANGUAGES
def test_the_call_of_the_design_gives_the_bare_text(tmp_path: Path, language: str) -> None:
    """S1.35, N.8: `processMessageWithMemory`; the caller writes blank line and heading, so it stands once."""
    with chatting(tmp_path, preset="anh", language=language, settings=WORDS) as mira:
        written(mira, language)
        home, role = mira.house.home, mira.mind
        content, _, asked = KINDS[language]["traits"]
        full = home.process_message_with_memory(role.id, asked, HISTORY).full_content
        assert full.split("\n") == [f"### {HEADINGS[language][0]}", f"- {content}"]
        nothing = {"en": "Pass the salt.", "zh": "把盐递过来。"}[language]
        assert home.process_message_with_memory(role.id, nothing, []).full_content == ""


@LANGUAGES
def test_meaning_wakes_without_a_keyword(tmp_path: Path, language: str) -> None:
    """S1.7, S1.23: the strategy by meaning."""
    content = KINDS[language]["semantic"][0]
    asked = {"en": "Tell me of the ninety steps of the tower.", "zh": "塔的九十级台阶，说说看。"}
    with chatting(tmp_path, preset="anh", language=language) as mira:
        mira.tell(content)
        assert content in mira.say(asked[language])
        off = {"triggers.semantic.enabled": False}
        assert not mira.mind.recall(asked[language], user="lin", settings=off).recalled


@LANGUAGES
def test_feeling_wakes_what_feels_alike(tmp_path: Path, language: str) -> None:
    """S1.4, S1.25: the strategy by emotion."""
    sad = {"en": "The dog died.", "zh": "那只狗死了。"}[language]
    said = {
        "en": "I am so sad, I cannot stop crying.",
        "zh": "我好难过，忍不住一直哭。",
    }[language]
    with chatting(tmp_path, preset="anh", language=language, settings=WORDS) as mira:
        mira.tell(sad, emotions=["sadness"])
        assert sad in mira.say(said)
        off = {"triggers.emotional.wakes": False}
        assert not mira.mind.recall(said, user="lin", settings=off).recalled


STRATEGIES = """
preset = "anh"
[triggerStrategies]
keywordMatching = true
semanticSimilarity = true
temporalProximity = {temporal}
emotionalRelevance = true
[retrievalConfig]
relevanceThreshold = 0.3
timeDecayEnabled = true
emotionalBoostEnabled = true
[retrievalConfig.maxMemoriesPerType]
episodic = 2
semantic = 5
traits = 3
goals = 3
[injectionConfig]
maxTotalLength = 2000
injectPosition = "system"
separateByType = true
"""


def test_temporal_proximity_switches_time_decay(tmp_path: Path) -> None:
    """S1.16, S1.24, N.9: with the strategy an old memory scores lower, without it no lower than a new one."""
    scores = {}
    for temporal in (True, False):
        folder = tmp_path / str(temporal)
        folder.mkdir()
        toml = STRATEGIES.format(temporal=str(temporal).lower())
        with chatting(folder, toml=toml, settings=WORDS) as mira:
            now = datetime.now(UTC)
            for name, days in (("old", 300), ("new", 0)):
                role = mira.house.home.role("Mira")
                told = f"The lamp failed on the {name} night."
                role.remember(told, "episodic", id=name, created=now - timedelta(days=days))
            turn = mira.mind.recall("Did the lamp fail?")
            scores[temporal] = {one.memory.id: one.score for one in turn.recalled}
    assert scores[True]["old"] < scores[True]["new"]
    assert scores[False]["old"] == scores[False]["new"]


@pytest.mark.parametrize(
    ("language", "content", "said"),
    [
        ("en", "The lamp failed that night.", "The lamp, it failed."),
        ("zh", "那天夜里灯灭了。", "灯，灭了。"),
    ],
)
def test_an_entry_of_the_design_fades_by_its_timestamp_and_factor(
    tmp_path: Path, language: str, content: str, said: str
) -> None:
    """S1.13, S1.24: `timestamp` and `timeDecayFactor` of the design's own file count, whatever the type."""
    now = datetime(2026, 11, 27, tzinfo=UTC)
    days_and_factors = {"new": (0, 1.0), "slow": (30, 0.2), "old": (30, 1.0), "kept": (30, 0.0)}
    with Home.open(tmp_path, {"preset": "anh", **WORDS}) as home:
        mira = home.role("Mira", create=True)
        told = [
            {
                "id": name,
                "content": content,
                "timestamp": int((now - timedelta(days=days)).timestamp() * 1000),
                "timeDecayFactor": factor,
            }
            for name, (days, factor) in days_and_factors.items()
        ]
        (mira.folder / "memory.json").write_text(json.dumps({"traits": told}), "utf-8")
        found = mira.search(said, now=now)
        score = {one.memory.id: one.score for one in found}
    assert score["new"] == score["kept"] > score["slow"] > score["old"] > 0


def test_the_limits_of_a_type_hold(tmp_path: Path) -> None:
    """S1.15, S1.17, S1.18: `maxMemoriesPerType`, by the design's own names."""
    toml = STRATEGIES.format(temporal="true")
    with chatting(tmp_path, toml=toml, settings=WORDS) as mira:
        told = [f"The lamp of tower {number} failed." for number in range(5)]
        for one in told:
            mira.tell(one, type="episodic")
        block = mira.say("Which lamp failed?")
        assert sum(one in block for one in told) == 2


@LANGUAGES
@pytest.mark.parametrize(
    ("template", "head"),
    [("# {{ char }}\n{{ memories }}\n.", "# Mira"), ("# Role\n{memories}\n.", "# Role")],
)
def test_a_template_may_be_given_as_text(
    tmp_path: Path, language: str, template: str, head: str
) -> None:
    """S1.19, N.9: `injectionConfig.template` takes the text of a template, or one with `{memories}` as in prompts."""
    content, _, asked = KINDS[language]["semantic"]
    toml = f"""
preset = "anh"
[injectionConfig]
template = '''{template}'''
"""
    with chatting(tmp_path, language=language, toml=toml, settings=WORDS) as mira:
        mira.tell(content)
        assert mira.say(asked) == f"<rolememory>\n{head}\n- {content}\n.\n</rolememory>"


@LANGUAGES
def test_the_length_is_limited(tmp_path: Path, language: str) -> None:
    """S1.29: `maxTotalLength` holds for the whole block, and no line is cut."""
    with chatting(tmp_path, preset="anh", language=language, settings=WORDS) as mira:
        content, _, asked = KINDS[language]["semantic"]
        told = [f"{content} {'x' * 600}{number}" for number in range(5)]
        mira.tell(*told)
        block = mira.say(asked)
        assert 0 < len(block) <= 2000
        assert sum(one in block for one in told) == 3


def test_roles_are_isolated(tmp_path: Path) -> None:
    """S1.20: each role has its own space."""
    content, _, asked = KINDS["en"]["semantic"]
    with Home.open(tmp_path, {"preset": "anh", **WORDS}) as home:
        first, second = home.role("Asha", create=True), home.role("Bo", create=True)
        first.remember(content)
        assert content not in second.recall(asked).text
        assert content in first.recall(asked).text


@LANGUAGES
def test_what_was_said_is_kept_and_comes_back(tmp_path: Path, language: str) -> None:
    """S1.2, S1.6: the dialogue itself is long-term memory."""
    said = {"en": "My sister Anna keeps bees in Riga.", "zh": "我妹妹安娜在里加养蜂。"}[language]
    asked = {"en": "Where does my sister keep bees?", "zh": "我妹妹在哪里养蜂？"}[language]
    with chatting(tmp_path, preset="anh", language=language) as mira:
        mira.say(said)
        assert said in mira.say(u("…"), a("…"), u(asked), chat="two")


def test_settings_are_live(tmp_path: Path) -> None:
    """S1.15, S1.36: an edit of the file holds for the next message; `enabled = false` is silence."""
    content, _, asked = KINDS["en"]["semantic"]
    with chatting(tmp_path, preset="anh", settings=WORDS) as mira:
        mira.tell(content)
        assert content in mira.say(asked)
        (tmp_path / "rolememory.toml").write_text('preset = "anh"\nenabled = false\n', "utf-8")
        assert mira.say(asked, chat="two") == ""
