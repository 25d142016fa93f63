"""Macros in double braces, expanded in authors' texts: names, chance, time, conditions, variables.

    parse      text ──▶ macros, pairs of them, arguments
    turn       saying the macros of one text: conditions, variables, names
    table      what each macro with arguments says
    variables  what macros keep; state of one chat
    moments    times in words

What a macro says is never read for macros again, so no name, message or variable becomes one. Pure: clock and chance are
handed in, so a turn can be replayed. Names are read without case; a macro that nobody knows stays as it is written.

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
