"""The reference backend with the model of the extra `offline`; skipped where it is not installed."""

import re
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest

from rolememory import Home
from rolememory.errors import ModelError
from rolememory.schema.settings import EmbeddingSettings
from rolememory.text.embed.local import DEFAULT_MODEL, PACKAGE_SHA256, LocalModel, cached, packaged
from tests.paths import ROOT
from tests.shipped_model import shipped_model

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(packaged() is None, reason="the extra `offline` is not installed"),
    pytest.mark.filterwarnings("default"),  # torch and transformers warn about themselves
]


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return shipped_model()


def test_near_in_meaning_is_near_in_space(model: LocalModel) -> None:
    cat, rug, stocks = model.embed(
        ["The cat sat on the mat", "A kitten rests on the carpet", "Stock prices fell"]
    )
    assert float(cat @ rug) > 0.4 > 0.2 > float(cat @ stocks)
    np.testing.assert_allclose(model.embed_query("The cat sat on the mat"), cat, atol=1e-5)
    assert (model.dim, cat.dtype) == (384, np.float32)
    assert PACKAGE_SHA256 in model.key


def test_an_english_model_is_not_believed_about_chinese(model: LocalModel) -> None:
    assert model.unknown_share("我养了一只三花猫，名叫汤圆，最爱睡在账本上。") > 0.2
    assert not model.trusts("灯塔为什么灭了？")
    assert not model.trusts("一二三东京"), "not even where its vocabulary has the characters"
    assert model.unknown_share("Why did the beacon go dark?") == 0.0
    assert model.trusts("Why did the beacon go dark?")
    assert model.trusts("")


def test_weights_that_are_not_those_we_know_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(packaged() or tmp_path, folder)
    weights = next(folder.rglob("*.safetensors"))
    raw = bytearray(weights.read_bytes())
    raw[-1] ^= 1
    weights.write_bytes(raw)
    with pytest.raises(ModelError, match="expected " + PACKAGE_SHA256):
        LocalModel(folder, sha256=PACKAGE_SHA256)
    with pytest.raises(ModelError, match="expected " + "0" * 64):
        LocalModel(folder, EmbeddingSettings(revision="0" * 64))


def test_no_socket_is_opened_while_a_model_is_looked_for_and_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert cached("someone/no-such-model") is None
    cached(DEFAULT_MODEL)
    assert shipped_model().embed(["beacon"]).shape == (1, 384)


def test_the_pages_promise_what_the_shipped_model_finds(model: LocalModel, tmp_path: Path) -> None:
    for language in ("en", "zh"):
        page = (ROOT / "docs" / language / "models.md").read_text("utf-8")
        question, answer = re.findall(r"[\"“]([A-Z][^\"”]+[?.])[\"”]", page)[:2]
        with Home.open(tmp_path / language, embedder=model) as home:
            mira = home.role("Mira", create=True)
            mira.remember_all(
                [answer, "The baker closes at noon.", "Lin takes her tea without milk."]
            )
            assert mira.ready(60)
            turn = mira.recall(question)
        assert [one.memory.content for one in turn.recalled] == [answer]
        assert "semantic" in str(turn.explain(language="en"))
