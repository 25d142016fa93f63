"""Whom a question is about: memories about a person who is named in it gain."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from rolememory.schema.entry import Entry
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Scene

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NAMED = 0.5  # of its own evidence that a memory gains when its subject is named
SPEAKING = 0.2  # ... when the user speaks of himself and the memory is about him

_WORD = re.compile(r"[^\W_]+")
_ASCII = re.compile(r"[\x00-\u02af]+")
_MYSELF = re.compile(r"\b(?:i|me|my|mine|i'm|i've)\b|我|俺|咱", re.IGNORECASE)
_USER = ("user", "用户")


@lru_cache(maxsize=4096)
def _spoken(name: str) -> frozenset[str]:
    """The words by which a Latin name may be called: whole names of one word, else each part of three letters or more."""
    parts = _WORD.findall(name.casefold())
    return frozenset(parts if len(parts) == 1 else [part for part in parts if len(part) >= 3])


def named(name: str, text: str, said: frozenset[str]) -> bool:
    """Whether a name stands in a text whose folded words are `said`: a Latin name as a word, any other anywhere.

    >>> named("Lin Wei", "What did Lin say?", frozenset({"what", "did", "lin", "say"}))
    True
    >>> named("林小雨", "林小雨喜欢什么", frozenset({"林小雨喜欢什么"})), named("Art", "party", frozenset({"party"}))
    (True, False)
    """
    return bool(_spoken(name) & said) if _ASCII.fullmatch(name) else name.casefold() in text.casefold()


class People:
    """Which entries are about whom. Read-only after it is built."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        import numpy as np

        self._size = len(entries)
        places: dict[str, list[int]] = {}
        for at, entry in enumerate(entries):
            if isinstance(entry, Memory) and entry.subject:
                places.setdefault(entry.subject, []).append(at)
        self._places = {name: np.array(found) for name, found in places.items()}

    def factors(self, scene: Scene) -> "Floats | None":
        """What each entry's evidence is multiplied by, (n_entries,); None = nobody is meant."""
        import numpy as np

        said = frozenset(_WORD.findall(scene.query.casefold()))
        meant = {name: NAMED for name in self._places if named(name, scene.query, said)}
        if _MYSELF.search(scene.query):
            meant = {name: SPEAKING for name in self._places if name in (scene.user, *_USER)} | meant
        if not meant:
            return None
        factors = np.ones(self._size, dtype=np.float32)
        for name, gain in meant.items():
            factors[self._places[name]] = 1.0 + gain
        return factors
