"""Runs the command: in this process where a hundred rows want to be quick, as a process of its own where that is the point."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rolememory.cli.app import run

ENVIRONMENT = {
    "ROLEMEMORY_LANG": "en",
    "HF_HUB_OFFLINE": "1",
    "PYTHONUTF8": "0",
    "LC_ALL": "C.UTF-8",
    "COLUMNS": "100",
}


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its result under --json."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        """Its lines on standard output."""
        return self.out.splitlines()


class Terminal(io.TextIOWrapper):
    """A stream that people sit at."""

    def isatty(self) -> bool:
        return True


class Command:
    """The command with a home of its own."""

    def __init__(self, home: Path, patch: pytest.MonkeyPatch) -> None:
        self.home, self._patch = home, patch

    def __call__(
        self,
        *arguments: str,
        stdin: bytes = b"",
        encoding: str = "utf-8",
        lang: str = "en",
        terminal: bool = False,
    ) -> Ran:
        """Run it in this process, with pipes or as if at a terminal."""
        made = Terminal if terminal else io.TextIOWrapper
        out, err = (made(io.BytesIO(), encoding=encoding, write_through=True) for _ in range(2))
        with self._patch.context() as patch:
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            patch.setattr(sys, "stdin", made(io.BytesIO(stdin), encoding=encoding))
            code = run(["--home", str(self.home), "--lang", lang, *arguments])
        return Ran(code, *(stream.buffer.getvalue().decode(encoding) for stream in (out, err)))  # type: ignore[attr-defined]

    def role_folder(self, name: str = "Mira") -> Path:
        """Where a role's files are."""
        return self.home / str(self("open", name, "--json").json["id"])


def process(
    *arguments: str,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Ran:
    """Run it as a process of its own."""
    given = {**os.environ, **ENVIRONMENT, **(environment or {})}
    encoding = given.get("PYTHONIOENCODING", "utf-8").partition(":")[0]
    done = subprocess.run(
        [sys.executable, "-m", "rolememory", *arguments],
        input=stdin,
        capture_output=True,
        env=given,
        cwd=cwd,
        timeout=300,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(encoding), done.stderr.decode(encoding))
