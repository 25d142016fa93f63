"""P12: the vector file is a cache. Damaged, foreign or absent, it is as good as none."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.errors import NotWrittenError
from rolememory.storage.files.space import FileSpace
from rolememory.storage.vectors import VectorFile
from rolememory.text.packed_vectors import PackedVectors
from rolememory.text.postings import text_digest
from tests.chats.talk import WatchedDisk

DIM = 12


def drawn(seed: int, count: int) -> np.ndarray:
    """Vectors as they lie in memory: what a file holds of these is exact."""
    rows = np.random.default_rng(seed).normal(size=(count, DIM)).astype(np.float32)
    return PackedVectors.of(rows).floats()


VECTORS = {text_digest(f"text {at}"): drawn(at, 1)[0] for at in range(40)}


def made(start: int, count: int) -> dict[bytes, np.ndarray]:
    rows = drawn(start, count)
    return {text_digest(f"made {start + at}"): row for at, row in enumerate(rows)}


def saved(folder: Path, key: str = "model", **how: object) -> VectorFile:
    file = VectorFile(FileSpace(folder), key, DIM, **how)  # type: ignore[arg-type]
    file.save(VECTORS)
    return file


def same(found: dict[bytes, np.ndarray], tolerance: float = 0.0) -> bool:
    return found.keys() == VECTORS.keys() and all(
        np.allclose(found[name], vector, atol=tolerance) for name, vector in VECTORS.items()
    )


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_what_is_saved_is_loaded(tmp_path: Path, dtype: str) -> None:
    saved(tmp_path, dtype=dtype)
    assert same(VectorFile(FileSpace(tmp_path), "model", DIM, dtype).load())  # type: ignore[arg-type]


def test_each_format_takes_its_room(tmp_path: Path) -> None:
    rooms = {}
    for dtype in ("float32", "float16", "int8"):
        file = saved(tmp_path, dtype=dtype)
        rooms[dtype] = len(file.kept.read())
        assert same(file.load(), tolerance=2e-3 if dtype == "float16" else 0.0)
    assert rooms["float16"] < rooms["float32"] - len(VECTORS) * DIM
    assert rooms["int8"] < rooms["float16"] - len(VECTORS) * (DIM - 4) + 8


def test_a_file_of_another_format_is_read_and_known_to_be_outdated(tmp_path: Path) -> None:
    saved(tmp_path, dtype="float32")
    file = VectorFile(FileSpace(tmp_path), "model", DIM)
    assert same(file.load())
    assert file.outdated
    file.save(VECTORS)
    again = VectorFile(FileSpace(tmp_path), "model", DIM)
    assert same(again.load())
    assert (file.outdated, again.outdated) == (False, False)


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


def test_new_vectors_are_written_without_the_old_ones(tmp_path: Path) -> None:
    disk = WatchedDisk()
    file = VectorFile(FileSpace(tmp_path, disk=disk), "model", DIM)
    known = made(0, 20_000)
    file.save(known)
    disk.read_bytes = disk.written_bytes = 0
    for number in range(40):
        fresh = made(20_000 + 64 * number, 64)
        file.add(fresh)
        known |= fresh
    room = 4 * DIM + 16
    assert disk.written_bytes < 10 * 40 * 64 * room
    assert disk.read_bytes < disk.written_bytes
    assert disk.written_bytes < 20_000 * room, "the old ones were written again"
    found = VectorFile(FileSpace(tmp_path), "model", DIM).load()
    assert found.keys() == known.keys()
    assert all((found[name] == vector).all() for name, vector in known.items())


@given(st.lists(st.integers(1, 90), max_size=30))
def test_what_was_added_is_loaded_the_latest_of_each(sizes: list[int]) -> None:
    with TemporaryDirectory() as folder:
        file, known, at = VectorFile(FileSpace(Path(folder)), "model", DIM), {}, 0
        for number, size in enumerate(sizes):
            fresh = {name: vector * 2.0**number for name, vector in made(at // 2, size).items()}
            file.add(fresh)
            known |= fresh
            at += size
        found = file.load()
        assert found.keys() == known.keys()
        assert all((found[name] == vector).all() for name, vector in known.items())


def test_a_small_file_that_is_damaged_costs_its_own_vectors_alone(tmp_path: Path) -> None:
    file = saved(tmp_path)
    file.add(made(100, 10))
    (small,) = [one for one in (tmp_path / ".cache").glob("*.bin") if one.name.count(".") > 1]
    small.write_bytes(small.read_bytes()[:-3])
    assert same(file.load())
    file.add(made(200, 10))
    assert file.load().keys() == {*VECTORS, *made(200, 10)}


def test_a_save_leaves_nothing_that_was_added(tmp_path: Path) -> None:
    file = saved(tmp_path)
    file.add(made(100, 300))
    file.save(VECTORS)
    assert same(file.load())
    assert len(list((tmp_path / ".cache").glob("*.bin"))) == 1
    file.delete()
    assert not list((tmp_path / ".cache").glob("*.bin"))


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
def test_a_vector_that_points_nowhere_is_as_good_as_none(tmp_path: Path, value: float) -> None:
    file, name = saved(tmp_path), next(iter(VECTORS))
    file.save({**VECTORS, name: np.full(DIM, value, dtype=np.float32)})
    assert file.load().keys() == VECTORS.keys() - {name}
    file.add({name: VECTORS[name]})
    assert same(file.load())
