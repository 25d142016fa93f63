"""What changed is not told as it was before: probes of a fact, its change, and questions from other chats."""

from tests.bench.stale import measured

NEVER = ("en moved", "en corrected home", "en favourite", "en pet", "zh age")
"""Kinds whose rules hold whatever the wording here; the rest is measured by `tests.bench.stale`, and is not at nought yet."""
MOST = 0.3  # of all probes: a third of the wordings of changes is read by no rule yet


def test_most_outdated_facts_are_silent_and_those_of_well_known_kinds_all() -> None:
    found = measured(110, seed=9)
    rates = found["rates"]
    assert {kind: rates[kind]["stale"] for kind in NEVER} == dict.fromkeys(NEVER, 0), found["stale"]
    assert rates["all"]["stale"] <= MOST * rates["all"]["probes"], found["stale"]
    assert rates["all"]["unlearned"] <= 0.1 * rates["all"]["probes"], "the probes can fail"
