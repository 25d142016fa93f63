"""Lines that do what a question names: who asks for a promise is answered by "You have my word", which shares no word with it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache, reduce
from math import log

from rolememory.schema.value_class import value_class
from rolememory.shipped import lexicon
from rolememory.text.arrays import Floats, np
from rolememory.text.intent import intent
from rolememory.text.language import LANGUAGES
from rolememory.text.plain import any_of, plain
from rolememory.text.terms import BACKGROUND, CollectionStatistics
from rolememory.text.words import TermQuery, tokens
from rolememory.triggers.informativeness import questions
from rolememory.triggers.subjects import any_person

ACT = 3.0  # nats for a line that does the one thing a question names, where hardly another does
ORDINARY = 0.01  # of background texts that do any such thing
OF_ANOTHER = 0.3  # of it counts for a line of one who does not do it, as the question has it


@value_class
class _Act:
    asks: re.Pattern[str]
    tells: Sequence[Sequence[str]]  # tokens that all stand in a line which does it


@value_class
class AskedActs:
    """What a message asks for that somebody does with words."""

    words: Mapping[str, str]  # by what is done: the words that ask for it
    agent: str  # "user" or "char": who does it; "" where that is not said

    def told(self, question: TermQuery, terms: CollectionStatistics) -> Floats:
        """Evidence in nats for each row of an index, (n_rows,): what is done there counts as one more word of the question.

        Cost: O(postings of the words that tell it).
        """
        evidence = np.zeros(terms.n_rows, dtype=np.float32)
        every, most = terms.size + BACKGROUND + 1.0, ACT / terms.asked(question)
        for name in self.words:
            does = np.zeros(terms.n_rows, dtype=np.bool_)
            for language in _acts().values():
                for words in language[name].tells:
                    does[reduce(np.intersect1d, map(terms.holding, words))] = True
            held = int(np.count_nonzero(does))
            tells = max(log(every / (held + BACKGROUND * ORDINARY + 0.5)), 0.0)
            np.maximum(evidence, does * np.float32(most * tells), out=evidence)
        return evidence


@lru_cache(maxsize=256)
def asked_acts(query: str) -> AskedActs:
    """What the questions of a message name that somebody does with words; the last one who is spoken of before does it.

    >>> asked_acts("And what did I promise you?"), asked_acts("I promise.").words
    (AskedActs(words={'promise': 'promise'}, agent='user'), {})
    >>> asked_acts("你答应过教我什么？"), asked_acts("我给你起的外号是什么？").agent
    (AskedActs(words={'promise': '答应'}, agent='char'), 'user')
    """
    asked = plain(questions(query) or (query if intent(query) in ("past", "mixed") else ""))
    found = _named_in(asked) if asked else {}
    before = asked[: min((one.start() + 1 for one in found.values()), default=0)]
    persons = [str(one.lastgroup) for one in _persons().finditer(before)]
    return AskedActs(
        {name: one.group() for name, one in found.items()}, persons[-1] if persons else ""
    )


def _named_in(asked: str) -> Mapping[str, re.Match[str]]:
    """Where a question names each act."""
    return {
        name: words
        for language in _acts().values()
        for name, act in language.items()
        if (words := act.asks.search(asked))
    }


@cache
def _persons() -> re.Pattern[str]:
    return re.compile(f"(?P<user>{any_person('first')})|(?P<char>{any_person('second')})")


@cache
def _acts() -> Mapping[str, Mapping[str, _Act]]:
    """By language and name."""
    raw = lexicon("acts")
    return {
        language: {
            name: _Act(any_of(row["asks"]), tuple(_tokens(row["tells"])))
            for name, row in raw[language].items()
        }
        for language in LANGUAGES
    }


def _tokens(rows: Sequence[str]) -> Iterator[Sequence[str]]:
    """Of each word of a row the token that stands for it: the longest."""
    for row in rows:
        yield tuple({max(tokens(word), key=len): None for word in row.split()})
