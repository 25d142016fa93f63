"""Vectors by id, and texts in pieces."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.text.vectors import NOWHERE, VectorTable, pieces
from tests.hashing import HashingEmbedder

DIM = 8


def unit(seed: int, rows: int = 1) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(rows, DIM)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


STEPS = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 3), st.integers(0, 99)), max_size=40
)


@given(STEPS)
def test_similarities_are_those_of_the_best_piece(steps: list[tuple[str, int, int]]) -> None:
    table, plain = VectorTable(DIM), dict[str, np.ndarray]()
    for entry_id, rows, seed in steps:
        if rows:
            table.set(
                entry_id, unit(seed, rows), tuple(bytes([seed, place]) for place in range(rows))
            )
            plain[entry_id] = unit(seed, rows)
        else:
            table.remove(entry_id)
            plain.pop(entry_id, None)
    query, ids = unit(7)[0], sorted(plain)
    assert len(table) == len(plain)
    expected = [float((plain[entry_id] @ query).max()) for entry_id in ids]
    np.testing.assert_allclose(table.similarities(query)[table.rows(ids)], expected, atol=1e-6)
    assert set(table.named()) == {name for entry_id in ids for name in table.digests(entry_id)}
    assert table.size == sum(len(vectors) for vectors in plain.values())
    for (seed, place), vector in table.named().items():
        found = table.named_so(bytes([seed, place]))
        np.testing.assert_array_equal(vector, unit(seed, 3)[place])
        assert found is None or (found == vector).all()


def test_outside_the_mask_is_nowhere() -> None:
    table = VectorTable(DIM)
    table.set("a", unit(1))
    table.set("b", unit(2))
    assert table.similarities(unit(1)[0], np.array([False, True]))[0] == NOWHERE


def test_a_vector_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="expected vectors of 8 dimensions"):
        VectorTable(DIM).set("a", np.zeros((1, 5), dtype=np.float32))


def test_the_version_moves_with_every_change() -> None:
    table = VectorTable(DIM)
    seen = [table.version]
    table.set("a", unit(1))
    seen.append(table.version)
    table.remove("a")
    seen.append(table.version)
    table.remove("a")
    assert seen == [0, 1, 2]
    assert table.version == 2


@given(st.text(alphabet="ab 。.,，!\n中", max_size=200), st.integers(1, 40))
def test_pieces_hold_the_whole_text_and_are_no_longer_than_asked(text: str, size: int) -> None:
    cut = pieces(text, size)
    assert "".join("".join(cut).split()) == "".join(text.split())
    assert all(len(piece) <= size for piece in cut) or len(text) <= size


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        pytest.param("Short.", 300, ["Short."], id="a short text is one piece"),
        pytest.param(
            "First here. Second there.",
            12,
            ["First here.", "Second", "there."],
            id="a long sentence is cut between words",
        ),
        pytest.param(
            "她来了。他走了。",
            4,
            ["她来了。", "他走了。"],
            id="Chinese sentences end without a blank",
        ),
        pytest.param(
            "x" * 25,
            10,
            ["x" * 10, "x" * 10, "x" * 5],
            id="a word without borders is cut where it must",
        ),
        pytest.param("anything at all", 0, ["anything at all"], id="0 = never cut"),
    ],
)
def test_pieces(text: str, size: int, expected: list[str]) -> None:
    assert pieces(text, size) == expected


def test_a_long_text_is_found_by_what_its_end_says() -> None:
    embedder = HashingEmbedder(256)
    text = "The market was crowded and loud. " * 20 + "The beacon failed in the storm."
    table = VectorTable(256)
    table.set("whole", embedder.embed([text]))
    table.set("pieces", embedder.embed(pieces(text, 60)))
    whole, cut = table.similarities(embedder.embed_query("The beacon failed in the storm."))
    assert cut > 0.95 > whole
