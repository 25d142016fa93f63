"""What regex keys cost: hostile ones, and many ordinary ones. Prints one JSON object; `python -m tests.bench.patterns`."""

import json
from collections.abc import Callable
from statistics import median
from time import perf_counter

from rolememory.text.pattern import Pattern, PatternBudget, compile_pattern
from tests.text.hostile import HOSTILE

WORDS = "lamp harbour dragon storm beacon keeper crown river market winter captain letter garden mirror window".split()
TEXT = (
    "The keeper walked down to the harbour and looked at the river. Nobody knew where the letter had gone. "
    * 40
)[:4000]


def taken_ms(act: Callable[[], object]) -> float:
    """Wall time of one call, in milliseconds."""
    started = perf_counter()
    act()
    return (perf_counter() - started) * 1000


def each_hostile_ms() -> list[float]:
    """Each hostile pattern alone, in a turn of its own."""
    patterns = [(compile_pattern(key), text) for key, text in HOSTILE]
    return [
        taken_ms(lambda pattern=pattern, text=text: PatternBudget().search(pattern, text))
        for pattern, text in patterns
    ]


def thousand_hostile_ms() -> float:
    """A thousand different hostile patterns over one text, in one turn."""
    patterns = [compile_pattern(rf"/(?=(a+)+b{number}\d)a/") for number in range(1000)]
    budget = PatternBudget()
    return taken_ms(lambda: [budget.search(pattern, "a" * 4000 + "b!") for pattern in patterns])


def ordinary(count: int) -> list[Pattern]:
    """Patterns as authors write them; most name something that is not in the text."""
    kinds = (r"/\b{}s?\b/i", r"/{}|{}x/", r"/(?<!the ){}/", r"/{}\w*ing/i", r"/^.*{}.*$/m")
    return [
        compile_pattern(
            kinds[number % len(kinds)].format(f"{WORDS[number % len(WORDS)]}{number}", number)
        )
        for number in range(count)
    ]


def compile_ms(count: int) -> float:
    """So many patterns compiled, none of them seen before."""
    return taken_ms(
        lambda: [compile_pattern(rf"/\b(?:night|day){number}\w+\b/i") for number in range(count)]
    )


def main() -> None:
    """Measure and print."""
    hostile = each_hostile_ms()
    patterns = ordinary(500)
    turns = [
        taken_ms(lambda: [PatternBudget().search(pattern, TEXT) for pattern in patterns])
        for _ in range(5)
    ]
    slowest = max(range(len(hostile)), key=hostile.__getitem__)
    print(
        json.dumps(
            {
                "hostile_patterns": len(hostile),
                "hostile_each_max_ms": round(max(hostile), 1),
                "hostile_each_median_ms": round(median(hostile), 1),
                "hostile_slowest": HOSTILE[slowest][0],
                "hostile_1000_in_one_turn_ms": round(thousand_hostile_ms(), 1),
                "ordinary_500_over_4000_characters_ms": round(median(turns), 2),
                "compile_500_ms": round(compile_ms(500), 1),
            }
        )
    )


if __name__ == "__main__":
    main()
