"""What derivation goes by, as worldbook_rules/lexicons/derive.{zh,en}.json has it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from rolememory.schema.scene import Language
from rolememory.shipped import shipped
from rolememory.text.words import stem


@dataclass(frozen=True, slots=True)
class Rules:
    """One language's words. English words are stems, Chinese ones as they are written."""

    topics: Mapping[str, str]  # word -> topic
    topic_of: Mapping[str, str]  # attribute of a claim -> topic
    plain: frozenset[str]  # too common to wake a memory by
    titles: frozenset[str]
    places: frozenset[str]  # words that end the name of a place
    surnames: frozenset[str]
    no_names: frozenset[str]
    first: re.Pattern[str]
    loss: re.Pattern[str]
    promise: re.Pattern[str]
    life: re.Pattern[str]  # what changes a life


@cache
def rules(language: Language) -> Rules:
    """The shipped rules of a language."""
    raw: dict[str, Any] = orjson.loads(
        shipped("worldbook_rules", "lexicons", f"derive.{language}.json").read_bytes()
    )
    form = stem if language == "en" else str
    patterns = {name: re.compile(raw[name]) for name in ("first", "loss", "promise", "life")}
    return Rules(
        topics={
            form(word): topic for topic, listed in raw["topics"].items() for word in listed.split()
        },
        topic_of=raw["attributes"],
        plain=frozenset(form(word) for line in raw["plain"] for word in line.split()),
        titles=frozenset(raw["titles"].split()),
        places=frozenset(raw.get("places", raw.get("place_ends", "")).split()),
        surnames=frozenset(raw.get("surnames", "")),
        no_names=frozenset(raw.get("names_not", "").split()),
        **patterns,
    )
