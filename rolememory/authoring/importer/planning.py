"""Plans an import: reads cards, lorebooks, personas and the first line of every chat; changes nothing."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from rolememory.authoring.importer.identity import role_plans
from rolememory.authoring.importer.ledger import Ledger
from rolememory.authoring.importer.lore import books_of, read_worlds, world_plans
from rolememory.authoring.importer.people import persona_plans
from rolememory.authoring.importer.plan import (
    PLAIN,
    ChatPlan,
    ImportPlan,
    ImportSettings,
    Problems,
    RolePlan,
    State,
)
from rolememory.cards.role_parts import display_name
from rolememory.cards.tavern import files
from rolememory.cards.tavern.chat import read_head
from rolememory.cards.tavern.dates import named_at
from rolememory.cards.tavern.groups import GroupChat, read_group
from rolememory.cards.tavern.layout import DataFolder
from rolememory.cards.tavern.settings import TavernSettings, read_settings
from rolememory.engine import Home
from rolememory.errors import FileError
from rolememory.locales import Listed
from rolememory.schema.settings import Settings
from rolememory.storage.home import called

Tell = Callable[[int, int], None]
"""Gets (done, all)."""


def make_plan(
    home: Home,
    source: DataFolder,
    ledger: Ledger,
    wishes: ImportSettings = PLAIN,
    tell: Tell = lambda *_: None,
) -> ImportPlan:
    """The plan: the items of the data folder, their state here, and errors. Cost: every card and lorebook, one line of every chat."""
    return _Planner(home, source, ledger, wishes).plan(tell)


class _Planner:
    """Plans the import of one data folder. What cannot be read goes to `problems`."""

    def __init__(
        self, home: Home, source: DataFolder, ledger: Ledger, wishes: ImportSettings
    ) -> None:
        self._home = home
        self._source = source
        self._ledger = ledger
        self._wishes = wishes
        self._problems = Problems()
        self._settings = TavernSettings()
        with self._problems.noted():
            if not source.bare:
                self._settings = read_settings(source.settings)
        self._roles = role_plans(home, source, ledger, self._problems)
        if source.only and not self._roles:
            self._roles[source.only] = self._without_card()

    def plan(self, tell: Tell) -> ImportPlan:
        """The whole plan."""
        home = self._home
        source = self._source
        ledger = self._ledger
        problems = self._problems
        chats = self._identified([*self._solo(tell), *self._grouped()])
        worlds = {} if source.bare else read_worlds(source, problems)
        if source.only:
            named = self._named(chats)
            worlds = {path: book for path, book in worlds.items() if path.stem in named}
        books = world_plans(home, worlds, ledger, problems)
        personas = () if source.only else persona_plans(home, self._settings, ledger, problems)
        chats = [replace(chat, state=self._state(chat)) for chat in chats]
        return ImportPlan(
            source,
            self._settings,
            self._roles,
            books,
            personas,
            tuple(sorted(chats, key=_begun)),
            tuple(problems),
            self._many(chats),
        )

    def _without_card(self) -> RolePlan:
        """The role for a folder of chats without a card: as given or imported before, else the only role of that name."""
        name = self._source.only
        roles = self._home.roles()
        named = called(roles, name)
        wanted = self._wishes.role or self._ledger.of("role", name).get("role")
        other = named[0] if len(named) == 1 else None
        found = next((one for one in roles if one.id == wanted), other)
        if found:
            return RolePlan(name, found.name, "same", found.id)
        return RolePlan(name, display_name(name), "new")

    def _many(self, chats: Iterable[ChatPlan]) -> dict[str, int]:
        """The number of chats by role, if it has new ones and the story setting was not asked yet."""
        found = Counter(avatar for chat in chats for avatar in chat.listeners)
        new = {avatar for chat in chats if chat.state == "new" for avatar in chat.listeners}
        return {
            avatar: count
            for avatar, count in found.items()
            if count > 1
            and avatar in new
            and "stories" not in self._ledger.of("role", avatar)
            and self._rules(self._roles[avatar]).chats.stories == "one"
        }

    def _rules(self, role: RolePlan) -> Settings:
        home = self._home
        return home.context.settings_of(home.folder.find(role.role)) if role.role else home.settings

    def _named(self, chats: Iterable[ChatPlan]) -> set[str]:
        """The lorebooks of these roles and chats, by name."""
        return {
            *(name for chat in chats for name in chat.head.books),
            *(persona.book for persona in self._settings.personas.values()),
            *(name for role in self._roles.values() for name in books_of(role, self._settings)),
        }

    def _solo(self, tell: Tell) -> Iterator[ChatPlan]:
        """Chats of one character."""
        by_folder = {
            avatar if avatar == self._source.only else Path(avatar).stem: avatar
            for avatar in self._roles
        }
        folders = list[Path]()
        with self._problems.noted():
            folders = self._source.chat_folders()
        for done, folder in enumerate(folders, 1):
            found = self._problems.listed(folder, ".jsonl")
            if avatar := by_folder.get(folder.name):
                for path in found:
                    yield from self._chat(path, avatar, folder.name, (avatar,))
            elif found:
                self._problems.append(self._no_role(folder, len(found)))
            tell(done, len(folders))

    def _no_role(self, folder: Path, count: int) -> FileError:
        return FileError(
            folder,
            "{count} {count:chat|chats} without a character: {name} is not there or cannot be read",
            remedy="put the card into characters, or bring this folder alone: import sillytavern {folder}",
            count=count,
            name=f"{folder.name}.png",
            folder=folder,
        )

    def _absent(self, file: Path, group: GroupChat, members: Sequence[str]) -> FileError:
        return FileError(
            file,
            "of the group {name}, {absent} get none of its chats: their cards are not there or cannot be read",
            remedy="put these cards into characters, and import again",
            name=group.name,
            absent=Listed([one for one in group.members if one not in members]),
        )

    def _grouped(self) -> Iterator[ChatPlan]:
        """Group chats; a chat without a group goes to its speakers."""
        source = self._source
        problems = self._problems
        if source.only:
            return
        paths = {path.stem: path for path in problems.listed(source.group_chats, ".jsonl")}
        for file in problems.listed(source.groups, ".json"):
            with problems.noted():
                group = read_group(file)
                members = tuple(avatar for avatar in group.members if avatar in self._roles)
                here = [path for name in group.chats if (path := paths.pop(name, None))]
                if here and len(members) < len(group.members):
                    problems.append(self._absent(file, group, members))
                for path in here:
                    yield from self._chat(path, group.id, group.name, members, group)
        for name, path in paths.items():
            yield from self._chat(path, name, name, (), GroupChat(name, name, (), (), {}))

    def _chat(
        self,
        path: Path,
        place: str,
        folder: str,
        listeners: tuple[str, ...],
        group: GroupChat | None = None,
    ) -> Iterator[ChatPlan]:
        """The chat in this file, if readable. `place`: the scope in which its name is unique."""
        with self._problems.noted():
            head = read_head(path)
            known = group.integrities.get(path.stem, "") if group else ""
            head = replace(head, integrity=head.integrity or known)
            yield ChatPlan(
                path.relative_to(self._source.path).as_posix(),
                path,
                files.stamp(path),
                head,
                head.integrity or f"{place}/{path.stem}",
                folder,
                listeners,
                members=listeners if group else (),
                group=group is not None,
            )

    def _identified(self, chats: list[ChatPlan]) -> list[ChatPlan]:
        """Each chat with a unique id. Old branches share their parent's; then the parent keeps it."""
        found = []
        taken = set[tuple[str, str]]()
        for chat in sorted(chats, key=lambda one: (bool(one.head.main_chat), _begun(one))):
            wanted = str(self._ledger.of("chat", chat.key).get("chat") or chat.id)
            heard_by = chat.listeners or (chat.folder,)
            if any((one, wanted) in taken for one in heard_by):
                wanted = f"{chat.folder if chat.group else heard_by[0]}/{chat.name}"
            taken |= {(one, wanted) for one in heard_by}
            found.append(replace(chat, id=wanted))
        return found

    def _state(self, chat: ChatPlan) -> State:
        row = self._ledger.of("chat", chat.key)
        wishes = self._wishes
        roles = self._roles
        known = {plan.role for plan in roles.values() if plan.role}
        had = set(row.get("roles", ()))
        if not row or (had and had.isdisjoint(known)):  # the roles that had it were deleted
            return "new"
        unread = wishes.again or (wishes.hidden and row.get("hidden") is not True)
        if unread or row.get("stamp") != list(chat.stamp):
            return "changed"
        here = {roles[avatar].role for avatar in chat.listeners}
        return "same" if here <= had <= known else "changed"


def begun(chat: ChatPlan) -> datetime:
    """The begin of the chat, or an estimate."""
    return (
        chat.head.created
        or named_at(chat.name)
        or datetime.fromtimestamp(chat.stamp.changed_ns / 1e9, UTC)
    )


def _begun(chat: ChatPlan) -> tuple[datetime, bool, str]:
    """The order of chats: oldest first, a chat before its branches."""
    return begun(chat), bool(chat.head.main_chat), chat.key
