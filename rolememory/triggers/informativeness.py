"""How informative a line is: statements count more than questions or greetings; for a "when", lines that name a time."""

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import compress

from rolememory.schema.entry import Entry
from rolememory.schema.memory import Memory
from rolememory.shipped import lexicon
from rolememory.text.arrays import Floats, Rows, np
from rolememory.text.dates import Tell
from rolememory.text.late_pattern import late_pattern
from rolememory.text.noise import noise
from rolememory.triggers.base import Derive
from rolememory.triggers.dates import times_in
from rolememory.triggers.table import Table

ASKING = 0.6  # of its evidence that a line loses which only asks
QUIET = 0.2  # what evidence counts of a line that says nothing ...
QUIET_FROM = 1.8  # ... beyond so many nats: enough to come, after those that say something
DATED = 0.25  # of its evidence that a line with a time gains where somebody asks when
LOOKED_AT = 60  # best lines in which a time is looked for

_ASKED = late_pattern(r"(?<![^.!?。！？…\n])[^.!?。！？…\n]*[?？]+")  # from where a sentence begins
_ENDS = ".!?。！？…\n,，;；"
_ASKING_CLAUSE = late_pattern(  # the last clause; with the one before it, where it is a name or a tag
    rf"(?<![^{_ENDS}])[^{_ENDS}]*(?:[,，;；](?:[^{_ENDS}⺀-鿿]{{0,12}}|[^{_ENDS}]{{0,4}}))?[?？]+"
)


def _answers(entry: Entry) -> bool:
    return isinstance(entry, Memory) and any(one.answers for one in entry.evidence)


def _own(entry: Entry) -> str:
    """The text of an entry without the name of its subject."""
    subject = entry.subject if isinstance(entry, Memory) else None
    return entry.content.replace(subject, "") if subject else entry.content


def _tells(text: str) -> bool:
    return noise(text) < 1.0


def asked_share(text: str) -> float:
    """The share of a text that is a question, 0..1: of a sentence only the last clause, since earlier ones mostly state something.

    >>> asked_share("Nice. Where is it?"), asked_share("It is here."), asked_share("在哪？")
    (0.72, 0.0, 1.0)
    >>> asked_share("I sold the boat on May 3, can you help me find another?"), asked_share("Where is it, Lin?")
    (0.55, 1.0)
    """
    if "?" not in text and "？" not in text:
        return 0.0
    return round(sum(map(len, _ASKING_CLAUSE.findall(text))) / len(text), 2)


@lru_cache(maxsize=2048)
def telling(text: str) -> str:
    """A text without the clauses that ask.

    >>> telling("The beacon failed. Why is it dark?"), telling("I sold the boat, can you help me?"), telling("在哪？")
    ('The beacon failed.', 'I sold the boat,', '')
    """
    return _ASKING_CLAUSE.sub("", text) if "?" in text or "？" in text else text


def questions(text: str) -> str:
    """The sentences of a text that ask, as one text.

    >>> questions("You miss him, don't you? I lost my brother too.")
    "You miss him, don't you?"
    """
    if "?" not in text and "？" not in text:
        return ""
    return " ".join(one.strip() for one in _ASKED.findall(text))


@lru_cache(maxsize=256)
def asks_when(query: str) -> bool:
    """Whether a message asks for a time.

    >>> asks_when("When did we meet?"), asks_when("他是哪年出道的？"), asks_when("I smile when you sing.")
    (True, True, False)
    """
    return _phrases("when").search(query.lower()) is not None


@lru_cache(maxsize=256)
def asks_for_questions(query: str) -> bool:
    """Whether a message is about what somebody asked, so that questions answer it.

    >>> asks_for_questions("What did I ask you before?"), asks_for_questions("我之前问过什么 Python 问题？")
    (True, True)
    >>> asks_for_questions("May I ask where she lives?"), asks_for_questions("请问她住在哪里？")
    (False, False)
    """
    return _phrases("questions").search(query.lower()) is not None


@cache
def _phrases(name: str) -> re.Pattern[str]:
    rows = lexicon("asking")[name]
    return re.compile("|".join([*rows["en"], *rows["zh"]]))


class Informativeness:
    """The informativeness of each row. Cost: `add` O(length of the text)."""

    def __init__(self, table: Table, tell: Tell, derive: Derive) -> None:
        self._table, self._tell, self._derive = table, tell, derive
        self._known: tuple[Rows, Rows] | None = None  # as in `_lesser`

    def add(self, rows: Sequence[int]) -> None:
        """Read the entries in these rows, unless already read."""
        table = self._table
        rows = list(compress(rows, (~table.told[rows]).tolist()))
        entries = table.entries(rows)
        tells = self._derive("tells", [_own(entry) for entry in entries], _tells)
        table.says[rows] = [
            says or _answers(entry) for says, entry in zip(tells, entries, strict=True)
        ]
        table.asks[rows] = [asked_share(entry.content) for entry in entries]
        table.told[rows] = True  # last: others may be reading
        self._known = None

    def answering(self, evidence: Floats, query: str, entry: Callable[[int], Entry]) -> Floats:
        """The evidence weighted by informativeness, and raised for dated lines if a time is asked for; (n_rows,).

        Cost: O(rows that ask or say nothing), one copy; times are searched in at most `LOOKED_AT` texts.
        """
        asking, silent = self._lesser()
        told = evidence.copy()
        if not asks_for_questions(query):
            told[asking] *= np.float32(1.0) - np.float32(ASKING) * self._table.asks[asking]
        beyond = np.maximum(told[silent] - np.float32(QUIET_FROM), 0.0)
        told[silent] -= np.float32(1.0 - QUIET) * beyond
        if asks_when(query):
            dated = [row for row in _best(told) if any(times_in(entry(row), self._tell))]
            told[dated] *= np.float32(1.0 + DATED)
        return told

    def _lesser(self) -> tuple[Rows, Rows]:
        """The rows that ask, and those that say nothing; found out again after a change."""
        if self._known is None:
            asks, says = self._table.asks.values, self._table.says.values
            self._known = (asks > 0.0).nonzero()[0], (says == 0.0).nonzero()[0]
        return self._known


def _best(evidence: Floats) -> Sequence[int]:
    """The rows with the most evidence; ties: lower rows first."""
    rows = (evidence > 0.0).nonzero()[0]
    if len(rows) > LOOKED_AT:
        rows = rows[(-evidence[rows]).argsort(kind="stable")[:LOOKED_AT]]
    best: list[int] = rows.tolist()
    return best
