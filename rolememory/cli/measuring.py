"""bench: quality and speed on data sets."""

from pathlib import Path
from typing import Annotated

from rolememory.cli.desk import desk
from rolememory.cli.options import argument, option
from rolememory.cli.verbs import TUNE, verb
from rolememory.cli.words import both, say
from rolememory.errors import FileError


@verb("bench", TUNE, both("measure quality and speed on data sets", "用数据集测量质量和速度"))
def bench(
    files: Annotated[
        list[Path],
        argument(
            "FILE...", "data sets: roles with memories and questions", "数据集：角色、记忆和问题"
        ),
    ],
    backend: Annotated[
        str, option("--backend auto|local|endpoint|off", "where vectors come from", "向量的来源")
    ] = "auto",
) -> None:
    """One JSON object per file."""
    import orjson

    from rolememory.cli.bench import run

    here = desk()
    reports = []
    with here.out.progress(say("measuring", "测量中"), len(files)) as tell:
        for done, file in enumerate(files):
            tell(done, len(files))
            try:
                reports.append(run(file, backend=backend))
            except OSError as error:
                told = error.strerror or str(error)
                raise FileError(
                    file,
                    f"cannot be read: {told}",
                    remedy="check the path",
                    zh=(f"读不出来：{told}", "请检查路径"),
                ) from error
            except (orjson.JSONDecodeError, KeyError, TypeError) as error:
                raise FileError(
                    file,
                    f"is no data set: {error}",
                    remedy="see the format in docs",
                    zh=(f"不是数据集：{error}", "格式见文档"),
                ) from error
    here.out.data(reports if here.out.as_json else reports[0] if len(reports) == 1 else reports)
