"""Facts in the middle of long prose: a small part of the bench, with a wide margin."""

import pytest

from tests.bench.conversation import letters
from tests.bench.hidden import LONGEST, SHORTEST, measured, talk


@pytest.mark.parametrize("language", ["en", "zh"])
def test_facts_in_long_messages_reach_the_prompt_and_no_block_is_empty(language: str) -> None:
    found = measured(language, 24)
    assert found["told"] >= 0.8, found["missed"]
    assert found["empty"] == 0.0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_message_is_long_and_holds_its_fact_and_no_question_is_asked_twice(
    language: str,
) -> None:
    hidden = talk(language, 40)
    assert len({one.asked for one in hidden}) == 40
    for one in hidden:
        assert SHORTEST - 100 <= len(one.message.content) <= LONGEST
        assert letters(one.fact) in letters(one.message.content)
        assert letters(one.fact) != letters(one.asked)


def test_nothing_is_found_where_nothing_is_recalled() -> None:
    found = measured("en", 4, {"recall.passages.recall": "none"})
    assert (found["told"], found["empty"], len(found["missed"])) == (0.0, 1.0, 4)
