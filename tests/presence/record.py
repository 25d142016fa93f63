"""A long random record: people and characters come and go in chats, tell each other words, and ask for them."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tests.presence import frontends
from tests.presence.frontends import COUSIN, ONE_TO_ONE, ROLES, SHOWN, Frontend, Turn
from tests.presence.oracle import Event, Oracle

USERS = ("Bob", "Tom", "阿梅", "Ghost", "Ann", "Wanderer", "小林", "旅人")
LINKS = [("Ann", "Wanderer"), ("小林", "旅人")]
THINGS = {
    ("en", " "): (
        "copper silver wooden broken painted leather rusty carved amber woollen marble ivory",
        "kettle lantern chest bell ladder mirror saddle barrel compass violin anchor pillow "
        "basket candle hammer statue bucket helmet wagon flute cradle spindle",
    ),
    ("zh", ""): (
        "青铜 白银 木制 破旧 彩绘 皮革 生锈 雕花 琥珀 羊毛 大理石 象牙",
        "水壶 灯笼 箱子 铃铛 梯子 镜子 马鞍 木桶 罗盘 提琴 船锚 枕头 "
        "篮子 蜡烛 锤子 雕像 水桶 头盔 马车 长笛 摇篮 纺锤",
    ),
}
TOLD = {"en": "The word {} is written on the {}.", "zh": "这个词{}写在{}上。"}
ASKED = {"en": "Which word is written on the {}?", "zh": "哪个词写在{}上？"}
BEGUN = {"en": "This is visit number {}.", "zh": "这是第{}次来访。"}
ANSWER = {"en": "Hm, so be it.", "zh": "嗯，那就这样吧。"}


@dataclass(frozen=True)
class Secret:
    """A word, and the thing that it is written on."""

    word: str
    language: str
    thing: str


@dataclass
class Place:
    """A chat as its frontend has it."""

    chat: str
    frontend: Frontend
    users: list[str]
    roles: list[str]
    id: str  # as the frontend calls it
    story: str  # "" = the life that chats share
    lines: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Step:
    """A turn in a place, and the words that are asked for."""

    place: Place
    turn: Turn
    answer: str
    asked: tuple[Secret, ...] = ()


def secrets(dice: random.Random, count: int) -> list[Secret]:
    """So many words, each in one language on a thing of its own."""
    things = [
        (language, f"{one}{gap}{other}")
        for (language, gap), (ones, others) in THINGS.items()
        for one in ones.split()
        for other in others.split()
    ]
    dice.shuffle(things)
    return [Secret(f"opal{at:04}quartz", *thing) for at, thing in enumerate(things[:count])]


def places(dice: random.Random) -> list[Place]:
    """Chats of every kind: of one user and one character, of several users, of several characters."""
    made: list[Place] = []

    def begin(
        frontend: Frontend,
        users: Sequence[str],
        roles: Sequence[str],
        name: str = "",
        story: str = "",
    ) -> None:
        chat = f"chat {len(made)}"
        made.append(Place(chat, frontend, [*users], [*roles], name or chat, story))

    for frontend in ONE_TO_ONE * 3:
        begin(frontend, [dice.choice(USERS)], [dice.choice(ROLES)])
    for user, frontend in zip(
        ("", *USERS[:3]), (frontends.nameless, *[frontends.tavern] * 3), strict=True
    ):
        begin(frontend, [user], ROLES[:1], "main")  # four chats that are called alike
    for user in USERS[:3]:
        role = dice.choice(ROLES)
        for story in ("own", "spring", "spring"):
            begin(frontends.tavern, [user], [role], story=story)
        begin(frontends.channel, dice.sample(USERS, 2), [dice.choice(ROLES)])
        begin(frontends.passers_by, [dice.choice(USERS)], [dice.choice(ROLES)])
        begin(frontends.group, [dice.choice(USERS)], dice.sample(ROLES, 2))
        begin(frontends.bare_group, [dice.choice(USERS)], dice.sample(ROLES, 2))
        begin(frontends.tavern, [user], [*COUSIN])
    for role in (*ROLES, *ROLES):
        begin(frontends.nameless, [""], [role])
    return made


class Record:
    """What happens, step by step; `oracle` follows it, told by the one who takes the steps."""

    def __init__(self, seed: int, size: int) -> None:
        self.size, self.oracle, self.asked = size, Oracle(), {True: 0, False: 0}
        self._dice = random.Random(seed)
        self.places = places(self._dice)

    def happen(self) -> Iterator[Step | Event]:
        """Everything in its order."""
        untold, unasked, links = secrets(self._dice, self.size), list[Secret](), [*LINKS]
        yield from (Event("link", names=pair) for pair in COUSIN.items())
        for place in self.places:
            yield from self._begun(place)
        while untold or unasked:
            if len(untold) < len(links) * self.size // 3:
                yield Event("link", names=links.pop())
            if untold and len(unasked) < 60:
                told, untold = untold[:4], untold[4:]
                yield from self._told(self._dice.choice(self.places), told)
                unasked += told
            else:
                yield self._question(unasked)

    def _begun(self, place: Place) -> Iterator[Step | Event]:
        yield Event("come", place.chat, (*place.users, *place.roles))
        language = self._dice.choice([*BEGUN])
        yield self._turn(place, BEGUN[language].format(self.places.index(place)), ANSWER[language])
        if place.story:
            yield Event("story", place.chat, (place.chat if place.story == "own" else place.story,))

    def _told(self, place: Place, told: Sequence[Secret]) -> Iterator[Step | Event]:
        """Two words are said, two answered; now and then another answer takes the place of the first."""
        yield from self._moved(place)
        said = [TOLD[one.language].format(one.word, one.thing) for one in told]
        yield (step := self._turn(place, " ".join(said[:2]), " ".join(said[2:])))
        yield Event("say", place.chat, tuple(one.word for one in told))
        if self._dice.random() < 0.1:
            yield Step(place, replace(step.turn, kind="swipe"), ANSWER["en"])
            yield Event("say", "", tuple(one.word for one in told[2:]))

    def _moved(self, place: Place) -> Iterator[Event]:
        """Somebody comes or goes, where the frontend tells it."""
        users, roles = (place.users, USERS), (place.roles, ROLES)
        moving = {"channel": (users, roles), "passers_by": (users,), "group": (roles,)}
        for here, names in moving.get(place.frontend.__name__, ()):
            name = self._dice.choice(names)
            if name not in here:
                here.append(name)
                yield Event("come", place.chat, (name,))
            elif place.frontend is frontends.passers_by:
                here.append(here.pop(here.index(name)))  # speaks next
            elif len(here) > 1:
                here.remove(name)
                yield Event("go", place.chat, (name,))

    def _question(self, unasked: list[Secret]) -> Step:
        """Two words are asked for where they may be known, or where they may not: as many of these as of those."""
        fewer = self.asked[True] <= self.asked[False]
        known, place = next(
            (wanted, self._dice.choice(fits))
            for wanted in (fewer, not fewer)
            for one in unasked
            if (fits := [place for place in self.places if self._fits(one, place, wanted)])
        )
        asked = [one for one in unasked if self._fits(one, place, known)][:2]
        self.asked[known] += len(asked)
        unasked[:] = [one for one in unasked if one not in asked]
        says = " ".join(ASKED[one.language].format(one.thing) for one in asked)
        return self._turn(place, says, ANSWER[asked[0].language], tuple(asked))

    def _fits(self, one: Secret, place: Place, known: bool) -> bool:
        """Whether it may be known there, or not, and the frontend does not show it itself."""
        shown = any(one.word in text for _, text in place.lines[-SHOWN:])
        return not shown and self.oracle.may_know(one.word, place.chat) is known

    def _turn(self, place: Place, says: str, answer: str, asked: tuple[Secret, ...] = ()) -> Step:
        last = -1 if place.frontend is frontends.passers_by else 0
        user, role = self._dice.choice(place.users[last:]), self._dice.choice(place.roles)
        place.lines.append((user, says))
        here = (*place.users,), (*place.roles,), (*place.lines[-SHOWN:],)
        return Step(place, Turn(place.id, user, role, *here), answer, asked)
