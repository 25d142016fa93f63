"""What was found out about texts is found out once; a file that cannot be trusted is made again."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import orjson
import pytest

from rolememory import Home, Message
from rolememory.storage import derived
from rolememory.storage.derived import DerivedFiles
from rolememory.storage.files.space import FileSpace
from tests.bench.made_up import sentences

TEXTS = [f"text {number}" for number in range(derived.LEAST + 5)]
FILE = ".cache/derived-lengths.bin"
NOW = datetime(2026, 6, 1, tzinfo=UTC)


class Lengths:
    """Finds out how long texts are, and counts how often."""

    def __init__(self, folder: Path, made_with: str = "rules") -> None:
        self._files, self.asked = DerivedFiles(FileSpace(folder), made_with), 0

    def __call__(self, text: str) -> int:
        self.asked += 1
        return len(text)

    def of(self, texts: list[str]) -> list[int]:
        """Of each; `asked` counts those that were not remembered."""
        self.asked = 0
        half = len(texts) - 5
        found = [self._files.of("lengths", part, self) for part in (texts[:half], texts[half:])]
        self._files.settle()
        return [*found[0], *found[1]]


def test_another_process_reads_what_was_found_out(tmp_path: Path) -> None:
    assert Lengths(tmp_path).of(TEXTS) == [len(text) for text in TEXTS]
    again = Lengths(tmp_path)
    assert again.of(TEXTS[::-1]) == [len(text) for text in TEXTS[::-1]]
    assert again.asked == 0


def test_few_texts_are_worth_no_file(tmp_path: Path) -> None:
    assert Lengths(tmp_path).of(TEXTS[:-1]) == [len(text) for text in TEXTS[:-1]]
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda file: file.unlink(), id="it is gone"),
        pytest.param(lambda file: file.write_bytes(b""), id="it is empty"),
        pytest.param(lambda file: file.write_bytes(file.read_bytes()[:-9]), id="it was cut off"),
        pytest.param(
            lambda file: file.write_bytes(file.read_bytes().replace(b":6,", b":7,", 1)),
            id="a number in it is another one",
        ),
    ],
)
def test_a_damaged_file_is_made_again(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    Lengths(tmp_path).of(TEXTS)
    whole = (tmp_path / FILE).read_bytes()
    spoil(tmp_path / FILE)
    again = Lengths(tmp_path)
    assert again.of(TEXTS) == [len(text) for text in TEXTS]
    assert again.asked == len(TEXTS)
    assert (tmp_path / FILE).read_bytes() == whole


def test_what_is_first_asked_for_late_is_settled_then(tmp_path: Path) -> None:
    files = DerivedFiles(FileSpace(tmp_path), "rules")
    files.settle()
    assert not files.unsettled
    files.of("lengths", TEXTS, len)
    assert files.unsettled
    files.settle()
    assert not files.unsettled
    assert (tmp_path / FILE).exists()


def test_other_rules_find_out_anew(tmp_path: Path) -> None:
    Lengths(tmp_path).of(TEXTS)
    other = Lengths(tmp_path, "other rules")
    other.of(TEXTS)
    assert other.asked == len(TEXTS)


def test_a_file_is_written_again_once_much_is_new_and_holds_no_more_than_was_asked(
    tmp_path: Path,
) -> None:
    Lengths(tmp_path).of([*TEXTS, "a secret that was forgotten since"])
    few, many = Lengths(tmp_path), Lengths(tmp_path)
    before = (tmp_path / FILE).read_bytes()
    few.of([*TEXTS, "new"])
    assert few.asked == 1
    assert (tmp_path / FILE).read_bytes() == before
    many.of([*TEXTS, *(f"new {number}" for number in range(40))])
    assert many.asked == 40
    kept = DerivedFiles(FileSpace(tmp_path), "rules").load("lengths")
    assert kept is not None
    assert len(orjson.loads(kept)) == len(TEXTS) + 40


def asked_of(folder: Path) -> tuple[str, str]:
    """A turn of another process."""
    with Home.open(folder, {"embedding.backend": "off"}) as home:
        asked = Message.user("I am so glad! Who lost the compass near the chapel last winter?")
        found = home.role("Big").recall([asked], now=NOW, dry_run=True)
        return found.text, str(found.explain())


def test_words_that_were_found_out_are_read_again_where_their_file_is_damaged(
    tmp_path: Path,
) -> None:
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        home.create("Big").remember_all(
            [{"content": text, "source": "user_input"} for text in sentences(600)]
        )
    first = asked_of(tmp_path)
    (file,) = tmp_path.rglob("derived-terms.bin")
    whole = file.read_bytes()
    for damaged in (b"", whole[:-5], whole[:200] + b"\0" + whole[201:], whole[40:]):
        file.write_bytes(damaged)
        assert asked_of(tmp_path) == first
        assert file.read_bytes() == whole


def test_an_edited_memory_is_found_by_its_new_words_alone(tmp_path: Path) -> None:
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        role = home.create("Big")
        role.remember_all([{"content": text} for text in sentences(600)])
        role.recall(["Hello there."], dry_run=True)
        one = next(iter(role.memories))
        role.edit(one, content="The zeppelin landed in the quarry.")
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        found = home.role("Big").recall(["Where did the zeppelin land?"], dry_run=True)
        assert found.recalled[0].memory.id == one
        assert "wrote number" not in found.recalled[0].memory.content


def test_the_first_turn_of_a_process_answers_alike_and_reads_no_text_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def turn() -> tuple[str, str]:
        return asked_of(tmp_path)

    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        home.create("Big").remember_all(
            [{"content": text, "source": "user_input"} for text in sentences(1_200)]
        )
    first = turn()
    files = {file.name for file in tmp_path.rglob("derived-*.bin")}
    assert files == {
        f"derived-{one}.bin" for one in ("terms", "tells", "times", "felt", "memories")
    }
    made: list[int] = []
    of = DerivedFiles.of

    def counted(
        self: DerivedFiles, kind: str, texts: list[str], make: Callable[[str], object]
    ) -> object:
        def makes(text: str) -> object:
            made.append(1)
            return make(text)

        return of(self, kind, texts, makes)

    monkeypatch.setattr(DerivedFiles, "of", counted)
    assert turn() == first
    assert made == []
