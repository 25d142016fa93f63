"""English statements: who is meant, what is claimed of him, and what is not."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from rolememory.learn.statements import Speaker, claims, claims_of_memory
from rolememory.schema.claims import ATTRIBUTES, Claim
from rolememory.schema.memory import Memory
from rolememory.text.fold import folded_key

TABLES = Path(__file__).parent
TWO = {"": "Mira", "user": "Lin"}
MANY = TWO | {"Tom": "Tom", "Ana": "Ana"}
SPEAKERS: Mapping[str, Speaker] = {
    "chat": Speaker("user", "", {"mira": "", "lin": "user"}, TWO),
    "role": Speaker("", "user", {"mira": "", "lin": "user"}, TWO),
    "group": Speaker("user", None, {"mira": "", "lin": "user", "tom": "Tom", "ana": "Ana"}, MANY),
    "nameless": Speaker("user", "", {"mira": ""}, {"": "Mira"}),
}
Key = tuple[str, str, str, str, bool]


def rows(name: str, words: int = 1) -> list[Any]:
    """The rows of a table, each named by its sentence, which stands at place `words`.

    A fourth member of [who, sentence, claims] lists what a reader would understand and the rules do not.
    """
    table = json.loads((TABLES / f"{name}.json").read_text(encoding="utf-8"))
    return [pytest.param(*(row[:3] if words else row), id=row[words]) for row in table]


def expected(table: Sequence[Sequence[Any]]) -> set[Key]:
    """Rows [subject, attribute, about, value] or with a last `false` for what does not hold."""
    return {
        (subject, attribute, about, folded_key(value), (*holds, True)[0])
        for subject, attribute, about, value, *holds in table
    }


def key(claim: Claim) -> Key:
    return claim.subject, claim.attribute, claim.about, folded_key(claim.value), claim.holds


def remembered(claim: Claim, shown: Mapping[str, str]) -> list[Key]:
    """What the content of a claim says when it is read back out of a memory."""
    memory = Memory(id="m", content=claim.content, subject=claim.subject or None)
    return [key(found) for found in claims_of_memory(memory, shown)]


@pytest.mark.parametrize(
    ("who", "says", "table"),
    [
        *rows("english"),
        *rows("english_fresh"),
        *rows("english_fresh_again"),
        *rows("english_fresh_third"),
    ],
)
def test_claims(who: str, says: str, table: Sequence[Sequence[Any]]) -> None:
    speaker = SPEAKERS[who]
    found = claims(says, speaker)
    assert {key(claim) for claim in found} == expected(table)
    for claim in found:
        assert key(claim) in remembered(claim, speaker.shown), claim.content
        assert says[claim.start : claim.end] == claim.quote
        assert claim.quote
        assert claim.attribute in ATTRIBUTES
        assert 0.0 < claim.certainty <= 1.0


@pytest.mark.parametrize(
    ("says", "attribute", "value", "former", "corrects"), rows("english_changes", words=0)
)
def test_changes_and_corrections(
    says: str, attribute: str, value: str, former: str, corrects: bool
) -> None:
    found = [
        (claim.attribute, claim.value, claim.former, claim.corrects)
        for claim in claims(says, SPEAKERS["chat"])
    ]
    assert (attribute, value, former, corrects) in found


@pytest.mark.parametrize(("says", "contents"), rows("english_contents", words=0))
def test_contents_read_naturally(says: str, contents: list[str]) -> None:
    assert [claim.content for claim in claims(says, SPEAKERS["chat"])] == contents


@pytest.mark.parametrize(("subject", "content", "table"), rows("english_told"))
def test_stored_sentences(subject: str, content: str, table: Sequence[Sequence[Any]]) -> None:
    memory = Memory(id="m", content=content, subject=subject or None)
    assert {key(claim) for claim in claims_of_memory(memory, TWO)} == expected(table)


@pytest.mark.parametrize(
    ("says", "certainty"),
    [
        pytest.param("I live in Rome.", 1.0, id="said of oneself"),
        pytest.param("I think I'm allergic to nuts.", 0.6, id="thought"),
        pytest.param("Maybe I'm an introvert.", 0.6, id="maybe"),
        pytest.param("We live in Rome.", 0.9, id="of us both"),
        pytest.param("You live in the lighthouse.", 0.8, id="of the other"),
        pytest.param("Tom lives in Oslo.", 0.8, id="of a third whom nobody knows"),
        pytest.param('Mei said "I hate tea".', 0.7, id="quoted"),
    ],
)
def test_certainty(says: str, certainty: float) -> None:
    assert [claim.certainty for claim in claims(says, SPEAKERS["chat"])] == [
        pytest.approx(certainty)
    ]


def test_nobody_knows_who_you_is() -> None:
    """What cannot be told of a third is kept in its own words, and read back out of them."""
    speaker = Speaker("user", None, {}, {"user": "Lin"})
    (claim,) = claims("I promise I'll write to you.", speaker)
    assert claim.content == 'Lin says: "I promise I\'ll write to you."'
    assert key(claim) in remembered(claim, speaker.shown)


@pytest.mark.parametrize("shown", [{}, {"user": "Lin"}], ids=["names unknown", "names known"])
def test_a_name_at_the_head_is_the_memorys_own(shown: Mapping[str, str]) -> None:
    memory = Memory(id="m", content="Lin lives in Rome.", subject="user")
    assert [key(claim) for claim in claims_of_memory(memory, shown)] == [
        ("user", "home", "", "rome", True)
    ]


@pytest.mark.parametrize(
    "piece",
    ['"a b." ', '"', "(", "*", "*a ", "I am ", "and ", "my sister ", "Lin: ", "[a ", "<", "`", "(( ", "I live in Rome and ", "if i ", "\n", "Lin's ",
     '"I am," said ', "I am very ", "call me ", "I like a, ", "1 ", "😀 "],
)  # fmt: skip
def test_endless_repetition_is_read_like_anything_else(piece: str) -> None:
    """Hostile input is bounded: nothing here may take long or raise."""
    text = piece * (8_000 // len(piece))
    found = claims(text, SPEAKERS["chat"])
    assert len(found) < 50


def test_long_posts_are_read_to_the_end() -> None:
    text = "The harbour was quiet that night. " * 230 + "I live in Rome."
    assert [claim.value for claim in claims(text, SPEAKERS["chat"])] == ["Rome"]


def test_every_claim_is_made_once() -> None:
    text = "I live in Rome. Maybe I live in Rome. I LIVE IN ROME, I live in Rome!"
    assert [(claim.value, claim.certainty) for claim in claims(text, SPEAKERS["chat"])] == [
        ("Rome", 1.0)
    ]
