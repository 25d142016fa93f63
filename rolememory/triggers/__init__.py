"""Why something fires: strategies that give evidence and never sort, cut or render."""

from rolememory.triggers import constant, emotional, keyword, pattern, recency, semantic

NAMES = tuple(module.__name__.rpartition(".")[2] for module in (constant, keyword, pattern, semantic, recency, emotional))
"""The strategies of this package, in the order they are asked."""
