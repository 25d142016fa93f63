"""Whether a turn is worth keeping, and which sentences of it."""

from rolememory.learn.worth.find import Worth, worth
from rolememory.learn.worth.sentence import Kind

__all__ = ["Kind", "Worth", "worth"]
