"""People a message is about: memories about them gain, and the question's vector is made without their names.

Statements are mostly about their speaker: then memories that name the speaker gain.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import Literal

from rolememory.schema.entry import Entry
from rolememory.schema.scene import Scene, Segment
from rolememory.shipped import lexicon
from rolememory.text.arrays import Floats, Mask, np
from rolememory.text.words import context_dependence, is_pair, term_query, tokens
from rolememory.triggers.table import ArrayColumn

NAMED = 0.75  # of its own evidence that a memory gains when its subject is named
SPEAKING = 0.2  # ... when users speak of themselves, or ask the character about itself, and it is about these
TOLD_OF = 1.25  # ... of a memory that names who speaks; less, the more others do so too
ALREADY = 1.0  # nats that shared words alone reach in talk that a memory has nothing to do with
ALREADY_NEAR = 1.5  # ... with similarity beside them
LEFT = 1.0  # words of its own that a question needs without the names in it

_WORD = re.compile(r"[^\W_]+")
_CALLED = re.compile(r"([^\W_]+)(?:['’]s\b)?")
_ASCII = re.compile(r"[\x00-\u02af]+")
_MYSELF = re.compile(r"\b(?:i|me|my|mine|i'm|i've)\b|我|俺|咱", re.IGNORECASE)
SEARCHED = 16  # newest messages of the user in which titles are looked for
LONGEST = 2000  # characters at the end of each
USER = ("user", "用户")
_SAYS = re.compile(r"\s*([^\W\d_][\w .'’-]{0,30}?)\s*(?:: |：)")  # before a message


@lru_cache(maxsize=4096)
def _spoken(name: str) -> frozenset[str]:
    """The words that may refer to a Latin name: a name of one word itself, else each part of three letters or more."""
    parts = _WORD.findall(name.casefold())
    return frozenset(parts if len(parts) == 1 else [part for part in parts if len(part) >= 3])


def named(name: str, text: str, said: frozenset[str]) -> bool:
    """Whether a text with the folded words `said` contains a name: a Latin name as a word, any other anywhere.

    >>> named("Lin Wei", "What did Lin say?", frozenset({"what", "did", "lin", "say"}))
    True
    >>> named("林小雨", "林小雨喜欢什么", frozenset({"林小雨喜欢什么"})), named("Art", "party", frozenset({"party"}))
    (True, False)
    """
    return (
        bool(_spoken(name) & said) if _ASCII.fullmatch(name) else name.casefold() in text.casefold()
    )


@lru_cache(maxsize=256)
def asks_of_you(query: str) -> bool:
    """Whether a message asks about its addressee: what they are, say or do.

    >>> asks_of_you("What did you tell me to read?"), asks_of_you("你给我推荐过哪部电影？")
    (True, True)
    >>> asks_of_you("Do you remember what I told you?"), asks_of_you("你还记得我跟你说过什么吗？")
    (False, False)
    """
    return ("?" in query or "？" in query) and _you().search(query.lower()) is not None


@cache
def _you() -> re.Pattern[str]:
    rows = lexicon("asking")["you"]
    return re.compile("|".join([*rows["en"], *rows["zh"]]))


def speakers(scene: Scene) -> Collection[str]:
    """The names of those who speak of themselves in the newest message; empty if it asks about something else."""
    if context_dependence(scene.query) < 1.0 and not _MYSELF.search(scene.query):
        return ()
    return {name for name in (*_known(scene), speaker_before(scene)) if name}


def speaker_before(scene: Scene) -> str:
    """The "Name:" prefix of the newest message, if other messages of the user have it too or it is theirs; else "".

    >>> from dataclasses import replace
    >>> from datetime import UTC, datetime
    >>> said = (Segment("Lin: The soup is cold.", role="user"), Segment("Lin: Good evening.", role="user"))
    >>> scene = Scene(said, datetime.now(UTC), query="Lin: The soup is cold.")
    >>> speaker_before(scene), speaker_before(replace(scene, query="Soup: is it cold?"))
    ('Lin', '')
    """
    begins = _SAYS.match(scene.query)
    if begins is None:
        return ""
    earlier = (_SAYS.match(one.text) for one in islice(of_user(scene), 1, None))
    known = begins[1] in _known(scene) or any(one and one[1] == begins[1] for one in earlier)
    return begins[1] if known else ""


def names_of_present(scene: Scene) -> frozenset[str]:
    """The words that name the user, the character, and who speaks in the visible messages, and the titles that they are called by."""
    said = (segment.name for segment in scene.segments)
    names = {scene.user or "", scene.names.get("char", ""), speaker_before(scene), *said}
    names |= titles(scene)
    return frozenset(token for name in names for token in tokens(name))


def without_addressee(scene: Scene) -> str:
    """The newest message without names and titles of those present that it calls; the message itself where nothing else is left.

    >>> from dataclasses import replace
    >>> from datetime import UTC, datetime
    >>> scene = Scene((Segment("Hm.", name="Ysolde Marr"),), datetime.now(UTC), names={"char": "沈晚"})
    >>> [without_addressee(replace(scene, query=query)) for query in ("And your arm, Ysolde?", "Did Ysolde say so?", "沈晚你冷吗？")]
    ['And your arm, ?', 'Did Ysolde say so?', '你冷吗？']
    """
    names = {scene.names.get("char", ""), *(one.name for one in scene.segments)} - {None, ""}
    rest = _without_titles(_without_calls(scene.query, frozenset(names)))
    return rest if term_query(rest).weights else scene.query


def titles(scene: Scene) -> frozenset[str]:
    """The titles by which the user calls somebody in the visible messages."""
    said = islice(of_user(scene), SEARCHED)
    return frozenset(one.text[start:end] for one in said for start, end in _titles_in(one.text))


@lru_cache(maxsize=1024)
def _titles_in(text: str) -> tuple[tuple[int, int], ...]:
    """Where a text calls somebody by a title.

    >>> [_titles_in(text) for text in ("Aye, captain.", "师姐早", "The captain sleeps.", "师姐喜欢吃鱼。")]
    [((5, 12),), ((0, 2),), (), ()]
    """
    begin = max(len(text) - LONGEST, 0)
    found = (one.span("title") for pattern in _vocatives() for one in pattern.finditer(text, begin))
    return tuple(sorted({*found}))


def _without_titles(text: str) -> str:
    for start, end in reversed(_titles_in(text)):
        text = text[:start] + text[end:]
    return text


@cache
def _vocatives() -> Sequence[re.Pattern[str]]:
    """The patterns of a call by title."""
    rows, called = lexicon("asking")["vocatives"], lexicon("asking")["titles"]
    return [
        re.compile(pattern % f"(?P<title>{'|'.join(called[language])})", re.IGNORECASE)
        for language, patterns in rows.items()
        for pattern in patterns
    ]


@lru_cache(maxsize=256)
def _without_calls(text: str, names: frozenset[str]) -> str:
    """A text without a name at its beginning, behind one word there or behind a sign, and before a sign, an end or "you"."""
    known = sorted(
        {part for name in names for part in (name, *name.split())}, key=len, reverse=True
    )
    name, sign = "|".join(map(re.escape, known)), r"[^\w\s'’-]"
    before = rf"(^\W*(?:\w{{1,8}}\s+|\w)?|{sign}\s*)"
    after = rf"(?=\s*(?:{sign}|$|{any_person('second')}))"
    return re.sub(f"{before}(?:{name}){after}", r"\1", text, flags=re.IGNORECASE) if name else text


@cache
def any_person(person: Literal["first", "second"]) -> str:
    """A regular expression for "I" or "you" as who does something, in all languages."""
    rows = lexicon("asking")[person]
    return "|".join([*rows["en"], *rows["zh"]])


def _known(scene: Scene) -> Collection[str]:
    said = next(of_user(scene), None)
    return scene.user or "", said.name if said else ""


def others_present(scene: Scene) -> Collection[str]:
    """The names in the visible messages of those who are neither the character nor who asks."""
    said = {one.name for one in scene.segments if one.name}
    return sorted(said - {scene.names.get("char", ""), *_known(scene)})


def of_user(scene: Scene) -> Iterator[Segment]:
    """The user's messages, newest first."""
    return (one for one in scene.segments if one.source == "message" and one.role == "user")


def calls(name: str) -> Iterator[Collection[str]]:
    """Alternative token sets of a name in an index: a text that mentions the name contains all tokens of one of them.

    >>> list(calls("Lin Wei")), list(calls("林小雨")), list(calls("雨"))
    ([('lin',), ('wei',)], [('林小', '小雨')], [])
    """
    if _ASCII.fullmatch(name):
        yield from map(tokens, sorted(_spoken(name)))
    elif pairs := tuple(filter(is_pair, tokens(name))):
        yield pairs


class SubjectIndex:
    """The subjects of entries, by row."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._called: dict[str, set[str]] = {}  # a word -> the Latin names that it calls
        self._others: list[str] = []  # names in other scripts
        self._subjects = ArrayColumn("i4", -1)

    def add(self, rows: Sequence[int], entries: Sequence[Entry], n_rows: int) -> None:
        """Note the subjects of the entries in these rows."""
        self._subjects.grow(n_rows)
        subjects = (getattr(entry, "subject", None) for entry in entries)
        self._subjects[rows] = [self._code(one) if one else -1 for one in subjects]

    def remove(self, rows: Sequence[int]) -> None:
        """Forget these rows."""
        self._subjects[rows] = -1

    def _code(self, name: str) -> int:
        code = self._codes.get(name)
        if code is None:
            code = self._codes[name] = len(self._codes)
            if _ASCII.fullmatch(name):
                for word in _spoken(name):
                    self._called.setdefault(word, set()).add(name)
            else:
                self._others.append(name)
        return code

    def factors(self, scene: Scene) -> Floats | None:
        """The factor on each row's evidence, (n_rows,); None = nobody is meant. Cost: O(n_rows) for each person."""
        meant = self._meant(scene) if self._codes else {}
        if not meant:
            return None
        subjects = self._subjects.values
        factors = np.ones(len(subjects), dtype=np.float32)
        for name, gain in meant.items():
            factors[subjects == self._codes[name]] = 1.0 + gain
        return factors

    def without_names(self, text: str, among: Mask) -> str:
        """A text without the names of subjects of candidates in the mask; unchanged if too little is left.

        Names are matched exactly by `factors`; in a vector a name makes everything similar to memories about that person.
        Cost: O(n_rows) for each name in it.
        """
        if not self._codes:
            return text

        def spoken(word: re.Match[str]) -> str:
            names = self._called.get(word[1].casefold(), ())
            return "" if any(self._tells_of(name, among) for name in names) else word[0]

        rest = _CALLED.sub(spoken, text)
        for name in self._others:
            if name in rest and self._tells_of(name, among):
                rest = rest.replace(name, "")
        return " ".join(rest.split()) if rest != text and term_query(rest).mass >= LEFT else text

    def about(self, name: str) -> Mask:
        """The rows that are about this one, (n_rows,)."""
        about: Mask = self._subjects.values == self._codes.get(name, -2)
        return about

    def _tells_of(self, name: str, among: Mask) -> bool:
        """Whether the mask has a memory about this person."""
        return bool((among & (self._subjects.values == self._codes[name])).any())

    def _meant(self, scene: Scene) -> dict[str, float]:
        text = without_addressee(scene)
        said = frozenset(_WORD.findall(text.casefold()))
        latin = {name for word in said for name in self._called.get(word, ())}
        others = (name for name in self._others if named(name, text, said))
        meant = dict.fromkeys((*latin, *others), NAMED)
        if asks_of_you(scene.query) and (char := scene.names.get("char")) in self._codes:
            meant.setdefault(str(char), SPEAKING)
        if not _MYSELF.search(scene.query):
            return meant
        return {name: SPEAKING for name in (scene.user, *USER) if name in self._codes} | meant
