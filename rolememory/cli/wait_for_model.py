"""Waiting for the embedding model, where a person asked for it."""

import sys
from typing import TYPE_CHECKING

from rolememory.cli.context import home_path
from rolememory.cli.embedding_status import look
from rolememory.cli.output import out
from rolememory.cli.words import say

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory

LOOK_EVERY_S = 0.1


def tell_without(text: str) -> None:
    """At a terminal, say that the answer did without meaning although a model is there that knows the text's language."""
    if out.as_json or not (out.is_terminal and sys.stderr.isatty()):
        return
    from rolememory.text.language import language_of

    meaning = look(home_path())
    if meaning.works and meaning.knows(language_of(text)):
        out.note(
            say(
                "by keys and words; --wait loads {model} and counts meaning too",
                model=meaning.model,
            )
        )


def ready(role_memory: "RoleMemory") -> bool:
    """Wait until model and vectors are there, with a bar at the terminal; false, and why, when there is no model."""
    label = say("loading the embedding model, reading the memories")
    total = len(role_memory.memories)
    loader = role_memory.parts.recall.loader
    with out.progress(label, total) as tell:
        while not role_memory.ready(LOOK_EVERY_S):
            if loader.state in ("failed", "absent"):
                reason = loader.reason or say("there is no model here; see `rolememory model list`")
                out.warn(say("without meaning: {reason}", reason=reason))
                return False
            tell(role_memory.embedded, total if role_memory.embedded else 0)
    return True
