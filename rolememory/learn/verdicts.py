"""Decides what becomes of drafts that passed the admission filter.

Each is added, merged with equivalents, replaces what it corrects, is dropped as known, or needs review.
A memory is only replaced if a person corrects it, or a model named both. What an author wrote
or somebody locked is never replaced. Source: S1.6, S1.28, S1.46, S4.24, S4.28.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace

from rolememory.learn.admission.source_index import SourceIndex
from rolememory.learn.corrections import corrected, latest
from rolememory.learn.model.known_memories import told_at
from rolememory.locales import Listed
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import USER, Draft, Verdict
from rolememory.schema.memory import Evidence, MemoriesById, Memory, Source
from rolememory.schema.wording import word
from rolememory.storage.codec import fields_of
from rolememory.storage.memories import Edit
from rolememory.text.language import language_of
from rolememory.text.words import weighty

_CARRIED = Memory.model_fields.keys() & {one.name for one in fields(Draft)}
AGAINST = ("against_author", "against_locked")
"""Why a draft waits that would replace what a person keeps."""
_UNKEPT = frozenset({"ignore", "review"})


def judge(
    drafts: Mapping[str, Draft], told: SourceIndex, memories: MemoriesById
) -> dict[str, Verdict]:
    """The verdict on each draft, by its future id, in order; each is compared with known memories and earlier drafts."""
    known, fresh = dict(memories.items()), SourceIndex()
    verdicts: dict[str, Verdict] = {}
    for memory_id, draft in drafts.items():
        memory = memory_of(draft, memory_id)
        alike = [] if draft.chapter else [*told.alike(memory), *fresh.alike(memory)]
        verdicts[memory_id] = _verdict(draft, memory, alike, known)
        if verdicts[memory_id].action not in _UNKEPT:
            known[memory_id] = memory
            fresh.add(memory)
    return verdicts


def edits(verdicts: Mapping[str, Verdict], memories: MemoriesById) -> list[Edit]:
    """The journal edits: accepted drafts with what they replace, and known memories that replace a draft."""
    standing = {one: verdict for one, verdict in verdicts.items() if verdict.action not in _UNKEPT}
    replaced = {one: [*verdict.others] for one, verdict in standing.items()}
    later: dict[str, Verdict] = {}
    for memory_id, verdict in standing.items():
        for one in verdict.outdated_by:
            replaced.setdefault(one, [*memories[one].supersedes]).append(memory_id)
            later.setdefault(one, verdict)
    return [
        *(_added(one, verdict, replaced[one]) for one, verdict in standing.items()),
        *(
            Edit("set", one, {"supersedes": replaced[one]}, reason=_worded(verdict))
            for one, verdict in later.items()
        ),
    ]


def memory_of(draft: Draft, memory_id: str) -> Memory:
    """The memory made of a draft."""
    return Memory(id=memory_id, **{name: getattr(draft, name) for name in _CARRIED})


def _verdict(draft: Draft, memory: Memory, alike: Sequence[Memory], known: MemoriesById) -> Verdict:
    wrong = _named(draft, memory, known)
    if wrong and _protected(wrong):
        code = AGAINST[not wrong.authored]
        return Verdict(draft, "review", Reason.of(code, of=wrong.id), (wrong.id,))
    guarded = next(filter(_protected, alike), None)
    if guarded and not wrong:
        return Verdict(draft, "ignore", Reason.of("known", of=guarded.id), (guarded.id,))
    return _beside(draft, memory, wrong, alike, known)


def _beside(
    draft: Draft,
    memory: Memory,
    wrong: Memory | None,
    alike: Sequence[Memory],
    known: MemoriesById,
) -> Verdict:
    """The verdict, given what the draft corrects, restates, and is restated by."""
    same = [one for one in alike if one != wrong and _replaceable(one, memory)]
    merged = [one.id for one in same if told_at(one) <= told_at(memory)]
    later = tuple(one.id for one in same if one.id not in merged and one.id in known)
    if wrong:
        return _superseding(draft, wrong, merged, later)
    if any(_hardly_said(draft, one) for one in same):
        return Verdict(draft, "ignore", Reason.of("known", of=same[0].id), (same[0].id,))
    if merged:
        return Verdict(draft, "merge", Reason.of("restates", of=merged[0]), tuple(merged))
    because = Reason.of("restated", by=later[0]) if later else Reason("unheard")
    return Verdict(draft, "add", because, (), later)


def _hardly_said(draft: Draft, memory: Memory) -> bool:
    """Whether a model's draft from the same chat quotes less than a third of its content: a question, a remark."""
    quotes, told = " ".join(one.quote for one in draft.evidence), weighty(draft.content)
    here = {one.chat for one in draft.evidence} <= {one.chat for one in memory.evidence}
    model = draft.source is Source.SUMMARY and not draft.explicit
    return model and here and bool(quotes) and 3 * len(told & weighty(quotes)) < len(told)


def _superseding(
    draft: Draft, wrong: Memory, merged: Sequence[str], later: tuple[str, ...]
) -> Verdict:
    """The verdict of a draft that replaces an outdated memory; a correction inherits its subject and type."""
    if draft.corrects:
        draft = replace(draft, subject=wrong.subject, type=wrong.type)
    how = "corrected" if draft.corrects else "named"
    because = Reason.of("outdates", of=wrong.id, how=how)
    return Verdict(draft, "supersede", because, (wrong.id, *merged), later)


def _named(draft: Draft, memory: Memory, known: MemoriesById) -> Memory | None:
    """The earlier memory that the draft marks as outdated: named by a model, or corrected by a person."""
    if draft.corrects:
        own = (
            one  # their own, same subject, not outdated yet
            for one in _standing(known, memory.user)
            if one.subject == memory.subject and _may_meet(one, memory)
        )
        repeated = corrected(draft.content, own)
        return repeated or latest(draft.content, list(_near(draft, known)))
    found = known.get(draft.replaces)
    return found if found and not found.archived and _may_meet(found, memory) else None


def _near(draft: Draft, known: MemoriesById) -> Iterator[Memory]:
    """Memories learned by a model from messages just before a correction, visible to its author."""
    chats, near = {one.chat for one in draft.evidence}, {*draft.near}

    def beside(proof: Evidence) -> bool:
        return proof.chat in chats and not near.isdisjoint(proof.versions)

    for one in _standing(known, draft.user) if near else ():
        told = one.source is Source.SUMMARY and not one.chapter
        if told and any(map(beside, one.evidence)):
            yield one


def _standing(known: MemoriesById, user: str | None) -> Iterator[Memory]:
    """Current memories, neither archived nor outdated: shared ones, and this user's own."""
    live = [one for one in known.values() if not one.archived]
    outdated = {old for one in live for old in one.supersedes}
    return (one for one in live if one.id not in outdated and one.user in (None, user))


def _may_meet(older: Memory, newer: Memory) -> bool:
    """Whether it can conflict with the newer one: protected, or learned earlier and replaceable for its readers."""
    told_before = told_at(older) <= told_at(newer)
    return _protected(older) or (told_before and _same_person(older, newer))


def _protected(memory: Memory) -> bool:
    """Whether learning must not change it: authored or locked, and not archived."""
    return (memory.authored or memory.locked) and not memory.archived


def _replaceable(older: Memory, newer: Memory) -> bool:
    """Whether the newer may replace it: a pinned one only if pinned too, an archived one never."""
    if older.authored or older.locked or older.archived:
        return False
    return _same_person(older, newer) and (newer.constant or not older.constant)


def _same_person(older: Memory, newer: Memory) -> bool:
    """Whether the newer may replace the older for all readers.

    One user's statement never replaces shared ones, except about themselves; shared ones replace a user's about others.
    """
    return newer.user == older.user or (older.user is None) == (newer.subject == USER)


def _added(memory_id: str, verdict: Verdict, replaced: Sequence[str]) -> Edit:
    memory = memory_of(verdict.draft, memory_id)
    told = fields_of(memory) | ({"supersedes": [*replaced]} if replaced else {})
    return Edit("add", memory_id, told, type=memory.type, reason=_worded(verdict))


def _worded(verdict: Verdict) -> str:
    """The source of a verdict, and its effect on others."""
    speech = language_of(verdict.draft.content)
    told = (word(one, speech) for one in (verdict.draft.because, verdict.because))
    return Listed(told, "; ").text(speech)
