"""Who says a quotation, by the words around it: quotation attribution for English and Chinese with one interpreter.

What it knows of both languages are words by class (`prose.en.json`, `prose.zh.json`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from rolememory.shipped import lexicon
from rolememory.text.language import HAN

_CLASSES = (  # a word of two is what comes last
    "epithets parts persons saying negations objects articles indefinite of_third of_second of_first third second first"
).split()
_NOUN_WITHIN = 4  # words from an article to its noun
_VERB_WITHIN = 4  # words from a verb to the quotation, where no comma or colon stands between
_NEAR = 40
_LONGEST_SAYING = 16
_LATIN = r"[A-Za-zÀ-ɏ]+(?:['’-][A-Za-zÀ-ɏ]+)*"
_LINKS = "的家们那"  # between 我 and whom one speaks of
_ANNOUNCES = ":：,，—"
_SAID = frozenset("道说问喊")  # end a Chinese clause without a colon

Who = Literal["own", "second", "third", "person", "name", "thing"]
"""Whom a subject means: the speaker, the one addressed, he or she, somebody else, somebody by a name, something or somebody."""

Verdict = Literal["own", "other", "unsure", ""]
"""The speaker's, somebody else's, one of the two; "" where the words do not speak of it."""

_WHO: dict[str, Who] = {
    "first": "own",
    "second": "second",
    "third": "third",
    "own": "own",
    "persons": "person",
    "epithets": "third",
    "name": "name",
    "of_first": "own",
    "of_second": "second",
    "of_third": "third",
    "articles": "thing",
    "indefinite": "person",
}
_DETERMINERS = ("articles", "indefinite", "of_first", "of_second", "of_third")


class _Lexicon(NamedTuple):
    classes: dict[str, str]
    says: re.Pattern[str]  # what ends a Chinese clause that announces speech
    clause: re.Pattern[str]  # what stands between clauses
    starts: frozenset[str]  # first characters of Chinese names
    not_names: frozenset[str]


class _Vocabulary(NamedTuple):
    classes: dict[str, str]
    word: re.Pattern[str]  # Latin words, and the first characters of those known in Han
    han: dict[str, list[str]]  # first character -> words known in Han, the longest first


@cache
def _lexicon() -> _Lexicon:
    en, zh = lexicon("prose.en"), lexicon("prose.zh")
    classes = {}
    for name in _CLASSES:
        english = en[name].split()
        classes.update(dict.fromkeys(_forms(english) if name == "saying" else english, name))
        classes.update(dict.fromkeys(zh.get(name, "").split(), name))
    says, after = ("|".join(zh[name].split()) for name in ("saying", "said_after"))
    clauses = "|".join((rf"\b(?:{'|'.join(en['clauses'].split())})\b", *zh["clauses"].split()))
    return _Lexicon(
        classes,
        re.compile(rf"(?:{says})(?:{after})*$"),
        re.compile(rf"[,，;；、—]|{clauses}", re.IGNORECASE),
        frozenset(zh["starts"]),
        frozenset((*en["not_names"].split(), *zh["not_names"].split())),
    )


@lru_cache(maxsize=256)
def _vocabulary(own: frozenset[str], others: frozenset[str]) -> _Vocabulary:
    classes = _lexicon().classes | dict.fromkeys(others, "persons") | dict.fromkeys(own, "own")
    han: dict[str, list[str]] = {link: [] for link in _LINKS}
    for word in sorted(filter(HAN.match, classes), key=len, reverse=True):
        han.setdefault(word[0], []).append(word)
    return _Vocabulary(classes, re.compile(rf"{_LATIN}|[{''.join(han)}]"), han)


def _forms(verbs: Iterable[str]) -> Iterator[str]:
    for verb in verbs:
        stem = verb.removesuffix("e")
        doubled = verb + verb[-1]
        yield from (verb, f"{verb}s", f"{verb}es", f"{stem}ed", f"{stem}ing")
        yield from (f"{doubled}ed", f"{doubled}ing")


class _Token(NamedTuple):
    text: str
    kind: str  # its class, "" without
    start: int


class _Clause(NamedTuple):
    text: str
    tokens: list[_Token]


@dataclass(frozen=True)
class Narration:
    """The words around quotations, read for the speaker of one message."""

    own: frozenset[str]  # words of the speaker's names, in lower case; names in Han whole
    others: frozenset[str]  # of other people's
    first_person: bool  # whether the speaker narrates as "I": then he and she are others

    def before(self, clause: str) -> Verdict:
        """Whether the words right before a quotation give it to somebody else: The innkeeper said, ..."""
        clause = clause.rstrip()
        body = clause.rstrip(_ANNOUNCES + " ")
        if not body:
            return ""
        if clause[-1] in ":：":
            clauses = self._clauses(body)
            return self._said(clauses, within=_NEAR) or self._other(_acts(clauses))
        near = clause[-1] not in _ANNOUNCES
        if not _may_announce(body) or (near and _loose(body)):
            return ""
        return self._said(self._clauses(body), within=_VERB_WITHIN if near else _NEAR)

    def after(self, tag: str) -> Verdict:
        """Whether the words right after a quotation do: ... said the innkeeper."""
        clause = _lexicon().clause.split(tag)[0].strip()
        if not clause or not _may_announce(clause):
            return ""
        tokens = list(self._tokens(clause))
        verb = _verb(clause, tokens)
        if verb is None or (clause[0].isupper() and tokens[0].kind in _DETERMINERS):
            return ""
        subject = _subject(tokens[:verb])
        if subject is None and not HAN.match(clause[-1]):
            subject = _subject(tokens[verb + 1 :][:_NOUN_WITHIN])
        return self._other(subject)

    def acting(self, sentence: str) -> Verdict:
        """Whether somebody else is the one who acts in a stage direction, so that the quotation behind it is theirs."""
        clauses = self._clauses(sentence)
        if any(one.kind in ("own", "first") for clause in clauses for one in clause.tokens):
            return "own"
        if said := self._said(clauses, within=_NEAR):
            return said
        return "other" if _acts(clauses) == "person" else ""

    def _said(self, clauses: Sequence[_Clause], *, within: int) -> Verdict:
        """Whose the last verb of saying is that stands within so many words of the end."""
        behind = 0
        for place in range(len(clauses) - 1, -1, -1):
            tokens = clauses[place].tokens
            verb = _verb(*clauses[place])
            behind += len(tokens)
            if verb is not None:
                break
        else:
            return ""
        if behind - verb > within:
            return ""
        if any(one.kind == "negations" for one in tokens[:verb]):
            return "unsure"
        nearest = _subject(tokens[:verb])
        return self._other(nearest or _acts(clauses[:place]) or _subject(clauses[0].tokens))

    def _clauses(self, text: str) -> list[_Clause]:
        return [
            _Clause(clause, list(self._tokens(clause))) for clause in _lexicon().clause.split(text)
        ]

    def _other(self, who: Who | None) -> Verdict:
        if who is None:
            return ""
        if who == "own":
            return "own"
        known = self.first_person or (who == "name" and self.own) or who not in ("name", "third")
        return "other" if known else "unsure"

    def _tokens(self, part: str) -> Iterator[_Token]:
        classes, word, han = _vocabulary(self.own, self.others)
        place = len(part) - len(part.lstrip())
        pair = part[place : place + 2]
        if _is_han_name(pair) and not part.startswith(tuple(han.get(pair[0], "")), place):
            yield _Token(pair, "name", place)
            place += len(pair)
        while found := word.search(part, place):
            place, text = found.end(), found[0]
            if text[0] < "\u3400":
                yield _Token(text, _latin(text, classes), found.start())
                continue
            start = found.start()
            text = next((one for one in han[text] if part.startswith(one, start)), text)
            place = start + len(text)
            yield _Token(text, classes.get(text, ""), start)


def _latin(text: str, classes: dict[str, str]) -> str:
    word = text.lower().replace("’", "'")
    kind = classes.get(word) or classes.get(word.removesuffix("'s"), "")
    if kind or text[0].islower() or word in _lexicon().not_names:
        return kind
    return "" if word.endswith(("ing", "ly", "ed")) else "name"


def _is_han_name(pair: str) -> bool:
    words = _lexicon()
    return pair[:1] in words.starts and bool(HAN.match(pair, 1)) and pair not in words.not_names


def _may_announce(clause: str) -> bool:
    """Whether a clause may say that somebody speaks: a Chinese one must end so."""
    return not HAN.match(clause[-1]) or bool(_lexicon().says.search(clause[-_LONGEST_SAYING:]))


def _loose(body: str) -> bool:
    """Whether a Chinese clause ends without a word that leads to a quotation by itself."""
    return bool(HAN.match(body[-1])) and body[-1] not in _SAID


def _verb(text: str, tokens: Sequence[_Token]) -> int | None:
    """Which token of a clause is its last verb of saying; a Chinese one must end with it."""
    text = text.rstrip()
    if text and HAN.match(text[-1]):
        says = _lexicon().says.search(text)
        return sum(one.start < says.start() for one in tokens) if says else None
    said = [place for place, one in enumerate(tokens) if one.kind == "saying"]
    return said[-1] if said else None


def _subject(tokens: Sequence[_Token]) -> Who | None:
    """Whom the first subject among these words means; what follows a preposition is none."""
    weak: Who | None = None
    place, skip = 0, False
    while place < len(tokens):
        who, length = _noun(tokens, place)
        if tokens[place].kind == "objects":
            skip = True
        elif who and skip:
            skip = False
        elif who == "thing":
            weak = "thing"
        elif who:
            return who
        place += length
    return weak


def _acts(clauses: Sequence[_Clause]) -> Who | None:
    """Whom the subject of the last of the clauses that has one means; a thing does not act."""
    subjects = (_subject(clause.tokens) for clause in reversed(clauses))
    return next((who for who in subjects if who and who != "thing"), None)


def _noun(tokens: Sequence[_Token], place: int) -> tuple[Who | None, int]:
    """(whom the noun or pronoun that begins here means, its length in words); None where none begins."""
    one = tokens[place]
    if one.kind in _DETERMINERS:
        return _determined(tokens[place + 1 :][:_NOUN_WITHIN], _WHO[one.kind], "thing")
    who = _WHO.get(one.kind)
    rest = tokens[place + 1 :][:_NOUN_WITHIN]
    if who and one.text.endswith(("'s", "’s")):  # Mira's voice
        return _determined(rest, who, who)
    linked = 1 if rest and rest[0].text in _LINKS else 0
    near = rest[linked:][:1]
    beside = bool(near) and near[0].start == one.start + len(one.text) + linked
    if who and beside and (linked or HAN.match(one.text)):  # 我妈, 她的声音
        return _determined(near, who, who)
    return who, 1


def _determined(words: Sequence[_Token], whose: Who, otherwise: Who) -> tuple[Who, int]:
    """As `_noun`, for the words behind "the", "my" or 我."""
    for length, word in enumerate(words, start=2):
        if word.kind == "parts":
            return whose, length
        if word.kind == "epithets":
            return ("third" if whose in ("thing", "third") else "person"), length
        if word.kind in ("persons", "name", "own"):
            return _WHO[word.kind], length
        if word.kind:
            break
    return otherwise, 1
