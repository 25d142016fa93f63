"""Changes of memories by hand: add, edit, delete, undo."""

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Unpack

from rolememory.engine.changes import MemoryChange, changed_between, changes
from rolememory.engine.context import RoleContext
from rolememory.engine.learning import PATIENT_S, RoleLearning
from rolememory.errors import InvalidValueError, UnknownMemoryError, UnknownNameError
from rolememory.learn.limits import MemoryLimits
from rolememory.learn.maintenance import ACTOR, Retirement
from rolememory.schema.json_types import without
from rolememory.schema.memory import (
    ChangedFields,
    Evidence,
    Memory,
    MemoryFields,
    MemoryType,
    readable_id,
)
from rolememory.schema.passage import PREFIX, Passage
from rolememory.schema.settings import PerType
from rolememory.storage.codec import (
    ALIASES,
    FIELDS,
    MEANINGS,
    EntryError,
    difference,
    patched,
)
from rolememory.storage.contents import Contents
from rolememory.storage.memories import Edit, HistoryLine, Snapshot

INSTEAD = "in place of what was said"  # a journal reason: replaces a passage
_FIELDS = frozenset({"id", "type", *FIELDS, *ALIASES, *MEANINGS})


def known_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields, with the caller's own in `extra`. Raises: UnknownNameError."""
    told = without(fields, "extra")
    for name in told:
        if name not in _FIELDS:
            raise UnknownNameError("field", name, ["id", "type", *FIELDS, "extra"])
    return {**told, **(fields.get("extra") or {})}


def settled(raw: Mapping[str, Any] | str) -> dict[str, Any]:
    """The fields of a new memory. Raises: InvalidValueError: neither a text nor fields."""
    if not isinstance(raw, str | Mapping):
        raise InvalidValueError(
            "expected a text or the fields of a memory, got {raw!r:.60}", raw=raw
        )
    fields = {"content": raw} if isinstance(raw, str) else dict(raw)
    return {**fields, "type": str(fields.get("type") or MemoryType.EPISODIC)}


def noted(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with the date of writing, if they have no date."""
    if any(fields.get(name) for name in fields if ALIASES.get(name, name) == "created"):
        return dict(fields)
    return {"written": datetime.now(UTC).replace(microsecond=0), **fields}


def _content(fields: Mapping[str, Any]) -> str:
    return str(fields.get("content") or fields.get("text") or "")


def standing(fields: Mapping[str, Any], alike: Iterable[Memory]) -> str:
    """The id of a memory that has all these field values already, among those of the same content; "" if none."""
    for memory in sorted(alike, key=lambda one: one.id):
        if not memory.archived:
            with suppress(EntryError, TypeError, ValueError):
                whose = {"user": None, "subject": None}
                wanted = {**whose, **without(fields, "id")}
                same = difference(memory, patched(memory, wanted)) == {}
                if same and fields.get("id") in (None, "", memory.id):
                    return memory.id
    return ""


def _words(proof: Evidence) -> tuple[str, str, str]:
    """The key of an evidence: message and span."""
    return proof.chat, proof.version, proof.quote


class RoleMemories:
    """A role's memories, and changes by hand; every one is durable when the call returns."""

    def __init__(self, context: RoleContext, learning: RoleLearning) -> None:
        self._context = context
        self._learning = learning
        self._contents = Contents(self._digests)
        self._limits = MemoryLimits()

    def current(self) -> Mapping[str, Memory]:
        """All current memories by id, archived ones too, after executing the commands observed so far."""
        return self._current().memories

    def _current(self) -> Snapshot:
        self._learning.learned(PATIENT_S)
        return self._context.store.snapshot()

    def remember(
        self,
        content: str,
        type: MemoryType | str = "episodic",  # noqa: A002  # the field's own name
        **fields: Unpack[MemoryFields],
    ) -> Memory:
        """Write one memory, durable on return. `fields` as in memory.json (`keys`, `user`, `emotions`, ...).

        Raises:
            UnknownNameError: an unknown field; put your own into `extra={...}`.
            InvalidValueError, ReadOnlyRoleError, NotWrittenError: as `remember_all`.
        """
        return self.remember_all([{"content": content, "type": type, **known_fields(fields)}])[0]

    def remember_all(
        self,
        memories: Iterable[Mapping[str, Any] | str] | Mapping[str, Any] | str,
        *,
        actor: str = "author",
        reason: str = "",
    ) -> list[Memory]:
        """Write many memories, all or none; each a text, or fields as in memory.json and your own.

        Idempotent: a memory with the same field values is not written again, so a program that sets up a role may run
        twice.

        Raises:
            InvalidValueError: a field is out of bounds; nothing was written.
            ReadOnlyRoleError, NotWrittenError: the file is broken or the write failed; nothing was written.
        """
        with self._context.lock:
            here = self._current()
            ids = list[str]()
            edits = list[Edit]()
            known: Any = here.memories  # nobody writes to it
            taken = ChainMap[str, object]({}, known)
            for raw in [memories] if isinstance(memories, str | Mapping) else memories:
                fields = settled(raw)
                if same := standing(fields, self._contents.of(_content(fields), here)):
                    ids.append(same)
                    continue
                memory_id = str(fields.pop("id", "")) or readable_id(
                    str(fields.get("content", "")), taken
                )
                taken[memory_id] = None
                ids.append(memory_id)
                edits.append(Edit("add", memory_id, noted(fields), None, reason))
            after = self._context.commit(edits, actor=actor)
            self._keep_limits()
        return [after.memories[memory_id] for memory_id in ids]

    def edit(
        self,
        memory_id: str,
        *,
        actor: str = "author",
        reason: str = "",
        **fields: Unpack[ChangedFields],
    ) -> Memory:
        """Change fields of one memory; editing a passage creates a memory that replaces it.

        To set only `constant` on a passage is to `pin` it: it stays a passage. Rewording a learned memory
        locks it, since its chat says something else and may be read again.

        Raises:
            UnknownMemoryError: there is none with this id.
            UnknownNameError: an unknown field; put your own into `extra={...}`.
        """
        changes = known_fields(fields)
        if memory_id.startswith(PREFIX) and memory_id not in self.current():
            if changes.keys() == {"constant"}:
                wanted = patched(Memory(id=memory_id, content="-"), changes).constant
                (self.pin if wanted else self.unpin)(memory_id)
                return self.passage(memory_id)
            kept = self._kept(memory_id, fields, INSTEAD)
            self.delete(memory_id)
            return kept
        before = self.known(memory_id)
        learned = before.evidence and not before.chapter
        if learned and changes.get("content", before.content) != before.content:
            changes = {"locked": True, **changes}
        edit = Edit("set", memory_id, changes, reason=reason)
        return self._context.commit([edit], actor).memories[memory_id]

    def archive(self, *memory_ids: str, reason: str = "") -> None:
        """Take memories out of recall; they stay in the file, and `edit(id, archived=False)` restores them."""
        found = map(self.known, memory_ids)
        self._context.commit(
            [Edit("set", one.id, {"archived": True}, reason=reason) for one in found], "author"
        )

    def keep(self, passage_id: str, **fields: Unpack[ChangedFields]) -> Memory:
        """Make a memory of a passage, with its evidence; `fields` as in memory.json.

        Raises:
            UnknownMemoryError: there is no such passage.
        """
        return self._kept(passage_id, fields)

    def _kept(self, passage_id: str, fields: ChangedFields, reason: str = "") -> Memory:
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
        return self.remember_all([{**told, **known_fields(fields)}], reason=reason)[0]

    def pin(self, *passage_ids: str) -> None:
        """Inject passages on every turn, including the text of a later swipe or edit.

        Raises:
            UnknownMemoryError: there is no such passage.
        """
        self._context.pinned.add([self.passage(one) for one in passage_ids])

    def unpin(self, *passage_ids: str) -> None:
        """Undo `pin`.

        Raises:
            UnknownMemoryError: there is no such passage.
        """
        self._context.pinned.remove([self.passage(one) for one in passage_ids])

    def restore_passages(self, *passage_ids: str) -> None:
        """Let what was forgotten be recalled again."""
        with self._context.lock:
            every = self._context.passages.every()
            self._context.forgotten.restore(every[one] for one in passage_ids if one in every)

    def passage(self, passage_id: str) -> Passage:
        """What was said, by its id.

        Raises:
            UnknownMemoryError: there is no such passage, or it was forgotten.
        """
        with self._context.lock:
            passages = self._context.passages.follow()
        if passage_id not in passages:
            raise UnknownMemoryError(passage_id, passages)
        return passages[passage_id]

    def delete(self, *memory_ids: str, reason: str = "") -> None:
        """Remove memories; `undo` brings them back. What was learned is not learned again.

        What was said in a chat stays in the chat, but is recalled no more (`restore_passages` lets it); nor are the words that asked
        for a memory.
        """
        said = [one for one in memory_ids if one.startswith(PREFIX) and one not in self.current()]
        if said:
            self._context.forgotten.add([self.passage(one) for one in said])
        memory_ids = tuple(one for one in memory_ids if one not in said)
        if not memory_ids:
            return
        gone = list(map(self.known, memory_ids))
        edits = [Edit("remove", one.id, {}, reason=reason) for one in gone]
        self._context.commit(edits, "author")
        self._learning.decline(gone)

    def undo(self, txn: str | None = None) -> list[MemoryChange]:
        """Take back the newest change, or that of this transaction (`history` names them); what changed by it.

        What was learned and is taken back stays away. What was said is recalled again once what a person put in its
        place is taken back.
        """
        here = self._current()
        before, after = changed_between(here, self._context.store.undo(txn))
        gone = [memory for memory_id, memory in before.items() if memory_id not in after]
        back = [memory for memory_id, memory in after.items() if memory_id not in before]
        self._learning.decline(gone)
        self._uncover(one for one in gone if one.evidence and self._is_instead(one.id))
        if back:
            self._learning.restore(back)
        return list(changes(*changed_between(here, self._current())))

    def _is_instead(self, memory_id: str) -> bool:
        """Whether a memory was put in the place of what was said."""
        told = (line for line in self._context.store.records(memory_id) if line.op == "add")
        return next((line.reason for line in told if line.actor != "undo"), "") == INSTEAD

    def _uncover(self, gone: Iterable[Memory]) -> None:
        """Let the passages be recalled again that these stood for."""
        quoted = {proof for one in gone for proof in map(_words, one.evidence)}
        if quoted:
            with self._context.lock:
                every = self._context.passages.every().values()
                said = [one for one in every if _words(one.evidence[0]) in quoted]
                self._context.forgotten.restore(said)

    def history(self, memory_id: str | None = None, limit: int | None = None) -> list[HistoryLine]:
        """Every recorded change, newest first; of one memory, or of all."""
        return self._context.store.history(memory_id, limit)

    def known(self, memory_id: str) -> Memory:
        """The memory of this id. Raises: UnknownMemoryError."""
        memories = self.current()
        if memory_id not in memories:
            raise UnknownMemoryError(memory_id, memories)
        return memories[memory_id]

    def _digests(self, memories: Mapping[str, Memory]) -> Sequence[bytes]:
        return self._context.pipeline.contents(memories)

    def _keep_limits(self) -> None:
        limits = self._context.settings.storage.max_memories
        if limits != PerType():
            self.retire(self._limits.over(self._current(), datetime.now(UTC), limits))

    def retire(self, found: Sequence[Retirement], *, archived: bool = True) -> None:
        """Archive these, or bring them back, each with why."""
        fields = {"archived": archived}
        edits = [Edit("set", one.id, fields, reason=one.because.code) for one in found]
        if edits:
            self._context.commit(edits, actor=ACTOR)
