"""From verdicts to the journal: what the store is asked to add and to change."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rolememory.learn.reconcile.told import memory_of
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Verdict
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Language
from rolememory.schema.wording import word
from rolememory.storage.codec import fields_of
from rolememory.storage.memories import Edit
from rolememory.text.language import language_of


def edits(
    verdicts: Sequence[Verdict],
    ids: Sequence[str],
    memories: Mapping[str, Memory],
    language: Language | None = None,
) -> list[Edit]:
    """Every draft that stands, with what it replaces, and every known memory that replaces a draft.

    `ids` are those of the drafts, one for each verdict; `memories` is what the role remembers now. Reasons are told in
    `language`, or in that of the draft.
    """
    told = [_named(verdict, ids) for verdict in verdicts]
    standing = {
        memory_id: verdict
        for memory_id, verdict in zip(ids, told, strict=True)
        if verdict.action not in ("ignore", "review")
    }
    replaced = {memory_id: list(verdict.others) for memory_id, verdict in standing.items()}
    because: dict[str, Verdict] = {}
    for memory_id, verdict in standing.items():
        for later in verdict.outdated_by:
            here = replaced.setdefault(
                later, list(memories[later].supersedes) if later in memories else []
            )
            here += [memory_id] if memory_id not in here else []
            because.setdefault(later, verdict)
    added = [
        _added(memory_id, verdict, replaced[memory_id], language)
        for memory_id, verdict in standing.items()
    ]
    changed = [
        Edit("set", one, {"supersedes": replaced[one]}, reason=_worded(verdict, language))
        for one, verdict in because.items()
        if one in memories and one not in standing
    ]
    return added + changed


def _added(
    memory_id: str, verdict: Verdict, replaced: Sequence[str], language: Language | None
) -> Edit:
    memory = memory_of(verdict.draft, memory_id)
    fields = fields_of(memory) | ({"supersedes": list(replaced)} if replaced else {})
    return Edit("add", memory_id, fields, type=memory.type, reason=_worded(verdict, language))


def _worded(verdict: Verdict, language: Language | None) -> str:
    """Who found it, and what it does to others."""
    speech = language or language_of(verdict.draft.content)
    return ("；" if speech == "zh" else "; ").join(
        word(one, speech) for one in (verdict.draft.because, verdict.because)
    )


def _named(verdict: Verdict, ids: Sequence[str]) -> Verdict:
    """The verdict with the real ids of drafts that were known by their place only."""
    real = {f"#{place}": memory_id for place, memory_id in enumerate(ids)}

    def of(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(real.get(name, name) for name in names)

    values = tuple(
        (name, ", ".join(of(str(value).split(", "))) if name in ("of", "by") else value)
        for name, value in verdict.because.values
    )
    return replace(
        verdict,
        others=of(verdict.others),
        outdated_by=of(verdict.outdated_by),
        because=Reason(verdict.because.code, values),
    )
