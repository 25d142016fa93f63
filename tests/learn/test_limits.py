"""The limits of a role, kept up with each write, are those that its whole file says."""

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from rolememory.learn.limits import MemoryLimits
from rolememory.learn.maintenance import retire
from rolememory.schema.settings import PerType
from rolememory.storage.in_memory import MemoryStorage
from rolememory.storage.memories import Edit, RoleStore
from tests.builders import on_day

TODAY = on_day(100)
IDS = [f"m{number}" for number in range(12)]
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "content": st.sampled_from(["I keep the lamp.", "I kept the lamp.", "灯归我管。"]),
        "type": st.sampled_from(["episodic", "trait"]),
        "weight": st.sampled_from([0.5, 1.0]),
        "created": st.sampled_from(["2020-01-01", TODAY.isoformat()]),
        "expires": st.sampled_from(["2020-01-01", "2999-01-01"]),
        "source": st.sampled_from(["manual", "user_input"]),
        "supersedes": st.lists(st.sampled_from(IDS), max_size=2),
        **dict.fromkeys(("archived", "locked", "constant"), st.booleans()),
    },
)
STEPS = st.lists(st.tuples(st.sampled_from(IDS), FIELDS | st.none()), max_size=30)
LIMITS = st.builds(PerType, episodic=st.none() | st.integers(0, 6), traits=st.integers(0, 4))


REPLACED = [("m1", {"weight": 0.5}), ("m2", {}), ("m3", {"supersedes": ["m2"]})]
GROWN = [("m1", {"weight": 0.5}), ("m2", {"weight": 0.7}), ("m1", {"weight": 1.0})]


@example(REPLACED, PerType(episodic=2), False)
@example(GROWN, PerType(episodic=1), False)
@settings(max_examples=300, deadline=None)
@given(STEPS, LIMITS, st.booleans())
def test_what_is_over_a_limit_is_what_a_look_at_all_memories_finds(
    steps: list[tuple[str, dict[str, Any] | None]], limits: PerType, archives: bool
) -> None:
    ours, storage = MemoryLimits(), MemoryStorage()
    with RoleStore(storage.create("5f0c1d52-9d7d-4d6c-8a4e-0c1a7a3a9a10", {})) as store:
        for one, fields in steps:
            there = one in store.snapshot().memories
            if fields is None:
                store.commit([Edit("remove", one)] if there else [])
            else:
                told = fields if there else {"content": "I row.", **fields}
                store.commit([Edit("set" if there else "add", one, told)])
            here = store.snapshot()
            found = retire(here.memories.values(), TODAY, below_weight=0.0, limits=limits)
            wanted = {one.id for one in found if one.because.code == "limit"}
            assert {one.id for one in ours.over(here, TODAY, limits)} == wanted
            if archives:
                store.commit(Edit("set", one, {"archived": True}) for one in sorted(wanted))
