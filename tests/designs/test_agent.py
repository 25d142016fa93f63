"""Preset `agent`: facts by fives, weights that follow use, memories as a system message of their own (S4)."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rolememory.engine import Home
from tests.cli.running import Command
from tests.designs.chats import Chatting, a, chatting, u
from tests.endpoint import Endpoint
from tests.serve.proxy.upstreams import streams

LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])
TALK = {
    "en": [
        ("I moved the API to Go.", "Good choice."),
        ("It rained today.", "Take an umbrella."),
        ("The tests are green.", "Well done."),
        ("I had soup for lunch.", "Sounds warm."),
        ("The train was late.", "Again?"),
        ("Good night.", "Sleep well."),
    ],
    "zh": [
        ("我把 API 换成 Go 写了。", "选得好。"),
        ("今天下雨了。", "记得带伞。"),
        ("测试都通过了。", "干得好。"),
        ("中午喝了汤。", "听着就暖和。"),
        ("火车又晚点了。", "又晚点？"),
        ("晚安。", "好梦。"),
    ],
}
FACT = {"en": "The user writes the API in Go.", "zh": "用户用 Go 写 API。"}
ASKED = {"en": "In which language is the API?", "zh": "API 是用什么语言写的？"}
ANSWER = {"en": "Go: whatever that user writes is in Go.", "zh": "记得用户用 Go 写的。"}
WORDS = {"embedding.backend": "off"}


def go(language: str, **fields: Any) -> list[dict[str, Any]]:
    """A Fact as the design's Go code writes it."""
    fact = {"Content": FACT[language], "Type": "project", "Tags": ["go"], "Confidence": 0.9}
    return [fact | {"Replace": ""} | fields]


def talked(mira: Chatting, language: str, turns: int) -> None:
    """So many rounds of a chat, as a frontend sends them: the whole history each time."""
    history: list[tuple[str, str]] = []
    for said, reply in TALK[language][:turns]:
        mira.say(*history, u(said), reply=reply)
        history += [u(said), a(reply)]


def contents(mira: Chatting) -> list[str]:
    """The memories."""
    return [one.content for one in mira.mind.memories.values()]


@LANGUAGES
def test_five_dialogues_make_facts_that_are_recalled(tmp_path: Path, language: str) -> None:
    """S4.2, S4.10, S4.18, S4.21 to S4.24, S4.27, S4.28, S4.36, N.2: one call for five rounds, in the design's own format."""
    with chatting(
        tmp_path, preset="agent", language=language, steps={"extraction": go(language)}
    ) as mira:
        talked(mira, language, 4)
        assert (contents(mira), mira.asked) == ([], [])
        mira.mind.chats.path("one")
        talked(mira, language, 6)
        assert contents(mira) == [FACT[language]]
        assert mira.asked == ["extraction"]
        (asked,) = (one for one in mira.model.requests if one.form)
        assert all(said in asked.said for said, _ in TALK[language][:5])
        assert FACT[language] in mira.say(ASKED[language], chat="two")


@LANGUAGES
def test_the_memory_context_is_a_system_message_of_its_own(tmp_path: Path, language: str) -> None:
    """S4.26, N.7: system prompt, memory context, history."""
    with chatting(tmp_path, preset="agent", language=language, settings=WORDS) as mira:
        mira.tell(FACT[language])
        history = [u("…"), a("Hm."), u(ASKED[language])]
        block = mira.say(*history)
        assert FACT[language] in block
        assert mira.sent == [("system", mira.card), ("system", block), *history]


@LANGUAGES
def test_what_is_not_sure_is_not_kept(tmp_path: Path, language: str) -> None:
    """S4.10, S4.28: `min_confidence`."""
    steps = {"extraction": go(language, Confidence=0.5)}
    with chatting(tmp_path, preset="agent", language=language, steps=steps) as mira:
        talked(mira, language, 6)
        assert (contents(mira), mira.asked) == ([], ["extraction"])


def test_no_extractor_unless_it_is_enabled(tmp_path: Path) -> None:
    """S4.9, S4.25: `memory_agent.enabled = false` asks no model."""
    toml = (
        'preset = "agent"\n[memory_agent]\nenabled = false\nbase_url = "SERVER"\nmodel = "small"\n'
    )
    steps = {"extraction": go("en")}
    with chatting(tmp_path, toml=toml, steps=steps, settings=WORDS) as mira:
        talked(mira, "en", 6)
        assert (contents(mira), mira.asked) == ([], [])


@LANGUAGES
def test_the_authors_prompt_is_read(tmp_path: Path, language: str) -> None:
    """S4.22, N.9: `agents/memory_extractor.md` of the home before the one that ships."""
    prompt = {"en": "Collect what matters.\n{conversation}", "zh": "收集要点。\n{conversation}"}
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "memory_extractor.md").write_text(prompt[language], "utf-8")
    settings = {"learn.batch_size": 1}
    with chatting(
        tmp_path,
        preset="agent",
        language=language,
        steps={"extraction": go(language)},
        settings=settings,
    ) as mira:
        talked(mira, language, 2)
        assert contents(mira) == [FACT[language]]
        asked = next(one for one in mira.model.requests if one.form).said
        assert asked.startswith(prompt[language].split("\n")[0])
        assert TALK[language][0][0] in asked


INJECT = """
preset = "agent"
[memory]
enabled = true
max_history = 30
[memory.short_term]
max_items = 10
compression_threshold = 15
[memory.long_term]
enabled = true
vector_index = "none"
max_return = 2
archive_threshold = 0.3
[memory.inject]
first_round_empty = {first}
short_term_count = {count}
long_term_trigger = "{trigger}"
min_query_length = 4
"""


def inject(first: str = "false", count: int = 0, trigger: str = "always") -> str:
    """The design's own configuration."""
    return INJECT.format(first=first, count=count, trigger=trigger)


def test_the_four_settings_of_short_term_memory_are_four(tmp_path: Path) -> None:
    """S4.5 to S4.8, S4.12, N.9: each by its own name, none in the place of another."""
    with chatting(tmp_path, toml=inject(count=3), settings=WORDS) as mira:
        memory, recall = mira.mind.settings.memory, mira.mind.settings.recall
        assert (
            memory.max_history,
            memory.short_term_items,
            memory.short_term_count,
            memory.compression_threshold,
        ) == (30, 10, 3, 15)
        assert (recall.max_items, memory.archive_threshold) == (2, 0.3)


@LANGUAGES
def test_the_first_round_and_a_short_query_are_empty(tmp_path: Path, language: str) -> None:
    """S4.8, S4.19, S4.20: no memory on the first message, nor for one of less than `min_query_length`."""
    with chatting(tmp_path, language=language, toml=inject(first="true"), settings=WORDS) as mira:
        mira.tell(FACT[language])
        assert mira.say(ASKED[language]) == ""
        history = [u(ASKED[language]), a("Hm.")]
        assert FACT[language] in mira.say(*history, u(ASKED[language] + "!"))
        assert mira.say(*history, u("API")) == ""


@LANGUAGES
def test_technical_terms_trigger_long_term_memory(tmp_path: Path, language: str) -> None:
    """S4.20, N.9: `long_term_trigger = "keywords"` has words of its own in both languages."""
    plain = {"en": "What did the user write?", "zh": "用户写了什么？"}[language]
    with chatting(
        tmp_path, language=language, toml=inject(trigger="keywords"), settings=WORDS
    ) as mira:
        mira.tell(FACT[language])
        assert FACT[language] in mira.say(ASKED[language])
        assert mira.say(plain, chat="two") == ""
        own = {"recall.long_term_keywords": ["write", "写"]}
        assert mira.mind.recall(plain, user="lin", settings=own).recalled


@LANGUAGES
def test_the_newest_messages_stand_in_where_the_request_lacks_them(
    tmp_path: Path, language: str
) -> None:
    """S4.8, S4.20, S4.27: `short_term_count`, also where no word asks for long-term memory."""
    said, reply = TALK[language][0]
    for count, wanted in ((2, True), (0, False)):
        folder = tmp_path / str(count)
        folder.mkdir()
        toml = inject(count=count, trigger="keywords")
        with chatting(folder, language=language, toml=toml, settings=WORDS) as mira:
            mira.say(TALK[language][1][0], reply=TALK[language][1][1])
            mira.say(said, reply=reply)
            mira.say(TALK[language][3][0])
            block = mira.block
            assert (said in block, reply in block) == (wanted, wanted)
            assert TALK[language][1][0] not in block
            history = [one for pair in TALK[language][1::-1] for one in (u(pair[0]), a(pair[1]))]
            assert mira.say(*history, u(TALK[language][3][0])) == "" or not wanted


@LANGUAGES
def test_so_many_messages_behind_the_view_are_compressed(tmp_path: Path, language: str) -> None:
    """S4.6, S4.11, N.3, N.9: `max_items` in view, `compression_threshold` behind it, however short they are."""
    told = {"en": "A day of rain, soup and green tests.", "zh": "下雨、喝汤、测试通过的一天。"}
    chapter = {"title": "A day", "chapter": told[language]}
    for threshold, written in ((4, True), (40, False)):
        folder = tmp_path / str(threshold)
        folder.mkdir()
        settings = {
            "memory.short_term_items": 4,
            "memory.compression_threshold": threshold,
            "learn.batch_size": 50,
        }
        steps = {"extraction": [], "summarize": chapter, "rolling_summary": chapter}
        with chatting(
            folder, preset="agent", language=language, steps=steps, settings=settings
        ) as mira:
            talked(mira, language, 6)
            assert (told[language] in contents(mira)) is written, mira.asked


def test_so_much_of_the_history_goes_to_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S4.5: `max_history`, where the chat is ours to send."""
    folder = tmp_path / "home"
    with Home.open(folder, WORDS) as home:
        home.create("Mira")
    (folder / "rolememory.toml").write_text(
        'preset = "agent"\nembedding.backend = "off"\n[memory]\nmax_history = 3\n', "utf-8"
    )
    command = Command(folder, monkeypatch)
    with Endpoint(streams("Hm.")) as model:
        lines = "".join(f"Lamp {number} is trimmed.\n" for number in range(4))
        done = command("chat", "Mira", "--upstream", model.url, stdin=lines.encode())
        assert done.code == 0, done.err
        sent = [one["content"] for one in model.requests[-1].json["messages"]]
        assert sent[-3:] == ["Lamp 2 is trimmed.", "Hm.", "Lamp 3 is trimmed."]
        assert not any("Lamp 1 " in text for text in sent[-3:])
        assert sum("is trimmed" in text or text == "Hm." for text in sent) == 3


@LANGUAGES
def test_what_a_reply_uses_weighs_more_and_what_is_light_is_archived(
    tmp_path: Path, language: str
) -> None:
    """S4.13 to S4.17, S4.29, S4.30: the weight follows use; light memories are put away, not deleted."""
    with chatting(tmp_path, preset="agent", language=language) as mira:
        mira.tell(FACT[language], id="go")
        answer = ANSWER[language]
        mira.say(ASKED[language], reply=answer)
        mira.say(u(ASKED[language]), a(answer), u("…"))
        mira.mind.usage.settle()
        assert [one.id for one in mira.mind.core(1.01)] == ["go"]
        mira.tell("x" * 20, id="light")
        mira.mind.edit("light", weight=0.1)
        assert [one.id for one in mira.mind.clean()] == ["light"]
        assert [one.id for one in mira.mind.archived()] == ["light"]


def test_a_backup_goes_out_and_comes_in_as_the_design_writes_it(tmp_path: Path) -> None:
    """S4.31, N.9: `export > backup.json`, `import < backup.json`, without `-` and without `init`."""

    def run(home: str, *line: str, **files: Any) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "rolememory", "--home", str(tmp_path / home), *line],
            env={**os.environ, "ROLEMEMORY_LANG": "en"},
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
            **files,
        )

    with Home.open(tmp_path / "one", WORDS) as home:
        home.role("Mira", create=True).remember(FACT["en"], user="lin")
    backup = tmp_path / "backup.json"
    with backup.open("wb") as out:
        assert run("one", "export", "Mira", stdout=out).returncode == 0
    with backup.open("rb") as given:
        done = run("two", "import", stdin=given, stdout=subprocess.PIPE)
        assert done.returncode == 0, done.stderr
    with Home.open(tmp_path / "two", WORDS) as home:
        assert [one.content for one in home.role("Mira").memories.values()] == [FACT["en"]]
    assert json.loads(backup.read_text("utf-8"))["format"]
