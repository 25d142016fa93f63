"""Plans an import: reads cards, lorebooks, personas and the first line of every chat; changes nothing."""

from collections.abc import Callable, Iterable, Iterator, Mapping
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
from rolememory.cards.tavern.worlds import World
from rolememory.engine import Home
from rolememory.errors import FileError
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
    problems = Problems()
    settings = _settings(source, problems)
    roles = role_plans(home, source, ledger, problems)
    if source.only and not roles:
        roles[source.only] = _without_card(
            home, source, wishes.role or str(ledger.of("role", source.only).get("role", ""))
        )
    chats = _identified(
        [*_solo(source, roles, problems, tell), *_grouped(source, roles, problems)], ledger
    )
    worlds = [] if source.bare else read_worlds(source, problems)
    if source.only:
        worlds = list(_named(worlds, roles, chats, settings))
    chats = [replace(chat, state=_state(chat, ledger, roles, wishes)) for chat in chats]
    books = world_plans(home, worlds, ledger, problems)
    personas = () if source.only else persona_plans(home, settings, ledger, problems)
    known = tuple(sorted(chats, key=_begun))
    many = _many(home, roles, known, ledger)
    return ImportPlan(source, settings, roles, books, personas, known, tuple(problems), many)


def _many(
    home: Home, roles: Mapping[str, RolePlan], chats: Iterable[ChatPlan], ledger: Ledger
) -> dict[str, int]:
    """The number of chats by role, if it has new ones and the story setting was not asked yet."""
    found = dict[str, int]()
    new = set[str]()
    for chat in chats:
        for avatar in chat.listeners:
            found[avatar] = found.get(avatar, 0) + 1
            new |= {avatar} if chat.state == "new" else set()
    return {
        avatar: count
        for avatar, count in found.items()
        if count > 1
        and avatar in new
        and "stories" not in ledger.of("role", avatar)
        and _rules(home, roles[avatar]).chats.stories == "one"
    }


def _rules(home: Home, role: RolePlan) -> Settings:
    return home.context.settings_of(home.folder.find(role.role)) if role.role else home.settings


def _named(
    worlds: Iterable[World],
    roles: Mapping[str, RolePlan],
    chats: Iterable[ChatPlan],
    settings: TavernSettings,
) -> Iterator[World]:
    """The lorebooks of these roles and chats."""
    names = {name for chat in chats for name in chat.head.books} | {
        persona.book for persona in settings.personas.values()
    }
    for role in roles.values():
        names |= set(books_of(role, settings))
    yield from (world for world in worlds if world.name in names)


def _settings(source: DataFolder, problems: Problems) -> TavernSettings:
    with problems.noted():
        return TavernSettings() if source.bare else read_settings(source.settings)
    return TavernSettings()


def _without_card(home: Home, source: DataFolder, role: str) -> RolePlan:
    """The role for a folder of chats without a card: as given or imported before, else the only role of that name."""
    roles = home.roles()
    named = called(roles, source.only)
    found = next((one for one in roles if one.id == role), named[0] if len(named) == 1 else None)
    name = found.name if found else display_name(source.only)
    return RolePlan(source.only, name, "same" if found else "new", found.id if found else None)


# ── chats ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _solo(
    source: DataFolder, roles: Mapping[str, RolePlan], problems: Problems, tell: Tell
) -> Iterator[ChatPlan]:
    """Chats of one character."""
    by_folder = {avatar if avatar == source.only else Path(avatar).stem: avatar for avatar in roles}
    folders = list[Path]()
    with problems.noted():
        folders = source.chat_folders()
    for done, folder in enumerate(folders, 1):
        avatar = by_folder.get(folder.name)
        found = problems.listed(folder, ".jsonl")
        if avatar is None and found:
            problems.append(_no_role(folder, len(found), source))
        for path in found if avatar is not None else ():
            yield from _chat(source, path, str(avatar), folder.name, (str(avatar),), problems)
        tell(done, len(folders))


def _no_role(folder: Path, count: int, source: DataFolder) -> FileError:
    card = source.characters / f"{folder.name}.png"
    return FileError(
        folder,
        "{count} {count:chat|chats} without a character: {name} is not there or cannot be read",
        remedy="put the card into characters, or bring this folder alone: import sillytavern {folder}",
        count=count,
        name=card.name,
        folder=folder,
    )


def _grouped(
    source: DataFolder, roles: Mapping[str, RolePlan], problems: Problems
) -> Iterator[ChatPlan]:
    """Group chats; a chat without a group goes to its speakers."""
    if source.only:
        return
    found = problems.listed(source.group_chats, ".jsonl")
    paths = {path.stem: path for path in found}
    for file in problems.listed(source.groups, ".json"):
        with problems.noted():
            group = read_group(file)
            members = tuple(avatar for avatar in group.members if avatar in roles)
            for name in group.chats:
                if path := paths.pop(name, None):
                    yield from _chat(source, path, group.id, group.name, members, problems, group)
    for name, path in paths.items():
        nobody = GroupChat(name, name, (), (), {})
        yield from _chat(source, path, name, name, (), problems, nobody)


def _chat(
    source: DataFolder,
    path: Path,
    place: str,
    folder: str,
    listeners: tuple[str, ...],
    problems: Problems,
    group: GroupChat | None = None,
) -> Iterator[ChatPlan]:
    """The chat in this file, if readable. `place`: the scope in which its name is unique."""
    with problems.noted():
        head = read_head(path)
        known = group.integrities.get(path.stem, "") if group else ""
        head = replace(head, integrity=head.integrity or known)
        key, own_id = path.relative_to(source.path).as_posix(), f"{place}/{path.stem}"
        yield ChatPlan(
            key,
            path,
            files.stamp(path),
            head,
            head.integrity or own_id,
            folder,
            listeners,
            members=listeners if group else (),
            group=group is not None,
        )


# ── all chats ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _identified(chats: list[ChatPlan], ledger: Ledger) -> list[ChatPlan]:
    """Each chat with a unique id. Old branches share their parent's; then the parent keeps it."""
    found, taken = [], set[tuple[str, str]]()
    for chat in sorted(chats, key=lambda one: (bool(one.head.main_chat), _begun(one))):
        wanted = str(ledger.of("chat", chat.key).get("chat") or chat.id)
        heard_by = chat.listeners or (chat.folder,)
        if any((one, wanted) in taken for one in heard_by):
            wanted = f"{chat.folder if chat.group else heard_by[0]}/{chat.name}"
        taken |= {(one, wanted) for one in heard_by}
        found.append(replace(chat, id=wanted))
    return found


def _state(
    chat: ChatPlan, ledger: Ledger, roles: Mapping[str, RolePlan], wishes: ImportSettings
) -> State:
    row = ledger.of("chat", chat.key)
    if not row:
        return "new"
    unread = wishes.again or (wishes.hidden and row.get("hidden") is not True)
    if unread or row.get("stamp") != list(chat.stamp):
        return "changed"
    known = {plan.role for plan in roles.values() if plan.role}
    here = {roles[avatar].role for avatar in chat.listeners}
    return "same" if here <= set(row.get("roles", ())) <= known else "changed"


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
