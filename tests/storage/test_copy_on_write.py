"""A dict that shares what it has with its copies is a dict to whoever reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.storage.copy_on_write import CopyOnWriteDict

IDS = [f"m{number}" for number in range(12)]
MANY = range(600)  # more than a copy shares
STEPS = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(IDS), st.integers(0, 3)),
    st.tuples(st.just("remove"), st.sampled_from(IDS), st.just(0)),
    st.tuples(st.just("copy"), st.just(""), st.integers(0, 9)),
    st.tuples(st.just("fill"), st.just(""), st.integers(0, 1)),
)


def changed(values: dict[str, int] | CopyOnWriteDict[int], step: str, one: str, value: int) -> None:
    """The values after one step."""
    if step == "put":
        values[one] = value
    elif step == "remove" and one in values:
        del values[one]
    elif step == "fill":
        values.update({f"n{number}": value for number in MANY})


@given(st.lists(STEPS, max_size=20), st.sets(st.sampled_from(IDS)))
def test_each_copy_is_as_a_dict_of_its_own(
    steps: list[tuple[str, str, int]], begun: set[str]
) -> None:
    first = dict.fromkeys(sorted(begun), 7)
    plain, ours = [first], [CopyOnWriteDict(dict(first))]
    for step, one, value in steps:
        at = value % len(plain)
        if step == "copy":
            plain.append(dict(plain[at]))
            ours.append(ours[at].copy())
        else:
            for every in plain[-1], ours[-1]:
                changed(every, step, one, value)
    for values, mine in zip(plain, ours, strict=True):
        assert [*mine.items()] == [*values.items()]
        assert ([*mine], [*mine.values()]) == ([*values], [*values.values()])
        assert len(mine) == len(values)
        assert mine == values
        assert values == mine
        for one in IDS:
            assert (one in mine, mine.get(one)) == (one in values, values.get(one))
    for a, one in zip(plain, ours, strict=True):
        for b, other in zip(plain, ours, strict=True):
            assert (one == other) is (a == b)
            assert not one.alike(other) or [*a.items()] == [*b.items()]


def test_what_is_not_there_is_told() -> None:
    some = CopyOnWriteDict({"a": 1})
    del some["a"]
    for act in some.__getitem__, some.__delitem__:
        with pytest.raises(KeyError, match="a"):
            act("a")
