"""One role's read path: from messages to a turn. Everything a turn reads is brought up to date first; then it is asked, purely."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from rolememory.inject.environment import Templates
from rolememory.inject.persona import Preferences, personalisation, preferences
from rolememory.inject.render import Cast, Length, Style
from rolememory.inject.styles import Styles
from rolememory.recall.answer import Question, answer, ask
from rolememory.recall.associates import NOBODY, Associates, Circle
from rolememory.recall.books import Books, left_by
from rolememory.recall.card import CardOfRole
from rolememory.recall.chats import ChatStates
from rolememory.recall.gates import Occasion
from rolememory.recall.hear import SPOKEN, Heard, hear, set_scene, visible
from rolememory.recall.live import LiveIndex
from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.scan import scan
from rolememory.recall.lore_meaning import LoreMeaning
from rolememory.recall.meanings import Meanings
from rolememory.recall.standing import EVERYTHING, Sees
from rolememory.recall.turn import Turn, say
from rolememory.schema.evidence import Scored, Trace
from rolememory.schema.memory import Memory, in_utc
from rolememory.schema.message import Message
from rolememory.schema.role import Character, Role
from rolememory.schema.scene import Language
from rolememory.schema.settings import Settings
from rolememory.storage.people import Same, alone
from rolememory.storage.port import Space
from rolememory.text.clean import Cleaner
from rolememory.text.embed.ladder import Loader
from rolememory.text.embed.queries import QueryVectors, asked
from rolememory.text.feel_words import Lexicon
from rolememory.text.lengths import counter_for
from rolememory.text.pattern import Budget
from rolememory.text.words import leans_on
from rolememory.triggers.table import Among


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all roles of a home share."""

    loader: Loader
    queries: QueryVectors
    templates: Templates
    styles: Styles
    cleaner: Callable[[Settings], Cleaner | None]
    lexicon: Callable[[], Lexicon | None]
    home: Space  # shared lorebooks, personas
    same: Same = alone  # the name under which a user's person is known


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks of one turn."""

    messages: tuple[Message, ...]
    chat: str = ""
    user: str | None = None
    character: Character | None = None
    now: datetime | None = None
    dry_run: bool = False
    unseen: int | None = (
        None  # messages of the chat that the frontend cut off before those given; None = found out
    )
    wanted: int = 0  # memories the semantic strategy may wake; 0 = by settings
    sight: Sees = EVERYTHING  # which learned memories count, seen from this chat
    lore: bool = True  # activate lorebooks; off where the frontend does
    effects: Mapping[str, float] = field(
        default_factory=dict
    )  # what use has added to weights, by id
    circle: Circle = NOBODY  # associated roles
    shown: frozenset[tuple[str, str]] = frozenset()  # chat and version of what stands in the window
    off: bool = False  # memory is off in this chat
    stamp: tuple[tuple[str, str], ...] = ()  # what was printed about the scene last: field, value


class Recollection:
    """Holds what a role's turns read. Not thread-safe by itself: its owner lets one turn in at a time."""

    def __init__(self, space: Space, around: Surroundings, settings: Settings) -> None:
        self.chats = ChatStates(space)
        self.meanings = Meanings(space, around.loader, settings.embedding)
        self.books = Books(space, around.home)
        self.card = CardOfRole(space, around.home, around.same)
        self.lore_meaning = LoreMeaning(space, around.loader, settings.embedding)
        self._live = LiveIndex(settings, self.chats.clock.turns)
        self._associates = Associates(settings, self.chats.clock.turns)
        self._around = around
        self._wishes: tuple[Among, str, Preferences] | None = None  # of the last audience

    def recall(
        self, role: Role, memories: Mapping[str, Memory], settings: Settings, request: Request
    ) -> Turn:
        """The turn: lore first, then memories, then words in their place."""
        heard = self._hear(settings, request)
        question = self._question(role, memories, settings, request, heard)
        lore = self._activate(role, settings, request, heard, question)
        if settings.lore.cross_waking and lore is not None:
            lore, question = self._wake_across(role, settings, request, heard, question, lore)
        if lore is not None and settings.budget.shared_with_lore:
            question = replace(question, room=left_by(lore, settings))
        given = answer(question, self._live.audience)
        style = self._style(role, settings, request, question.scene.language)
        persona = (
            self._persona(question) if settings.inject.preferences and not given.closed else ""
        )
        turn = say(question, given, style, request.messages, lore, persona)
        turn = replace(
            turn,
            trace=self._trace(
                turn,
                (*given.notes, *(lore.notes if lore else ()), *style.notes, *request.circle.notes),
            ),
        )
        if not request.dry_run:
            self.chats.keep(request.chat, heard, turn, question.scene.now)
        return turn

    def search(
        self, role: Role, memories: Mapping[str, Memory], settings: Settings, request: Request
    ) -> Sequence[Scored]:
        """Every memory that the query woke, best first; no thresholds, no budget. What is always there was not found by it."""
        question = self._question(role, memories, settings, request, self._hear(settings, request))
        finding = tuple(one for one in question.index.strategies if one.trigger.name != "constant")
        return ask(
            replace(
                question,
                index=replace(question.index, strategies=finding),
                associated=(),
                aside=True,
            ),
            self._live.audience,
        )[0]

    def close(self) -> None:
        """Stop background work and write what is behind."""
        self.meanings.stop()
        self.lore_meaning.meanings.stop()
        self.chats.close()

    def _hear(self, settings: Settings, request: Request) -> Heard:
        return hear(request.messages, self._around.cleaner(settings), request.character)

    def _question(
        self,
        role: Role,
        memories: Mapping[str, Memory],
        settings: Settings,
        request: Request,
        heard: Heard,
    ) -> Question:
        index = self._live.follow(
            memories,
            settings,
            self.meanings.follow(memories),
            self._around.lexicon(),
        )
        scene = set_scene(
            heard,
            index,
            now=in_utc(request.now) if request.now else datetime.now(UTC),
            turn=self.chats.clock.turn,
            user=request.user,
            talk=None if not leans_on(heard.query) else self._around.queries.talk(heard.before),
            vector=self._around.queries(asked(heard.query, heard.earlier)),
            seed=len(heard.segments),
            wanted=request.wanted or _wanted(settings, request),
        )
        style = self._style(role, settings, request, scene.language)
        measure = Length(style, counter_for(settings.budget.unit, settings.lengths))
        occasion = Occasion(heard.query, heard.messages_before, off=request.off)
        return Question(
            index,
            scene,
            settings,
            measure,
            occasion,
            visible(heard, request.shown),
            self.chats.injected(request.chat),
            sight=request.sight,
            superseded=self._live.superseded(request.sight),
            effects=request.effects,
            associated=self._associates.follow(
                request.circle.others, settings, self._around.lexicon()
            ),
            aside=heard.aside,
        )

    def _wake_across(
        self,
        role: Role,
        settings: Settings,
        request: Request,
        heard: Heard,
        question: Question,
        lore: Activation,
    ) -> tuple[Activation | None, Question]:
        """One hop each way: memories that would be injected are scanned for lore keys, the lore awake before for keys of memories."""
        recalled = answer(question, self._live.audience).fitted.chosen
        woken = self._activate(
            role, settings, request, heard, question, [one.memory.content for one in recalled]
        )
        return woken, question.hearing([one.content for one in lore.awake])

    def _activate(
        self,
        role: Role,
        settings: Settings,
        request: Request,
        heard: Heard,
        question: Question,
        injected: Sequence[str] = (),
    ) -> Activation | None:
        """The lorebook entries of this turn, with the timers of its chat."""
        index = (
            self.books.index(role.worldbooks, settings.lore)
            if settings.lore.enabled and request.lore
            else None
        )
        if index is None:
            return None
        return scan(
            index,
            [message for message in request.messages if message.role in SPOKEN],
            card=request.character or self.card.character(role, request.user),
            state=self.chats.timers(request.chat),
            injected=injected,
            outside=self.lore_meaning.outside(index, question.scene, settings),
            chance=int(heard.fingerprint, 16),
            unseen=request.unseen
            if request.unseen is not None
            else self.chats.unseen(request.chat, heard),
            patterns=question.scene.patterns
            if isinstance(question.scene.patterns, Budget)
            else None,
            dry_run=request.dry_run,
        )

    def _persona(self, question: Question) -> str:
        """How this user likes to be answered, by the memories this turn may hear. Source: S2.20, S2.21."""
        among, user = self._live.audience(question.asker), question.scene.user or ""
        if self._wishes is None or self._wishes[0] is not among or self._wishes[1] != user:
            heard = (
                memory
                for memory_id, memory in question.index.memories.items()
                if memory_id in among
            )
            self._wishes = (among, user, preferences(heard, user))
        return personalisation(self._wishes[2], question.scene.language, self._around.templates)

    def _trace(self, turn: Turn, notes: tuple[str, ...]) -> Trace:
        failure = self._around.queries.failure
        told = (*notes, failure) if failure else notes
        closed = turn.answer.closed
        return Trace(
            notes=told,
            embedder=self._around.loader.state,
            turn_gate=closed[0].code if closed else None,
        )

    def _style(self, role: Role, settings: Settings, request: Request, language: Language) -> Style:
        """How the memories of this turn are said."""
        style = self._around.styles.get(settings.inject, language, self._cast(role, request))
        return style.at(request.stamp)

    def _cast(self, role: Role, request: Request) -> Cast:
        """Who is who: by the card where there is one."""
        given = request.character
        char = given.name if given else self.card.character(role, request.user).name
        heard_from = self._associates.heard_from if request.circle.others else {}
        user = request.user or (given.user if given else "")
        chat = request.chat if request.shown else ""
        return Cast(char, user, heard_from, chat, self._around.same)


def _wanted(settings: Settings, request: Request) -> int:
    """How many the semantic strategy may wake: the newest messages are the likest, and stand in the window anyway."""
    return settings.recall.candidates + 2 * len(request.shown) if request.shown else 0
