"""Static analysis of a pattern."""

from collections.abc import Iterable, Iterator

from rolememory.jsregex import sets
from rolememory.jsregex.escapes import paired
from rolememory.jsregex.nodes import (
    Alternation,
    Assertion,
    Backreference,
    CapturingGroup,
    CharacterSet,
    Concatenation,
    Lookaround,
    Node,
    Quantifier,
)

HEAVY = 10**9


def children(node: Node) -> tuple[Node, ...]:
    """The nodes inside, in order."""
    match node:
        case Concatenation(parts):
            return parts
        case Alternation(options):
            return options
        case CapturingGroup(body=body) | Lookaround(body=body) | Quantifier(body=body):
            return (body,)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """The node and its descendants."""
    yield node
    for child in children(node):
        yield from walk(child)


def nullable(node: Node) -> bool:
    """Whether it may match the empty text."""
    match node:
        case CharacterSet():
            return False
        case Concatenation(parts):
            return all(map(nullable, parts))
        case Alternation(options):
            return any(map(nullable, options))
        case CapturingGroup(body=body):
            return nullable(body)
        case Quantifier(body=body, least=least):
            return least == 0 or nullable(body)
        case _:
            return True


def widthless(node: Node) -> bool:
    """Whether it only matches the empty text."""
    match node:
        case CharacterSet() | Backreference():
            return False
        case Assertion() | Lookaround():
            return True
        case Quantifier(body=body, most=most):
            return most == 0 or widthless(body)
        case _:
            return all(map(widthless, children(node)))


def generous(node: Node) -> bool:
    """Whether every non-empty match is tried before the empty ones.

    JavaScript refuses an empty iteration of a loop and backtracks into the body; other engines leave the loop. A generous
    body has nothing left to try, so the two agree.
    """
    match node:
        case Alternation(options):
            return all(map(generous, options)) and not any(map(nullable, options[:-1]))
        case Quantifier(body=body, greedy=greedy):
            return generous(body) and (greedy or not nullable(node))
        case Lookaround():
            return True
        case _:
            return all(map(generous, children(node)))


def weight(node: Node) -> int:
    """Number of nodes with loops unrolled to their minimum; at most HEAVY."""
    inside = sum(map(weight, children(node)))
    if isinstance(node, Quantifier):
        inside *= max(node.least, 1)
    return min(inside + 1, HEAVY)


def splits_pairs(node: Node) -> bool:
    """Whether it may match one half of a surrogate pair (only used without the flag u)."""
    return nullable(node) or any(
        sets.overlaps(each.ranges, sets.SURROGATES)
        for each in walk(node)
        if isinstance(each, CharacterSet)
    )


def beyond_ascii(node: Node) -> bool:
    """Whether it needs Unicode case or properties: property classes, case-insensitive back references."""
    return any(
        (isinstance(each, CharacterSet) and bool(each.properties))
        or (isinstance(each, Backreference) and each.ignore_case)
        for each in walk(node)
    )


def never_set(tree: Node) -> frozenset[int]:
    """The ids of back references that only match the empty text: their group is open, comes later or is reset.

    JavaScript resets the groups of a loop's body at each iteration.
    """
    return frozenset(_never_set(tree, closed=set(), behind=False))


def _never_set(node: Node, closed: set[int], *, behind: bool) -> Iterator[int]:
    """Walk in matching order; adds groups that may be set from here on to `closed`."""
    match node:
        case Backreference(group=group):
            if group not in closed:
                yield id(node)
        case Alternation(options):
            before = set(closed)
            for option in options:
                own = set(before)
                yield from _never_set(option, own, behind=behind)
                closed |= own
        case Lookaround(body=body, ahead=ahead, negated=negated):
            inner = set(closed)
            yield from _never_set(body, inner, behind=not ahead)
            if not negated:
                closed |= inner
        case CapturingGroup(number=number, body=body):
            yield from _never_set(body, closed, behind=behind)
            closed.add(number)
        case Quantifier(body=body, least=0) if widthless(body):
            yield from _never_set(body, set(closed), behind=behind)
        case _:
            parts = children(node)
            for part in reversed(parts) if behind else parts:
                yield from _never_set(part, closed, behind=behind)


def required_literal(node: Node, *, lowered: bool) -> str | None:
    """The longest text that every match contains, or None; `lowered`: in the lower-cased text.

    Ties: the first.
    """
    runs = [
        run
        for run in map(paired, _runs(node, lowered))
        if run and _whole(run) and not (lowered and run != run.lower())
    ]
    return max(runs, key=len, default=None)


def _whole(run: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in run)


def _runs(node: Node, lowered: bool) -> list[str]:  # noqa: PLR0911 - a case for each kind of node
    """Texts that every match contains, in order; the first and last may extend into neighbours, "" marks a break."""
    match node:
        case CharacterSet():
            return [_letter(node, lowered)] if _letter(node, lowered) else ["", ""]
        case Assertion() | Lookaround():
            return []
        case Concatenation(parts):
            return _joined(_runs(part, lowered) for part in parts)
        case CapturingGroup(body=body):
            return _runs(body, lowered)
        case Quantifier(body=body, least=least, most=most) if least:
            inside = _runs(body, lowered)
            if not inside or least == most == 1:
                return inside
            return [
                inside[0],
                max(inside, key=len) if len(inside) > 1 else "",
                inside[-1],
            ]  # first iteration, any, last
        case _:
            return ["", ""]


def _joined(pieces: Iterable[list[str]]) -> list[str]:
    """The runs of a sequence: the last of each piece is joined with the first of the next."""
    runs: list[str] = []
    for piece in pieces:
        if runs and piece:
            runs[-1:] = [runs[-1] + piece[0]]
            runs.extend(piece[1:])
        else:
            runs.extend(piece)
    return runs


def _letter(node: CharacterSet, lowered: bool) -> str:
    """The only character of the set, or the common lower case of its members, else ""."""
    if node.only is not None and not lowered:
        return chr(node.only)
    if node.negated or node.properties or sum(high - low + 1 for low, high in node.ranges) > 4:
        return ""
    lower = {chr(code).lower() for low, high in node.ranges for code in range(low, high + 1)}
    return lower.pop() if lowered and len(lower) == 1 and len(next(iter(lower))) == 1 else ""
