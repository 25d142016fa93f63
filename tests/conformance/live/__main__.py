"""Compares our scan with the real SillyTavern: python -m tests.conformance.live --program FOLDER [--cases 500] [--seed WORD] [--given FOLDER].

Prints each difference with the smallest case that shows it, then `N passed, M failed`; the exit status tells whether all passed.
"""

import argparse
import json
import secrets
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.conformance.live.minimise import minimised
from tests.conformance.live.page import Program, opened
from tests.conformance.live.server import served
from tests.conformance.live.worlds import world
from tests.conformance.worldinfo import run

Case = dict[str, Any]
MOST_MINIMISED = 10  # it takes a while


def main(words: Sequence[str] | None = None) -> int:
    """Ask, compare, tell."""
    asked = _arguments(words)
    cases = (
        [_read(path) for path in sorted(asked.given.glob("*.json"))]
        if asked.given
        else _worlds(asked.seed, asked.cases)
    )
    asked.home.mkdir(parents=True, exist_ok=True)
    with (
        served(asked.program.resolve(), asked.home.resolve()) as address,
        opened(address) as program,
    ):
        failed = 0
        for case, faults in compared(program, cases):
            failed += bool(faults)
            if faults:
                tell(
                    program,
                    case,
                    faults,
                    small=failed <= MOST_MINIMISED,
                    folder=asked.home / "differences",
                )
    print(f"{len(cases) - failed} passed, {failed} failed")
    return int(failed > 0)


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    ask = argparse.ArgumentParser(prog="python -m tests.conformance.live")
    ask.add_argument(
        "--program", type=Path, required=True, help="folder of the installed npm package"
    )
    ask.add_argument(
        "--home",
        type=Path,
        default=Path(".cache/live/home"),
        help="where it keeps its data while it runs",
    )
    ask.add_argument("--cases", type=int, default=500)
    ask.add_argument(
        "--seed", default=secrets.token_hex(3), help="the same seed gives the same cases"
    )
    ask.add_argument(
        "--given",
        type=Path,
        help="ask these cases instead, and compare their expectations with the live answers too",
    )
    return ask.parse_args(words)


def _worlds(seed: str, count: int) -> list[Case]:
    print(f"{count} cases of seed {seed}", flush=True)
    return [world(f"{seed}-{number}") for number in range(count)]


def _read(path: Path) -> Case:
    case: Case = json.loads(path.read_text(encoding="utf-8"))
    return case


def compared(program: Program, cases: Sequence[Case]) -> Iterator[tuple[Case, list[str]]]:
    """Each case with the real answer as its expectation, and what differs."""
    for case, answer in zip(cases, program.answers(cases), strict=True):
        live = {**case, "expected": answer}
        yield live, [*_outdated(case, answer), *_faults(live)]


def _outdated(case: Case, answer: Case) -> Iterator[str]:
    if "expected" in case and case["expected"] != answer:
        yield f"the case expects {_json(case['expected'])}, the program says {_json(answer)}"


def _faults(case: Case) -> list[str]:
    if "error" in case["expected"]:
        return [f"SillyTavern breaks: {case['expected']['error']}"]
    try:
        return list(run(case))
    except Exception as error:  # a scan that breaks is a difference too
        return [f"the scan breaks: {error!r}"]


def _breaks(faults: Sequence[str]) -> bool:
    return " breaks: " in faults[0]


def tell(program: Program, case: Case, faults: Sequence[str], *, small: bool, folder: Path) -> None:
    """Print a difference; with `small`, the smallest case that has it too, kept in the folder to be run again."""
    print(f"{case['name']}: {faults[0]}", flush=True)
    if not small or "kind" in case:
        return

    def shows(cases: Sequence[Case]) -> list[bool]:
        return [
            bool(left) and _breaks(left) == _breaks(faults) for _, left in compared(program, cases)
        ]

    asked = {name: value for name, value in case.items() if name != "expected"}
    [(live, left)] = compared(program, [minimised(asked, shows)])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{live['name']}.json").write_text(_json(live), encoding="utf-8")
    print("\n".join(f"  {line}" for line in (_json(live), *left)), flush=True)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
