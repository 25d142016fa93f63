"""One role's read path: from messages to a turn. Everything a turn reads is brought up to date first; then it is asked, purely."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from rolememory.inject.environment import Templates
from rolememory.inject.fence import fenced
from rolememory.inject.persona import Preferences, Utterance, personalisation, preferences
from rolememory.inject.render import Cast, Length, Style, is_stable
from rolememory.inject.styles import Styles
from rolememory.recall import recent, scene_state, story
from rolememory.recall.active_set import EVERYTHING, Visibility
from rolememory.recall.allowance import asks
from rolememory.recall.answer import RecallQuery, RecallResult, answer, ask
from rolememory.recall.associates import NOBODY, Associates, Circle
from rolememory.recall.books import Books, left_by
from rolememory.recall.card import RoleCard
from rolememory.recall.chats import ChatState, ChatStates
from rolememory.recall.gates import TurnGateContext
from rolememory.recall.index import MemoryIndex
from rolememory.recall.live import LiveIndex
from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.scan import chat_number, greeting_of, scan
from rolememory.recall.lore_meaning import LoreMeaning
from rolememory.recall.prepared_chat import SPOKEN, PreparedChat, build_scene, prepare_chat, visible
from rolememory.recall.role_vectors import RoleVectors
from rolememory.recall.story import InView, StoryBlock, StoryWords
from rolememory.recall.turn import Turn, say
from rolememory.schema.evidence import Scored, Trace
from rolememory.schema.generation import USUAL, Generation
from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import Memory, in_utc
from rolememory.schema.message import Message
from rolememory.schema.passage import Passage
from rolememory.schema.role import Character, Role
from rolememory.schema.scene import Language
from rolememory.schema.settings import Settings
from rolememory.storage.derived import DerivedFiles
from rolememory.storage.people import Same, alone
from rolememory.storage.port import Space
from rolememory.text.affect_lexicon import Lexicon
from rolememory.text.cancellation import check_cancelled
from rolememory.text.clean import Cleaner
from rolememory.text.embed.loader import Loader
from rolememory.text.embed.queries import QueryVectors
from rolememory.text.intent import intent
from rolememory.text.lengths import counter_for
from rolememory.text.pattern import PatternBudget
from rolememory.text.words import context_dependence
from rolememory.triggers.table import Among

_STILL_TOLD = ("short_query", "no_trigger_word")
"""A message that asks for nothing changes nothing about the story that it stands in."""


@dataclass(frozen=True, slots=True)
class SharedResources:
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
    visibility: Visibility = EVERYTHING  # which learned memories count, seen from this chat
    lore: bool = True  # activate lorebooks; off where the frontend does
    effects: Mapping[str, float] = field(
        default_factory=dict
    )  # what use has added to weights, by id
    circle: Circle = NOBODY  # associated roles
    shown: frozenset[tuple[str, str]] = frozenset()  # chat and version of what stands in the window
    off: bool = False  # memory is off in this chat
    kin: frozenset[str] = frozenset()  # the chats that share the messages of this one
    away_days: int = 0  # so long nobody spoke before this message; 0 = not worth telling
    scene: Mapping[str, str] = field(default_factory=dict)  # how things stand: field, value
    recent: tuple[ChatMessage, ...] = ()  # the newest messages of the chat that are not in view
    stamp: tuple[tuple[str, str], ...] = ()  # what was printed about the scene last: field, value
    generation: Generation = USUAL
    before: int = 0  # messages of the chat that are known to stand before those given


class RecallPipeline:
    """Holds what a role's turns read. Not thread-safe by itself: its owner lets one turn in at a time."""

    def __init__(self, space: Space, resources: SharedResources, settings: Settings) -> None:
        self.chats = ChatStates(space)
        self.meanings = RoleVectors(space, resources.loader, settings.embedding)
        self.books = Books(space, resources.home)
        self.card = RoleCard(space, resources.home, resources.same)
        self.lore_meaning = LoreMeaning(space, resources.loader, settings.embedding)
        self._derived = DerivedFiles(space)
        self._live = LiveIndex(settings, self.chats.clock.turns, self._derived.of)
        self._live.index.terms.adopt(partial(self._derived.load, "terms"))
        self._associates = Associates(settings, self.chats.clock.turns)
        self._resources = resources
        self._story_words = StoryWords(resources.templates)
        self._wishes: tuple[Among, str, Preferences] | None = None  # of the last audience

    def recall(
        self, role: Role, memories: Mapping[str, Memory], settings: Settings, request: Request
    ) -> Turn:
        """The turn: lore first, then memories, then words in their place."""
        prepared = self._prepare(settings, request)
        check_cancelled()
        kept, cast = self.chats.of(request.chat), self._cast(role, request)
        question, style = self._question(memories, settings, request, prepared, kept, cast)
        check_cancelled()
        lore = self._activate(role, settings, request, prepared, question, kept)
        if settings.lore.cross_waking and lore is not None:
            lore, question = self._wake_across(
                role, settings, request, prepared, question, kept, lore
            )
        if lore is not None and settings.budget.shared_with_lore:
            question = replace(question, room=left_by(lore, settings))
        chapters = self._story(cast, settings, request, question)
        question = replace(question, told=chapters.ids)
        check_cancelled()
        given = answer(question, self._live.audience)
        check_cancelled()
        persona = (
            self._persona(question) if settings.inject.preferences and not given.closed else ""
        )
        told = not given.closed or given.closed[0].code in _STILL_TOLD
        turn = say(
            question,
            given,
            style,
            request.messages,
            lore,
            persona,
            _apart(
                chapters.text if told else "",
                self._recent(cast, settings, request, question, given),
            ),
            self._scene(cast, settings, request, question.scene.language) if told else "",
            "" if chapters.text or (lore and lore.awake) else self._untold(question, given, style),
        )
        turn = replace(
            turn,
            searchable=self._searchable(question, given),
            trace=self._trace(
                turn,
                (*given.notes, *(lore.notes if lore else ()), *style.notes, *request.circle.notes),
            ),
        )
        self._derived.settle(terms=self._live.index.terms.sealed)
        if not request.dry_run:
            self.chats.keep(
                request.chat,
                prepared,
                turn,
                question.scene.now,
                place=request.before + prepared.messages_before,
                rest=settings.recall.passages.rest,
            )
        return turn

    def search(
        self, role: Role, memories: Mapping[str, Memory], settings: Settings, request: Request
    ) -> Sequence[Scored]:
        """Every memory that the query woke, best first; no thresholds, no budget. What is always there was not found by it."""
        prepared, kept = self._prepare(settings, request), self.chats.of(request.chat)
        cast = self._cast(role, request)
        question, _ = self._question(memories, settings, request, prepared, kept, cast)
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

    def follow(self, memories: Mapping[str, Memory], settings: Settings) -> MemoryIndex:
        """The index of these memories. Cost: what changed."""
        vectors, lexicon = self.meanings.follow(memories), self._resources.lexicon()
        return self._live.follow(memories, settings, vectors, lexicon)

    def close(self) -> None:
        """Stop background work and write what is behind."""
        self.meanings.stop()
        self.lore_meaning.meanings.stop()
        self.chats.close()

    def _prepare(self, settings: Settings, request: Request) -> PreparedChat:
        return prepare_chat(request.messages, self._resources.cleaner(settings), request.character)

    def _question(
        self,
        memories: Mapping[str, Memory],
        settings: Settings,
        request: Request,
        prepared: PreparedChat,
        kept: ChatState,
        cast: Cast,
    ) -> tuple[RecallQuery, Style]:
        """What the memories are asked, and how they will be said."""
        index = self.follow(memories, settings)
        scene = build_scene(
            prepared,
            index,
            now=in_utc(request.now) if request.now else datetime.now(UTC),
            turn=self.chats.clock.turn,
            user=request.user,
            talk=None
            if not context_dependence(prepared.query)
            else self._resources.queries.talk(prepared.before),
            seed=len(prepared.segments),
            wanted=request.wanted or _wanted(settings, request),
            names={"char": cast.char, "user": cast.user},
        )
        check_cancelled()
        style = self._style(cast, settings, request, scene.language)
        measure = Length(style, counter_for(settings.budget.unit, settings.lengths))
        occasion = TurnGateContext(prepared.query, prepared.messages_before, off=request.off)
        question = RecallQuery(
            index,
            scene,
            settings,
            measure,
            occasion,
            visible(prepared, request.shown),
            kept.injected,
            again=kept.told(prepared.fingerprint),
            left=kept.left(prepared.fingerprint, settings.recall.passages.rest),
            visibility=request.visibility,
            superseded=self._live.superseded(request.visibility),
            effects=request.effects,
            associated=self._associates.follow(
                request.circle.others, settings, self._resources.lexicon()
            ),
            aside=prepared.aside,
        )
        heard = self._live.audience(question.asker)
        vector = self._resources.queries(index.embedded(prepared.embedded, heard))
        return replace(question, scene=replace(scene, vector=vector)), style

    def _wake_across(
        self,
        role: Role,
        settings: Settings,
        request: Request,
        prepared: PreparedChat,
        question: RecallQuery,
        kept: ChatState,
        lore: Activation,
    ) -> tuple[Activation | None, RecallQuery]:
        """One hop each way: memories that would be injected are scanned for lore keys, the lore awake before for keys of memories."""
        recalled = answer(question, self._live.audience).fitted.chosen
        told = [one.memory.content for one in recalled]
        woken = self._activate(role, settings, request, prepared, question, kept, told)
        return woken, question.hearing([one.content for one in lore.awake])

    def _activate(
        self,
        role: Role,
        settings: Settings,
        request: Request,
        prepared: PreparedChat,
        question: RecallQuery,
        kept: ChatState,
        recalled: Sequence[str] = (),
    ) -> Activation | None:
        """The lorebook entries of this turn, with the timers of its chat."""
        index = (
            self.books.index(role.worldbooks, settings.lore)
            if settings.lore.enabled and request.lore
            else None
        )
        if index is None:
            return None
        card = request.character or self.card.character(role, request.user)
        spoken = [message for message in request.messages if message.role in SPOKEN]
        asked = request.generation
        meant = self.lore_meaning.outside(
            index,
            question.scene,
            settings,
            lambda: self._resources.queries(prepared.embedded),
        )
        return scan(
            index,
            spoken,
            card=card,
            state=kept.timers,
            variables=kept.variables(request.before + prepared.messages_before),
            trigger=asked.kind,
            author_note=asked.author_note,
            injected=asked.searched,
            recalled=recalled,
            outside=(*asked.outside, *meant),
            chance=asked.chance or int(prepared.fingerprint, 16),
            context_tokens=asked.context_tokens,
            greeting=greeting_of(card, spoken) if asked.greeting is None else asked.greeting,
            user_icon=asked.user_icon,
            now=question.scene.now,
            chat=chat_number(request.chat),
            cost=counter_for("tokens", settings.lengths),
            unseen=request.unseen if request.unseen is not None else kept.unseen(prepared),
            patterns=question.scene.patterns
            if isinstance(question.scene.patterns, PatternBudget)
            else None,
            dry_run=request.dry_run,
        )

    def _story(
        self, cast: Cast, settings: Settings, request: Request, question: RecallQuery
    ) -> StoryBlock:
        """The chapters that stand beside the block. Cost: O(chapters)."""
        limit = settings.budget.chapters
        if not limit or not self._live.chapters or request.off:
            return StoryBlock()
        length = counter_for(settings.budget.unit, settings.lengths)
        say_it = self._story_words.of(
            _language(settings, question.scene.language),
            char=cast.char,
            user=cast.user,
            away_days=request.away_days,
        )
        return story.told(
            self._live.chapters,
            self._live.audience(question.asker),
            InView(request.kin, frozenset(version for _, version in request.shown)),
            say_it,
            lambda text: length(text) <= limit,
        )

    def _recent(
        self,
        cast: Cast,
        settings: Settings,
        request: Request,
        question: RecallQuery,
        given: RecallResult,
    ) -> str:
        """What was said last and is not in view, where that is wanted; also where no word asks for older memories."""
        if given.closed and given.closed[0].code != "no_trigger_word":
            return ""
        return recent.worded(
            request.recent,
            self._resources.templates,
            _language(settings, question.scene.language),
            char=cast.char,
            user=cast.user,
        )

    def _scene(self, cast: Cast, settings: Settings, request: Request, language: Language) -> str:
        """How things stand in the scene, where that is wanted."""
        if not settings.inject.scene or request.off or not request.scene:
            return ""
        return scene_state.worded(
            request.scene,
            self._resources.templates,
            _language(settings, language),
            char=cast.char,
            user=cast.user,
        )

    def _untold(self, question: RecallQuery, given: RecallResult, style: Style) -> str:
        """That nothing is known, where somebody asks about the past and nothing of it was found."""
        query, refused = question.scene.query, given.fitted.refused
        if given.closed or not question.settings.inject.untold:
            return ""
        if any(not is_stable(one.memory) for one in given.fitted.chosen):
            return ""
        if intent(query) not in ("past", "mixed") or not asks(query):
            return ""
        if any(refused[one].code != "below_threshold" for one in refused.others):
            return ""
        told = self._resources.templates.render("untold", "default", style.language, style.people)
        return fenced(str(told.text))

    def _searchable(self, question: RecallQuery, given: RecallResult) -> bool:
        """Whether this audience may hear anything that the prompt does not hold. Cost: O(what the prompt holds)."""
        if question.settings.recall.mode != "hybrid" or given.closed:
            return False
        told = {one.memory.id for one in given.fitted.chosen}
        audience, memories = self._live.audience(question.asker), question.index.memories
        return any(
            one not in told and not question.visible.holds(memories[one]) for one in audience
        )

    def _persona(self, question: RecallQuery) -> str:
        """How this user likes to be answered, by the memories this turn may hear. Source: S2.20, S2.21."""
        among, user = self._live.audience(question.asker), question.scene.user or ""
        if self._wishes is None or self._wishes[0] is not among or self._wishes[1] != user:
            known = question.index.memories.items()
            prepared = [memory for memory_id, memory in known if memory_id in among]
            said = (
                Utterance(one.id, one.content, one.created)
                for one in prepared
                if isinstance(one, Passage) and one.role == "user" and one.user == user
            )
            distilled = (one for one in prepared if not isinstance(one, Passage))
            self._wishes = (among, user, preferences(distilled, user, said if user else ()))
        return personalisation(self._wishes[2], question.scene.language, self._resources.templates)

    def _trace(self, turn: Turn, notes: tuple[str, ...]) -> Trace:
        failure = self._resources.queries.failure
        told = (*notes, failure) if failure else notes
        closed = turn.answer.closed
        return Trace(
            notes=told,
            embedder=self._resources.loader.state,
            turn_gate=closed[0].code if closed else None,
        )

    def _style(self, cast: Cast, settings: Settings, request: Request, language: Language) -> Style:
        """How the memories of this turn are said."""
        style = self._resources.styles.get(settings.inject, language, cast)
        return style.at(request.stamp)

    def _cast(self, role: Role, request: Request) -> Cast:
        """Who is who: by the card where there is one."""
        given = request.character
        char = given.name if given else self.card.character(role, request.user).name
        user = request.user or (given.user if given else "")
        chat = request.chat if request.shown else ""
        return Cast(char, user, self._associates.heard_from, chat, self._resources.same)


def _wanted(settings: Settings, request: Request) -> int:
    """How many the semantic strategy may wake: the newest messages are the likest, and stand in the window anyway."""
    return settings.recall.candidates + 2 * len(request.shown) if request.shown else 0


def _language(settings: Settings, spoken: Language) -> Language:
    """The language of the frame."""
    return spoken if settings.inject.language == "auto" else settings.inject.language


def _apart(*texts: str) -> str:
    """Texts with a blank line between them."""
    return "\n\n".join(filter(None, texts))
