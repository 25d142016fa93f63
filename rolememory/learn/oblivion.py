"""Forgetting one person: every place of a role that may hold something of his is emptied of it."""

from dataclasses import replace
from pathlib import Path

from rolememory.learn.learner import Learner
from rolememory.learn.model.progress import Progress
from rolememory.learn.usage import Usage
from rolememory.schema.settings import StorageSettings
from rolememory.store.disk import DISK
from rolememory.store.erase import Erased, erase


def forget(folder: Path, user: str, learner: Learner, usage: Usage, settings: StorageSettings) -> Erased:
    """Memories with history and backups first: if these cannot be searched, nothing is touched at all.

    Raises:
        ReadOnlyRoleError, NotWrittenError: as `erase`.
    """
    done = erase(folder, user, settings)
    chats = tuple(learner.chats.forget(user))
    waiting = learner.keeper.review.forget(user)
    learner.keeper.review.undecline(done.ids)  # ids are made of words
    learner.drop(chats)
    Progress(folder).forget(chats, user)
    usage.forget(chats)
    for cache in (folder / ".cache").glob("vectors-*"):
        DISK.unlink(cache)
    return replace(done, chats=chats, waiting=waiting)
