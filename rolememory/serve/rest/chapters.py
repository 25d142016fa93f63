"""Chapters: end or rewrite one. They are memories: listed by `memories?tag=chapter`, and edited as such."""

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
    notes: list[str]
    """what kept the model from telling more; where there are no chapters, at least one note why"""


@routes.get("")
def list_chapters(call: RoleCall, chat: Line = "") -> ChaptersOut:
    """Those that count, of one chat and what it was forked from, or of all."""
    view = MemoriesView.of(call.role)
    return ChaptersOut(items=[view.shown(one) for one in call.role.chapters(chat)], notes=[])


@routes.post("")
def end(call: RoleCall, given: EndIn) -> ChaptersOut:
    """End a chapter and let the model tell it now; what it cannot tell waits for it. Answers with what is new."""
    call.app_state.settle(KEPT_S)
    return _new(call, lambda: [call.role.end_chapter(given.chat, given.title)], given.chat)


@routes.post("/retell")
def retell(call: RoleCall, given: RetellIn) -> ChaptersOut:
    """Let the model tell chapters again; new ones take the place of the old, which are archived."""
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
