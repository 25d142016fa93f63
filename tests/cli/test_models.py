"""model list, model fetch, and what a home says of its model."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from rolememory.text.embed.catalogue import MODELS, known_by
from rolememory.text.embed.local import packaged
from tests.cli.running import Command

needs_model = pytest.mark.skipif(
    packaged() is None or find_spec("sentence_transformers") is None,
    reason="the extras semantic and offline are not installed",
)


def test_list_names_what_it_costs(command: Command) -> None:
    rows = {row["name"]: row for row in command("model", "list", "--json").json["models"]}
    assert set(rows) == {model.name for model in MODELS}
    assert rows["multilingual-e5-small"]["languages"] == ["zh", "en", "multi"]
    assert "中文" in command("model", "list", lang="zh").out


@needs_model
def test_the_one_in_use_is_marked(command: Command) -> None:
    assert [
        row["name"] for row in command("model", "list", "--json").json["models"] if row["in_use"]
    ] == ["all-MiniLM-L6-v2"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        pytest.param('[embedding]\nbackend = "off"\n', "switched off", id="switched off"),
        pytest.param(
            '[embedding]\nbackend = "endpoint"\nendpoint = "http://127.0.0.1:5001/v1"\n',
            "127.0.0.1:5001",
            id="an endpoint",
        ),
        pytest.param(
            '[embedding]\nmodel = "/no/such/folder"\n',
            "/no/such/folder",
            id="a folder that is not there",
        ),
    ],
)
def test_init_tells_what_meaning_rests_on(command: Command, settings: str, told: str) -> None:
    (command.home / "rolememory.toml").write_text(settings, encoding="utf-8")
    assert told in command("init").out
    assert told in command("doctor").out


def test_a_dead_hub_is_one_line(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    for lang in ("en", "zh"):
        ran = command(
            "model", "fetch", "bge-small-zh-v1.5", "--mirror", "http://127.0.0.1:9", lang=lang
        )
        assert (ran.code, ran.err.count("\n"), ran.out) == (1, 1, "")
        assert "--mirror" in ran.err
    assert "embedding" not in command("settings").out


def test_prefixes_belong_to_the_model() -> None:
    model = known_by("intfloat/multilingual-e5-small")
    assert model is not None
    assert (model.query_prefix, model.passage_prefix) == ("query: ", "passage: ")


@needs_model
@pytest.mark.filterwarnings("default")  # torch and transformers warn about themselves
def test_fetching_from_a_folder_checks_and_sets(command: Command) -> None:
    there = (packaged() or Path()).resolve()
    ran = command("model", "fetch", str(there), "--json")
    assert ran.code == 0, ran.err
    assert ran.json["dims"] == 384
    assert ran.json["languages"] == ["en"]
    rows = {row["key"]: row["value"] for row in command("settings", "--json").json}
    assert rows == {"embedding.model": str(there)}
    assert str(there) in command("doctor").out


@needs_model
@pytest.mark.filterwarnings("default")
def test_waiting_for_meaning(command: Command) -> None:
    asked = "Was the light out because of bad weather?"
    ran = command("recall", "Mira", asked, "--wait", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["embedder"] == "ready"
    found = command("search", "Mira", asked, "--wait", "--json").json
    assert "alike" in "".join(found[0]["why"])
    assert command("stats", "Mira", "--wait", "--json").json["roles"][0]["vectors"] == 4
    why = command("explain", "Mira", asked, "storm", "--wait", "--json").json
    assert "alike" in "".join(one["text"] for row in why for one in row["reasons"])
