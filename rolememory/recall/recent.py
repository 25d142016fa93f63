"""The newest messages of a chat that a request does not hold, as a short block beside the memories. Source: S4.8, S4.20."""

from collections.abc import Sequence

from rolememory.inject.environment import Templates
from rolememory.inject.fence import fenced, tame
from rolememory.schema.learning import Said
from rolememory.schema.scene import Language

KIND = "recent"


def worded(
    said: Sequence[Said], templates: Templates, language: Language, *, char: str, user: str
) -> str:
    """The messages in their order, each with who said it; "" for none."""
    if not said:
        return ""
    nobody = {"en": ("the character", "the user"), "zh": ("角色", "用户")}[language]
    names = {"assistant": tame(char) or nobody[0], "user": tame(user) or nobody[1]}
    lines = [
        {"speaker": names[one.role], "text": tame(" ".join(one.text.split()))}
        for one in said
        if one.role in names
    ]
    return fenced(str(templates.render(KIND, "default", language, {"messages": lines}).text))
