"""How well the engine answers a set of questions: one JSON object per file.

    python -m tests.bench.recall FILE.json [FILE.json ...] [--words-only] [--keep HOME] [--aged]

The story of a data set has no turns, so that nothing in it ages; with `--aged` age counts in days.

The format stands in `tests.bench.data_set`.
"""

import argparse
import json
from pathlib import Path

from tests.bench.data_set import run


def main() -> None:
    """Print the measures of each file."""
    parser = argparse.ArgumentParser(description="How well the engine answers a set of questions.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--words-only", action="store_true", help="without an embedding model")
    parser.add_argument(
        "--keep", type=Path, help="a home to keep between runs: texts are embedded once"
    )
    parser.add_argument("--aged", action="store_true", help="age counts in days")
    options = parser.parse_args()
    changed = {"triggers.recency.clock": "wall"} if options.aged else {}
    for file in options.files:
        backend = "off" if options.words_only else "auto"
        report = run(file, backend=backend, keep=options.keep, changed=changed)
        print(json.dumps(report, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
