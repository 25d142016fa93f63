"""Review by a person: what is pending, what is kept of a chat, what was changed, and how to undo it.

由人说了算：什么在等人过目，会话里存着什么，改过什么，怎样收回。
"""

from datetime import UTC, datetime
from tempfile import TemporaryDirectory

from rolememory import Home, Message, RoleMemory

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
U, A = Message.user, Message.assistant


def told(mind: RoleMemory) -> list[str]:
    """What counts now."""
    outdated = {old for memory in mind.memories.values() for old in memory.supersedes}
    return sorted(memory.content for memory in mind.memories.values() if memory.id not in outdated)


with TemporaryDirectory() as folder, Home.open(folder, {"embedding.backend": "off"}) as home:
    mira = home.role("Mira", create=True)
    mira.remember("I live in Rome.", "semantic", id="written", subject="user")

    # What an author wrote is never replaced by what is said in a chat: a correction waits. So does what holds a secret.
    mira.observe(
        [U("Correction: I live in Paris."), A("Since when?")],
        chat="harbour",
        user="Lin",
        now=NOW,
    )
    mira.observe(
        [U("Remember that my key is sk-proj-Zq81LmT4vXbN02HcRkWdPyEa7UfGoJs5."), A("Hush.")],
        chat="safe",
        user="Lin",
        now=NOW,
    )
    for waiting in mira.waiting():
        print(f"waits: {waiting.draft.content}  ({waiting.reason.code})")

    paris, secret = mira.waiting()
    mira.accept(paris.id, content="I live in Paris now.")
    mira.reject(secret.id)
    print("\naccepted, edited:", told(mira))
    print("still waiting:   ", len(mira.waiting()))

    # Every change has its line, and a way back.
    for line in mira.history()[:2]:
        print(f"history: {line.op} by {line.actor}")
    mira.undo()
    print("undone:          ", told(mira))

    # The chat is kept as it was said, also when the frontend loses it.
    for said in mira.chats.path("harbour"):
        print(f"kept: {said.role}: {said.text}")

    # One person's way out: memories, chats, history, backups.
    gone = mira.forget("Lin")
    print(
        f"\nforgotten: {gone.memories} memories, {len(gone.chats)} chats; left: {mira.chats.chats()}"
    )

    waner = home.role("沈晚", create=True)
    waner.remember("我住在苏州。", "semantic", id="亲笔", subject="user")
    waner.observe([U("更正：我住在杭州。"), A("哦？")], chat="初见", user="阿霖", now=NOW)
    for waiting in waner.waiting():
        print(f"\n等你过目：{waiting.draft.content}")
        waner.accept(waiting.id)
    print("接受之后：", told(waner))
