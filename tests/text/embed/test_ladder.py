"""Which model is taken, and that loading it never holds anybody up."""

import threading
from pathlib import Path

import numpy as np
import pytest

from rolememory.errors import ModelError
from rolememory.schema.settings import EmbeddingSettings
from rolememory.text.embed.base import Embedder, PriorityLock
from rolememory.text.embed.loader import ChosenModel, Loader, configured, load
from rolememory.text.embed.local import weights_of
from tests.hashing import HashingEmbedder


def test_backend_off_is_no_model() -> None:
    loader = Loader(EmbeddingSettings(backend="off"))
    assert not loader.ready(10)
    assert (loader.state, loader.reason, loader.get()) == ("absent", "", None)


def test_a_turn_meets_none_while_the_model_loads_and_the_model_after() -> None:
    begun, go, model = threading.Event(), threading.Event(), HashingEmbedder()

    def slow(_: EmbeddingSettings) -> Embedder:
        begun.set()
        go.wait(60)
        return model

    loader = Loader(EmbeddingSettings(), load=slow)
    loader.start()
    assert begun.wait(60)
    assert loader.get() is None
    assert loader.state == "loading"
    assert not loader.ready(0.01)
    go.set()
    assert loader.ready(60)
    assert loader.get() is model
    assert loader.state == "ready"
    assert loader.background["en"].shape == (32, 64)


@pytest.mark.parametrize(
    "error", [ModelError("no such model"), ImportError("torch is broken"), MemoryError()]
)
def test_a_model_that_cannot_be_loaded_is_failed_not_an_exception(error: Exception) -> None:
    def broken(_: EmbeddingSettings) -> Embedder:
        raise error

    loader = Loader(EmbeddingSettings(), load=broken)
    assert not loader.ready(10)
    assert loader.state == "failed"
    assert str(error)[:10] in loader.reason
    assert loader.get() is None


def test_it_is_loaded_once_however_many_ask() -> None:
    loads: list[int] = []

    def count(_: EmbeddingSettings) -> Embedder:
        loads.append(1)
        return HashingEmbedder()

    loader = Loader(EmbeddingSettings(), load=count)
    threads = [threading.Thread(target=loader.ready, args=(10,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == [1]


def test_background_leaves_out_languages_the_model_does_not_know() -> None:
    chinese = "的了在是她他我们一不"
    loader = Loader(
        EmbeddingSettings(),
        load=lambda _: HashingEmbedder(unknown=chinese + "今天早上火车又晚点买双新鞋雨已经下三"),
    )
    assert loader.ready(10)
    assert set(loader.background) == {"en"}


def test_a_model_that_is_nowhere_is_not_replaced_by_another(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="rolememory model fetch"):
        configured(EmbeddingSettings(model="someone/no-such-model-anywhere"))
    assert configured(EmbeddingSettings(model=str(tmp_path))) == tmp_path


def test_the_ladder_ends_in_words_alone() -> None:
    assert load(EmbeddingSettings(), lambda _: ChosenModel("none")) is None
    with pytest.raises(ModelError, match="rolememory\\[offline\\]"):
        load(EmbeddingSettings(backend="local"), lambda _: ChosenModel("none"))


@pytest.mark.parametrize(
    ("files", "told"),
    [
        pytest.param(["pytorch_model.bin"], "only pytorch_model.bin", id="weights as a pickle"),
        pytest.param(
            ["model.safetensors", "2_Dense/pytorch_model.bin"],
            "only pytorch_model.bin",
            id="one layer as a pickle",
        ),
        pytest.param(["config.json"], "no *.safetensors", id="no weights"),
    ],
)
def test_p21_only_safetensors_are_loaded(files: list[str], told: str, tmp_path: Path) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(ModelError) as caught:
        weights_of(tmp_path)
    assert told in str(caught.value)


def test_questions_go_before_passages_that_wait() -> None:
    turnstile, order, inside, leave = (
        PriorityLock(),
        list[str](),
        threading.Event(),
        threading.Event(),
    )

    def first() -> None:
        with turnstile.passage():
            inside.set()
            leave.wait(60)

    def then(name: str) -> None:
        with turnstile.question() if name == "question" else turnstile.passage():
            order.append(name)

    threads = [threading.Thread(target=first)]
    threads[0].start()
    inside.wait(60)
    for name in ("passage", "passage", "question"):
        threads.append(threading.Thread(target=then, args=(name,)))
        threads[-1].start()
    while turnstile._questions == 0:
        pass
    leave.set()
    for thread in threads:
        thread.join(60)
    assert order == ["question", "passage", "passage"]


def test_a_failing_caller_leaves_the_turnstile_free() -> None:
    turnstile = PriorityLock()
    with pytest.raises(ValueError, match="inside"), turnstile.question():
        raise ValueError("inside")
    with turnstile.passage():
        assert np.isfinite(1.0)
