"""Every world-info case passes; where the cases are not at hand, the test skips."""

import json
from pathlib import Path

from tests.conformance.worldinfo import main, run
from tests.paths import shared


def test_every_case_passes() -> None:
    failed = {
        path.stem: faults
        for path in sorted(shared("conformance", "worldinfo").glob("*.json"))
        if (faults := list(run(json.loads(path.read_text(encoding="utf-8")))))
    }
    assert failed == {}


def test_the_runner_counts_what_fails(tmp_path: Path, capsys: object) -> None:
    case = {
        "kind": "import",
        "format": "agnai",
        "source": {"kind": "memory", "entries": []},
        "expected": {"entries": {}},
    }
    (tmp_path / "right.json").write_text(json.dumps(case), encoding="utf-8")
    (tmp_path / "wrong.json").write_text(
        json.dumps({**case, "expected": {"entries": {"0": {}}}}), encoding="utf-8"
    )
    assert main(tmp_path) == 1
