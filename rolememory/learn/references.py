"""Which of the memories in its prompt a reply used: by words it could hardly have had from elsewhere, or by meaning. Source: S4.29.

    memory ─ its words, without the speakers' names and without what was said before the reply ─┐
    reply ── sentences, two by two ───────────────────────────────────── words they share ──────┴─ evidence
    evidence of a name, a year or two telling words, or half of what the memory says ─▶ used

A wrong yes makes a memory heavier and the next wrong yes likelier, so a doubt counts as no.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import exp2

import orjson

from rolememory.inject.fence import strip
from rolememory.schema.evidence import Reason
from rolememory.schema.memory import Memory
from rolememory.shipped import shipped
from rolememory.text.words import COMMON, PAIR, PAIR_COMMON, PAIR_LOOSE, RARE, STOP, ask, is_pair, kind, stem, tokens, words

ENOUGH = 1.0  # evidence that needs nothing else: a name, a year, two telling words ...
SHORT, MORE = 3.0, 0.05  # ... of a memory that tells no more than so much; and what it takes beyond, since long texts share words by chance
HALF = 0.45  # share of what a memory says that is enough ...
LEAST = 0.5  # ... with so much evidence
NEAR = 0.6  # cosine of a sentence with a memory that says the same in other words ...
NEARER = 0.15  # ... if it is so much nearer than what was said before

NAME, WEAK = 1.0, 0.1  # what a proper name tells, and a word of any narration
IN_KEYS = 1.5  # factor for a word of the memory's keys
_LATIN = (0.0, 0.2, 0.3, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)  # by length: longer words are rarer (G. K. Zipf, 1935)
_DIGITS = (0.0, 0.2, 0.5, 1.0)
_PAIRS = {PAIR: 0.5, PAIR_COMMON: 0.1, PAIR_LOOSE: 0.05}
_CHARACTER, _EVERYDAY = 0.25, 0.1  # what a Han character adds to what a memory says in all
_MOST_SENTENCES = 24  # whose meaning is asked for
_MOST_SHOWN = 4  # words that a reason names

_SENTENCES = re.compile(r"(?<=[.!?])[\"'”’)]*\s+|[。！？…\n*]+")
_MACRO = re.compile(r"\{\{\s*\w+\s*\}\}|<(?:user|char|bot)>", re.IGNORECASE)
_CAPITAL = re.compile(r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+")
_OPENING = re.compile(r"(?:^|[.!?。！？…\n*\"“”「『:：—])\s*$")
_CALLED = re.compile(r"(?:叫做?|名为|名字是|昵称是?|外号是?|小名是?)([\u3400-\u9fff]{2,3})(?![\u3400-\u9fff])")

Cosine = Callable[[str, str], float | None]
"""How near two texts are in meaning, -1..1; None where no model can tell."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A memory that a reply used."""

    id: str
    strength: float  # 0..1; a half for evidence that is just enough by itself
    because: Reason


@dataclass(frozen=True, slots=True)
class _Names:
    """Words of a text that are written as names, as stems."""

    sure: frozenset[str]  # inside a sentence, or after "is called"
    likely: frozenset[str]  # those, and what opens a sentence


@dataclass(frozen=True, slots=True)
class _Told:
    """What a memory says: its words, and what each tells."""

    worth: Mapping[str, float]
    names: _Names


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply as it is compared: its sentences, and which pairs of neighbours hold a word, by the first of the two."""

    sentences: Sequence[str]
    windows: Mapping[str, Collection[int]]
    names: _Names


def referenced(
    reply: str, injected: Sequence[Memory], *, query: str = "", names: Collection[str] = (), vectors: Cosine | None = None
) -> list[Reference]:
    """The memories that the reply used, strongest first.

    `query` is what was said before the reply, the user's message or the last few: words that stand there prove nothing.
    `names` are those of the speakers, role and user. `vectors` may find what was said in other words; it is asked where
    words prove nothing. Cost without it: O(words of reply and memories).

    >>> nuts = Memory(id="nuts", content="Lin is allergic to peanuts.")
    >>> [one.id for one in referenced("No peanuts tonight, then.", [nuts], query="What do we eat?", names=["Lin"])]
    ['nuts']
    >>> referenced("No peanuts tonight, then.", [nuts], query="Are there any peanuts?", names=["Lin"])
    []
    """
    speakers = frozenset(names)
    read, said = _read(strip(reply), speakers), frozenset(tokens(query))
    told = {memory.id: _told(memory.content, memory.keys, speakers) for memory in injected}
    shared = _without_better({name: _shared(one, read, said) for name, one in told.items()}, read)
    found = [one for name in told if (one := _by_words(name, told[name], shared[name], read, said))]
    if vectors:
        known = {one.id for one in found}
        before = _tidy(query, speakers)
        rest = {memory.id: _tidy(memory.content, speakers) for memory in injected if memory.id not in known}
        found += [one for name, content in rest.items() if (one := _by_meaning(name, content, read, before, vectors))]
    return sorted(found, key=lambda one: (-one.strength, one.id))


def _read(reply: str, speakers: frozenset[str]) -> _Reply:
    text = _nameless(reply, speakers)
    sentences = [" ".join(sentence.split()) for sentence in _SENTENCES.split(text) if sentence.strip()]
    windows: dict[str, set[int]] = {}
    for place, sentence in enumerate(sentences):
        both = (place - 1, place)
        for token in tokens(sentence):
            if token in windows:
                windows[token].update(both)
            else:
                windows[token] = set(both)
    return _Reply(sentences, windows, _names(text))


@lru_cache(maxsize=4096)
def _told(content: str, keys: tuple[str, ...], speakers: frozenset[str]) -> _Told:
    text = _nameless(content, speakers)
    worth = {token: _worth(token) for token in tokens(text)}
    for token in dict.fromkeys(tokens(_nameless(" ".join(keys), speakers)) if keys else ()):
        worth[token] = IN_KEYS * _worth(token)
    return _Told(worth, _names(text))


def _nameless(text: str, speakers: frozenset[str]) -> str:
    """The text without the names of the speakers and without macros."""
    text = _MACRO.sub(" ", text)
    named = _speaking(speakers)
    return named.sub(" ", text) if named else text


@lru_cache(maxsize=64)
def _speaking(speakers: frozenset[str]) -> re.Pattern[str] | None:
    longest_first = sorted(filter(None, map(str.strip, speakers)), key=len, reverse=True)
    latin = [rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)" for name in longest_first if name.isascii()]
    others = [re.escape(name) for name in longest_first if not name.isascii()]
    return re.compile("|".join([*latin, *others]), re.IGNORECASE) if longest_first else None


@lru_cache(maxsize=4096)
def _names(text: str) -> _Names:
    sure = {pair for called in _CALLED.findall(text) for pair in tokens(called) if is_pair(pair)}
    likely = set(sure)
    for match in _CAPITAL.finditer(text):
        name = stem(match.group().casefold())
        likely.add(name)
        if not _OPENING.search(text, max(match.start() - 3, 0), match.start()):
            sure.add(name)
    return _Names(frozenset(sure), frozenset(likely))


@lru_cache(maxsize=65_536)
def _worth(token: str) -> float:
    """What a word tells by itself, 0..1: a rare one more than an everyday one."""
    if token in _narration():
        return WEAK
    if token[0].isdigit():
        return _DIGITS[min(len(token), 3)]
    found = kind(token)
    if is_pair(token):
        return _PAIRS[found]
    if found in (RARE, COMMON, STOP):
        return {RARE: _LATIN[min(len(token), 9)], COMMON: WEAK}.get(found, 0.0)
    return 0.0  # one Han character is no word


@cache
def _narration() -> frozenset[str]:
    """Words that stand in any narrated reply, as tokens."""
    raw = (orjson.loads(shipped("worldbook_rules", "lexicons", f"narration.{language}.json").read_bytes()) for language in ("en", "zh"))
    listed = (word for lexicon in raw for name, said in lexicon.items() if name != "about" for word in said.split())
    return frozenset(word if is_pair(word) else stem(word) for word in listed)


def _shared(told: _Told, reply: _Reply, said: frozenset[str]) -> dict[str, float]:
    """The words of a memory that the reply has and that were not said before it, with what each tells."""
    return {
        token: _in_place(token, worth, told, reply)
        for token, worth in told.worth.items()
        if worth and token in reply.windows and token not in said
    }


def _in_place(token: str, worth: float, told: _Told, reply: _Reply) -> float:
    """A word that both write as a name, and one of them surely, tells as much as a name."""
    mine, theirs = told.names, reply.names
    if worth <= WEAK:
        return worth
    called = is_pair(token) and token in mine.sure
    written = token in mine.likely and token in theirs.likely and (token in mine.sure or token in theirs.sure)
    return max(worth, NAME) if called or written else worth


def _without_better(shared: Mapping[str, Mapping[str, float]], reply: _Reply) -> dict[str, dict[str, float]]:
    """Words that several memories share with the reply speak for the one that shares most with it."""
    evidence = {name: _best(found, reply)[0] for name, found in shared.items()}
    most: dict[str, float] = {}
    for name, found in shared.items():
        for token in found:
            most[token] = max(most.get(token, 0.0), evidence[name])
    return {
        name: {token: worth * evidence[name] / most[token] for token, worth in found.items()} if evidence[name] else {}
        for name, found in shared.items()
    }


def _best(found: Mapping[str, float], reply: _Reply) -> tuple[float, list[str]]:
    """The most evidence that two neighbouring sentences hold, and the words it comes from; nothing where it cannot be enough."""
    if sum(found.values()) < LEAST:
        return 0.0, []
    sums: dict[int, float] = defaultdict(float)
    for token, worth in found.items():
        for place in reply.windows[token]:
            sums[place] += worth
    best = max(sums, key=lambda place: (sums[place], -place))
    return sums[best], [token for token in found if best in reply.windows[token]]


def _by_words(memory_id: str, told: _Told, found: Mapping[str, float], reply: _Reply, said: frozenset[str]) -> Reference | None:
    evidence, held = _best(found, reply)
    if evidence < LEAST:
        return None
    says = _mass({token: worth for token, worth in told.worth.items() if token not in said})
    enough = ENOUGH + MORE * max(says - SHORT, 0.0)
    if evidence < enough and _mass({token: told.worth[token] for token in held}) < HALF * says:
        return None
    telling = sorted(held, key=lambda token: -found[token])
    return Reference(memory_id, round(1.0 - exp2(-evidence), 3), Reason("referenced", (("words", _shown(telling, held, reply)),)))


def _mass(worth: Mapping[str, float]) -> float:
    """What words tell together; of overlapping pairs of characters each character once."""
    han: dict[str, float] = {}
    rest = 0.0
    for token, one in worth.items():
        if not is_pair(token):
            rest += one
            continue
        for character in token:
            most = 0.0 if character in words("zh").stop else _EVERYDAY if character in words("zh").everyday else _CHARACTER
            han[character] = max(han.get(character, 0.0), min(one / 2, most))
    return rest + sum(han.values())


def _shown(telling: Iterable[str], held: Iterable[str], reply: _Reply) -> str:
    """The words as the reply writes them, the most telling first; overlapping pairs as one."""
    spelt = {token: surface for sentence in reply.sentences for token, surface in ask(sentence).surfaces.items()}
    runs: list[str] = []
    for pair in filter(is_pair, held):
        if runs and runs[-1][-1] == pair[0]:
            runs[-1] += pair[1]
        else:
            runs.append(pair)
    latin = [spelt.get(token, token) for token in telling if len(token) > 1 and not is_pair(token)]
    return " ".join([*latin, *sorted(runs, key=len, reverse=True)][:_MOST_SHOWN])


def _by_meaning(memory_id: str, content: str, reply: _Reply, query: str, vectors: Cosine) -> Reference | None:
    """A sentence that says what the memory says, and says it more than what was said before; names would make everything alike."""
    nearness = [near for sentence in reply.sentences[:_MOST_SENTENCES] if (near := vectors(sentence, content)) is not None]
    nearest = max(nearness, default=0.0)
    before = (vectors(query, content) or 0.0) if query and nearest >= NEAR else 0.0
    if nearest < max(NEAR, before + NEARER):
        return None
    return Reference(memory_id, round(nearest / 2, 3), Reason("referenced", (("cosine", round(nearest, 3)),)))


def _tidy(text: str, speakers: frozenset[str]) -> str:
    return " ".join(_nameless(text, speakers).split())
