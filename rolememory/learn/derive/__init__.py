"""Keys, topics, emotions, tags and salience of what is learned."""

from rolememory.learn.derive.find import MOST_KEYS, Derived, derive, salience

__all__ = ["MOST_KEYS", "Derived", "derive", "salience"]
