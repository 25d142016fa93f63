"""Strategies: they give evidence, and never sort, cut or render."""

from rolememory.triggers import constant, dates, emotional, keyword, pattern, recency, semantic

NAMES = tuple(
    module.__name__.rpartition(".")[2]
    for module in (constant, keyword, pattern, semantic, dates, recency, emotional)
)
"""The strategies of this package, in the order they are asked."""
