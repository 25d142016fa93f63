"""clean, backup, restore: keeping a home tidy and safe."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.desk import Desk, desk
from rolememory.cli.options import DryRun, MaybeRole, RoleName, Yes, argument, option, whole
from rolememory.cli.out import Column, one_line
from rolememory.cli.verbs import KEEP, verb
from rolememory.cli.words import Tongue, both, say
from rolememory.errors import InvalidValueError

if TYPE_CHECKING:
    from rolememory.engine import Home, RoleMemory
    from rolememory.storage.files.backup import Backup

ALL = ("all", "全部")


def chosen(home: "Home", name: str | None) -> list[str]:
    """The ids of the roles meant: one by name, or all of them."""
    if name is None or name in ALL:
        return [role.id for role in home.roles()]
    return [home.folder.find(name).id]


@verb(
    "clean",
    KEEP,
    both(
        "archive what expired, wore out or outgrew its limit; never deletes",
        "归档已过期、已淡忘或超出上限的记忆，从不删除",
    ),
)
def clean(
    role: MaybeRole = None,
    dry_run: DryRun = False,
    journal_days: Annotated[
        int | None,
        option(
            "--journal-days N",
            "also forget history older than so many days",
            "同时清掉多少天以前的改动记录",
            whole(0),
        ),
    ] = None,
    yes: Yes = False,
) -> None:
    """Tell what goes and why. Nothing brings history back: without a terminal --journal-days wants --yes."""
    here = desk()
    if journal_days is not None and not dry_run:
        question = say(
            f"forget history older than {journal_days} days?",
            f"清掉{journal_days}天以前的改动记录？",
        )
        if not here.sure(question, yes):
            here.out.say(say("nothing was removed", "没有删除"))
            return
    rows: list[dict[str, Any]] = []
    pruned = 0
    with here.home() as home:
        for mind in map(home.role, chosen(home, role)):
            rows += _retired(mind, dry_run)
            if journal_days is not None and not dry_run:
                pruned += mind.store.prune(datetime.now(UTC) - timedelta(days=journal_days))
    if here.out.as_json:
        here.out.data({"dry_run": dry_run, "archived": rows, "pruned": pruned})
    else:
        _tell_retired(here, rows, dry_run)
    if pruned:
        here.out.say(say(f"forgot {pruned} lines of history", f"清掉了 {pruned} 行改动记录"))


def _retired(mind: "RoleMemory", dry_run: bool) -> list[dict[str, Any]]:
    """What goes of one role, and why."""
    from rolememory.schema.wording import word

    name, memories = mind.role.name, mind.memories
    return [
        {
            "role": name,
            "id": gone.id,
            "content": one_line(memories[gone.id].content),
            "why": word(gone.because, Tongue.language),
            "code": gone.because.code,
        }
        for gone in mind.clean(dry_run=dry_run)
    ]


def _tell_retired(here: Desk, rows: list[dict[str, Any]], dry_run: bool) -> None:
    if not rows:
        here.out.say(say("nothing to archive", "没有需要归档的记忆"))
        return
    title = say("would be archived", "将归档") if dry_run else say("archived", "已归档")
    columns = [
        Column("role", say("role", "角色")),
        Column("id", "id", style="cyan"),
        Column("content", title, fold=3),
        Column("why", say("why", "原因")),
    ]
    here.out.table(rows, columns)


@verb(
    "backup",
    KEEP,
    both("make a backup of a role, checked after it is made", "备份角色，写好后会校验"),
)
def backup(
    role: MaybeRole = None,
    everyone: Annotated[bool, option("--all", "every role", "所有角色")] = False,
) -> None:
    """One zip per role, in the role's folder backups/."""
    from rolememory.storage.files.backup import backup as make

    here = desk()
    if role is None and not everyone:
        raise InvalidValueError(
            "which role? name one, or write --all", zh="要备份哪个角色？请写名字，或用 --all"
        )
    rows: list[dict[str, Any]] = []
    with here.home() as home:
        for role_id in chosen(home, None if everyone else role):
            path = make(home.folder.folder(role_id), home.settings.storage)
            rows.append(
                {
                    "role": home.folder.find(role_id).name,
                    "id": role_id,
                    "file": str(path),
                    "size": path.stat().st_size,
                }
            )
    if here.out.as_json:
        here.out.data(rows)
        return
    for row in rows:
        here.out.say(
            say(
                f"{row['role']}: backed up to {row['file']} ({size(row['size'])})",
                f"{row['role']}：已备份到 {row['file']}（{size(row['size'])}）",
            )
        )


@verb(
    "restore",
    KEEP,
    both("put a backup back; what stands now is backed up first", "恢复备份；当前内容会先备份一份"),
)
def restore(
    role: RoleName,
    which: Annotated[
        str,
        argument(
            "[WHICH]",
            "a name from --list; not given: the newest good one",
            "--list 列出的名字；不写就用最新的完好备份",
        ),
    ] = "latest",
    listing: Annotated[bool, option("--list", "list the backups", "列出备份")] = False,
) -> None:
    """Restore, or list what there is."""
    from rolememory.storage.files.backup import restore as put_back

    here = desk()
    with here.home() as home:
        found = home.folder.find(role)
        folder = home.folder.folder(found.id)
        if listing:
            _list(here.out, folder)
            return
        done = put_back(folder, which, home.settings.storage)
    if here.out.as_json:
        here.out.data(
            {
                "role": found.id,
                "source": str(done.source),
                "saved": str(done.saved),
                "files": list(done.files),
            }
        )
        return
    here.out.say(
        say(
            f"{found.name}: restored from {done.source.name}",
            f"{found.name}：已从 {done.source.name} 恢复",
        ),
        "bold",
    )
    here.out.say(
        say(
            f"what stood before is kept as {done.saved.name}; `rolememory undo {role}` works too",
            f"之前的内容保存为 {done.saved.name}；也可以用 `rolememory undo {role}` 撤销",
        )
    )


def _list(out: Any, folder: Any) -> None:
    from rolememory.storage.files.backup import list_backups

    rows = [_row(one) for one in list_backups(folder)]
    if out.as_json:
        out.data(rows)
        return
    if not rows:
        out.warn(
            say(
                "no backups yet; `rolememory backup` makes one",
                "还没有备份；可用 `rolememory backup` 备份",
            )
        )
    columns = [
        Column("name", say("name", "名字"), style="cyan"),
        Column("made", say("made", "时间")),
        Column("size", say("size", "大小"), right=True),
        Column("state", say("state", "状态")),
    ]
    out.table(
        [row | {"size": size(row["size"]), "made": row["made"].astimezone()} for row in rows],
        columns,
    )


def _row(one: "Backup") -> dict[str, Any]:
    from rolememory.errors import FileError
    from rolememory.storage.files.backup import verified

    try:
        problem = verified(one.path).problem
    except FileError as error:
        problem = error.text(Tongue.language)
    return {
        "name": one.path.name,
        "made": one.made,
        "size": one.size,
        "good": not problem,
        "state": problem or say("good", "完好"),
    }


def size(count: int) -> str:
    """A number of bytes for people.

    >>> size(900), size(2_000), size(3_500_000)
    ('900 B', '2 KB', '3.5 MB')
    """
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.0f} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
