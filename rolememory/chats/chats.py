"""The durable chats of a role: messages, their versions, and what is visible now.

    chats = Chats(space)
    observed = chats.observe(messages, chat="harbour", user="lin")      # one durable line, or nothing when nothing changed
    visible = chats.visible_from("harbour")                               # which memories count there

A chat is slots × versions in `chats/{slug-hash}.jsonl`; each visible history is aligned with it (`plan.align_window`).
"""

import logging
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from operator import attrgetter
from types import EllipsisType, MappingProxyType

from rolememory.chats.branch_visibility import BranchVisibility, moved_by
from rolememory.chats.branches import BranchForest
from rolememory.chats.log import ChatLog
from rolememory.chats.log_index import ChatLogIndex
from rolememory.chats.normalize import Clean
from rolememory.chats.presence import Attendance, Audience, Scopes
from rolememory.chats.resolver import ChatResolver, ObserveRequest, ResolvedChat
from rolememory.chats.rows import ChatLogRow
from rolememory.chats.stories import BY_DEFAULT, Belonging, Living, Stories, shown
from rolememory.chats.transcript import Chat
from rolememory.chats.values import MODES, OWN, ChatInfo, ObservePreview
from rolememory.chats.visible_path import VisiblePath
from rolememory.errors import FileError, InvalidValueError, UnknownChatError
from rolememory.locales import Listed
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.learning import ChatMessage, Observed
from rolememory.schema.memory import in_utc
from rolememory.schema.message import Message, TurnKind
from rolememory.schema.problem import Problem
from rolememory.storage.erase import Clear, RemainingLog
from rolememory.storage.people import Same, alone, are_one
from rolememory.storage.port import Space
from rolememory.text.cancellation import giving_way
from rolememory.text.lengths import fitting
from rolememory.text.plain import replace_surrogates

_log = logging.getLogger(__name__)
_MANY = 200  # messages that take long to normalize


class Chats:
    """One role's chats. Thread-safe; any number of processes may share the folder; readers never wait for a writer."""

    def __init__(
        self,
        space: Space,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        same: Same = alone,
        links: Callable[[], Hashable] = lambda: None,
        living: Callable[[], Living] = lambda: "one",
        scopes: Scopes = lambda text: (),
    ) -> None:
        """`links` returns another value whenever `same` may change for a name; `scopes` finds commands."""
        self.stories = Stories(
            space,
            clock=clock,
            same=same,
            living=living,
            assign=lambda chat, story: self.update(chat, story=story),
        )
        self._space, self._clock, self._same, self._links = space, clock, same, links
        self._scopes = scopes
        self._log_index = ChatLogIndex(space)
        self._resolver = ChatResolver(self._log_index)
        self._writing, self._reading = (
            threading.RLock(),
            threading.RLock(),
        )  # acquired in this order
        self._listeners: list[Callable[[Observed], None]] = []
        self._forest, self._followed = BranchForest(), 0  # up to this generation of the logs

    # ── observing ────────────────────────────────────────────────────────────────────────────────────────────────

    def observe(
        self,
        messages: Sequence[Message],
        *,
        chat: str = "",
        user: str | None = None,
        at: datetime | None = None,
        clean: Clean | None = None,
        title: str | None = None,
        present: Sequence[str] | None = None,
        members: Sequence[str] | None = None,
        kind: TurnKind = "normal",
        away: bool = False,
        requested: datetime | None = None,
    ) -> Observed:
        """Align the whole visible history with the chat's log and write what is new, in one durable line.

        Idempotent: the same messages twice write nothing. A message edited or swiped in place is another version of the
        same slot and what follows stays; a missing one is removed, unless it is missing in front, where the frontend cut it off.
        Messages that the frontend joined with a line break are still two. Only user and assistant are kept, without what `clean` takes
        out and without tags of emotion; pass the same `clean` every time, and the same `Message` objects if you have them: then
        an appended exchange costs itself alone. `at` stands in for the clock, `Message.sent` wins over both. What was written since
        they were `requested` is never removed by them.

        Without a `chat` the messages find the unnamed chat of that user which they continue, else begin one. When a named
        chat shows nothing it ever held, it was cut or begun again: `plan.lay` tells how that is decided. A named chat of another user
        that these messages do not go on with is left alone: this user gets one of their own, called `chat@user`. A `user` of "" is
        somebody whom nobody knows; None is the chat's own user.
        Raises: NotWrittenError; nothing changed.
        """
        request = replace(
            self._request(messages, chat, user, clean, at),
            present=None if present is None else tuple(map(replace_surrogates, present)),
            members=None if members is None else tuple(map(replace_surrogates, members)),
            kind=kind,
            away=away,
            requested=requested and in_utc(requested),
        )
        with self._writing:
            resolved = self._resolved(request)
            if resolved.row(request.now, title) is not None:
                with self._locked():
                    resolved = self._resolved(request, resolved)
                    self._write(resolved.log, resolved.row(request.now, title))
            with self._reading:
                self._resolver.keep(resolved, request)
        observed = resolved.observed()
        if observed.entered or observed.returned or observed.left or observed.branch_of:
            self._notify(observed)
        return observed

    def preview(
        self,
        messages: Sequence[Message],
        *,
        chat: str = "",
        user: str | None = None,
        clean: Clean | None = None,
        at: datetime | None = None,
    ) -> ObservePreview:
        """Align without writing: the path that `observe` would give, for a recall before it."""
        request = self._request(messages, chat, user, clean, at, looks=True)
        return self._resolved(request).preview()

    def follow(self, listener: Callable[[Observed], None]) -> Callable[[], None]:
        """Subscribe, in this process, to results of `observe`, after writing; returns the unsubscribe function."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────

    def chats(
        self, *, archived: bool = False, user: str | EllipsisType | None = ...
    ) -> list[ChatInfo]:
        """All chats, the one with the newest message first; archived ones if asked, of one user if given (None: of nobody)."""
        found = self._in_stories(chat.info for chat in self._all())
        wanted = (
            info
            for info in found
            if (archived or not info.archived)
            and (user is ... or are_one(info.user, user, self._same))
        )
        newest = attrgetter("latest", "updated", "created", "id")
        return sorted(wanted, key=newest, reverse=True)

    def chat(self, chat: str) -> Chat:
        """A chat's current state, without its story. Raises: as `info`."""
        with self._reading:
            found = self._known_log(chat).chat
        assert found is not None
        return found

    def info(self, chat: str) -> ChatInfo:
        """Metadata of a chat.

        Raises: UnknownChatError; FileError when its file cannot be read.
        """
        return next(self._in_stories([self.chat(chat).info]))

    def path(self, chat: str) -> VisiblePath:
        """The visible messages, oldest first, including cut-off ones; immutable. Raises: as `info`."""
        return self.chat(chat).worded

    def versions(self, chat: str) -> Mapping[str, ChatMessage]:
        """All messages by version, visible or not. Raises: as `info`."""
        return MappingProxyType(self.chat(chat).told)

    def recent(self, chat: str, items: int, characters: int) -> tuple[ChatMessage, ...]:
        """The last `items` messages within `characters` in total; whole ones, and always the newest. Source: S3.23."""
        newest = self.path(chat)[-items:] if items > 0 else ()
        count = fitting((len(said.text) for said in reversed(newest)), characters) or 1
        return newest[-count:]

    def active(self, user: str | None = None) -> ChatInfo | None:
        """The last changed chat of that user or (None) of anybody, not archived. Source: S3.4."""
        return next(iter(self.chats() if user is None else self.chats(user=user)), None)

    def users(self) -> Mapping[str, datetime]:
        """Every participant of any chat, with first appearance, in order. Cost: O(chats)."""
        found: dict[str, datetime] = {}
        for chat in self._all():
            for user, at in chat.users.items():
                found[user] = min(found.get(user, at), at)
        return dict(sorted(found.items(), key=lambda pair: pair[::-1]))

    @property
    def problems(self) -> list[Problem]:
        """Damaged lines and unreadable files; the rest is used."""
        with self._reading:
            self._log_index.refresh()
            return [
                *(problem for log in self._log_index.logs() for problem in log.problems),
                *self.stories.problems,
            ]

    def readers(
        self,
        chat: str = "",
        user: str | None = None,
        present: Sequence[str] | None = None,
        members: Sequence[str] | None = None,
    ) -> Audience:
        """Everybody who will read a reply in that chat: the user and those named, else those known to be present.

        A `user` of "" is an unknown person; None means those known to be present.
        """
        with self._reading:
            log = self._log_index.known(replace_surrogates(chat).strip()) if chat else None
            there = log.transcript.present if log and log.head else Attendance()
        users = {*(there.users if present is None else map(replace_surrogates, present))}
        users |= set() if user is None else {replace_surrogates(user).strip()}
        acting = there.members if members is None else members
        return Audience.of(users or {""}, acting, self._same, self._links())

    def visible_from(
        self,
        chat: str | None,
        preview: ObservePreview | None = None,
        readers: Audience | None = None,
        *,
        user: str | None = None,
        story: str | None = None,
        inside: str = "",
    ) -> BranchVisibility:
        """The visibility from that chat, or from none; with a preview, from its future state.

        `readers`: who must have been present; None = nobody is asked about. `user`: whose chat it is, if it is a new one. `story`: from
        no chat, what counts in this story (as `story_of` gives it); None = in any. `inside`: the chat whose own it may be all the same.
        """
        forest = self._current_forest()
        visibility = partial(
            BranchVisibility, forest, self.stories.choices(), readers=readers, user=user
        )
        if preview is None:
            return visibility(chat or None, story=story, inside=inside)
        changed = not preview.known or preview.entered or preview.returned or preview.left
        here = forest.chats.get(preview.chat or chat or "") if changed else None
        return visibility(
            preview.chat or chat or None,
            preview.path if changed else None,
            preview.branch_of,
            moved_by(preview, here.path) if here else frozenset(),
            off=preview.mode == "off",
        )

    def family(self, chat: str) -> frozenset[str]:
        """The chats that were forked from the same beginning, this one among them."""
        return frozenset(self._current_forest().ids(chat))

    def story_of(self, chat: str, user: str | None = None) -> str:
        """The story of a chat, or what it would be if `user` began it; as `visible_from` takes it."""
        return Belonging(self.stories.choices(), self._current_forest()).of(
            replace_surrogates(chat).strip(), user
        )

    def changed(self, since: int) -> tuple[Sequence[tuple[str, Chat | None]], int]:
        """The chats that changed after that mark, by log name (None: removed); and the next mark."""
        with self._reading:
            self._log_index.refresh()
            logs = self._log_index.changed_since(since)
            return [(log.name, log.chat) for log in logs], self._log_index.generation

    # ── changing ─────────────────────────────────────────────────────────────────────────────────────────────────

    def update(
        self,
        chat: str,
        *,
        title: str | None = None,
        archived: bool | None = None,
        story: str | None = None,
        mode: str | None = None,
    ) -> ChatInfo:
        """Update metadata of a chat; a blank title restores the automatic one. None = unchanged.

        A title set here stays: the title that a frontend sends with a turn no longer replaces it.

        `story`: see `Stories.assign`.
        Raises: UnknownChatError, UnknownNameError (no such story), InvalidValueError (no such mode), NotWrittenError.
        """
        if mode is not None and mode not in MODES:
            raise InvalidValueError(
                "expected one of {modes}, got {mode!r}", modes=Listed(MODES), mode=mode
            )
        if story is not None and story not in (OWN, BY_DEFAULT):
            self.stories.known(story)
        wanted: JsonObject = {
            "title": title and replace_surrogates(title).strip(),
            "archived": archived,
            "mode": mode,
        }
        told = {name: value for name, value in wanted.items() if value is not None}
        if title is not None:
            told["titled"] = bool(told["title"])
        if story is not None:
            told["chosen"] = None if story == BY_DEFAULT else story
        with self._writing, self._locked():
            log = self._known_log(chat)
            news = _differing(self.chat(chat).info, told)
            self._write(log, ChatLogRow(in_utc(self._clock()), told=news) if news else None)
        return self.info(chat)

    def remove(self, chat: str) -> None:
        """Remove a chat's file; the caller removes what was learned from it.

        Raises: UnknownChatError, NotWrittenError.
        """
        with self._writing, self._locked():
            self._drop(self._known_log(chat))

    def cleared(self, clear: Clear) -> list[RemainingLog]:
        """Preview of `forget`: the remaining log of every chat.

        Raises: FileError when one cannot be read.
        """
        with self._reading:
            self._log_index.refresh()
            return [clear(self._lines(log)) for log in self._log_index.logs()]

    def forget(self, clear: Clear) -> None:
        """Erase one person from every chat.

        Every log is rewritten, so damaged lines are removed too.
        Raises: FileError when one cannot be read; NotWrittenError; call again, nothing of what is gone comes back.
        """
        with self._writing, self._locked():
            with self._reading:
                self._log_index.refresh()
            for log in self._log_index.logs():
                self._put(log, clear(self._lines(log)))

    # ── internal ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _in_stories(self, infos: Iterable[ChatInfo]) -> Iterator[ChatInfo]:
        """The metadata with the stories of the chats."""
        belonging = Belonging(self.stories.choices(), self._current_forest())
        for info in infos:
            story = shown(belonging.of(info.id))
            yield info if info.story == story else replace(info, story=story)

    @property
    def same(self) -> Same:
        """The function that maps users to linked persons."""
        return self._same

    def _request(
        self,
        messages: Sequence[Message],
        chat: str,
        user: str | None,
        clean: Clean | None,
        at: datetime | None,
        *,
        looks: bool = False,
    ) -> ObserveRequest:
        return ObserveRequest(
            messages,
            replace_surrogates(chat).strip(),
            replace_surrogates(user or "").strip() or None,
            clean,
            in_utc(at or self._clock()),
            same=self._same,
            scopes=self._scopes,
            looks=looks,
            unknown=user is not None and not user.strip(),
        )

    def _resolved(
        self, request: ObserveRequest, before: ResolvedChat | None = None
    ) -> ResolvedChat:
        """Resolve a request; `before` if nothing relevant happened since."""
        if before is None and request.chat and len(request.messages) > _MANY:
            with self._reading:
                begins = self._resolver.begins(request)
            if begins:
                with giving_way():
                    _ = request.news  # normalized before anybody has to wait for it
        with self._reading:
            return (
                before
                if before and self._resolver.stands(before)
                else self._resolver.resolve(request)
            )

    def _write(self, log: ChatLog, row: ChatLogRow | None) -> None:
        """Write a line durably and apply it. Under the lock."""
        if row is not None:
            log.append(row)
            with self._reading:
                self._log_index.written(log)

    def _all(self) -> list[Chat]:
        with self._reading:
            self._log_index.refresh()
            return [log.chat for log in self._log_index.logs() if log.chat is not None]

    def _current_forest(self) -> BranchForest:
        with self._reading:
            self._log_index.refresh()
            if self._followed != self._log_index.generation:
                changed = self._log_index.changed_since(self._followed)
                self._forest = self._forest.following((log.name, log.chat) for log in changed)
                self._followed = self._log_index.generation
            return self._forest

    def _known_log(self, chat: str) -> ChatLog:
        with self._reading:
            log = self._log_index.log(replace_surrogates(chat).strip())
            if log.chat is not None:
                return log
            if log.fault is not None:
                raise FileError.unreadable(log.path, log.fault)
        raise UnknownChatError(chat, [known.id for known in self._all()])

    def _lines(self, log: ChatLog) -> list[bytes]:
        try:
            return log.lines()
        except OSError as error:
            raise FileError.unreadable(log.path, error) from error

    def _put(self, log: ChatLog, left: RemainingLog) -> None:
        """Replace a chat's log, under its name. Under the lock."""
        with self._reading:
            fresh = self._log_index.named(left.log) if left.log else None
            if fresh is not None:
                self._resolver.drop(fresh)
                fresh.rewrite(left.lines)
                self._log_index.written(fresh)
        if fresh is not log:
            self._drop(log)

    def _drop(self, log: ChatLog) -> None:
        with self._reading:
            self._resolver.drop(log)
            self._log_index.drop(log)

    def _locked(self) -> AbstractContextManager[None]:
        return self._space.lock("chats")

    def _notify(self, observed: Observed) -> None:
        """Notify the listeners; a failing one does not affect the chat."""
        for listener in list(self._listeners):
            try:
                listener(observed)
            except Exception:
                _log.exception("a listener of chat %s failed", observed.chat)


def _differing(info: ChatInfo, told: JsonMapping) -> JsonObject:
    """The metadata that differs from the current values."""
    news = {name: value for name, value in told.items() if getattr(info, name) != value}
    if news.keys() & {"mode", "chosen"}:
        news["story"] = told.get("chosen", info.chosen)  # earlier versions told it by the mode
    news.pop("chosen", None)
    return news
