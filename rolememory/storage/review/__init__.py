"""The queue of what waits for a person, and what a person declined."""

from rolememory.storage.review.queue import (
    MOST_DECLINED,
    MOST_REFUSED,
    MOST_WAITING,
    Review,
    Waiting,
)

__all__ = ["MOST_DECLINED", "MOST_REFUSED", "MOST_WAITING", "Review", "Waiting"]
