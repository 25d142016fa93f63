"""Memories and passages as one mapping that tells what differs."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from rolememory.recall.candidates import Candidates, differences
from rolememory.recall.gates import Asker
from rolememory.recall.live import LiveIndex
from rolememory.schema.memory import Memory
from rolememory.schema.passage import Passage
from rolememory.schema.settings import RecallSettings, Settings
from rolememory.text.change_log import ChangeLog, VersionedDict
from rolememory.triggers.table import Table
from tests.builders import DAY_ZERO

IDS = st.sampled_from("abcdef")
SAYS = st.sampled_from(["hears", "tells", "asks"])
CHANGES = st.tuples(st.sampled_from(["said", "unsaid", "noted", "struck", "read"]), IDS, SAYS)


@given(st.lists(CHANGES, max_size=30), st.booleans(), st.booleans())
def test_a_table_that_takes_over_differences_holds_what_both_hold(
    changes: list[tuple[str, str, str]], forgetful: bool, written_down: bool
) -> None:
    log = ChangeLog[str]()
    said, noted, table = VersionedDict[Passage](), dict[str, Memory](), Table()
    before: Candidates | dict[str, Memory] = {}
    for act, one, content in [*changes, ("read", "", "")]:
        if act == "said":
            said.put(one, Passage(id=one, content=content))
        elif act == "unsaid":
            said.drop(one)
        elif act == "noted":
            noted = {**noted, one: Memory(id=one, content=content)}
            log.note(one)
        elif act == "struck":
            noted = {known: memory for known, memory in noted.items() if known != one}
            log.note(one)
        else:
            if forgetful:
                said._moves.all()
            written = (log, log.version) if written_down else None
            after = Candidates(noted, said, written=written)
            table.change(*differences(before, after, table))
            both = {**noted, **said}
            assert dict(after.items()) == both
            assert (set(after), len(after)) == (set(both), len(both))
            assert {one: table.entry(row) for one, row in table.row_of.items()} == both
            assert differences(after, after, table) == ([], [])
            before = after


def test_what_is_said_next_is_all_that_differs() -> None:
    said, noted = VersionedDict[Passage](), {"m": Memory(id="m", content="noted")}
    for number in range(1_000):
        said.put(f"p{number}", Passage(id=f"p{number}", content="said"))
    before = Candidates(noted, said)
    table = Table(list(before.values()))
    said.put("p7", Passage(id="p7", content="said otherwise"))
    said.drop("p8")
    after = Candidates(noted, said)
    assert after.since(before) == ["p7", "p8"]
    assert differences(before, after, table) == ([said["p7"]], ["p8"])


def test_what_is_written_next_is_all_that_differs() -> None:
    log, said = ChangeLog[str](), VersionedDict[Passage]()
    noted = {f"m{number}": Memory(id=f"m{number}", content="noted") for number in range(1_000)}
    before = Candidates(noted, said, written=(log, log.version))
    log.note("m7")
    after = Candidates({**noted}, said, written=(log, log.version))
    assert after.since(before) == ["m7"]
    elsewhere = Candidates({**noted}, said, written=(ChangeLog[str](), 0))
    assert elsewhere.since(before) == []  # nobody noted it, and nothing differs


def test_a_turn_that_saw_less_takes_back_what_it_did_not_see() -> None:
    """Two turns at once: one looked before a memory was written, and comes after the one that looked behind it."""
    log, said, table = ChangeLog[str](), VersionedDict[Passage](), Table()
    noted = {"one": Memory(id="one", content="One.")}
    before = Candidates(noted, said, written=(log, log.version))
    log.note("two")
    after = Candidates(
        {**noted, "two": Memory(id="two", content="Two.")}, said, written=(log, log.version)
    )
    table.change(list(after.values()))
    assert differences(after, before, table) == ([], ["two"])
    table.change([], ["two"])
    assert [one.id for one in differences(before, after, table)[0]] == ["two"]


def test_what_comes_while_a_turn_asks_is_heard_by_the_next() -> None:
    """Passages of an associated role come while ours is asked: nobody's lock holds them up."""
    said = VersionedDict[Passage]()
    said.put("p1", Passage(id="p1", content="said"))
    live, asker = LiveIndex(Settings()), Asker(None, DAY_ZERO, RecallSettings(), {})

    def heard(then: Callable[[], None]) -> set[str]:
        live.follow(Candidates({}, said), Settings(), None, None)
        then()
        return set(live.audience(asker))

    assert heard(lambda: said.put("p2", Passage(id="p2", content="said"))) == {"p1"}
    assert heard(lambda: said.drop("p1")) >= {"p2"}
    said.put("p3", Passage(id="p3", content="said"))
    assert heard(lambda: said.drop("p3")) >= {"p2"}
    assert heard(lambda: None) == {"p2"}
