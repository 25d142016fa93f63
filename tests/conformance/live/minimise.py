"""Makes a case small while it still shows what it shows: first what happens, then fields, then texts."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any

from tests.conformance.live.worlds import FRESH

Case = dict[str, Any]
Path = tuple[Any, ...]
Edit = tuple[Path, Any]  # where, and the new value or GONE
Judge = Callable[[Sequence[Case]], Sequence[bool]]

GONE = object()
PLAIN = {
    **dict.fromkeys(
        ("min_activations", "min_activations_depth_max", "budget_cap", "max_recursion_steps"), 0
    ),
    **dict.fromkeys(
        ("include_names", "recursive", "case_sensitive", "match_whole_words", "use_group_scoring"),
        False,
    ),
    "depth": 2,
    "budget": 25,
    "character_strategy": 1,
}
NEEDED = ("uid", "key", "content", "order")
LONGEST = 40  # characters of a text that are tried one by one
FEW_ROLLS = (0, 1, 2, 5, 10, 20)


def minimised(case: Case, shows: Judge) -> Case:
    """The smallest case found that `shows` says still shows it; asks for many at once, since each question costs a trip."""
    before = None
    while before != case:
        before = case
        for edits in (_happenings, _fields, _texts, _usual):
            while smaller := _smaller(case, list(edits(case)), shows):
                case = smaller
    return case


def _smaller(case: Case, edits: list[Edit], shows: Judge) -> Case | None:
    """The case with as many of these edits as can be had at once, or None."""
    verdicts = shows([edited(case, [edit]) for edit in edits])
    useful = [edit for edit, good in zip(edits, verdicts, strict=True) if good]
    counts = [len(useful) >> halved for halved in range(len(useful).bit_length())]
    together = [edited(case, useful[:count]) for count in counts]
    return next((one for one, good in zip(together, shows(together), strict=True) if good), None)


def edited(case: Case, edits: Sequence[Edit]) -> Case:
    """A copy with these edits; an edit inside what another removes is void.

    >>> edited({"a": [1, 2, 3], "b": {"c": 4}}, [(("a", 0), GONE), (("a", 1), GONE), (("b", "c"), 5)])
    {'a': [3], 'b': {'c': 5}}
    """
    copy = deepcopy(case)
    removed = [edit for edit in edits if edit[1] is GONE]
    for path, value in [edit for edit in edits if edit[1] is not GONE]:
        _at(copy, path[:-1])[path[-1]] = value
    for path, _ in sorted(
        removed, key=lambda edit: [str(step).zfill(6) for step in edit[0]], reverse=True
    ):  # the last of a list first
        del _at(copy, path[:-1])[path[-1]]
    return copy


def _at(case: Any, path: Path) -> Any:
    for step in path:
        case = case[step]
    return case


# ── what may be left out ──


def _happenings(case: Case) -> Iterator[Edit]:
    yield from (
        ((place, at), GONE)
        for place in ("turns", "books")
        for at in range(len(case.get(place, ())))
        if len(case[place]) > 1
    )
    yield from ((path, GONE) for path, _ in _entries(case))
    yield from (((*path, at), GONE) for path in _talks(case) for at in range(len(_at(case, path))))
    for path in [(), *(("turns", at) for at in range(len(case.get("turns", ()))))]:
        asked = _at(case, path)
        yield from (
            ((*path, name), GONE)
            for name in ("author_note", "force_activate", "dry_run", "trigger", "remove_last")
            if name in asked
        )
        yield from (
            ((*path, name, at), GONE)
            for name in ("scan_injections",)
            for at in range(len(asked.get(name, ())))
        )
        yield from (((*path, "edit_entries", uid), GONE) for uid in asked.get("edit_entries", ()))
    yield from (
        (("rolls",), case["rolls"][:count])
        for count in FEW_ROLLS
        if count < len(case.get("rolls", ()))
    )


def _fields(case: Case) -> Iterator[Edit]:
    for path, entry in _entries(case):
        odd = [
            name
            for name in entry
            if name not in ("uid", "key", "content") and entry[name] != FRESH.get(name, GONE)
        ]
        yield from (((*path, name), FRESH.get(name, GONE)) for name in odd)
        yield from (
            ((*path, name, at), GONE)
            for name in ("key", "keysecondary")
            for at in _numbers(entry.get(name))
        )
    settings = {f"world_info_{name}": value for name, value in PLAIN.items()} | {
        "max_context": 8192
    }
    yield from (
        (("settings", name), value)
        for name, value in settings.items()
        if case["settings"][name] != value
    )
    empty: dict[str, Any] = {"tags": [], "name": "A", "file": "mira"}
    people = [(who, name) for who in ("character", "user") for name in case[who]]
    yield from (
        (path, empty.get(path[1], ""))
        for path in people
        if _at(case, path) != empty.get(path[1], "")
    )


def _usual(case: Case) -> Iterator[Edit]:
    """Fields that are as in any new entry: last, for to miss a field may be another story."""
    for path, entry in _entries(case):
        yield from (
            ((*path, name), GONE)
            for name in entry
            if name not in NEEDED and entry[name] == FRESH.get(name, GONE)
        )


def _texts(case: Case) -> Iterator[Edit]:
    paths = [(*path, at, "mes") for path in _talks(case) for at in range(len(_at(case, path)))]
    for path, entry in _entries(case):
        paths += [
            (*path, "content"),
            *(
                (*path, name, at)
                for name in ("key", "keysecondary")
                for at in _numbers(entry.get(name))
            ),
        ]
    paths += [("character", name) for name in case["character"]] + [
        ("user", name) for name in case["user"]
    ]
    paths += [("scan_injections", at) for at in range(len(case.get("scan_injections", ())))]
    for path in paths:
        text = _at(case, path)
        if isinstance(text, str):
            yield from ((path, shorter) for shorter in _shorter(text))


def _shorter(text: str) -> Iterator[str]:
    half = len(text) // 2
    yield from (part for part in (text[:half], text[half:]) if part and part != text)
    if len(text) <= LONGEST:
        yield from (text[:at] + text[at + 1 :] for at in range(len(text)) if len(text) > 1)


def _numbers(listed: Any) -> range:
    return range(len(listed)) if isinstance(listed, list) else range(0)


def _entries(case: Case) -> Iterator[tuple[Path, Case]]:
    shelves: list[Path] = (
        [("entries",)]
        if "entries" in case
        else [("books", at, "entries") for at in range(len(case["books"]))]
    )
    yield from (((*path, uid), entry) for path in shelves for uid, entry in _at(case, path).items())


def _talks(case: Case) -> list[Path]:
    return [
        ("chat",),
        *(
            ("turns", at, "append")
            for at, turn in enumerate(case.get("turns", ()))
            if "append" in turn
        ),
    ]
