"""The recall pipeline of a role: from messages to a turn. First updates all indexes, then runs the pure query."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from rolememory.inject.environment import Templates
from rolememory.inject.persona import Preferences, Utterance, personalisation, preferences
from rolememory.inject.render import Cast, Length
from rolememory.inject.styles import Styles
from rolememory.recall import story
from rolememory.recall.active_set import EVERYTHING, Visibility
from rolememory.recall.allowance import asks
from rolememory.recall.answer import RecallResult, answer, ask
from rolememory.recall.associates import NOBODY, Associates, Circle
from rolememory.recall.blocks import recent_block, rendered, scene_block
from rolememory.recall.chats import ChatState, ChatStates
from rolememory.recall.gates import Asker
from rolememory.recall.index import MemoryIndex
from rolememory.recall.live import LiveIndex
from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.scan import chat_number, greeting_of, scan
from rolememory.recall.lore_meaning import LoreMeaning
from rolememory.recall.prepared_chat import SPOKEN, PreparedChat, build_scene, prepare_chat
from rolememory.recall.query import RecallQuery
from rolememory.recall.role_files import Books, RoleCard, left_by
from rolememory.recall.role_vectors import RoleVectors
from rolememory.recall.story import InView, StoryBlock, StoryWords
from rolememory.recall.turn import Turn, say
from rolememory.recall.visible import Visible
from rolememory.schema.evidence import Scored
from rolememory.schema.generation import USUAL, Generation
from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import Memory, in_utc
from rolememory.schema.message import Message
from rolememory.schema.passage import Passage
from rolememory.schema.role import Character, Role
from rolememory.schema.scene import Scene
from rolememory.schema.settings import Settings
from rolememory.schema.value_class import value_class
from rolememory.storage.derived import DerivedFiles
from rolememory.storage.kept_memories import KeptMemories
from rolememory.storage.look import Watched
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
"""Reasons to skip recall that keep the story block."""


@value_class
class SharedResources:
    """Resources shared by all roles of a home."""

    loader: Loader
    queries: QueryVectors
    templates: Templates
    styles: Styles
    cleaner: Callable[[Settings], Cleaner | None]
    lexicon: Callable[[], Lexicon | None]
    home: Space  # shared lorebooks, personas
    same: Same = alone  # the name under which a user's person is known


@value_class
class Request:
    """The parameters of one turn."""

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
    scene: Mapping[str, str] = field(
        default_factory=dict
    )  # how things stand, if that is told: field, value
    recent: tuple[ChatMessage, ...] = ()  # the newest messages of the chat that are not in view
    stamp: tuple[tuple[str, str], ...] = ()  # what was printed about the scene last: field, value
    generation: Generation = USUAL
    before: int = 0  # messages of the chat that are known to stand before those given


@value_class
class _TurnInputs:
    """The inputs of a turn, read once."""

    role: Role
    settings: Settings
    request: Request
    prepared: PreparedChat
    kept: ChatState
    index: MemoryIndex
    scene: Scene
    asker: Asker
    heard: Among  # whom the asker may hear
    told: Length  # how what is recalled is said, and how long that is

    @property
    def frame(self) -> Mapping[str, Any]:
        """Language and names for the text around memories."""
        return {"language": self.told.style.language, **self.scene.names}


class RecallPipeline:
    """Holds the indexes of a role. Not thread-safe: its owner admits one turn at a time."""

    def __init__(
        self,
        space: Space,
        resources: SharedResources,
        settings: Settings,
        kept: Callable[[], KeptMemories | None] = lambda: None,
    ) -> None:
        self._kept = kept  # what another process kept of the memories; asked before the first turn
        self.chats = ChatStates(space)
        self.books = Books(space, resources.home)
        self.card = RoleCard(space, resources.home, resources.same)
        self.lore_meaning = LoreMeaning(space, resources.loader, settings.embedding)
        self._derived = DerivedFiles(space)
        self._live = LiveIndex(settings, self.chats.clock.turns, self._derived.of)
        terms = self._live.index.terms
        terms.adopt(partial(self._derived.load, "terms"))
        self.meanings = RoleVectors(
            space, resources.loader, settings.embedding, digests=terms.digests
        )
        self._associates = Associates(settings, self.chats.clock.turns)
        self._resources = resources
        self._story_words = StoryWords(resources.templates)
        self._wishes: tuple[Among, str, Preferences] | None = None  # of the last audience

    def recall(
        self, role: Role, memories: Mapping[str, Memory], settings: Settings, request: Request
    ) -> Turn:
        """Run a turn: lore, memories, rendering and placement."""
        of = self._prepared(role, memories, settings, request)
        check_cancelled()
        lore, question = self._activate(of), self._question(of)
        if settings.lore.cross_waking and lore is not None:
            lore, question = self._wake_across(of, question, lore)
        if lore is not None and settings.budget.shared_with_lore:
            question = replace(question, room=left_by(lore, settings))
        chapters = self._story(of)
        if chapters.chapters:
            question = replace(question, told=chapters.ids)
        check_cancelled()
        given = answer(question, of.heard)
        check_cancelled()
        told = not given.closed or given.closed[0].code in _STILL_TOLD
        wanted = settings.inject.preferences and not given.closed
        wishes = self._preferences(of) if wanted else None
        failure = self._resources.queries.failure
        turn = say(
            question,
            given,
            of.told,
            request.messages,
            lore,
            continuing=request.generation.kind == "continue",
            persona=personalisation(wishes, of.scene.language, self._resources.templates)
            if wishes
            else "",
            story="\n\n".join(
                filter(None, (chapters.text if told else "", self._recent(of, given)))
            ),
            scene=scene_block(request.scene, self._resources.templates, **of.frame)
            if told and request.scene
            else "",
            untold="" if chapters.text or (lore and lore.awake) else self._untold(of, given),
            searchable=self._searchable(of, question, given),
            embedder=self._resources.loader.state,
            notes=(
                *(wishes.notes if wishes else ()),
                *request.circle.notes,
                *filter(None, [failure]),
            ),
        )
        if self._derived.unsettled:
            self._derived.settle(terms=self._live.index.terms.sealed)
        if not request.dry_run:
            self.chats.keep(
                of.kept,
                of.prepared,
                turn,
                of.scene.now,
                place=request.before + len(of.prepared.before),
                rest=settings.recall.passages.rest,
            )
        return turn

    def search(
        self, role: Role, memories: Mapping[str, Memory], settings: Settings, request: Request
    ) -> Sequence[Scored]:
        """Every memory activated by the query, best first, without thresholds and budget. Constant memories are left out."""
        of = self._prepared(role, memories, settings, request, aside=True)
        question = replace(self._question(of), associated=())
        finding = tuple(one for one in of.index.strategies if one.trigger.name != "constant")
        return ask(replace(question, index=replace(of.index, strategies=finding)), of.heard)[0]

    def watched(self, role: Role) -> Watched:
        """The lorebooks, the card and the personas."""
        return {**self.books.watched(role.worldbooks), **self.card.watched(role)}

    @property
    def asked(self) -> bool:
        """Whether memories are indexed: they were queried before."""
        return bool(self._live.index.table.row_of)

    @property
    def is_indexing(self) -> bool:
        """Whether many memories are being indexed now."""
        return self._live.is_indexing

    def follow(self, memories: Mapping[str, Memory], settings: Settings) -> MemoryIndex:
        """The index of these memories. Cost: O(changes)."""
        if not self.asked and (kept := self._kept()):
            self._live.adopt(kept, memories)
        vectors, lexicon = self.meanings.follow(memories), self._resources.lexicon()
        return self._live.follow(memories, settings, vectors, lexicon)

    def keep_vectors(self, role: Role, memories: Mapping[str, Memory], settings: Settings) -> None:
        """Remove all stored vectors but those of these memories and the lorebooks. Raises: NotWrittenError."""
        lore = self.books.index(role.worldbooks, settings.lore)
        self.meanings.keep_only(memories.values())
        self.lore_meaning.meanings.keep_only(one.entry for one in (lore.entries if lore else ()))

    def may_say(self, content: str, memories: Mapping[str, Memory]) -> Iterator[Memory]:
        """The memories that may have this content: not those unread of which the index knows another."""
        return self._live.index.may_say(content, memories)

    def facts(
        self, memories: Sequence[Memory], turns: AbstractContextManager[object]
    ) -> bytes | None:
        """The facts of these memories for another process; None if not indexed here.

        May run concurrently with turns, except inside `turns`. Also None if a turn changed the index meanwhile.
        """
        index = self._live.index
        found = index.facts(memories) if self.asked else None
        with turns:
            return found if index is self._live.index else None

    def close(self) -> None:
        """Stop background work and write pending data."""
        self.meanings.stop()
        self.lore_meaning.meanings.stop()
        self.chats.close()

    def _prepared(
        self,
        role: Role,
        memories: Mapping[str, Memory],
        settings: Settings,
        request: Request,
        *,
        aside: bool = False,
    ) -> "_TurnInputs":
        """The inputs of a turn; `aside`: out-of-character remarks may be recalled for any message."""
        prepared = prepare_chat(
            request.messages, self._resources.cleaner(settings), request.character
        )
        kept = self.chats.of(request.chat, prepared.fingerprint)
        cast = self._cast(role, request)
        index = self.follow(memories, settings)
        asker = Asker(
            request.user,
            in_utc(request.now) if request.now else datetime.now(UTC),
            settings.recall,
            self._live.superseded(request.visibility),
            request.visibility,
            request.visibility.readers,
            prepared.aside or aside,
        )
        heard = self._live.audience(asker)
        vector, talk, queries = None, None, self._resources.queries
        if self._resources.loader.get():
            vector = queries(index.embedded(prepared.embedded, heard))
            talk = queries.talk(prepared.before) if context_dependence(prepared.query) else None
        # the newest messages are the likest, and stand in the window anyway
        wanted = settings.recall.candidates + 2 * len(request.shown) if request.shown else 0
        scene = build_scene(
            prepared,
            index,
            now=asker.now,
            turn=self.chats.clock.turn,
            user=request.user,
            chat=request.chat,
            talk=talk,
            seed=len(prepared.segments),
            wanted=request.wanted or wanted,
            names={"char": cast.char, "user": cast.user},
            vector=vector,
        )
        style = self._resources.styles.get(settings.inject, scene.language, cast).at(request.stamp)
        told = Length(style, counter_for(settings.budget.unit, settings.lengths))
        return _TurnInputs(
            role, settings, request, prepared, kept, index, scene, asker, heard, told
        )

    def _question(self, of: "_TurnInputs") -> RecallQuery:
        """The recall query of the turn."""
        settings, request, prepared = of.settings, of.request, of.prepared
        texts = [segment.text for segment in prepared.segments if segment.index >= 0]
        return RecallQuery(
            of.index,
            of.scene,
            settings,
            of.told,
            of.asker,
            Visible.of(prepared.query, texts, request.shown),
            of.kept.injected,
            again=of.kept.injected if of.kept.is_again else frozenset(),
            left=of.kept.left(settings.recall.passages.rest),
            effects=request.effects,
            associated=self._associates.follow(
                request.circle.others, settings, self._resources.lexicon()
            ),
            heard=len(of.heard),
            before=len(prepared.before),
            off=request.off,
        )

    def _wake_across(
        self, of: "_TurnInputs", question: RecallQuery, lore: Activation
    ) -> tuple[Activation | None, RecallQuery]:
        """One step each way: memories to be injected are scanned for lore keys, and lore activated before for memory keys."""
        recalled = answer(question, of.heard).fitted.chosen
        woken = self._activate(of, [one.memory.content for one in recalled])
        return woken, question.hearing([one.content for one in lore.awake])

    def _activate(self, of: "_TurnInputs", recalled: Sequence[str] = ()) -> Activation | None:
        """The lorebook entries of this turn, with the timers of its chat."""
        settings, request, prepared, scene = of.settings, of.request, of.prepared, of.scene
        index = (
            self.books.index(of.role.worldbooks, settings.lore)
            if settings.lore.enabled and request.lore
            else None
        )
        if index is None:
            return None
        card = request.character or self.card.character(of.role, request.user)
        spoken = [message for message in request.messages if message.role in SPOKEN]
        asked = request.generation
        meant = self.lore_meaning.outside(
            index, scene, settings, lambda: self._resources.queries(prepared.embedded)
        )
        return scan(
            index,
            spoken,
            card=card,
            state=of.kept.timers,
            variables=of.kept.variables(request.before + len(prepared.before)),
            trigger=asked.kind,
            author_note=asked.author_note,
            injected=asked.searched,
            recalled=recalled,
            outside=(*asked.outside, *meant),
            chance=asked.chance or int(of.kept.said, 16),
            context_tokens=asked.context_tokens,
            greeting=greeting_of(card, spoken) if asked.greeting is None else asked.greeting,
            user_icon=asked.user_icon,
            now=scene.now,
            chat=chat_number(request.chat),
            cost=counter_for("tokens", settings.lengths),
            unseen=request.unseen
            if request.unseen is not None
            else self.chats.unseen(of.kept, prepared),
            patterns=scene.patterns if isinstance(scene.patterns, PatternBudget) else None,
            dry_run=request.dry_run,
        )

    def _story(self, of: "_TurnInputs") -> StoryBlock:
        """The story block. Cost: O(chapters)."""
        limit, request, length = of.settings.budget.chapters, of.request, of.told.count
        if not limit or not self._live.chapters or request.off:
            return StoryBlock()
        return story.story_block(
            self._live.chapters,
            of.heard,
            InView(request.kin, frozenset(version for _, version in request.shown)),
            self._story_words.of(**of.frame, away_days=request.away_days),
            lambda text: length(text) <= limit,
        )

    def _recent(self, of: "_TurnInputs", given: RecallResult) -> str:
        """The newest messages not in view, if configured; also without a trigger word for older memories."""
        said = of.request.recent
        if not said or (given.closed and given.closed[0].code != "no_trigger_word"):
            return ""
        return recent_block(said, self._resources.templates, **of.frame)

    def _untold(self, of: "_TurnInputs", given: RecallResult) -> str:
        """The line saying that nothing is known, for a question about the past without results."""
        query, refused, style = of.scene.query, given.fitted.refused, of.told.style
        if given.closed or not of.settings.inject.untold:
            return ""
        if any(not one.memory.constant for one in given.fitted.chosen):
            return ""
        if not asks(query) or intent(query) not in ("past", "mixed"):
            return ""
        if any(refused[one].code != "below_threshold" for one in refused.others):
            return ""
        return rendered("untold", self._resources.templates, style.language, style.people)

    @staticmethod
    def _searchable(of: "_TurnInputs", question: RecallQuery, given: RecallResult) -> bool:
        """Whether this audience has eligible memories outside the prompt. Cost: O(memories in the prompt)."""
        if of.settings.recall.mode != "hybrid" or given.closed:
            return False
        told, memories = {one.memory.id for one in given.fitted.chosen}, of.index.memories
        return any(
            one not in told and not question.visible.holds(memories[one]) for one in of.heard
        )

    def _preferences(self, of: "_TurnInputs") -> Preferences:
        """The user's answering preferences, from eligible memories. Source: S2.20, S2.21."""
        among, user = of.heard, of.scene.user or ""
        if self._wishes is None or self._wishes[0] is not among or self._wishes[1] != user:
            prepared = [one for one_id, one in of.index.memories.items() if one_id in among]
            said = (
                Utterance(one.id, one.content, one.created)
                for one in prepared
                if isinstance(one, Passage) and one.role == "user" and one.user == user
            )
            distilled = (one for one in prepared if not isinstance(one, Passage))
            self._wishes = (among, user, preferences(distilled, user, said if user else ()))
        return self._wishes[2]

    def _cast(self, role: Role, request: Request) -> Cast:
        """Names for the block, from the card if there is one."""
        given = request.character
        char = given.name if given else self.card.character(role, request.user).name
        user = request.user or (given.user if given else "")
        chat = request.chat if request.shown else ""
        return Cast(char, user, self._associates.heard_from, chat, self._resources.same)
