"""Commits drafts to the journal: admission filter, verdicts, one transaction with readable reasons."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from rolememory.learn import verdicts
from rolememory.learn.admission import AdmissionFilter, Saying, SourceIndex
from rolememory.learn.admission.source_index import places
from rolememory.learn.memory_requests import emotions_of
from rolememory.schema.evidence import Reason
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.learning import Draft, Learned, Verdict
from rolememory.schema.memory import MemoriesById, Memory, Source, readable_id
from rolememory.storage.memories import Edit, RoleStore, Snapshot
from rolememory.storage.review import Review, Waiting

Commit = Callable[[Sequence[Edit], str], Snapshot]
"""Writes edits as one transaction of an actor."""

Prompted = Callable[[Draft], Iterable[str]]
"""The ids of the memories that stood in the prompt of the reply that a draft rests on."""


def learned_id(draft: Draft) -> str:
    """The id of a learned memory: readable, and a function of what was learned from which message.

    Branches that share a message share its memories.
    """
    grounds = [each for one in draft.evidence for each in (one, *one.also)]
    ground = "+".join(f"{one.chat}\0{one.version}" for one in grounds) or "\0".join(draft.rests_on)
    parts = draft.chapter.parts if draft.chapter else ()
    ground = "\0".join((ground, *parts))
    said = f"{ground}\0{draft.because.code}\0{draft.subject}\0{draft.user}\0{draft.content}"
    return f"{readable_id(draft.content)}-{blake2b(said.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


def _felt(draft: Draft) -> Draft:
    """The draft; a model's without emotion."""
    if draft.emotions or draft.source is Source.USER_INPUT:
        return draft
    return replace(draft, emotions=emotions_of(draft.content))


class DraftCommitter:
    """Commits drafts to the store, one batch at a time. Thread-safe."""

    def __init__(
        self,
        store: RoleStore,
        commit: Commit,
        review: Review,
        saying: Saying,
        prompted: Prompted,
    ) -> None:
        self.review = review
        self._store, self._commit, self._saying, self._prompted = store, commit, saying, prompted
        self._told = SourceIndex()
        self.lock = threading.Lock()  # while it is held, nothing is committed

    def keep(self, drafts: Sequence[Draft], gate: AdmissionFilter, actor: str) -> Learned:
        """Commit drafts and return what became of them; durable on return.

        Raises:
            ReadOnlyRoleError, NotWrittenError: the files are broken or the disk refused; nothing was learned.
        """
        with self.lock:
            memories = self._store.snapshot().memories
            first = sorted(drafts, key=lambda draft: draft.fault is not None)
            fresh: dict[str, Draft] = {}
            for draft in first:  # of duplicates, one without a fault is kept
                fresh.setdefault(learned_id(draft), _felt(draft))
            fresh = {
                one: draft
                for one, draft in fresh.items()
                if one not in memories
                and not self.review.is_declined(one)
                and not self._is_gone(draft)
            }
            if not fresh:
                return Learned()
            passed, refused = self._past(gate, fresh, memories)
            found = verdicts.judge(passed, self._told, memories)
            return self._write(found, refused, memories, actor)

    def accept(self, waiting_id: str, mended: JsonMapping) -> Memory:
        """Make a pending or refused draft a memory, with changes, as a person decided. It replaces what it conflicts with.

        Raises:
            UnknownNameError: nothing of that id waits or was refused.
        """
        waiting = self.review.find(waiting_id)
        draft = replace(waiting.draft, explicit=True, confidence=1.0, fault=None)
        content = str(mended.get("content", draft.content))
        draft = replace(draft, content=content)
        with self.lock:
            memories = self._store.snapshot().memories
            named = str(waiting.reason.get("of")) if waiting.reason.code in verdicts.AGAINST else ""
            against = tuple(one for one in named.split(", ") if one in memories)
            verdict = Verdict(draft, "supersede" if against else "add", Reason("accepted"), against)
            added = verdicts.edits({waiting_id: verdict}, memories)
            rest = {name: value for name, value in mended.items() if name != "content"}
            wanted = [
                replace(one, fields={**one.fields, **rest}) if one.op == "add" else one
                for one in added
            ]
            after = self._commit(wanted, "review").memories
            self.review.take(waiting_id)
        return after[waiting_id]

    def _is_gone(self, draft: Draft) -> bool:
        """Whether messages of its evidence were erased meanwhile: then it is not even listed."""
        return any(not self._saying(*place) for place in places(draft.evidence))

    def _past(
        self, gate: AdmissionFilter, fresh: Mapping[str, Draft], memories: MemoriesById
    ) -> tuple[dict[str, Draft], list[tuple[Draft, Reason]]]:
        passed: dict[str, Draft] = {}
        refused: list[tuple[Draft, Reason]] = []
        unseen: list[Waiting] = []
        self._told.follow(memories)
        for memory_id, draft in fresh.items():
            shown = [memories[one] for one in self._prompted(draft) if one in memories]
            judged = gate.judge(draft, self._told, self._saying, injected=shown)
            if judged.because is None:
                passed[memory_id] = judged.draft
                continue
            refused.append((judged.draft, judged.because))
            if judged.waits:
                self.review.add(judged.draft, judged.because, draft.created, memory_id)
            elif judged.because.code != "told_already":  # its memory exists
                unseen.append(Waiting(memory_id, judged.draft, judged.because, draft.created))
        self.review.refuse(unseen)
        return passed, refused

    def _write(
        self,
        found: Mapping[str, Verdict],
        refused: Sequence[tuple[Draft, Reason]],
        memories: MemoriesById,
        actor: str,
    ) -> Learned:
        for memory_id, verdict in found.items():
            if verdict.action == "review":
                self.review.add(verdict.draft, verdict.because, verdict.draft.created, memory_id)
        wanted = verdicts.edits(found, memories)
        after = self._commit(wanted, actor).memories if wanted else self._store.snapshot().memories
        return Learned(
            tuple(after[one] for one in found if one in after),
            tuple(found.values()),
            tuple(refused),
        )
