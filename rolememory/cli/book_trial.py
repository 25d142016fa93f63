"""book test: does a lorebook do what is expected of it, and would anybody notice if it did not."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rolememory.cli.bookshelf import FOUND_FAULTS, BookName, Watch, again, book_path, read_file
from rolememory.cli.desk import Desk, desk, read_text
from rolememory.cli.options import Text, option, whole
from rolememory.cli.out import Column, one_line
from rolememory.cli.verbs import AUTHOR, verb
from rolememory.cli.words import Tongue, both, say
from rolememory.errors import InvalidValueError

if TYPE_CHECKING:
    from rolememory.author.campaign import Uncovered, Verdict
    from rolememory.author.expectations import Case
    from rolememory.author.trial import Failure, Stage


@verb(
    "book test",
    AUTHOR,
    both(
        "does the book do what NAME.test.toml beside it expects; failures say why",
        "检验世界书是否符合旁边的 NAME.test.toml；不符合的会说明原因",
    ),
)
def try_book(
    book: BookName,
    tests: Annotated[
        Text,
        option(
            "--tests FILE",
            "the expectations; else those beside the book",
            "期望文件；不写就用书旁边的",
        ),
    ] = None,
    role: Annotated[
        Text,
        option(
            "--role ROLE",
            "ask this role: its books and memories together",
            "连同这个角色的世界书和记忆一起检验",
        ),
    ] = None,
    mutate: Annotated[
        bool,
        option(
            "--mutate -m",
            "put faults into the book: which would nobody notice?",
            "故意改坏世界书，看哪些改动没人察觉",
        ),
    ] = False,
    limit: Annotated[
        int | None, option("--limit N", "try at most so many faults", "最多试多少处改动", whole(1))
    ] = None,
    at_least: Annotated[
        float,
        option(
            "--at-least SHARE",
            "fail below this share of noticed faults, 0 to 1",
            "察觉比例低于此值就算不合格，0 到 1",
        ),
    ] = 0.0,
    watch: Watch = False,
) -> None:
    """Exit code 3 when something fails."""
    from rolememory.author.expectations import beside, read_expectations

    here = desk()
    if mutate and role is not None:
        raise InvalidValueError(
            "--mutate puts faults into a book alone; leave --role out",
            zh="--mutate 只用于单独的世界书，不能与 --role 同用",
        )
    path = book_path(here, book)
    sheet = Path(tests) if tests else beside(path)
    good = True

    def once() -> None:
        nonlocal good
        cases = read_expectations(read_text(str(sheet)), str(sheet))
        found = list(_tried(here, path, cases, role, sheet))
        good = not any(failures for _, failures in found)
        told: dict[str, Any] = {
            "book": path.name,
            "cases": len(found),
            "failures": [_failure(one) for _, some in found for one in some],
        }
        if not here.out.as_json:
            _show_tried(here, found)
        if mutate:
            verdict, missing = _mutated(here, path, cases, limit)
            good = good and verdict.score >= at_least
            told |= {
                "mutation": _verdict_json(verdict),
                "uncovered": {"entries": list(missing.entries), "keys": dict(missing.keys)},
            }
            if not here.out.as_json:
                _show_verdict(here, verdict, missing)
        if here.out.as_json:
            here.out.data(told)

    again(here, once, [path, sheet], watch)
    if not good:
        raise typer.Exit(FOUND_FAULTS)


def _tried(
    here: Desk, path: Path, cases: "list[Case]", role: str | None, sheet: Path
) -> "Iterator[tuple[Case, list[Failure]]]":
    from rolememory.author.trial import LoreStage, check

    file = read_file(path)
    if role is None:
        stage: Stage = LoreStage(file.book)
        yield from check(stage, cases, str(sheet))
        return
    from rolememory.author.role_trial import RoleStage

    with here.role(role) as mind:
        yield from check(RoleStage(mind, file.book, path.stem), cases, str(sheet))


def _failure(one: "Failure") -> dict[str, Any]:
    return {
        "case": one.case,
        "turn": one.turn,
        "code": one.code,
        "name": one.name,
        "text": one.text(Tongue.language),
    }


def _show_tried(here: Desk, found: "list[tuple[Case, list[Failure]]]") -> None:
    failed = 0
    for case, failures in found:
        failed += bool(failures)
        if failures:
            here.out.say(f"✗ {case.name}", "bold red")
        for one in failures:
            turn = say(f"turn {one.turn}: ", f"第{one.turn}轮：") if len(case.steps) > 1 else ""
            here.out.say(f"    {turn}{one.text(Tongue.language)}")
    here.out.say(
        say(
            f"{len(found) - failed} of {len(found)} cases hold",
            f"{len(found)}个用例，{len(found) - failed}个符合",
        ),
        "red" if failed else "green",
    )


def _mutated(
    here: Desk, path: Path, cases: "list[Case]", limit: int | None
) -> "tuple[Verdict, Uncovered]":
    from rolememory.author.campaign import campaign, uncovered

    file = read_file(path)
    with here.out.progress(say("putting faults in", "正在试改")) as progress:
        return campaign(file, cases, limit, progress), uncovered(file, cases)


def _verdict_json(verdict: "Verdict") -> dict[str, Any]:
    survivors = [
        {
            "uid": one.entry,
            "title": one.title,
            "field": one.field,
            "change": one.code,
            "was": one.was,
            "value": one.value,
        }
        for one in verdict.survivors
    ]
    return {
        "tried": verdict.tried,
        "noticed": verdict.noticed,
        "score": round(verdict.score, 4),
        "survivors": survivors,
    }


_CHANGES = {
    "delete": ("deleted", "删掉"),
    "flip": ("flipped", "反转"),
    "set": ("changed", "改值"),
    "empty": ("emptied", "清空"),
}


def _show_verdict(here: Desk, verdict: "Verdict", missing: "Uncovered") -> None:
    rows = [
        {
            "title": one.title, "field": one.field, "change": say(*_CHANGES[one.code]), "was": one_line(one.was)[:60],
            "value": "" if one.code in ("delete", "empty") else str(one.value),
        }
        for one in verdict.survivors
    ]  # fmt: skip
    if rows:
        here.out.say(say("changes that no case notices:", "没有用例察觉的改动："), "bold")
        here.out.table(rows, _survivor_columns())
    for uid in missing.entries:
        here.out.say(say(f"entry {uid} fires in no case", f"条目 {uid} 在任何用例里都没激活"))
    for uid, keys in missing.keys.items():
        here.out.say(
            say(
                f"entry {uid}: never said: {', '.join(keys)}",
                f"条目 {uid}：没有用例说到 {'、'.join(keys)}",
            )
        )
    share = f"{100 * verdict.score:.1f} %"
    here.out.say(
        say(
            f"{verdict.noticed} of {verdict.tried} faults noticed ({share})",
            f"改坏 {verdict.tried} 处，察觉 {verdict.noticed} 处（{share}）",
        )
    )


def _survivor_columns() -> list[Column]:
    return [
        Column("title", say("entry", "条目"), style="cyan", fold=1),
        Column("field", say("field", "字段")),
        Column("change", say("change", "改动")),
        Column("was", say("was", "原来"), fold=1),
        Column("value", say("became", "改成"), fold=1),
    ]
