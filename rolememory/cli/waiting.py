"""Waiting for the embedding model, where a person asked for it."""

import sys
from typing import TYPE_CHECKING

from rolememory.cli.desk import Desk
from rolememory.cli.meaning import look
from rolememory.cli.words import say

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory

LOOK_EVERY_S = 0.1


def tell_without(here: Desk, text: str) -> None:
    """At a terminal, say that the answer did without meaning although a model is there that knows the text's language."""
    if here.out.as_json or not (here.out.is_terminal and sys.stderr.isatty()):
        return
    from rolememory.text.language import language_of

    meaning = look(here.path)
    if meaning.works and meaning.knows(language_of(text)):
        here.out.note(
            say(
                f"by keys and words; --wait loads {meaning.model} and counts meaning too",
                f"只凭关键词和字词；加上 --wait 会加载 {meaning.model}，意思相近也算数",
            )
        )


def ready(here: Desk, mind: "RoleMemory") -> bool:
    """Wait until model and vectors are there, with a bar at the terminal; false, and why, when there is no model."""
    label = say("loading the embedding model, reading the memories", "正在加载语义模型、阅读记忆")
    total = len(mind.memories)
    loader = mind.home.loader
    with here.out.progress(label, total) as tell:
        while not mind.ready(LOOK_EVERY_S):
            if loader.state in ("failed", "absent"):
                reason = loader.reason or say(
                    "there is no model here; see `rolememory model list`",
                    "这里没有模型；见 `rolememory model list`",
                )
                here.out.warn(say(f"without meaning: {reason}", f"没有用上语义：{reason}"))
                return False
            tell(mind.embedded, total if mind.embedded else 0)
    return True
