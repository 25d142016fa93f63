"""The fast lane: a graph of the packaged model answers as the original does, without it; any other graph is passed over."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from rolememory.errors import ModelError
from rolememory.schema.settings import EmbeddingSettings
from rolememory.text.embed.graph import (
    MANIFEST,
    GraphModel,
    expected_graph,
    graph_folder,
    open_graph,
)
from rolememory.text.embed.loader import load
from rolememory.text.embed.local import LocalModel, packaged
from rolememory.text.embed.onnx_export import HARD
from tests.graphs import manifest, needs_tools, of_session
from tests.shipped_model import shipped_model

pytestmark = needs_tools

TEXTS = [
    *HARD,
    "Why did the beacon go dark?",
    "灯塔为什么灭了？",
    "The keeper wrote it down. " * 200,
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return graph_folder(of_session(tmp_path_factory))


@pytest.fixture(scope="module")
def original() -> LocalModel:
    return shipped_model()


@pytest.fixture
def linked(graph: Path, tmp_path: Path) -> Path:
    """The graph in a folder of its own: change a file by putting another in its place."""
    folder = tmp_path / "graph"
    folder.mkdir()
    for path in graph.iterdir():
        os.link(path, folder / path.name)
    return folder


def put(path: Path, data: bytes) -> None:
    path.unlink()
    path.write_bytes(data)


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(EmbeddingSettings(), id="as it is"),
        pytest.param(
            EmbeddingSettings(dims=128, query_prefix="query: ", passage_prefix="passage: "),
            id="prefixes, fewer dimensions",
        ),
        pytest.param(EmbeddingSettings(max_tokens=16), id="a shorter window"),
    ],
)
def test_its_vectors_are_those_of_the_original(settings: EmbeddingSettings, graph: Path) -> None:
    original, found = LocalModel(packaged() or Path(), settings), GraphModel(graph, settings)
    np.testing.assert_allclose(found.embed(TEXTS), original.embed(TEXTS), atol=1e-4)
    np.testing.assert_allclose(
        found.embed_query(TEXTS[-1]), original.embed_query(TEXTS[-1]), atol=1e-4
    )
    assert (found.key, found.dim) == (original.key, original.dim), (
        "one space: nothing is embedded again"
    )


def test_it_knows_what_it_cannot_read(graph: Path, original: LocalModel) -> None:
    found = GraphModel(graph)
    for text in TEXTS:
        assert found.unknown_share(text) == original.unknown_share(text)
        assert found.trusts(text) == original.trusts(text)


def test_eight_bits_stay_near_and_keep_to_themselves(
    tmp_path_factory: pytest.TempPathFactory, original: LocalModel, graph: Path
) -> None:
    rounded = graph_folder(of_session(tmp_path_factory, "--int8"))
    found = GraphModel(rounded)
    seen = float((1.0 - (found.embed(TEXTS) * original.embed(TEXTS)).sum(axis=1)).max())
    assert 1e-4 < max(seen, manifest(rounded)["deviation"]) <= 0.05
    assert found.key != original.key
    assert (
        found.manifest.files(rounded)[0].stat().st_size * 3
        < GraphModel(graph).manifest.files(graph)[0].stat().st_size
    )


def test_many_may_ask_at_once(graph: Path) -> None:
    found = GraphModel(graph)
    alone = [found.embed_query(text) for text in TEXTS]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(found.embed_query, TEXTS * 4))
    np.testing.assert_allclose(together, alone * 4, atol=1e-6)


def test_a_home_with_a_graph_never_imports_torch(graph: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", _ASKS, str(graph.parents[1])],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ,
    )
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout) == {
        "state": "ready",
        "runtime": "onnx float32",
        "heavy": [],
        "best": 1,
    }


_ASKS = """
import json, sys
from rolememory.engine import Home
with Home.open(sys.argv[1]) as home:
    assert home.loader.ready(100), home.loader.reason
    model = home.loader.get()
    near = model.embed(["Stock prices fell", "The lighthouse went out in the storm"]) @ model.embed_query("Why was it so dark up on the cliff?")
    heavy = [name for name in ("torch", "sentence_transformers", "transformers") if name in sys.modules]
    print(json.dumps({"state": home.loader.state, "runtime": model.runtime, "heavy": heavy, "best": int(near.argmax())}))
"""


def _changed(**values: object) -> Callable[[Path], None]:
    return lambda folder: put(folder / MANIFEST, json.dumps(manifest(folder) | values).encode())


def _flipped(folder: Path) -> None:
    path = next(folder.glob("*.onnx"))
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    put(path, bytes(raw))


def _no_graph_at_all(folder: Path) -> None:
    raw = b"not a graph"
    (folder / f"{hashlib.sha256(raw).hexdigest()}.onnx").write_bytes(raw)
    _changed(graph=hashlib.sha256(raw).hexdigest())(folder)


@pytest.mark.parametrize(
    ("break_it", "told"),
    [
        pytest.param(_flipped, "damaged", id="one bit is wrong"),
        pytest.param(
            lambda folder: next(folder.glob("*.tokenizer.json")).unlink(),
            "missing",
            id="the tokenizer is gone",
        ),
        pytest.param(lambda folder: put(folder / MANIFEST, b"{"), "manifest", id="half a manifest"),
        pytest.param(
            _changed(graph="../../../etc/passwd"),
            "manifest",
            id="a manifest that leads out of the folder",
        ),
        pytest.param(
            _changed(weights="0" * 64), "another model", id="drawn from weights of the same size"
        ),
        pytest.param(
            _changed(weights_bytes=5), "another model", id="drawn from weights of another size"
        ),
        pytest.param(_changed(dims=77), "384 dimensions", id="wrong about itself"),
        pytest.param(_changed(inputs=["input_ids"]), "does not run", id="fed in another way"),
        pytest.param(_no_graph_at_all, "does not run", id="no graph at all"),
    ],
)
def test_a_graph_that_is_not_right_is_refused_with_the_way_out(
    break_it: Callable[[Path], None], told: str, linked: Path
) -> None:
    break_it(linked)
    with pytest.raises(ModelError, match=told) as caught:
        open_graph(linked, packaged() or Path(), EmbeddingSettings())
    for language in ("en", "zh"):
        assert "rolememory model export" in caught.value.text(language)


def test_what_is_refused_leaves_the_original_at_work(linked: Path) -> None:
    _flipped(linked)
    model = load(EmbeddingSettings(), graph=linked)
    assert isinstance(model, LocalModel)
    assert "damaged" in str(model.passed_over)


def test_a_model_that_changed_is_not_answered_for_by_its_old_graph(
    graph: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(packaged() or tmp_path, folder)
    weights = next(folder.rglob("*.safetensors"))
    raw = bytearray(weights.read_bytes())
    raw[-1] ^= 1
    weights.write_bytes(raw)
    with pytest.raises(ModelError, match="another model"):
        open_graph(graph, folder, EmbeddingSettings())
    assert isinstance(load(EmbeddingSettings(), graph=graph), GraphModel), (
        "the one it was drawn from is still answered for"
    )


def test_without_a_graph_there_is_nothing_to_tell(tmp_path: Path) -> None:
    assert expected_graph(tmp_path, packaged() or Path()) is None
    assert open_graph(tmp_path / "nowhere", packaged() or Path(), EmbeddingSettings()) is None
