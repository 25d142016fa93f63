"""Filling a table of vectors: what is kept is not asked again, what stops goes on, the newest comes first."""

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from rolememory.errors import DirectionError, ModelError
from rolememory.text.embed.base import Embedder, normalised
from rolememory.text.embed.fill import BATCH, VectorFiller
from rolememory.text.packed_vectors import NamedVectors
from rolememory.text.postings import text_digest
from rolememory.text.vectors import VectorTable
from tests.hashing import HashingEmbedder

TEXTS = [(f"m{at}", f"memory number {at}") for at in range(3 * BATCH)]


def filled(
    table: VectorTable,
    texts: Iterable[tuple[str, str]],
    model: Embedder,
    kept: NamedVectors | None = None,
    size: int = 300,
) -> int:
    """How many texts the model was asked for."""
    filling, asked = VectorFiller(table, size), 0
    filling.want(texts, kept)
    while filling:
        asked += len(filling.step(model))
    return asked


def test_each_text_is_embedded_once() -> None:
    table, model = VectorTable(64), HashingEmbedder()
    assert filled(table, TEXTS, model) == len(TEXTS)
    assert filled(table, TEXTS, model) == 0
    assert model.asked == len(TEXTS)


def test_a_changed_text_is_embedded_again_the_others_are_not() -> None:
    table, model = VectorTable(64), HashingEmbedder()
    filled(table, TEXTS, model)
    changed = [("m0", "something else"), *TEXTS[1:]]
    assert filled(table, changed, model) == 1
    assert table.digests("m0") == (text_digest("something else"),)


def test_the_same_text_under_another_id_is_not_asked() -> None:
    table, model = VectorTable(64), HashingEmbedder()
    long = "The market was loud. " * 30
    filled(table, [("m", "once"), ("long", long)], model, size=100)
    assert filled(table, [("n", "once"), ("l", long)], model, size=100) == 0
    query = model.embed_query("market")
    n, m, other, long_one = table.similarities(query)[table.rows(["n", "m", "l", "long"])]
    assert (n, other) == (m, long_one)
    table.remove("m")
    assert filled(table, [("o", "once")], model) <= 1


def test_what_a_file_kept_is_not_asked() -> None:
    before, model = VectorTable(64), HashingEmbedder()
    filled(before, TEXTS, model)
    after = VectorTable(64)
    assert filled(after, [*TEXTS, ("new", "a new one")], model, kept=before.named()) == 1
    query = model.embed_query("memory number 3")
    np.testing.assert_allclose(
        after.similarities(query)[after.rows([name for name, _ in TEXTS])],
        before.similarities(query)[before.rows([name for name, _ in TEXTS])],
    )


def test_the_last_ones_come_first() -> None:
    table, model = VectorTable(64), HashingEmbedder()
    filling = VectorFiller(table)
    filling.want(TEXTS)
    filling.step(model)
    assert sorted(table.ids()) == sorted(name for name, _ in TEXTS[-BATCH:])
    filling.want([("new", "just said")])
    filling.step(model)
    assert "new" in table
    assert len(filling) == BATCH + 1


def test_what_was_done_before_a_failure_stays_and_the_rest_waits() -> None:
    class Dying(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> np.ndarray:
            if self.asked:
                raise ModelError("gone")
            return super().embed(texts)

    table = VectorTable(64)
    filling, model = VectorFiller(table), Dying()
    filling.want(TEXTS)
    filling.step(model)
    with pytest.raises(ModelError):
        filling.step(model)
    assert len(table) == BATCH
    assert len(filling) == 2 * BATCH
    filling.forget("m0")
    assert len(filling) == 2 * BATCH - 1


class Pointless(HashingEmbedder):
    """Has no vector for some texts: says so, or gives what is none."""

    def __init__(self, says: bool, value: float) -> None:
        super().__init__()
        self.says, self.value = says, value

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        rows = super().embed(texts)
        rows[["poison" in text for text in texts]] = self.value
        return normalised(rows) if self.says else rows


@pytest.mark.parametrize("says", [True, False])
@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
def test_a_vector_that_points_nowhere_is_refused_and_costs_no_other_text(
    says: bool, value: float
) -> None:
    table, poisoned = VectorTable(64), [*TEXTS, ("p", "poison"), ("q", "more poison")]
    assert filled(table, poisoned, Pointless(says, value)) == len(TEXTS)
    assert "p" not in table
    assert len(table) == len(TEXTS)
    with pytest.raises(DirectionError):
        Pointless(True, value).embed(["poison"])


def test_texts_the_model_cannot_read_get_no_vector() -> None:
    table = VectorTable(64)
    filled(
        table,
        [("zh", "灯塔灭了"), ("en", "the beacon failed")],
        HashingEmbedder(unknown="灯塔灭了"),
    )
    assert "en" in table
    assert "zh" not in table


def test_long_texts_lie_in_pieces() -> None:
    table, model = VectorTable(64), HashingEmbedder()
    text = "The market was loud. " * 30
    filled(table, [("long", text)], model, size=100)
    assert len(table.digests("long")) > 5
    assert model.asked == len(set(table.digests("long")))
