"""Entries that can never come into a prompt, or that nothing but luck of another kind lets in."""

from collections.abc import Iterator

from rolememory.authoring.lint.finding import LintFinding, of, of_book
from rolememory.authoring.lint.subject import Subject, fits
from rolememory.recall.lore.keys import KeyKind, LoreKey

LONG_CHAT = 500  # messages: few chats are longer
GENERATIONS = ("normal", "continue", "impersonate", "swipe", "regenerate", "quiet")


def unreadable(subject: Subject) -> Iterator[LintFinding]:
    """Entries that could not be read at all."""
    yield from (
        of_book("unreadable", "entries", problem=problem) for problem in subject.book.problems
    )


def switched_off(subject: Subject) -> Iterator[LintFinding]:
    """Entries that are disabled."""
    yield from (
        of(lore, "disabled", "enabled") for lore in subject.entries if not lore.entry.enabled
    )


def keyless(subject: Subject) -> Iterator[LintFinding]:
    """Entries that have no key, and nothing else that wakes them."""
    for lore in subject.living:
        if (
            subject.is_woken(lore)
            or any(key.strip() for key in lore.entry.keys)
            or _text_for_list(lore.entry.raw)
        ):
            continue
        if lore.entry.by_meaning and subject.settings.by_meaning != "off":
            yield of(lore, "only_by_meaning", "keys")
        elif lore.entry.secondary_keys:
            yield of(
                lore,
                "only_secondary",
                "secondary_keys",
                keys=", ".join(lore.entry.secondary_keys[:5]),
            )
        elif lore.entry.keys and subject.rules.blank_key_matches:
            continue  # told as a blank key
        else:
            yield of(lore, "no_keys", "keys")


def text_for_list(subject: Subject) -> Iterator[LintFinding]:
    """Keys written as one text where a list is wanted."""
    for lore in subject.living:
        if told := _text_for_list(lore.entry.raw):
            yield of(lore, "text_for_list", "keys", found=told, example=_listed(told))


def _text_for_list(raw: dict[str, object]) -> str:
    told = raw.get("key")
    return told if isinstance(told, str) else ""


def _listed(text: str) -> str:
    parts = [part.strip() for part in text.replace("，", ",").split(",") if part.strip()]
    return "[" + ", ".join(f'"{part}"' for part in parts) + "]"


def no_key_works(subject: Subject) -> Iterator[LintFinding]:
    """Entries all of whose keys can never be found."""
    for lore in subject.living:
        if (
            lore.keys
            and not subject.is_woken(lore)
            and all(key.kind is KeyKind.NEVER for key in lore.keys)
        ):
            yield of(lore, "no_key_works", "keys", keys=", ".join(key.text for key in lore.keys))


def luckless(subject: Subject) -> Iterator[LintFinding]:
    """A probability of nought."""
    for lore in subject.living:
        if lore.entry.use_probability and lore.entry.probability <= 0:
            given = lore.entry.probability
            yield (
                of(lore, "luckless", "probability", probability=given)
                if given >= 0
                else of(lore, "no_probability", "probability")
            )


def empty(subject: Subject) -> Iterator[LintFinding]:
    """Entries that say nothing; in a group that is a way to let nothing happen, and a decorator may be all that is wanted."""
    for lore in subject.living:
        if not lore.content.strip() and not lore.entry.group and not lore.asked.disable_ui_prompt:
            yield of(lore, "empty", "content")


def patient(subject: Subject) -> Iterator[LintFinding]:
    """A delay longer than chats are."""
    for lore in subject.living:
        if lore.entry.delay > LONG_CHAT:
            yield of(lore, "long_delay", "delay", delay=lore.entry.delay)


def blind(subject: Subject) -> Iterator[LintFinding]:
    """A scan depth that sees nothing."""
    for lore in subject.living:
        depth = lore.scan_depth if lore.scan_depth is not None else subject.settings.scan_depth
        widens = lore.scan_depth is None and subject.settings.min_activations > 0
        if (
            depth > 0
            or widens
            or subject.is_woken(lore)
            or not lore.keys
            or any(map(_found_in_nothing, lore.keys))
        ):
            continue
        hears_others = subject.settings.recursive and not lore.excluded
        if subject.rules.zero_depth_is_blind or not (lore.entry.match_sources or hears_others):
            yield of(lore, "blind", "scan_depth", depth=depth)


def _found_in_nothing(key: LoreKey) -> bool:
    return key.kind is KeyKind.ALWAYS or fits(key, "")


def for_nobody(subject: Subject) -> Iterator[LintFinding]:
    """A character filter that lets nobody in, or not the character whose card it is."""
    for lore in subject.living:
        wanted = lore.entry.character_filter
        if wanted is None or wanted.exclude:
            if wanted and subject.character.name and subject.character.name in wanted.names:
                yield of(lore, "not_its_character", "character_filter", name=subject.character.name)
            continue
        if wanted.names and not any(name.strip() for name in wanted.names):
            yield of(lore, "for_nobody", "character_filter")


def wrong_triggers(subject: Subject) -> Iterator[LintFinding]:
    """Kinds of generation that do not exist."""
    for lore in subject.living:
        unknown = [one for one in lore.entry.triggers if one not in GENERATIONS]
        if unknown:
            code = (
                "no_known_trigger"
                if len(unknown) == len(lore.entry.triggers)
                else "unknown_trigger"
            )
            yield of(lore, code, "triggers", found=", ".join(unknown), known=", ".join(GENERATIONS))


def forbidden(subject: Subject) -> Iterator[LintFinding]:
    """A decorator that keeps the entry out for good."""
    for lore in subject.living:
        if lore.asked.dont_activate and not lore.asked.activate:
            yield of(lore, "forbidden", "content")


def waiting_in_vain(subject: Subject) -> Iterator[LintFinding]:
    """Entries that wait for a recursion they are kept out of, or that never comes."""
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
    unreadable, switched_off, keyless, text_for_list, no_key_works, luckless, empty, patient, blind, for_nobody, wrong_triggers, forbidden,
    waiting_in_vain,
)  # fmt: skip
