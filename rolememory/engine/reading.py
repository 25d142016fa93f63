"""Reading: what the character remembers on a turn, and what a query finds."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import reduce
from typing import TYPE_CHECKING, Any

from rolememory.chats.presence import Readers
from rolememory.chats.sight import Sight
from rolememory.chats.values import Glimpse
from rolememory.engine.mind import Mind
from rolememory.engine.said import Name, Said, Time, heard, name_of, names_of, time_of, user_of
from rolememory.errors import RoleMemoryError
from rolememory.recall.associates import NOBODY, Circle, Other, partners
from rolememory.recall.candidates import Candidates
from rolememory.recall.explain import with_setting
from rolememory.recall.fit import once
from rolememory.recall.recollection import Request
from rolememory.recall.scene_state import merged
from rolememory.recall.turn import Turn
from rolememory.schema.evidence import Scored
from rolememory.schema.generation import USUAL, Generation
from rolememory.schema.learning import Said as ChatMessage
from rolememory.schema.memory import Evidence, Memory
from rolememory.schema.message import Message, TurnKind
from rolememory.schema.role import Character
from rolememory.schema.settings import Settings
from rolememory.text.patience import patiently, still_wanted

STAMPED = 60  # messages among which the state of the scene is looked for
if TYPE_CHECKING:
    from rolememory.text.vectors import VectorTable

RULES_S = 0.25  # a turn waits so long for rules that are still reading what was said before it; it is a matter of milliseconds


class Reading(Mind):
    """The read path of a role."""

    def recall(
        self,
        messages: Iterable[Said] | Said,
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
        """What the character remembers on this turn, as words in their place among the messages.

        `messages` is the whole visible chat, oldest first, or the newest message alone; `unseen` messages before them were cut off by the frontend
        (None: found out from the turns before, by `chat`). Blocks of ours that came back among them are taken out.
        Only what everybody who will read the reply was present for is recalled: the users in `present` (left out: those
        known to be in this chat) and the other characters in `members` (likewise).
        What was learned from messages that were edited, swiped away or told in another branch or story is not heard.
        `dry_run` looks without counting the turn; `lore=False` leaves lorebooks to the frontend. `settings`: dotted keys
        that hold for this turn alone, e.g. `{"budget.max_total_length": 800}`. `generation`: its kind, or all that lorebooks ask
        of it (author's note, greeting, context size).

        Raises:
            KeyError, ValueError: such a key is not known, or its value does not fit.
        """
        self.home.check_open()
        rules = reduce(
            lambda rules, key: with_setting(rules, *key), (settings or {}).items(), self.settings
        )
        said, chat, user, now = heard(messages), name_of(chat), user_of(user), time_of(now)
        present, members = names_of(present), names_of(members)
        self.learned(RULES_S)
        glimpse = self.chats.glimpse(said, chat=chat, user=user, clean=self._clean)
        still_wanted()
        self.home.people.follow()
        readers = self.chats.readers(glimpse.chat or chat, user, present, members)
        sight = self.chats.visible_from(chat, glimpse, readers, user=user)
        memories = self.store.snapshot().memories
        candidates = self._candidates(memories, rules)
        shown = glimpse.path[glimpse.unseen :]
        still_wanted()
        request = Request(
            said,
            glimpse.chat or chat,
            user,
            character,
            now,
            dry_run,
            unseen,
            sight=sight,
            lore=lore,
            effects=self._usage.effects(sight, memories),
            circle=self._circle(readers, sight.story),
            shown=frozenset(
                (glimpse.chat, said.version) for said in patiently(shown) if said.slot >= 0
            ),
            off=sight.off,
            kin=self.chats.family(glimpse.chat or chat),
            scene=self._scene_of(glimpse, sight) if rules.inject.scene else {},
            away_days=_away_days(glimpse.path, now, rules.inject.previously_days),
            generation=Generation(generation) if isinstance(generation, str) else generation,
            before=glimpse.unseen,
            recent=self._recent_of(glimpse, sight, rules.memory.short_term_count),
            stamp=next((said.stamp for said in glimpse.path[-STAMPED:][::-1] if said.stamp), ()),
        )
        still_wanted()
        with self._lock:
            turn = self._recollection.recall(self.role, candidates, rules, request)
        if not dry_run:
            self._usage.prompted(
                glimpse.chat, glimpse.path, [one.memory.id for one in turn.recalled]
            )
        self.home.loader.start()  # only now: a library that is being imported would hold the first answer up
        return turn

    @staticmethod
    def _recent_of(glimpse: Glimpse, sight: Sight, most: int) -> tuple[ChatMessage, ...]:
        """The newest messages before those in view, as far as everybody who reads has heard them."""
        if not most or sight.off:
            return ()
        before = glimpse.path[max(glimpse.unseen - most, 0) : glimpse.unseen]
        return tuple(
            one for one in before if sight.sees(Evidence(chat=glimpse.chat, version=one.version))
        )

    def _scene_of(self, glimpse: Glimpse, sight: Sight) -> Mapping[str, str]:
        """How things stand at the end of a path, as far as everybody who reads has heard it. Cost: O(messages looked at)."""
        path, chat = glimpse.path[-STAMPED:], glimpse.chat
        shown = len(path) - (
            len(glimpse.path) - glimpse.unseen
        )  # what stands before is not in view

        def heard(versions: Sequence[str]) -> bool:
            return sight.sees(Evidence(chat=chat, version="+".join(versions)))

        stamps = [
            one.stamp
            for at, one in reversed(list(enumerate(path)))
            if one.stamp and (at >= shown or heard([one.version]))
        ]
        standing = self._scenes.standing(
            chat, lambda versions: all(map(glimpse.path.standing, versions)) and heard(versions)
        )
        return merged(stamps, standing[-1].fields if standing else {})

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        user: Name | None = None,
        chat: Name | None = None,
        present: Iterable[Name] | Name | None = None,
        members: Iterable[Name] | Name | None = None,
        now: Time | None = None,
    ) -> list[Scored]:
        """The memories nearest to a query, best first: the ranker of `recall` with its thresholds off.

        `chat`, `present` and `members` tell who else reads what is found, as for `recall`. With a chat only what its story knows is
        found ("" = one that has no name), without one what was said in any story.
        """
        self.home.check_open()
        user, chat, now = user_of(user), user_of(chat), time_of(now)
        present, members = names_of(present), names_of(members)
        self.learned(RULES_S)
        self.home.people.follow()
        readers = self.chats.readers(chat or "", user, present, members)
        story = None if chat is None else self.chats.story_of(chat, user)
        sight = self.chats.visible_from(None, readers=readers, story=story, inside=chat or "")
        request = Request(
            (Message.user(query),), user=user, now=now, dry_run=True, wanted=limit, sight=sight
        )
        with self._lock:
            return once(
                self._recollection.search(
                    self.role,
                    self._candidates(self.store.snapshot().memories, self.settings),
                    self.settings,
                    request,
                ),
                limit,
            )

    def _candidates(
        self, memories: Mapping[str, Memory], settings: Settings
    ) -> Mapping[str, Memory]:
        """Memories and what was said, as recall asks them; the same object while nothing changed."""
        if settings.recall.passages.recall == "none":
            return memories
        with self._lock:
            passages = self._passages.follow()
            known = self._asked
            if known is None or not known.are(memories, passages):
                known = self._asked = Candidates(memories, passages)
        return known

    def ready(self, timeout: float | None = None) -> bool:
        """Wait until the model is loaded and every memory has its vector; false without a model."""
        candidates = self._candidates(self.memories, self.settings)
        return self._recollection.meanings.ready(candidates, timeout)

    @property
    def embedded(self) -> int:
        """How many memories have their vectors by now."""
        return len(self._recollection.meanings.table or ())

    def as_heard(self, factor: float, readers: Readers, story: str | None = None) -> Other:
        """What an associated role hears of this one in that story, when these read its reply."""
        known = self._candidates(self.memories, self.settings)
        sight = self.chats.visible_from(None, readers=readers, story=story)
        return Other(self.role, factor, known, self._vectors(), sight)

    def _vectors(self) -> "VectorTable | None":
        """The vectors of all that recall asks, as far as they are there."""
        candidates = self._candidates(self.store.snapshot().memories, self.settings)
        return self._recollection.meanings.follow(candidates)

    def _circle(self, readers: Readers, story: str | None) -> Circle:
        """The roles that are heard here, as they are now."""
        role = self.role
        if not role.associates:
            return NOBODY
        found, notes = partners(role, self.home.folder.find)
        others: list[Other] = []
        for other, factor in found:
            try:
                others.append(self.home.role(other.id).as_heard(factor, readers, story))
            except RoleMemoryError as error:
                notes.append(f"associate {other.name!r}: {error}")
        return Circle(tuple(others), tuple(notes))


def _away_days(path: Sequence[ChatMessage], now: datetime | None, least: float) -> int:
    """For how many whole days nobody had spoken before the newest message of the user; 0 where that is less than so many."""
    asked = next((at for at in range(len(path) - 1, -1, -1) if path[at].role == "user"), 0)
    if not least or not asked:
        return 0
    days = ((now or datetime.now(UTC)) - path[asked - 1].at).total_seconds() / 86_400
    return int(days) if days >= max(least, 1.0) else 0
