"""The most memory a process has used, itself: what its parent had used before it was started does not count."""

import resource
import sys
from pathlib import Path


def peak_mb() -> float:
    """Peak resident memory of this process, in MB.

    Linux hands `ru_maxrss` on to a child through fork and exec, so a small child of a large parent looks large; VmHWM
    belongs to the program that runs.
    """
    if sys.platform == "linux":
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
