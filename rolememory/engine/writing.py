"""Writing: what a person adds, changes, takes away, and takes back."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rolememory.engine.mind import Mind
from rolememory.errors import UnknownMemoryError
from rolememory.learn.tend import ACTOR, Retirement, retire
from rolememory.schema.memory import Memory, MemoryType, readable_id
from rolememory.schema.passage import PREFIX, Passage
from rolememory.schema.settings import PerType
from rolememory.storage.memories import Edit, HistoryLine


class Writing(Mind):
    """Changes by hand; every one is durable when the call returns."""

    def remember(self, content: str, type: str = "episodic", **fields: Any) -> Memory:  # noqa: A002  # the field's own name
        """Write one memory; it is durable when this returns. `fields` as in memory.json (`keys`, `user`, `emotions`, ...)."""
        return self.remember_all([{"content": content, "type": type, **fields}])[0]

    def remember_all(
        self, memories: Iterable[Mapping[str, Any]], *, actor: str = "author", reason: str = ""
    ) -> list[Memory]:
        """Write many memories at once, all or none.

        Raises:
            InvalidValueError: a field is out of bounds; nothing was written.
            ReadOnlyRoleError, NotWrittenError: the file is broken or the disk refused; nothing was written.
        """
        with self._lock:
            known = self.memories
            edits: list[Edit] = []
            for raw in memories:
                kind = MemoryType(raw.get("type") or MemoryType.EPISODIC)
                dated = (
                    {} if kind is MemoryType.TRAIT else {"created": datetime.now(UTC)}
                )  # what one is like has no day
                fields = {name: value for name, value in {**dated, **raw}.items() if name != "type"}
                memory_id = str(fields.pop("id", "")) or readable_id(
                    str(fields.get("content", "")), {*known, *(edit.id for edit in edits)}
                )
                edits.append(Edit("add", memory_id, fields, kind, reason))
            after = self._commit(edits, actor=actor)
            self._keep_limits()
        return [after.memories[edit.id] for edit in edits]

    def edit(
        self, memory_id: str, *, actor: str = "author", reason: str = "", **fields: Any
    ) -> Memory:
        """Change fields of one memory; of something said in a chat this makes a memory, which stands in its place.

        Raises:
            UnknownMemoryError: there is none with this id.
        """
        if memory_id.startswith(PREFIX) and memory_id not in self.memories:
            kept = self.keep(memory_id, **fields)
            self.delete(memory_id)
            return kept
        self._known(memory_id)
        return self._commit([Edit("set", memory_id, fields, reason=reason)], actor=actor).memories[
            memory_id
        ]

    def archive(self, *memory_ids: str, reason: str = "") -> None:
        """Take memories out of recall; they stay in the file and can be brought back with `edit(id, archived=False)`."""
        self._commit(
            [
                Edit("set", self._known(one), {"archived": True}, reason=reason)
                for one in memory_ids
            ],
            actor="author",
        )

    def keep(self, passage_id: str, **fields: Any) -> Memory:
        """Make a memory of what was said, with its evidence; `fields` as in memory.json.

        Raises:
            UnknownMemoryError: there is no such passage.
        """
        one = self.passage(passage_id)
        told = {
            "content": one.content,
            "type": one.type.value,
            "source": one.source.value,
            "subject": one.subject,
            "user": one.user,
            "created": one.created,
            "evidence": [
                {"chat": proof.chat, "version": proof.version, "quote": proof.quote}
                for proof in one.evidence
            ],
        }
        return self.remember_all([{**told, **fields}])[0]

    def restore_passages(self, *passage_ids: str) -> None:
        """Let what was forgotten be recalled again."""
        with self._lock:
            every = self._passages.every()
            self._forgotten.restore(every[one] for one in passage_ids if one in every)

    def passage(self, passage_id: str) -> Passage:
        """What was said, by its id.

        Raises:
            UnknownMemoryError: there is no such passage, or it was forgotten.
        """
        with self._lock:
            passages = self._passages.follow()
        if passage_id not in passages:
            raise UnknownMemoryError(passage_id, passages)
        return passages[passage_id]

    def delete(self, *memory_ids: str, reason: str = "") -> None:
        """Remove memories; `undo` brings them back. What was learned is not learned again.

        What was said in a chat stays in the chat, but is recalled no more (`restore_passages` lets it).
        """
        said = [one for one in memory_ids if one.startswith(PREFIX) and one not in self.memories]
        if said:
            self._forgotten.add([self.passage(one) for one in said])
        memory_ids = tuple(one for one in memory_ids if one not in said)
        if not memory_ids:
            return
        gone = [self.memories[self._known(one)] for one in memory_ids]
        self._commit(
            [Edit("remove", self._known(one), {}, reason=reason) for one in memory_ids],
            actor="author",
        )
        self._decline(gone)

    def undo(self, txn: str | None = None) -> None:
        """Take back the newest change, or that of this transaction (`history` names them). What was learned and is taken back stays away."""
        before = self.memories
        after = self.store.undo(txn).memories
        self._decline([memory for memory_id, memory in before.items() if memory_id not in after])

    def history(self, memory_id: str | None = None, limit: int | None = None) -> list[HistoryLine]:
        """Every recorded change, newest first; of one memory, or of all."""
        return self.store.history(memory_id, limit)

    def _keep_limits(self) -> None:
        limits = self.settings.storage.max_memories
        if limits != PerType():
            now = datetime.now(UTC)
            self._retire(
                [
                    one
                    for one in retire(self.memories.values(), now, below_weight=0.0, limits=limits)
                    if one.because.code == "limit"
                ]
            )

    def _retire(self, gone: Sequence[Retirement]) -> None:
        if gone:
            self._commit(
                [Edit("set", one.id, {"archived": True}, reason=one.because.code) for one in gone],
                actor=ACTOR,
            )

    def _revive(self, back: Sequence[Retirement]) -> None:
        if back:
            self._commit(
                [Edit("set", one.id, {"archived": False}, reason=one.because.code) for one in back],
                actor=ACTOR,
            )
