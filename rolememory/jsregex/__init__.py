r"""JavaScript's regular expressions (ECMA-262, RegExp Objects, with Annex B), read and written again for Python's engines.

    parse  body and flags  ──▶ nodes       the grammar: what `new RegExp` accepts, and what each construct means
    sets                                    classes as code point ranges; letter case as JavaScript folds it
    facts  nodes ──▶ numbers               can it match nothing, how heavy is it, which literal must stand in the text
    write  nodes ──▶ source of `regex`

Authors write lorebook keys for a frontend in a browser, so a key means what it means there: `\w` is ASCII, `$` is the
very end, `.` stops at four line ends, and without the flag `u` an emoji is two characters.
"""
