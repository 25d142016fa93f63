"""Vectors follow what is said: each text is read, embedded and written once, whatever else there is."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from rolememory import Home, Message, RoleMemory
from rolememory.recall import role_vectors
from rolememory.storage.vectors import VectorFile
from rolememory.text.postings import text_digest
from tests.hashing import HashingEmbedder

QUIET = {"learn.enabled": False, "recall.passages.recall": "all"}
TALK = [Message.user(f"Day {number}: rain fell on the roof.") for number in range(150)]


class Noting(HashingEmbedder):
    """Knows what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.texts += texts
        return super().embed(texts)


class House:
    """A home with a model, and what is read of its texts."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.read, reads = folder, list[str](), role_vectors.reads
        patch.setattr(role_vectors, "reads", lambda one: self.read.append(one.id) or reads(one))
        with Home.open(folder, QUIET | {"embedding.backend": "off"}) as home:
            home.create("Mira")
        self.open()

    def open(self) -> RoleMemory:
        """A fresh process, as it were."""
        self.model = Noting()
        self.home = Home.open(self.folder, QUIET, embedder=self.model)
        self.mind = self.home.role("Mira")
        return self.mind

    def settled(self) -> None:
        """Everything has its vectors; from here on is counted."""
        assert self.mind.ready(60)
        self.model.texts.clear()
        self.read.clear()

    @property
    def files(self) -> dict[str, int]:
        """When each file of vectors was written."""
        folder = self.mind.folder / ".cache"
        return {one.name: one.stat().st_mtime_ns for one in folder.glob("vectors-*")}


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    made = House(tmp_path, monkeypatch)
    made.mind.observe(TALK, chat="c", user="lin")
    yield made
    made.home.close()


def test_what_is_said_next_is_all_that_is_read_and_nothing_is_written_at_once(
    house: House,
) -> None:
    house.settled()
    files, talk = house.files, [*TALK]
    for number in range(5):
        talk.append(Message.assistant(f"We mended {number} nets."))
        house.mind.observe(talk, chat="c", user="lin")
        assert house.mind.ready(60)
    assert house.model.texts == [f"Mira: We mended {number} nets." for number in range(5)]
    assert len(house.read) == 5
    assert house.files == files


def test_a_swipe_and_its_return_ask_for_each_reply_once(house: House) -> None:
    house.settled()
    for reply in ("Yes.", "No.", "Yes.", "No."):
        house.mind.observe([*TALK, Message.assistant(reply)], chat="c", user="lin")
        assert house.mind.ready(60)
    assert house.model.texts == ["Mira: Yes.", "Mira: No."]


def test_a_look_at_memories_alone_leaves_what_was_said(house: House) -> None:
    house.mind.remember("The beacon failed.")
    house.settled()
    table = house.mind.parts.context.vectors()
    assert table is not None
    assert len(table) == len(TALK) + 1
    house.settled()
    assert (house.model.texts, house.read) == ([], [])


def test_what_was_embedded_is_found_by_the_next_process(house: House) -> None:
    house.settled()
    house.mind.observe([*TALK, Message.assistant("We sailed.")], chat="c", user="lin")
    house.settled()
    house.home.close()
    house.open()
    assert house.mind.ready(60)
    assert not [text for text in house.model.texts if text.startswith(("Day", "Mira"))]
    assert house.mind.embedded == len(TALK) + 1


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
def test_a_cache_with_vectors_that_point_nowhere_heals(house: House, value: float) -> None:
    house.settled()
    house.home.close()
    file = VectorFile(house.mind.space, house.model.key, house.model.dim)
    held = file.load()
    assert len(held) == len(TALK)
    file.save({name: np.full(house.model.dim, value, np.float32) for name in held})
    house.open()
    assert house.mind.ready(60)
    (found, *_) = house.mind.search("Day 77: rain fell on the roof.", user="lin")
    assert found.memory.content == "Day 77: rain fell on the roof."
    house.home.close()
    assert file.load().keys() == held.keys()
    assert all(np.isfinite(vector).all() and vector.any() for vector in file.load().values())


def test_a_file_that_holds_little_of_use_is_made_short(house: House) -> None:
    house.settled()
    house.home.close()
    file = VectorFile(house.mind.space, house.model.key, house.model.dim)
    useless = {text_digest(str(number)): np.ones(house.model.dim) for number in range(1_000)}
    file.add(useless)
    house.open()
    assert house.mind.ready(60)
    assert len(file.load()) == len(TALK)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("".join(f"Lamp {at} is oiled at dusk. " for at in range(20)), id="en"),
        pytest.param("".join(f"第{at}盏灯在黄昏时添油。" for at in range(40)), id="zh"),
    ],
)
@pytest.mark.parametrize("size", [60, 120])
def test_a_long_text_is_embedded_in_pieces_as_long_as_the_settings_say(
    tmp_path: Path, text: str, size: int
) -> None:
    model = Noting()
    with Home.open(tmp_path, {"embedding.chunk_size": size}, embedder=model) as home:
        mira = home.create("Mira")
        mira.remember(text)
        assert mira.ready(60)
        lengths = [len(one) for one in model.texts if one.strip() in text]
        assert len(text) / size <= len(lengths)
        assert size / 2 < max(lengths) <= size


class Stumbling(Noting):
    """Fails once, as somebody's code may."""

    failed = False

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if not self.failed and "The beacon failed." in texts:
            self.failed = True
            raise ZeroDivisionError
        return super().embed(texts)


def test_an_embedder_that_fails_once_is_asked_again_with_what_comes_next(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = Stumbling()
    with Home.open(tmp_path, QUIET, embedder=model) as home:
        mira = home.create("Mira")
        mira.remember("The beacon failed.")
        mira.recall("Why is it dark?")
        assert mira.ready(60)
        mira.remember("The lamp is new.")
        assert mira.ready(60)
    assert "not made" in caplog.text
    assert "The lamp is new." in model.texts
