"""What the chats of a plan would give, read whole and written nowhere."""

from collections.abc import Iterator

from rolememory.author.bring.carry import Brought
from rolememory.author.bring.hearing import as_heard, hidden_in, listeners
from rolememory.author.bring.people import user_of
from rolememory.author.bring.plan import ChatPlan, Plan
from rolememory.author.bring.planning import begun
from rolememory.cards.tavern.chat import read_chat
from rolememory.errors import FileError


def look(plan: Plan, *, hidden: bool = False) -> Iterator[Brought]:
    """Each chat that is due, with what would be heard of it. Cost: O(bytes of all chats)."""
    for chat in plan.due:
        try:
            yield _looked(plan, chat, hidden)
        except FileError as error:
            yield Brought("chat", chat.name, "failed", chat.key, problems=(error,))


def _looked(plan: Plan, chat: ChatPlan, hidden: bool) -> Brought:
    found, roles = read_chat(chat.path), tuple(plan.roles.values())
    heard = {
        role.name: len(
            as_heard(found, chat, role, roles, begun=begun(chat), hidden=hidden).messages
        )
        for role in listeners(found, chat, plan.roles)
    }
    return Brought(
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
