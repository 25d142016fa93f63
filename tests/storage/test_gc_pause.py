"""What bulk work freed does not stay with the process."""

import platform
import subprocess
import sys

import pytest

FREED = """
from pathlib import Path
from rolememory.storage.gc_pause import give_back

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1])

held = [bytes(2000) for _ in range(20_000)]
last = held.pop()
del held
before = resident()
give_back()
print((before - resident()) * 4096)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another allocator")
def test_what_was_freed_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", FREED], check=True, capture_output=True, text=True)
    assert int(done.stdout) > 25_000_000
