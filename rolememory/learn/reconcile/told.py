"""A memory as it is compared: what it says, what it claims, who may change it. Read when it is first asked for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property

from rolememory.learn.reconcile.by_claims import Claims, single
from rolememory.learn.reconcile.reading import LONGEST, Statement, read
from rolememory.schema.claims import ROLE, USER, Claim
from rolememory.schema.learning import Draft
from rolememory.schema.memory import Memory, MemoryType, Source
from rolememory.text.fold import folded_key

_OWNER = re.compile(r"(.+?)(?:'s |的)")
_OWNERS = {"the user": USER, "用户": USER, "the character": ROLE, "角色": ROLE}
_BEFORE = datetime.min.replace(tzinfo=UTC)  # when an undated memory was told: before all others
_MACHINE = frozenset({Source.SUMMARY, Source.AI_OUTPUT, Source.INFERENCE})


@dataclass(frozen=True)
class Told:
    """One memory, known or proposed."""

    memory: Memory
    given: tuple[Claim, ...] = field(default=(), repr=False)  # the claims of a draft, read already

    @cached_property
    def id(self) -> str:
        """Its id."""
        return self.memory.id

    @cached_property
    def subject(self) -> str:
        """Whom it is about: ROLE, USER, or a name as names are compared."""
        return self._by_role(subject_of(self.memory.subject))

    def _by_role(self, label: str) -> str:
        """A label by "the user" in place of his name: what was told before that was known is about the same people."""
        head = _OWNER.match(label) if self.memory.user else None
        if not head or head[1] != subject_of(self.memory.user):
            return label
        return ("用户的" if head[0].endswith("的") else "the user's ") + label[head.end() :]

    @cached_property
    def owner(self) -> str:
        """Under whom it is kept: for "the user's sister" that is the user, for everybody else the subject itself."""
        head = _OWNER.match(self.subject)
        return _OWNERS.get(head[1], self.subject) if head else self.subject

    @cached_property
    def told_at(self) -> datetime:
        """When it was told in the story."""
        return self.memory.created or _BEFORE

    @property
    def protected(self) -> bool:
        """Whether learning leaves it as it is: an author's, or locked. What is archived stands for nothing."""
        return (self.memory.authored or self.memory.locked) and not self.memory.archived

    @property
    def is_event(self) -> bool:
        """Whether it tells what happened."""
        return self.memory.type is MemoryType.EPISODIC

    @property
    def by_machine(self) -> bool:
        """Whether it was distilled from replies or by a model: repeating such a thing makes it no surer."""
        return self.memory.source in _MACHINE

    @cached_property
    def statement(self) -> Statement:
        """Its words."""
        return read(self.memory.content)

    @property
    def verbatim(self) -> bool:
        """Whether it is a turn as it was said: whom its "he" and "you" mean is not to be seen."""
        return self.is_event and any(
            one.quote and one.quote in self.memory.content for one in self.memory.evidence
        )

    @property
    def in_its_words(self) -> bool:
        """Whether it is told as it was said: a turn, or what a person asked to be remembered."""
        return self.verbatim or any(
            self.memory.content in one.quote for one in self.memory.evidence
        )

    @property
    def rests_on(self) -> list[tuple[str, str, str]]:
        """The words it was read in: chat, version, quote of each support."""
        return [(one.chat, one.version, one.quote) for one in self.memory.evidence if one.quote]

    @cached_property
    def quoted(self) -> Statement:
        """The words it rests on, as they were said; its own where none are kept."""
        said = self.memory.evidence[0].quote if self.memory.evidence else ""
        return read(said) if said else self.statement

    @cached_property
    def claims(self) -> Claims:
        """Its claims with the words they were said in, and how much of its text they cover."""
        read = self.given or (() if self.verbatim else _read_claims(self.memory))
        found = Claims.of([self._about(claim) for claim in read], self.memory.content)
        said = self.memory.evidence[0].quote if self.memory.evidence else ""
        return (
            found
            if not said
            else Claims(tuple(replace(claim, quote=said) for claim in found.each), found.covered)
        )

    def _about(self, claim: Claim) -> Claim:
        label = subject_of(claim.subject)
        return (
            claim if self._by_role(label) == label else replace(claim, subject=self._by_role(label))
        )

    @cached_property
    def attributes(self) -> frozenset[str]:
        """The attributes it makes a claim of, as far as only one value of them holds."""
        return frozenset(claim.attribute for claim in self.claims.each if single(claim.attribute))


def subject_of(subject: str | None) -> str:
    """The label of a subject.

    >>> subject_of(None), subject_of("user"), subject_of("Mrs. Oh")
    ('', 'user', 'mrs. oh')
    """
    return ROLE if not subject else USER if subject == USER else folded_key(subject)


def memory_of(draft: Draft, memory_id: str) -> Memory:
    """The memory that a draft becomes."""
    return Memory(
        id=memory_id,
        content=draft.content,
        type=draft.type,
        source=draft.source,
        evidence=draft.evidence,
        subject=draft.subject,
        user=draft.user,
        created=draft.created,
        keys=draft.keys,
        topics=draft.topics,
        emotions=draft.emotions,
        tags=draft.tags,
        salience=draft.salience,
        confidence=draft.confidence,
        constant=draft.constant,
    )


def _read_claims(memory: Memory) -> Sequence[Claim]:
    """The claims that rules read in a stored sentence; long texts tell stories."""
    from rolememory.learn.statements import claims_of_memory

    return claims_of_memory(memory) if len(memory.content) <= LONGEST else ()
