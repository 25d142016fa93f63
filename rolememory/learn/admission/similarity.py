"""Whether a text restates another: verbatim, or in other words of the same sentence."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache

from rolememory.learn.admission.unsafe_text import languages, turns
from rolememory.text.fold import letters
from rolememory.text.late_pattern import late_pattern
from rolememory.text.plain import plain
from rolememory.text.sentences import SentenceSpan, sentences
from rolememory.text.words import kind, tokens

RUN = 5  # consecutive words that two texts share if one copies the other
COPIED = 0.8  # share of a text's runs that must occur in the other
RESTATED = 0.85  # share of a sentence's meaning that must occur in one sentence of the other, or in two neighbours
TELLS = 1.4  # significance below which a sentence is too short to be compared in other words


_TELLING = "remember recall know say tell mention 记得 知道 说过 提过"  # reporting phrases, without content of their own
_WORD = late_pattern(
    r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|(?:(?![\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff])[\w'])+"
)


class KnownTexts:
    """An index of texts that are known already. Immutable. Cost: building O(letters), a query O(its words).

    >>> card = KnownTexts(["Mira is a smith. She works in the harbour of Oss and never married."])
    >>> card.restated("Mira, a smith, works in the harbour of Oss."), card.restated("Mira left the harbour of Oss for good.")
    (True, False)
    """

    def __init__(self, texts: Iterable[str], names: Iterable[str] = ()) -> None:
        self._names = frozenset(token for name in (*names, _TELLING) for token in tokens(name))
        self._runs: set[int] = set()
        self._holders: dict[str, list[int]] = defaultdict(list)
        self._turns: list[int] = []
        for text in texts:
            self._add(text)

    def _add(self, text: str) -> None:
        self._runs.update(_runs(text))
        for part in sentences(text):
            number = len(self._turns)
            self._turns.append(turns_of(part.of(text)))
            for token in set(tokens(part.of(text))):
                self._holders[token].append(number)
        self._turns.append(0)  # an empty one between two texts, which are not neighbours

    def copied(self, text: str) -> bool:
        """Whether nearly all of the text occurs here verbatim."""
        runs = list(_runs(text))
        return len(runs) >= 2 and sum(run in self._runs for run in runs) >= COPIED * len(runs)

    def restated(self, text: str) -> bool:
        """Whether each sentence of the text is contained in one sentence here."""
        parts = sentences(text)
        return bool(parts) and all(self._restates(part, text) for part in parts)

    def _restates(self, part: SentenceSpan, text: str) -> bool:
        weights = {token: kind(token)[0] for token in set(tokens(part.of(text))) - self._names}
        total = sum(weights.values())
        if total < TELLS:
            return False
        held: dict[int, set[str]] = defaultdict(set)
        for token in weights:
            for number in self._holders.get(token, ()):
                held[number].add(token)
        changes = turns_of(part.of(text))
        return any(
            sum(weights[token] for token in held[number] | held.get(number + 1, set()))
            >= RESTATED * total
            for number in list(held)
            if changes
            <= self._turns[number] + (self._turns[number + 1] if number + 1 in held else 0)
        )


@lru_cache(maxsize=16)
def texts_of(texts: tuple[str, ...], names: tuple[str, ...] = ()) -> KnownTexts:
    """The index of these texts, cached."""
    return KnownTexts(texts, names)


def same(one: str, other: str) -> bool:
    """Whether two short texts say the same: the first adds no significant word, negation or number to the second.

    >>> same("I love dogs.", "I really love dogs!"), same("I love dogs", "I don't love dogs"), same("Rex is 5", "Rex is 6")
    (True, False, False)
    """
    if letters(one) in letters(other):
        return True
    mine, theirs = set(tokens(one)), set(tokens(other))
    return (
        bool(mine)
        and mine <= theirs
        and turns_of(one) == turns_of(other)
        and len(theirs) <= len(mine) + 1
    )


def equal(one: str, other: str) -> bool:
    """Whether neither of two short texts adds anything to the other."""
    return same(one, other) and same(other, one)


def turns_of(text: str) -> int:
    """The number of words of negation and change in a text."""
    even = plain(text)
    return sum(turns(even, language) for language in languages(even))


def _runs(text: str) -> Iterator[int]:
    """Every `RUN` words in a row, as hashes; a Chinese character is a word."""
    words = _WORD.findall(plain(text))
    return (hash(tuple(words[start : start + RUN])) for start in range(len(words) - RUN + 1))
