"""The newest messages of a chat that a request lacks, as a short block. Source: S4.8, S4.20."""

from collections.abc import Sequence

from rolememory.inject.environment import Templates
from rolememory.inject.fence import fenced, tame
from rolememory.locales import translated
from rolememory.schema.learning import ChatMessage
from rolememory.schema.scene import Language

KIND = "recent"


def worded(
    said: Sequence[ChatMessage], templates: Templates, language: Language, *, char: str, user: str
) -> str:
    """The messages in order, with speakers."""
    nobody = translated("the character", language), translated("the user", language)
    names = {"assistant": tame(char) or nobody[0], "user": tame(user) or nobody[1]}
    lines = [
        {"speaker": names[one.role], "text": tame(" ".join(one.text.split()))}
        for one in said
        if one.role in names
    ]
    return fenced(str(templates.render(KIND, "default", language, {"messages": lines}).text))
