"""Filling a table of vectors: what is kept is not asked again, what stops goes on."""

import numpy as np
import pytest

from rolememory.errors import ModelError
from rolememory.text.embed.base import digest
from rolememory.text.embed.fill import BATCH, embed_missing
from rolememory.text.vectors import VectorTable
from tests.hashing import HashingEmbedder

TEXTS = [(f"m{at}", f"memory number {at}") for at in range(3 * BATCH)]


def test_each_text_is_embedded_once() -> None:
    table, model = VectorTable(64), HashingEmbedder()
    assert embed_missing(table, TEXTS, model) == len(TEXTS)
    assert embed_missing(table, TEXTS, model) == 0
    assert model.asked == len(TEXTS)


def test_a_changed_text_is_embedded_again_the_others_are_not() -> None:
    table, model = VectorTable(64), HashingEmbedder()
    embed_missing(table, TEXTS, model)
    changed = [("m0", "something else"), *TEXTS[1:]]
    assert embed_missing(table, changed, model) == 1
    assert table.digests("m0") == (digest("something else"),)


def test_what_a_file_kept_is_not_asked() -> None:
    before, model = VectorTable(64), HashingEmbedder()
    embed_missing(before, TEXTS, model)
    after = VectorTable(64)
    assert embed_missing(after, [*TEXTS, ("new", "a new one")], model, kept=before.named()) == 1
    query = model.embed_query("memory number 3")
    np.testing.assert_allclose(
        after.similarities(query)[after.rows([name for name, _ in TEXTS])],
        before.similarities(query)[before.rows([name for name, _ in TEXTS])],
    )


def test_it_can_be_stopped_and_goes_on_where_it_was() -> None:
    table, model, steps = VectorTable(64), HashingEmbedder(), list[tuple[int, int]]()
    embed_missing(
        table,
        TEXTS,
        model,
        progress=lambda *step: steps.append(step),
        stopped=lambda: len(steps) == 1,
    )
    assert len(table) == BATCH
    assert (
        embed_missing(table, TEXTS, model, progress=lambda *step: steps.append(step)) == 2 * BATCH
    )
    assert steps == [(BATCH, 3 * BATCH), (BATCH, 2 * BATCH), (2 * BATCH, 2 * BATCH)]


def test_what_was_done_before_a_failure_stays() -> None:
    class Dying(HashingEmbedder):
        def embed(self, texts: object) -> np.ndarray:
            if self.asked:
                raise ModelError("gone")
            return super().embed(texts)  # type: ignore[arg-type]

    table = VectorTable(64)
    with pytest.raises(ModelError):
        embed_missing(table, TEXTS, Dying())
    assert len(table) == BATCH


def test_texts_the_model_cannot_read_get_no_vector() -> None:
    table = VectorTable(64)
    embed_missing(
        table,
        [("zh", "灯塔灭了"), ("en", "the beacon failed")],
        HashingEmbedder(unknown="灯塔灭了"),
    )
    assert "en" in table
    assert "zh" not in table


def test_long_texts_lie_in_pieces() -> None:
    table, model = VectorTable(64), HashingEmbedder()
    text = "The market was loud. " * 30
    embed_missing(table, [("long", text)], model, size=100)
    assert len(table.digests("long")) > 5
    assert model.asked == len(set(table.digests("long")))
