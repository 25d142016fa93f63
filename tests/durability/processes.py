"""Child processes by fork: they start in a millisecond, so thousands of them can be killed."""

import gc
import os
import warnings
from collections.abc import Callable


def forked(work: Callable[[], int]) -> int:
    """Run `work` in a child that ends with its result; give the child's process id.

    The child collects no garbage: what earlier tests left ends with locks that a thread of the parent may hold.
    """
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # the children touch nothing that a thread of ours may hold
        pid = os.fork()
    if pid == 0:
        gc.disable()
        code = 2
        try:
            code = work()
        finally:
            os._exit(code)
    return pid
