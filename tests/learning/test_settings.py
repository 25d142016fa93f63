"""Each setting of learning does what its row in docs/en/settings.md says: the model is asked, and memories come, as it says."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import pytest

from rolememory import Home, Message, RoleMemory
from rolememory.learn.model.models import TEMPLATES, Step
from tests.endpoint import Endpoint, Line, answers, then_hangs
from tests.learning.teller import settled, step_of

SAID = (
    ("I moved to Riga last year.", "A fine town."),
    ("My sister Anna keeps bees.", "Does she sell honey?"),
    ("Good night.", "Good night."),
)
RIGA = {
    "content": "Lin moved to Riga.",
    "quote": "moved to Riga",
    "about": "user",
    "confidence": 0.8,
}
ANNA = {"content": "Anna keeps bees.", "quote": "keeps bees", "about": "Anna", "tags": ["family"]}
CONCLUSION = {"conclusion": "Lin's family is far away.", "confidence": 0.8, "based_on": [1, 2]}
ANSWERS: dict[str, Any] = {
    "decision": {"should_remember": True},
    "summary": {"memory": "Lin moved to Riga."},
    "extraction": {"facts": [RIGA, ANNA | {"confidence": 0.9}]},
    "inference": {
        "conclusions": [CONCLUSION, CONCLUSION | {"conclusion": "Lin likes honey best."}]
    },
    "rolling_summary": {"title": "Riga", "chapter": "Lin told Mira about Riga and Anna."},
}
WORDS = ("prompt", "template")
FEW: dict[str, Any] = {"learn.batch_size": 1}
CHAPTERS: dict[str, Any] = {"learn.summarize.trigger_tokens": 20, "memory.short_term_items": 2}


def reply(line: Line) -> None:
    answers(ANSWERS[step_of(line)])(line)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("ROLEMEMORY_LEARN_KEY", "usual")
    monkeypatch.setenv("MINE", "mine")
    with Endpoint(reply) as opened:
        yield opened


@dataclass(frozen=True)
class Model:
    """What a model was asked, and what became of its answers."""

    role: RoleMemory
    server: Endpoint

    @property
    def contents(self) -> list[str]:
        return sorted({one.content for one in self.role.memories.values() if not one.chapter})

    def asked(self, step: str) -> int:
        return sum(one == step for one in self.steps)

    @property
    def steps(self) -> list[str]:
        asked = (one.json["response_format"]["json_schema"] for one in self.server.requests)
        return [one["name"] for one in asked]


def opened(folder: Path, server: Endpoint, settings: dict[str, Any]) -> Home:
    """A home whose settings stand in its file."""
    told = {"embedding.backend": "off", "learn.endpoint": server.url, "learn.model": "small"}
    rows = [f"{key} = {json.dumps(value)}\n" for key, value in {**told, **settings}.items()]
    folder.mkdir()
    (folder / "rolememory.toml").write_text("".join(rows), "utf-8")
    return Home.open(folder)


def tell(role: RoleMemory, count: int = 3) -> None:
    chat = (
        one for said, told in SAID[:count] for one in (Message.user(said), Message.assistant(told))
    )
    role.observe(chat, chat="harbour", user="lin")
    settled(role)


def requests(model: Model) -> Any:
    return len(model.server.requests)


def facts(model: Model) -> Any:
    return model.contents


def tags(model: Model) -> Any:
    return sorted({tag for one in model.role.memories.values() for tag in one.tags})


def chapters(model: Model) -> Any:
    return model.asked("rolling_summary")


def inferences(model: Model) -> Any:
    return model.asked("inference")


@dataclass(frozen=True)
class Row:
    """A setting, and what is seen without it and with it."""

    key: str
    value: Any
    usual: Any
    then: Any
    see: Callable[[Model], Any] = requests
    beside: dict[str, Any] = field(default_factory=lambda: FEW)


INFER: dict[str, Any] = FEW | {"learn.inference_enabled": True, "learn.inference_interval": 2}
ROWS = (
    Row("learn.enabled", False, 2, 0),
    Row("learn.extractor", "rules", 2, 0),
    Row("learn.batch_size", 2, 2, 1),
    Row("learn.flow", "decide", 0, 2, lambda model: model.asked("decision")),
    Row(
        "learn.max_facts",
        1,
        ["Anna keeps bees.", "Lin moved to Riga."],
        ["Anna keeps bees."],
        facts,
    ),
    Row("learn.min_confidence", 0.85, 2, 1, lambda model: len(model.contents)),
    Row("learn.auto_tag", False, ["fact", "family"], ["fact"], tags),
    Row("learn.inference_enabled", True, 0, 1, inferences, FEW | {"learn.inference_interval": 2}),
    Row("learn.inference_interval", 3, 1, 0, inferences, INFER),
    Row("learn.summarize.enabled", False, 1, 0, chapters, FEW | CHAPTERS),
    Row("learn.summarize.trigger_tokens", 2000, 1, 0, chapters, FEW | CHAPTERS),
    Row("memory.short_term_items", 20, 1, 0, chapters, FEW | CHAPTERS),
    Row(
        "memory.short_term_characters",
        1,
        0,
        1,
        chapters,
        FEW | CHAPTERS | {"memory.short_term_items": 20},
    ),
    Row("memory.compression_threshold", 2, 0, 1, chapters, FEW | {"memory.short_term_items": 2}),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.key} = {row.value}")
def test_a_setting_decides_what_a_model_is_asked_and_what_is_kept(
    tmp_path: Path, server: Endpoint, row: Row
) -> None:
    for name, settings, wanted in (("a", {}, row.usual), ("b", {row.key: row.value}, row.then)):
        server.requests.clear()
        with opened(tmp_path / name, server, {**row.beside, **settings}) as home:
            role = home.create("Mira")
            tell(role)
            assert row.see(Model(role, server)) == wanted


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("learn.delay_s", 0.01),
        ("learn.idle_minutes", 0.0002),
    ],
)
def test_what_is_quiet_is_read_without_waiting_for_more(
    tmp_path: Path, server: Endpoint, key: str, value: float
) -> None:
    batch = {"learn.batch_size": 1 if key == "learn.delay_s" else 5}
    with opened(tmp_path / "home", server, {key: value, **batch}) as home:
        role = home.create("Mira")
        tell(role, 1)
        assert server.wait_for(1)
    server.requests.clear()
    with opened(tmp_path / "usual", server, batch) as home:
        tell(home.create("Mira"), 1)
        assert not server.requests


@pytest.mark.parametrize("step", get_args(Step))
def test_each_step_has_words_a_model_a_server_and_a_key_of_its_own(
    tmp_path: Path, server: Endpoint, step: str
) -> None:
    flow = "decide" if step in ("decision", "summary") else "extract"
    name = TEMPLATES.get(step, step)  # type: ignore[call-overload]
    beside = INFER | CHAPTERS | {"learn.flow": flow}
    with Endpoint(reply) as other:
        rows = (
            (
                "prompt",
                "In my words: {conversation}{memories}",
                lambda one: "In my words:" in one.said,
            ),
            ("template", "mine", lambda one: "By my template" in one.said),
            ("model", "larger", lambda one: one.json["model"] == "larger"),
            ("api_key_env", "MINE", lambda one: one.headers["authorization"] == "Bearer mine"),
            ("endpoint", other.url, lambda one: one in other.requests),
        )
        for key, value, holds in rows:
            server.requests.clear()
            folder = tmp_path / key
            with opened(folder, server, {**beside, f"learn.{step}.{key}": value}) as home:
                (folder / "templates/learn").mkdir(parents=True)
                (folder / "templates/learn/mine.en.jinja").write_text("By my template", "utf-8")
                tell(home.create("Mira"))
            asked = [*server.requests, *other.requests]
            own = {
                one.json["response_format"]["json_schema"]["name"] for one in asked if holds(one)
            }
            heirs = {"rolling_summary"} if step == "summary" and key not in WORDS else set[str]()
            assert own == {name, *heirs}, key


def test_a_model_that_does_not_answer_is_left_after_learn_timeout_s(tmp_path: Path) -> None:
    soon = FEW | {"learn.delay_s": 0.01, "learn.timeout_s": 0.05}
    with Endpoint(then_hangs()) as server, opened(tmp_path / "home", server, soon) as home:
        tell(home.create("Mira"), 1)
        assert server.wait_for(1)
        assert server.idle(20)
