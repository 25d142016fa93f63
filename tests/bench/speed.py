"""How fast the hot path is, and beside it what a bare file, a bare product and the peers take. Prints one JSON object.

    python -m tests.bench.speed [--sizes 1000 10000 100000] [--turns 60] [--after-write | --heard | --talk | --long] [--peers PYTHON]

Vectors are made up beforehand (clustered, 384 dimensions, normalised) and the same for all, so no model is part of a figure.
Turns and the bare product are CPU time of their own thread, the first turn of the next process, by words alone, is that process's
CPU time; all else is time by the clock. `--after-write` measures turns alone:
`turn_after_write` is the one right after a memory was added. `--heard` measures turns over what was said in chats, in a chat of eight
messages, and right after one more was heard; `--talk` turns of a chat that grows by an exchange each time, sizes being how many of
its messages are sent, beside the newest message alone, over 1,000 memories; `--long` the first request of a chat with so many short messages.
`--peers` names the interpreter of an environment that holds chromadb, langgraph and mem0ai; without it they are left out.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from rolememory import Home, Message, RoleMemory
from rolememory.storage.files.space import FileSpace
from rolememory.storage.vectors import VectorFile
from rolememory.text.postings import text_digest
from rolememory.text.vectors import products
from tests.bench.made_up import DIM, Precomputed, memory_file, sentences, vectors

WORDS_ALONE = {"embedding.backend": "off"}


def timed(work: Callable[[], object], times: int) -> list[float]:
    """Milliseconds of each of so many runs."""
    out = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        out.append((time.perf_counter() - started) * 1000)
    return out


def summary(ms: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile, in ms."""
    ordered = sorted(ms)
    return {
        "median_ms": round(statistics.median(ordered), 3),
        "p95_ms": round(ordered[int(0.95 * (len(ordered) - 1))], 3),
    }


def process_ms(code: str, times: int = 9, *args: str) -> float:
    """Median wall time of a fresh interpreter that runs this code, its modules compiled as an installation has them."""
    command = [sys.executable, "-c", code, *args]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run(command, check=True)
    return statistics.median(timed(lambda: subprocess.run(command, check=True), times))


def start_up() -> dict[str, Any]:
    """Import and cold start."""
    bare, ours = process_ms("pass"), process_ms("import rolememory")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        role = Home.open(home, WORDS_ALONE).create("Cold")
        memory_file(role.folder / "memory.json", sentences(700))
        code = "import sys; from rolememory import Home; Home.open(sys.argv[1], {'embedding.backend': 'off'}).role('Cold').recall(['Who keeps the harbour lamp in the north?'], dry_run=True)"
        cold = process_ms(code, 5, str(home))
    return {
        "bare_python_ms": round(bare, 1),
        "import_ms": round(ours - bare, 1),
        "import_ratio": round(ours / bare, 2),
        "cold_lexical_answer_700_ms": round(cold, 1),
    }


def resident_mb() -> float:
    """Resident memory of this process, in MB."""
    pages = (
        int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        if sys.platform == "linux"
        else 0
    )
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def of_size(n: int, turns: int) -> dict[str, Any]:
    """Load, turn, append, fold and memory for one role of n memories with vectors at hand."""
    questions = sentences(turns + 5, seed=7)
    asked = vectors(turns + 5, seed=7)
    embedder = Precomputed(dict(zip(questions, asked, strict=True)))
    with tempfile.TemporaryDirectory() as folder:
        table = role_of_size(n, Path(folder), embedder)
        before = resident_mb()
        with Home.open(folder, embedder=embedder) as home:
            role = home.role("Big")
            load = timed(lambda: role.memories, 1)[0]
            first = timed(lambda: role.recall(["Hello there, who are you?"], dry_run=True), 1)[0]
            assert role.ready(120)
            turns_taken = turns_of(role, questions)
            after = resident_mb()
            seen = iter(f"Thing {number} came into the harbour." for number in range(40))
            append = timed(lambda: role.remember(next(seen)), 20)
            append_cpu = timed_turns(role.remember, [next(seen) for _ in range(20)])
            fold = timed(lambda: role.store.checkpoint(force=True), 1)[0]
        with Home.open(folder, WORDS_ALONE) as home:
            role = home.role("Big")
            role.recall([questions[0]], dry_run=True)
            words_alone = timed_turns(lambda q: role.recall([q], dry_run=True), questions[5:])
        bare = bare_append(Path(folder))
        next_process = next_process_ms(folder)
    return {
        "memories": n,
        "load_ms": round(load, 1),
        "first_turn_ms": round(first, 1),
        "next_process_first_turn_ms": round(next_process, 1),
        **beside_product(turns_taken, table, list(asked[5:])),
        "turn_words_alone": summary(words_alone),
        "remember": summary(append),
        "remember_cpu": summary(append_cpu),
        "bare_append_fsync": summary(bare),
        "remember_to_bare": round(statistics.median(append) / statistics.median(bare), 2),
        "fold_ms": round(fold, 1),
        "resident_mb": round(after - before, 1),
    }


def next_process_ms(folder: str) -> float:
    """CPU time of the first turn of a process that finds what an earlier one left in `.cache`; what it imports is not counted."""
    code = (
        "import sys, time, numpy; from rolememory import Home; "
        "role = Home.open(sys.argv[1], {'embedding.backend': 'off'}).role('Big'); began = time.process_time(); "
        "role.recall(['Hello there, who are you?'], dry_run=True); print(time.process_time() - began)"
    )
    command = [sys.executable, "-c", code, folder]
    return 1000 * statistics.median(
        float(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(3)
    )


def role_of_size(n: int, folder: Path, embedder: Precomputed) -> Any:
    """A role "Big" of n memories with their vectors on disk; the vectors."""
    texts, table = sentences(n), vectors(n)
    with Home.open(folder, WORDS_ALONE) as home:
        role_folder = home.create("Big").folder
    memory_file(role_folder / "memory.json", texts)
    VectorFile(FileSpace(role_folder), embedder.key, DIM).save(
        {text_digest(text): vector for text, vector in zip(texts, table, strict=True)}
    )
    return table


def turns_of(role: RoleMemory, questions: Sequence[str]) -> dict[str, list[float]]:
    """Milliseconds of turns in a role that rests, and of turns right after a memory was added."""

    def turn(question: str) -> None:
        role.recall([question], dry_run=True)

    for question in questions[:5]:
        turn(question)
    resting = timed_turns(turn, questions[5:])
    written = []
    for number, question in enumerate(questions[5:]):
        role.remember(f"New thing number {number} was seen in the harbour.", source="user_input")
        written += timed_turns(turn, [question])
    return {"turn": resting, "turn_after_write": written}


def beside_product(
    turns: dict[str, list[float]], table: Any, asked: Sequence[Any]
) -> dict[str, Any]:
    """Turns beside the baseline: one product of all vectors with the question's and the best ten."""

    def product(row: Any) -> None:
        np.argpartition(products(table, row), -10)[-10:]

    timed_turns(product, asked[:5])
    bare = timed_turns(product, asked)
    median = {name: statistics.median(ms) for name, ms in turns.items()}
    return {
        **{name: summary(ms) for name, ms in turns.items()},
        "bare_product": summary(bare),
        "turn_to_product": round(median["turn"] / statistics.median(bare), 1),
        "write_adds_ms": round(median["turn_after_write"] - median["turn"], 3),
    }


def after_write(n: int, turns: int) -> dict[str, Any]:
    """Turns alone, in a role of n memories with vectors at hand."""
    questions, asked = sentences(turns + 5, seed=7), vectors(turns + 5, seed=7)
    embedder = Precomputed(dict(zip(questions, asked, strict=True)))
    with tempfile.TemporaryDirectory() as folder:
        table = role_of_size(n, Path(folder), embedder)
        before = resident_mb()
        with Home.open(folder, embedder=embedder) as home:
            role = home.role("Big")
            role.recall([questions[0]], dry_run=True)
            assert role.ready(300)
            measured = beside_product(turns_of(role, questions), table, list(asked[5:]))
            return {"memories": n, **measured, "resident_mb": round(resident_mb() - before, 1)}


def heard(n: int, turns: int) -> dict[str, Any]:
    """Turns in a chat of eight messages over n that were heard in other chats, with vectors at hand, and after one more was heard."""
    questions, asked = sentences(2 * turns + 5, seed=7), vectors(2 * turns + 5, seed=7)
    texts, table = sentences(n), vectors(n)
    known = dict(zip([*texts, *questions], [*table, *asked], strict=True))
    voices = (Message.user, Message.assistant)
    said = [voices[at % 2](text) for at, text in enumerate(sentences(8, seed=9))]
    with (
        tempfile.TemporaryDirectory() as folder,
        Home.open(folder, embedder=Precomputed(known)) as home,
    ):
        role = home.create("Big")
        for start in range(0, n, 500):
            part = texts[start : start + 500]
            told = [voices[at % 2](text) for at, text in enumerate(part)]
            role.observe(told, chat=f"chat {start}", user="lin")
        role.observe(said, chat="now", user="lin")
        role.recall([questions[0]], dry_run=True)
        assert role.ready(300)

        def turn(question: str) -> None:
            role.recall([*said, Message.user(question)], chat="now", user="lin", dry_run=True)

        timed_turns(turn, questions[:5])
        resting, after = timed_turns(turn, questions[5 : turns + 5]), list[float]()
        for question in questions[turns + 5 :]:
            said += [Message.user(question), Message.assistant("So it was.")]
            role.observe(said, chat="now", user="lin")
            said = said[-8:]
            after += timed_turns(turn, [question])
    found = {"turn": resting, "turn_after_message": after}
    return {"heard": n, **{name: summary(ms) for name, ms in found.items()}}


def talk(n: int, turns: int) -> dict[str, Any]:
    """Turns of a chat whose newest n messages are sent each time, as frontends do, and the same question without them."""
    voices, lengths = (Message.user, Message.assistant), (1, 3)
    lines = iter(sentences(2 * (n + 2 * turns), seed=9))
    said = [voices[at % 2](" ".join(islice(lines, lengths[at % 2]))) for at in range(n + 2 * turns)]
    known = dict(zip([one.content for one in said], vectors(len(said), seed=9), strict=True))
    with tempfile.TemporaryDirectory() as folder:
        role_of_size(1000, Path(folder), Precomputed(known))
        with Home.open(folder, embedder=Precomputed(known)) as home:
            role = home.role("Big")
            role.observe(said[:n], chat="now", user="lin")
            role.recall([said[0]], dry_run=True)
            assert role.ready(300)

            def turn(sent: Sequence[Message]) -> None:
                role.recall(sent, chat="now", user="lin")

            found: dict[str, list[float]] = {"turn": [], "without_window": []}
            for end in range(n, n + 2 * turns, 2):
                window = said[end + 1 - n : end + 1]
                found["turn"] += timed_turns(turn, [window])
                role.observe([*window, said[end + 1]], chat="now", user="lin")
                assert role.ready(60)
                found["without_window"] += timed_turns(
                    lambda sent: role.recall(sent, dry_run=True), [[said[end]]]
                )
    return {"messages": n, **{name: summary(ms) for name, ms in found.items()}}


def long_request(n: int) -> dict[str, Any]:
    """The first request of a chat that shows n short messages, and the turn after it was heard."""
    voices = (Message.user, Message.assistant)
    said = [voices[at % 2](f"{at} yes, that is so.") for at in range(n - 1)]
    said.append(Message.user("Who keeps the lamp?"))
    bounds = {"serve.max_messages": n + 1, "serve.max_characters": 100 * n}
    with tempfile.TemporaryDirectory() as folder, Home.open(folder, WORDS_ALONE | bounds) as home:
        role = home.create("Long")
        role.recall("Hello there.", dry_run=True)
        first = timed_turns(lambda _: role.recall(said, chat="long", dry_run=True), [None])[0]
        role.observe(said, chat="long")
        role.recall(said, chat="long", dry_run=True)
        next_one = timed_turns(lambda _: role.recall(said, chat="long", dry_run=True), [None])[0]
    told = {"first_ms": first, "first_us_per_message": 1000 * first / n, "next_ms": next_one}
    return {"messages": n, **{name: round(ms, 1) for name, ms in told.items()}}


def timed_turns(turn: Callable[[Any], object], questions: Sequence[Any]) -> list[float]:
    """Milliseconds of CPU of one turn per question, on this thread."""
    out = []
    for question in questions:
        started = time.thread_time()
        turn(question)
        out.append((time.thread_time() - started) * 1000)
    return out


def bare_append(folder: Path) -> list[float]:
    """A line of the journal's length, appended and synced, nothing else."""
    with (folder / "bare").open("ab") as file:

        def append() -> None:
            file.write(b"x" * 400 + b"\n")
            file.flush()
            os.fsync(file.fileno())

        return timed(append, 20)


def growth_per_role(roles: int = 30, each: int = 100) -> dict[str, float]:
    """Resident growth of a host process for each role it talks to. Source: S1.38."""
    with tempfile.TemporaryDirectory() as folder, Home.open(folder, WORDS_ALONE) as home:
        for number in range(roles):
            memory_file(
                home.create(f"Role {number}").folder / "memory.json", sentences(each, seed=number)
            )
        home.role("Role 0").recall(["warm up, please"], dry_run=True)
        before = resident_mb()
        for number in range(1, roles):
            home.role(f"Role {number}").recall([Message.user("Who keeps the lamp?")], dry_run=True)
        grown = resident_mb() - before
    return {
        "memories_per_role": each,
        "host_mb": round(before, 1),
        "mb_per_role": round(grown / (roles - 1), 3),
    }


def in_a_fresh_process(function: str) -> Any:
    """What a function of this module gives where nothing was measured before: memory given back once is not seen to grow."""
    code = f"import json; from tests.bench.speed import {function}; print(json.dumps({function}()))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def peers(python: str, sizes: Sequence[int], turns: int) -> Any:
    """The peers on the same texts and vectors, in their own environment."""
    root = Path(__file__).resolve().parents[2]
    command = [
        python,
        "-m",
        "tests.bench.peers",
        "--turns",
        str(turns),
        "--sizes",
        *map(str, sizes),
    ]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return (
        json.loads(done.stdout.splitlines()[-1])
        if done.returncode == 0
        else {"error": done.stderr[-400:]}
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--turns", type=int, default=60)
    for name in ("--after-write", "--heard", "--talk", "--long"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--peers", default=os.environ.get("ROLEMEMORY_PEERS", ""))
    asked = parser.parse_args()
    out: dict[str, Any] = {"load_average": os.getloadavg()[0]}
    if asked.after_write:
        out["sizes"] = [after_write(n, asked.turns) for n in asked.sizes]
    elif asked.heard:
        out["sizes"] = [heard(n, asked.turns) for n in asked.sizes]
    elif asked.talk:
        out["sizes"] = [talk(n, asked.turns) for n in asked.sizes]
    elif asked.long:
        out["sizes"] = [long_request(n) for n in asked.sizes]
    else:
        out["start_up"] = start_up()
        out["sizes"] = [of_size(n, asked.turns) for n in asked.sizes]
        out["growth"] = in_a_fresh_process("growth_per_role")
    if asked.peers:
        out["peers"] = peers(asked.peers, [n for n in asked.sizes if n <= 10_000], asked.turns)
    print(json.dumps(out, indent=2))


if __name__ == "__main__":
    main()
