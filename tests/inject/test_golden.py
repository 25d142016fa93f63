"""Every shipped template and every position, byte for byte."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import get_args

import pytest

from rolememory.inject.environment import Templates
from rolememory.inject.persona import Preference, Preferences, personalisation
from rolememory.inject.render import Cast, Style
from rolememory.schema.memory import Memory, MemoryType, Source
from rolememory.schema.message import Message
from rolememory.schema.scene import Language
from rolememory.schema.settings import InjectSettings, Position
from tests.inject.placing import place

Golden = Callable[[str, str], None]
LANGUAGES: tuple[Language, ...] = ("zh", "en")
TEMPLATES = Templates()


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


MEMORIES: dict[Language, list[Memory]] = {
    "en": [
        Memory(
            id="patience", content="Patient, dry, never raises her voice.", type=MemoryType.TRAIT
        ),
        Memory(
            id="wind",
            content="Wind the great lamp every four hours.",
            type=MemoryType.GOAL,
            created=at(1886, 3, 1),
        ),
        Memory(
            id="fear",
            content="{{user}} is afraid of deep water.",
            type=MemoryType.SEMANTIC,
            subject="user",
            created=at(1887, 9, 14, 8, 5),
        ),
        Memory(
            id="oil",
            content="Prefers whale oil.\nThe new oil smokes.",
            type=MemoryType.SEMANTIC,
            subject="Old Tom",
            tags=("oil", "lamp"),
        ),
        Memory(
            id="storm",
            content="The beacon failed in the great storm.",
            created=at(1887, 11, 2, 23, 40),
            source=Source.SUMMARY,
            tags=("storm",),
        ),
        Memory(
            id="inn",
            content="A fire at the Grey Gull.",
            created=at(1887, 12, 24, 18, 0),
            source=Source.USER_INPUT,
        ),
    ],
    "zh": [
        Memory(id="patience", content="性子沉静，说话从不高声。", type=MemoryType.TRAIT),
        Memory(
            id="wind",
            content="每四个时辰给大灯上一次弦。",
            type=MemoryType.GOAL,
            created=at(1886, 3, 1),
        ),
        Memory(
            id="fear",
            content="{{user}}怕深水。",
            type=MemoryType.SEMANTIC,
            subject="用户",
            created=at(1887, 9, 14, 8, 5),
        ),
        Memory(
            id="oil",
            content="只肯用鲸油。\n嫌新油冒烟。",
            type=MemoryType.SEMANTIC,
            subject="老汤姆",
            tags=("灯油", "大灯"),
        ),
        Memory(
            id="storm",
            content="大风暴那夜，灯塔熄了。",
            created=at(1887, 11, 2, 23, 40),
            source=Source.SUMMARY,
            tags=("风暴",),
        ),
        Memory(
            id="inn",
            content="灰鸥客栈起了火。",
            created=at(1887, 12, 24, 18, 0),
            source=Source.USER_INPUT,
        ),
    ],
}
CAST: dict[Language, Cast] = {
    "en": Cast("Asha", "Lin", heard_from={"inn": "Mira"}),
    "zh": Cast("阿霞", "阿霖", heard_from={"inn": "米拉"}),
}
CHAT: dict[Language, list[Message]] = {
    "en": [
        Message.system("Write Asha's next reply."),
        Message.system("Asha keeps the lighthouse at Cape Morrow."),
        Message.system("[Start a new Chat]"),
        Message.assistant("You are soaked through. Sit by the stove."),
        Message.user("Thank you."),
        Message.assistant("It is only tea."),
        Message.user("Why is the beacon dark?"),
        Message.system("Stay in the lighthouse."),
    ],
    "zh": [
        Message.system("请写出阿霞的下一句话。"),
        Message.system("阿霞看守莫罗角的灯塔。"),
        Message.system("【新的对话】"),
        Message.assistant("你浑身都湿透了，到炉边坐吧。"),
        Message.user("谢谢。"),
        Message.assistant("一杯茶而已。"),
        Message.user("灯塔怎么不亮了？"),
        Message.system("不要离开灯塔。"),
    ],
}


def style(language: Language, **settings: object) -> Style:
    return Style(
        TEMPLATES, InjectSettings.model_validate(settings), language=language, cast=CAST[language]
    )


def shown(messages: tuple[Message, ...]) -> str:
    return "".join(f"[{message.role}]\n{message.content}\n\n" for message in messages)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TEMPLATES.known("inject"))
def test_shipped_template(name: str, language: Language, golden: Golden) -> None:
    said = style(language, template=name)
    golden(f"inject/{name}.{language}.txt", said.block(MEMORIES[language]) + "\n")
    assert said.notes == ()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("position", get_args(Position))
@pytest.mark.parametrize("name", TEMPLATES.known("inject"))
def test_template_in_position(
    name: str, position: Position, language: Language, golden: Golden
) -> None:
    block = style(language, template=name).block(MEMORIES[language][:3])
    description = CHAT[language][1].content
    golden(
        f"inject/positions/{name}.{position}.{language}.txt",
        shown(place(CHAT[language], block, position, 2, description=description)),
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("together", {"separate_by_type": False}),
        ("undated", {"show_dates": False}),
        ("own_heading", {"heading": "# Asha's notebook"}),
    ],
)
def test_settings_of_the_default_template(
    name: str, settings: dict[str, object], language: Language, golden: Golden
) -> None:
    golden(
        f"inject/settings/{name}.{language}.txt",
        style(language, **settings).block(MEMORIES[language]) + "\n",
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_personalisation(language: Language, golden: Golden) -> None:
    wishes = (
        Preference("technical_depth", "beginner", "a"),
        Preference("technical_depth", "expert", "b"),
        Preference("response_length", "concise", "c"),
        Preference("response_length", "detailed", "d"),
        Preference("code_style", "commented", "e"),
        Preference("code_style", "minimal", "f"),
        Preference("code_style", "documented", "g"),
        Preference("language", "ja", "h"),
    )
    golden(
        f"inject/personalisation.{language}.txt",
        personalisation(Preferences(wishes), language, TEMPLATES) + "\n",
    )
