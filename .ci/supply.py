"""What a release is made of: `lock` pins the packages of a service by their hashes, `sbom` lists what is installed.

python .ci/supply.py lock > constraints.hashes.txt     # for this machine's kind: Python version, system, processor
python .ci/supply.py sbom > dist/rolememory.cdx.json   # CycloneDX 1.5
"""

import json
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("onnx", "serve")  # what a service runs with
HEAD = "# Everything a service runs with (extras onnx and serve), by hash. Made by: python .ci/supply.py lock\n"


def wanted() -> list[str]:
    """The requirements of a service as pyproject.toml has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [one for extra in EXTRAS for one in project["optional-dependencies"][extra]]
    return sorted({*project["dependencies"], *extras})


def locked() -> str:
    """A line for each package that pip would install: version and SHA-256 of the file."""
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    report = [*pip, "--report", "-", "-c", str(ROOT / "constraints.txt"), *wanted()]
    done = subprocess.run(report, capture_output=True, text=True, check=True)  # noqa: S603
    lines = [HEAD]
    for one in json.loads(done.stdout)["install"]:
        about, digest = one["metadata"], one["download_info"]["archive_info"]["hashes"]["sha256"]
        lines.append(f"{about['name']}=={about['version']} --hash=sha256:{digest}\n")
    return "".join(sorted(lines, key=str.casefold))


def sbom() -> str:
    """What is installed here, as CycloneDX."""
    found = {one.metadata["Name"]: one for one in distributions() if one.metadata["Name"]}
    rows = [
        {
            "type": "library",
            "name": name,
            "version": one.version,
            "purl": f"pkg:pypi/{name.lower().replace('_', '-')}@{one.version}",
        }
        for name, one in sorted(found.items(), key=lambda pair: pair[0].casefold())
    ]
    told = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": rows}
    return json.dumps(told, indent=1) + "\n"


if __name__ == "__main__":
    sys.stdout.write({"lock": locked, "sbom": sbom}[sys.argv[1]]())
