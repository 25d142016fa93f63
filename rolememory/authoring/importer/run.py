"""Runs an import item by item; each is recorded when done, so that an interrupted import continues at the next run."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from types import MappingProxyType
from typing import Literal

from rolememory.authoring.import_card import import_card
from rolememory.authoring.importer.ledger import Ledger
from rolememory.authoring.importer.lore import books_of, catch_all_keys, write_world
from rolememory.authoring.importer.memories import ImportedChat, remember_summaries
from rolememory.authoring.importer.people import user_of, write_persona
from rolememory.authoring.importer.plan import (
    ChatPlan,
    ImportPlan,
    Kind,
    PersonaPlan,
    RolePlan,
    State,
    WorldPlan,
)
from rolememory.authoring.importer.planning import begun
from rolememory.authoring.importer.sink import KeptChat, keep_chat
from rolememory.authoring.importer.transcript import ChatTranscripts, RoleTranscript, hidden_in
from rolememory.cards.role_parts import display_name, role_from_card
from rolememory.cards.tavern.chat import ChatFile, read_chat
from rolememory.cards.tavern.names import as_stored
from rolememory.chats.stories import Living
from rolememory.engine import Home, RoleMemory
from rolememory.errors import FileError, RoleMemoryError
from rolememory.schema.value_class import value_class
from rolememory.storage.files import atomic
from rolememory.storage.port import bytes_in
from rolememory.text.fold import fold_name


@value_class
class ImportedItem:
    """The result of one item of the plan."""

    kind: Kind
    name: str
    state: State | Literal["failed"]
    key: str = ""
    size: int = 0  # bytes of a chat
    role: str | None = None  # id of a character's role
    roles: tuple[str, ...] = ()  # names of a chat's roles
    user: str | None = None
    messages: int = 0  # messages, summed over roles
    hidden: int = 0  # excluded hidden messages
    summaries: int = 0  # new
    learned: int = 0  # memories learned from the chat
    problems: tuple[RoleMemoryError, ...] = field(default=())


class ImportRun:
    """An import. `run` yields each item when it is done; a failed item has its error, and the rest continues."""

    def __init__(
        self,
        home: Home,
        plan: ImportPlan,
        ledger: Ledger,
        *,
        hidden: bool = False,
        stories: Mapping[str, Living] = MappingProxyType({}),
    ) -> None:
        """`stories`: by avatar, for those of `plan.many`, whether the chats of a role share one story; by default each is its own."""
        self.home = home
        self.plan = plan
        self.ledger = ledger
        self._hidden = hidden
        self._stories = {avatar: stories.get(avatar, "each") for avatar in plan.many}
        self._roles: dict[str, RolePlan] = dict(plan.roles)

    def run(self) -> Iterator[ImportedItem]:
        """Import all new items: lorebooks, roles, personas, then chats, oldest first."""
        for brought, do in self._steps():
            yield self._tried(brought, do)

    def _steps(self) -> Iterator[tuple[ImportedItem, Callable[[], ImportedItem]]]:
        """The steps, each with the item to report if it fails."""
        for world in self.plan.worlds.values():
            item = ImportedItem("world", world.name, world.state)
            yield item, partial(self._world, world, item)
        for role in self.plan.roles.values():
            item = ImportedItem("role", role.name, role.state, role.avatar)
            yield item, partial(self._role, role, item)
        for persona in self.plan.personas:
            item = ImportedItem("persona", persona.persona.name, persona.state)
            yield item, partial(self._persona, persona, item)
        for chat in self.plan.due:
            yield _chat_item(chat), partial(self._chat, chat)

    def _tried(self, brought: ImportedItem, do: Callable[[], ImportedItem]) -> ImportedItem:
        try:
            return do()
        except RoleMemoryError as error:
            return replace(brought, state="failed", problems=(error,))
        except OSError as error:
            return replace(
                brought, state="failed", problems=(atomic.not_written(self.home.path, error),)
            )

    # ── items ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _world(self, world: WorldPlan, item: ImportedItem) -> ImportedItem:
        write_world(self.home, world, self.ledger)
        return replace(item, problems=catch_all_keys(self.home, world))

    def _persona(self, persona: PersonaPlan, item: ImportedItem) -> ImportedItem:
        if persona.state in ("new", "changed"):
            write_persona(self.home, persona.persona, self.ledger)
        return item

    def _role(self, role: RolePlan, item: ImportedItem) -> ImportedItem:
        role_id = role.role or self._made(role)
        if role.card is not None and role.state == "changed":
            import_card(self.home, role.card, into=self.home.folder.find(role_id))
        self._roles[role.avatar] = replace(role, role=role_id)
        row = self.ledger.of("role", role.avatar)
        stamp = None if role.stamp is None else list(role.stamp)
        linked = row.get("linked", []) if row.get("role") == role_id else []
        fields = {"greets": role.greets, "world": role.world, "mark": role.mark, "linked": linked}
        self.ledger.note("role", role.avatar, role=role_id, stamp=stamp, **fields)
        if role.card is not None:
            self._call(role_id, as_stored(role.card.name))
        self._link(role.avatar, books_of(role, self.plan.settings))
        self._drop_own_book(role, role_id)
        return replace(item, role=role_id)

    def _made(self, role: RolePlan) -> str:
        """Create a role; with a new id if the card has another role's, as a copied card does."""
        known = {one.id for one in self.home.roles()}
        if role.card is not None and role_from_card(role.card).role.id not in known:
            return import_card(self.home, role.card, name=role.name).role.id
        made = self.home.folder.create(role.name, str(uuid.uuid4()))
        return (
            import_card(self.home, role.card, into=made).role.id
            if role.card is not None
            else made.id
        )

    def _call(self, role_id: str, name: str) -> None:
        """Add an alias to the role, unless another role has that name."""
        if name and fold_name(name) not in self.home.folder.names():
            role = self.home.folder.find(role_id)
            self.home.folder.update(role.model_copy(update={"aliases": (*role.aliases, name)}))

    def _link(self, avatar: str, names: Sequence[str]) -> None:
        """Link lorebooks to a role, each once: a book that was unlinked here stays unlinked."""
        row = self.ledger.of("role", avatar)
        before = list(row.get("linked", ()))
        files = {name: self.plan.worlds[name].file for name in names if name in self.plan.worlds}
        fresh = [file for file in files.values() if file not in before]
        if not fresh:
            return
        role = self.home.folder.find(str(self._roles[avatar].role))
        added = [file for file in fresh if file not in role.worldbooks]
        if added:
            self.home.folder.update(
                role.model_copy(update={"worldbooks": (*role.worldbooks, *added)})
            )
        self.ledger.note("role", avatar, linked=[*before, *fresh])

    def _drop_own_book(self, role: RolePlan, role_id: str) -> None:
        """Delete the card's copy of a lorebook that was imported as a newer file; two copies would fire twice."""
        world = self.plan.worlds.get(role.world)
        if world is None or role.card is None:
            return
        space = self.home.folder.space(role_id)
        for name, data in role_from_card(role.card, role_id).files.items():
            if name.startswith("worldbooks/") and bytes_in(space.blob(name)) == data:
                space.blob(name).delete()

    # ── chats ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _read(self, plan: ChatPlan) -> tuple[ChatFile, ImportedItem]:
        """The chat, and its known part of the result."""
        chat = read_chat(plan.path)
        user = user_of(plan.head, chat.messages, self.plan.settings)
        hidden = 0 if self._hidden else hidden_in(chat)
        return chat, replace(_chat_item(plan), user=user, hidden=hidden, problems=chat.problems)

    def _chat(self, plan: ChatPlan) -> ImportedItem:
        chat, done = self._read(plan)
        transcripts = ChatTranscripts(chat, plan, self._roles, hidden=self._hidden)
        here = [role for role in transcripts.listeners() if role.role]
        if plan.listeners and not here:
            raise FileError(
                plan.path,
                "not brought: its character could not be",
                remedy="see what is said of the character, then import again",
            )
        summaries = dict(self.ledger.of("chat", plan.key).get("summaries", {}))
        for role in here:
            heard = transcripts.of(role, begun(plan))
            known = str(role.role)
            if heard.since is not None:
                before = summaries.get(known, ())
                done, summaries[known] = self._told(plan, chat, role, heard, done, before)
        fields = {
            "stamp": list(plan.stamp),
            "hidden": self._hidden,
        }
        roles = [str(role.role) for role in here]
        self.ledger.note("chat", plan.key, chat=plan.id, roles=roles, summaries=summaries, **fields)
        return done

    def _told(
        self,
        plan: ChatPlan,
        chat: ChatFile,
        role: RolePlan,
        heard: RoleTranscript,
        done: ImportedItem,
        before: Sequence[str],
    ) -> tuple[ImportedItem, list[str]]:
        role_memory: RoleMemory = self.home.role(str(role.role))
        known = len(role_memory.memories)
        self._link(role.avatar, self._books_of_chat(plan, done.user))
        if not plan.group:
            self._call(str(role.role), display_name(plan.head.character))
        kept = KeptChat(plan.id, ())
        if heard.messages:
            own = self._is_own(plan, role)
            kept = keep_chat(role_memory, heard.messages, plan.id, done.user, plan.name, own)
        learned = len(role_memory.memories) - known
        ids, fresh = remember_summaries(
            role_memory,
            chat.summaries,
            ImportedChat(kept.chat, done.user, heard, kept.versions),
            before,
        )
        done = replace(
            done,
            roles=(*done.roles, role.name),
            messages=done.messages + len(heard.messages),
            summaries=done.summaries + fresh,
            learned=done.learned + learned,
        )
        return done, ids

    def _is_own(self, plan: ChatPlan, role: RolePlan) -> bool:
        """Whether a chat becomes its own story; decided when it is first imported into this role."""
        if role.role in self.ledger.of("chat", plan.key).get("roles", ()):
            return False
        avatar = role.avatar
        chosen = self.ledger.of("role", avatar).get("stories") or self._stories.get(avatar)
        if chosen is not None:
            self.ledger.note("role", avatar, stories=chosen)
        return bool(chosen == "each")

    def _books_of_chat(self, plan: ChatPlan, user: str | None) -> list[str]:
        """The lorebooks of the chat and of the persona."""
        settings = self.plan.settings
        persona = settings.personas.get(plan.head.persona) or (
            settings.persona_named(user) if user else None
        )
        return [*plan.head.books, *([persona.book] if persona and persona.book else [])]


def _chat_item(chat: ChatPlan) -> ImportedItem:
    return ImportedItem("chat", chat.name, chat.state, chat.key, chat.stamp.size)
