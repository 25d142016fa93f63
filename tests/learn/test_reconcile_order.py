"""What stands does not depend on the order in which drafts arrive."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rolememory.learn.reconcile import Known, reconcile
from rolememory.learn.reconcile.told import Told, memory_of
from rolememory.schema.claims import ATTRIBUTES, USER, Claim
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.memory import Evidence, Source
from tests.builders import DAY_ZERO

VALUES = {
    "home": ("Rome", "Berlin", "the north of Berlin"),
    "job": ("nurse", "baker"),
    "likes": ("tea", "green tea", "chess"),
    "dislikes": ("tea", "chess"),
    "owns": ("Biscuit", "Luna"),
    "relation": ("Anna", "Clara"),
    "plan": ("go to Lisbon on Monday", "go to Lisbon on Friday"),
    "did": ("broke a leg", "went to Lisbon"),
    "age": ("27", "28"),
}
ABOUT = {"owns": "cat", "relation": "wife"}
Edge = tuple[str, str]


@st.composite
def claims(draw: st.DrawFn) -> Claim:
    """Any of a small world of claims about the user."""
    attribute = draw(st.sampled_from(sorted(VALUES)))
    value, holds = (
        draw(st.sampled_from(VALUES[attribute])),
        draw(st.sampled_from((True, True, False))),
    )
    former = draw(st.sampled_from(("", *VALUES[attribute])))
    content = (
        f"The user's {attribute} {ABOUT.get(attribute, '')} {'is' if holds else 'is not'} {value}."
    )
    return Claim(
        USER,
        attribute,
        value,
        content,
        content,
        ABOUT.get(attribute, ""),
        holds,
        former="" if former == value else former,
        corrects=draw(st.booleans()),
    )


def drafts(said: Sequence[Claim]) -> list[Draft]:
    """One draft for each claim, told an hour after the other."""
    return [
        Draft(
            claim.content,
            ATTRIBUTES[claim.attribute].kind,
            Source.USER_INPUT,
            (Evidence(chat="c", version=f"v{place}"),),
            Reason("stated"),
            subject=USER,
            created=DAY_ZERO + timedelta(hours=place),
            claims=(claim,),
        )
        for place, claim in enumerate(said)
    ]


def edges(told: Sequence[Draft], order: Sequence[int], batch: int = 1) -> set[Edge]:
    """Who replaces whom, (later, earlier), when the drafts arrive in this order, so many at once."""
    known, found = Known(), set[Edge]()
    for start in range(0, len(order), batch):
        now = order[start : start + batch]
        for place, verdict in zip(
            now,
            reconcile([told[one] for one in now], known, [f"d{one}" for one in now]),
            strict=True,
        ):
            found |= {(f"d{place}", other) for other in verdict.others} | {
                (other, f"d{place}") for other in verdict.outdated_by
            }
        for one in now:
            known.add(Told(memory_of(told[one], f"d{one}"), told[one].claims))
    return found


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    said=st.lists(claims(), min_size=2, max_size=9),
    chance=st.randoms(use_true_random=False),
    batch=st.integers(1, 4),
)
def test_any_order_of_arrival_replaces_the_same(
    said: list[Claim], chance: object, batch: int
) -> None:
    told, order = drafts(said), list(range(len(said)))
    expected = edges(told, order)
    chance.shuffle(order)  # type: ignore[attr-defined]
    assert edges(told, order, batch) == expected
    assert edges(told, order[::-1]) == expected
    assert all(int(later[1:]) > int(earlier[1:]) for later, earlier in expected)


SENTENCES = (
    "The user smokes.",
    "The user gave up smoking.",
    "The user smokes again.",
    "The user likes running.",
    "The user hates running.",
    "用户怀孕了。",
    "用户的宝宝出生了。",
    "用户在减肥。",
    "用户不减肥了。",
)


@pytest.mark.parametrize("step", [1, 2, 4, 5, 7, 8])
def test_sentences_without_claims_arrive_in_any_order(step: int) -> None:
    told = [
        Draft(
            text,
            ATTRIBUTES["is"].kind,
            Source.SUMMARY,
            (Evidence(chat="c", version=text),),
            Reason("raw"),
            subject=USER,
            created=DAY_ZERO + timedelta(hours=place),
        )
        for place, text in enumerate(SENTENCES)
    ]
    order = [place * step % len(told) for place in range(len(told))]
    expected = edges(told, range(len(told)))
    assert edges(told, order) == expected
    assert {("d1", "d0"), ("d2", "d1"), ("d4", "d3"), ("d6", "d5"), ("d8", "d7")} <= expected
