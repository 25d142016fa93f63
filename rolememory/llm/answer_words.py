"""Field names and words that models use in answers, in every language: worldbook_rules/lexicons/answers.json."""

from collections.abc import Mapping
from functools import cache

from pydantic import AliasChoices, AliasGenerator

from rolememory.llm.answers import ModelAnswer
from rolememory.shipped import lexicon


@cache
def answer_words(section: str) -> Mapping[str, tuple[str, ...]]:
    """The words of a section by meaning, all languages together.

    >>> answer_words("sure")["0.85"], answer_words("words")["yes"]
    (('high', 'likely', '高', '较高', '較高'), ('是', '需要'))
    """
    found: dict[str, tuple[str, ...]] = {}
    for rows in lexicon("answers")["languages"].values():
        for name, words in rows.get(section, {}).items():
            found[name] = (*found.get(name, ()), *words)
    return found


def _named(field: str) -> AliasChoices:
    return AliasChoices(*answer_words("fields").get(field, (field,)))


class WordedAnswer(ModelAnswer, alias_generator=AliasGenerator(validation_alias=_named)):
    """An answer whose fields have aliases; the prompt asks for the first."""
