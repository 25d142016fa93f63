"""The person's own editor."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

from rolememory.errors import FileError, InvalidValueError


def edit_file(path: Path) -> None:
    """Open a file in $VISUAL, $EDITOR, or what the system has; returns once the editor was closed.

    Raises:
        InvalidValueError: there is no editor, or it failed.
    """
    command = [*_editor(), str(path)]
    try:
        code = subprocess.run(command, check=False).returncode  # noqa: S603  # the person's own choice of program
    except OSError as error:
        told = error.strerror or str(error)
        raise InvalidValueError(
            "{command}: {told}; set EDITOR to your editor", command=command[0], told=told
        ) from error
    if code:
        raise InvalidValueError(
            "{command}: ended with code {code}; nothing was changed by us",
            command=command[0],
            code=code,
        )


def _editor() -> list[str]:
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if named:
        return shlex.split(named, posix=sys.platform != "win32")
    found = next((name for name in ("notepad", "nano", "vim", "vi") if which(name)), None)
    if found is None:
        raise InvalidValueError("no editor: neither VISUAL nor EDITOR is set; set EDITOR=nano")
    return [found]


def edit_json(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A JSON object as the person left it in the editor.

    Raises:
        FileError: it is no JSON object any more, with line and column; the text is kept where the message says.
    """
    import json

    from rolememory.storage.role_file import read_object

    with TemporaryDirectory(prefix="rolememory-") as folder:
        path = Path(folder) / f"{name}.json"
        path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        edit_file(path)
        try:
            return read_object(path)
        except FileError as error:
            kept = Path.cwd() / f"{name}.rejected.json"
            kept.write_bytes(path.read_bytes())
            raise FileError(
                kept,
                error.problem,
                remedy="mend it, or delete it",
                line=error.line,
                column=error.column,
            ) from error
