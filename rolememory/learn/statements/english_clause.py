"""One clause of a sentence: who, which verb, what stands behind it, and whether it is said as true."""

from dataclasses import dataclass, field, replace
from typing import Self

from rolememory.learn.statements.english_scene import NOBODY, Scene, Who
from rolememory.learn.statements.english_time import Time, time_within, times_at
from rolememory.learn.statements.english_verbs import Group, Tense
from rolememory.learn.statements.english_words import Words, lexicon, listed


@dataclass(slots=True)
class Clause:
    """A stretch of a sentence. Without `who` it is a fragment: "Born in Rome", "call me Al"."""

    scene: Scene
    words: Words  # of the whole sentence
    first: int  # where it begins
    at: int  # first word behind the verb; of a fragment its first word
    end: int
    who: Who = NOBODY
    group: Group = field(default_factory=Group)
    we: bool = False
    company: Who | None = None  # the other of "my wife and I"
    link: str = ""  # the word that ties it to what stands before
    asserted: bool = True
    conditional: bool = False  # an "if" or "when" hangs on it
    promised: bool = False
    certainty: float = 1.0
    denied: bool = False  # "I don't think ..."
    corrects: bool = False
    time: tuple[int, int] | None = None  # the words of a time that stands before it

    @property
    def fragment(self) -> bool:
        """Whether nobody was found to do something."""
        return self.who is NOBODY

    @property
    def lemma(self) -> str:
        """Its verb; empty of a fragment."""
        return self.group.lemma

    @property
    def tense(self) -> Tense:
        """The tense of its verb."""
        return self.group.tense

    @property
    def holds(self) -> bool:
        """Whether it says yes."""
        return not (self.denied ^ (self.group.negated or self.group.tense == "former"))

    def low(self, at: int) -> str:
        """The word at a place, in lower case; empty outside the clause."""
        return self.words[at].low if self.first <= at < self.end else ""

    def lows(self, first: int, end: int) -> list[str]:
        """The words of a stretch, in lower case."""
        return [word.low for word in self.words[first : min(end, self.end)]]

    def capital(self, at: int) -> bool:
        """Whether the word at a place begins with a capital letter."""
        return at < self.end and self.words[at].capital

    def listed(self, name: str, at: int, end: int | None = None) -> int:
        """How many words of a list's phrase stand at a place."""
        return lexicon()[name].at(self.words, at, self.end if end is None else end)

    def any_of(self, name: str, first: int, end: int | None = None) -> bool:
        """Whether any single word of a stretch is in a list."""
        return any(listed(name, low) for low in self.lows(first, self.end if end is None else end))

    @property
    def when(self) -> Time | None:
        """The time that the clause names, behind its verb or before its subject."""
        before = times_at(self.words, *self.time) if self.time else None
        return time_within(self.words, self.at, self.end) or before

    def saying(self, who: Who, group: Group, at: int) -> Self:
        """The same clause with another subject and verb, whose words end at `at`."""
        actually = "actually" in self.lows(self.first, self.end)
        certainty = self.certainty * group.certainty / max(self.group.certainty, 0.01)
        return replace(
            self,
            who=who,
            group=group,
            at=at,
            certainty=certainty,
            corrects=self.corrects or actually,
        )
