"""Which role a character is: found again however the card changed, never mistaken for another of the same name."""

from collections.abc import Collection, Iterator
from pathlib import Path, PurePath

from rolememory.author.bring.ledger import Ledger, Row
from rolememory.author.bring.plan import RolePlan
from rolememory.cards.base import load
from rolememory.cards.card import Card
from rolememory.cards.role_parts import display_name, role_from_card
from rolememory.cards.tavern import files
from rolememory.cards.tavern.files import text_of
from rolememory.cards.tavern.layout import DataFolder
from rolememory.engine import Home
from rolememory.errors import FileError
from rolememory.schema.role import Role
from rolememory.store.home import fold_name

CARDS = (".png",)


def role_plans(home: Home, source: DataFolder, ledger: Ledger, problems: list[FileError]) -> dict[str, RolePlan]:
    """Every character by its avatar file. What cannot be read goes to `problems`; a role that is here stays known all the same."""
    roles = {role.id: role for role in home.roles()}
    claimed = {str(row.get("role")): avatar for avatar, row in ledger.all("role").items()}
    plans: dict[str, RolePlan] = {}
    for path in _cards(source, problems):
        row, others = ledger.of("role", path.name), {one for one, by in claimed.items() if by != path.name}
        try:
            plan: RolePlan | None = _role_plan(home, path, row, roles, others)
        except FileError as error:
            problems.append(error)
            plan = _unread(path.name, roles.get(str(row.get("role"))))
        if plan is not None:
            plans[path.name] = plan
            claimed |= {plan.role: path.name} if plan.role else {}
    return plans


def _unread(avatar: str, known: Role | None) -> RolePlan | None:
    """A character whose card cannot be read: its role, where it came before."""
    return RolePlan(avatar, known.name, "same", known.id) if known else None


def _cards(source: DataFolder, problems: list[FileError]) -> Iterator[Path]:
    try:
        found = files.listed(source.characters, *CARDS)
    except FileError as error:
        problems.append(error)
        return
    yield from (path for path in found if not source.only or path.stem == source.only)


def _role_plan(home: Home, path: Path, row: Row, roles: dict[str, Role], claimed: Collection[str]) -> RolePlan:
    stamp = files.stamp(path)
    known = roles.get(str(row.get("role")))
    if known and row.get("stamp") == list(stamp):
        return RolePlan(path.name, known.name, "same", known.id, None, stamp, bool(row.get("greets")), str(row.get("world", "")))
    card = load(path)
    found = known or _of_card(home, card, path.name, [role for role in roles.values() if role.id not in claimed])
    state = "new" if found is None else "same" if _same_card(home, found, card) else "changed"
    name = found.name if found else display_name(card.name) or path.stem
    greets = bool(card.text("first_mes").strip() or card.texts("alternate_greetings"))
    return RolePlan(path.name, name, state, found.id if found else None, card, stamp, greets, text_of(card.extensions.get("world")).strip())  # type: ignore[arg-type]


def _of_card(home: Home, card: Card, avatar: str, free: list[Role]) -> Role | None:
    """The role that was made of this card: of the same file, by the id in it, or one of its name that has no card yet."""
    named = [role for role in free if fold_name(role.name) == fold_name(card.name)]
    for found in (
        [role for role in free if role.card_from == avatar and (role in named or _same_card(home, role, card))],
        [role for role in free if role.id == role_from_card(card).role.id],
        [role for role in named if role.card is None],
    ):
        if len(found) == 1:
            return found[0]
    return None


def _same_card(home: Home, role: Role, card: Card) -> bool:
    if not role.card:
        return False
    try:
        return (home.folder.folder(role.id) / PurePath(role.card).name).read_bytes() == role_from_card(card, role.id).files.get(role.card)
    except OSError:
        return False
