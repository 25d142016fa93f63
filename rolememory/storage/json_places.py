"""Line and column of fields in a JSON text, for messages."""

import json
from collections.abc import Iterable

from rolememory.schema.problem import Problem
from rolememory.text.json_walker import JsonWalker


def located(data: bytes, problems: Iterable[Problem], file: str) -> list[Problem]:
    """The problems with file, line and column of their field; a duplicate name gives one per occurrence."""
    wanted = list(problems)
    doubles = any(problem.code == "duplicate_key" for problem in wanted)
    text = data.decode("utf-8-sig")
    walk = JsonWalker(text, {problem.field for problem in wanted}, doubles=doubles)
    found = [problem for problem in wanted if problem.code != "duplicate_key"]
    found += [
        Problem.of("duplicate_key", field=field, found=json.dumps(name, ensure_ascii=False))
        for field, name, _ in walk.doubles
    ]
    return [problem.at(file, *walk.place(problem.field)) for problem in found]


def entries_in(data: bytes, arrays: Iterable[str]) -> list[tuple[str, int]]:
    """Array name and byte offset of each entry of these arrays of a JSON object, in order.

    >>> entries_in('{"语": 1, "a": [{"语": 2}, 3]}'.encode(), ["a", "b"])
    [('a', 17), ('a', 29)]
    """
    walk = JsonWalker(data.decode("latin-1"), {f"{name}[]" for name in arrays}, doubles=False)
    return [(path.partition("[")[0], at) for path, at in walk.offsets.items() if path[-1:] == "]"]
