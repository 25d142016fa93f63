"""A cache of styles between turns: for the same people, settings and templates each line is rendered once."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from rolememory.inject.environment import Templates
from rolememory.inject.render import Cast, Style, templates_of
from rolememory.schema.scene import Language
from rolememory.schema.settings import InjectSettings

_KEPT_STYLES = 16
_KEPT_LINES = 2_000
_KEPT_CHATS = 64  # per style

_Key = tuple[InjectSettings, Language, str, str, frozenset[str], int]


@dataclass(slots=True)
class _Kept:
    style: Style
    look: object  # the check of its templates
    chats: dict[str, Style] = field(default_factory=dict)

    def read_in(self, chat: str) -> Style:
        """The style for this chat."""
        found = self.chats.get(chat)
        if found is None:
            if len(self.chats) >= _KEPT_CHATS:
                self.chats.clear()
            found = self.chats[chat] = self.style.read_in(chat)
        return found


class Styles:
    """Gives the style of a turn, the same object while its inputs are unchanged. Thread-safe."""

    def __init__(self, templates: Templates, look: Callable[[], object] = object) -> None:
        """`look` returns a new value whenever a template may have changed."""
        self._templates, self._look = templates, look
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()
        self._lock = Lock()

    def get(self, settings: InjectSettings, language: Language, cast: Cast) -> Style:
        """The style for these settings, this language and these people.

        `heard_from` is compared by identity: the mapping may grow, but its values do not change.
        """
        who = id(cast.heard_from) if cast.heard_from else 0
        key = (settings, language, cast.char, cast.user, cast.own_names, who)
        with self._lock:
            known, look = self._kept.pop(key, None), self._look()
            if known is not None and known.look is not look:
                known.look = look
                if known.style.made_of != templates_of(self._templates, settings, language).tries:
                    known = None
            if known is None or known.style.size >= _KEPT_LINES:
                known = _Kept(Style(self._templates, settings, language=language, cast=cast), look)
            self._kept[key] = known
            while len(self._kept) > _KEPT_STYLES:
                self._kept.popitem(last=False)
            return known.read_in(cast.chat)
