"""Whether a user's turn is worth keeping as a memory of what happened, and which of its words."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from rolememory.learn.commands import commands
from rolememory.learn.commands.reading import Part, sentences
from rolememory.learn.worth.noise import is_noise, without_code
from rolememory.learn.worth.sentence import Kind, Sentence
from rolememory.schema.evidence import Reason
from rolememory.schema.scene import Language
from rolememory.text.feel_words import Lexicon
from rolememory.text.language import language_of
from rolememory.text.plain import plain

MOST_KEPT = 600
"""Characters of a long turn that are kept, in whole sentences."""

_LONGEST = 20_000  # characters of a turn that are read
_LONGEST_QUESTION = 200
_SAME = 95.0  # likeness, 0..100, from which a turn is the last one again
_ASIDE = re.compile(
    r"\(\(.*?\)\)|[(\[]\s*(?:ooc|out of character|场外|出戏|戏外|题外话).*?[)\]]|^\s*(?:ooc|场外)\s*:[^\n]*",
    re.DOTALL | re.MULTILINE,
)
_EMPTY_LINES = re.compile(r"\n\s*\n\s*\n")
_LEANS = re.compile(
    r"^(?:\w+ ){0,3}(?:it|it's|that|that's|this|they|they're|them|those|he|she|he's|she's|there|because|since)\b|^.{0,3}(?:它|那|这|他|她|就是|因为)"
)
_ORDER: tuple[Kind, ...] = (
    "command",
    "question",
    "chit_chat",
    "noise",
)  # what a dropped turn is called, where several fit


@dataclass(frozen=True, slots=True)
class Worth:
    """What of a turn is kept."""

    keep: bool
    because: Reason
    text: str  # whole sentences as they stand; "" when nothing is kept
    kind: Kind
    question: str = ""  # of the message before, when the turn is but a short answer to it


def worth(
    text: str,
    *,
    previous: str = "",
    earlier: Sequence[str] = (),
    language: Language | None = None,
    lexicon: Lexicon | None = None,
) -> Worth:
    """Whether a user's turn tells something, and which sentences do.

    `previous` is the message before it, whoever said it: a repetition of it is none, and a few words may answer it.
    `earlier` are the user's own last messages. Chit-chat, thanks, orders, pure questions, words outside the story, laughter and
    code are left out; what happened, is felt, planned, given or promised stays, in doubt too. Cost: O(length).

    >>> worth("Hi! My dog died yesterday, what should I do?").text
    'My dog died yesterday'
    >>> worth("哈哈哈好的，继续").keep, worth("我妹妹下周结婚。你喜欢婚礼吗？").text
    (False, '我妹妹下周结婚。')
    """
    text = text[:_LONGEST]
    if _repeats(text, (previous, *earlier)):
        return _dropped("echo")
    left = without_code(_uncommanded(text))
    if not left.strip():
        return _dropped("command" if commands(text) else "noise")
    read = [*_read(left, language or language_of(left), lexicon)]
    kept = _worthy(read)
    if not kept:
        return _answer(read, previous) or _dropped(_named(read))
    chosen = _chosen(kept)
    heaviest = max(chosen, key=lambda one: one[1].weight)[1]
    return Worth(
        True,
        Reason("tells", (("kind", heaviest.kind),)),
        _joined(left, [part for part, _ in chosen]),
        heaviest.kind,
    )


Read = tuple[Part, Sentence]


def _read(text: str, language: Language, lexicon: Lexicon | None) -> Iterator[Read]:
    for part in sentences(text):
        sentence = Sentence(
            part.of(text), plain(part.of(text)), language_of(part.of(text), language), lexicon
        )
        if sentence.asked and (told := _told_before(part, sentence, text)):
            yield told
        else:
            yield part, sentence


def _told_before(part: Part, sentence: Sentence, text: str) -> Read | None:
    """What a sentence tells before it asks: "My dog died, what should I do?"."""
    splits = [
        stop.start()
        for stop in sentence.rules.question_part.finditer(sentence.even)
        if stop.start() > 3
    ]
    for place in reversed(splits):
        shorter = Part(part.start, part.start + place)
        first = Sentence(
            shorter.of(text), plain(shorter.of(text)), sentence.language, sentence.lexicon
        )
        if first.kept:
            return shorter, first
    return None


def _worthy(read: Sequence[Read]) -> list[Read]:
    """What is kept: all that tells something, if one sentence tells enough; a question only where the next words lean on it.

    Without "Do you like tea?" nobody knows what "I drink it every morning" means.
    """
    if not any(sentence.kept for _, sentence in read):
        return []
    leant_on = {
        place - 1
        for place, (_, sentence) in enumerate(read)
        if sentence.tells and _LEANS.match(sentence.core)
    }
    asked = {
        place
        for place, (_, sentence) in enumerate(read)
        if sentence.kind == "question" and len(sentence.text) < _LONGEST_QUESTION
    }
    return [one for place, one in enumerate(read) if one[1].tells or place in leant_on & asked]


def _chosen(kept: Sequence[Read]) -> list[Read]:
    """The weightiest sentences that fit into `MOST_KEPT`, in their order; one at least."""
    room = MOST_KEPT
    chosen: list[Read] = []
    for one in sorted(kept, key=lambda one: -one[1].weight):
        size = one[0].end - one[0].start
        if size <= room or not chosen:
            chosen.append(one)
            room -= size + 1
    return sorted(chosen, key=lambda one: one[0].start)


def _joined(text: str, parts: Sequence[Part]) -> str:
    """The parts as they stand, with what lay between them, or as little as parts them where sentences were left out."""
    out = ""
    for place, part in enumerate(parts):
        if place:
            between = text[parts[place - 1].end : part.start]
            out += _EMPTY_LINES.sub("\n\n", between) if not between.strip() else _seam(out, between)
        out += part.of(text)
    return out


def _seam(before: str, between: str) -> str:
    if "\n" in between or before[-1].isalnum():
        return "\n"
    return "" if before[-1] in "。！？”」』…" else " "


def _repeats(text: str, before: Sequence[str]) -> bool:
    told = _letters(text)
    return bool(told) and any(fuzz.ratio(told, _letters(one)) >= _SAME for one in before if one)


def _letters(text: str) -> str:
    return "".join(char for char in plain(text) if char.isalnum())


def _uncommanded(text: str) -> str:
    """The text without commands to the memory and words outside the story."""
    for command in reversed(commands(text)):
        text = text[: command.start] + "\n" + text[command.end :]
    for aside in reversed(list(_ASIDE.finditer(plain(text)))):
        text = text[: aside.start()] + text[aside.end() :]
    return text


def _answer(read: Sequence[Read], previous: str) -> Worth | None:
    """A few words that answer the question before them: "Blue."."""
    told = [one for one in read if one[1].kind not in ("chit_chat", "question", "command", "noise")]
    asked = [part.of(previous) for part in sentences(previous)][-1:] if previous else []
    if not told or not asked or not asked[0].rstrip(' *"”」)').endswith(("?", "？")):
        return None
    sentence = told[0][1]
    return Worth(
        True,
        Reason("answers", (("question", asked[0][:80]),)),
        sentence.text,
        "statement",
        asked[0],
    )


def _named(read: Sequence[Read]) -> Kind:
    """What a dropped turn is: what most of it is made of; a thin statement counts as chit-chat."""
    kinds = Counter(one.kind if one.kind in _ORDER else "chit_chat" for _, one in read)
    if not kinds or all(is_noise(one.even) for _, one in read):
        return "noise"
    return max(_ORDER, key=lambda kind: (kinds[kind], -_ORDER.index(kind)))


def _dropped(kind: Kind) -> Worth:
    codes = {
        "echo": "repeated",
        "command": "only_order",
        "question": "only_question",
        "noise": "noise",
    }
    return Worth(False, Reason(codes.get(kind, "small_talk")), "", kind)
