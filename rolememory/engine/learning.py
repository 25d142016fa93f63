"""The learner of a role, created lazily, and withdrawal of what it learned."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from rolememory.engine.context import RoleContext
from rolememory.errors import FileError, UnknownChatError
from rolememory.schema.learning import Learned
from rolememory.schema.memory import Memory, Source
from rolememory.schema.passage import Passage
from rolememory.text.sentences import SentenceSpan

if TYPE_CHECKING:
    from rolememory.learn.learner import Learner

RULES_S = 0.25  # a turn waits at most so long for rules that still process earlier messages; usually milliseconds
PATIENT_S = 10.0  # reading the memories waits for pending commands, with this as a safety limit


class RoleLearning:
    """A role's learner, and what a person withdrew from it."""

    def __init__(self, context: RoleContext) -> None:
        self._context = context
        self._learner: Learner | None = None

    @property
    def here(self) -> bool:
        """Whether this process learns, not another one."""
        return self._context.home.handed_over is None

    def learned(self, timeout: float | None = None) -> bool:
        """Wait until every command observed so far is executed; false on timeout."""
        return self._learner.settle(timeout) if self._learner else True

    def learned_soon(self) -> None:
        """Wait for commands if that takes milliseconds; not while a long chat is being read."""
        if self._learner and not self._learner.long:
            self._learner.settle(RULES_S)

    @property
    def learner(self) -> "Learner":
        """The learner of this role; created lazily."""
        if self._learner is None:
            from rolememory.learn.learner import Learner, LearnerDependencies
            from rolememory.storage.review import Review

            role = self._context
            with role.lock:
                needs = LearnerDependencies(
                    settings=lambda: role.settings,
                    role=lambda: role.role,
                    lexicon=role.home.lexicon,
                    card_texts=lambda: role.pipeline.card.texts(role.role),
                    pool=role.home.pool,
                    commit=role.commit,
                    templates=role.home.resources.templates,
                    upstreams=role.home.upstreams,
                    forget_said=self._forget_said,
                    prompted=role.usage.uses.held,
                    near=self._near,
                )
                self._learner = Learner(
                    role.space, role.store, role.chats, Review(role.space), needs
                )
                self._learner.on_learned(self._learned)
                if self.here:
                    self._learner.catch_up()
        return self._learner

    def decline(self, gone: Sequence[Memory]) -> None:
        """Do not learn what a person removed again, nor recall the sentences that asked for it."""
        if learned := [
            memory.id for memory in gone if memory.evidence or memory.source is Source.INFERENCE
        ]:
            self.learner.keeper.review.decline(learned)
        with self._context.lock:
            self._context.forgotten.add_parts(self._orders(gone))

    def restore(self, back: Sequence[Memory]) -> None:
        """Let the sentences that asked for these be recalled again."""
        self._context.forgotten.restore_parts(self._orders(back))

    def close(self) -> None:
        """Finish learning."""
        if self._learner:
            self._learner.close()

    def _learned(self, chat: str, learned: Learned) -> None:
        """Call the callback with what was learned."""
        if tell := self._context.home.on_learned:
            tell(self._context.id, chat, learned)

    def _near(self, texts: Sequence[str], ids: Sequence[str]) -> Mapping[str, float]:
        """The highest cosine of each memory that has a vector with these texts; empty without a model."""
        table = self._context.pipeline.meanings.table
        asked = map(self._context.home.resources.queries, texts)
        found = [table.similarities(one) for one in asked if one is not None] if table else []
        rows = table.rows(ids) if table else ()
        near = zip(ids, rows, strict=True) if found else ()
        return {one: float(max(row_of[row] for row_of in found)) for one, row in near if row >= 0}

    def _forget_said(self, words: str, user: str | None) -> None:
        """Exclude passages about this from recall, including the command to forget it."""
        from rolememory.learn.forgetting import meant

        role = self._context
        with role.lock:
            found = meant(words, role.passages.follow(), user, role.chats.same)
            role.forgotten.add(one for one in found if isinstance(one, Passage))

    def _orders(self, memories: Iterable[Memory]) -> Iterator[tuple[str, SentenceSpan]]:
        """The commands that asked for these memories: version and span in the message."""
        from rolememory.learn.forgetting import order

        proofs = (
            each for memory in memories for one in memory.evidence for each in (one, *one.also)
        )
        for proof in proofs:
            version = proof.version.rpartition("+")[2]
            with suppress(UnknownChatError, FileError):
                said = self._context.chats.versions(proof.chat).get(version)
                if said and (place := order(said, proof.quote)):
                    yield version, place
