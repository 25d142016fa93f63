"""The interface of extractors, and the registry that finds them by name.

An extractor reads a batch of a chat and proposes memories. Two ship, both using a model; other packages register theirs by
decorator, or by an entry point of the group `rolememory.extractors`. All of them read every batch, each at its own pace.
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
    """A message as the model sees it: `turn` is its number, 0 for context only."""

    turn: int
    name: str
    said: ChatMessage


@dataclass(frozen=True)
class Batch:
    """A piece of a chat to learn from."""

    chat: str
    said: tuple[ChatMessage, ...]  # whole exchanges, oldest first
    fresh: frozenset[str]  # those of its versions that were not read before
    before: tuple[ChatMessage, ...] = ()  # the messages just before it
    company: Company = field(default_factory=Company)
    user: str | None = None  # the user who will own the memories
    language: Language = "en"
    known: tuple[Memory, ...] = ()  # related known memories, most likely first
    haste: RequestLimits = UNHURRIED

    @cached_property
    def lines(self) -> tuple[TranscriptLine, ...]:
        """Everything that is shown, oldest first; new ones are numbered from 1."""
        out, turn = [TranscriptLine(0, self.name_of(said), said) for said in self.before], 0
        for said in self.said:
            turn += said.version in self.fresh
            out.append(
                TranscriptLine(turn if said.version in self.fresh else 0, self.name_of(said), said)
            )
        return tuple(out)

    @cached_property
    def exchanges(self) -> tuple[tuple[ChatMessage, ...], ...]:
        """The messages to read, by exchange: the user's and the replies, oldest first."""
        out: list[list[ChatMessage]] = []
        for place, said in enumerate(self.said):
            if not place or (said.role == "user" and self.said[place - 1].role != "user"):
                out.append([])
            out[-1].append(said)
        return tuple(map(tuple, out))

    def context(self, said: ChatMessage) -> tuple[str, ...]:
        """The versions of the message's exchange."""
        found = (one for one in self.exchanges if said in one)
        return tuple(each.version for each in next(found, ()))

    @property
    def shown(self) -> Iterator[str]:
        """The lines as a model reads them; each exchange has its date where it changes."""
        begins, last = {one[0].version for one in self.exchanges}, ""
        for one in self.lines:
            if one.said.version in begins and (dated := when(one.said, self.language)) != last:
                last = dated
                yield dated
            yield line(one.turn, one.name, one.said.text, self.language)

    @property
    def story(self) -> Iterator[str]:
        """The lines without out-of-character text and dates."""
        return (line(one.turn, one.name, one.said.story.text, self.language) for one in self.lines)

    @property
    def company_values(self) -> Mapping[str, object]:
        """The participants and the chat's language, for every template of learning."""
        people = {"char": self.char, "user": self.person, "others": self.others}
        return {**people, "language": self.language}

    @cached_property
    def turns(self) -> Mapping[int, ChatMessage]:
        """The messages to learn from, by number."""
        return {line.turn: line.said for line in self.lines if line.turn}

    @property
    def others(self) -> tuple[str, ...]:
        """The other participants."""
        return tuple(tame(name)[:LONGEST_NAME] for name in self.company.others)

    @property
    def char(self) -> str:
        """The role's name."""
        return tame(self.company.role)[:LONGEST_NAME] or translated("the character", self.language)

    @property
    def person(self) -> str:
        """The user's name."""
        return tame(self.company.user)[:LONGEST_NAME] or translated("the user", self.language)

    def name_of(self, said: ChatMessage) -> str:
        """The speaker's name."""
        return said.name or (self.char if said.role == "assistant" else self.person)


@value_class
class ExtractorDependencies:
    """What extractors are built with: current settings, and a model, if configured."""

    settings: Callable[[], LearnSettings]
    ask: StepPrompter


class Extractor(Protocol):
    """Proposes memories. Built once for a role; batches change nothing in it."""

    name: ClassVar[str]

    def extract(self, batch: Batch) -> Sequence[Draft]:
        """Return drafts, each with evidence from the batch's new messages; none if nothing is worth remembering.

        Those it cannot use get a `fault`: the admission filter refuses them, visibly for people.

        Raises:
            ModelError: it is unavailable; the batch is retried later.
        """
        ...


Factory = Callable[[ExtractorDependencies], Extractor]
EXTRACTORS: dict[str, Factory] = {}
"""Those of other code, by name; the two that ship are chosen by `learn.flow`."""


def register(name: str) -> Callable[[Factory], Factory]:
    """Register an extractor by name; third-party packages use this or an entry point."""

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
    """Every registered extractor; those registered by code win over entry points of the same name."""
    return {**third_party(), **EXTRACTORS}
