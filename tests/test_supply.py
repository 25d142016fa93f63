"""What a release is made of: the packages of a service by hash, and the list of what is installed."""

import json
import re
import subprocess
import sys
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.docs.pages import ROOT

SUPPLY = ROOT / ".ci" / "supply.py"
LINE = re.compile(r"(?P<name>[\w.-]+)==(?P<version>\S+) --hash=sha256:[0-9a-f]{64}")


def pins(file: Path) -> dict[str, str]:
    """Name -> version of a file of constraints."""
    lines = (line.partition(" ")[0] for line in file.read_text(encoding="utf-8").splitlines())
    pairs = (line.split("==") for line in lines if "==" in line)
    return {canonicalize_name(name): version for name, version in pairs}


def test_everything_a_service_runs_with_is_pinned_by_hash() -> None:
    file = ROOT / "constraints.hashes.txt"
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    locked, checked = pins(file), pins(ROOT / "constraints.txt")
    assert {name: locked[name] for name in locked.keys() & checked.keys()} == {
        name: checked[name] for name in locked.keys() & checked.keys()
    }, "made again? python .ci/supply.py lock > constraints.hashes.txt"
    source = "import supply; print(*supply.wanted(), sep='\\n')"
    told = subprocess.run(
        [sys.executable, "-c", source],
        cwd=SUPPLY.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    for wanted in map(Requirement, told.stdout.split("\n")[:-1]):
        found = locked.get(canonicalize_name(wanted.name))
        assert found, wanted
        assert wanted.specifier.contains(Version(found)), wanted


def test_the_list_of_what_is_installed_names_every_package() -> None:
    done = subprocess.run(
        [sys.executable, str(SUPPLY), "sbom"], capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout)
    named = {one["purl"] for one in told["components"]}
    assert (told["bomFormat"], told["specVersion"]) == ("CycloneDX", "1.5")
    assert len(named) == len(told["components"])
    assert f"pkg:pypi/pydantic@{pins(ROOT / 'constraints.txt')['pydantic']}" in named
