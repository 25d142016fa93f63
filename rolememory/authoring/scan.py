"""A scan report for authors: what fires, in which pass, by which key and where, failed gates, cost."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rolememory.authoring.books import title
from rolememory.recall.lore.activation import Activation, Awake
from rolememory.recall.lore.index import Lore, LoreIndex
from rolememory.recall.lore.place import DEFAULT_DEPTH, home
from rolememory.recall.lore.rules import LoreRules
from rolememory.recall.lore.scan import scan
from rolememory.schema.evidence import Reason, Refusal
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.lorebook import Lorebook, LorePosition
from rolememory.schema.message import Message
from rolememory.schema.role import Character
from rolememory.schema.scene import Segment, Span
from rolememory.schema.settings import ScanSettings
from rolememory.schema.value_class import value_class

AROUND = 12  # characters shown on either side of a match
QUIET_GATES = frozenset({"key", "no_keys"})  # keys not found: the usual case, left out

Said = Message | JsonMapping | str


@value_class
class MatchPlace:
    """The position of the text that made an entry fire."""

    source: str  # message, recursion, description, ...
    message: int  # from 1; 0 = no message
    offset: int  # offset in the message, without the speaker's name; -1 = in the name itself
    match: str
    quote: str  # the match with context

    @property
    def in_message(self) -> bool:
        """Whether it is in a chat message."""
        return self.message > 0


@value_class
class Fired:
    """An entry in the prompt."""

    id: str  # among all books
    uid: str
    title: str
    in_pass: int  # from 1
    phase: str  # of that pass: initial, recursion, widening
    why: Reason
    place: MatchPlace | None
    woken_by: str  # title of the entry whose text has the key; empty = another source
    tokens: int
    target: str  # position of its text, e.g. "before", "depth 4 system"
    content: str


@value_class
class Silent:
    """An entry not in the prompt, and the failed gate."""

    id: str
    uid: str
    title: str
    refusal: Refusal


@value_class
class ScanReport:
    """The report of a scan. `silent` leaves out entries whose keys were not found, unless all were requested."""

    fired: tuple[Fired, ...]  # in the order of the scan
    silent: tuple[Silent, ...]
    quiet: int  # number of entries left out of `silent`
    budget: int  # tokens
    used: int
    overflowed: bool
    passes: int
    rolls: int
    messages: int
    notes: tuple[str, ...]


def look(
    books: Iterable[Lorebook],
    messages: Sequence[Said],
    *,
    settings: ScanSettings | None = None,
    everything: bool = False,
    card: Character | None = None,
    trigger: str = "normal",
    chance: Iterable[float] | int = 0,
) -> ScanReport:
    """Scan and report. `everything` also explains entries whose keys were not said. Cost: one scan, and some more per explained entry."""
    index = LoreIndex(books, settings)
    given = scan(index, messages, card=card, trigger=trigger, chance=chance)
    asleep = list(_asleep(index, given))
    told = [
        _with_remedy(one, given, index)
        for one in asleep
        if everything or one.refusal.gate not in QUIET_GATES
    ]
    return ScanReport(
        fired=tuple(_fired(one, given, index.rules) for one in given.awake),
        silent=tuple(told),
        quiet=len(asleep) - len(told),
        budget=given.budget,
        used=given.used,
        overflowed=given.overflowed,
        passes=len(given.passes),
        rolls=given.rolls,
        messages=len(messages),
        notes=given.notes,
    )


def _asleep(index: LoreIndex, given: Activation) -> Iterator[Silent]:
    for lore in index.entries:
        if refusal := given.explain(lore.id, remedy=False):
            yield Silent(
                lore.id, lore.entry.id, title(lore.entry), refusal_by_title(refusal, index)
            )


def _with_remedy(one: Silent, given: Activation, index: LoreIndex) -> Silent:
    """The refusal with its remedy; none if no key was found: the remedy is obvious."""
    if one.refusal.gate in QUIET_GATES:
        return one
    return replace(one, refusal=refusal_by_title(given.explain(one.id) or one.refusal, index))


def refusal_by_title(refusal: Refusal, index: LoreIndex) -> Refusal:
    """The refusal with entries named by title, except the entry itself."""
    titles = {lore.id: title(lore.entry) for lore in index.entries}
    told = tuple(
        (name, titles.get(str(value), value) if name == "winner" else value)
        for name, value in refusal.because.values
    )
    remedy = refusal.remedy
    if remedy is not None and remedy.entry_id == refusal.entry_id:
        remedy = replace(remedy, entry_id="")
    return replace(refusal, because=replace(refusal.because, values=told), remedy=remedy)


def _fired(one: Awake, given: Activation, rules: LoreRules) -> Fired:
    span = one.why.span
    return Fired(
        id=one.id,
        uid=one.entry.id,
        title=title(one.entry),
        in_pass=one.in_pass,
        phase=given.passes[one.in_pass - 1].turn.phase.value,
        why=one.why,
        place=place_of(span, given.segments) if span else None,
        woken_by=_woken_by(one, given)
        if span and given.segments[span.segment].source == "recursion"
        else "",
        tokens=one.tokens,
        target=target(one.lore, rules),
        content=one.content,
    )


def _woken_by(one: Awake, given: Activation) -> str:
    """The title of the entry whose text activated this one; a recursion block holds all texts of the previous pass."""
    span = one.why.span
    block = given.segments[span.segment].text if span else ""
    for other in given.awake:
        start = block.find(other.content) if other.in_pass < one.in_pass and other.content else -1
        if span and 0 <= start <= span.start < start + len(other.content):
            return title(other.entry)
    return ""


def place_of(span: Span, segments: Sequence[Segment]) -> MatchPlace:
    """A span as message number, offset and context."""
    segment = segments[span.segment]
    text = segment.text
    head = len(segment.name) + 2 if segment.name and text.startswith(f"{segment.name}: ") else 0
    said = head if span.start >= head else 0  # where the context may begin: the name is no context
    left = max(span.start - AROUND, said)
    right = span.end + AROUND
    return MatchPlace(
        source=segment.source,
        message=segment.index + 1,
        offset=max(span.start - head, -1),
        match=text[span.start : span.end],
        quote=("…" if left > said else "")
        + text[left:right].replace("\n", " ")
        + ("…" if right < len(text) else ""),
    )


def target(lore: Lore, rules: LoreRules) -> str:
    """The position of an entry's text: `before`, `depth 4 system`, `outlet sky`, ...; `nowhere` if it has none."""
    position = home(lore, rules)
    if position is LorePosition.DEPTH:
        return f"depth {_depth(lore)} {lore.asked.role or lore.entry.role}"
    if position is LorePosition.OUTLET and lore.entry.outlet:
        return f"outlet {lore.entry.outlet}"
    return position.value if position and position is not LorePosition.OUTLET else "nowhere"


def _depth(lore: Lore) -> int:
    """Messages from the end; negative from the beginning."""
    asked = lore.asked
    own = lore.entry.depth
    if asked.depth is None and asked.reverse_depth is not None:
        return -asked.reverse_depth
    return next(depth for depth in (asked.depth, own, DEFAULT_DEPTH) if depth is not None)
