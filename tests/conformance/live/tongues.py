"""What worlds speak of: few words each, so that keys and texts meet."""

from dataclasses import dataclass
from random import Random

from tests.conformance.live.patterns import pattern


@dataclass(frozen=True)
class Tongue:
    """Words, and sentences around them."""

    words: tuple[str, ...]
    sentences: tuple[str, ...]
    names: tuple[str, ...]


ENGLISH = Tongue(
    (
        "king",
        "oath",
        "dragon",
        "red dragon",
        "lamp_oil",
        "King's",
        "go",
        "a",
        "café",
        "NPC-7",
        "St. Elmo",
        "b2b",
        "don't",
        "O'Neil",
    ),
    (
        "The {} and the {}.",
        "{}!",
        "no {} today",
        "({})",
        "{}s",
        "un{}",
        "_{}_",
        "{}, {}",
        "*{}*",
        "“{}”",
        "{}\n{}",
        "see {}\t{}",
        "…",
        "{}7",
    ),
    ("Ann", "Mira", "Sir Bob", "$1 Bill", "Ann-Lee"),
)
CHINESE = Tongue(
    (
        "龙",
        "恐龙",
        "城堡",
        "月光石",
        "红 龙",
        "灯笼",
        "龍",
        "北境之王",
        "雨",
        "NPC",
        "一二三",
        "狼",
        "的",
    ),
    (
        "我们朝{}走去。",
        "这里只有{}和{}。",
        "{}呢？",
        "「{}」",
        "{}化石",
        "嗯。",
        "{}，{}！",
        "没有{}。\n他看着{}。",
        "the {} 与 {}",
        "{}{}",
    ),
    ("安", "米拉", "王先生", "Ann"),
)
JAPANESE = Tongue(
    (
        "月",
        "月の石",
        "お守り",
        "ドラゴン",
        "ﾄﾞﾗｺﾞﾝ",
        "が",
        "か\u3099",
        "東京　駅",
        "ネコ",
        "ねこ",
        "ABC",
        "ＡＢＣ",
    ),
    ("{}を見た。", "{}と{}は？", "「{}」", "…", "{}　{}", "それは{}だ！", "{}\n{}"),
    ("花子", "ミラ", "Ken"),
)
PICTURES = Tongue(
    ("🐉", "🐺", "⚔️", "⚔", "👩‍👩‍👧", "👩", "🏳️‍🌈", "🇫🇷", "👍🏽", "👍", "🧂", "ok"),
    ("look {}!", "{}{}", "so much {} today", "no {}", "…", "{} {}", "a{}b"),
    ("User", "Hero", "🐱"),
)
EUROPEAN = Tongue(
    (
        "éclair",
        "STRASSE",
        "straße",
        "ΣΟΦΟΣ",
        "σοφος",
        "İstanbul",
        "ISTANBUL",
        "ıspanak",
        "Ёлка",
        "ёлка",
        "ﬁn",
        "fin",
        "Å",
        "A\u030a",
        "ſs",
        "K",
    ),
    ("un {}", "{}!", "{} {}", "die {} und {}", "l'{}", "({})", "{}\n{}", "{}{}", "¿{}?"),
    ("Zoë", "Ångström", "Σοφία"),
)
TONGUES = (ENGLISH, ENGLISH, CHINESE, CHINESE, JAPANESE, PICTURES, EUROPEAN)

NAMES = (
    "{{user}}",
    "{{char}}",
    "{{USER}}",
    "{{noop}}",
    "<USER>",
    "<BOT>",
    "{{char}}'s",
    "{{ user }}",
    "{{group}}",
    "{{notChar}}",
)
TEXTS = (
    "{{description}}",
    "{{personality}}",
    "{{scenario}}",
    "{{persona}}",
    "{{charDepthPrompt}}",
    "{{creatorNotes}}",
)
SAYINGS = (
    "{{newline}}",
    "{{space::2}}",
    "{{trim}}",
    "\n{{trim}}\n",
    "{{// soon}}",
    "{{comment::x}}",
    "{{reverse:abc}}",
    "{{reverse:{{user}}}}",
)
MACROS = (
    *NAMES * 3,
    *TEXTS,
    *SAYINGS,
    "{{outlet::o1}}",
    "{{unknown}}",
    "{{hidden_key:x}}",
    "{{char",
    "}}",
    "{{}}",
)
BLANK = ("", " ", "   ", "\t", "\n", "\u3000", "\u00a0", "{{noop}}", " {{noop}} ")
EDGES = (
    " ",
    "\t",
    "\r\n",
    "\r",
    "\u0085",
    "\u00a0",
    "\ufeff",
    "\u200b",
    "\u3000",
    "\u2028",
    "\x1c",
    "\x0b",
    "\u180e",
    "  ",
)
"""What may stand around a word; only some of them are blanks, and not the same ones in each language a program is written in."""

LETTERS = "İıiIſsSßẞKkÅåσςΣǅǆŉΐᾳᾼꭰᎠაᲐῼﬀʼԱևϴθµμ𐐀𐐨ⓐⒶⅰѢᲇ"
"""Letters whose cases are no pairs, or are written elsewhere."""


@dataclass(frozen=True)
class Speech:
    """The few words of one world, and what is said with them."""

    dice: Random
    words: list[str]
    sentences: list[str]
    names: list[str]
    patterns: bool  # whether keys may be patterns
    edges: bool  # whether odd characters stand around words

    @classmethod
    def of(cls, dice: Random) -> "Speech":
        """The speech of a new world, in one tongue or two."""
        tongues = dice.choices(TONGUES, k=dice.choice([1, 1, 2]))
        words = [word for tongue in tongues for word in tongue.words]
        if dice.random() < 0.07:
            words = ["".join(dice.choices(LETTERS, k=dice.choice([1, 1, 2]))) for _ in range(6)]
        return cls(
            dice,
            words=dice.sample(words, min(len(words), dice.choice([2, 3, 4, 6]))),
            sentences=[sentence for tongue in tongues for sentence in tongue.sentences],
            names=[name for tongue in tongues for name in tongue.names],
            patterns=dice.random() < 0.5,
            edges=dice.random() < 0.1,
        )

    def text(self, most: int = 2) -> str:
        """Up to so many sentences."""
        return " ".join(self._sentence() for _ in range(self.dice.randint(1, most)))

    def _sentence(self) -> str:
        sentence = self.dice.choice(self.sentences)
        return sentence.format(*(self._said() for _ in range(2)))

    def _said(self) -> str:
        word = self.dice.choice(self.words)
        said = self.dice.choice([word, word, word, word, word.upper(), word.lower(), word.title()])
        return (
            f"{self.dice.choice(EDGES)}{said}{self.dice.choice(EDGES)}"
            if self.edges and self.dice.random() < 0.3
            else said
        )

    def key(self) -> str:
        """A key: mostly a word, now and then a part of one, a pattern, a macro, or nothing."""
        dice, word = self.dice, self._said()
        kind = dice.random()
        if self.patterns and kind < 0.3:
            return pattern(dice, self.words)
        if kind > 0.97:
            return dice.choice(BLANK)
        if kind > 0.93:
            return dice.choice(
                [
                    *MACROS,
                    f"{dice.choice(self.names)}:",
                    f"\x01{dice.choice(self.names)}",
                    f"{word}\n",
                    f"{word}\n\x01",
                ]
            )
        if kind > 0.82:
            return dice.choice(
                [
                    f" {word} ",
                    word[:-1] or word,
                    word[1:] or word,
                    f"{word} {dice.choice(self.words)}",
                    word.replace(" ", "  "),
                ]
            )
        return word
