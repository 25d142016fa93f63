"""A bot: many chats at once, one event loop. Recall before the reply, on a thread; the model's answer is invented here."""

import asyncio
from datetime import UTC, datetime
from tempfile import TemporaryDirectory

from rolememory import Home, Message, RoleMemory, aio

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


async def model(messages: list[Message]) -> str:
    """Where your LLM would be: it says how much it was given to read."""
    await asyncio.sleep(0)
    notes = sum(message.content.count("\n- ") for message in messages if message.role == "system")
    return f"(an answer; memories in mind: {notes})"


async def talk(mira: RoleMemory, user: str, lines: list[str]) -> list[str]:
    """One user's chat. `chat` keeps timers and turns apart, `user` keeps private memories private."""
    history: list[Message] = [Message.system("You are Mira.")]
    told = []
    for line in lines:
        history.append(Message.user(line, name=user))
        turn = await aio(mira.recall)(history, chat=f"channel-{user}", user=user, now=NOW)
        reply = await model(list(turn.messages))  # what is injected is never kept in the history
        history.append(Message.assistant(reply))
        told += [f"{user}: {line}", f"mira: {reply}"]
    return told


async def main(home: Home) -> None:
    mira = home.role("Mira", create=True)
    mira.remember("The beacon burns whale oil.", "semantic", keys=["beacon"])
    mira.remember("Lin owes her a barrel of oil.", keys=["oil", "owe"], user="lin")
    mira.remember("Tom whistles when he is unsure.", keys=["whistle"], user="tom")
    chats = await asyncio.gather(
        talk(mira, "lin", ["What does the beacon burn?", "Do I owe you oil?"]),
        talk(mira, "tom", ["Do I owe you oil?", "Why did I whistle?"]),
    )
    print("\n\n".join("\n".join(chat) for chat in chats))


with TemporaryDirectory() as folder, Home.open(folder, {"embedding.backend": "off"}) as home:
    asyncio.run(main(home))
