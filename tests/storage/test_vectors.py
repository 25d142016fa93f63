"""P12: the vector file is a cache. Damaged, foreign or absent, it is as good as none."""

import random
from pathlib import Path

import numpy as np
import pytest

from rolememory.errors import NotWrittenError
from rolememory.storage.files.space import FileSpace
from rolememory.storage.vectors import VectorFile
from rolememory.text.embed.base import digest

DIM = 12
VECTORS = {
    digest(f"text {at}"): np.random.default_rng(at).normal(size=DIM).astype(np.float32)
    for at in range(40)
}


def saved(folder: Path, key: str = "model", **how: object) -> VectorFile:
    file = VectorFile(FileSpace(folder), key, DIM, **how)  # type: ignore[arg-type]
    file.save(VECTORS)
    return file


def same(found: dict[bytes, np.ndarray], tolerance: float = 0.0) -> bool:
    return found.keys() == VECTORS.keys() and all(
        np.allclose(found[name], vector, atol=tolerance) for name, vector in VECTORS.items()
    )


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    saved(tmp_path)
    assert same(VectorFile(FileSpace(tmp_path), "model", DIM).load())


def test_half_precision_takes_half_the_room(tmp_path: Path) -> None:
    full, half = saved(tmp_path), saved(tmp_path, dtype="float16")
    assert len(half.kept.read()) < len(full.kept.read()) - len(VECTORS) * DIM
    assert same(half.load(), tolerance=2e-3)


def test_nothing_is_a_valid_content(tmp_path: Path) -> None:
    file = saved(tmp_path)
    file.save({})
    assert file.load() == {}


def damaged(raw: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(raw))
    return chance.choice(
        [
            lambda: raw[:at],
            lambda: raw[:at] + bytes([raw[at] ^ (1 << chance.randrange(8))]) + raw[at + 1 :],
            lambda: raw + chance.randbytes(chance.randrange(1, 40)),
            lambda: raw[:at] + chance.randbytes(chance.randrange(1, 64)) + raw[at:],
            lambda: raw[:at] + bytes(len(raw) - at),
            lambda: bytes(len(raw)),
            lambda: chance.randbytes(len(raw)),
            lambda: raw[at:] + raw[:at],
        ]
    )()


def test_200_damages_give_no_vector_and_no_exception(tmp_path: Path) -> None:
    file, chance = saved(tmp_path), random.Random(12)
    raw = file.kept.read()
    for _ in range(200):
        file.kept.put(bad := damaged(raw, chance))
        assert file.load() == ({} if bad != raw else file.load())
        file.save(VECTORS)
        assert same(file.load()), "a damaged file is replaced by the next save"


@pytest.mark.parametrize(
    ("key", "dim"),
    [
        pytest.param("another model", DIM, id="another model"),
        pytest.param("model", DIM + 1, id="other dimensions"),
    ],
)
def test_vectors_of_another_model_are_never_read(tmp_path: Path, key: str, dim: int) -> None:
    file, other = saved(tmp_path), VectorFile(FileSpace(tmp_path), key, dim)
    other.kept.put(file.kept.read())
    assert other.load() == {}


def test_a_file_may_vanish_at_any_time(tmp_path: Path) -> None:
    file = saved(tmp_path)
    file.kept.delete()
    assert file.load() == {}
    file.delete()


def test_forgotten_texts_are_gone_with_the_next_save(tmp_path: Path) -> None:
    file = saved(tmp_path)
    name = next(iter(VECTORS))
    file.save({other: vector for other, vector in VECTORS.items() if other != name})
    assert name not in file.load()
    assert name not in file.kept.read()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / ".cache").write_text("a file where the folder should be")
    with pytest.raises(NotWrittenError, match="vectors-"):
        saved(tmp_path)
