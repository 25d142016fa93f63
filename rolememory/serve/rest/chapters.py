"""Chapters: end or rewrite one. They are memories: listed by `memories?tag=chapter`, and edited like others."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rolememory.locales import LocalizedText
from rolememory.serve.rest.dependencies import RoleCall, router
from rolememory.serve.rest.memories import MemoriesView
from rolememory.serve.rest.memory_schemas import MemoryOut
from rolememory.serve.rest.reader import reader
from rolememory.serve.rest.schemas import Ids, In, Line, Out

if TYPE_CHECKING:
    from rolememory.learn.model.report import LearningReport

routes = router("chapters", under="/roles/{role}/chapters")
KEPT_S = (
    10.0  # timeout of waiting until finished turns are observed: a chapter ends after the newest
)


class EndIn(In):
    """The chapter to end: after the newest message of this chat."""

    chat: Line
    title: Line = ""


class RetellIn(In):
    """The chapters to rewrite: these, and with `through` all later ones up to that one."""

    ids: Ids
    through: Line = ""


class ChaptersOut(Out):
    """Chapters in the order of the story."""

    items: list[MemoryOut]
    notes: list[str]
    """why the model wrote no more; at least one note if there are no chapters"""


@routes.get("")
def list_chapters(call: RoleCall, chat: Line = "") -> ChaptersOut:
    """The current chapters, of one chat and the chats it was forked from, or of all."""
    view = MemoriesView.of(call.role)
    return ChaptersOut(items=[view.shown(one) for one in call.role.chapters(chat)], notes=[])


@routes.post("")
def end_chapter(call: RoleCall, given: EndIn) -> ChaptersOut:
    """End a chapter and let the model write it now, or later if it cannot. Returns the new chapters."""
    call.app_state.settle(KEPT_S)
    return _new(call, lambda: [call.role.end_chapter(given.chat, given.title)], given.chat)


@routes.post("/retell")
def rewrite_chapters(call: RoleCall, given: RetellIn) -> ChaptersOut:
    """Let the model rewrite chapters. The new ones replace the old ones, which are archived."""
    ids = dict.fromkeys(given.ids)
    return _new(call, lambda: call.role.retell(*ids, through=given.through))


def _new(
    call: RoleCall, told: "Callable[[], Sequence[LearningReport]]", chat: str = ""
) -> ChaptersOut:
    """The new chapters of one chat or of all, also from concurrent calls; if none, notes why."""
    before = {one.id for one in call.role.chapters()}
    notes = dict.fromkeys(reader().say(note) for report in told() for note in report.notes)
    call.tell("memory")
    view = MemoriesView.of(call.role)
    fresh = [view.shown(one) for one in call.role.chapters(chat) if one.id not in before]
    if not (fresh or notes):
        notes = {reader().say(LocalizedText("nothing to tell yet")): None}
    return ChaptersOut(items=fresh, notes=list(notes))
