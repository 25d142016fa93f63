"""What sentences claim about somebody, read by rules, Chinese and English alike: the reading of learning without any model.

text ─ base.spoken ─▶ speech ─ base.turns ─▶ one speaker ─ base.blocks ─▶ one language ─ english | chinese ─▶ claims

Each reader has two doors, both pure: `speech(text, speaker)` for what somebody says in a chat, and `told(text, subject, shown)`
for sentences in the third person that a memory holds. `start` and `end` of their claims are places in the text they were given;
the quote is filled in here.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Protocol, cast

from rolememory.learn.statements.base import LONGEST, Speaker, blocks, names_of, spoken, turns
from rolememory.schema.claims import ROLE, USER, Claim
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Language

__all__ = ["Speaker", "claims", "claims_of_memory"]

_HAN_NAME = re.compile("[\u3400-\u9fff·]{1,8}(?=(?:'s)? [a-z])")

_STEADY = "down|back|beside|next|on|in|there|still|awake|here|under|against"  # one who lies down tells no lie
_FEIGNED = re.compile(
    rf"\*[^*\n]*(?:\b(?:l(?:ie|ies|ying)\b(?! (?:{_STEADY})\b)|pretend|bluff|jok(?:e|es|ing|ingly)\b|sarcas|feign|fak(?:e|es|ing)\b"
    r"|impersonat|recit|quot(?:e|es|ing)\b|sing(?:s|ing)?\b|read(?:s|ing)? (?:aloud|out|from)|mimic|imitat)|撒谎|说谎|撒謊|說謊|假装|假裝|装作|裝作|开玩笑|開玩笑"
    r"|讽刺|嘲讽|模仿|背诵|朗读|念着|唱着|哼着)[^*\n]*\*[^*\n]*",
    re.IGNORECASE,
)


class Reader(Protocol):
    """Reads one language."""

    def speech(self, text: str, speaker: Speaker) -> list[Claim]:
        """What somebody claims in his own words; actions, code and words out of character are blanked already."""
        ...

    def told(self, text: str, subject: str, shown: Mapping[str, str]) -> list[Claim]:
        """What third-person sentences claim; `subject` is the label of whom they mean where they name nobody."""
        ...


def claims(text: str, speaker: Speaker) -> list[Claim]:
    """What a message claims about those it speaks of, in the order of the text. Cost: linear, at most `LONGEST` characters.

    >>> said = claims("I live in Rome. My sister Mei loves tea!", Speaker("user", "", shown={"user": "Lin"}))
    >>> [(claim.subject, claim.attribute, claim.value, claim.content) for claim in said]  # doctest: +NORMALIZE_WHITESPACE
    [('user', 'home', 'Rome', 'Lin lives in Rome.'),
     ('user', 'relation', 'Mei', "Lin's sister is called Mei."),
     ('Mei', 'likes', 'tea', 'Mei loves tea.')]
    """
    text = text[:LONGEST]
    speech = _in_earnest(text, spoken(text))
    return [
        claim
        for start, end, who in turns(speech, speaker)
        for claim in _said(text, speech[:end], start, who)
    ]


def _in_earnest(text: str, speech: str) -> str:
    """The speech without what follows an action that says it is a lie, a joke or somebody else's words, to the end of its line."""
    for found in _FEIGNED.finditer(text):
        speech = (
            speech[: found.start()] + " " * (found.end() - found.start()) + speech[found.end() :]
        )
    return speech


def _said(text: str, speech: str, start: int, speaker: Speaker) -> Iterator[Claim]:
    """Of one speaker's stretch, from `start` to the end of `speech`."""
    for first, last, language in blocks(speech[start:]):
        for claim in _reader(language).speech(speech[start + first : start + last], speaker):
            yield _placed(claim, text, start + first)


def claims_of_memory(memory: Memory, shown: Mapping[str, str] | None = None) -> list[Claim]:
    """What a stored sentence claims, as `claims` would have it: whatever `Claim.content` says is read back.

    `shown` is the same map that the claims were made with; without it a name at the head of a sentence is `memory.subject`.

    >>> memory = Memory(id="m", content="Lin no longer lives in Rome.", subject="user")
    >>> [(claim.subject, claim.attribute, claim.value, claim.holds) for claim in claims_of_memory(memory)]
    [('user', 'home', 'Rome', False)]
    """
    text = memory.content[:LONGEST]
    subject = ROLE if memory.subject is None else memory.subject
    shown = shown or _shown_at_the_head(text, subject, memory.user)
    someone = Speaker(subject, None, names_of(shown), shown)
    found: list[Claim] = []
    for start, end, teller in turns(text, someone):
        if start and text[:start].strip():
            found += _said(text, text[:end], start, teller)
            continue
        for first, last, language in blocks(text[start:end]):
            read = _reader(language).told(text[start + first : start + last], subject, shown)
            found += [_placed(claim, text, start + first) for claim in read]
    return found


def _shown_at_the_head(text: str, subject: str, user: str | None) -> Mapping[str, str]:
    """The user's name at the head, or a Chinese one before English words: no rule takes 梅 in 梅39岁 for a name by itself."""
    if user and subject == USER and text.casefold().startswith(user.casefold()):
        return {USER: text[: len(user)]}
    head = _HAN_NAME.match(text)
    return {subject: head[0]} if head else {}


def _placed(claim: Claim, text: str, offset: int) -> Claim:
    """The claim with its place in the whole text, and the words that stand there."""
    start, end = claim.start + offset, claim.end + offset
    quote = text[start:end]
    start += len(quote) - len(quote.lstrip())
    return replace(claim, start=start, end=end, quote=text[start:end].rstrip())


def _reader(language: Language) -> Reader:
    """The reader of a language, loaded when its first sentence is read."""
    name = {"en": "english", "zh": "chinese"}[language]
    return cast("Reader", import_module(f"{__name__}.{name}"))
