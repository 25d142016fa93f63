"""The short blocks beside the memories: the state of the scene (time, place, people, relationships, items, open threads), and the newest messages that a request lacks. Source: S4.8, S4.20."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rolememory.inject.environment import Templates
from rolememory.inject.fence import fenced, named, tame
from rolememory.inject.sandbox import plain
from rolememory.schema.learning import ChatMessage
from rolememory.schema.scene import Language
from rolememory.text.scene_stamps import known_fields

LONGEST = 160  # characters of a value
MODEL_FIELDS = ("relationship", "promises")
"""Fields that only a model fills."""


def merged(stamps: Iterable[Iterable[tuple[str, str]]], told: Mapping[str, str]) -> dict[str, str]:
    """The state of the scene: each field as printed last (`stamps`: newest message first), else from the model."""
    names, found = (*known_fields(), *MODEL_FIELDS), dict[str, str]()
    for stamp in stamps:
        for name, value in stamp:
            if name in names:
                found.setdefault(name, value)
    if found.keys() & {"time", "date"}:
        told = {name: value for name, value in told.items() if name != "time"}
    return {**told, **found}


def scene_block(
    scene: Mapping[str, str], templates: Templates, *, language: Language, char: str, user: str
) -> str:
    """The state of the scene; "" if nothing is known."""
    told = {name: tame(value)[:LONGEST] for name, value in scene.items() if value.strip()}
    empty = dict.fromkeys((*known_fields(), *MODEL_FIELDS), "")
    values = {"scene": plain({**empty, **told}), "language": language}
    names = named(tame(char), tame(user), language)
    return rendered("scene", templates, language, {**values, **names}) if told else ""


def recent_block(
    said: Sequence[ChatMessage], templates: Templates, *, language: Language, char: str, user: str
) -> str:
    """The messages in order, with speakers."""
    names = named(tame(char), tame(user), language)
    speakers = {"assistant": names["char"], "user": names["user"]}
    lines = [
        {"speaker": speakers[one.role], "text": tame(" ".join(one.text.split()))}
        for one in said
        if one.role in speakers
    ]
    return rendered("recent", templates, language, {"messages": lines})


def rendered(kind: str, templates: Templates, language: Language, values: Mapping[str, Any]) -> str:
    """The block of this kind, within its fence."""
    return fenced(str(templates.render(kind, "default", language, values).text))
