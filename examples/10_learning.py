"""Learning: what is said in one chat is known in the next; a swipe or an edit withdraws it. No model is needed.

学习：一段对话里说过的，下一段里就知道；换掉回复、改掉原话，也随之收回。不用模型。
"""

from datetime import UTC, datetime
from tempfile import TemporaryDirectory

from rolememory import Home, Message, RoleMemory

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
U, A = Message.user, Message.assistant


def knows(mind: RoleMemory, question: str, user: str = "Lin") -> str:
    """What comes to mind first at this question in another chat."""
    mind.learned()  # wait until commands are obeyed
    turn = mind.recall([U(question)], chat="another", user=user, now=NOW, dry_run=True)
    return next((one.memory.content for one in turn.recalled), "-")


with TemporaryDirectory() as folder, Home.open(folder, {"embedding.backend": "off"}) as home:
    mira = home.role("Mira", create=True)

    # `observe` takes the whole visible chat, as frontends have it, and returns when it is safe on disk.
    said = [A("Sit down."), U("My sister Anna keeps bees in Riga."), A("I promise to visit her.")]
    mira.observe(said, chat="harbour", user="Lin", now=NOW)
    print("another chat:  ", knows(mira, "What does my sister keep in Riga?"))
    print("another person:", knows(mira, "What does my sister keep in Riga?", user="Mei"))

    # What the character said is known as well.
    print("\npromised:      ", knows(mira, "Did you promise to visit?"))

    # A swipe, and it was never said; an edit, and something else was.
    mira.observe(
        [*said[:2], A("Bees are kind."), U("They are.")], chat="harbour", user="Lin", now=NOW
    )
    print("\nswiped:        ", knows(mira, "Did you promise to visit?"))
    mira.observe(
        [said[0], U("My sister Anna keeps geese in Riga."), A("Loud.")],
        chat="harbour",
        user="Lin",
        now=NOW,
    )
    print("edited:        ", knows(mira, "What does my sister keep in Riga?"))

    # An order to remember, an order to forget.
    order = [U("Remember that the gate code is four owls."), A("I will.")]
    mira.observe(order, chat="gate", user="Lin", now=NOW)
    print("\nto remember:   ", knows(mira, "What is the gate code?"))
    mira.observe(
        [*order, U("Forget what I told you about the gate code.")], chat="gate", user="Lin", now=NOW
    )
    print("to forget:     ", knows(mira, "What is the gate code?"))

    waner = home.role("沈晚", create=True)
    waner.observe(
        [A("请坐。"), U("我妹妹小梅在杭州开了一家茶馆。"), A("改日去坐坐。")],
        chat="初见",
        user="阿霖",
        now=NOW,
    )
    print("\n另一段对话：", knows(waner, "我妹妹在杭州开的是什么店？", user="阿霖"))
    waner.observe(
        [A("请坐。"), U("我妹妹小梅在杭州开了一家书店。"), A("那更好。")],
        chat="初见",
        user="阿霖",
        now=NOW,
    )
    print("改了原话：  ", knows(waner, "我妹妹在杭州开的是什么店？", user="阿霖"))
