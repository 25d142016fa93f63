r"""Translates JavaScript regular expressions (ECMA-262, RegExp Objects, with Annex B) for the `regex` module.

    parse     body and flags ──▶ nodes     the grammar that `new RegExp` accepts
    sets                                    classes as code point ranges; JavaScript's case folding
    analysis  nodes ──▶ facts              may it match nothing, its size, the literal that a match must contain
    write     nodes ──▶ source of `regex`

Lorebook keys are written for frontends in a browser, so a key matches as it does there: `\w` is ASCII, `$` is the very
end, `.` excludes four line ends, and without the flag `u` an emoji is two characters.
"""
