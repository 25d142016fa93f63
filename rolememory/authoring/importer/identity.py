"""Finds the role of a character, even if its card changed, without confusing characters of the same name."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path, PurePath

from rolememory.authoring.import_card import has_card
from rolememory.authoring.importer.ledger import Ledger, digest
from rolememory.authoring.importer.plan import Problems, RolePlan, State
from rolememory.cards.base import load
from rolememory.cards.card import Card
from rolememory.cards.role_parts import display_name, role_from_card
from rolememory.cards.tavern import files
from rolememory.cards.tavern.files import FileStamp
from rolememory.cards.tavern.layout import DataFolder
from rolememory.engine import Home
from rolememory.errors import FileError
from rolememory.schema.json_types import JsonMapping, text_of
from rolememory.schema.role import Role
from rolememory.storage.home import called, folded_names
from rolememory.text.fold import fold_name

CARDS = ".png"
_TEXTS = ("description", "personality", "scenario", "first_mes")


def role_plans(
    home: Home, source: DataFolder, ledger: Ledger, problems: Problems
) -> dict[str, RolePlan]:
    """The plan of every character by its avatar file. Unreadable cards go to `problems`; they keep a known role."""
    roles = {role.id: role for role in home.roles()}
    paths = _cards(source, problems)
    standing = {path.name for path in paths}
    left = {} if source.only else _left_behind(ledger, standing, roles)
    claimed = _claimed(ledger, None if source.only else standing)
    plans: dict[str, RolePlan] = {}
    for path in paths:
        row = ledger.of("role", path.name)
        free = [role for role in roles.values() if claimed.get(role.id, path.name) == path.name]
        try:
            plan = _role_plan(home, path, row, roles, free, left)
        except FileError as error:
            problems.append(error)
            if (known := roles.get(str(row.get("role")))) is None:
                continue
            plan = RolePlan(path.name, known.name, "same", known.id)
        plans[path.name] = plan
        if plan.role:
            claimed[plan.role] = path.name
    return plans


def _claimed(ledger: Ledger, avatars: Collection[str] | None) -> dict[str, str]:
    """The avatar that each role was imported from, of these avatars (None = all)."""
    rows = ledger.all("role")
    here = rows.keys() if avatars is None else rows.keys() & avatars
    return {str(rows[avatar].get("role")): avatar for avatar in rows if avatar in here}


def _cards(source: DataFolder, problems: Problems) -> list[Path]:
    found = problems.listed(source.characters, CARDS)
    return [path for path in found if source.only in ("", path.stem)]


def _role_plan(
    home: Home,
    path: Path,
    row: JsonMapping,
    roles: Mapping[str, Role],
    free: Sequence[Role],
    left: Mapping[str, str],
) -> RolePlan:
    """The plan of one character. `free`: roles that belong to no other character; `left`: roles by fingerprint whose character's file is gone."""
    stamp = files.stamp(path)
    known = roles.get(str(row.get("role")))
    if known and row.get("stamp") == list(stamp):
        greets = bool(row.get("greets"))
        world = str(row.get("world", ""))
        mark = str(row.get("mark", ""))
        return RolePlan(path.name, known.name, "same", known.id, None, stamp, greets, world, mark)
    card = load(path)
    mark = fingerprint(card)
    if known and not _is_still(known, card, mark, row):
        free = [role for role in free if role.id != known.id]
        known = None
    found = known or _of_card(home, card, path.name, free) or roles.get(left.get(mark, ""))
    return _read(home, path.name, card, found, stamp, mark)


def _is_still(known: Role, card: Card, mark: str, row: JsonMapping) -> bool:
    """Whether the file still holds the same character: by name or by texts."""
    return not card.name or fold_name(card.name) in folded_names(known) or row.get("mark") == mark


def _read(
    home: Home, avatar: str, card: Card, found: Role | None, stamp: FileStamp, mark: str
) -> RolePlan:
    state: State = (
        "new"
        if found is None
        else "same"
        if has_card(home, found, role_from_card(card))
        else "changed"
    )
    return RolePlan(
        avatar,
        found.name if found else display_name(card.name) or PurePath(avatar).stem,
        state,
        found.id if found else None,
        card,
        stamp,
        greets=bool(card.greetings),
        world=text_of(card.extensions.get("world")).strip(),
        mark=mark,
    )


def fingerprint(card: Card) -> str:
    """A digest of a character's texts, white space ignored, which survives a new name or picture; "" without texts."""
    words = (word for field in _TEXTS for word in card.text(field).casefold().split())
    told = " ".join(words)
    return digest(told.encode("utf-8", "replace")) if told else ""


def _left_behind(
    ledger: Ledger, standing: Collection[str], roles: Mapping[str, Role]
) -> dict[str, str]:
    """Roles of characters whose file is gone, by fingerprint, where it is unique."""
    rows = [
        row
        for avatar, row in ledger.all("role").items()
        if avatar and avatar not in standing and row.get("mark") and row.get("role") in roles
    ]
    marks = [str(row["mark"]) for row in rows]
    return {
        mark: str(row["role"])
        for mark, row in zip(marks, rows, strict=True)
        if marks.count(mark) == 1
    }


def _of_card(home: Home, card: Card, avatar: str, free: Sequence[Role]) -> Role | None:
    """The role of this card: imported from the same file, with the id in it, or of its name and without a card."""
    named = called(free, card.name)
    parts = role_from_card(card)
    signs: tuple[Callable[[Role], bool], ...] = (
        lambda one: one.card_from == avatar and (one in named or has_card(home, one, parts)),
        lambda one: one.id == parts.role.id,
        lambda one: one in named and one.card is None,
    )
    for is_it in signs:
        found = list(filter(is_it, free))
        if len(found) == 1:
            return found[0]
    return None
