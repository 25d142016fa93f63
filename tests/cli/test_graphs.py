"""model export: step by step, in both languages; nothing is put in place that is not near enough to the original."""

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import pytest

from rolememory.cli.model_export import MAKING, _compared, _original
from rolememory.errors import ModelError
from rolememory.schema.settings import EmbeddingSettings
from rolememory.text.embed.graph import GraphModel, graph_folder
from rolememory.text.embed.loader import chosen
from tests.cli.running import Command
from tests.graphs import exported, needs_tools, of_session


def model_of(command: Command, lang: str = "en") -> str:
    return next(line for line in command("doctor", lang=lang).lines if "all-MiniLM-L6-v2" in line)


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param('[embedding]\nbackend = "off"\n', id="words alone"),
        pytest.param(
            '[embedding]\nbackend = "endpoint"\nendpoint = "http://127.0.0.1:5001/v1"\n',
            id="an endpoint",
        ),
        pytest.param(
            '[embedding]\nendpoint = "http://127.0.0.1:5001/v1"\n',
            id="an endpoint of its own accord",
        ),
    ],
)
def test_a_home_without_a_model_has_nothing_to_draw(command: Command, settings: str) -> None:
    (command.home / "rolememory.toml").write_text(settings, encoding="utf-8")
    for lang in ("en", "zh"):
        ran = command("model", "export", lang=lang)
        assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
        assert "embedding.backend" in ran.err


@pytest.mark.skipif(chosen(EmbeddingSettings()).folder is None, reason="no model on this machine")
def test_a_home_that_works_here_is_drawn_whatever_endpoint_is_noted() -> None:
    settings = EmbeddingSettings(backend="local", endpoint="http://127.0.0.1:5001/v1")
    here = chosen(EmbeddingSettings())
    assert _original(settings) == (here.folder, here.sha256)


def test_a_model_that_is_not_there_is_told(command: Command) -> None:
    (command.home / "rolememory.toml").write_text(
        '[embedding]\nmodel = "/no/such/folder"\n', encoding="utf-8"
    )
    ran = command("model", "export", "--json")
    assert (ran.code, ran.out) == (1, "")
    assert "/no/such/folder" in ran.err


def test_a_graph_that_is_not_there_can_be_removed_all_the_same(command: Command) -> None:
    assert command("model", "export", "--remove", "--json").json == {"removed": False}
    assert "没有" in command("model", "export", "--remove", lang="zh").out


class TestExport:
    pytestmark: ClassVar = needs_tools

    def test_it_tells_each_step_and_leaves_nothing_else(
        self, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        home, said = exported(tmp_path_factory, "--int8")
        assert [line[:3] for line in said[:5]] == ["1/5", "2/5", "3/5", "4/5", "5/5"]
        assert "与原模型" in said[5]
        folder = graph_folder(home)
        assert sorted(
            path.suffix for path in folder.iterdir() if not path.name.startswith(".")
        ) == [".json", ".json", ".onnx"]
        assert not list(folder.glob(f"{MAKING}*"))

    def test_what_computes_is_told_and_can_be_taken_back(
        self, command: Command, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        there = graph_folder(command.home)
        shutil.copytree(graph_folder(of_session(tmp_path_factory, "--int8")), there)
        assert "onnx int8" in model_of(command)
        assert command("model", "export", "--remove", "--json").json == {"removed": True}
        assert "sentence-transformers" in model_of(command)
        assert not list(there.glob("*.onnx"))

    def test_a_graph_of_another_model_is_told_with_the_way_out(
        self, command: Command, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        there = graph_folder(command.home)
        there.mkdir(parents=True)
        text = (graph_folder(of_session(tmp_path_factory)) / "manifest.json").read_text("utf-8")
        (there / "manifest.json").write_text(
            text.replace('"weights_bytes": ', '"weights_bytes": 1'), "utf-8"
        )
        for lang in ("en", "zh"):
            assert "rolememory model export" in model_of(command, lang)
            assert "sentence-transformers" in model_of(command, lang)

    def test_one_that_differs_too_much_is_not_put_in_place(
        self, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        whole, rounded = (
            GraphModel(graph_folder(of_session(tmp_path_factory, *options)))
            for options in ((), ("--int8",))
        )
        with pytest.raises(ModelError, match="not put in place"):
            _compared(whole, rounded, 1e-4)


@pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="the extra semantic is not installed"
)
def test_a_folder_that_cannot_be_written_is_told(command: Command, tmp_path: Path) -> None:
    (command.home / ".cache").write_text("in the way", encoding="utf-8")
    ran = command("model", "export", "--json")
    assert (ran.code, ran.out) == (1, "")
    assert ".cache" in ran.err
