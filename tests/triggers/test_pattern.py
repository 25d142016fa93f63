"""Entries woken by keys in slashes: which, how strongly, and why."""

import pytest

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Hit, Reason
from rolememory.schema.scene import Span
from rolememory.schema.settings import PatternSettings, TriggerSettings
from rolememory.text.pattern import PatternBudget, Quarantine
from rolememory.triggers.base import Parts
from rolememory.triggers.pattern import PatternTrigger
from tests.builders import entry, memory, scene

NEVER_ENDS = r"/(?=(a+)+b\d)a/"
LONG = "a" * 4000 + "b!"


def hits(
    entries: list[Entry],
    *texts: str,
    depth: int = 4,
    patterns: PatternBudget | None = None,
    parts: Parts | None = None,
) -> dict[str, Hit]:
    """What fires when these texts were said, by entry."""
    parts = parts or Parts()
    turn = scene(
        *texts,
        keys=PatternTrigger.specs(entries, parts.settings.keyword),
        depth=depth,
        patterns=patterns,
    )
    found = list(PatternTrigger(entries, parts).fire(turn, frozenset(one.id for one in entries)))
    assert len({hit.entry_id for hit in found}) == len(found)
    return {hit.entry_id: hit for hit in found}


@pytest.mark.parametrize(
    ("fields", "texts", "fires"),
    [
        pytest.param({"keys": ["/beac.n/i"]}, ["The BEACON went dark."], True, id="a pattern in the newest message"),
        pytest.param({"keys": ["/beac.n/"]}, ["The BEACON went dark."], False, id="case counts without the flag i"),
        pytest.param({"keys": ["/^beacon/"]}, ["The beacon", "beacon!"], True, id="each message begins again"),
        pytest.param({"keys": [r"/oil[\s\S]*lamp/"]}, ["oil", "lamp"], False, id="no pattern reaches over two messages"),
        pytest.param({"keys": ["/beacon/"]}, ["beacon", "a", "b", "c", "d"], False, id="a pattern beyond the scan depth"),
        pytest.param({"keys": [" /beacon/ "]}, ["beacon"], True, id="blanks around a key do not count"),
        pytest.param({"keys": ["beacon"]}, ["beacon"], False, id="a plain key is another strategy's"),
        pytest.param({"keys": ["/usr/bin/"]}, ["/usr/bin/"], False, id="a path is plain text"),
        pytest.param({"keys": ["/beacon/", "lamp"]}, ["the lamp"], False, id="the plain key beside a pattern as well"),
        pytest.param({"keys": ["/龙(?!化石)/"]}, ["恐龙化石"], False, id="恐龙化石里没有龙"),
        pytest.param({"keys": ["/龙(?!化石)/"]}, ["龙来了"], True, id="龙来了"),
        pytest.param({"keys": ["/(((a{99}){99}){99})/"]}, ["a" * 100], False, id="a bomb never fires"),
        pytest.param({"keys": ["/storm/"], "secondary_keys": ["sea"]}, ["a storm at sea"], True, id="and_any with a plain secondary key"),
        pytest.param({"keys": ["/storm/"], "secondary_keys": ["sea"]}, ["a storm"], False, id="and_any without it"),
        pytest.param({"keys": ["/storm/"], "secondary_keys": ["/s.a/", "sky"], "selective_logic": "and_all"}, ["storm, sea, sky"], True, id="and_all, one of them a pattern"),
        pytest.param({"keys": ["/storm/"], "secondary_keys": ["/s.a/"], "selective_logic": "not_any"}, ["storm, sea"], False, id="not_any with the pattern there"),
        pytest.param({"keys": ["/storm/"], "secondary_keys": ["/(((a{99}){99}){99})/"], "selective_logic": "not_any"}, ["storm"], True, id="a broken secondary key is never seen"),
        pytest.param({"keys": ["storm"], "secondary_keys": ["/s.a/"]}, ["a storm at sea"], True, id="a plain key with a pattern behind it is ours"),
        pytest.param({"keys": ["storm"], "secondary_keys": ["/s.a/"]}, ["a storm"], False, id="... and waits for that pattern"),
        pytest.param({"keys": []}, ["anything"], False, id="no keys, no hit"),
    ],
)  # fmt: skip
def test_which_entries_fire(fields: dict[str, list[str]], texts: list[str], fires: bool) -> None:
    assert ("it" in hits([entry("it", **fields)], *texts)) is fires


def test_the_reason_names_key_message_and_matched_text() -> None:
    found = hits([entry("storm", keys=[r"/st[ou]rm\w*/i"])], "The Storms of old.", "Which?")
    assert found["storm"].because == Reason(
        "pattern", (("key", r"/st[ou]rm\w*/i"), ("message", 0), ("text", "Storms")), Span(1, 4, 10)
    )


def test_a_long_match_is_quoted_in_part() -> None:
    reason = hits([entry("all", keys=["/a+/"])], "a" * 500)["all"].because
    assert (len(str(reason.get("text"))), reason.span) == (80, Span(0, 0, 500))


def test_the_newest_message_counts_most() -> None:
    entries: list[Entry] = [entry("new", keys=["/lamp/"]), entry("old", keys=["/sea/"])]
    found = hits(entries, "the sea", "so?", "the lamp")
    assert found["new"].strength > found["old"].strength >= 0.3


def test_two_patterns_say_more_than_one() -> None:
    entries: list[Entry] = [entry("two", keys=["/lamp/", "/oil/"]), entry("one", keys=["/wick/"])]
    found = hits(entries, "lamp oil and wick")
    assert found["two"].strength > found["one"].strength


def test_a_memory_that_wants_other_strategies_stays_asleep() -> None:
    assert not hits([memory("quiet", keys=["/lamp/"], triggers=["semantic"])], "lamp")


def test_a_rare_pattern_says_more_than_a_common_one() -> None:
    many: list[Entry] = [entry(f"m{number}", keys=["/Mira/"]) for number in range(20)]
    found = hits([*many, entry("rare", keys=["/sext.nt/"])], "Mira lost her sextant")
    assert found["rare"].strength > found["m0"].strength


def test_only_entries_asked_about_fire() -> None:
    entries: list[Entry] = [entry("a", keys=["/lamp/"]), entry("b", keys=["/lamp/"])]
    assert [
        hit.entry_id for hit in PatternTrigger(entries, Parts()).fire(scene("lamp"), {"b"})
    ] == ["b"]


def test_a_hostile_key_is_stopped_and_noted_and_the_others_fire() -> None:
    budget = PatternBudget(turn_ms=60_000, each_ms=10)
    found = hits(
        [entry("bad", keys=[NEVER_ENDS]), entry("good", keys=["/b!/"])], LONG, patterns=budget
    )
    assert set(found) == {"good"}
    assert budget.notes == (f"pattern {NEVER_ENDS!r} took too long and was stopped",)


def test_without_a_budget_in_the_scene_the_settings_count() -> None:
    quarantine = Quarantine(limit=2)
    settings = TriggerSettings(pattern=PatternSettings(timeout_ms=5, turn_budget_ms=60_000))
    parts = Parts(settings, patterns=quarantine)
    for _ in range(2):
        assert not hits([entry("bad", keys=[NEVER_ENDS])], LONG, parts=parts)
    assert quarantine.holds(NEVER_ENDS)
