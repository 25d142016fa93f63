"""text-generation-webui: put this folder into user_data/extensions/rolememory and start with `--extensions rolememory`.

Runs in the program itself, no server needed: `pip install rolememory` in its environment.
在程序内运行，不需要服务器：把本文件夹放进 user_data/extensions/rolememory，用 `--extensions rolememory` 启动。
"""

from typing import Any

from rolememory import Home, Message, RoleMemory, RoleMemoryError
from rolememory.inject.fence import strip

params: dict[str, Any] = {
    "display_name": "rolememory",
    "is_tab": False,
    "home": "user_data/rolememory",
}
_NOT_SAID = (
    "",
    "<|BEGIN-VISIBLE-CHAT|>",
)  # how the program marks a greeting: nobody said anything before it
_open: dict[str, Home] = {}


def setup() -> None:
    """Called once when the extension is loaded."""
    _open["home"] = Home.open(params["home"])


def state_modifier(state: dict[str, Any]) -> dict[str, Any]:
    """Called first in every turn. What stands in the history is kept; for "regenerate" and "continue" it is also the question."""
    said, mind = _said(state), _role(state)
    if mind is None:
        return state
    try:
        if said:
            mind.observe(said, chat=_chat(state), user=state.get("name1") or None)
        _remember(state, mind, said)
    except (RoleMemoryError, OSError) as error:  # the chat goes on without memory
        print(f"rolememory: {error}")
    return state


def chat_input_modifier(text: str, visible_text: str, state: dict[str, Any]) -> tuple[str, str]:
    """Called when the user said something new: now that is the question."""
    mind = _role(state)
    if mind is not None:
        try:
            _remember(state, mind, [*_said(state), Message.user(text)])
        except (RoleMemoryError, OSError) as error:
            print(f"rolememory: {error}")
    return text, visible_text


def _remember(state: dict[str, Any], mind: RoleMemory, said: list[Message]) -> None:
    """Put what comes to mind behind the character's description, in place of what stood there before."""
    plain = strip(state.get("context") or "").rstrip()
    turn = mind.recall(said, chat=_chat(state), user=state.get("name1") or None) if said else None
    state["context"] = "\n\n".join(part for part in (plain, turn.text if turn else "") if part)


def _role(state: dict[str, Any]) -> RoleMemory | None:
    """The role of the character that is loaded; made when it is met for the first time. None in instruct mode."""
    name = (state.get("name2") or "").strip()
    home = _open.get("home")
    if home is None or not name or state.get("mode") == "instruct":
        return None
    known = {one for role in home.roles() for one in (role.name, *role.aliases)}
    return home.role(name) if name in known else home.create(name)


def _chat(state: dict[str, Any]) -> str:
    return str(state.get("unique_id") or "")


def _said(state: dict[str, Any]) -> list[Message]:
    """The history as messages: pairs of what the user and what the character said."""
    pairs = (state.get("history") or {}).get("internal") or ()
    both = [(Message.user(asked), Message.assistant(answered)) for asked, answered in pairs]
    return [one for pair in both for one in pair if one.content.strip() not in _NOT_SAID]
