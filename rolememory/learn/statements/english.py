"""English statements, read by rules: who says what of whom, whether it holds, how sure it is.

text ─ passages ─▶ one voice ─ sentences ─▶ words ─ clauses ─▶ who, verb, rest ─ frames, topics ─▶ claims

Rather nothing than something wrong: what is asked, wished, supposed, joked, told of others or said of the moment claims nothing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Final

from rolememory.learn.statements import english_be, english_family, english_have, english_work
from rolememory.learn.statements.base import Speaker, names_of, sentences
from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_clauses import clauses_of
from rolememory.learn.statements.english_company import introduce
from rolememory.learn.statements.english_fragments import STARTERS, fragment
from rolememory.learn.statements.english_frames import read
from rolememory.learn.statements.english_future import future
from rolememory.learn.statements.english_habits import often
from rolememory.learn.statements.english_passages import passages
from rolememory.learn.statements.english_people import may_be_stranger
from rolememory.learn.statements.english_scene import ME, OWNERS, SUBJECTS, YOU, Owned, Scene
from rolememory.learn.statements.english_words import Words, lexicon, words_of
from rolememory.schema.claims import Claim
from rolememory.text.fold import folded_key

_TURNS: Final = frozenset(
    {",", ".", ";", "!", "-", "—", "and", "but", "so"}
)  # behind which a question may begin
READERS: Final = (
    english_be,
    english_family,
    english_have,
    english_work,
)  # their verbs stand in the table of frames once they are loaded
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:Dr|Mr|Mrs|Ms|St|Prof|Capt|Lt|Sgt|Jr|Sr|vs|e\.g|i\.e|approx|No)|\b[A-HJ-Z]|\b[ap]\.m)\.$"
)
_AFFIRMED: Final = frozenset(
    {
        "i promise",
        "promise",
        "i swear",
        "you have my word",
        "i give you my word",
        "that is a promise",
        "i swear it",
    }
)
_LONGEST_SENTENCE: Final = 1_000
_AFTERTHOUGHT: Final = (
    40  # characters of a sentence that may only affirm or take back the one before
)


def speech(text: str, speaker: Speaker) -> list[Claim]:
    """What somebody claims in his own words, and what those he quotes claim in theirs."""
    found: list[Claim] = []
    for passage in passages(text, speaker):
        scene = Scene(passage.speaker, text, certainty=passage.certainty)
        found += _claims(text, passage.start, passage.end, scene)
    return _once(found)


def told(text: str, subject: str, shown: Mapping[str, str]) -> list[Claim]:
    """What third-person sentences claim; `subject` is the label of whom they mean where they name nobody."""
    someone = Speaker(subject, None, names_of(shown), shown)
    quoted = re.match(r'\s*([^"]{1,60}?) says: "', text)
    if quoted:
        label = someone.names.get(folded_key(quoted[1]), subject)
        inner = Scene(Speaker(label, None, someone.names, shown), text)
        return _once(list(_claims(text, quoted.end(), text.rstrip().rfind('"'), inner)))
    found = _once(list(_claims(text, 0, len(text), Scene(someone, text, told=True))))
    taken_for_granted = [claim for claim in found if claim.subject != subject]
    return [
        claim
        for claim in found
        if not (
            claim in taken_for_granted
            and claim.attribute in ("relation", "owns")
            and len(found) > 1
        )
    ]


def _claims(text: str, start: int, end: int, scene: Scene) -> Iterator[Claim]:
    """Of one voice, sentence by sentence."""
    spans = list(_sentences(text[start:end]))
    for number, (first, last) in enumerate(spans):
        words = words_of(text, start + first, start + min(last, first + _LONGEST_SENTENCE))
        behind = spans[number + 1] if number + 1 < len(spans) else (0, 0)
        short = 0 < behind[1] - behind[0] < _AFTERTHOUGHT
        after = words_of(text, start + behind[0], start + behind[1]) if short else Words()
        if after and lexicon()["joking"].inside(after, 0, min(len(after), 3)):
            continue
        affirmed = _affirms(after.lows)
        yield from sentence_claims(words, scene, affirmed=affirmed)


def _affirms(lows: list[str]) -> bool:
    """As in "I promise." behind a sentence."""
    return " ".join(low for low in lows if low[0].isalnum()) in _AFFIRMED


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Sentences, with those joined again that an abbreviation cut: "Dr. Mei"."""
    first = None
    for start, end in sentences(text):
        first = start if first is None else first
        if _ABBREVIATED.search(text, max(start, end - 12), end) and end < len(text):
            continue
        yield first, end
        first = None
    if first is not None:
        yield first, len(text)


def sentence_claims(words: Words, scene: Scene, *, affirmed: bool = False) -> list[Claim]:
    """What one sentence claims; `affirmed`: "I promise" stands behind it."""
    you = scene.you
    introduced = list(introduce(words, scene))
    clauses = clauses_of(words, scene) if _may_claim(words, scene) else []
    found: list[Claim] = []
    affirmed |= "," in words.lows and _affirms(
        words.lows[len(words) - words.lows[::-1].index(",") :]
    )
    for clause in clauses:
        clause.promised |= affirmed
        if clause.asserted:
            found += _of_clause(clause)
    scene.you = you
    ended = {(claim.subject, claim.attribute, claim.about) for claim in found if not claim.holds}
    named = (_introduced(words, scene, ties) for ties in introduced if ties.owner.known)
    return [
        claim for claim in named if (claim.subject, claim.attribute, claim.about) not in ended
    ] + found


def _may_claim(words: Words, scene: Scene) -> bool:
    """A quick look: somebody is spoken of, and the sentence neither asks nor plays, jokes, sings or is sarcastic."""
    lows = words.lows
    if lows[-1:] == ["?"] and _TURNS.isdisjoint(lows):
        return False
    persons = not _persons().isdisjoint(lows) or not scene.names.keys().isdisjoint(lows)
    if not (persons or scene.told or any(may_be_stranger(lows[at]) for at in words.capitals)):
        return False
    return scene.told or not lexicon()["unreal"].within(words)


@cache
def _persons() -> frozenset[str]:
    """The words that speak of somebody, or say something without."""
    return ME | YOU | SUBJECTS | OWNERS | STARTERS | lexicon()["kin_bare"].spelt


def _introduced(words: Words, scene: Scene, ties: Owned) -> Claim:
    """The relation or possession that a name in passing tells: "my sister Mei"."""
    content = f"{ties.owner.shown}'s {ties.about} is called {ties.name}."
    certainty = min(scene.certainty, 0.8 if ties.owner.person == "you" else 1.0)
    start, end = words[0].start, words[-1].end
    shown = content[:1].upper() + content[1:]
    return Claim(
        ties.owner.label,
        ties.attribute,
        ties.name,
        shown,
        "",
        about=ties.about,
        start=start,
        end=end,
        certainty=certainty,
    )


def _of_clause(clause: Clause) -> list[Claim]:
    clause.who = clause.scene.christened.get(clause.who.label, clause.who)
    if clause.fragment:
        return fragment(clause)
    return (
        read(clause)
        or list(future(clause))
        or list(often(clause))
        or list(english_work.for_a_living(clause))
        or fragment(clause)
    )


def _once(found: list[Claim]) -> list[Claim]:
    """Each claim once, as sure as its surest telling, in the order of the text."""
    best: dict[tuple[str, str, str, str, bool], Claim] = {}
    for claim in found:
        key = (
            claim.subject,
            claim.attribute,
            claim.about,
            " ".join(claim.value.casefold().split()),
            claim.holds,
        )
        known = best.get(key)
        best[key] = (
            claim
            if known is None
            else replace(known, certainty=max(known.certainty, claim.certainty))
        )
    return list(best.values())
