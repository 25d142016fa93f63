"""Made-up memories and vectors for speed measurements: the same for everybody, whatever the interpreter."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

DIM = 384
_WHO = "Mira Asha Tomas Nora Lin Wu Old-Hansen Petra Jonas Ines".split()
_DID = "repaired lost found painted sold hid burned remembered forgot stole mended polished drew counted buried".split()
_WHAT = "lamp boat letter coat bell ladder rope barrel map ring window compass anchor kettle lantern song".split()
_WHERE = "harbour,cellar,north tower,chapel,market,lighthouse,old mill,inn,orchard,ferry,quarry,school".split(
    ","
)
_WHEN = "in spring,last winter,before dawn,after the storm,on a Sunday,at midnight,in the war,as a child".split(
    ","
)


def sentences(n: int, seed: int = 1) -> list[str]:
    """So many different sentences of 60 to 120 characters, one third Chinese."""
    draw = np.random.default_rng(seed)
    out = []
    for number in range(n):
        who, did, what, where, when = (
            words[draw.integers(len(words))] for words in (_WHO, _DID, _WHAT, _WHERE, _WHEN)
        )
        if number % 3 == 2:
            out.append(
                f"第{number + seed * 1_000_003}件事:{who}那年冬天在码头边把灯塔的钥匙交给了船长,船长却把它藏进了{what}里。"
            )
        else:
            out.append(
                f"{who} {did} the {what} near the {where} {when}, and wrote number {number + seed * 1_000_003} into the book."
            )
    return out


def vectors(n: int, seed: int = 1) -> "Floats":
    """So many unit vectors around fifty centres, (n, DIM) float32."""
    centres = np.random.default_rng(0).normal(size=(50, DIM))
    draw = np.random.default_rng(seed)
    rows = centres[draw.integers(50, size=n)] + draw.normal(scale=0.8, size=(n, DIM))
    out: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return out


def memory_file(path: Path, texts: Sequence[str]) -> None:
    """A memory.json of these texts, two keys for every tenth."""
    entries = [
        {
            "id": f"m{number}",
            "content": text,
            "created": f"20{10 + number % 15}-03-{1 + number % 28:02}",
            "source": "user_input",
        }
        | ({"keys": [f"key{number}", text.split()[0]]} if number % 10 == 0 else {})
        for number, text in enumerate(texts)
    ]
    path.write_text(
        json.dumps({"version": 1, "episodic": entries}, ensure_ascii=False, indent=1),
        encoding="utf-8",
    )


class Precomputed:
    """An embedder that knows its texts' vectors by heart."""

    key, dim = "made-up", DIM

    def __init__(self, known: "Mapping[str, Floats]") -> None:
        self._known = known

    def embed_query(self, text: str) -> "Floats":
        """The vector of a known text; of any other, a fixed one."""
        return self._known.get(text, np.full(DIM, DIM**-0.5, dtype=np.float32))

    def embed(self, texts: Sequence[str]) -> "Floats":
        """Vectors of (n_texts,) texts."""
        return np.stack([self.embed_query(text) for text in texts])

    def unknown_share(self, text: str) -> float:
        """Nothing is unknown here."""
        return 0.0

    def trusts(self, text: str) -> bool:
        """Every language is known here."""
        return True
