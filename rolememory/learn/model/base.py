"""What an extractor gets and gives, and the registry that knows extractors by name.

An extractor reads a batch of a chat and proposes memories. Two ship, both asking a model; another package registers its own by
decorator, or by an entry point of the group `rolememory.extractors`. All that are known read every batch, each at its own pace.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Protocol

from rolememory.errors import RegistrationError
from rolememory.inject.fence import tame
from rolememory.learn.model.prompter import StepPrompter
from rolememory.learn.model.prompts import line, when
from rolememory.llm.client import UNHURRIED, RequestLimits
from rolememory.locales import translated
from rolememory.plugins import plugins
from rolememory.schema.learning import ChatMessage, Company, Draft
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Language
from rolememory.schema.settings import LearnSettings
from rolememory.schema.value_class import value_class

LONGEST_NAME = 60
ENTRY_POINT_GROUP = "rolememory.extractors"


@value_class
class TranscriptLine:
    """A message as the model sees it: `turn` is its number, 0 for one that is only there to be understood."""

    turn: int
    name: str
    said: ChatMessage


@dataclass(frozen=True)
class Batch:
    """A piece of a chat to learn from."""

    chat: str
    said: tuple[ChatMessage, ...]  # whole exchanges, oldest first
    fresh: frozenset[str]  # the versions among them that were not read before
    before: tuple[ChatMessage, ...] = ()  # what was said just before
    company: Company = field(default_factory=Company)
    user: str | None = None  # whose memories they become
    language: Language = "en"
    known: tuple[Memory, ...] = ()  # what is known that may touch on it, likeliest first
    haste: RequestLimits = UNHURRIED

    @cached_property
    def lines(self) -> tuple[TranscriptLine, ...]:
        """Everything that is shown, oldest first; the fresh ones are numbered from 1."""
        out, turn = [TranscriptLine(0, self.name_of(said), said) for said in self.before], 0
        for said in self.said:
            turn += said.version in self.fresh
            out.append(
                TranscriptLine(turn if said.version in self.fresh else 0, self.name_of(said), said)
            )
        return tuple(out)

    @cached_property
    def exchanges(self) -> tuple[tuple[ChatMessage, ...], ...]:
        """What is read, by exchange: what the user said and what was answered, oldest first."""
        out: list[list[ChatMessage]] = []
        for place, said in enumerate(self.said):
            if not place or (said.role == "user" and self.said[place - 1].role != "user"):
                out.append([])
            out[-1].append(said)
        return tuple(map(tuple, out))

    def context(self, said: ChatMessage) -> tuple[str, ...]:
        """The versions of the exchange that a message belongs to."""
        found = (one for one in self.exchanges if said in one)
        return tuple(each.version for each in next(found, ()))

    @property
    def shown(self) -> Iterator[str]:
        """The lines as a model reads them, each exchange under its date where that is another one than before."""
        begins, last = {one[0].version for one in self.exchanges}, ""
        for one in self.lines:
            if one.said.version in begins and (dated := when(one.said, self.language)) != last:
                last = dated
                yield dated
            yield line(one.turn, one.name, one.said.text, self.language)

    @property
    def story(self) -> Iterator[str]:
        """The lines without what is said out of character, and without dates."""
        return (line(one.turn, one.name, one.said.story.text, self.language) for one in self.lines)

    @property
    def company_values(self) -> Mapping[str, object]:
        """Who is there and in which language they talk, as every template of learning gets it."""
        people = {"char": self.char, "user": self.person, "others": self.others}
        return {**people, "language": self.language}

    @cached_property
    def turns(self) -> Mapping[int, ChatMessage]:
        """The messages that may be learned from, by their number."""
        return {line.turn: line.said for line in self.lines if line.turn}

    @property
    def others(self) -> tuple[str, ...]:
        """Who else is there."""
        return tuple(tame(name)[:LONGEST_NAME] for name in self.company.others)

    @property
    def char(self) -> str:
        """What the role is called."""
        return tame(self.company.role)[:LONGEST_NAME] or translated("the character", self.language)

    @property
    def person(self) -> str:
        """What the user is called."""
        return tame(self.company.user)[:LONGEST_NAME] or translated("the user", self.language)

    def name_of(self, said: ChatMessage) -> str:
        """Who speaks."""
        return said.name or (self.char if said.role == "assistant" else self.person)


@value_class
class ExtractorDependencies:
    """What extractors are built with: the settings as they stand, and a model to ask, if one is set."""

    settings: Callable[[], LearnSettings]
    ask: StepPrompter


class Extractor(Protocol):
    """Proposes memories. Built once for a role; holds nothing that a batch changes."""

    name: ClassVar[str]

    def extract(self, batch: Batch) -> Sequence[Draft]:
        """Drafts, each with evidence out of the batch's fresh messages; none when there is nothing to remember.

        What it finds and cannot keep is a draft with a `fault`: the admission filter refuses it, where people see it.

        Raises:
            ModelError: it cannot work now; the batch waits and is brought again.
        """
        ...


Factory = Callable[[ExtractorDependencies], Extractor]
EXTRACTORS: dict[str, Factory] = {}
"""Those of other code, by name; the two that ship are chosen by `learn.flow`."""


def register(name: str) -> Callable[[Factory], Factory]:
    """Make an extractor known by name; a third-party package does the same through an entry point."""

    def add(factory: Factory) -> Factory:
        if EXTRACTORS.setdefault(name, factory) is not factory:
            raise RegistrationError(
                "extractor {name!r} is registered twice; choose another name", name=name
            )
        return factory

    return add


def third_party() -> Mapping[str, Factory]:
    """Extractors of other installed packages, by entry point name (group `rolememory.extractors`)."""
    return plugins(ENTRY_POINT_GROUP)


def known_extractors() -> Mapping[str, Factory]:
    """Every registered extractor; what the process registered wins over an entry point of the same name."""
    return {**third_party(), **EXTRACTORS}
