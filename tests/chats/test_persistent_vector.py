"""A sequence that shares what stays: the same as a list, while those made before it stay what they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.chats.persistent_vector import WIDTH, PersistentVector

SIZES = st.sampled_from([0, 1, 2, WIDTH, WIDTH + 1, 5 * WIDTH, WIDTH * WIDTH + 3])
CUTS = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from([0, 0, 1, 3, WIDTH, 20 * WIDTH]), SIZES),
    max_size=25,
)


@given(SIZES, CUTS)
def test_it_is_what_a_list_would_be_and_does_not_change(
    size: int, cuts: list[tuple[float, int, int]]
) -> None:
    items, vector, number = list(range(size)), PersistentVector(range(size)), size
    for where, out, put in cuts:
        start = round(where * len(items))
        end, new = start + out, list(range(number, number + put))
        before, number = list(items), number + put
        items[start:end] = new
        former, vector = vector, vector.spliced(start, end, new)
        assert (len(vector), vector) == (len(items), items)
        assert former == before
        assert vector[start : start + 70] == tuple(items[start : start + 70])
        assert [vector[at] for at in range(-min(len(items), 40), 0)] == items[-40:]
        number_there = vector[size // 2] if size // 2 < len(vector) else number
        risen = PersistentVector(range(0, 2 * len(items), 2))
        assert [risen.rank(at, int) for at in (number_there, -1, size)] == [
            sum(one < at for one in risen) for at in (number_there, -1, size)
        ]
        assert len(vector._leaves) <= 2 * (len(vector) // WIDTH + 1)


def test_what_is_not_there_is_an_error() -> None:
    for place in (-3, 2, 10**9):
        with pytest.raises(IndexError):
            PersistentVector("ab")[place]
