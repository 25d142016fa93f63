"""Keys in slashes: what is one, what is said of a broken one, and that none holds up a turn."""

import re
import threading
from contextlib import suppress
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.errors import PatternError
from rolememory.text.pattern import (
    PatternBudget,
    PatternSource,
    Quarantine,
    compile_pattern,
    parse_pattern,
)
from tests.text.hostile import BOMBS, HOSTILE


@pytest.mark.parametrize(
    ("key", "source"),
    [
        pytest.param("/lamp/", PatternSource("lamp"), id="a body between slashes"),
        pytest.param("/lamp/gimsuy", PatternSource("lamp", "gimsuy"), id="all six flags"),
        pytest.param("/a b/i", PatternSource("a b", "i"), id="blanks inside are part of it"),
        pytest.param("/龙(?!化石)/u", PatternSource("龙(?!化石)", "u"), id="Chinese"),
        pytest.param("/line\nbreak/", PatternSource("line\nbreak"), id="a line break inside"),
        pytest.param(r"/a\/b/", PatternSource("a/b"), id="an escaped slash"),
        pytest.param(
            r"/a\/b\/c/",
            PatternSource(r"a/b\/c"),
            id="two escaped slashes: only the first loses its backslash",
        ),
        pytest.param(
            r"/a\\/b/",
            PatternSource(r"a\/b"),
            id="a backslash before a slash escapes it, whatever stands before",
        ),
        pytest.param("/{}/", PatternSource("{}"), id="braces that count nothing"),
        pytest.param("lamp", None, id="no slashes"),
        pytest.param("/lamp", None, id="no slash at the end"),
        pytest.param("lamp/i", None, id="no slash at the start"),
        pytest.param("//", None, id="nothing between"),
        pytest.param("///", None, id="a slash between"),
        pytest.param("/usr/bin/", None, id="a path"),
        pytest.param("/a/b/i", None, id="a slash inside"),
        pytest.param("/[/]/", None, id="a slash in a class counts too"),
        pytest.param("/lamp/x", None, id="a flag that is none"),
        pytest.param("/lamp/v", None, id="a flag that frontends do not read"),
        pytest.param("/lamp/ii", None, id="a flag twice"),
        pytest.param("/lamp/I", None, id="a capital flag"),
        pytest.param("/lamp/ ", None, id="a blank behind (keys are trimmed before)"),
        pytest.param("/(/", None, id="not a pattern: an open bracket"),
        pytest.param("/a**/", None, id="not a pattern: repeated twice"),
        pytest.param(r"/\p{Han}/u", None, id="not a pattern: no such property"),
        pytest.param("/}/u", None, id="not a pattern with u"),
        pytest.param("", None, id="nothing at all"),
    ],
)
def test_what_is_a_pattern(key: str, source: PatternSource | None) -> None:
    assert parse_pattern(key) == source


@pytest.mark.parametrize("key", BOMBS, ids=lambda key: key[:20])
def test_a_bomb_is_a_pattern_that_is_refused(key: str) -> None:
    assert parse_pattern(key) is not None
    with pytest.raises(PatternError):
        compile_pattern(key)


@pytest.mark.parametrize(
    ("key", "told"),
    [
        pytest.param("lamp", "not a pattern; write /body/", id="no slashes"),
        pytest.param("/a/b/", r"a slash inside the pattern ends it; write '\/'", id="an inner slash"),
        pytest.param("/(lamp/", "at character 1: a group is not closed; add ')'", id="an open group, with its place"),
        pytest.param("/lamp)/", "at character 5: unmatched ')'", id="a bracket too many"),
        pytest.param("/[a-/", "at character 1: a class is not closed; add ']'", id="an open class"),
        pytest.param("/[z-a]/", "at character 2: a range of a class is out of order", id="a range the wrong way round"),
        pytest.param("/a{3,1}/", "at character 2: the bounds of {3,1} are out of order; write {1,3}", id="bounds the wrong way round"),
        pytest.param("/*lamp/", "at character 1: nothing to repeat before '*'; write '\\*'", id="nothing to repeat"),
        pytest.param("/(?P<n>a)/", "JavaScript writes a named group (?<name>...)", id="Python's named group"),
        pytest.param("/(?>a)/", "JavaScript has no atomic groups; write (?:...)", id="an atomic group"),
        pytest.param("/(?i)a/", "flags behind the last slash: /.../i", id="flags inside"),
        pytest.param(r"/\p{Han}/u", r"JavaScript knows no property {Han}; write \p{Script=Han}", id="a property that needs its name"),
        pytest.param(r"/\q/u", r"\q means nothing with the flag u; write 'q' without the backslash", id="an escape for nothing"),
        pytest.param(r"/(a)\2/u", r"\2 names no group (1 in this pattern)", id="a reference to nothing"),
        pytest.param(r"/(?<n>a)\k<m>/", r"\k names no group of this pattern (named groups: n)", id="a name that is not there"),
        pytest.param("/^*/", "an assertion matches no text; take the quantifier away", id="an edge repeated"),
        pytest.param("/" + "x" * 1001 + "/", "has 1001 characters, at most 1000 are run", id="too long"),
        pytest.param("/" + "(" * 21 + ")" * 21 + "/", "nested more than 20 deep", id="too deep"),
        pytest.param("/(a{200}){200}/", "its counts multiply to 40401 steps, at most 10000 are run; lower", id="counts that multiply"),
    ],
)  # fmt: skip
def test_a_broken_pattern_says_what_where_and_what_instead(key: str, told: str) -> None:
    with pytest.raises(PatternError) as error:
        compile_pattern(key)
    assert told in str(error.value)
    assert str(error.value).startswith(repr(key[:57])[:-1])
    assert "\n" not in str(error.value)
    chinese = error.value.text("zh")
    assert not re.search("[a-z]{2,} [a-z]{2,}", chinese), chinese


@pytest.mark.parametrize(
    ("key", "literal"),
    [
        pytest.param("/lamp/", "lamp", id="all of it"),
        pytest.param("/Lamp/i", "lamp", id="in lower case where case is ignored"),
        pytest.param(r"/oil[\s\S]*lamp/", "lamp", id="the longest"),
        pytest.param("/oil(?:red)lamp/", "oilredlamp", id="through groups"),
        pytest.param("/colou?r/", "colo", id="up to what may be missing"),
        pytest.param("/dragon|lamp/", None, id="none of two"),
        pytest.param("/(?:dragon|wyrm)s/", "s", id="what stands behind a choice"),
        pytest.param("/a+bc/", "abc", id="the last round touches what follows"),
        pytest.param("/xa{2}y/", "xa", id="rounds do not run together"),
        pytest.param("/(?=dragon)d/", "d", id="not what is only looked at"),
        pytest.param(r"/\bking\b/", "king", id="through edges"),
        pytest.param("/[k]ing/", "king", id="a class of one"),
        pytest.param("/[kr]ing/", "ing", id="not a class of two"),
        pytest.param("/king/iu", "king", id="k has one lower case, the Kelvin sign's too"),
        pytest.param("/sing/iu", "ing", id="s has two"),
        pytest.param("/σx/i", "x", id="sigma has two"),
        pytest.param("/😀!/", "😀!", id="an emoji is whole again"),
        pytest.param("/龙(?!化石)/", "龙", id="Chinese"),
        pytest.param(r"/\d+/", None, id="digits are none"),
        pytest.param("/(?:a+)?/", None, id="what may be missing"),
    ],
)
def test_the_literal_a_pattern_needs(key: str, literal: str | None) -> None:
    assert compile_pattern(key).literal == literal


@given(text=st.text(alphabet="abKk\u212aſsİiσςΣß龙😀𐐀𐐨 \n", max_size=12))
@pytest.mark.parametrize(
    "key",
    [
        "/k+a/i",
        "/k+a/iu",
        "/sa?/iu",
        "/σ|ab/i",
        "/𐐀a?/i",
        "/𐐀a?/iu",
        "/😀a?/",
        "/[İi]b/i",
        "/ab+(?:k)/i",
    ],
)
def test_the_literal_stands_in_every_match(key: str, text: str) -> None:
    pattern = compile_pattern(key)
    if pattern.literal and pattern.engine.search(text) and not pattern._splits:
        assert pattern.literal in (text.lower() if pattern.lowered else text)


@pytest.mark.parametrize(
    ("key", "always"),
    [
        ("/a*/", True),
        ("/(?:)/", True),
        ("/^$/", True),
        ("/a|/", True),
        ("/a+/", False),
        (r"/\b/", False),
    ],
)
def test_a_pattern_of_nothing_is_known(key: str, always: bool) -> None:
    assert compile_pattern(key).matches_empty is always


@given(
    body=st.text(max_size=40),
    flags=st.text(alphabet="gimsuyx", max_size=3),
    text=st.text(max_size=40),
)
def test_any_key_is_text_or_runs(body: str, flags: str, text: str) -> None:
    key = f"/{body}/{flags}"
    if parse_pattern(key) is None:
        return
    place = PatternBudget().search(compile_pattern(key), text)
    assert place is None or 0 <= place[0] <= place[1] <= len(text)


@given(body=st.text(alphabet=r"ab()[]{}|*+?\^$.-123<>=!:kdw,", max_size=60))
def test_any_body_is_compiled_or_refused(body: str) -> None:
    with suppress(PatternError):
        compile_pattern(PatternSource(body))


@pytest.mark.parametrize(("key", "text"), HOSTILE, ids=lambda part: part[:40])
def test_a_hostile_pattern_ends(key: str, text: str) -> None:
    budget = PatternBudget(turn_ms=40, each_ms=20)
    pattern = compile_pattern(key)
    budget.search(pattern, text)
    assert (str(pattern.source) in budget.unfinished) == (budget.notes != ())


@pytest.mark.parametrize(("key", "text"), HOSTILE, ids=lambda part: part[:40])
def test_a_hostile_pattern_ends_at_its_time(key: str, text: str) -> None:
    with suppress(TimeoutError):
        compile_pattern(key).engine.search(text, timeout=0.02)


def test_there_are_hostile_patterns_enough() -> None:
    assert len(HOSTILE) + len(BOMBS) >= 40


class Clock:
    """A clock that goes on by so many milliseconds each time it is read."""

    def __init__(self, step_ms: float) -> None:
        self.now, self.step = 0.0, step_ms / 1000

    def __call__(self) -> float:
        self.now += self.step
        return self.now


NEVER_ENDS = compile_pattern(r"/(?=(a+)+b\d)a/")


def test_a_spent_budget_runs_nothing_more() -> None:
    budget = PatternBudget(turn_ms=100, clock=Clock(30))
    found = [budget.search(compile_pattern(f"/lamp{number}?/"), "a lamp") for number in range(6)]
    assert found == [(2, 6)] * 4 + [None] * 2
    assert list(budget.unfinished) == ["/lamp4?/", "/lamp5?/"]
    assert budget.spent


def test_a_thousand_hostile_patterns_cost_no_more_than_the_budget() -> None:
    budget = PatternBudget(turn_ms=20, each_ms=10)
    patterns = [compile_pattern(rf"/(?=(a+)+b{number}\d)a/") for number in range(1000)]
    assert not any(budget.search(pattern, "a" * 4000 + "b!") for pattern in patterns)
    assert len(budget.unfinished) == 1000
    assert len(budget.quarantined) == 0


def test_a_pattern_that_timed_out_is_not_tried_again_in_the_turn() -> None:
    budget = PatternBudget(turn_ms=60_000, each_ms=10)
    assert budget.search(NEVER_ENDS, "no such letter") is None
    assert budget.search(NEVER_ENDS, "a" * 4000 + "b!") is None
    before = budget.left_ms
    assert budget.search(NEVER_ENDS, "ab") is None
    assert budget.left_ms == before
    assert list(budget.unfinished) == [str(NEVER_ENDS.source)]


def test_three_time_outs_and_a_pattern_rests() -> None:
    quarantine = Quarantine(limit=3)
    turns = [PatternBudget(each_ms=5, quarantine=quarantine) for _ in range(4)]
    for turn in turns:
        turn.search(NEVER_ENDS, "a" * 4000 + "b!")
    key = str(NEVER_ENDS.source)
    assert [turn.quarantined for turn in turns] == [[], [], [key], []]
    assert quarantine.holds(key)
    assert turns[3].left_ms == 100.0


def test_places_count_characters_whatever_the_flags() -> None:
    text = "😀😀 a lamp 😀"
    assert [compile_pattern(f"/a.lamp/{flags}").search(text) for flags in ("", "u", "i", "iu")] == [
        (3, 9)
    ] * 4
    assert [compile_pattern(f"/[^a]lamp/{flags}").search(text) for flags in ("", "u")] == [
        (4, 9)
    ] * 2


def test_only_the_start_of_an_endless_text_is_searched() -> None:
    assert compile_pattern("/lamp/").search("x" * 200_000 + "lamp") is None


def test_time_that_others_spend_is_not_counted() -> None:
    """Waiting costs a pattern nothing: the clock is this thread's own CPU."""
    pattern, text = compile_pattern(r"/(?=(?:a|b)+c\d)a/"), "ab" * 150 + "c!"
    budget = PatternBudget(turn_ms=60_000, each_ms=60_000)
    ending = threading.Event()
    others = [threading.Thread(target=_busy, args=(ending,)) for _ in range(4)]
    for other in others:
        other.start()
    try:
        before = thread_time()
        assert [budget.search(pattern, text) for _ in range(20)] == [None] * 20
        own_ms = (thread_time() - before) * 1000
    finally:
        ending.set()
        for other in others:
            other.join()
    assert not budget.unfinished
    assert 60_000 - budget.left_ms <= own_ms


def _busy(ending: threading.Event) -> None:
    while not ending.is_set():
        sum(range(10_000))
