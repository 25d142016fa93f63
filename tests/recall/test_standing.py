"""What counts as seen from a chat, and how the view follows what changes."""

from dataclasses import dataclass
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.recall.gates import Asker, eligible
from rolememory.recall.live import LiveIndex
from rolememory.recall.standing import Standing, View, standing
from rolememory.schema.memory import Evidence, Memory
from rolememory.schema.settings import RecallSettings, Settings
from tests.builders import DAY_ZERO

SETTINGS = Settings()


@dataclass(frozen=True)
class Hides:
    """A sight from which these versions do not stand."""

    token: frozenset[str]
    readers = None

    def sees(self, evidence: Evidence) -> bool:
        return not set(evidence.version.split("+")) & self.token

    def knows(self, evidence: Evidence) -> bool:
        return False


def hides(*versions: str) -> Hides:
    return Hides(frozenset(versions))


def learned(
    memory_id: str, *versions: str, supersedes: tuple[str, ...] = (), **fields: object
) -> Memory:
    supports = tuple(Evidence(chat="harbour", version=version) for version in versions)
    return Memory(
        id=memory_id,
        content=f"About {memory_id}.",
        evidence=supports,
        supersedes=supersedes,
        **fields,
    )  # type: ignore[arg-type]


def by_id(*memories: Memory) -> dict[str, Memory]:
    return {memory.id: memory for memory in memories}


@pytest.mark.parametrize(
    ("memories", "hidden", "withdrawn", "superseded"),
    [
        pytest.param(
            [learned("rome")],
            hides("v1"),
            set(),
            {},
            id="an author's memory rests on nothing and counts",
        ),
        pytest.param([learned("rome", "v1")], hides(), set(), {}, id="its message stands"),
        pytest.param(
            [learned("rome", "v1")], hides("v1"), {"rome"}, {}, id="its message was swiped away"
        ),
        pytest.param(
            [learned("rome", "v1", "v2")],
            hides("v1"),
            set(),
            {},
            id="one of two supports is enough",
        ),
        pytest.param(
            [learned("rome", "v1+v2")],
            hides("v2"),
            {"rome"},
            {},
            id="a question and its answer must both stand",
        ),
        pytest.param(
            [learned("rome", "v1"), learned("paris", "v2", supersedes=("rome",))],
            hides(),
            set(),
            {"rome": "paris"},
            id="newer replaces",
        ),
        pytest.param(
            [learned("rome", "v1"), learned("paris", "v2", supersedes=("rome",))],
            hides("v2"),
            {"paris"},
            {},
            id="unsaid again: the old is back",
        ),
        pytest.param(
            [learned("rome", "v1"), learned("paris", "v2", supersedes=("rome",), archived=True)],
            hides(),
            set(),
            {},
            id="an archived memory replaces nothing",
        ),
        pytest.param(
            [learned("a"), learned("b", supersedes=("a",)), learned("c", supersedes=("b",))],
            hides(),
            set(),
            {"a": "b", "b": "c"},
            id="what is outdated itself still counts as having replaced",
        ),
        pytest.param(
            [learned("a", supersedes=("a",))], hides(), set(), {}, id="nothing replaces itself"
        ),
    ],
)
def test_standing(
    memories: list[Memory], hidden: Hides, withdrawn: set[str], superseded: dict[str, str]
) -> None:
    assert standing(by_id(*memories), hidden) == Standing(frozenset(withdrawn), superseded)


VERSIONS = st.sampled_from(["v1", "v2", "v3", "v1+v2"])
IDS = st.sampled_from(["a", "b", "c", "d", "e"])
MEMORIES = st.builds(
    lambda one, versions, old, archived, user, day: learned(
        one,
        *versions,
        supersedes=tuple(old),
        archived=archived,
        user=user,
        created=DAY_ZERO + timedelta(days=day),
    ),
    IDS,
    st.lists(VERSIONS, max_size=2),
    st.lists(IDS, max_size=2, unique=True),
    st.booleans(),
    st.sampled_from([None, "lin", "mei"]),
    st.integers(0, 3),
)
SETS = st.lists(MEMORIES, max_size=5).map(lambda some: by_id(*some))


@given(st.lists(SETS, min_size=1, max_size=6), st.frozensets(st.sampled_from(["v1", "v2", "v3"])))
def test_a_view_that_followed_equals_one_made_anew(
    steps: list[dict[str, Memory]], hidden: frozenset[str]
) -> None:
    sight, before = Hides(hidden), dict[str, Memory]()
    view = View(before, sight)
    for memories in steps:
        fresh = [one for one in memories.values() if before.get(one.id) is not one]
        view.follow(memories, fresh, [one for one in before if one not in memories], sight)
        assert view.standing == standing(memories, sight)
        before = memories


@given(
    st.lists(SETS, min_size=1, max_size=5),
    st.lists(st.frozensets(st.sampled_from(["v1", "v2", "v3"])), min_size=5, max_size=5),
)
def test_an_audience_that_followed_equals_one_made_anew(
    steps: list[dict[str, Memory]], hidden: list[frozenset[str]]
) -> None:
    live, rules = LiveIndex(SETTINGS), RecallSettings()
    for memories, away in zip(steps, hidden, strict=False):
        sight = Hides(away)
        live.follow(memories, SETTINGS, None, None, sight)
        seen = live.standing(sight)
        for user in (None, "lin"):
            asker = Asker(user, DAY_ZERO, rules, seen.superseded, seen.withdrawn)
            assert live.audience(asker) == eligible(memories.values(), asker)
