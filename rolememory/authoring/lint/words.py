"""The wording of each finding: severity, explanation, and a fix."""

from collections.abc import Mapping
from typing import NamedTuple

from rolememory.authoring.lint.finding import LintFinding, Severity, WordedFinding, written
from rolememory.locales import Localized, translatable, translated
from rolememory.schema.evidence import Value
from rolememory.schema.scene import Language

E = Severity.ERROR
W = Severity.WARNING


class FaultWording(NamedTuple):
    """The wording of one rule."""

    severity: Severity
    why: str
    write: str


WORDS: Mapping[str, FaultWording] = translatable({code: FaultWording(*row) for code, row in {
    # ── never fires ──
    "unreadable": (E, "an entry cannot be read as it is written: {problem}", "correct it; the others load"),
    "no_keys": (E, "it has no keys, so nothing activates it", "give it a key, or make it constant"),
    "only_secondary": (E, "it has secondary keys only ({keys}); they count only after a primary key", "move them to the primary keys"),
    "text_for_list": (E, "keys stand as one text, {found}; a list is read", "write {example}"),
    "no_key_works": (E, "none of its keys can ever match: {keys}", "correct them, or give it another key"),
    "luckless": (E, "its probability is {probability}, so it never fires", "write 1 to 100, or switch the entry off"),
    "no_probability": (E, "probability is used, but none is given", "write a probability, 100 for always"),
    "empty": (W, "it has no text: it fires and adds nothing", "write its text, or delete it"),
    "long_delay": (W, "it waits for {delay} {delay:message|messages}; few chats are so long", "write a smaller delay"),
    "blind": (E, "scan depth {depth}: it sees no text at all", "write 1 or more, or nothing for the setting"),
    "for_nobody": (E, "its character filter names nobody, so no character passes", "name a character, or remove the filter"),
    "not_its_character": (W, "its filter excludes {name}, whose card this is", "remove the name from the filter"),
    "no_known_trigger": (E, "no kind of generation is called {found}, so it never fires", "write some of {known}, or none for all"),
    "unknown_trigger": (W, "no kind of generation is called {found}", "write some of {known}"),
    "forbidden": (E, "@@dont_activate always excludes it", "remove the line, or switch the entry off"),
    "waits_excluded": (E, "it waits for recursion and is excluded from it", "choose one of the two"),
    "waits_in_vain": (E, "it waits for recursion, which is off, and no other level brings a pass", "switch recursion on, or remove the delay"),
    # ── keys ──
    "blank_key": (E, "a key of blanks matches everything", "remove it; an entry for every turn is made constant"),
    "idle_blank_key": (W, "a key of blanks never matches", "remove it"),
    "listed_key": (W, "'{key}' is one key, commas and all", "write {parts}"),
    "quoted_key": (W, "the quotes of {key} are part of the key", "write {inside} alone"),
    "long_key": (W, "'{key}' is a sentence: it must be said word by word", "use its most specific words as keys"),
    "wide_key": (W, "'{key}' has full-width letters, found only when they are typed so", "add {narrow}"),
    "broad_key": (W, "'{key}' is found in nearly every message", "write a word specific to this entry"),
    "one_character": (W, "'{key}' is one character, found inside other words too", "write a longer word, or set lore.cjk_words"),
    "name_key": (W, "'{key}' is a speaker's name, which stands before every message of theirs", "make it constant, or write another key"),
    "repeated_key": (W, "'{key}' and '{other}' are the same key", "keep one"),
    "same_keys": (W, "it has the same keys as '{other}' and goes to the same place", "make them one entry, or give both a group"),
    # ── secondary keys ──
    "ignored_secondary": (W, "its secondary keys ({keys}) are ignored: selective is off", "set selective to true, or remove them"),
    "contradiction": (E, "the keys that activate it also exclude it: {keys}", "write a key without that word"),
    "idle_secondary": (W, "a secondary key ({keys}) is part of every key, so it has no effect", "write a word that must also be present"),
    "regex_ignores": (W, "use_regex: {fields} of this entry are ignored", 'write the key as "/pattern/" without use_regex'),
    # ── patterns ──
    "broken_pattern": (E, "{key} is not a valid pattern and is searched as plain text: {why}", "correct the pattern"),
    "broken_regex": (E, "use_regex is on and {key} is not a valid pattern, so it never matches: {why}", "correct the pattern"),
    "costly_pattern": (E, "{key} is too large to run: {why}", "write it smaller"),
    "slow_pattern": (W, "{key} can take very long on some texts and is then stopped", "put no loop inside a loop: /(ab+)+/ is /ab+(?:ab+)*/"),
    "empty_pattern": (W, "{key} matches the empty text, so everything", "ask for at least one character"),
    "sticky_flag": (E, "the flag y pins {key} to the very start, where no message begins", "leave the flag out"),
    "anchored_pattern": (E, "^ in {key} never meets the start of a message", r"leave it out, or write \x01 for the start of a message"),
    # ── recursion ──
    "wakes_many": (W, "its text activates {count} of {of} {of:entry|entries}", "set preventRecursion on it, or excludeRecursion on them"),
    # ── costs ──
    "too_dear": (E, "{tokens} tokens never fit into {budget}", "shorten it, or let it ignore the budget"),
    "constants_too_dear": (E, "the constant entries together take {tokens} tokens of {budget}", "shorten them, or give some keys instead"),
    "constants_greedy": (W, "the constant entries take {tokens} of {budget} tokens, more than half", "give some of them keys instead"),
    # ── groups ──
    "lone_group": (W, "it is alone in the group '{group}'", "add its rivals, or empty the field"),
    "group_alike": (W, "the groups '{group}' and '{other}' are two", "write both the same way"),
    "no_weight": (W, "weight {weight}: it never wins the group '{group}'", "write 1 or more"),
    "outranked": (W, "'{winner}' has the same keys and wins the group '{group}' every time", "remove groupOverride there, or give this one keys of its own"),
    # ── effects ──
    "short_sticky": (W, "sticky {messages} is over before the next turn; a turn is two messages", "write 3 for one turn more, 5 for two"),
    "short_cooldown": (W, "cooldown {messages} is over before the next turn; a turn is two messages", "write 3 to skip one turn, 5 for two"),
    "nameless_outlet": (E, "it goes to an outlet without a name, which is nowhere", "name the outlet and write {{outlet::name}} where it belongs"),
    "default_outlet": (W, "it goes to an outlet without a name, so it stands before the character", "name the outlet"),
    "no_position": (E, "it has no position the rules know, so its text goes nowhere", "write a position from 0 to 7"),
    "idle_probability": (W, "probability {probability} is not rolled: useProbability is off", "switch it on, or write 100"),
    # ── texts ──
    "unknown_macro": (W, "{macro} is not a known macro: it stays as it is written", "correct it, or check that your frontend knows it"),
    "open_macro": (W, "{opened} times {{{{ and {closed} times }}}}: a macro is not closed", "close it"),
    "lone_brace": (W, "{found} is not a macro", "write {wanted}"),
    "foreign_keys": (W, "its keys ({keys}) are not in the language of its text, nor in the text", "add keys in that language: chats will be in it too"),
    "same_text": (W, "its text is the same as that of '{other}'", "make them one entry with the keys of both"),
    # ── formats ──
    "lost_id": (E, "two entries have the uid {id}: only the last is loaded", "give each its own"),
    "same_id": (W, "two entries have the uid {id}", "give each its own: other programs load the last alone"),
    "doubled_name": (E, "'{name}' stands twice in one object: only the last counts", "rename one of them"),
    "misspelled": (W, "no field is called '{field}', so it does nothing", "write {near}"),
    "unknown_decorator": (W, "no decorator is called {name}", "correct the name, or remove the line"),
    "decorator_value": (W, "'{line}' needs another value and has no effect", "correct its value"),
    "idle_decorator": (W, "SillyTavern does not know '{line}' and removes it", "use the entry's own fields instead"),
    "v2_decorator": (W, "'{line}' is of V3; readers of V2 cards print it or drop it", "save the card as V3"),
    "lost_field": (W, "SillyTavern does not take over {fields}", "use fields of world files"),
    # ── cards ──
    "odd": (W, "{problem}", ""),
    "v3_field": (W, "a field of V3 in a V2 card: programs that know V2 do not read it", "save the card as v3: rolememory card convert FILE --to v3 --out OUT"),
    "copy_differs": (W, "differs from data.{name}; old programs read this copy", "write the same in both, or take the copy away"),
}.items()})  # fmt: skip


def severity(finding: LintFinding) -> Severity:
    """The severity of a finding."""
    return WORDS[finding.code].severity


def why(finding: LintFinding, language: Language = "en") -> str:
    """The explanation.

    >>> why(LintFinding("broad_key", "keys", (("key", "the"),)))
    "'the' is found in nearly every message"
    """
    return _said(WORDS[finding.code].why, finding, language)


def write(finding: LintFinding, language: Language = "en") -> str:
    """The suggested fix.

    >>> write(LintFinding("broad_key", "keys", (("key", "the"),)), "zh")
    '换一个能区分这个条目的词'
    """
    return _said(WORDS[finding.code].write, finding, language)


def worded(finding: LintFinding, form: str, language: Language) -> WordedFinding:
    """A finding as shown for a file of this format."""
    return WordedFinding(
        severity=severity(finding).value,
        code=finding.code,
        uid=finding.entry,
        title=finding.title,
        field=written(finding.field, form),
        ours=finding.field,
        why=why(finding, language),
        write=write(finding, language),
        values={name: _plain(value, language) for name, value in finding.values},
    )


def _plain(value: Value | Localized, language: Language) -> Value:
    return value.text(language) if isinstance(value, Localized) else value


def _said(template: str, finding: LintFinding, language: Language) -> str:
    return translated(template, language, **dict(finding.values))
