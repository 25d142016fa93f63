"""The review queue: pending, refused and declined drafts."""

from rolememory.storage.review.queue import (
    MOST_DECLINED,
    MOST_REFUSED,
    MOST_WAITING,
    Review,
    Waiting,
)

__all__ = ["MOST_DECLINED", "MOST_REFUSED", "MOST_WAITING", "Review", "Waiting"]
