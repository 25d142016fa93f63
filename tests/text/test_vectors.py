"""Vectors by id, and texts in pieces."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.text.packed_vectors import (
    MOST,
    WIDEST,
    NamedVectors,
    PackedVectors,
    byte_sums,
    float_sums,
)
from rolememory.text.vectors import VectorTable, pieces
from tests.hashing import HashingEmbedder

DIM = 8


def products(packed: PackedVectors, query: np.ndarray) -> np.ndarray:
    """Dot product of each row with the query."""
    return packed.all_products([query])[0]


def unit(seed: int, rows: int = 1) -> np.ndarray:
    """Vectors as they lie in a table."""
    return PackedVectors.of(drawn(seed, rows, DIM)).floats()


def drawn(seed: int, rows: int, dim: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(rows, dim)).astype(np.float32)
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
    np.testing.assert_allclose(table.similarities(query)[table.rows(ids)], expected, atol=2e-5)
    assert set(table.named()) == {name for entry_id in ids for name in table.digests(entry_id)}
    assert table.size == sum(len(vectors) for vectors in plain.values())
    for (seed, place), vector in table.named().items():
        found = table.named_so(bytes([seed, place]))
        np.testing.assert_array_equal(vector, unit(seed, 3)[place])
        assert found is None or (found.floats() == vector).all()


@pytest.mark.parametrize("dim", [32, 384, 1536])
def test_packed_vectors_keep_length_and_cosines(dim: int) -> None:
    rows, query = drawn(1, 3_000, dim) * np.float32(3.0), drawn(2, 1, dim)[0]
    packed, exact = PackedVectors.of(rows), rows.astype(np.float64) @ query.astype(np.float64)
    np.testing.assert_allclose(products(packed, query) / 3.0, exact / 3.0, atol=0.005)
    assert np.abs(products(packed, query) - exact).std() / 3.0 < 0.0012
    np.testing.assert_allclose(np.linalg.norm(packed.floats(), axis=1), 3.0, rtol=1e-4)
    assert np.abs(products(packed, rows[5]) / 9.0).argmax() == 5
    again = PackedVectors.of(packed.floats())
    np.testing.assert_array_equal(again.floats(), packed.floats())


@given(st.integers(1, 2_100), st.randoms(use_true_random=False))
def test_a_product_depends_on_its_row_alone(count: int, chance: Random) -> None:
    packed, query = PackedVectors.of(drawn(1, 2_100, 24)), drawn(2, 1, 24)[0]
    rows = chance.sample(range(2_100), count)
    np.testing.assert_array_equal(products(packed[rows], query), products(packed, query)[rows])


@pytest.mark.parametrize("dim", [1, 17, 384, 1025])
@pytest.mark.parametrize("n", [0, 1, 65, 300])
@pytest.mark.parametrize("questions", [1, 2, 5])
def test_a_processor_of_every_kind_sums_alike_and_so_does_numpy_alone(
    dim: int, n: int, questions: int
) -> None:
    numkong = pytest.importorskip("numkong")
    draw, most = np.random.default_rng(dim), WIDEST // (1 + dim // 16)
    rows = draw.integers(-MOST, MOST + 1, (n, dim)).astype(np.int8)
    whole = draw.integers(-most, most + 1, (questions, dim)).astype(np.int32)
    rows[:1], whole[:1] = -MOST, most
    exact = whole @ rows.T.astype(np.int32)
    np.testing.assert_array_equal(float_sums(whole)(rows), exact)
    able = [name for name, here in numkong.get_capabilities().items() if here and name != "serial"]
    try:
        for name in [*reversed(able), ""]:  # with less and less of what this one can do
            np.testing.assert_array_equal(byte_sums(whole)(rows), exact)
            if name:
                numkong.disable_capability(name)
    finally:
        for name in able:
            numkong.enable_capability(name)


@pytest.mark.parametrize("dim", [1, 16, 384])
def test_a_question_that_points_nowhere_is_near_to_nothing(dim: int) -> None:
    packed, query = PackedVectors.of(drawn(1, 5, dim)), drawn(2, 1, dim)[0]
    nowhere = [0.0 * query, np.nan * query, np.inf * query]
    assert not packed.all_products(nowhere).any()
    np.testing.assert_array_equal(
        packed.all_products([*nowhere, query])[3], products(packed, query)
    )
    np.testing.assert_allclose(products(packed, query), packed.floats() @ query, atol=1e-3)


def test_no_rows_and_no_direction_give_nothing() -> None:
    assert products(PackedVectors.zeros(0, 8), unit(1)[0]).shape == (0,)
    rows = np.array([[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0], [3.0, -4.0]], dtype=np.float32)
    packed = PackedVectors.of(rows)
    assert packed.sound().tolist() == [False, False, False, True]
    assert not products(packed, np.zeros(2, np.float32)).any()
    np.testing.assert_allclose(
        products(packed, np.array([1.0, 0.0], np.float32))[3], 3.0, rtol=0.01
    )


def test_of_two_vectors_under_one_name_the_later_counts() -> None:
    first, second = NamedVectors.of({b"a": unit(1)[0], b"b": unit(2)[0]}, DIM), {b"a": unit(3)[0]}
    both = NamedVectors.together([first, NamedVectors.of(second, DIM)], DIM)
    assert list(both) == [b"a", b"b"]
    np.testing.assert_array_equal(both[b"a"], unit(3)[0])
    np.testing.assert_array_equal(both.packed.floats(), [unit(3)[0], unit(2)[0]])
    assert NamedVectors.together([], DIM) == {}


def test_several_questions_at_once_are_answered_as_each_alone() -> None:
    table = VectorTable(DIM)
    for at, name in enumerate("abc"):
        table.set(name, unit(1 + at))
    table.set("long", np.concatenate([unit(4), unit(5)]))
    asked = [unit(5)[0], np.zeros(DIM, np.float32), unit(2)[0]]
    together = table.all_similarities(asked)
    np.testing.assert_array_equal(together, [table.similarities(one) for one in asked])
    assert together.argmax(axis=1).tolist() == [3, 0, 1]


def test_a_vector_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="expected vectors of 8 dimensions"):
        VectorTable(DIM).set("a", np.zeros((1, 5), dtype=np.float32))


def test_the_version_moves_with_every_change() -> None:
    table = VectorTable(DIM)
    seen = [table.moves.version]
    table.set("a", unit(1))
    seen.append(table.moves.version)
    table.remove("a")
    seen.append(table.moves.version)
    table.remove("a")
    assert seen == [0, 1, 2]
    assert table.moves.version == 2


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
