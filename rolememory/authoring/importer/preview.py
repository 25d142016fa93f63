"""Previews what the chats of a plan would give; nothing is written."""

from collections.abc import Iterator

from rolememory.authoring.importer.people import user_of
from rolememory.authoring.importer.plan import ChatPlan, ImportPlan
from rolememory.authoring.importer.planning import begun
from rolememory.authoring.importer.run import ImportedItem
from rolememory.authoring.importer.transcript import as_heard, hidden_in, listeners
from rolememory.cards.tavern.chat import read_chat
from rolememory.errors import FileError


def look(plan: ImportPlan, *, hidden: bool = False) -> Iterator[ImportedItem]:
    """Each chat that is due, with what would be heard of it. Cost: O(bytes of all chats)."""
    for chat in plan.due:
        try:
            yield _looked(plan, chat, hidden)
        except FileError as error:
            yield ImportedItem("chat", chat.name, "failed", chat.key, problems=(error,))


def _looked(plan: ImportPlan, chat: ChatPlan, hidden: bool) -> ImportedItem:
    found, roles = read_chat(chat.path), tuple(plan.roles.values())
    heard = {
        role.name: len(
            as_heard(found, chat, role, roles, begun=begun(chat), hidden=hidden).messages
        )
        for role in listeners(found, chat, plan.roles)
    }
    return ImportedItem(
        "chat",
        chat.name,
        chat.state,
        chat.key,
        roles=tuple(name for name, count in heard.items() if count),
        user=user_of(chat.head, found.messages, plan.settings),
        messages=sum(heard.values()),
        hidden=0 if hidden else hidden_in(found),
        summaries=len(found.summaries) + len(chat.memories),
        problems=found.problems,
    )
