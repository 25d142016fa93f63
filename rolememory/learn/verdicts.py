"""What becomes of drafts that passed the gate.

Each is added, merged with what says the same, put in the place of what it corrects, left out as known, or shown to a person.
A memory gives way to another only by the word of a person who corrects it, or of a model that named both. What an author wrote
or somebody locked never does. Source: S1.6, S1.28, S1.46, S4.24, S4.28.
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
    """What becomes of each draft, by the id it will have, in their order; each meets what is known and the drafts before it."""
    known, fresh = dict(memories), SourceIndex()
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
    """Every draft that stands, with what it replaces, and every known memory that replaces a draft."""
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
    """The memory that a draft becomes."""
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
    """What becomes of a draft beside what it corrects, what it restates and what restates it."""
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
    """Whether a model told what the chat taught before for words that hold less than a third of it: a question, a remark."""
    quotes, told = " ".join(one.quote for one in draft.evidence), weighty(draft.content)
    here = {one.chat for one in draft.evidence} <= {one.chat for one in memory.evidence}
    model = draft.source is Source.SUMMARY and not draft.explicit
    return model and here and bool(quotes) and 3 * len(told & weighty(quotes)) < len(told)


def _superseding(
    draft: Draft, wrong: Memory, merged: Sequence[str], later: tuple[str, ...]
) -> Verdict:
    """The draft takes the place of a memory that it calls outdated; a correction says the same of the same."""
    if draft.corrects:
        draft = replace(draft, subject=wrong.subject, type=wrong.type)
    how = "corrected" if draft.corrects else "named"
    because = Reason.of("outdates", of=wrong.id, how=how)
    return Verdict(draft, "supersede", because, (wrong.id, *merged), later)


def _named(draft: Draft, memory: Memory, known: MemoriesById) -> Memory | None:
    """The memory that the draft itself calls outdated, told before it: named by a model, or corrected by a person."""
    if draft.corrects:
        own = (
            one  # of their own, about the same, and not outdated already
            for one in _standing(known, memory.user)
            if one.subject == memory.subject and _may_meet(one, memory)
        )
        repeated = corrected(draft.content, own)
        return repeated or latest(draft.content, list(_near(draft, known)))
    found = known.get(draft.replaces)
    return found if found and not found.archived and _may_meet(found, memory) else None


def _near(draft: Draft, known: MemoriesById) -> Iterator[Memory]:
    """What a model learned from the messages just before a correction, and may be told to the one who corrects it."""
    chats, near = {one.chat for one in draft.evidence}, {*draft.near}

    def beside(proof: Evidence) -> bool:
        return proof.chat in chats and not near.isdisjoint(proof.versions)

    for one in _standing(known, draft.user) if near else ():
        told = one.source is Source.SUMMARY and not one.chapter
        if told and any(map(beside, one.evidence)):
            yield one


def _standing(known: MemoriesById, user: str | None) -> Iterator[Memory]:
    """What is neither archived nor outdated: the shared, and this user's own."""
    live = [one for one in known.values() if not one.archived]
    outdated = {old for one in live for old in one.supersedes}
    return (one for one in live if one.id not in outdated and one.user in (None, user))


def _may_meet(older: Memory, newer: Memory) -> bool:
    """Whether what was told then may be outdated, or must be defended against it: what a person keeps has no day."""
    told_before = told_at(older) <= told_at(newer)
    return _protected(older) or (told_before and _same_person(older, newer))


def _protected(memory: Memory) -> bool:
    """Whether learning leaves it as it is: an author's, or locked. What is archived stands for nothing."""
    return (memory.authored or memory.locked) and not memory.archived


def _replaceable(older: Memory, newer: Memory) -> bool:
    """Saying a pinned thing again does not unpin it, and what was put away stays so."""
    if older.authored or older.locked or older.archived:
        return False
    return _same_person(older, newer) and (newer.constant or not older.constant)


def _same_person(older: Memory, newer: Memory) -> bool:
    """Whether the newer may stand for the older in everybody's eyes.

    What one user says never replaces what all share, save about themselves; what all share replaces what one was told of others.
    """
    return newer.user == older.user or (older.user is None) == (newer.subject == USER)


def _added(memory_id: str, verdict: Verdict, replaced: Sequence[str]) -> Edit:
    memory = memory_of(verdict.draft, memory_id)
    told = fields_of(memory) | ({"supersedes": [*replaced]} if replaced else {})
    return Edit("add", memory_id, told, type=memory.type, reason=_worded(verdict))


def _worded(verdict: Verdict) -> str:
    """Who found it, and what it does to others."""
    speech = language_of(verdict.draft.content)
    told = (word(one, speech) for one in (verdict.draft.because, verdict.because))
    return Listed(told, "; ").text(speech)
