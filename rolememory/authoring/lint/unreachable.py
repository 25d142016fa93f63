"""Rules for entries that can never fire, or hardly ever."""

from rolememory.authoring.lint.finding import Findings, of, of_book
from rolememory.authoring.lint.subject import Subject, each_entry, fits
from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.keys import KeyKind, LoreKey
from rolememory.schema.json_types import text_of

LONG_CHAT = 500  # messages: few chats are longer
GENERATIONS = ("normal", "continue", "impersonate", "swipe", "regenerate", "quiet")


def unreadable(subject: Subject) -> Findings:
    """Invalid entries."""
    yield from (
        of_book("unreadable", "entries", problem=problem) for problem in subject.book.problems
    )


@each_entry
def keyless(subject: Subject, lore: Lore) -> Findings:
    """Entries without keys that nothing else activates."""
    entry = lore.entry
    if subject.is_woken(lore) or any(map(str.strip, entry.keys)) or text_of(entry.raw.get("key")):
        return
    if entry.by_meaning and subject.settings.by_meaning != "off":
        return
    if entry.secondary_keys:
        keys = ", ".join(entry.secondary_keys[:5])
        yield of(lore, "only_secondary", "secondary_keys", keys=keys)
    elif not (entry.keys and subject.rules.blank_key_matches):  # reported as a blank key
        yield of(lore, "no_keys", "keys")


@each_entry
def text_for_list(subject: Subject, lore: Lore) -> Findings:
    """Keys as one text instead of a list."""
    if told := text_of(lore.entry.raw.get("key")):
        yield of(lore, "text_for_list", "keys", found=told, example=_listed(told))


def _listed(text: str) -> str:
    parts = [part.strip() for part in text.replace("，", ",").split(",") if part.strip()]
    return "[" + ", ".join(f'"{part}"' for part in parts) + "]"


@each_entry
def no_key_works(subject: Subject, lore: Lore) -> Findings:
    """Entries whose keys can all never match."""
    if (
        lore.keys
        and not subject.is_woken(lore)
        and all(key.kind is KeyKind.NEVER for key in lore.keys)
    ):
        yield of(lore, "no_key_works", "keys", keys=", ".join(key.text for key in lore.keys))


@each_entry
def luckless(subject: Subject, lore: Lore) -> Findings:
    """A probability of zero."""
    given = lore.entry.probability
    if lore.entry.use_probability and given < 0:
        yield of(lore, "no_probability", "probability")
    elif lore.entry.use_probability and given == 0:
        yield of(lore, "luckless", "probability", probability=given)


@each_entry
def empty(subject: Subject, lore: Lore) -> Findings:
    """Empty entries; allowed in a group, where they mean no text, or with a decorator."""
    if not lore.content.strip() and not lore.entry.group and not lore.asked.disable_ui_prompt:
        yield of(lore, "empty", "content")


@each_entry
def patient(subject: Subject, lore: Lore) -> Findings:
    """A delay longer than chats."""
    if lore.entry.delay > LONG_CHAT:
        yield of(lore, "long_delay", "delay", delay=lore.entry.delay)


@each_entry
def blind(subject: Subject, lore: Lore) -> Findings:
    """A scan depth of nothing."""
    settings = subject.settings
    depth = settings.scan_depth if lore.scan_depth is None else lore.scan_depth
    widens = lore.scan_depth is None and settings.min_activations > 0
    if depth <= 0 and not widens and not _reads_other_texts(subject, lore):
        by_keys = lore.keys and not subject.is_woken(lore)
        if by_keys and not any(map(_found_in_nothing, lore.keys)):
            yield of(lore, "blind", "scan_depth", depth=depth)


def _reads_other_texts(subject: Subject, lore: Lore) -> bool:
    """Whether an entry without messages still scans the character's texts or other entries."""
    if subject.rules.zero_depth_is_blind:
        return False
    return bool(lore.entry.match_sources) or (subject.settings.recursive and not lore.excluded)


def _found_in_nothing(key: LoreKey) -> bool:
    return key.kind is KeyKind.ALWAYS or fits(key, "")


@each_entry
def for_nobody(subject: Subject, lore: Lore) -> Findings:
    """A character filter that excludes everyone, or the card's own character."""
    wanted = lore.entry.character_filter
    if wanted is None or wanted.exclude:
        if wanted and subject.character.name and subject.character.name in wanted.names:
            yield of(lore, "not_its_character", "character_filter", name=subject.character.name)
        return
    if wanted.names and not any(name.strip() for name in wanted.names):
        yield of(lore, "for_nobody", "character_filter")


@each_entry
def wrong_triggers(subject: Subject, lore: Lore) -> Findings:
    """Unknown generation types."""
    unknown = [one for one in lore.entry.triggers if one not in GENERATIONS]
    if unknown:
        code = "no_known_trigger" if len(unknown) == len(lore.entry.triggers) else "unknown_trigger"
        yield of(lore, code, "triggers", found=", ".join(unknown), known=", ".join(GENERATIONS))


@each_entry
def forbidden(subject: Subject, lore: Lore) -> Findings:
    """A decorator that always excludes the entry."""
    if lore.asked.dont_activate and not lore.asked.activate:
        yield of(lore, "forbidden", "content")


def waiting_in_vain(subject: Subject) -> Findings:
    """Entries that require a recursion from which they are excluded, or that never happens."""
    levels = {lore.entry.delay_until_recursion for lore in subject.living} - {0}
    alone = subject.rules.first_level_waits and not subject.settings.recursive and len(levels) == 1
    for lore in subject.living:
        if not lore.entry.delay_until_recursion:
            continue
        if lore.excluded and subject.settings.recursive:
            yield of(lore, "waits_excluded", "exclude_recursion")
        elif alone:
            yield of(lore, "waits_in_vain", "delay_until_recursion")


RULES = (
    unreadable, keyless, text_for_list, no_key_works, luckless, empty, patient, blind, for_nobody, wrong_triggers, forbidden,
    waiting_in_vain,
)  # fmt: skip
