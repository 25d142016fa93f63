"""What a vector costs: processor time per question and per passage, and how far vectors move. Prints one JSON object per runtime.

    python -m tests.bench.embedding [FILE.json] [--texts 256]

The packaged model is asked as it is and as exported by `rolememory model export`, in full and in 8 bits. The texts are those of a data
set (format: `tests.bench.data_set`; without one, the probes); all runtimes compute on one thread, so this is the time of one core.

    question_ms  a question alone; `passage_ms`: a text while a role is filled, in batches of like length
    cosine       of a text's vector with the original's, the mean; `similarity`: how much the cosines of two texts deviate
"""

import argparse
import contextlib
import io
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rolememory.cli.app import run
from rolememory.storage.home import init
from rolememory.text.embed.fill import BATCH
from rolememory.text.embed.graph import GraphModel, graph_folder
from rolememory.text.embed.in_process import InProcess
from tests.shipped_model import shipped_model

PROBES = Path(__file__).parent / "data" / "probes.en.json"
QUESTIONS = 64


def sample(file: Path, texts: int) -> tuple[list[str], list[str]]:
    """So many texts of a data set, and a few questions; the same each time."""
    roles = json.loads(file.read_text(encoding="utf-8"))["roles"]
    told = [one["text"] for raw in roles for one in raw["memories"]]
    asked = [one["text"] for raw in roles for one in raw["queries"]]
    for some in (told, asked):
        random.Random(1).shuffle(some)
    return told[:texts], asked[:QUESTIONS]


def models(folder: Path) -> Iterator[InProcess]:
    """The packaged model as it is, exported, and exported in 8 bits."""
    yield shipped_model()
    for options in ((), ("--int8",)):
        home = folder / "-".join(["home", *options])
        init(home, "en")
        with contextlib.redirect_stdout(io.StringIO()):
            code = run(["--home", str(home), "model", "export", *options])
        if code:
            raise SystemExit(code)
        yield GraphModel(graph_folder(home))


def milliseconds(work: Callable[[], object], count: int) -> float:
    """Processor time for each of so many."""
    began = time.process_time()
    work()
    return round(1000.0 * (time.process_time() - began) / count, 2)


def measured(model: InProcess, texts: Sequence[str], asked: Sequence[str]) -> tuple[Any, Any]:
    """The figures of one runtime, and its vectors of the texts."""
    import numpy as np

    model.embed_query("warm")
    question = milliseconds(lambda: [model.embed_query(one) for one in asked], len(asked))
    rows: list[Any] = []
    batches = [texts[at : at + BATCH] for at in range(0, len(texts), BATCH)]
    passage = milliseconds(lambda: rows.extend(map(model.embed, batches)), len(texts))
    told = {"runtime": model.runtime, "question_ms": question, "passage_ms": passage}
    return told, np.concatenate(rows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path, default=PROBES)
    parser.add_argument("--texts", type=int, default=256)
    given = parser.parse_args()
    texts, asked = sample(given.file, given.texts)
    original = None
    with tempfile.TemporaryDirectory() as folder:
        for model in models(Path(folder)):
            told, vectors = measured(model, texts, asked)
            original = vectors if original is None else original
            moved = vectors @ vectors.T - original @ original.T
            told["cosine"] = round(float((vectors * original).sum(axis=1).mean()), 4)
            told["similarity"] = round(float(moved.std()), 4)
            print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
