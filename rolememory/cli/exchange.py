"""export, import: a role as one JSON document, out and in; whole lives from other programs (`cli.bring`)."""

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.bring import Again, Asked, Hidden, Profile, Stories, bring
from rolememory.cli.desk import Desk, desk, read_text
from rolememory.cli.options import DryRun, RoleName, Yes, argument, option
from rolememory.cli.out import Column, json_text, printable
from rolememory.cli.verbs import KEEP, verb
from rolememory.cli.words import Tongue, both, say
from rolememory.errors import InvalidValueError

if TYPE_CHECKING:
    from rolememory.storage.exchange import Imported


@verb(
    "export",
    KEEP,
    both(
        "write a role as JSON to standard output: `export Mira > mira.json`",
        "把角色导出为 JSON，写到标准输出：`export 米拉 > mira.json`",
    ),
)
def export(
    role: RoleName,
    card: Annotated[bool, option("--card/--no-card", "with its card", "连同角色卡")] = True,
) -> None:
    """JSON with --json and without."""
    from rolememory.storage.exchange import export_role

    here = desk()
    with here.home() as home:
        here.out.data(export_role(home.folder.space(home.folder.find(role).id), card=card))


@verb(
    "import",
    KEEP,
    both(
        "bring in what `export` wrote, a memory.json, or a list of memories; or a whole life: `import sillytavern FOLDER`",
        "导入 `export` 的结果、memory.json 或一列记忆；也可整个搬来：`import sillytavern 文件夹`",
    ),
)
def import_file(
    file: Annotated[
        str,
        argument(
            "[FILE|-|sillytavern]",
            "the file; - or nothing reads standard input; or the program",
            "文件；- 或不写表示从标准输入读取；或程序名",
        ),
    ] = "-",
    folder: Annotated[
        str | None,
        argument(
            "[FOLDER]",
            "of the program: its folder, data/<user>, or one character's chats",
            "程序的文件夹、data/<用户>，或某个角色的聊天文件夹",
        ),
    ] = None,
    role: Annotated[
        str | None,
        option(
            "--role ROLE",
            "into this role; not given: the one the file tells",
            "导入到这个角色；不写就按文件里的角色",
        ),
    ] = None,
    keep: Annotated[
        bool,
        option(
            "--keep",
            "where both differ, ours stays; otherwise theirs comes in",
            "两边不同时保留原有的；否则用导入的",
        ),
    ] = False,
    dry_run: DryRun = False,
    profile: Profile = None,
    hidden: Hidden = False,
    again: Again = False,
    yes: Yes = False,
    stories: Stories = None,
) -> None:
    """Merge by id, all or none; of a program, chat by chat: stopped anywhere, the same command goes on."""
    from rolememory.storage.exchange import FORMAT, import_role

    here = desk()
    if folder is not None:
        bring(here, file, folder, Asked(role, profile, hidden, again, dry_run, yes, stories))
        return
    if file == "-" and sys.stdin.isatty():
        raise InvalidValueError(
            "name a file, or pipe one in: `import < backup.json`",
            zh="请写明文件，或用管道传入：`import < backup.json`",
        )
    text = read_text(file)
    if file == "-" and not text.strip():
        raise InvalidValueError(
            "nothing came on standard input: name a FILE, or pipe one in: `import < backup.json`",
            zh="标准输入里什么也没有：请写明 FILE，或用管道传入：`import < backup.json`",
        )
    document = _document(text, file)
    if role is None and not (isinstance(document, dict) and document.get("format") == FORMAT):
        raise InvalidValueError(
            f"{file}: these are memories without a role; say into which with --role ROLE",
            zh=f"{file}：这些记忆没有写明角色；请用 --role 指定导入到哪个角色",
        )
    with here.home(make=not dry_run) as home:
        try:
            done = import_role(
                home.folder,
                document,
                into=role,
                prefer="ours" if keep else "theirs",
                dry_run=dry_run,
            )
        except InvalidValueError as error:
            raise InvalidValueError(f"{file}: {error}", zh=f"{file}：{error.text('zh')}") from error
    _tell(here, done, dry_run)


def _document(text: str, file: str) -> Any:
    """The JSON of a file; what is wrong with it is told with its place.

    Raises:
        InvalidValueError: not JSON.
    """
    import json

    from rolememory.storage.document import BrokenFileError, read

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        try:
            read(text.encode("utf-8", "surrogatepass"), file=file)
        except BrokenFileError as broken:
            problem = broken.problems[0]
            raise InvalidValueError(problem.text(), zh=problem.text("zh")) from error
        raise InvalidValueError(
            f"{file}: not JSON: {error}; export it again",
            zh=f"{file}：不是 JSON（{error}）；请重新导出",
        ) from error


def _tell(here: Desk, done: "Imported", dry_run: bool) -> None:
    row: dict[str, Any] = {
        "role": done.role.id, "name": done.role.name, "made": done.made, "added": list(done.added), "changed": list(done.changed),
        "kept": list(done.kept), "unchanged": done.unchanged, "files": list(done.files), "files_kept": list(done.files_kept),
        "problems": [problem.text(Tongue.language) for problem in done.problems], "dry_run": dry_run,
        "fields": dict(done.fields), "left_out": {name: why.text(Tongue.language) for name, why in done.left_out.items()},
        "memories": {one: dict(fields) for one, fields in done.memories.items()} if dry_run else {},
    }  # fmt: skip
    if here.out.as_json:
        here.out.data(row)
        return
    head = say("would bring into", "将导入到") if dry_run else say("brought into", "已导入到")
    here.out.say(
        f"{head} {done.role.name}" + (say(" (new)", "（新建）") if done.made else ""), "bold"
    )
    names = {
        "added": say("added", "新增"), "changed": say("changed to theirs", "改为导入的"), "kept": say("ours kept", "保留原有的"),
        "files": say("files", "文件"), "files_kept": say("files kept", "保留的文件"),
    }  # fmt: skip
    here.out.pairs(
        [
            *(
                (title, f"{len(row[key])}  {_some(row[key])}")
                for key, title in names.items()
                if row[key]
            ),
            (say("unchanged", "没有变化"), done.unchanged),
        ]
    )
    if dry_run:
        _tell_fields(here, done)
    for name, why in row["left_out"].items():
        here.out.warn(printable(f"{name}: {why}"))
    for problem in row["problems"]:
        here.out.warn(problem)


def _tell_fields(here: Desk, done: "Imported") -> None:
    """Every field that would come, a line each."""
    tables = {"role.json": done.fields, **done.memories}
    rows = [
        {"where": where, "field": name, "value": json_text(value)}
        for where, fields in tables.items()
        for name, value in leaves_of(fields)
    ]
    here.out.table(
        rows,
        [
            Column("where", say("in", "写入")),
            Column("field", say("field", "字段")),
            Column("value", say("value", "值"), fold=1),
        ],
    )


def leaves_of(fields: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Every value by its dotted name.

    >>> list(leaves_of({"settings": {"recall": {"max_items": 3}}}))
    [('settings.recall.max_items', 3)]
    """
    for name, value in fields.items():
        if isinstance(value, Mapping) and value:
            yield from leaves_of(value, f"{above}{name}.")
        else:
            yield above + name, value


def _some(ids: list[str], most: int = 5) -> str:
    return ", ".join(ids[:most]) + (", ..." if len(ids) > most else "")
