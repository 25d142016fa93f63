"""Passages of the first meeting of those who talk, and of the last one before this.

A user who asks whether they are known gets both; one who returns at the start of a chat gets the end of the last one.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from typing import cast

from rolememory.schema.memory import in_utc
from rolememory.schema.passage import Passage
from rolememory.schema.scene import Scene
from rolememory.text.arrays import Doubles, Mask, Rows, np
from rolememory.text.intent import Meeting
from rolememory.triggers.conversation import SITTING
from rolememory.triggers.subjects import USER, of_user
from rolememory.triggers.table import SAID, Table

MESSAGES = 6
"""Number of messages of a meeting: its first, or its last."""
MET = 0.6
"""Strength of the outermost message of a meeting and of its answer."""
FURTHER = 0.9
"""... of what is further in, with each message and its answer."""
RETURNED = 0.95
"""Strength of what was said last where somebody returns: enough to come uninvited."""
_READ = 256  # passages at that end that are looked at: a long message is many
_ENDS: Mapping[Meeting, Sequence[Meeting]] = {
    "me": ("first", "last"),
    "first": ("first",),
    "last": ("last",),
    "back": ("back",),
}


def met(which: Meeting, table: Table, mask: Mask, scene: Scene) -> Doubles:
    """The strength of each row of the mask for a meeting, (n_rows,). Cost: O(n) numpy passes, and some passages read."""
    strengths = np.zeros(len(mask))
    if which == "back" and not _begins(scene):
        return strengths
    outermost = RETURNED if which == "back" else MET
    for end in _ENDS[which]:
        for number, rows in enumerate(_said_there(end, table, mask, scene)):
            strengths[rows] = outermost * FURTHER ** (number // 2)
    if which == "me":
        strengths[_about_user(table, mask, scene)] = MET
    return strengths


def _begins(scene: Scene) -> bool:
    """Whether it is the user's first message in this chat, as far as it is seen."""
    return sum(1 for _ in of_user(scene)) == 1


def _about_user(table: Table, mask: Mask, scene: Scene) -> list[int]:
    """The rows of memories about the current user."""
    names = {scene.user, scene.names.get("user"), *USER} - {None, ""}
    rows = (mask & (table.kind.values != SAID)).nonzero()[0].tolist()
    entries = zip(rows, table.entries(rows), strict=True)
    return [row for row, entry in entries if getattr(entry, "subject", None) in names]


def _said_there(which: Meeting, table: Table, mask: Mask, scene: Scene) -> Sequence[Sequence[int]]:
    """The rows of each message of that meeting, the outermost first; of a short one's also those next to it.

    The last meeting is not what was said in this chat just now.
    """
    rows = (mask & (table.kind.values == SAID)).nonzero()[0]
    told = _in_order(table, _outermost(which, table, rows))
    if which != "first":
        newest = told[::-1]
        told = _before_now(newest, scene)
        if which == "back" and len(told) < len(newest):  # of this chat more was said than is seen
            return []
    messages = groupby(told, key=lambda one: one[0].message)
    return [[row for _, row in passages] for _, passages in messages][:MESSAGES]


def _outermost(which: Meeting, table: Table, rows: Rows) -> Rows:
    """The rows said first or last; an unknown time counts as long ago."""
    if len(rows) <= _READ:
        return rows
    since = np.nan_to_num(table.since.values[rows])
    return rows[np.argpartition(since if which == "first" else -since, _READ)[:_READ]]


def _in_order(table: Table, rows: Rows) -> list[tuple[Passage, int]]:
    passages = zip(cast("list[Passage]", table.entries(rows.tolist())), rows.tolist(), strict=True)
    since = np.nan_to_num(table.since.values)
    return sorted(
        passages, key=lambda one: (since[one[1]], one[0].message[0], one[0].slot, one[0].start)
    )


def _before_now(told: list[tuple[Passage, int]], scene: Scene) -> list[tuple[Passage, int]]:
    """Without those of this chat that belong to the talk that goes on."""
    now, kept = in_utc(scene.now), []
    for passage, row in told:
        since = passage.since and in_utc(passage.since)
        here = passage.message[0] == scene.chat
        if here and since and timedelta(0) <= now - since <= SITTING:
            now = since
        else:
            kept.append((passage, row))
    return kept
