"""The state of the scene as a short block: time, place, people, relationships, items, open threads."""

from collections.abc import Iterable, Mapping

from rolememory.inject.environment import Templates
from rolememory.inject.fence import fenced, tame
from rolememory.inject.sandbox import plain
from rolememory.locales import translated
from rolememory.schema.scene import Language
from rolememory.text.scene_stamps import known_fields

KIND = "scene"
LONGEST = 160  # characters of a value
MODEL_FIELDS = ("relationship", "promises")
"""Fields that only a model fills."""


def merged(stamps: Iterable[Iterable[tuple[str, str]]], told: Mapping[str, str]) -> dict[str, str]:
    """Each field as printed last (`stamps`: newest message first), else from the model."""
    names, found = (*known_fields(), *MODEL_FIELDS), dict[str, str]()
    for stamp in stamps:
        for name, value in stamp:
            if name in names:
                found.setdefault(name, value)
    if found.keys() & {"time", "date"}:
        told = {name: value for name, value in told.items() if name != "time"}
    return {**told, **found}


def worded(
    scene: Mapping[str, str],
    templates: Templates,
    language: Language,
    *,
    char: str = "",
    user: str = "",
) -> str:
    """The scene as a block; "" if nothing is known."""
    told = {name: tame(value)[:LONGEST] for name, value in scene.items() if value.strip()}
    if not told:
        return ""
    empty = dict.fromkeys((*known_fields(), *MODEL_FIELDS), "")
    nobody = translated("the character", language), translated("the user", language)
    values = {
        "scene": plain({**empty, **told}),
        "char": tame(char) or nobody[0],
        "user": tame(user) or nobody[1],
        "language": language,
    }
    return fenced(str(templates.render(KIND, "default", language, values).text))
