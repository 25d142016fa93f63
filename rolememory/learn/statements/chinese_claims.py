"""From what a rule found to a claim: pronouns become names, the sentence is worded, the quote is set beside it."""

from rolememory.learn.statements.chinese_predicate import Finding
from rolememory.learn.statements.chinese_spans import Span
from rolememory.learn.statements.chinese_text import Plain
from rolememory.learn.statements.chinese_who import Scene, Who
from rolememory.learn.statements.chinese_wording import Sentence, Turned, content, quoted, turned
from rolememory.learn.statements.chinese_words import lexicon, simple
from rolememory.schema.claims import Claim
from rolememory.text.fold import fold

Found = tuple[Who, Finding]

_DEEDS = frozenset({"plan", "promise", "did", "wants", "habit"})  # may keep a pronoun, in quotes
_MOODS = frozenset({"likes", "dislikes", "fears"})


def claim_of(
    found: Found, source: Plain, sentence: Span, here: Scene, *, corrects: bool
) -> Claim | None:
    """The claim, or None where nobody could tell what its words mean outside of the conversation."""
    who, one = found
    value = turned(one.value, here)
    if _teases(who, one, value, here) or not (
        value.clear or (one.attribute in _DEEDS and who.person == "me")
    ):
        return None
    start, end = (source.places[place] for place in sentence)
    quote = source.original[start:end]
    start, end = start + len(quote) - len(quote.lstrip()), end - len(quote) + len(quote.rstrip())
    raw = turned(one.raw or one.value, here).words
    word = content if value.clear else quoted
    return Claim(
        who.label,
        one.attribute,
        value.words,
        word(
            Sentence(one.attribute, value.words, one.about, one.holds, raw, one.template),
            who,
            quote,
        ),
        quote.strip(),
        about=fold(simple(one.about)).text,
        holds=one.holds,
        start=start,
        end=end,
        certainty=one.certainty,
        former=one.former,
        corrects=corrects or one.corrects,
    )


def _teases(who: Who, one: Finding, value: Turned, here: Scene) -> bool:
    """我讨厌你 is a mood, 你喜欢我 a question or a jest, and nobody is his own friend."""
    if one.attribute in _MOODS and value.words == who.shown:
        return True
    if (
        one.attribute == "dislikes"
        and who.person == "me"
        and here.you.known
        and value.words == here.you.shown
    ):
        return True
    told = value.words != one.value and here.me.known and here.me.shown in value.words
    return who.person == "you" and told and one.attribute in _MOODS


def naming(who: Who) -> list[Found]:
    """我妹妹小梅, 我家猫团团: the name stands beside."""
    if not (who.named and who.kin and who.owner and who.owner.known):
        return []
    if who.person == "pet":
        return [(who.owner, Finding("owns", who.shown, lexicon().animals.get(who.kin, who.kin)))]
    return [(who.owner, Finding("relation", who.shown, who.kin))]


def without(named: list[Found], found: list[Found]) -> list[Found]:
    """Those names of which the same clause does not say that it is over."""
    over = {(one.attribute, one.about) for _, one in found if not one.holds}
    return [each for each in named if (each[1].attribute, each[1].about) not in over]
