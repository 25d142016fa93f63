"""Macros in double braces, expanded in authors' texts: names, randomness, time, conditions, variables.

    parse      text ──▶ macros, pairs of them, arguments
    expansion  expanding one text: conditions, variables, names
    table      definitions of macros with arguments
    variables  variables of macros; state of one chat
    moments    formatting of times

The result of a macro is never expanded again, so no name, message or variable becomes one. Pure: clock and randomness
are passed in, so a turn can be replayed. Names ignore case; an unknown macro stays as written.

Source: SillyTavern 1.19 (tests/text/macro_rows.json holds its answers) and Character Card V3 (`hidden_key`).
"""

from rolememory.text.macros.macros import (
    Macros,
    for_character,
    has_macros,
    is_settled,
    texts_of_card,
)
from rolememory.text.macros.variables import Variables

__all__ = ["Macros", "Variables", "for_character", "has_macros", "is_settled", "texts_of_card"]
