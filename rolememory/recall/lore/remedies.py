"""Changes that may activate an entry, by the closed gate. Whether one helps is tested by the caller."""

from collections.abc import Callable, Mapping

from rolememory.recall.lore.index import Lore, LoreIndex
from rolememory.schema.evidence import Change, Reason
from rolememory.schema.settings import ScanSettings

Way = Callable[[Lore, Reason], Change]


def _field(name: str, value: bool | int) -> Way:
    return lambda lore, _: Change("entry", name, value, entry_id=lore.id)


def _setting(name: str, value: int) -> Way:
    return lambda lore, _: Change("settings", f"lore.{name}", value)


def _this_trigger(lore: Lore, reason: Reason) -> Change:
    return Change(
        "entry", "triggers", (*lore.entry.triggers, str(reason.get("trigger"))), entry_id=lore.id
    )


def _message_with_key(lore: Lore, _: Reason) -> Change:
    return Change("message", "content", next((key.text for key in lore.keys), ""), entry_id=lore.id)


WAYS: Mapping[str, tuple[Way, ...]] = {
    "disabled": (_field("enabled", True),),
    "trigger": (_this_trigger,),
    "delay": (_field("delay", 0),),
    "cooldown": (_field("cooldown", 0),),
    "waits": (_field("delay_until_recursion", 0),),
    "level": (_field("delay_until_recursion", 0),),
    "excluded": (_field("exclude_recursion", False),),
    "no_keys": (_field("constant", True),),
    "key": (_message_with_key, _setting("scan_depth", 1000), _field("match_whole_words", False)),
    "secondary": (_field("selective", False),),
    "group": (_field("group_override", True),),
    "chance": (_field("probability", 100),),
    "budget": (_setting("budget_percent", 100), _field("ignore_budget", True)),
}
"""By gate, the smallest first."""


def ways(lore: Lore, reason: Reason) -> list[Change]:
    """Changes worth trying."""
    return [way(lore, reason) for way in WAYS.get(reason.code, ())]


def changed(index: LoreIndex, change: Change) -> LoreIndex:
    """The index after a change of a setting or of one entry."""
    if change.target == "settings":
        fields = {**index.settings.model_dump(), change.field.removeprefix("lore."): change.value}
        return LoreIndex(index.books, ScanSettings.model_validate(fields))
    lore = index.lore(change.entry_id)
    if lore is None:
        return index
    fresh = lore.entry.model_copy(update={change.field: change.value, "raw": {}})
    entries = tuple(fresh if entry is lore.entry else entry for entry in lore.book.entries)
    book = lore.book.model_copy(update={"entries": entries})
    return index.updated(book if one is lore.book else one for one in index.books)
