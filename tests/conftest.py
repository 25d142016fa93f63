"""Options and fixtures of the whole suite."""

import gc
import logging
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from rolememory.cli import language

settings.register_profile(
    "suite", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # the same on any machine
settings.register_profile(
    "explore", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # --hypothesis-profile=explore
settings.load_profile("suite")


class _Loggers(dict[str, logging.Logger | logging.PlaceHolder]):
    """The loggers of the process. pytest walks through them at each test, while a model that loads in the background adds its own."""

    def values(self) -> Any:
        """As they are now."""
        return list(super().values())


logging.root.manager.loggerDict = _Loggers(logging.root.manager.loggerDict)

MEMORY = Path("/dev/shm")
ROOM = 4 * 2**30  # bytes
if MEMORY.is_dir() and "TMPDIR" not in os.environ and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ["TMPDIR"] = str(MEMORY)  # homes of tests live there: nobody waits for a disk
    tempfile.tempdir = None  # found anew

sys.dont_write_bytecode = False  # or every worker rewrites each assert anew
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # and every process compiles the package

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts what runs behind it:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # processes of tests would inherit it

GOLDEN = Path(__file__).parent / "golden"
BEGAN = monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the golden files; review the diff"
    )
    parser.addoption(
        "--within",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="begin no test after so long (tests.quick)",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """The tests stay to the end: neither while they are collected nor later is garbage looked for among them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    within = item.config.getoption("--within")
    if within and monotonic() - BEGAN > within:
        pytest.skip("the time is up; `make test` runs it")


@pytest.fixture(autouse=True)
def language_of_the_process() -> Iterator[None]:
    """A command that a test runs in this process chooses its language; the next test starts in English."""
    yield
    language.ProcessLanguage.language = "en"


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden("inject/default.en.txt", text)`: the text is what the file says; with --update-golden the file is written."""

    def check(name: str, text: str) -> None:
        file = GOLDEN / name
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        assert file.is_file(), (
            f"no golden file {name}; run pytest --update-golden and read what it writes"
        )
        assert text == file.read_text(encoding="utf-8")

    return check
