"""The world-info cases on the live road; where they are not at hand, the tests skip."""

import json
from pathlib import Path
from typing import Any

from tests.conformance.road import ELSEWHERE, left_out, opened, through_home, through_rest
from tests.paths import shared
from tests.serve.houses import served


def cases(*, rest: bool = False) -> list[dict[str, Any]]:
    """Those that can be asked; few cannot."""
    every = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(shared("conformance", "worldinfo").glob("*.json"))
    ]
    scans = [case for case in every if "kind" not in case]
    asked = [case for case in scans if not left_out(case, rest=rest)]
    assert {left_out(case, rest=rest) for case in scans} <= {"", *ELSEWHERE}
    assert len(asked) > 0.75 * len(scans)
    return asked


def test_every_case_passes_through_recall(tmp_path: Path) -> None:
    with opened(tmp_path) as home:
        failed = {
            case["name"]: faults for case in cases() if (faults := list(through_home(home, case)))
        }
    assert failed == {}


def test_every_case_passes_through_rest(tmp_path: Path) -> None:
    with served(tmp_path) as house:
        failed = {
            case["name"]: faults
            for case in cases(rest=True)
            if (faults := list(through_rest(house, case)))
        }
    assert failed == {}
