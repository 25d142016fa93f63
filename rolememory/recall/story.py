"""The story block: which chapters are in it, within its own limit.

Without chapters of visible messages, and those covered by a story so far. The newest are selected first; they are in story
order, so that the text only changes with a new chapter.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from datetime import UTC, datetime

from rolememory.inject.environment import Templates
from rolememory.inject.fence import tame
from rolememory.inject.sandbox import plain
from rolememory.recall.blocks import rendered
from rolememory.schema.memory import Chapter, MemoriesById, Memory
from rolememory.schema.scene import Language
from rolememory.schema.value_class import value_class

KIND = "story"
_KEPT = 256  # wordings
_EARLIEST = datetime.min.replace(tzinfo=UTC)


@value_class
class StoryBlock:
    """The chapters of the story block, and its text."""

    text: str = ""
    chapters: tuple[Memory, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        """The ids of its chapters, including those in the story so far."""
        parts = (part for one in self.chapters if one.chapter for part in one.chapter.parts)
        return frozenset({*(one.id for one in self.chapters), *parts})


@value_class
class InView:
    """What is visible in the prompt: the chats that are this one, and the versions of its visible messages."""

    chats: frozenset[str] = frozenset()
    versions: frozenset[str] = frozenset()

    def holds(self, chapter: Memory) -> bool:
        """Whether any of its messages is visible."""
        here = chapter.evidence[0].chat in self.chats
        return here and not self.versions.isdisjoint(chapter.stretch)


def story_block(
    chapters: Iterable[Memory],
    heard: Collection[str],
    seen: InView,
    say: Callable[[Sequence[Memory]], str],
    fits: Callable[[str], bool],
) -> StoryBlock:
    """The story from eligible chapters: `say` renders it, `fits` checks the length."""
    known = {one.id: one for one in chapters if one.id in heard}
    stories = (one for one in known.values() if _stands(one, known, seen))
    so_far = max(stories, key=lambda one: (len(_chapter(one).parts), one.id), default=None)
    parts = frozenset(_chapter(so_far).parts) if so_far else frozenset()
    single = sorted(
        (one for one in known.values() if one.stretch and one.id not in parts), key=_place
    )
    first, chosen, best = [so_far] if so_far else [], list[Memory](), StoryBlock()
    if first and fits(text := say(first)):
        best = StoryBlock(text, tuple(first))
    for one in reversed(single):
        if seen.holds(one) or (chosen and _overlap(chosen[0], one)):
            continue
        chosen.insert(0, one)
        text = say([*first, *chosen])
        if not fits(text):
            break
        best = StoryBlock(text, (*first, *chosen))
    return best


def worded(
    chapters: Sequence[Memory],
    templates: Templates,
    language: Language,
    *,
    char: str = "",
    user: str = "",
    away_days: int = 0,
) -> str:
    """The chapters as a block; "" for none. `away_days`: days without a message."""
    so_far = [one for one in chapters if _chapter(one).parts]
    values = {
        "story": tame(so_far[0].content) if so_far else "",
        "chapters": [plain(_described(one)) for one in chapters if one.stretch],
        "away_days": away_days,
        "char": tame(char),
        "user": tame(user),
        "language": language,
    }
    return rendered(KIND, templates, language, values) if chapters else ""


class StoryWords:
    """Renders chapters, cached while chapters and template are unchanged. Not thread-safe."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates
        self._known: dict[Hashable, str] = {}

    def of(
        self, language: Language, *, char: str = "", user: str = "", away_days: int = 0
    ) -> Callable[[Sequence[Memory]], str]:
        """The function that renders chapters on this turn. Cost: one check of the template."""
        made_of = self._templates.choose(KIND, "default", language).tries

        def said(chapters: Sequence[Memory]) -> str:
            key = (*map(id, made_of), language, char, user, away_days, *map(_key, chapters))
            if key not in self._known:
                if len(self._known) >= _KEPT:
                    self._known.clear()
                self._known[key] = worded(
                    chapters, self._templates, language, char=char, user=user, away_days=away_days
                )
            return self._known[key]

        return said


def _key(one: Memory) -> Hashable:
    told = _chapter(one)
    return one.id, one.content, told.title, told.time, told.place


def _described(one: Memory) -> dict[str, str]:
    told = _chapter(one)
    where = [tame(part) for part in (told.time, told.place) if part]
    return {"title": tame(told.title), "text": tame(one.content), "where": ", ".join(where)}


def _chapter(one: Memory) -> Chapter:
    return one.chapter or Chapter()


def _stands(one: Memory, known: MemoriesById, seen: InView) -> bool:
    """Whether it is a story so far, and all its chapters are eligible and not visible."""
    parts = _chapter(one).parts
    return bool(parts) and all(part in known and not seen.holds(known[part]) for part in parts)


def _overlap(one: Memory, other: Memory) -> bool:
    return one.evidence[0].chat == other.evidence[0].chat and not {*one.stretch}.isdisjoint(
        other.stretch
    )


def _place(one: Memory) -> tuple[datetime, str]:
    return one.created or _EARLIEST, one.id
