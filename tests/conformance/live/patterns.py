"""Random keys in slashes: patterns as authors write them, as nobody writes them, and some that are none."""

from random import Random

FLAGS = ("", "", "", "i", "i", "g", "u", "iu", "m", "s", "im", "su", "y", "gi", "x", "ii", "v", "d")
ODD: tuple[str, ...] = (
    "/a(/",
    "/[/",
    "/a/b/",
    "/a\\/b/",
    "//",
    "/ /",
    "/a",
    "/*/",
    "/{/",
    "/a{2/",
    "/]/",
    "/\\1/",
    "/(a)\\2/",
    "/(?<n>a)\\k<n>/",
    "/\\u{61}/u",
)
ODD += (
    "/\\p{L}+/u",
    "/\\p{Script=Han}{2}/u",
    "/\\p{L}/",
    "/[\\d-x]/",
    "/\\cA/",
    "/\\0/",
    "/[^]/",
    "/[]/",
    "/$^/",
    "/(?=a)*b/",
    "/\\-/u",
    "/a|/",
    "/\\x01/",
)
ODD += (
    "/\\x01[^:]+: /",
    "/^./m",
    "/.$/m",
    "/\\u0001/",
    "/\\bno\\b/i",
    "/\\B./",
    "/\\s{2,}/",
    "/[\\u4e00-\\u9fff]{3}/",
    "/[🐉🐺]/",
    "/[🐉🐺]/u",
    "/^.$/u",
)


def pattern(dice: Random, words: list[str]) -> str:
    """One key in slashes over these words; now and then a broken one."""
    if dice.random() < 0.2:
        return dice.choice(ODD)
    body = "".join(_piece(dice, words) for _ in range(dice.choice([1, 1, 2, 3])))
    flags = dice.choice(FLAGS)
    if ("\\1" in body or "\\k<" in body) and not body.isascii():
        flags = flags.replace(
            "i", ""
        )  # how these fold case is a known difference, see rolememory/text/pattern.py
    return f"/{body}/{flags}"


def _piece(dice: Random, words: list[str]) -> str:
    one, other = dice.choice(words), dice.choice(words)
    return dice.choice(
        [
            *([one] * 6),
            *(
                f"(?:{one}|{other})",
                f"({one}|{other})?",
                f"[{one}{other}]",
                f"[^{one}]",
                f"{one}?",
                f"{one}+",
                f"{one}{{1,2}}",
            ),
            *(
                f"{one}.*{other}",
                f"{one}[\\s\\S]*?{other}",
                f"{one}[^]*{other}",
                f"{one}.{other}",
                f"{one}(?={other})",
                f"{one}(?!{other})",
            ),
            *(
                f"(?<={one}.*){other}",
                f"(?<!{one}){other}",
                f"({one[:1]})\\1",
                f"(?<w>{one[-1:]})\\k<w>",
                f"(?i:{one})",
                f"(?-i:{one}{other})",
                f"(?s-m:{one}.)",
                f"(?:(?<v>{one[:1]})|(?<v>{other[:1]}))\\k<v>",
                f"\\b{one}\\b",
                f"\\B{one}",
            ),
            *("^", "$", ".", "\\w+", "\\d", "\\s", "\\S", "\\W", "\\n", "\\x01", "(?:)", "\\b"),
            *(
                one.upper(),
                one.swapcase(),
                f"\\u{ord(one[0]):04x}" if ord(one[0]) < 0x10000 else f"\\u{{{ord(one[0]):x}}}",
            ),
        ]
    )
