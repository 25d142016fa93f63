"""The read path: recall for a turn, and search."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import reduce
from typing import Any

from rolememory.chats.branch_visibility import BranchVisibility
from rolememory.chats.presence import Audience
from rolememory.chats.values import ObservePreview
from rolememory.engine.context import RoleContext
from rolememory.engine.inputs import (
    MANY,
    MessageLike,
    Name,
    Time,
    check_size,
    coerce_messages,
    generation_of,
    name_of,
    names_of,
    time_of,
    user_of,
)
from rolememory.engine.learning import PATIENT_S, RoleLearning
from rolememory.errors import RoleMemoryError
from rolememory.learn.model.scene_states import Scenes
from rolememory.recall.associates import NOBODY, AssociatedRole, Circle, partners, unavailable
from rolememory.recall.blocks import merged
from rolememory.recall.explain import with_setting
from rolememory.recall.fit import once
from rolememory.recall.query import Request
from rolememory.recall.turn import Turn
from rolememory.schema.evidence import Scored
from rolememory.schema.generation import USUAL, Generation
from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import Evidence, Memory
from rolememory.schema.message import TurnKind
from rolememory.schema.role import Character, Role
from rolememory.storage.gc_pause import gc_paused
from rolememory.storage.look import DiskLook, one_look
from rolememory.text.cancellation import cancellable, check_cancelled

STAMPED = 60  # newest messages searched for the state of the scene


Associate = Callable[[str], "RoleRecall"]
"""The read path of another role of the home, by its id."""


class RoleRecall:
    """The read path of a role."""

    def __init__(self, context: RoleContext, learning: RoleLearning, associate: Associate) -> None:
        self._context = context
        self._learning = learning
        self._associate = associate
        self._scenes = Scenes(context.space)

    def recall(
        self,
        messages: Iterable[MessageLike] | MessageLike,
        *,
        chat: Name = "",
        user: Name | None = None,
        present: Iterable[Name] | Name | None = None,
        members: Iterable[Name] | Name | None = None,
        character: Character | None = None,
        now: Time | None = None,
        dry_run: bool = False,
        unseen: int | None = None,
        lore: bool = True,
        settings: Mapping[str, Any] | None = None,
        generation: Generation | TurnKind = USUAL,
    ) -> Turn:
        """Recall for this turn: the memory block, placed among the messages.

        `messages` is the whole visible chat, oldest first, or the newest message alone; the frontend cut off `unseen` messages before them
        (None: derived from earlier turns, by `chat`). Memory blocks of ours among them are removed.
        Only memories for which all readers of the reply were present are recalled: the users in `present` (default: those
        known to be in this chat) and the other characters in `members` (likewise).
        Memories from messages that were edited, swiped away or are in another branch or story are excluded.
        `dry_run` does not count the turn; `lore=False` leaves lorebooks to the frontend. `settings`: dotted keys
        for this turn only, e.g. `{"budget.max_total_length": 800}`. `generation`: its kind, or all that lorebooks use
        of it (author's note, greeting, context size).

        Raises:
            KeyError, ValueError: an unknown key or invalid value; or the messages exceed
            `serve.max_messages` or `serve.max_characters`.
        """
        role = self._context
        role.home.check_open()
        said = coerce_messages(messages)
        chat = name_of(chat)
        user = user_of(user)
        now = time_of(now)
        present = names_of(present)
        members = names_of(members)
        asked = generation_of(generation)
        self._learning.learned_soon()
        files = role.turn_files()
        rules = reduce(
            lambda rules, key: with_setting(rules, *key), (settings or {}).items(), files.settings
        )
        check_size(said, rules.serve)
        bulk = len(said) > MANY or not role.pipeline.asked
        with gc_paused() if bulk else nullcontext(), one_look(DiskLook(files.look)):
            preview = role.chats.preview(said, chat=chat, user=user, clean=files.hear)
            check_cancelled()
            known_chat = preview.chat or chat
            readers = role.chats.readers(known_chat, user, present, members)
            candidates = role.candidates(files.memories, rules)
            # only now: a chat that began in between must be known, or its audience would not be checked
            visibility = role.chats.visible_from(chat, preview, readers, user=user)
            shown = preview.path[preview.unseen :]
            check_cancelled()
            request = Request(
                said,
                known_chat,
                user,
                character,
                now,
                dry_run,
                unseen,
                visibility=visibility,
                lore=lore,
                effects=role.usage.effects(visibility, files.memories),
                circle=self._circle(files.role, readers, visibility.story)
                if files.role.associates
                else NOBODY,
                shown=frozenset(
                    (preview.chat, said.version) for said in cancellable(shown) if said.slot >= 0
                ),
                kin=role.chats.family(known_chat),
                scene=self._scene_of(preview, visibility) if rules.inject.scene else {},
                away_days=_away_days(preview.path, now, rules.inject.previously_days),
                generation=asked,
                before=preview.unseen,
                recent=self._recent_of(preview, visibility, rules.memory.short_term_count)
                if rules.memory.short_term_count and not visibility.off
                else (),
                stamp=next(
                    (one.stamp for one in reversed(preview.path[-STAMPED:]) if one.stamp), ()
                ),
            )
            check_cancelled()
            with role.lock:
                turn = role.pipeline.recall(files.role, candidates, rules, request)
            if not dry_run:
                role.usage.prompted(
                    preview.chat, preview.path, [one.memory.id for one in turn.recalled]
                )
            loader = role.home.resources.loader
            if not loader.started:
                loader.start()  # only now: importing a library would delay the first answer
            return turn

    @staticmethod
    def _recent_of(
        preview: ObservePreview, visibility: BranchVisibility, most: int
    ) -> tuple[ChatMessage, ...]:
        """The newest messages before the visible ones that all readers have heard."""
        before = preview.path[max(preview.unseen - most, 0) : preview.unseen]
        return tuple(
            one
            for one in before
            if visibility.sees(Evidence(chat=preview.chat, version=one.version))
        )

    def _scene_of(self, preview: ObservePreview, visibility: BranchVisibility) -> Mapping[str, str]:
        """The state of the scene at the end of a path, from messages that all readers have heard. Cost: O(messages searched)."""
        path = preview.path[-STAMPED:]
        chat = preview.chat
        shown = len(path) - (len(preview.path) - preview.unseen)  # earlier messages are not visible

        def heard(versions: Sequence[str]) -> bool:
            return visibility.sees(Evidence(chat=chat, version="+".join(versions)))

        stamps = [
            one.stamp
            for at, one in reversed(list(enumerate(path)))
            if one.stamp and (at >= shown or heard([one.version]))
        ]
        standing = self._scenes.standing(
            chat, lambda versions: all(map(preview.path.standing, versions)) and heard(versions)
        )
        return merged(stamps, standing[-1].fields if standing else {})

    def search(
        self,
        query: Iterable[MessageLike] | MessageLike,
        *,
        limit: int = 10,
        user: Name | None = None,
        chat: Name | None = None,
        present: Iterable[Name] | Name | None = None,
        members: Iterable[Name] | Name | None = None,
        now: Time | None = None,
    ) -> list[Scored]:
        """The memories nearest to a text or to messages, best first: the ranking of `recall` without thresholds.

        `chat`, `present` and `members` limit the results to what all readers may know, as for `recall`. With a chat ("" = unnamed)
        only its story is searched, without one all stories.
        """
        role = self._context
        role.home.check_open()
        user = user_of(user)
        chat = user_of(chat)
        now = time_of(now)
        present = names_of(present)
        members = names_of(members)
        self._learning.learned_soon()
        role.home.people.follow()
        readers = role.chats.readers(chat or "", user, present, members)
        story = None if chat is None else role.chats.story_of(chat, user)
        candidates = role.candidates(role.stored(), role.settings)
        visibility = role.chats.visible_from(None, readers=readers, story=story, inside=chat or "")
        request = Request(
            coerce_messages(query),
            user=user,
            now=now,
            dry_run=True,
            wanted=limit,
            visibility=visibility,
        )
        with role.lock:
            return once(role.pipeline.search(role.role, candidates, role.settings, request), limit)

    def ready(self, timeout: float | None = None) -> bool:
        """Wait until the model is loaded and all memories have vectors; false without a model."""
        candidates = self._learned_candidates()
        return self._context.pipeline.meanings.ready(candidates, timeout)

    def turn_at(self, at: datetime) -> int | None:
        """The turn of the story at that time; None if unknown."""
        return self._context.pipeline.chats.clock.at(at)

    def as_heard(
        self, factor: float, readers: Audience, story: str | None = None
    ) -> AssociatedRole:
        """The role as an associate of another one, limited to that story and these readers."""
        role = self._context
        known = self._learned_candidates()
        visibility = role.chats.visible_from(None, readers=readers, story=story)
        return AssociatedRole(role.role, factor, known, role.vectors(), visibility)

    def _learned_candidates(self) -> Mapping[str, Memory]:
        """The candidates of recall, after executing the commands observed so far."""
        self._learning.learned(PATIENT_S)
        return self._context.candidates(self._context.stored(), self._context.settings)

    def _circle(self, role: Role, readers: Audience, story: str | None) -> Circle:
        """The current associated roles."""
        found, notes = partners(role, self._context.home.folder.find)
        others: list[AssociatedRole] = []
        for other, factor in found:
            try:
                others.append(self._associate(other.id).as_heard(factor, readers, story))
            except RoleMemoryError as error:
                notes.append(unavailable(other.name, error))
        return Circle(tuple(others), tuple(notes))


def _away_days(path: Sequence[ChatMessage], now: datetime | None, least: float) -> int:
    """Whole days of silence before the newest message of the user; 0 if fewer than `least`."""
    asked = next((at for at in range(len(path) - 1, -1, -1) if path[at].role == "user"), 0)
    if not least or not asked:
        return 0
    days = ((now or datetime.now(UTC)) - path[asked - 1].at).total_seconds() / 86_400
    return int(days) if days >= max(least, 1.0) else 0
