"""A process that ends while a model is loaded, or in use on other threads, ends quietly."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

from rolememory.text.embed.base import PriorityLock
from rolememory.text.embed.local import packaged
from rolememory.text.embed.shutdown import ShutdownGuard

SCRIPT = """
import sys
from rolememory import Home
home = Home.open(sys.argv[1], {"embedding.backend": "local"})
mira = home.role("Mira", create=True)
mira.remember_all([f"The beacon failed in storm {n}, and nobody in the harbour found out why." for n in range(400)])
assert home.loader.ready(120), home.loader.reason
mira.recall("Why is the beacon dark?")
print("done")
"""

LOADING = """
import sys, threading
class Import:
    def find_spec(self, name, *_):
        if name == sys.argv[2] and threading.current_thread().name == "rolememory-model":
            begun.set()
            shown.wait()
begun, shown = threading.Event(), threading.Event()
sys.meta_path.insert(0, Import())
from rolememory import Home
home = Home.open(sys.argv[1], {"embedding.backend": "local"})
mira = home.role("Mira", create=True)
mira.remember("The beacon failed in the storm.", keys=["beacon"])
assert mira.recall("Why is the beacon dark?").recalled
assert begun.wait(240)
print(home.loader.state)
shown.set()
"""


REFUSED = """
import threading
from rolememory.schema.settings import EmbeddingSettings
from rolememory.text.embed.loader import Loader
def load(_):
    begun.set()
    threading.main_thread().join()
    raise RuntimeError("can't register atexit after shutdown")
begun = threading.Event()
Loader(EmbeddingSettings(), load).start()
begun.wait()
"""


def ended(script: str, *words: str) -> tuple[int, str, str]:
    """How a process that runs this ended, and what it said."""
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.skipif(packaged() is None, reason="no model in this installation")
def test_a_script_that_ends_while_its_memories_are_embedded(tmp_path: Path) -> None:
    assert ended(SCRIPT, str(tmp_path)) == (0, "done\n", "")


@pytest.mark.slow
@pytest.mark.skipif(packaged() is None, reason="no model in this installation")
@pytest.mark.parametrize(
    "module",
    [
        pytest.param("torch", id="its library is imported"),
        pytest.param("safetensors.torch", id="deep in an import that hides why it failed"),
        pytest.param("transformers.models.bert.tokenization_bert", id="its weights are read"),
    ],
)
def test_a_script_that_ends_while_the_model_loads(tmp_path: Path, module: str) -> None:
    assert ended(LOADING, str(tmp_path), module) == (0, "loading\n", "")


def test_what_a_library_cannot_do_any_more_is_no_fault_of_a_model() -> None:
    assert ended(REFUSED) == (0, "", "")


def begun(work: Callable[[], None]) -> threading.Thread:
    """A thread that does this, and ends where it is told to."""

    def quietly() -> None:
        with suppress(SystemExit):
            work()

    thread = threading.Thread(target=quietly, daemon=True)
    thread.start()
    return thread


def test_who_is_inside_is_waited_for_and_nobody_comes_in_any_more() -> None:
    turnstile = PriorityLock()
    inside, leave = threading.Event(), threading.Event()
    passed: list[str] = []

    def first() -> None:
        with turnstile.passage():
            inside.set()
            leave.wait(30)
            passed.append("first")

    def second() -> None:
        with turnstile.question():
            passed.append("second")

    def ending() -> None:
        turnstile.shut()
        passed.append("shut")

    one = begun(first)
    assert inside.wait(30)
    two = begun(ending)
    while turnstile._open:
        two.join(0.01)
    three = begun(second)
    leave.set()
    for thread in (one, two, three):
        thread.join(30)
    assert passed == ["first", "shut"]


def test_a_model_made_at_the_end_lets_nobody_in() -> None:
    ending = ShutdownGuard()
    ending.begin()
    assert not ending.watch(PriorityLock())


def test_who_loads_stops_at_the_next_import() -> None:
    ending, started = ShutdownGuard(), threading.Event()

    def load() -> None:
        with ending.loading():
            started.set()
            while True:
                with suppress(ImportError):
                    import_module("this_is_no_module")

    thread = begun(load)
    assert started.wait(30)
    ending.begin()
    assert not thread.is_alive()
    assert ending not in sys.meta_path
