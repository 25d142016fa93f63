"""The two sets of rules as rows of one table: `sillytavern` to the letter, `default` without what players complain about."""

from typing import Literal

from rolememory.errors import UnknownNameError
from rolememory.schema.settings import ScanSettings
from rolememory.schema.value_class import value_class
from rolememory.text.boundaries import Edges
from rolememory.text.keys import Form


@value_class
class LoreRules:
    """One row: where the two differ, and how. What both do alike is not named here."""

    name: Literal["default", "sillytavern"]
    form: Form  # of a key that may be written in any case
    edges: Edges  # of a key that must stand alone
    blank_key_matches: bool  # a key of nothing but blanks is found everywhere
    zero_depth_is_blind: bool  # scan depth 0 sees no description, note or recursion text either
    card_fields: bool  # use_regex, priority, book-wide depth, budget and recursion of cards count
    all_decorators: bool  # the twenty of the V3 specification; else activate and dont_activate
    card_macros: bool  # {{hidden_key:...}}
    chance_first: bool  # the dice of an entry are thrown before its group chooses, so that no loser empties it
    zero_chance_may_pass: bool  # probability 0 passes when exactly 0 is thrown
    group_quirks: bool  # groups count members that are gone already, and know the others by their whole `group` text
    outside_first: bool  # entries activated from outside are tried before all that are not sticky
    smaller_may_fit: bool  # after one that does not fit, smaller ones are tried
    reaching_is_too_much: bool  # the budget itself is over the budget
    counts_blocks: (
        bool  # tokens are counted as text of the pass and of recursion; else as what was admitted
    )
    first_level_waits: (
        bool  # delayed entries of the lowest level are not looked at unless something else recurses
    )
    widens_past_limit: bool  # the limit of widening is tested before the step
    timers_by_text: bool  # an edit of an entry ends its timer
    ties_reversed: bool  # of equal order, the one activated first stands last
    as_scripted: bool  # a field of another type means what it means to the frontend's program
    drops_homeless: (
        bool  # without position, outlet name or author's note a text is lost; else it finds a place
    )


SILLYTAVERN = LoreRules(
    name="sillytavern",
    form="lower",
    edges="ascii",
    blank_key_matches=True,
    zero_depth_is_blind=True,
    card_fields=False,
    all_decorators=False,
    card_macros=False,
    chance_first=False,
    zero_chance_may_pass=True,
    group_quirks=True,
    outside_first=True,
    smaller_may_fit=False,
    reaching_is_too_much=True,
    counts_blocks=True,
    first_level_waits=True,
    widens_past_limit=True,
    timers_by_text=True,
    ties_reversed=True,
    as_scripted=True,
    drops_homeless=True,
)
DEFAULT = LoreRules(
    name="default",
    form="folded",
    edges="script",
    blank_key_matches=False,
    zero_depth_is_blind=False,
    card_fields=True,
    all_decorators=True,
    card_macros=True,
    chance_first=True,
    zero_chance_may_pass=False,
    group_quirks=False,
    outside_first=False,
    smaller_may_fit=True,
    reaching_is_too_much=False,
    counts_blocks=False,
    first_level_waits=False,
    widens_past_limit=False,
    timers_by_text=False,
    ties_reversed=False,
    as_scripted=False,
    drops_homeless=False,
)
ROWS: dict[str, LoreRules] = {row.name: row for row in (DEFAULT, SILLYTAVERN)}


def under(rules: str | None, settings: ScanSettings) -> ScanSettings:
    """The settings under the rules of that name; none named = as they are. Raises: UnknownNameError."""
    return settings.model_copy(update={"rules": rules_named(rules).name}) if rules else settings


def rules_named(name: str) -> LoreRules:
    """The row of that name.

    Raises:
        UnknownNameError: there is none.
    """
    if name not in ROWS:
        raise UnknownNameError("set of lore rules", name, ROWS)
    return ROWS[name]
