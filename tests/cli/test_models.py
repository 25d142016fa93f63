"""model list, model fetch, and what a home says of its model."""

import json
import os
import re
import subprocess
import sys
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import pytest

from rolememory.text.embed.catalogue import MODELS, known_by
from rolememory.text.embed.local import packaged
from tests.cli.running import Command
from tests.endpoint import Behaviour, Endpoint, Line

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


COMMIT = "c0ffee" + "0" * 34
UNWANTED = ("onnx/model.onnx", "pytorch_model.bin")


def a_hub(repository: str, folder: Path) -> Behaviour:
    """A hub with one model, whose files lie in a folder."""
    files = [str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()]
    siblings = [{"rfilename": name} for name in (*files, *UNWANTED)]
    listed = {"id": repository, "sha": COMMIT, "siblings": siblings}
    tree = [{"type": "file", "path": name, "size": 1, "oid": "0" * 40} for name in files]

    def answer(line: Line) -> None:
        path = line.request.path.partition("?")[0]
        if path.startswith("/api/"):
            line.reply(json.dumps(tree if "/tree/" in path else listed).encode())
            return
        named = re.fullmatch(rf"/{repository}/resolve/{COMMIT}/(.+)", path)
        if named is None or named[1] not in files:
            line.reply(b"{}", status="404 Not Found")
            return
        data = (folder / named[1]).read_bytes()
        headers = f'ETag: "{sha256(data).hexdigest()}"\r\nX-Repo-Commit: {COMMIT}\r\nContent-Length: {len(data)}\r\n'
        line.send(f"HTTP/1.1 200 OK\r\n{headers}Connection: close\r\n\r\n".encode())
        line.send(b"" if line.request.method == "HEAD" else data)

    return answer


@needs_model
def test_a_model_of_a_hub_comes_into_the_folder_that_was_named(
    command: Command, tmp_path: Path
) -> None:
    there = (packaged() or Path()).resolve()
    to = tmp_path / "models" / "small"
    line = [sys.executable, "-m", "rolememory", "--home", command.home, "model", "fetch"]
    with Endpoint(a_hub("lin/small", there)) as hub:
        ran = subprocess.run(
            [*line, "lin/small", "--json", "--to", to, "--mirror", hub.url.removesuffix("/v1")],
            env={**os.environ, "HF_HUB_OFFLINE": "0", "HF_HOME": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )
        asked = [one.path for one in hub.requests]
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["dims"] == 384
    assert (to / "model.safetensors").read_bytes() == (there / "model.safetensors").read_bytes()
    assert [path for path in asked for one in UNWANTED if one in path] == []
    rows = {row["key"]: row["value"] for row in command("settings", "--json").json}
    assert rows == {"embedding.model": str(to)}


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
