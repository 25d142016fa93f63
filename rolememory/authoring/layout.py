"""A place for every memory on a plane, similar memories close together. Deterministic; a new memory moves no other.

    rows ─ nearest ─▶ principal axes ─ pull and push ─▶ places in -1..1 ─ kept by content ─▶ the next time only what is new is placed

Sources: principal axes (K. Pearson, 1901); attraction along nearest neighbours and repulsion of sampled strangers under a Student-t
kernel (L. McInnes et al., "UMAP", 2018; L. van der Maaten and G. Hinton, "t-SNE", 2008).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from rolememory.authoring.similarity import NEAREST, SimilarityRows, neighbours
from rolememory.schema.memory import Memory
from rolememory.text.arrays import Floats, Rows, np

Spot = tuple[float, float]

STRANGERS = 4  # sampled ones that push, per step
STEPS = 100
MOST_PULLED = 6000  # at once: the rest is put beside them
PUSH = 1.2  # of a stranger, against the pull of a neighbour
FEW = 5  # memories that never do
MOVED = 0.3  # share of memories placed since the last whole layout that calls for another
_CLOSE = 0.024  # how near to its neighbours a newcomer is put
_HOSTS = 4  # neighbours among which it is put
_SEED = 20_241


@dataclass(frozen=True, slots=True)
class Layout:
    """Rows by content: (x, y), both in -1..1. `placed`: how many were added beside others since the last whole layout."""

    spots: Mapping[str, Spot] = field(default_factory=dict)  # content digest -> place
    placed: int = 0
    by: str = ""  # meaning or words

    def of(self, memories: Sequence[Memory]) -> dict[str, Spot]:
        """The places of these memories by id; memories without a place are missing."""
        return {
            memory.id: self.spots[name]
            for memory in memories
            if (name := content_digest(memory)) in self.spots
        }


def content_digest(memory: Memory) -> str:
    """The key a place is kept under: it changes with the text, not with keys or other fields."""
    return blake2b(
        f"{memory.id}\0{memory.content}".encode("utf-8", "replace"), digest_size=9
    ).hexdigest()


def laid_out(
    memories: Sequence[Memory], like: SimilarityRows, before: Layout | None = None
) -> Layout:
    """A place for each of these memories. Known memories keep theirs, unless so many are new that all are laid out again.

    `like` holds the rows of these memories in their order. Cost: O(n²) for the nearest, then O(n) per step; with few newcomers O(new · n).
    """
    known = before or Layout()
    names = [content_digest(memory) for memory in memories]
    here = {name: known.spots[name] for name in known.spots.keys() & names}
    fresh = [place for place, name in enumerate(names) if name not in here]
    placed = known.placed + len(fresh)
    understood = known.by == "words" and like.by == "meaning"  # a model has read them meanwhile
    if not here or understood or placed > max(MOVED * len(memories), FEW):
        return Layout(_anew(like, names), 0, like.by)
    return Layout({**here, **_beside(like, names, here, fresh)}, placed, known.by)


def _anew(like: SimilarityRows, names: Sequence[str]) -> dict[str, Spot]:
    """A place for all: the first `MOST_PULLED` are laid out together, the others beside them."""
    pulled = sorted(range(len(names)), key=names.__getitem__)[:MOST_PULLED]
    if len(pulled) == len(names):
        laid = _whole(like, names)
    else:
        laid = _whole(like.of([like.ids[at] for at in pulled]), [names[at] for at in pulled])
    missing = [at for at, name in enumerate(names) if name not in laid]
    return laid | _beside(like, names, laid, missing) if missing else laid


def _beside(
    like: SimilarityRows, names: Sequence[str], here: Mapping[str, Spot], fresh: Sequence[int]
) -> dict[str, Spot]:
    """Rows for new memories among their nearest; a memory similar to none goes to the edge."""
    if not fresh:
        return {}
    known = [place for place, name in enumerate(names) if name in here]
    standing = np.array([here[names[place]] for place in known], np.float32)
    places, cosines = neighbours(like.rows[fresh], like.rows[known], _HOSTS)
    spots = {}
    for row, place in enumerate(fresh):
        shares = np.maximum(cosines[row], 0.0) ** 2
        aside = _angle(names[place])
        if shares.sum() <= 0.0:
            spots[names[place]] = _inside(np.cos(aside), np.sin(aside))
            continue
        x, y = (standing[places[row]] * shares[:, None]).sum(axis=0) / shares.sum()
        spots[names[place]] = _inside(x + _CLOSE * np.cos(aside), y + _CLOSE * np.sin(aside))
    return spots


def _whole(like: SimilarityRows, names: Sequence[str]) -> dict[str, Spot]:
    """A layout of all from nothing."""
    if len(names) < 3:
        return {name: _inside(0.4 * at, 0.0) for at, name in enumerate(names)}
    places, cosines = like.neighbours()
    spots = _pulled(_axes(like.rows, names), places, np.maximum(cosines, 0.0))
    return {name: _inside(x, y) for name, (x, y) in zip(names, _scaled(spots), strict=True)}


def _axes(rows: Floats, names: Sequence[str]) -> Floats:
    """Coordinates on the two principal axes, (n, 2), each with deviation 1; equal rows are set slightly apart."""
    centred = rows - rows.mean(axis=0)
    axes = np.linalg.eigh(centred.T @ centred)[1][:, :-3:-1]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), (0, 1)])  # they know no sign
    found = centred.astype(np.float64) @ axes
    found /= np.maximum(found.std(axis=0), 1e-9)
    angles = np.array([_angle(name) for name in names])
    apart: Floats = (found + 0.05 * np.stack([np.cos(angles), np.sin(angles)], axis=1)).astype(
        np.float32
    )
    return apart


def _pulled(spots: Floats, places: Rows, shares: Floats) -> Floats:
    """Moves the points: neighbours attract, sampled strangers repel, with a falling step size."""
    chance = np.random.default_rng(_SEED)
    pulls = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-9)
    spots = spots * np.float32(4.0)
    for step in range(STEPS):
        towards = spots[places] - spots[:, None, :]
        reach = 1.0 + (towards**2).sum(axis=2)
        move = 2.0 * NEAREST / 4 * (towards * (pulls / reach)[:, :, None]).sum(axis=1)
        for _ in range(STRANGERS):
            away = spots - spots[chance.permutation(len(spots))]
            far = (away**2).sum(axis=1, keepdims=True)
            move += PUSH * away / ((0.05 + far) * (1.0 + far))
        spots = spots + np.float32(1.0 - step / STEPS) * np.clip(move, -2.0, 2.0).astype(np.float32)
    return spots


def _scaled(spots: Floats) -> Floats:
    """Scaled to -1..1; a few outliers end at the edge."""
    low, high = np.percentile(spots, 1.0, axis=0), np.percentile(spots, 99.0, axis=0)
    middle, width = (low + high) / 2, max(float((high - low).max()), 1e-9)
    found: Floats = np.clip((spots - middle) / width * 1.84, -1.0, 1.0).astype(np.float32)
    return found


def _angle(name: str) -> float:
    """A direction that depends on the content alone."""
    return int(name[:8], 16) / 0xFFFFFFFF * 6.283185307179586


def _inside(x: float, y: float) -> Spot:
    return round(min(max(float(x), -1.0), 1.0), 4), round(min(max(float(y), -1.0), 1.0), 4)
