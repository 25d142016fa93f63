"""Syntax trees of sources, in a process in which a model may still be loading."""

import ast
import threading


def parsed(source: str) -> ast.Module:
    """The tree of a source. First awaits a model that another thread loads: two threads that parse at once fail in Python 3.11."""
    for thread in threading.enumerate():
        if thread.name == "rolememory-model":
            thread.join()
    return ast.parse(source)
