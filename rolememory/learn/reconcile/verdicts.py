"""What becomes of drafts: added, merged with what they restate, put in the place of what they contradict, left out, or shown to a person."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from rolememory.learn.reconcile.judge import Alike, Relation, relation
from rolememory.learn.reconcile.known import Known, Words
from rolememory.learn.reconcile.told import Told, memory_of
from rolememory.schema.claims import USER
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Action, Draft, Verdict
from rolememory.schema.memory import Source
from rolememory.text.fold import folded_key

_MEANT = 85.0  # likeness, 0..100, from which the text of a fact that a model calls outdated is that of a memory
_TOLD = 80  # characters of a text that a reason tells
_NAMED = 3  # ids that a reason tells
_UNKEPT = frozenset({"ignore", "review"})


@dataclass(frozen=True, slots=True)
class Meeting:
    """A memory that a draft has to do with."""

    other: Told
    found: Relation
    draft_is_later: bool

    @property
    def agrees(self) -> bool:
        """Whether both say the same."""
        return self.found.kind == "same"


def reconcile(
    drafts: Sequence[Draft], known: Known, ids: Sequence[str] = (), *, alike: Alike | None = None
) -> list[Verdict]:
    """What becomes of each draft, in their order; each meets what is known and the drafts before it. Nothing is changed.

    `ids` are those that the drafts will have; without them the n-th draft is named "#n", which `edits` puts right.
    `alike` helps to see that two texts say the same; it never decides that they clash.
    """
    fresh, verdicts = Known(), list[Verdict]()
    ended: dict[Words, list[Told]] = {}
    for number, draft in enumerate(drafts):
        told = Told(memory_of(draft, ids[number] if ids else f"#{number}"), draft.claims)
        among = [known, fresh]
        met = [*_met(told, among, alike), *_named(draft, told, among)]
        met += [*_with_their_words(met, among), *_ended_already(told, ended)]
        _note_ends(told, met, ended)
        verdicts.append(_verdict(draft, told, met))
        if verdicts[-1].action not in _UNKEPT:
            fresh.add(told)
    return verdicts


def _with_their_words(met: Sequence[Meeting], among: Sequence[Known]) -> Iterator[Meeting]:
    """With an outdated fact goes the sentence it was read in, where that is kept in its own words."""
    for one in met:
        if one.draft_is_later and not one.agrees:
            yield from (
                replace(one, other=words) for known in among for words in known.words_of(one.other)
            )


def _ended_already(told: Told, ended: Mapping[Words, Sequence[Told]]) -> Iterator[Meeting]:
    """What ended a fact that was read in these very words, a moment ago."""
    for later in (
        (one for words in told.rests_on for one in ended.get(words, ()))
        if told.in_its_words
        else ()
    ):
        yield Meeting(later, Relation("contradicts", "words"), draft_is_later=False)


def _note_ends(told: Told, met: Sequence[Meeting], ended: dict[Words, list[Told]]) -> None:
    """Write down which words are outdated by whom: a sentence may be told after the facts that were read in it."""
    for one in (one for one in met if not one.agrees):
        later, earlier = (told, one.other) if one.draft_is_later else (one.other, told)
        for words in earlier.rests_on:
            ended.setdefault(words, []).append(later)


def _verdict(draft: Draft, told: Told, met: Sequence[Meeting]) -> Verdict:
    guarded = [one for one in met if _guarded(told, one)]
    if against := [one for one in guarded if not one.agrees]:
        return Verdict(
            draft,
            "review",
            Reason(_whose(against[0].other), (("of", _ids(against)),)),
            _all_ids(against),
        )
    free = [one for one in met if not _guarded(told, one) and _may_replace(told, one)]
    replaced = [one for one in free if one.draft_is_later and not one.agrees]
    if guarded and not replaced:
        return Verdict(
            draft, "ignore", Reason("known", (("of", _ids(guarded)),)), _all_ids(guarded)
        )
    return _kept(draft, told, free, replaced)


def _kept(
    draft: Draft, told: Told, free: Sequence[Meeting], replaced: Sequence[Meeting]
) -> Verdict:
    """The verdict on a draft that becomes a memory."""
    merged = [one for one in free if one.draft_is_later and one.agrees]
    later = [one for one in free if not one.draft_is_later]
    action: Action = "supersede" if replaced else "merge" if merged else "add"
    return Verdict(
        _no_surer(draft, told, merged),
        action,
        _because(draft, replaced, merged, later),
        _all_ids([*replaced, *merged]),
        _all_ids(later),
    )


def _because(
    draft: Draft, replaced: Sequence[Meeting], merged: Sequence[Meeting], later: Sequence[Meeting]
) -> Reason:
    if replaced:
        return Reason("outdates", (("of", _ids(replaced)), ("how", replaced[0].found.shape)))
    if draft.replaces:
        return Reason("replaces_unknown", (("text", draft.replaces[:_TOLD]),))
    if merged:
        return Reason("restates", (("of", _ids(merged)),))
    if later:
        return Reason("restated" if later[0].agrees else "outdated", (("by", _ids(later)),))
    return Reason("unheard")


def _no_surer(draft: Draft, told: Told, merged: Sequence[Meeting]) -> Draft:
    """What the character says again it says no surer than before."""
    before = [one.other.memory.confidence for one in merged if one.other.by_machine]
    return (
        replace(draft, confidence=min([draft.confidence, *before]))
        if told.by_machine and before
        else draft
    )


def _met(told: Told, among: Sequence[Known], alike: Alike | None) -> Iterator[Meeting]:
    for other in (one for known in among for one in known.candidates(told)):
        later = told.told_at >= other.told_at
        found = relation(other, told, alike) if later else relation(told, other, alike)
        if found:
            yield Meeting(other, found, later)


def _named(draft: Draft, told: Told, among: Sequence[Known]) -> Iterator[Meeting]:
    """The memory whose text the draft itself calls outdated. Source: S4.24."""
    if not draft.replaces.strip():
        return
    meant = replace(
        told, memory=told.memory.model_copy(update={"content": draft.replaces}), given=()
    )
    rivals = [
        (_likeness(meant, one), one)
        for known in among
        for one in known.candidates(meant)
        if one.told_at <= told.told_at
    ]
    best = max(rivals, key=lambda rival: (rival[0], rival[1].told_at), default=None)
    if best and best[0] >= _MEANT:
        yield Meeting(best[1], Relation("contradicts", "named"), draft_is_later=True)


def _likeness(one: Told, other: Told) -> float:
    """How alike two texts are, 0..100: by meaning where rules see it, else letter by letter."""
    said = relation(one, other)
    if said and said.kind == "same":
        return 100.0
    return fuzz.ratio(folded_key(one.memory.content), folded_key(other.memory.content))


def _guarded(told: Told, met: Meeting) -> bool:
    """Whether the memory stays whatever the draft says."""
    other = met.other
    if other.protected:
        return True
    if (
        told.memory.source is Source.AI_OUTPUT
        and told.subject == USER
        and other.memory.source is Source.USER_INPUT
    ):
        return True  # what the character says of the user
    return (
        met.agrees and told.by_machine and not other.memory.evidence and not other.memory.archived
    )


def _may_replace(told: Told, met: Meeting) -> bool:
    """Whether the later of the two may stand for the earlier in everybody's eyes.

    What one user says never replaces what all share, save about himself; what all share replaces what one was told of others.
    """
    if met.other.memory.authored or met.other.memory.locked:
        return False
    newer, older = (told, met.other) if met.draft_is_later else (met.other, told)
    if met.agrees and older.memory.constant and not newer.memory.constant:
        return False  # saying a pinned thing again does not unpin it
    if (
        newer.memory.source is Source.AI_OUTPUT
        and older.memory.source is Source.USER_INPUT
        and told.subject == USER
    ):
        return False
    if newer.memory.user == older.memory.user:
        return True
    return (older.memory.user is None) == (told.owner == USER)


def _whose(other: Told) -> str:
    return (
        "against_author"
        if other.memory.authored
        else "against_locked"
        if other.memory.locked
        else "against_user"
    )


def _ids(met: Iterable[Meeting]) -> str:
    return ", ".join(_all_ids(met)[:_NAMED])


def _all_ids(met: Iterable[Meeting]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.other.id for one in met))
