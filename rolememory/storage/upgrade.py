"""Homes whose memories were written by rules about sentences: the conversation itself is recalled now, so those are put away, once.

One transaction of the actor `upgrade`: what rules wrote and nobody edited, locked or pinned is archived, and what rules outdated
counts again. `undo` brings everything back, and what was brought back stays.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rolememory.schema.memory import Memory
from rolememory.storage.memories import Edit, HistoryLine

ACTOR = "upgrade"
REASON = "the conversation itself is recalled now"

_RULES = "learn"  # who wrote what rules found, in the journal
_MACHINES = frozenset({_RULES, "model", "infer", "clean", ACTOR})  # whose changes are nobody's wish


@dataclass(frozen=True, slots=True)
class Upgraded:
    """What one upgrade changed: ids that it put away, and ids that count again."""

    archived: tuple[str, ...] = ()
    counting: tuple[str, ...] = ()


def upgrade(
    memories: Mapping[str, Memory],
    history: Iterable[HistoryLine],
    commit: Callable[[Sequence[Edit], str], object],
) -> Upgraded:
    """Archive the memories that rules wrote; changes nothing where there are none. Cost: O(journal).

    `history` is told newest first. A memory whose beginning the journal does not tell is left alone: it may be anybody's.

    Raises:
        ReadOnlyRoleError, NotWrittenError: the files are broken or the disk refused; nothing changed.
    """
    edits = list(_edits(memories, history))
    if edits:
        commit(edits, ACTOR)
    put_away = [one.id for one in edits if "archived" in one.fields]
    freed = {old for one in edits for old in memories[one.id].supersedes} - {
        old for one in edits for old in one.fields.get("supersedes", ())
    }
    return Upgraded(tuple(put_away), tuple(sorted(freed - set(put_away))))


def _edits(memories: Mapping[str, Memory], history: Iterable[HistoryLine]) -> Iterator[Edit]:
    of_rules, outdated = _written_by_rules(history)
    for memory in memories.values():
        fields: dict[str, object] = {}
        if memory.id in of_rules and _for_rules_to_put_away(memory):
            fields = {"archived": True}
        left = [old for old in memory.supersedes if old not in outdated.get(memory.id, ())]
        if fields and memory.supersedes:
            left = []
        if len(left) < len(memory.supersedes):
            fields["supersedes"] = left
        if fields:
            yield Edit("set", memory.id, fields, reason=REASON)


def _written_by_rules(
    history: Iterable[HistoryLine],
) -> tuple[set[str], Mapping[str, set[str]]]:
    """The ids that rules added and no person changed since, and what rules said that each memory outdates; from the newest line on."""
    added: set[str] = set()
    touched: set[str] = set()
    settled: set[str] = set()  # what these outdate, a person has decided since
    outdated: dict[str, set[str]] = {}
    for line in history:
        if line.op == "add" and line.actor == _RULES:
            added.add(line.id)
        elif line.actor not in _MACHINES and set(line.fields) != {"supersedes"}:
            touched.add(line.id)
        if "supersedes" in line.fields and line.id not in settled:
            before, after = line.fields["supersedes"]
            if line.actor == _RULES:
                outdated.setdefault(line.id, set()).update(set(after or ()) - set(before or ()))
            elif line.actor not in _MACHINES and line.actor != "user":
                settled.add(line.id)
    return added - touched, outdated


def _for_rules_to_put_away(memory: Memory) -> bool:
    return bool(memory.evidence) and not (memory.archived or memory.locked or memory.constant)
