"""Makes a home: the files and folders of `rolememory init`. Existing ones are unchanged."""

import json
from pathlib import Path

from rolememory.schema.scene import Language
from rolememory.storage.files import atomic
from rolememory.storage.memory_schema import NAME as SCHEMA
from rolememory.storage.memory_schema import schema
from rolememory.storage.settings import FILE
from rolememory.storage.settings_text import commented

IGNORED = ".cache/\n.lock\n*.tmp\n*.prev\n"
FOLDERS = ("templates", "worldbooks")


def init(path: Path | str, language: Language = "en") -> list[Path]:
    """Make a home folder; the paths that were created. Idempotent.

    Raises:
        InvalidValueError: the path is a file.
        NotWrittenError: the folder cannot be written.
    """
    home = atomic.refuse_file(Path(path).expanduser().resolve())
    made = [folder for folder in (home, *(home / name for name in FOLDERS)) if not folder.exists()]
    for folder in made:
        atomic.make_folder(folder)
    for name, text in _files(language).items():
        if not (home / name).exists():
            atomic.write(home / name, text)
            made.append(home / name)
    return made


def _files(language: Language) -> dict[str, bytes]:
    completion = json.dumps(schema(), ensure_ascii=False, indent=2)
    return {
        FILE: commented(language).encode(),
        SCHEMA: completion.encode() + b"\n",
        ".gitignore": IGNORED.encode(),
    }
