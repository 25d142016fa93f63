"""State of a role's chats between turns: story clock, last injected ids, lore timers. Written in the background."""

from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rolememory.recall.alignment import ChatDigests, digests
from rolememory.recall.prepared_chat import PreparedChat
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.passage import PREFIX
from rolememory.schema.value_class import value_class
from rolememory.storage.port import Space
from rolememory.storage.state import StateLog
from rolememory.text.arrays import Doubles, np

if TYPE_CHECKING:
    from rolememory.recall.query import RecallQuery
    from rolememory.recall.turn import Turn

CLOCK, CHAT = "clock", "chat "  # keys
KEPT = "variables"  # of macros: states by how many messages there were before the user's
MOST_STATES = 24  # turns of a chat that can be taken back
MOST_CHATS = 64  # whose digests are at hand
KEPT_TURNS = 5_000  # of the story clock; older ones are only counted


class StoryClock:
    """The times of a timeline's turns, newest last: counts user turns, not days, so a story paused for a month does not age.

    >>> clock = StoryClock([datetime(2026, 5, day, tzinfo=UTC) for day in (1, 2, 20)])
    >>> clock.turn, clock.at(datetime(2026, 5, 2, 12, tzinfo=UTC))
    (3, 2)
    """

    def __init__(self, moments: Iterable[datetime] = (), before: int = 0) -> None:
        self._seconds = array("d", sorted(moment.timestamp() for moment in moments))
        self._before = before

    @property
    def turn(self) -> int:
        """Number of turns."""
        return self._before + len(self._seconds)

    @property
    def first(self) -> int:
        """The number of the oldest turn whose time is kept."""
        return self._before + 1

    def at(self, moment: datetime) -> int:
        """Number of turns up to that time."""
        return self._before + bisect_right(self._seconds, moment.timestamp())

    def turns(self, seconds: Doubles) -> Doubles:
        """Number of turns up to each of these times, in seconds since 1970; shape kept."""
        found = np.searchsorted(np.array(self._seconds), seconds, side="right")
        return (self._before + found).astype(np.float64)

    def tick(self, moment: datetime) -> None:
        """Count a turn. A time before the last one counts as the last: the clock is monotonic."""
        now = moment.timestamp()
        self._seconds.append(max(now, self._seconds[-1]) if self._seconds else now)
        if len(self._seconds) > 2 * KEPT_TURNS:
            self._before += len(self._seconds) - KEPT_TURNS
            del self._seconds[:-KEPT_TURNS]

    def kept(self) -> dict[str, float]:
        """The kept times: turn number -> seconds since 1970."""
        return {str(turn): round(at, 3) for turn, at in enumerate(self._seconds, self._before + 1)}

    @property
    def newest(self) -> dict[str, float]:
        """The newest of `kept`."""
        return {str(self.turn): round(self._seconds[-1], 3)} if self._seconds else {}

    @classmethod
    def of(cls, kept: Mapping[str, object]) -> "StoryClock":
        """The clock from the value of `kept`."""
        told = {int(turn): at for turn, at in kept.items() if turn.isdigit()}
        turns = [at for _, at in sorted(told.items()) if isinstance(at, int | float)]
        return cls((datetime.fromtimestamp(at, UTC) for at in turns), min(told, default=1) - 1)


@value_class
class ChatState:
    """The state of one chat for a message."""

    chat: str
    held: JsonMapping
    said: str  # tells the message from others
    revision: int  # changes when another process changed any chat

    @property
    def injected(self) -> frozenset[str]:
        """The ids in the prompt of the last turn."""
        return frozenset(self.held.get("ids", ()))

    @property
    def is_again(self) -> bool:
        """Whether the last turn had the same message: a swipe or regeneration."""
        return bool(self.held.get("said") == self.said)

    def left(self, rest: int) -> dict[str, int]:
        """Passages that left the prompt within `rest` turns before this message: id -> turns ago."""
        number, held = self.resting(rest)
        return {one: number - at for one, at in held.items()}

    def resting(self, rest: int) -> tuple[int, dict[str, int]]:
        """The number of this message's turn, and the turn in which each passage left the prompt; equal for a swipe."""
        before = self.held
        number, held = int(before.get("turn", 0)), dict(before.get("left", {}))
        if self.is_again:
            return number, held
        here = set(before.get("ids", ()))
        held |= dict.fromkeys(sorted(set(before.get("last", ())) - here), number)
        number += 1
        kept = {one: at for one, at in held.items() if one not in here and number - at <= rest}
        return number, kept

    @property
    def timers(self) -> JsonObject:
        """The running timers of lore, as JSON."""
        found: JsonObject = self.held.get("timers", {})
        return found

    def variables(self, place: int) -> JsonMapping:
        """The macro variables before the turn that begins after `place` messages.

        A swipe, an edit or an undone turn starts from the same values.
        """
        earlier = _states(self.held, place)
        found: JsonObject = earlier[-1]["kept"] if earlier else {}
        return found


class ChatStates:
    """Chat states; a turn writes only its changes, and a crash may lose seconds."""

    def __init__(self, space: Space) -> None:
        self._state = StateLog(space, "turns")
        # by chat: what this process kept last, and when somebody else had changed anything last
        self._seen: dict[str, tuple[int, ChatDigests]] = {}
        self.clock = StoryClock.of(self._state.of(CLOCK))

    def of(self, chat: str, said: str = "") -> ChatState:
        """The current state of this chat for that message."""
        held = self._state.of(CHAT + chat)
        return ChatState(chat, held, said, self._state.revision)

    def keep(self, question: "RecallQuery", turn: "Turn") -> None:
        """Store what this turn changes in the state of its chat.

        A new user message is a turn of the story, a swipe of the same one is not.
        """
        kept = question.state
        chat, before, swiped = kept.chat, kept.held, kept.is_again
        number, resting = kept.resting(question.settings.recall.passages.rest)
        if not swiped:
            self._tick(question.scene.now)
        known, strays = self._known(kept)
        seen = known.with_visible(digests(question.prepared.spoken))
        changes = {
            "said": kept.said,
            "turn": number,
            "left": resting,
            "last": before.get("last", [])
            if swiped
            else [one for one in before.get("ids", ()) if one.startswith(PREFIX)],
            "ids": [one.memory.id for one in turn.recalled],
        }
        if turn.lore is not None:
            changes["timers"] = turn.lore.state.model_dump(mode="json", exclude_defaults=True)
            if chat:  # a chat without a name is anybody's
                states, left = _states(before, question.place), turn.lore.variables.to_json()
                if left or states or before.get(KEPT):
                    changes[KEPT] = [*states, {"before": question.place, "kept": left}][
                        -MOST_STATES:
                    ]
        news = {name: value for name, value in changes.items() if before.get(name) != value}
        self._state.put(CHAT + chat, {**dict.fromkeys(strays), **seen.since(known), **news})
        self._seen = {} if len(self._seen) >= MOST_CHATS else self._seen
        self._seen[chat] = kept.revision, seen  # as it was: another process may have written since

    def _known(self, kept: ChatState) -> tuple[ChatDigests, list[str]]:
        """The digests of a chat, and the names of those that continue none of them."""
        revision, known = self._seen.get(kept.chat, (-1, ChatDigests()))
        if revision == kept.revision:
            return known, []
        known = ChatDigests.of(kept.held)
        numbered = [name for name in kept.held if name[0] == "#"]
        return known, [name for name in numbered if int(name[1:]) not in known.numbers]

    def unseen(self, kept: ChatState, prepared: PreparedChat) -> int:
        """Number of messages of a chat that the frontend truncated before the visible ones."""
        known, _ = self._known(kept)
        return known.unseen(digests(prepared.spoken))

    def forget(self, chats: Collection[str]) -> None:
        """Delete the state of these chats, at once."""
        self._seen.clear()
        self._state.drop([CHAT + chat for chat in chats])

    def keep_only(self, chats: Collection[str]) -> None:
        """Delete the state of all other chats, and the last injected ids, at once."""
        self._seen.clear()
        kept, prompted = {CLOCK, *(CHAT + chat for chat in chats)}, ("said", "ids", "last", "left")
        self._state.replace(
            {
                key: {name: value for name, value in held.items() if name not in prompted}
                for key, held in self._state.load().items()
                if key in kept
            }
        )

    def close(self) -> None:
        """Write pending changes."""
        self._state.close()

    def _tick(self, now: datetime) -> None:
        before = self.clock.first
        self.clock.tick(now)
        gone = {str(turn): None for turn in range(before, self.clock.first)}
        self._state.put(CLOCK, {**gone, **self.clock.newest})


def _states(held: JsonMapping, place: int) -> list[JsonObject]:
    """The states of macro variables before that place of the chat; oldest first."""
    rows = held.get(KEPT)
    return [row for row in rows if row["before"] < place] if isinstance(rows, list) else []
