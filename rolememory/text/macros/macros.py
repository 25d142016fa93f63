"""The macros of one turn, and the values they expand to."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime

from rolememory.schema.message import Message
from rolememory.schema.role import Character
from rolememory.schema.value_class import value_class
from rolememory.text.boundaries import BLANKS
from rolememory.text.macros import moments
from rolememory.text.macros.expansion import ESCAPED, OLD, MacroExpansion
from rolememory.text.macros.table import CHANGING, ELSEWHERE, HIDDEN, OF_CARD
from rolememory.text.macros.variables import Variables

_HEAD = re.compile(r"\{\{[\s!?~#/>]*([.$]|[a-zA-Z][\w-]*)", re.ASCII)
_HIDDEN = re.compile("(.*?)".join(HIDDEN), re.DOTALL)
_VERSION = ("charversion", "version", "char_version")
_SAID_IN_ORDER = (
    *("system_prompt", "mes_example", "description", "personality", "persona", "scenario"),
    *("post_history", "depth_prompt", "creator_notes", "first_mes"),
)


@value_class
class Macros:
    r"""The macros of one turn.

    >>> Macros({"user": "Ann", "char": "Mira"}).expand("{{USER}} owes {{char}} {{roll:1d1}} coin{{// soon}}. {{weather}}?")
    'Ann owes Mira 1 coin. {{weather}}?'
    >>> Macros().expand("{{.n++}}{{if .n}} {{reverse:{{noop}}live}}{{else}}good{{/if}}{{newline}}{{hidden_key:dark}}")
    '1evil\n'
    """

    values: Mapping[str, str] = field(default_factory=dict)  # name in lower case -> text
    seed: int = 0  # of this turn, for random and roll
    chat: int = 0  # seed of the chat, for pick
    outlets: Mapping[str, str] = field(default_factory=dict)
    card_macros: bool = True  # hidden_key, unknown to SillyTavern
    card: Character | None = None  # its texts are expanded on demand
    now: datetime | None = None
    variables: Variables = field(default_factory=Variables)
    dice: Callable[[], float] | None = None  # numbers in [0, 1) for roll; None = from the seed

    def started(self, dice: Callable[[], float]) -> "Macros":
        """A copy for one scan, with its own variables."""
        return replace(self, variables=self.variables.copy(), dice=dice)

    def expand(self, text: str, *, hidden: bool = False) -> str:
        """The text with macros expanded; `hidden` includes the text of {{hidden_key:...}}, for texts that are only searched."""
        shown, searched = self.say(text)
        return searched if hidden else shown

    def say(self, text: str) -> tuple[str, str]:
        """The text with macros expanded once: as shown, and as searched."""
        if not has_macros(text):
            return text, text
        said = MacroExpansion(self, text).whole(text)
        if HIDDEN[0] not in said:
            return said, said
        return _HIDDEN.sub("", said), _HIDDEN.sub(r" \1 ", said)  # a separate word

    def of_card(self, text: str) -> str:
        r"""A text of the card as in prompts: stripped, macros expanded. Macros for texts of the card are empty.

        >>> Macros({"char": "Mira"}, card=Character(scenario="At the forge.")).of_card(" {{char}}, a smith.{{scenario}}\n")
        'Mira, a smith.'
        """
        blank = dict.fromkeys((*OF_CARD, *_VERSION, "mesexamples"), "")
        inside = replace(self, values={**self.values, **blank}, card=None)
        return inside.expand(text.strip(BLANKS)).replace("\r", "")


def has_macros(text: str) -> bool:
    r"""Whether anything in the text looks like a macro or an escaped brace.

    >>> has_macros("{{char}}"), has_macros("<USER>"), has_macros("a < b"), has_macros("\\{")
    (True, True, False, True)
    """
    return (
        "{{" in text
        or ("<" in text and OLD.search(text) is not None)
        or ("\\" in text and ESCAPED.search(text) is not None)
    )


def is_settled(text: str) -> bool:
    """Whether its macros expand to the same in every turn and change no state.

    >>> is_settled("{{char}}'s {{noop}}"), is_settled("{{ .place }}"), is_settled("{{incvar::n}} {{user}}")
    (True, False, False)
    """
    return all(
        name not in CHANGING and name not in _OF_CHAT
        for name in map(str.lower, _HEAD.findall(text))
    )


def texts_of_card(who: Character, macros: Macros) -> dict[str, str]:
    """The expanded texts of the card by field, expanded in the order of the frontend."""
    said = {name: macros.of_card(getattr(who, name)) for name in _SAID_IN_ORDER}
    for text in who.alternate_greetings:
        macros.of_card(text)  # for its effect on variables
    return said


def for_character(
    who: Character,
    *,
    now: datetime | None = None,
    seed: int = 0,
    chat: int = 0,
    card_macros: bool = True,
    messages: Sequence[Message] = (),
    unseen: int = 0,
    variables: Variables | None = None,
    dice: Callable[[], float] | None = None,
    context_tokens: int | None = None,
) -> Macros:
    """The macros of a turn with this character. `messages`: the chat, oldest first, after `unseen` earlier ones."""
    group = dict.fromkeys(("group", "charifnotgroup", "groupnotmuted"), who.name)
    asked = "" if context_tokens is None else str(context_tokens)
    return Macros(
        {
            **dict.fromkeys(ELSEWHERE, ""),
            "user": who.user,
            "char": who.name,
            "notchar": who.user,
            **group,
            **dict.fromkeys(_VERSION, who.version),
            "ismobile": "false",
            "maxcontext": asked,
            "maxcontexttokens": asked,
            **_of_chat(messages, unseen, now),
        },
        seed,
        chat,
        card_macros=card_macros,
        card=who,
        now=now,
        variables=Variables() if variables is None else variables,
        dice=dice,
    )


def is_hidden(message: Message) -> bool:
    """Whether the frontend hides the message from the model (its field `hidden`)."""
    return bool((message.model_extra or {}).get("hidden"))


def _of_chat(messages: Sequence[Message], unseen: int, now: datetime | None) -> dict[str, str]:
    shown = [message for message in messages if not is_hidden(message)]
    last = unseen + len(messages) - 1

    def newest(role: str) -> str:
        return next((one.content for one in reversed(shown) if one.role == role), "")

    idle = _idle(shown, now)
    return {
        "lastmessage": messages[-1].content if messages else "",
        "lastusermessage": newest("user"),
        "lastcharmessage": newest("assistant"),
        "lastmessageid": str(last) if messages else "",
        "allchatrange": f"0-{last}" if messages else "",
        **dict.fromkeys(("idle_duration", "idleduration"), idle),
    }


def _idle(shown: Sequence[Message], now: datetime | None) -> str:
    """The time since the user's message before the newest one, in words."""
    before = next((one for one in reversed(shown[:-1]) if one.role == "user"), None)
    return moments.ago(now - before.sent) if before and before.sent and now else "just now"


_OF_CHAT = frozenset(_of_chat((), 0, None))
