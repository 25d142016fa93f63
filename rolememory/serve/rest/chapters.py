"""Chapters: ending one, telling one anew. They are memories: `memories?tag=chapter` lists them, and what changes a memory changes them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from rolememory.engine import RoleMemory
from rolememory.serve.rest.asking import Mind, TheHouse, Tongue, router
from rolememory.serve.rest.memories import View, told
from rolememory.serve.rest.memory_shapes import MemoryOut
from rolememory.serve.rest.shapes import Ids, In, Line, Out

if TYPE_CHECKING:
    from rolememory.learn.model.report import Report

chapters = router("chapters", under="/roles/{role}/chapters")


class EndIn(In):
    """Where a chapter ends: behind the newest message of a chat."""

    chat: Line
    title: Line = ""


class RetellIn(In):
    """Which chapters are told anew: these, and with `through` all behind the last of them up to that one."""

    ids: Ids
    through: Line = ""


class ChaptersOut(Out):
    """Chapters in the order of the story."""

    items: list[MemoryOut]
    notes: list[str] = Field(description="what kept the model from telling more")


@chapters.get("")
def list_chapters(mind: Mind, chat: Line = "") -> ChaptersOut:
    """Those that count, of one chat and what it was forked from, or of all."""
    view = View.of(mind)
    return ChaptersOut(items=[view.shown(one) for one in mind.chapters(chat)], notes=[])


@chapters.post("")
def end(house: TheHouse, mind: Mind, tongue: Tongue, given: EndIn) -> ChaptersOut:
    """End a chapter and let the model tell it now; what it cannot tell waits for it. Answers with what is new."""
    before = {one.id for one in mind.chapters()}
    return _new(house, mind, tongue, before, [mind.end_chapter(given.chat, given.title)])


@chapters.post("/retell")
def retell(house: TheHouse, mind: Mind, tongue: Tongue, given: RetellIn) -> ChaptersOut:
    """Let the model tell chapters anew; new ones take the place of the old, which are archived."""
    before = {one.id for one in mind.chapters()}
    reports = mind.retell(*dict.fromkeys(given.ids), through=given.through)
    return _new(house, mind, tongue, before, reports)


def _new(
    house: TheHouse, mind: RoleMemory, tongue: Tongue, before: set[str], reports: "Sequence[Report]"
) -> ChaptersOut:
    told(house, mind)
    view = View.of(mind)
    fresh = [view.shown(one) for one in mind.chapters() if one.id not in before]
    notes = (note.text(tongue) for report in reports for note in report.notes)
    return ChaptersOut(items=fresh, notes=list(dict.fromkeys(notes)))
