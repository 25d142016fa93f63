"""One person has a bounded share of a block: who floods a channel displaces hardly anything that others said."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from rolememory import Home, Message
from rolememory.recall.turn import Turn
from tests.hashing import HashingEmbedder
from tests.recall.flood_words import FLOODS, PLACES, THINGS, WORDS, Words


def facts(words: Words) -> Iterator[tuple[str, str]]:
    """Each fact with the question for it."""
    for name, thing, place in zip(
        words.names, THINGS[words.language], PLACES[words.language], strict=True
    ):
        yield words.fact.format(name, thing, place), words.question.format(name)


def flood(words: Words, count: int) -> Iterator[Message]:
    """Messages of somebody else who names what the questions name, over and over."""
    chance = random.Random(3)
    for number in range(count):
        said = chance.choice(FLOODS[words.language]).format(
            chance.choice(words.names), chance.choice(THINGS[words.language]), number
        )
        yield Message.user(said, user="eve", name="Eve")


def shown(turn: Turn, user: str) -> int:
    return sum(len(one.memory.content) for one in turn.recalled if one.memory.user == user)


@pytest.mark.parametrize("words", WORDS, ids=lambda words: words.language)
def test_a_flood_displaces_at_most_a_tenth(tmp_path: Path, words: Words) -> None:
    with Home.open(tmp_path, {"embedding.backend": "off", "learn.enabled": False}) as home:
        mira = home.create("Mira")
        gold = list(facts(words))
        talk = [Message.user(fact, user="lin", name="Lin") for fact, _ in gold]

        def found() -> int:
            turns = [mira.recall([ask], chat="new", user="lin") for _, ask in gold]
            half = home.settings.budget.max_total_length // 2
            assert all(shown(turn, "eve") <= half for turn in turns)
            return sum(fact in turn.text for (fact, _), turn in zip(gold, turns, strict=True))

        there = ["lin", "eve"]
        mira.observe(talk, chat="hall", user="lin", present=there)
        before = found()
        assert before == len(gold)
        mira.observe([*talk, *flood(words, 1_000)], chat="hall", user="lin", present=there)
        assert found() >= 0.9 * before


@pytest.mark.parametrize("words", WORDS, ids=lambda words: words.language)
@pytest.mark.parametrize("embedder", [None, HashingEmbedder()], ids=["words", "vectors"])
def test_who_repeats_a_line_makes_its_words_no_more_common(
    tmp_path: Path, words: Words, embedder: HashingEmbedder | None
) -> None:
    own = {"learn.enabled": False} | ({} if embedder else {"embedding.backend": "off"})
    with Home.open(tmp_path, own, embedder) as home:
        mira = home.create("Mira")
        gold = list(facts(words))
        talk = [Message.user(fact, user="lin", name="Lin") for fact, _ in gold]

        def relevance(*, vectors: bool = True) -> float:
            """Of the facts to their questions, added up."""
            how = {"triggers.semantic.vectors": vectors}
            assert mira.ready(60.0) is bool(embedder)
            turns = [
                (fact, mira.recall([ask], chat="new", user="lin", settings=how))
                for fact, ask in gold
            ]
            found = [
                next(one.scored.relevance for one in turn.recalled if one.memory.content == fact)
                for fact, turn in turns
            ]
            return sum(found)

        there = ["lin", "eve"]
        mira.observe(talk, chat="hall", user="lin", present=there)
        before = relevance()
        again = [Message.user(gold[n % 5][1], user="eve", name="Eve") for n in range(500)]
        mira.observe([*talk, *again], chat="hall", user="lin", present=there)
        after = relevance()
        assert after >= 0.9 * before
        assert (after > relevance(vectors=False)) is bool(embedder)


def test_who_asks_is_not_bounded_and_the_reason_is_told(tmp_path: Path) -> None:
    with Home.open(tmp_path, {"embedding.backend": "off", "learn.enabled": False}) as home:
        mira, words = home.create("Mira"), WORDS[0]
        there = ["lin", "eve"]
        mira.observe(list(flood(words, 200)), chat="hall", user="eve", present=there)
        ask = words.question.format(words.names[0])
        half = home.settings.budget.max_total_length // 2
        assert shown(mira.recall([ask], chat="new", user="eve"), "eve") > half
        turn = mira.recall([ask], chat="new", user="lin")
        assert 0 < shown(turn, "eve") <= half
        left_out = {one.because.code for one in turn.left_out()}
        assert "speaker_share" in left_out


def test_who_repeats_a_question_does_not_take_every_candidate(tmp_path: Path) -> None:
    with Home.open(tmp_path, {"embedding.backend": "off", "learn.enabled": False}) as home:
        mira, words = home.create("Mira"), WORDS[0]
        fact, ask = next(facts(words))
        said = (f"{ask[:-1]} {number}" for number in range(300))
        talk = [Message.user(fact, user="lin"), *(Message.user(one, user="eve") for one in said)]
        mira.observe(talk, chat="hall", user="lin", present=["lin", "eve"])
        turn = mira.recall([ask], chat="new", user="lin")
        assert fact in [one.memory.content for one in turn.answer.scored]
