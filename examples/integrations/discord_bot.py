"""A bot for Discord (or any chat with channels and users) as a user of the library: no server in between, many chats at once.

一个 Discord 式机器人，直接使用库，不需要服务器；多个频道、多个用户可以同时说话。

With discord.py:

    bot = Bot(Home.open("memories"), "Mira", reply=ask_my_model)
    client.event(bot.on_message)
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from rolememory import Home, Message, RoleMemoryError, aio

Reply = Callable[[Sequence[Message]], Awaitable[str]]
KEPT = 40  # messages of a thread that the model gets to read


class Bot:
    """One character in many channels; each person has a thread of his own in each. `reply` is your model: messages in, text out."""

    def __init__(self, home: Home, name: str, reply: Reply) -> None:
        self.role = home.role(name, create=True)
        self._reply = reply
        self._said: dict[str, deque[Message]] = defaultdict(lambda: deque(maxlen=KEPT))
        self._turns: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def on_message(self, message: Any) -> None:
        """Answer one message. `message` needs what discord.py's has: author, channel, content, and its `channel.send`."""
        if message.author.bot or not message.content.strip():
            return
        user = str(message.author.id)  # ids, not names: names change
        chat = f"{message.channel.id}/{user}"
        async with self._turns[chat]:  # one turn after another in a thread, all threads at once
            said = self._said[chat]
            said.append(Message.user(message.content))
            answer = await self._reply(await self._reminded(list(said), chat, user))
            said.append(Message.assistant(answer))
            await message.channel.send(answer)
            await self._keep(list(said), chat, user)

    async def _reminded(self, said: list[Message], chat: str, user: str) -> Sequence[Message]:
        """The chat with what comes to mind in its place; without it when that fails."""
        try:
            turn = await aio(self.role.recall)(said, chat=chat, user=user)
        except (RoleMemoryError, OSError):
            return said
        return turn.messages

    async def _keep(self, said: list[Message], chat: str, user: str) -> None:
        """What was said, durably; what is to be remembered of it is found behind the chat."""
        try:
            await aio(self.role.observe)(said, chat=chat, user=user)
        except (RoleMemoryError, OSError) as error:
            print(f"rolememory: {error}")
