"""Imports summaries of extensions as memories with evidence; importing again adds nothing."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from hashlib import blake2b

from rolememory.authoring.importer.transcript import RoleTranscript
from rolememory.cards.tavern.summaries import LeftSummary
from rolememory.engine import RoleMemory
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.memory import Evidence, Source
from rolememory.schema.value_class import value_class
from rolememory.storage.memories import Edit

ACTOR = "import"
TAG = "summary"

_LASTING = 0.7  # salience of long-term summaries


@value_class
class ImportedChat:
    """An imported chat: its id, its user, and the version of every message ("" = not kept)."""

    chat: str
    user: str | None
    heard: RoleTranscript
    versions: Sequence[str]


def summary_id(summary: LeftSummary, user: str | None) -> str:
    """The id of a summary's memory: equal for equal text of the same extension, in a chat and in its branches."""
    said = f"{summary.by}\0{user or ''}\0{summary.text}"
    return f"summary-{blake2b(said.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"


def remember_summaries(
    role_memory: RoleMemory,
    summaries: Iterable[LeftSummary],
    told: ImportedChat,
    before: Collection[str] = (),
) -> tuple[list[str], int]:
    """Store new summaries; returns the ids of all, and how many are new.

    `before` are ids imported earlier: missing ones were deleted here, and are not restored.

    Raises:
        NotWrittenError: the disk refused, or the role's file is broken; nothing was written.
    """
    wanted = _as_memories(summaries, told)
    known = role_memory.memories
    fresh = [raw for one, raw in wanted.items() if one not in known and one not in before]
    grown = [
        edit
        for one, raw in wanted.items()
        if one in known and (edit := _more_ground(known[one].evidence, one, raw))
    ]
    if grown:
        role_memory.parts.context.commit(grown, ACTOR)
    if fresh:
        role_memory.remember_all(fresh, actor=ACTOR, reason=TAG)
    return list(wanted), len(fresh)


def _as_memories(summaries: Iterable[LeftSummary], told: ImportedChat) -> dict[str, JsonObject]:
    """Fields of memory.json by id, in the order of the story; a rolling summary supersedes the one before."""
    found: dict[str, JsonObject] = {}
    rolling = ""
    for one in sorted(summaries, key=lambda one: one.through):
        if told.heard.since is None or one.through < told.heard.since:
            continue  # it did not exist yet
        memory_id = summary_id(one, told.user)
        raw = found.setdefault(memory_id, {"id": memory_id, **_fields(one, told)})
        if one.rolling:
            if (
                rolling
                and rolling != memory_id
                and memory_id not in found[rolling].get("supersedes", ())
            ):
                raw.setdefault("supersedes", [rolling])
            rolling = memory_id
    return found


def _fields(summary: LeftSummary, told: ImportedChat) -> JsonObject:
    at = told.heard.before(summary.through)
    version = "" if at is None else told.versions[at]
    fields: JsonMapping = {
        "user": told.user,
        "salience": _LASTING if summary.lasting else None,
        "evidence": [Evidence(chat=told.chat, version=version)] if version else None,
        "created": _told_at(summary, told.heard, at),
    }
    return {
        "type": "episodic",
        "content": summary.text,
        "source": Source.SUMMARY,
        "tags": [TAG],
        **{name: value for name, value in fields.items() if value},
    }


def _told_at(summary: LeftSummary, heard: RoleTranscript, at: int | None) -> datetime | None:
    """The time of the last message it covers."""
    own = heard.sent[summary.through] if summary.through < len(heard.sent) else None
    return own or (None if at is None else heard.messages[at].sent)


def _more_ground(evidence: Sequence[Evidence], memory_id: str, raw: JsonMapping) -> Edit | None:
    """The edit that adds another chat's evidence to an existing summary."""
    standing = {(one.chat, one.version) for one in evidence}
    more = [one for one in raw.get("evidence", ()) if (one.chat, one.version) not in standing]
    return (
        Edit("set", memory_id, {"evidence": [*evidence, *more]}, reason=TAG)
        if more and evidence
        else None
    )
