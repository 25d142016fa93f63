"""Waiting for the embedding model, where a person asked for it."""

from typing import TYPE_CHECKING

from rolememory.cli.desk import Desk
from rolememory.cli.words import say

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory


def ready(here: Desk, mind: "RoleMemory") -> bool:
    """Wait until model and vectors are there, with a note at the terminal; false, and why, when there is no model."""
    label = say("loading the embedding model and reading the memories", "正在加载语义模型、阅读记忆")
    with here.out.progress(label):
        done = mind.ready()
    if not done:
        loader = mind.home.loader
        reason = loader.reason or say("there is no model here; see `rolememory model list`", "这里没有模型；见 `rolememory model list`")
        here.out.warn(say(f"without meaning: {reason}", f"没有用上语义：{reason}"))
    return done
