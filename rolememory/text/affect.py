"""Affect of a text: emotion words, with negation, intensifiers, doubt and contrast.

Reads English, Chinese and emoji in one pass. A neutral text gives exactly `Feeling()`. Cost: O(length), cached by text.
The rules of negation, strength and contrast follow C. Hutto and E. Gilbert, "VADER" (2014), rewritten for both languages;
the words are our own (worldbook_rules/lexicons).
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

from rolememory.schema.entry import Entry
from rolememory.schema.scene import Feeling
from rolememory.schema.value_class import value_class
from rolememory.text.affect_lexicon import EMOTIONS, Lexicon, WordEffect, felt_as, shipped_lexicon
from rolememory.text.arrays import Doubles, np
from rolememory.text.boundaries import leftmost_longest
from rolememory.text.fold import Folded, fold
from rolememory.text.late_pattern import late_pattern
from rolememory.text.plain import simplified

__all__ = [
    "EMOTIONS",
    "affect_fit",
    "affect_of_entry",
    "affect_of_labels",
    "comfort",
    "mood",
    "read_affect",
]

Mode = Literal["congruent", "contrast", "off"]

COLUMNS = len(EMOTIONS) + 3  # of a feeling as a vector
_TINY = 1e-300  # avoids division by a zero norm

_FAINT = 0.05  # weaker emotions are dropped
_NAMED = 0.8  # weight of an explicitly named emotion
_NEGATION_WINDOW = 2  # words or characters between a negator and the negated word
_OPPOSITE = {
    "joy": "sadness",
    "love": "sadness",
    "anticipation": "sadness",
    "trust": "fear",
    "calm": "fear",
}
_DENIED = 0.55  # "not happy" is half as sad as "sad"; "not sad" is neutral
_STRENGTH = (0.3, 1.7)  # bounds of the factor from a word's context
_CLOSES = ".!?。;…\n"
_SENTENCE = late_pattern(rf"[^{_CLOSES}]*[{_CLOSES}]*")
_ASIDE = 0.6  # factor for what is hypothetical (if) or followed by a "but"
_CLAUSE_END = late_pattern(r"[,:、—]")
_UNIT = late_pattern(r"[a-z0-9']+|[\u3400-\u9fff]")
_STRETCHED = late_pattern(r"([a-z])\1{2,}")


@value_class
class _FeelingMatch:
    start: int
    end: int
    mark: WordEffect


@value_class
class _WordFeeling:
    feeling: Feeling
    strength: float
    text: str


def read_affect(text: str, lexicon: Lexicon | None = None) -> Feeling:
    """The feeling of a text.

    >>> read_affect("I'm not happy at all.").emotions[0][0], read_affect("I'm not sad."), read_affect("心如刀割").emotions[0][0]
    ('sadness', Feeling(emotions=(), valence=0.0, arousal=0.0, words=()), 'sadness')
    """
    return _feel(text, lexicon or shipped_lexicon())


@lru_cache(maxsize=2048)
def _feel(text: str, lexicon: Lexicon) -> Feeling:
    folded = fold(text)
    plain = simplified(folded.text)
    if not _STRETCHED.search(plain):
        return _blend(_emotion_words(plain, lexicon, text, folded))
    squeezed = (
        _STRETCHED.sub(r"\1" * count, plain) for count in (1, 2)
    )  # soooo -> so, cooool -> cool
    readings = [_blend(_emotion_words(form, lexicon)) for form in squeezed]
    return max(readings, key=lambda feeling: (len(feeling.words), feeling.intensity))


def _emotion_words(
    plain: str,
    lexicon: Lexicon,
    original: str = "",
    folded: Folded | None = None,
) -> Iterator[_WordFeeling]:
    """The emotion words of the text in context; capitals in a text that is not all capitals weigh more."""
    found = _lexicon_matches(plain, lexicon)
    if not any(each.mark.feeling for each in found):
        return
    loud = bool(original) and not original.isupper()
    for inside, close in _sentences(plain, found):
        for each, feeling, strength in _in_sentence(inside, close, plain):
            word = plain[each.start : each.end]
            if folded:
                word = original[slice(*folded.span(each.start, each.end))]
            shouted = loud and len(word) > 2 and word.isupper()
            yield _WordFeeling(feeling, strength * (1.2 if shouted else 1.0), word)


def _in_sentence(
    inside: Sequence[_FeelingMatch], close: str, plain: str
) -> Iterator[tuple[_FeelingMatch, Feeling, float]]:
    """The emotion words of a sentence; those after a doubt or before a "but" weigh less."""
    tone = (0.7 if "?" in close else 1.0) * (1.0 + 0.08 * min(close.count("!"), 3))
    doubts = [place for place, each in enumerate(inside) if each.mark.doubts]
    turns = [place for place, each in enumerate(inside) if each.mark.contrasts]
    for place, each in enumerate(inside):
        if each.mark.feeling is None or _only_intensifies(inside, place):
            continue
        feeling, strength = _in_context(inside, place, plain)
        behind = _ASIDE if place > min(doubts, default=place) else 1.0
        before = _ASIDE if place < max(turns, default=place) else 1.0
        if feeling.emotions:
            yield each, feeling, strength * (tone * behind * before)


def _lexicon_matches(plain: str, lexicon: Lexicon) -> list[_FeelingMatch]:
    """The lexicon matches in order, without overlaps: leftmost, then longest."""
    spans = [
        (start, end, number)
        for number, start, end in lexicon.automaton.find_matches_as_indexes(plain, overlapping=True)
    ]
    spans += [
        (*hit.span(), number)
        for number, pattern in lexicon.numbered
        for hit in pattern.finditer(plain)
    ]
    whole = (one for one in spans if _whole(plain, *one[:2]))
    return [
        _FeelingMatch(start, end, lexicon.effects[at]) for start, end, at in leftmost_longest(whole)
    ]


def _whole(text: str, start: int, end: int) -> bool:
    """Whether this is a whole Latin word; "i won" in "i won't" is not."""
    return not (_joined(text, start) or _joined(text, end) or text.startswith("'t", end))


def _joined(text: str, place: int) -> bool:
    around = text[max(place - 1, 0) : place + 1]
    return len(around) == 2 and 0 < place < len(text) and around.isascii() and around.isalnum()


def _sentences(
    plain: str, found: Sequence[_FeelingMatch]
) -> Iterator[tuple[Sequence[_FeelingMatch], str]]:
    """(matches, closing punctuation) of each sentence with matches."""
    first = 0
    for sentence in _SENTENCE.finditer(plain):
        last = first
        while last < len(found) and found[last].start < sentence.end():
            last += 1
        if last > first:
            body = sentence.group()
            yield found[first:last], body[len(body.rstrip(_CLOSES)) :]
        first = last


def _only_intensifies(inside: Sequence[_FeelingMatch], place: int) -> bool:
    """Whether the word only intensifies the one before it: 死了 in 开心死了."""
    if place == 0 or inside[place].mark.after == 1.0:
        return False
    last = inside[place - 1]
    return last.mark.feeling is not None and last.end == inside[place].start


def _in_context(inside: Sequence[_FeelingMatch], place: int, plain: str) -> tuple[Feeling, float]:
    """The word's feeling in context, and its strength."""
    before, denials = _before(inside, place, plain)
    after, denied_after = _after(inside, place, plain)
    denials += denied_after
    own = inside[place].mark.feeling or Feeling()
    factor = before * after * (0.8 if denials > 1 else 1.0)
    return own if denials % 2 == 0 else _negated(own), min(max(factor, _STRENGTH[0]), _STRENGTH[1])


def _before(inside: Sequence[_FeelingMatch], place: int, plain: str) -> tuple[float, int]:
    """The effect of the words before: a factor, and the number of negators."""
    factor, denials, edge = 1.0, 0, inside[place].start
    for each in reversed(inside[:place]):
        gap = plain[each.end : edge]
        units = len(_UNIT.findall(gap))
        if each.mark.feeling is not None or units > _NEGATION_WINDOW or _CLAUSE_END.search(gap):
            break
        if each.mark.negates:
            denials += 1
            edge = each.start
        elif each.mark.before != 1.0 and units <= 1:
            factor *= each.mark.before
            edge = each.start
    return factor, denials


def _after(inside: Sequence[_FeelingMatch], place: int, plain: str) -> tuple[float, int]:
    """The effect of the words after: a factor, and 1 if negated."""
    if place + 1 == len(inside):
        return 1.0, 0
    near = inside[place + 1]
    gap = plain[inside[place].end : near.start]
    if len(_UNIT.findall(gap)) > (0 if near.mark.language == "zh" else 2) or _CLAUSE_END.search(
        gap
    ):
        return 1.0, 0
    return near.mark.after, int(near.mark.negates_last)


def _negated(feeling: Feeling) -> Feeling:
    """A negated feeling: of a pleasant one some of its opposite, of an unpleasant one nothing."""
    weights: dict[str, float] = {}
    for label, weight in feeling.emotions:
        if other := _OPPOSITE.get(label):
            weights[other] = max(weights.get(other, 0.0), weight * _DENIED)
    return (
        felt_as(weights, -abs(feeling.valence) * _DENIED, feeling.arousal * _DENIED)
        if weights and feeling.valence > 0
        else Feeling()
    )


def _blend(found: Iterable[_WordFeeling]) -> Feeling:
    """The words' feelings fused: noisy-or of weights per label, mean valence and arousal weighted by strength.

    >>> _blend([]).neutral
    True
    """
    left = dict.fromkeys(EMOTIONS, 1.0)
    words: dict[str, None] = {}
    total = valence = arousal = 0.0
    for word in found:
        share = word.feeling.emotions[0][1]
        for label, weight in word.feeling.emotions:
            left[label] *= 1.0 - min(weight * word.strength, 0.99)
        words[word.text] = None
        total += share
        valence += share * _clip(word.feeling.valence * word.strength)
        arousal += share * _clip(word.feeling.arousal * word.strength)
    if not words:
        return Feeling()
    emotions = _by_weight({label: 1.0 - rest for label, rest in left.items()})
    return (
        Feeling(emotions, round(valence / total, 4), round(arousal / total, 4), tuple(words))
        if emotions
        else Feeling()
    )


def _by_weight(weights: dict[str, float]) -> tuple[tuple[str, float], ...]:
    """Weights of at least `_FAINT`, strongest first, ties in the order of `EMOTIONS`."""
    kept = [
        (label, round(weights[label], 4)) for label in EMOTIONS if weights.get(label, 0.0) >= _FAINT
    ]
    return tuple(sorted(kept, key=lambda pair: -pair[1]))


def _clip(value: float) -> float:
    return min(max(value, -1.0), 1.0)


def affect_of_labels(labels: Iterable[str], lexicon: Lexicon | None = None) -> Feeling:
    """The feeling of free-text emotion labels, in either language; unknown labels are ignored.

    >>> affect_of_labels(["grief"]).emotions[0][0], affect_of_labels(["喜悦"]).emotions[0][0], affect_of_labels(["neutral"]).neutral
    ('sadness', 'joy', True)
    """
    words = [
        _WordFeeling(_of_label(label, lexicon or shipped_lexicon()), 1.0, label) for label in labels
    ]
    return _blend(word for word in words if word.feeling.emotions)


def _of_label(label: str, lexicon: Lexicon) -> Feeling:
    """The feeling of one label: the word's own valence and arousal if known (grief is darker than sadness)."""
    name = simplified(fold(label.replace("_", " ")).text.strip())
    mark, emotion = lexicon.marks.get(name), lexicon.names.get(name)
    word = mark.feeling if mark else None
    if word and (emotion is None or word.emotions[0][0] == emotion):
        return word
    return felt_as({emotion: _NAMED}) if emotion else read_affect(label, lexicon=lexicon)


def affect_of_entry(entry: Entry, lexicon: Lexicon | None = None) -> Feeling:
    """The feeling of a memory: of its declared emotions if known, else of its content."""
    declared = affect_of_labels(getattr(entry, "emotions", ()), lexicon)
    return read_affect(entry.content, lexicon=lexicon) if declared.neutral else declared


def _strongest(aged: Iterable[tuple[Feeling, float]]) -> dict[str, float]:
    """The maximum of each emotion's weight over these (feeling, factor)."""
    weights = dict.fromkeys(EMOTIONS, 0.0)
    for feeling, share in aged:
        for label, weight in feeling.emotions:
            weights[label] = max(weights[label], weight * share)
    return weights


def mood(feelings: Sequence[Feeling], half_life_messages: float = 4.0) -> Feeling:
    """The mood from the messages' feelings, newest first: each decays with `half_life_messages`.

    A later neutral message only lets a feeling decay. Without any feeling the result is exactly neutral.

    >>> sad = felt_as({"sadness": 0.8})
    >>> mood([Feeling(), Feeling(), sad], half_life_messages=2).emotions
    (('sadness', 0.4),)
    """
    aged = [
        (feeling, 2.0 ** (-age / half_life_messages))
        for age, feeling in enumerate(feelings)
        if not feeling.neutral
    ]
    emotions = _by_weight(_strongest(aged))
    if not emotions:
        return Feeling()
    total = sum(feeling.intensity * share for feeling, share in aged)
    level = max(share for _, share in aged) / total
    valence = level * sum(feeling.intensity * share * feeling.valence for feeling, share in aged)
    arousal = level * sum(feeling.intensity * share * feeling.arousal for feeling, share in aged)
    words = tuple(dict.fromkeys(word for feeling, _ in aged for word in feeling.words))
    return Feeling(emotions, round(_clip(valence), 4), round(_clip(arousal), 4), words)


def affect_fit(now: Feeling, then: Doubles, mode: Mode = "congruent") -> Doubles:
    """How well memories' feelings, (n, `COLUMNS`), fit the mood, -1..1; exactly 0 if either is neutral or the mode is off.

    `congruent`: similar feelings fit; `contrast`: an unpleasant mood fits `comfort` instead.
    Source: mood-congruent recall (G. Bower, 1981): 0.6 for the same emotions, 0.4 for nearness in valence and arousal,
    times the geometric mean of both intensities, so that faint feelings have little effect.

    >>> joy, grief = felt_as({"joy": 1.0}), felt_as({"sadness": 1.0})
    >>> both = np.array([in_numbers(joy), in_numbers(grief)])
    >>> affect_fit(joy, both).round(2).tolist(), affect_fit(grief, both, "contrast").round(2).tolist()
    ([1.0, -0.64], [0.43, -0.63])
    >>> affect_fit(Feeling(), both).tolist()
    [0.0, 0.0]
    """
    if mode == "off" or now.neutral:
        return np.zeros(len(then))
    *mine, valence, arousal, intensity = in_numbers(comfort(now) if mode == "contrast" else now)
    weights, (their_valence, their_arousal, their_intensity) = emotion_weights(then), then[:, -3:].T
    alike = affect_similarity(np.array(mine), weights)
    clash = (1.0 - alike) * np.maximum(-valence * their_valence, 0.0)
    apart = np.minimum(np.hypot((valence - their_valence) / 2.0, arousal - their_arousal), 1.0)
    fitting = 0.6 * (alike - clash) + 0.4 * (1.0 - 2.0 * apart)
    fitting *= np.sqrt(intensity * their_intensity)
    fit: Doubles = np.minimum(np.maximum(fitting, -1.0), 1.0).round(6)
    return fit


def in_numbers(feeling: Feeling) -> list[float]:
    """A feeling as a row for `affect_fit`: weight of each emotion, valence, arousal, intensity."""
    weights = dict(feeling.emotions)
    row = [weights.get(label, 0.0) for label in EMOTIONS]
    return [*row, feeling.valence, feeling.arousal, feeling.intensity]


def emotion_weights(rows: Doubles) -> Doubles:
    """The weights of the emotions in rows of `in_numbers`, (n, 12)."""
    return rows[:, :-3]


def affect_similarity(mine: Doubles, theirs: Doubles) -> Doubles:
    """Cosine of emotion weights, (12,), with each of others, (n, 12): (n,), 0..1; 0 if either names none."""
    norms = np.sqrt(np.einsum("ij,ij->i", theirs, theirs)) * np.sqrt(mine.dot(mine))
    alike: Doubles = np.minimum(theirs.dot(mine) / np.maximum(norms, _TINY), 1.0)
    return alike


def comfort(now: Feeling) -> Feeling:
    """The complement of an unpleasant mood: calm, love, joy and trust of its strength; a pleasant one is kept."""
    if now.valence >= 0.0:
        return now
    strength = now.intensity
    return felt_as(
        {"calm": strength, "love": strength, "joy": 0.8 * strength, "trust": 0.8 * strength},
        -now.valence,
        0.3,
    )
