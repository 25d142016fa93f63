"""Chapters: ending one, telling one again. They are memories: `memories?tag=chapter` lists them, and what changes a memory changes them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from rolememory.engine import RoleMemory
from rolememory.serve.rest.dependencies import AppStateDep, LanguageDep, RoleDep, router
from rolememory.serve.rest.memories import MemoriesView, told
from rolememory.serve.rest.memory_schemas import MemoryOut
from rolememory.serve.rest.schemas import Ids, In, Line, Out

if TYPE_CHECKING:
    from rolememory.learn.model.report import LearningReport

chapters = router("chapters", under="/roles/{role}/chapters")


class EndIn(In):
    """Where a chapter ends: behind the newest message of a chat."""

    chat: Line
    title: Line = ""


class RetellIn(In):
    """Which chapters are told again: these, and with `through` all behind the last of them up to that one."""

    ids: Ids
    through: Line = ""


class ChaptersOut(Out):
    """Chapters in the order of the story."""

    items: list[MemoryOut]
    notes: list[str] = Field(description="what kept the model from telling more")


@chapters.get("")
def list_chapters(role_memory: RoleDep, chat: Line = "") -> ChaptersOut:
    """Those that count, of one chat and what it was forked from, or of all."""
    view = MemoriesView.of(role_memory)
    return ChaptersOut(items=[view.shown(one) for one in role_memory.chapters(chat)], notes=[])


@chapters.post("")
def end(
    app_state: AppStateDep, role_memory: RoleDep, language: LanguageDep, given: EndIn
) -> ChaptersOut:
    """End a chapter and let the model tell it now; what it cannot tell waits for it. Answers with what is new."""
    before = {one.id for one in role_memory.chapters()}
    return _new(
        app_state, role_memory, language, before, [role_memory.end_chapter(given.chat, given.title)]
    )


@chapters.post("/retell")
def retell(
    app_state: AppStateDep, role_memory: RoleDep, language: LanguageDep, given: RetellIn
) -> ChaptersOut:
    """Let the model tell chapters again; new ones take the place of the old, which are archived."""
    before = {one.id for one in role_memory.chapters()}
    reports = role_memory.retell(*dict.fromkeys(given.ids), through=given.through)
    return _new(app_state, role_memory, language, before, reports)


def _new(
    app_state: AppStateDep,
    role_memory: RoleMemory,
    language: LanguageDep,
    before: set[str],
    reports: "Sequence[LearningReport]",
) -> ChaptersOut:
    told(app_state, role_memory)
    view = MemoriesView.of(role_memory)
    fresh = [view.shown(one) for one in role_memory.chapters() if one.id not in before]
    notes = (note.text(language) for report in reports for note in report.notes)
    return ChaptersOut(items=fresh, notes=list(dict.fromkeys(notes)))
