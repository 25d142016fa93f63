"""Chinese statements, read by rules: 我妹妹叫小梅，是医生。

text ─ chinese_voices ─▶ whose words ─ chinese_text ─▶ sentences, clauses ─ chinese_mood ─▶ what is stated
     ─ chinese_clause ─▶ who, how, rule ─ chinese_wording ─▶ claims
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from rolememory.learn.statements.base import Speaker
from rolememory.learn.statements.chinese_clause import Denied, Reading
from rolememory.learn.statements.chinese_mood import jokes, stating
from rolememory.learn.statements.chinese_text import (
    LONGEST_CLAUSE,
    Plain,
    clauses,
    plain,
    sentences,
)
from rolememory.learn.statements.chinese_voices import Voice, voices
from rolememory.learn.statements.chinese_who import Scene, Who, scene, told_scene
from rolememory.learn.statements.chinese_words import simple
from rolememory.schema.claims import ATTRIBUTES, Claim

_SAYS = re.compile("(.{1,12}?)[说說]：“")  # how a sentence begins that keeps somebody's own words


def speech(text: str, speaker: Speaker) -> list[Claim]:
    """What somebody claims in his own words; quotes and places are those of this text."""
    return _read(text, scene(speaker))


def told(text: str, subject: str, shown: Mapping[str, str]) -> list[Claim]:
    """What third-person sentences claim; a name nobody knows at the head of a sentence is `subject`."""
    here = told_scene(subject, shown)
    if (said := _SAYS.match(text)) and simple(said[1]).casefold() not in here.names:
        here.with_name(said[1], Who(subject, said[1], "told"))
        here.guess = None
    return _read(text, here)


def _read(text: str, here: Scene) -> list[Claim]:
    found = [claim for voice in voices(text, here) for claim in _spoken(voice, here)]
    return _once(sorted(found, key=lambda claim: claim.start))


def _spoken(voice: Voice, here: Scene) -> list[Claim]:
    """What one voice claims, at its place in the whole text."""
    own = replace(here, me=voice.me, you=voice.you)
    claims = _stated(plain(voice.text), own)
    if voice.told and voice.certainty == 1.0:
        return claims
    return [_of_voice(one, voice) for one in claims]


def _of_voice(claim: Claim, voice: Voice) -> Claim:
    start, end = claim.start + voice.start, claim.end + voice.start
    return replace(
        claim, start=start, end=end, certainty=round(claim.certainty * voice.certainty, 3)
    )


def _stated(source: Plain, here: Scene) -> list[Claim]:
    reading = Reading(source, here)
    found: list[Claim] = []
    before: list[Claim] = []
    for start, end in sentences(source.text):
        if jokes(source.text, start, end):
            before = []
            continue
        found += before
        before = list(_sentence(reading, start, end))
    return _linked([*found, *before], reading.denied)


def _sentence(reading: Reading, start: int, end: int) -> Iterator[Claim]:
    text = reading.source.text
    parts = list(clauses(text, start, end))
    mark = text[parts[-1][1] : end] if parts else ""
    stated = set(stating(text, parts, mark))
    reading.begin(start, end)
    for part in parts:
        if part in stated and part[1] - part[0] <= LONGEST_CLAUSE:
            yield from reading.clause(*part)
        else:
            reading.skip()


def _once(claims: list[Claim]) -> list[Claim]:
    """Without repetitions: of two that say the same the surer stays; a named relative or animal covers the nameless one."""
    kept: dict[tuple[str, str, str, str, bool], Claim] = {}
    for claim in claims:
        key = (claim.subject, claim.attribute, claim.about, claim.value, claim.holds)
        if key not in kept or kept[key].certainty < claim.certainty:
            kept[key] = claim
    named = {
        (one.subject, one.attribute, one.about)
        for one in kept.values()
        if one.value and one.attribute in ("relation", "owns") and one.holds
    }
    return [
        one
        for one in kept.values()
        if one.value or not one.holds or (one.subject, one.attribute, one.about) not in named
    ]


def _linked(claims: list[Claim], denied: Collection[Denied]) -> list[Claim]:
    """What a text says to be over is what replaces it calls `former`: 以前住在北京，现在住在上海."""
    over = {
        (one.subject, one.attribute, one.about): one
        for one in claims
        if not one.holds and ATTRIBUTES[one.attribute].single
    }
    return [
        _replacing(one, over.get((one.subject, one.attribute, one.about)), denied) for one in claims
    ]


def _replacing(claim: Claim, over: Claim | None, denied: Collection[Denied]) -> Claim:
    """The claim with what it replaces; beside 不是… it corrects as well."""
    if over is None or not claim.holds or claim.former or over.value == claim.value:
        return claim
    corrects = (
        claim.corrects or (claim.subject, claim.attribute, claim.about, claim.start) in denied
    )
    return replace(claim, former=over.value, corrects=corrects)
