"""What counts as seen from a chat, and how the view follows what changes."""

from dataclasses import dataclass
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.recall.active_set import ActiveSet, standing
from rolememory.recall.gates import Asker, eligible
from rolememory.recall.live import LiveIndex
from rolememory.schema.memory import Evidence, Memory
from rolememory.schema.passage import Passage
from rolememory.schema.settings import RecallSettings, Settings
from tests.builders import DAY_ZERO

SETTINGS = Settings()


@dataclass(frozen=True)
class Hides:
    """A sight from which these versions do not stand; from a lost place nobody knows what moved."""

    token: frozenset[str]
    place: str = "here"
    readers = None

    def sees(self, evidence: Evidence) -> bool:
        return not set(evidence.version.split("+")) & self.token

    def knows(self, evidence: Evidence) -> bool:
        return False

    def is_later(self, passage: Passage) -> bool:
        return False

    def moved_since(self, before: "Hides") -> set[tuple[str, str]] | None:
        return (
            None
            if self.place == "lost"
            else {("harbour", one) for one in self.token ^ before.token}
        )


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
    assert standing(by_id(*memories), hidden) == ActiveSet(frozenset(withdrawn), superseded)


VERSIONS = st.sampled_from(["v1", "v2", "v3", "v1+v2"])
IDS = st.sampled_from(["a", "b", "c", "d", "e"])
MEMORIES = st.builds(
    lambda one, versions, old, archived, user, day, until: learned(
        one,
        *versions,
        supersedes=tuple(old),
        archived=archived,
        user=user,
        created=DAY_ZERO + timedelta(days=day),
        expires=until and DAY_ZERO + timedelta(days=until),
    ),
    IDS,
    st.lists(VERSIONS, max_size=2),
    st.lists(IDS, max_size=2, unique=True),
    st.booleans(),
    st.sampled_from([None, "lin", "mei"]),
    st.integers(0, 3),
    st.sampled_from([None, None, 1, 2, 3]),
)
SETS = st.lists(MEMORIES, max_size=5).map(lambda some: by_id(*some))


LOOKS = st.builds(
    lambda memories, hidden, place, user, day: (memories, Hides(hidden, place), user, day),
    SETS,
    st.frozensets(st.sampled_from(["v1", "v2", "v3"])),
    st.sampled_from(["here", "there", "lost"]),
    st.sampled_from([None, "lin"]),
    st.integers(0, 4),
)


@given(st.lists(LOOKS, min_size=1, max_size=12))
def test_a_view_that_followed_equals_one_made_anew(
    looks: list[tuple[dict[str, Memory], Hides, str | None, int]],
) -> None:
    live, rules = LiveIndex(SETTINGS), RecallSettings()
    for memories, visibility, user, day in looks:
        live.follow(memories, SETTINGS, None, None)
        outdated = live.superseded(visibility)
        assert outdated == standing(memories, visibility).superseded
        asker = Asker(user, DAY_ZERO + timedelta(days=day), rules, outdated, visibility)
        assert live.audience(asker) == eligible(memories.values(), asker)


class Counted(Hides):
    """Counts what is asked of it."""

    asked = 0

    def sees(self, evidence: Evidence) -> bool:
        type(self).asked += 1
        return super().sees(evidence)


@pytest.mark.parametrize("size", [100, 10_000])
def test_a_swipe_and_a_new_message_look_at_nothing_else(size: int) -> None:
    live, rules = LiveIndex(SETTINGS), RecallSettings()
    known = by_id(*(learned(f"m{number}", f"v{number}") for number in range(size)))

    def asked(memories: dict[str, Memory], visibility: Counted) -> int:
        Counted.asked = 0
        live.follow(memories, SETTINGS, None, None)
        asker = Asker("lin", DAY_ZERO, rules, live.superseded(visibility), visibility)
        assert ("m7" in live.audience(asker)) is ("v7" not in visibility.token)
        return Counted.asked

    assert asked(known, Counted(frozenset())) == size
    assert asked(known, Counted(frozenset())) == 0
    assert asked(known, Counted(frozenset({"v7"}))) == 1
    assert asked(known, Counted(frozenset(), "elsewhere")) == size
    assert asked(known | by_id(learned("new", "v")), Counted(frozenset())) == 2
    assert asked(known | by_id(learned("new", "v")), Counted(frozenset(), "elsewhere")) == 1


@pytest.mark.parametrize(("size", "places"), [(100, 64), (10_000, 40)])
def test_of_many_who_take_turns_nobody_is_looked_at_anew(size: int, places: int) -> None:
    live, rules = LiveIndex(SETTINGS), RecallSettings()
    known = by_id(*(learned(f"m{number}", f"v{number}") for number in range(size)))
    live.follow(known, SETTINGS, None, None)

    def asked() -> int:
        Counted.asked = 0
        for place in range(places):
            seen = Counted(frozenset(), f"of user {place}")
            live.audience(Asker("lin", DAY_ZERO, rules, live.superseded(seen), seen))
        return Counted.asked

    assert (asked(), asked()) == (places * size, 0)
