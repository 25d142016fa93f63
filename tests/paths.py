"""Where tests find data that is not part of the repository; absent on a user's machine, so such tests skip."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


def shared(*parts: str) -> Path:
    """A file or folder of the shared data, or skip the test that asked for it."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"shared data {'/'.join(parts)} is not here")
    return path
