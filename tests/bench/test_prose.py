"""The talk that benches are fed with."""

import random
from itertools import islice

import pytest

from tests.bench.prose import buried, facts, sentences, turns

LINE = {
    "en": "I hid the map under the hearthstone! Did you know? [photo: a map]",
    "zh": "我把地图藏在炉石下面了！你知道吗？",
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_line_stands_untouched_in_the_middle_of_a_long_reply(language: str) -> None:
    said = buried(LINE[language], "D1:3", language, who="Mira", other="Lin")
    before, _, after = said.partition(LINE[language])
    assert 1900 <= len(said) <= 2200
    assert abs(len(before) - len(after)) < 200


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_same_seed_gives_the_same_and_another_seed_other_prose(language: str) -> None:
    line = LINE[language]
    assert buried(line, "a", language) == buried(line, "a", language)
    assert buried(line, "a", language) != buried(line, "b", language)


def test_a_line_longer_than_the_reply_stays_as_it_is() -> None:
    assert buried("word " * 500, "a", "en") == "word " * 500


@pytest.mark.parametrize("language", ["en", "zh"])
def test_prose_and_facts_hardly_repeat(language: str) -> None:
    said = list(islice(sentences(random.Random(1), language, "Mira", "Lin"), 1000))
    assert len(set(said)) > 600
    told = list(islice(facts(random.Random(1), language), 5000))
    assert len(set(told)) == 5000


def test_turns_tell_a_fact_each_in_both_languages_or_none() -> None:
    told = [said for said, _ in islice(turns(1, told=True), 100)]
    assert sum(any(letter.isdigit() for letter in said) for said in told) == 100
    assert 40 <= sum(said.isascii() for said in told) <= 60
    plain = [said for said, _ in islice(turns(1, told=False), 100)]
    assert not any(letter.isdigit() for said in plain for letter in said)
