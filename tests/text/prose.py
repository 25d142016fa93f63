"""Role-play prose for tests: pieces that messages are made of, both languages, and a counted bound on cost."""

from collections.abc import Callable
from time import process_time

from hypothesis import strategies as st

PIECES = (
    "The beacon is dark. Dr. Lin knows. It cost 3.50, or so he says. He said “Go!” and left. | "
    '*The innkeeper grumbles* | "I have three daughters" | ((ooc: brb, the kettle)) | (OOC: sorry) | // later | '
    "灯塔灭了。| 掌柜嘀咕道：| “我有三个女儿。” | （她低下头，沉默了很久） | 我……我不知道！ | 「走吧。」 | 【ooc】等我一下【/ooc】 | "
    "hi there | \n | \n\n | , and then the rain came over the harbour | ，雨一直下到半夜 | 1. Bread | "
    + "x" * 150
    + " | "
    + "雨" * 90
    + ' | * | " | “ | ( | （（ | ... | 。'
).split(" | ")

PROSE = st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=24).map(" ".join) | (
    st.lists(st.sampled_from(PIECES), max_size=24).map("".join)
)


def growth(work: Callable[[str], object], text: str, short: str = "") -> float:
    """How much more CPU a character costs in the whole text than in an eighth of it, its first unless another is given: about 1 where
    the cost is linear, 8 where it is quadratic."""
    short = short or text[: len(text) // 8]
    return dearer(lambda: work(text), lambda: work(short)) / 8


def dearer(large: Callable[[], object], small: Callable[[], object]) -> float:
    """How many times the CPU of the small work the large one costs. They are measured in turn, the best of five each, so that other
    work on the machine weighs on both."""

    def once(work: Callable[[], object]) -> float:
        began = process_time()
        work()
        return process_time() - began

    costs = [(once(large), once(small)) for _ in range(5)]
    return min(cost for cost, _ in costs) / max(min(cost for _, cost in costs), 1e-4)
