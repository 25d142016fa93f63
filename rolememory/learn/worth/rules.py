"""What tells small talk, questions and orders from what is told, as worldbook_rules/lexicons/worth.{zh,en}.json has it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import orjson

from rolememory.schema.scene import Language
from rolememory.shipped import shipped

_NAME = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True, slots=True)
class Rules:
    """Patterns for one sentence of `text.plain.plain` text, without punctuation and emoji at its edges."""

    fillers: re.Pattern[str]  # what may open a sentence and says nothing
    small_talk: re.Pattern[str]  # greetings, thanks, praise, agreement: the whole sentence
    small_act: re.Pattern[str]  # an action that changes nothing: *smiles*
    question: re.Pattern[str]
    asks_surely: re.Pattern[str]  # endings that only questions have, without a question mark too
    question_part: re.Pattern[str]  # where a question may begin behind something told
    tag_question: re.Pattern[str]  # ", isn't it?": a statement all the same
    told_in_question: re.Pattern[str]  # "did you know that I ...": news in the form of a question
    past_question: re.Pattern[str]  # asks for a memory, tells none
    order: re.Pattern[str]
    asks_for_words: re.Pattern[str]  # an order whose work is words: "write me a poem about Anna"
    me: re.Pattern[str]
    past: re.Pattern[str]
    future: re.Pattern[str]
    when: re.Pattern[str]  # a time that is named
    weighty: re.Pattern[str]  # promises, gifts, losses, kin, tastes: what later questions ask for


@cache
def rules(language: Language) -> Rules:
    """The shipped rules of a language."""
    raw = orjson.loads(
        shipped("worldbook_rules", "lexicons", f"worth.{language}.json").read_bytes()
    )
    parts: Mapping[str, str] = raw["parts"]
    small_talk = "|".join(f"(?:{_filled(one, parts)})" for one in raw["small_talk"])
    names = (name for name in Rules.__slots__ if name != "small_talk")
    return Rules(
        small_talk=re.compile(small_talk),
        **{name: re.compile(_filled(raw[name], parts)) for name in names},
    )


def _filled(pattern: str, parts: Mapping[str, str]) -> str:
    return _NAME.sub(lambda name: parts.get(name[1], name[0]), pattern)
