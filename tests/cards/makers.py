"""Files built by hand: pictures, zip files, cards and books of every format."""

import io
import json
import struct
import zipfile
import zlib
from base64 import b64encode
from typing import Any

from rolememory.cards.book_file import Book
from rolememory.cards.book_forms import book_form

SIGNATURE = b"\x89PNG\r\n\x1a\n"

Raw = dict[str, Any]


def chunk(
    kind: bytes, data: bytes = b"", *, size: int | None = None, crc: int | None = None
) -> bytes:
    """A PNG chunk, or one that lies about its size or checksum."""
    right = zlib.crc32(data, zlib.crc32(kind))
    return (
        struct.pack(">I", len(data) if size is None else size)
        + kind
        + data
        + struct.pack(">I", right if crc is None else crc)
    )


def text_chunk(keyword: str, value: bytes) -> bytes:
    return chunk(b"tEXt", keyword.encode("latin-1") + b"\0" + value)


def packed(raw: Any) -> bytes:
    return b64encode(
        raw if isinstance(raw, bytes) else json.dumps(raw, ensure_ascii=False).encode()
    )


def picture(*inside: bytes, late: tuple[bytes, ...] = (), tail: bytes = b"") -> bytes:
    """A picture of 2 x 2 with these chunks before, and `late` ones after the image data."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress((b"\0" + b"\1\2\3" * 2) * 2))
    return SIGNATURE + header + b"".join(inside) + pixels + b"".join(late) + chunk(b"IEND") + tail


def card_picture(raw: Any, keyword: str = "chara", **more: Any) -> bytes:
    return picture(text_chunk(keyword, packed(raw)), **more)


def zipped(
    members: dict[str, bytes | str],
    before: bytes = b"",
    method: int = zipfile.ZIP_DEFLATED,
    comment: bytes = b"",
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.comment = comment
        for name, content in members.items():
            archive.writestr(name, content)
    return before + out.getvalue()


def charx(raw: Any, before: bytes = b"", **members: bytes | str) -> bytes:
    return zipped({"card.json": json.dumps(raw, ensure_ascii=False), **members}, before)


def entry(**fields: Any) -> Raw:
    return {
        "keys": ["beacon"],
        "content": "The beacon burns oil.",
        "extensions": {},
        "enabled": True,
        "insertion_order": 10,
        **fields,
    }


def v1(**fields: Any) -> Raw:
    return {
        "name": "Mira",
        "description": "Keeper of the light.",
        "personality": "calm",
        "scenario": "",
        "first_mes": "Hi.",
        "mes_example": "",
        **fields,
    }


def v2(book: Raw | None = None, **fields: Any) -> Raw:
    data: Raw = {
        **v1(),
        "creator_notes": "",
        "system_prompt": "",
        "post_history_instructions": "",
        "alternate_greetings": ["Hello."],
        "tags": ["sea", "灯塔"],
        "creator": "me",
        "character_version": "1.2",
        "extensions": {
            "talkativeness": "0.5",
            "depth_prompt": {"prompt": "Stay calm.", "depth": 4, "role": "system"},
            "odd": None,
        },
        **fields,
    }
    return {
        "spec": "chara_card_v2",
        "spec_version": "2.0",
        "data": data if book is None else {**data, "character_book": book},
    }


def v3(book: Raw | None = None, **fields: Any) -> Raw:
    more = {
        "group_only_greetings": [],
        "nickname": "Mi",
        "assets": [{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}],
        **fields,
    }
    return {**v2(book, **more), "spec": "chara_card_v3", "spec_version": "3.0"}


def card_book(**fields: Any) -> Raw:
    entries = [
        entry(
            id=3,
            name="lamp",
            comment="lamp",
            priority=7,
            case_sensitive=False,
            use_regex=False,
            position="before_char",
            secondary_keys=["oil"],
            selective=True,
        ),
        entry(
            id="storm",
            keys=["st[o0]rm"],
            content="@@depth 2\n@@role user\nIt raged in 1887.",
            use_regex=True,
            constant=False,
            odd={"a": [1, 1.0]},
        ),
        entry(
            keys=["风暴", "海"],
            content="风暴来了。",
            enabled=False,
            use_regex=False,
            extensions={"sticky": 3, "position": 4, "depth": 2, "mine": None},
        ),
    ]
    return {
        "name": "Harbour",
        "scan_depth": 4,
        "token_budget": 512,
        "recursive_scanning": True,
        "extensions": {"theirs": 1},
        "entries": entries,
        **fields,
    }


def world(**fields: Any) -> Raw:
    one = {
        "uid": 0, "key": ["beacon"], "keysecondary": ["oil"], "comment": "lamp", "content": "It burns.", "constant": False, "vectorized": True,
        "selective": True, "selectiveLogic": 3, "addMemo": True, "order": 90, "position": 4, "disable": False, "ignoreBudget": False,
        "excludeRecursion": True, "preventRecursion": False, "delayUntilRecursion": 2, "probability": 80, "useProbability": True, "depth": 2,
        "outletName": "", "group": "g", "groupOverride": False, "groupWeight": 50, "scanDepth": None, "caseSensitive": True, "matchWholeWords": None,
        "useGroupScoring": None, "automationId": "", "role": 1, "sticky": 4, "cooldown": None, "delay": 0, "displayIndex": 0, "triggers": ["normal"],
        "characterFilter": {"isExclude": False, "names": ["mira"], "tags": []}, "matchScenario": True, "strange": [1, None],
    }  # fmt: skip
    return {
        "entries": {
            "0": one,
            "5": {**one, "uid": 5, "key": ["/a.b/i"], "disable": True},
            "7": {"uid": 7, "key": ["bare"], "content": "x"},
        },
        **fields,
    }


def novelai() -> Raw:
    one = {
        "text": "It burns.", "contextConfig": {"prefix": "[", "suffix": "]\n", "tokenBudget": 100, "reservedTokens": 0, "budgetPriority": 300},
        "lastUpdatedAt": 1700000000000, "displayName": "lamp", "id": "8a5b", "keys": ["beacon", "oil"], "searchRange": 2000, "enabled": True,
        "forceActivation": False, "keyRelative": True, "nonStoryActivatable": False, "category": "c1", "loreBiasGroups": [{"phrases": []}],
    }  # fmt: skip
    return {
        "lorebookVersion": 4, "entries": [one, {**one, "id": "x2", "forceActivation": True, "enabled": False}],
        "settings": {"orderByKeyLocations": True}, "categories": [{"id": "c1", "name": "Places"}],
    }  # fmt: skip


def agnai() -> Raw:
    one = {
        "name": "lamp",
        "entry": "It burns.",
        "keywords": ["beacon"],
        "priority": 3,
        "weight": 5,
        "enabled": True,
        "odd": 1,
    }
    return {
        "kind": "memory",
        "_id": "a1",
        "name": "Harbour",
        "description": "d",
        "userId": "",
        "entries": [one, {**one, "id": 4, "constant": True}],
        "scanDepth": 3,
    }


def risu() -> Raw:
    one = {
        "key": "beacon, lamp", "secondkey": "oil", "insertorder": 100, "comment": "lamp", "content": "It burns.", "mode": "normal",
        "alwaysActive": False, "selective": True, "extentions": {"risu_case_sensitive": True}, "activationPercent": 60, "useRegex": False, "bookVersion": 2,
    }  # fmt: skip
    return {
        "type": "risu",
        "ver": 1,
        "data": [
            one,
            {**one, "mode": "folder", "key": "folder:1", "content": "", "id": "f"},
            {"key": "a,b", "content": "@@dont_activate\nOff."},
        ],
    }


def risu_module() -> Raw:
    return {
        "type": "risuModule",
        "name": "Sea",
        "description": "d",
        "id": "m1",
        "lorebook": risu()["data"],
        "regex": [{"in": "a", "out": "b"}],
        "trigger": [],
        "cjs": "alert(1)",
    }


def byaf(**character: Any) -> bytes:
    who = {
        "schemaVersion": 1, "id": "c1", "name": "mira", "displayName": "Mira", "persona": "{character} keeps the light for {user}.",
        "loreItems": [{"key": "beacon, lamp", "value": "{character}'s beacon burns."}], "images": [{"path": "images/1.png", "label": ""}], **character,
    }  # fmt: skip
    scene = {
        "narrative": "At sea.",
        "firstMessages": [{"characterID": "c1", "text": "Hi, {user}."}],
        "exampleMessages": [{"text": "#{user}: Hm?\n#{character}: Yes."}],
    }
    return zipped({
        "manifest.json": json.dumps({"schemaVersion": 1, "characters": ["characters/c1/character.json"], "scenarios": ["scenarios/1.json", "scenarios/2.json"], "author": {"name": "me"}}),
        "characters/c1/character.json": json.dumps(who),
        "scenarios/1.json": json.dumps(scene),
        "scenarios/2.json": json.dumps({**scene, "firstMessages": [{"text": "Evening."}]}),
        "characters/c1/images/1.png": picture(),
    })  # fmt: skip


CARDS: dict[str, Raw] = {
    "v1": v1(extra=[1, {"b": None}]),
    "v2": v2(
        card_book(
            entries=[
                {name: value for name, value in one.items() if name != "use_regex"}
                for one in card_book()["entries"][::2]
            ]
        )
    ),
    "v3": v3(card_book()),
}
BOOKS: dict[str, Raw] = {
    "sillytavern": world(name="Harbour"),
    "character_book": card_book(),
    "lorebook_v3": {"spec": "lorebook_v3", "data": card_book(), "top": 1},
}
OTHER_BOOKS: dict[str, Raw] = {
    "novelai": novelai(),
    "agnai": agnai(),
    "risu": risu(),
    "risu_module": risu_module(),
}
"""Read as world files."""


def as_bytes(raw: Any, indent: int | None = 2) -> bytes:
    return json.dumps(raw, ensure_ascii=False, indent=indent).encode()


def dump_book(book: Book, form: str = "") -> bytes:
    """The book as a file of that format; by default in its own."""
    return book.in_form(book_form(form)).write() if form else book.write()
