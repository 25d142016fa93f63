"""A data folder of SillyTavern, made by hand as several of its versions would have left it."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.cards.makers import card_picture, v2

Raw = dict[str, Any]

INTEGRITY = "5f0c5f4e-0000-4000-8000-00000000000a"


def said(name: str, text: str, at: Any = None, *, user: bool = False, **more: Any) -> Raw:
    """A message as a chat file has it."""
    return {
        "name": name,
        "is_user": user,
        "is_system": False,
        "send_date": at,
        "mes": text,
        "extra": {},
        **more,
    }


def head(
    user: str = "unused", character: str = "unused", *, created: Any = None, **about: Any
) -> Raw:
    """The first line of a chat file; `about` is its chat_metadata."""
    dated = {} if created is None else {"create_date": created}
    return {"user_name": user, "character_name": character, **dated, "chat_metadata": about}


def write_lines(path: Path, lines: Iterable[Raw | str]) -> Path:
    """A chat file; a text is a line as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(
        line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines
    )
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def write_json(path: Path, raw: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(raw, ensure_ascii=False, indent=4), "utf-8")
    return path


def write_card(user: Path, avatar: str, name: str, book: Raw | None = None, **fields: Any) -> Path:
    """A card among the characters."""
    path = user / "characters" / avatar
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(card_picture(v2(book, name=name, **fields)))
    return path


def lore(uid: int, content: str, *keys: str, **fields: Any) -> Raw:
    """An entry of a world file."""
    return {
        "uid": uid,
        "key": list(keys),
        "keysecondary": [],
        "content": content,
        "comment": "",
        "order": 100,
        "disable": False,
        **fields,
    }


def write_world(user: Path, name: str, *entries: Raw) -> Path:
    return write_json(
        user / "worlds" / f"{name}.json", {"entries": {str(one["uid"]): one for one in entries}}
    )


def write_group(
    user: Path, group: str, members: Sequence[str], chats: Sequence[str], **more: Any
) -> Path:
    raw = {
        "id": group,
        "name": "灯塔里的人",
        "members": list(members),
        "disabled_members": [],
        "chat_id": chats[-1],
        "chats": list(chats),
        **more,
    }
    return write_json(user / "groups" / f"{group}.json", raw)


def settings(user: Path, **power: Any) -> Path:
    """settings.json with two personas."""
    raw = {
        "username": "林",
        "user_avatar": "lin.png",
        "power_user": {
            "personas": {"lin.png": "林", "1700000000000-Wren.png": "Wren"},
            "persona_descriptions": {
                "lin.png": {
                    "description": "二十六岁，会修灯的旅人。",
                    "position": 0,
                    "lorebook": "旅人",
                },
                "1700000000000-Wren.png": {
                    "description": "A cartographer.",
                    "title": "from the coast",
                },
            },
            "default_persona": "lin.png",
            **power,
        },
        "world_info_settings": {
            "world_info": {
                "globalSelect": ["海边"],
                "charLore": [{"name": "明月", "extraBooks": ["长安"]}],
            }
        },
    }
    return write_json(user / "settings.json", raw)


BOOK = {
    "name": "Lighthouse",
    "entries": [
        {
            "keys": ["lamp"],
            "content": "An old text about the lamp.",
            "extensions": {},
            "enabled": True,
            "insertion_order": 1,
        }
    ],
}


def life(root: Path) -> Path:
    """A data folder with everything in it; gives `data/default-user`.

    Asha (a card with a book, kept as the world Lighthouse) has an old chat, a new one with a branch, and memories of three extensions;
    a second Asha is another character; 明月 speaks Chinese; both Asha and 明月 sit in a group that Bo joined late.
    """
    user = root / "data" / "default-user"
    settings(user)
    write_card(user, "Asha.png", "Asha", BOOK, extensions={"world": "Lighthouse"})
    write_card(user, "Asha1.png", "Asha", description="Another Asha, a baker.")
    write_card(user, "明月.png", "明月", description="长安城里的琴师。", first_mes="你来了。")
    write_card(user, "Bo.png", "Bo", first_mes="Ahoy.")
    write_world(
        user,
        "Lighthouse",
        lore(0, "The lamp burns whale oil and is wound every four hours.", "lamp"),
    )
    write_world(user, "长安", lore(0, "长安有一百零八坊。", "长安"))
    write_world(user, "海边", lore(0, "涨潮时栈桥会被淹没。", "栈桥"))
    write_world(user, "旅人", lore(0, "林的灯是祖母留下的。", "灯"))
    _of_asha(user)
    _of_moon(user)
    _of_group(user)
    return user


OLD = "Asha - 2023-6-19 @14h 20m 33s 123ms"
NEW = "Asha - 2024-07-12@01h31m37s123ms"


def _of_asha(user: Path) -> None:
    chats = user / "chats" / "Asha"
    write_lines(
        chats / f"{OLD}.jsonl",
        [
            head("Wren", "Asha", created="2023-6-19 @14h 20m 33s 123ms"),
            said("Asha", "You are soaked through.", "June 19, 2023 2:20pm"),
            said("Wren", "My boat broke on the rocks.", "June 19, 2023 2:21pm", user=True),
            said(
                "Asha",
                "Then stay the night.",
                "2023-6-19 @14h 22m 10s 5ms",
                swipes=["Go away.", "Then stay the night."],
                swipe_id=1,
            ),
            said("Wren", "Thank you.", 1687184633000, user=True),
        ],
    )
    told = [
        said("Asha", "*winds the lamp*", "2024-07-12T01:31:40.000Z"),
        said("林", "我叫林，住在长安。", "2024-07-12T01:32:00.000Z", user=True),
        said(
            "Asha",
            "Chang'an is far.",
            "2024-07-12T01:32:30.000Z",
            extra={
                "memory": "Lin came to the lighthouse.",
                "qvink_memory": {
                    "memory": "Asha said that Chang'an is far.",
                    "remember": True,
                    "include": "long",
                },
            },
        ),
        said("林", "我有一只猫，叫芝麻。", "2024-07-12T01:33:00.000Z", user=True),
        said(
            "Asha",
            "I like cats.",
            "2024-07-12T01:33:30.000Z",
            extra={
                "memory": "Lin came to the lighthouse and told of a cat.",
                "qvink_memory": {"memory": "not to be kept", "exclude": True},
            },
        ),
    ]
    write_lines(
        chats / f"{NEW}.jsonl",
        [
            head(integrity=INTEGRITY, world_info="Asha memories"),
            *told,
            {
                **said("SillyTavern System", "Help text.", user=False),
                "is_system": True,
                "extra": {"type": "help"},
            },
            said("林", "晚安。", "2024-07-12T01:34:00.000Z", user=True),
        ],
    )
    write_lines(
        chats / "Branch #1.jsonl",
        [
            head(integrity=INTEGRITY, main_chat=NEW),
            *told[:3],
            said("林", "我属兔。", "2024-07-13T08:00:00.000Z", user=True),
        ],
    )
    write_world(
        user,
        "Asha memories",
        lore(0, "Lin told Asha where he lives.", "长安", "home", stmemorybooks=True, STMB_end=2),
        lore(2, "Hand-written: the cat is grey.", "芝麻"),
    )


def _of_moon(user: Path) -> None:
    write_lines(
        user / "chats" / "明月" / "明月 - 2024-08-01@20h00m00s.jsonl",
        [
            head(integrity="moon-1", persona="lin.png"),
            said("明月", "你来了。", "2024-08-01T20:00:00Z"),
            said("林", "我怕打雷。", "2024-08-01T20:01:00Z", user=True),
            {**said("林", "这句藏起来。", "2024-08-01T20:02:00Z", user=True), "is_system": True},
            said("明月", "那我弹琴给你听。", "2024-08-01T20:03:00Z"),
            said("林", "好。", "2024-08-01T20:04:00Z", user=True),
        ],
    )  # fmt: skip


def _of_group(user: Path) -> None:
    write_group(
        user, "1720000000000", ["Asha.png", "明月.png", "Bo.png", "gone.png"], ["1720000000000"]
    )
    write_lines(
        user / "group chats" / "1720000000000.jsonl",
        [
            head(integrity="group-1"),
            said("Asha", "Sit by the stove.", "2024-09-01T10:00:00Z", original_avatar="Asha.png"),
            said("明月", "我带了琴。", "2024-09-01T10:00:01Z", force_avatar="/thumbnail?type=avatar&file=%E6%98%8E%E6%9C%88.png"),
            said("林", "我的秘密是我会游泳。", "2024-09-01T10:01:00Z", user=True),
            said("Bo", "Ahoy, I am new here.", "2024-09-01T10:02:00Z", original_avatar="Bo.png"),
            said("林", "欢迎，Bo。", "2024-09-01T10:03:00Z", user=True),
        ],
    )  # fmt: skip
