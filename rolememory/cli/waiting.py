"""Waiting for the embedding model, where a person asked for it."""

from typing import TYPE_CHECKING

from rolememory.cli.desk import Desk
from rolememory.cli.words import say

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory

LOOK_EVERY_S = 0.1


def ready(here: Desk, mind: "RoleMemory") -> bool:
    """Wait until model and vectors are there, with a bar at the terminal; false, and why, when there is no model."""
    label = say("loading the embedding model, reading the memories", "正在加载语义模型、阅读记忆")
    total = len(mind.memories)
    loader = mind.home.loader
    with here.out.progress(label, total) as tell:
        while not mind.ready(LOOK_EVERY_S):
            if loader.state in ("failed", "absent"):
                reason = loader.reason or say(
                    "there is no model here; see `rolememory model list`", "这里没有模型；见 `rolememory model list`"
                )
                here.out.warn(say(f"without meaning: {reason}", f"没有用上语义：{reason}"))
                return False
            tell(mind.embedded, total if mind.embedded else 0)
    return True
