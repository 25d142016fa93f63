"""bench: quality and speed on data sets."""

from pathlib import Path
from typing import Annotated

from rolememory.cli.options import argument, option
from rolememory.cli.output import out
from rolememory.cli.words import say
from rolememory.errors import FileError


def bench(
    files: Annotated[
        list[Path],
        argument("FILE...", "data sets: roles with memories and questions"),
    ],
    backend: Annotated[
        str, option("--backend auto|local|endpoint|off", "where vectors come from")
    ] = "auto",
) -> None:
    """One JSON object per file."""
    import orjson

    from rolememory.cli.bench import run

    reports = []
    with out.progress(say("measuring"), len(files)) as tell:
        for done, file in enumerate(files):
            tell(done, len(files))
            try:
                reports.append(run(file, backend=backend))
            except OSError as error:
                told = error.strerror or str(error)
                raise FileError(
                    file, "cannot be read: {told}", remedy="check the path", told=told
                ) from error
            except (orjson.JSONDecodeError, KeyError, TypeError) as error:
                raise FileError(
                    file, "is no data set: {error}", remedy="see the format in docs", error=error
                ) from error
    out.data(reports if out.as_json else reports[0] if len(reports) == 1 else reports)
