"""Moves card images between PNG and CHARX. Bytes are copied, pixels never decoded, URLs never fetched."""

from collections.abc import Mapping
from typing import Any

from rolememory.cards import limits, png
from rolememory.cards.card import Card
from rolememory.cards.containers import CARD_JSON
from rolememory.cards.entry_forms import text
from rolememory.errors import FileError
from rolememory.schema.json_types import list_of, objects_of

MEMBER = "assets/icon/images/main.png"
_INSIDE = ("embeded://", "embedded://")  # the first is the specified spelling
_DEFAULT = "ccdefault:"


def of_card(card: Card) -> bytes:
    """The image of the card, else a blank one."""
    return picture_of(card) or png.blank()


def picture_of(card: Card) -> bytes | None:
    """The image of the card without its texts: its own, the main icon in its CHARX, or the one beside it."""
    found = _inside(card)
    return found[1] if found else taken(card)


def members_left(card: Card, icon_taken: bool) -> list[str]:
    """CHARX members besides the card, which other formats cannot hold; without the icon that a PNG takes over."""
    if card.container.archive is None:
        return []
    icon = _inside(card) if icon_taken else None
    names = [member.name for member in card.container.archive.members]
    return [
        name
        for name in names
        if name != CARD_JSON and not name.endswith("/") and (icon is None or name != icon[0])
    ]


def _inside(card: Card) -> tuple[str, bytes] | None:
    if card.container.archive is None:
        return None
    for name in _icons(card):
        try:
            found = card.container.archive.read(name, limits.FILE // 4)
        except FileError:
            continue
        if found and png.is_png(found) and _is_sound(found):
            return name, found
    return None


def taken(card: Card) -> bytes | None:
    """The image of a PNG card without its card, or the one beside the card."""
    if card.container.name != "png":
        return card.picture
    return png.with_texts(card.container.data, card.file, {}, gone=("ccv3", "chara"))


def with_picture(card: Card, picture: bytes | None) -> tuple[Card, dict[str, bytes]]:
    """The card with the image as icon, as main one if it has none, and the CHARX members that hold it."""
    if picture is None:
        return card, {}
    assets = list(list_of(card.data.get("assets")))
    mine = {"type": "icon", "uri": _INSIDE[0] + MEMBER, "name": "main", "ext": "png"}
    main = next((at for at, one in enumerate(assets) if _is_main(one)), None)
    if main is None:
        assets = [mine, *assets]
    elif text(assets[main].get("uri")) == _DEFAULT:
        assets[main] = {**assets[main], **mine}
    else:
        assets.append({**mine, "name": "picture"})
    return card.with_fields(assets=assets), {MEMBER: picture}


def _is_main(asset: Any) -> bool:
    return (
        isinstance(asset, Mapping) and asset.get("type") == "icon" and asset.get("name") == "main"
    )


def _icons(card: Card) -> list[str]:
    """The members with icons, main one first."""
    icons = sorted(
        (one for one in objects_of(card.data.get("assets")) if one.get("type") == "icon"),
        key=lambda one: one.get("name") != "main",
    )
    return [name for one in icons if (name := _member(one))][:8]


def _member(asset: Mapping[str, Any]) -> str:
    uri = text(asset.get("uri"))
    return next((uri.removeprefix(start) for start in _INSIDE if uri.startswith(start)), "")


def _is_sound(picture: bytes) -> bool:
    try:
        return any(chunk.kind == b"IEND" for chunk in png.chunks(picture, ""))
    except FileError:
        return False
