"""The recall pipeline of a role: from messages to a turn. First updates all indexes, then runs the pure query."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial

from rolememory.inject.environment import Templates
from rolememory.inject.persona import Preferences, Utterance, personalisation, preferences
from rolememory.inject.render import Cast, Length
from rolememory.inject.styles import Styles
from rolememory.recall import story
from rolememory.recall.allowance import asks
from rolememory.recall.answer import RecallResult, answer, rank
from rolememory.recall.associates import Associates
from rolememory.recall.blocks import recent_block, rendered, scene_block
from rolememory.recall.chat_states import ChatStates
from rolememory.recall.gates import Asker
from rolememory.recall.index import MemoryIndex
from rolememory.recall.live import LiveIndex
from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.scan import chat_number, greeting_of, scan
from rolememory.recall.lore_meaning import LoreMeaning
from rolememory.recall.prepared_chat import SPOKEN, build_scene, prepare_chat
from rolememory.recall.query import RecallQuery, Request
from rolememory.recall.role_files import Books, RoleCard, left_by
from rolememory.recall.role_vectors import RoleVectors
from rolememory.recall.story import InView, StoryBlock, StoryWords
from rolememory.recall.turn import Turn, render_turn
from rolememory.recall.visible import Visible
from rolememory.schema.evidence import Scored
from rolememory.schema.memory import Memory, in_utc
from rolememory.schema.passage import Passage
from rolememory.schema.role import Role
from rolememory.schema.settings import Settings
from rolememory.schema.value_class import value_class
from rolememory.storage.derived import DerivedFiles
from rolememory.storage.home import folded_names
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
        self.meanings = RoleVectors(
            space,
            resources.loader,
            settings.embedding,
            digests=self._digests,
        )
        self._settings = settings  # for an index of nothing
        self._associates = Associates(settings, self.chats.clock.turns)
        self._resources = resources
        self._story_words = StoryWords(resources.templates)
        self._wishes: tuple[Collection[str], str, Preferences] | None = None  # of the last audience

    @cached_property
    def _live(self) -> LiveIndex:
        """Made when something is asked: commands that only list or write load no numpy."""
        live = LiveIndex(self._settings, self.chats.clock.turns, self._derived.of)
        live.index.terms.adopt(partial(self._derived.load, "terms"))
        return live

    def _digests(self, ids: Sequence[str], most: int) -> Sequence[bytes]:
        return self._live.index.terms.digests(ids, most)

    def recall(
        self, role: Role, memories: Mapping[str, Memory], settings: Settings, request: Request
    ) -> Turn:
        """Run a turn: lore, memories, rendering and placement."""
        question = self._prepared(role, memories, settings, request)
        check_cancelled()
        lore = self._activate(role, question)
        if settings.lore.cross_waking and lore is not None:
            lore, question = self._wake_across(role, question, lore)
        if lore is not None and settings.budget.shared_with_lore:
            question = replace(question, room=left_by(lore, settings))
        chapters = self._story(question)
        if chapters.chapters:
            question = replace(question, told=chapters.ids)
        check_cancelled()
        given = answer(question)
        check_cancelled()
        told = not given.closed or given.closed[0].code in _STILL_TOLD
        wanted = settings.inject.preferences and not given.closed
        wishes = self._preferences(question) if wanted else None
        failure = self._resources.queries.failure
        turn = render_turn(
            question,
            given,
            lore,
            persona=personalisation(wishes, question.scene.language, self._resources.templates)
            if wishes
            else "",
            story="\n\n".join(
                filter(None, (chapters.text if told else "", self._recent(question, given)))
            ),
            scene=scene_block(request.scene, self._resources.templates, **question.frame)
            if told and request.scene
            else "",
            untold="" if chapters.text or (lore and lore.awake) else self._untold(question, given),
            searchable=self._searchable(question, given),
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
            self.chats.keep(question, turn)
        return turn

    def search(
        self, role: Role, memories: Mapping[str, Memory], settings: Settings, request: Request
    ) -> Sequence[Scored]:
        """Every memory activated by the query, best first, without thresholds and budget. Constant memories are left out."""
        question = self._prepared(role, memories, settings, request, aside=True)
        index = question.index
        finding = tuple(one for one in index.strategies if one.trigger.name != "constant")
        found = replace(index, strategies=finding)
        return rank(replace(question, associated=(), index=found))[0]

    def watched(self, role: Role) -> Watched:
        """The lorebooks, the card and the personas."""
        return {**self.books.watched(role.worldbooks), **self.card.watched(role)}

    @property
    def asked(self) -> bool:
        """Whether memories are indexed: they were queried before."""
        return "_live" in vars(self) and bool(self._live.index.table.row_of)

    @property
    def is_indexing(self) -> bool:
        """Whether many memories are being indexed now."""
        return "_live" in vars(self) and self._live.is_indexing

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

    def contents(self, memories: Mapping[str, Memory]) -> list[bytes]:
        """The digest of each one's content, b"" where it has to be read."""
        return self._live.index.contents(memories) if self.asked else [b""] * len(memories)

    def facts(
        self, memories: Sequence[Memory], turns: AbstractContextManager[object]
    ) -> bytes | None:
        """The facts of these memories for another process; None if not indexed here.

        May run concurrently with turns, except inside `turns`. Also None if a turn changed the index meanwhile.
        """
        if not self.asked:
            return None
        index = self._live.index
        found = index.facts(memories)
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
    ) -> RecallQuery:
        """The recall query of a turn; `aside`: out-of-character remarks may be recalled for any message."""
        prepared = prepare_chat(
            request.messages, self._resources.cleaner(settings), request.character
        )
        cast = self._cast(role, request)
        index = self.follow(memories, settings)
        asker = Asker(
            request.user,
            in_utc(request.now) if request.now else datetime.now(UTC),
            settings.recall,
            self._live.superseded(request.visibility),
            request.visibility,
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
        texts = [segment.text for segment in prepared.segments if segment.index >= 0]
        return RecallQuery(
            index,
            scene,
            settings,
            Length(style, counter_for(settings.budget.unit, settings.lengths)),
            asker,
            request,
            prepared,
            self.chats.of(request.chat, prepared.fingerprint),
            heard,
            Visible.of(prepared.query, texts, request.shown),
            self._associates.follow(request.circle.others, settings, self._resources.lexicon()),
        )

    def _wake_across(
        self, role: Role, question: RecallQuery, lore: Activation
    ) -> tuple[Activation | None, RecallQuery]:
        """One step each way: memories to be injected are scanned for lore keys, and lore activated before for memory keys."""
        recalled = answer(question).fitted.chosen
        woken = self._activate(role, question, [one.memory.content for one in recalled])
        return woken, question.hearing([one.content for one in lore.awake])

    def _activate(
        self, role: Role, question: RecallQuery, recalled: Sequence[str] = ()
    ) -> Activation | None:
        """The lorebook entries of this turn, with the timers of its chat."""
        settings, request, prepared, scene = (
            question.settings,
            question.request,
            question.prepared,
            question.scene,
        )
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
            index, scene, settings, lambda: self._resources.queries(prepared.embedded)
        )
        return scan(
            index,
            spoken,
            card=card,
            state=question.state.timers,
            variables=question.state.variables(question.place),
            trigger=asked.kind,
            author_note=asked.author_note,
            injected=asked.searched,
            recalled=recalled,
            outside=(*asked.outside, *meant),
            chance=asked.chance or int(question.state.said, 16),
            context_tokens=asked.context_tokens,
            greeting=greeting_of(card, spoken) if asked.greeting is None else asked.greeting,
            user_icon=asked.user_icon,
            now=scene.now,
            chat=chat_number(request.chat),
            cost=counter_for("tokens", settings.lengths),
            unseen=request.unseen
            if request.unseen is not None
            else self.chats.unseen(question.state, prepared),
            patterns=scene.patterns if isinstance(scene.patterns, PatternBudget) else None,
            dry_run=request.dry_run,
        )

    def _story(self, question: RecallQuery) -> StoryBlock:
        """The story block. Cost: O(chapters)."""
        limit, request = question.settings.budget.chapters, question.request
        if not limit or not self._live.chapters or request.visibility.off:
            return StoryBlock()
        return story.story_block(
            self._live.chapters,
            question.heard,
            InView(request.kin, frozenset(version for _, version in request.shown)),
            self._story_words.of(**question.frame, away_days=request.away_days),
            lambda text: question.measure.count(text) <= limit,
        )

    def _recent(self, question: RecallQuery, given: RecallResult) -> str:
        """The newest messages not in view, if configured; also without a trigger word for older memories."""
        said = question.request.recent
        if not said or (given.closed and given.closed[0].code != "no_trigger_word"):
            return ""
        return recent_block(said, self._resources.templates, **question.frame)

    def _untold(self, question: RecallQuery, given: RecallResult) -> str:
        """The line saying that nothing is known, for a question about the past without results."""
        query, refused, style = question.scene.query, given.fitted.refused, question.measure.style
        if given.closed or not question.settings.inject.untold:
            return ""
        if any(not one.memory.constant for one in given.fitted.chosen):
            return ""
        if not asks(query) or intent(query) not in ("past", "mixed"):
            return ""
        if any(refused[one].code != "below_threshold" for one in refused.others):
            return ""
        return rendered("untold", self._resources.templates, style.language, style.people)

    @staticmethod
    def _searchable(question: RecallQuery, given: RecallResult) -> bool:
        """Whether this audience has eligible memories outside the prompt. Cost: O(memories in the prompt)."""
        if question.settings.recall.mode != "hybrid" or given.closed:
            return False
        told, memories = {one.memory.id for one in given.fitted.chosen}, question.index.memories
        return any(
            one not in told and not question.visible.holds(memories[one]) for one in question.heard
        )

    def _preferences(self, question: RecallQuery) -> Preferences:
        """The user's answering preferences, from eligible memories. Source: S2.20, S2.21."""
        among, user = question.heard, question.scene.user or ""
        if self._wishes is None or self._wishes[0] is not among or self._wishes[1] != user:
            prepared = [one for one_id, one in question.index.memories.items() if one_id in among]
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
        own = frozenset(folded_names(role))
        return Cast(char, user, self._associates.heard_from, chat, self._resources.same, own)
