"""How well outdated facts are told from look-alikes, and what it costs. Prints one JSON object; `python -m tests.bench.contradictions`.

The pairs of tests/learn/contradictions.{en,zh}.json are judged three times: `words`: the sentences as facts in which no rule reads
a claim; `claims`: only what the rules of learning read in them; `all`: as learning does it, claims where there are any and the
sentence itself where there are none. The development half (even lines) may be looked at; the other half is for measuring.
Two further sets were written once the rules stood, measured, and only then looked at: contradictions_fresh, contradictions_last.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Literal

from rolememory.learn.reconcile import Known, reconcile
from rolememory.learn.reconcile.by_words import clash, restates
from rolememory.learn.reconcile.reading import read
from rolememory.learn.reconcile.told import memory_of
from rolememory.learn.statements import Speaker, claims, claims_of_memory
from rolememory.schema.claims import ATTRIBUTES, ROLE, USER
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.memory import Evidence, Memory, MemoryType, Source
from tests.builders import on_day

FOLDER = Path(__file__).parent.parent / "learn"
PARTS = ("development", "held_out", "fresh", "last")
Row = tuple[str, str, str, str]  # what was said, what is said later, who speaks, label
Label = Literal["contradicts", "same", "unrelated"]
Judge = Callable[[Row], str]


def rows(language: str, part: str = "development") -> list[Row]:
    """The pairs of a language: of "development" (even lines), "held_out" (odd lines), or a set written later: "fresh", "last"."""
    half = {"development": 0, "held_out": 1}.get(part)
    name = "contradictions" if half is not None else f"contradictions_{part}"
    listed: list[Row] = [
        tuple(row)
        for row in json.loads((FOLDER / f"{name}.{language}.json").read_text(encoding="utf-8"))
    ]
    return listed[half or 0 :: 1 if half is None else 2]


def by_words(row: Row) -> str:
    """What words alone say."""
    old, new = read(row[0]), read(row[1])
    return "contradicts" if clash(old, new) else "same" if restates(old, new) else "unrelated"


def by_claims(row: Row) -> str:
    """What is made of the claims that rules read."""
    return _learned(row, stated)


def by_all(row: Row) -> str:
    """What learning makes of the two sentences."""
    return _learned(
        row, lambda text, speaker, day: stated(text, speaker, day) or [fact(text, speaker, day)]
    )


def stated(text: str, speaker: str, day: int) -> list[Draft]:
    """A draft for each claim in a sentence."""
    me, you = (USER, ROLE) if speaker == "user" else (ROLE, USER)
    source = Source.USER_INPUT if speaker == "user" else Source.SUMMARY
    return [
        Draft(
            claim.content,
            ATTRIBUTES[claim.attribute].kind,
            source,
            (Evidence(chat="chat", version=f"v{day}", quote=claim.quote),),
            Reason("stated", (("attribute", claim.attribute),)),
            subject=claim.subject or None,
            created=on_day(day),
            claims=(claim,),
        )
        for claim in claims(text, Speaker(me, you, {}, {}))
    ]


def fact(text: str, speaker: str, day: int) -> Draft:
    """The sentence itself as a fact."""
    subject = USER if speaker == "user" else None
    evidence = (Evidence(chat="chat", version=f"v{day}", quote=text),)
    return Draft(
        text,
        MemoryType.SEMANTIC,
        Source.USER_INPUT,
        evidence,
        Reason("raw"),
        subject=subject,
        created=on_day(day),
    )


def _learned(row: Row, drafts: Callable[[str, str, int], list[Draft]]) -> str:
    old, new, speaker, _ = row
    before = drafts(old, speaker, 1)
    known = Known(
        {f"old{place}": memory_of(draft, f"old{place}") for place, draft in enumerate(before)}
    )
    verdicts = reconcile(drafts(new, speaker, 2), known)
    met = [
        verdict.action
        for verdict in verdicts
        if any(other.startswith("old") for other in verdict.others)
    ]
    return "contradicts" if "supersede" in met else "same" if "merge" in met else "unrelated"


def scores(listed: Iterable[Row], judge: Judge) -> dict[str, object]:
    """Precision, recall and F1 of telling contradictions and restatements; `lost`: true facts taken for outdated."""
    counted = Counter((row[3], judge(row)) for row in listed)
    lost = counted["unrelated", "contradicts"] + counted["unrelated", "same"]
    return {name: _score(counted, name) for name in ("contradicts", "same")} | {
        "lost": lost,
        "pairs": counted.total(),
    }


def _score(counted: Counter[tuple[str, str]], name: str) -> dict[str, float]:
    right = counted[name, name]
    found = sum(count for (_, given), count in counted.items() if given == name)
    wanted = sum(count for (label, _), count in counted.items() if label == name)
    precision, recall = right / max(found, 1), right / max(wanted, 1)
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return {"precision": round(precision, 3), "recall": round(recall, 3), "f1": round(f1, 3)}


ONSETS = (
    "bra cel dor fim gal hin jor kel lum mor nas pel qui ros sil tam ulm ver wex yor zan".split()
)
CODAS = "ba dden fer gon lin mer nor pa ric sen tor va wick zel do".split()
HAN = "云山石江林雪风竹松梅岩溪月光星海沙河桥塔钟镜琴笛船灯扇伞砚鹤鹿龟狐雁鸥莲荷菊兰桃杏柳枫槐桐瓷陶绸帛盐醋蜜酱斧锯锤犁毡毯帘席窑坊巷渡"
MIDDLES = "a e i o ala eme iri ono ava eve ize oro ul ad im or et ick ost and".split()
WORDS = [f"{first}{middle}{last}" for last in CODAS for middle in MIDDLES for first in ONSETS]
HAN_WORDS = [first + last for last in HAN for first in HAN if first != last]
ENGLISH = (
    "{0} likes {1} and {2}.",
    "{0} lives in {1}.",
    "{0} met {1} in {2}, long before the {3}.",
    "{0} has a friend called {1} who collects {2}.",
    "{0} is afraid of {1} since {2}.",
    "{0} plans to go to {1} with {2} on Friday.",
    "{0} told {1} a story about {2} and {3}.",
    "{0} keeps a {1} in the {2}.",
    "{0} thinks that {1} is a good name for a {2}.",
    "{0} dreams of a {1} by the {2}.",
)
CHINESE = (
    "{0}喜欢{1}和{2}。",
    "{0}住在{1}。",
    "{0}在{1}遇见了{2}，那时还没有{3}。",
    "{0}有个朋友叫{1}，收集{2}。",
    "{0}从{2}起就怕{1}。",
    "{0}打算周五和{1}去{2}。",
    "{0}给{1}讲了{2}和{3}的故事。",
    "{0}把{1}放在{2}里。",
    "{0}觉得{1}是{2}的好名字。",
    "{0}梦想在{2}边有一座{1}。",
)


def crowd(count: int, seed: int = 7) -> dict[str, Memory]:
    """So many memories as long chats leave them, a third Chinese; two thirds about the user, the rest about the role.

    The words are made up; how often each is used follows Zipf's law, as in speech.
    """
    chance = random.Random(seed)
    return {f"m{number}": _made_up(f"m{number}", number, chance) for number in range(count)}


def _made_up(memory_id: str, number: int, chance: random.Random) -> Memory:
    chinese = number % 3 == 0
    words = HAN_WORDS if chinese else WORDS
    subject = None if number % 3 == 1 else USER
    shown = ("用户" if chinese else "The user") if subject else "Mira"
    content = chance.choice(CHINESE if chinese else ENGLISH).format(
        shown, *(_drawn(words, chance) for _ in range(3))
    )
    kind = (
        MemoryType.EPISODIC
        if any(sign in content for sign in (" met ", " told ", "遇见", "讲了"))
        else MemoryType.SEMANTIC
    )
    evidence = (Evidence(chat="c", version=f"v{number}"),)
    return Memory(
        id=memory_id,
        content=content,
        type=kind,
        source=Source.USER_INPUT,
        subject=subject,
        created=on_day(number / 100),
        evidence=evidence,
    )


def _drawn(words: Sequence[str], chance: random.Random) -> str:
    """A word, the second half as often as the first, and so on."""
    return words[int(len(words) ** chance.random()) - 1]


def drafts(count: int, seed: int = 11) -> list[Draft]:
    """So many facts of the same kind, told later, a third of them denials."""
    made = [one for one in crowd(2 * count, seed).values() if one.subject == USER][:count]
    denied = (
        one.content.replace("likes", "no longer likes").replace("喜欢", "不再喜欢") for one in made
    )
    return [_with_claims(fact(text, "user", 1000 + place)) for place, text in enumerate(denied)]


def _with_claims(draft: Draft) -> Draft:
    """As the rules hand it over: they have read its claims."""
    return replace(draft, claims=tuple(claims_of_memory(memory_of(draft, "draft"))))


def cost(count: int) -> dict[str, float]:
    """What it costs to know so many memories, and to judge a draft among them, in milliseconds."""
    memories, later = crowd(count), drafts(300)
    started = process_time()
    reconcile(later[:2], Known(crowd(2)))
    loaded = process_time() - started
    started = process_time()
    known = Known(memories)
    reconcile(later[:1], known)
    built = process_time() - started
    first = sorted(_timed(draft, known) for draft in later)
    again = sorted(_timed(draft, known) for draft in later)
    moved = dict(memories)
    started = process_time()
    known.follow(moved)
    followed = process_time() - started
    return {
        "memories": count,
        "load_lexicons_ms": round(loaded * 1000, 1),
        "build_ms": round(built * 1000, 1),
        "draft_first_time_median_ms": round(first[len(first) // 2] * 1000, 3),
        "draft_median_ms": round(again[len(again) // 2] * 1000, 3),
        "draft_p95_ms": round(again[int(len(again) * 0.95)] * 1000, 3),
        "follow_unchanged_ms": round(followed * 1000, 2),
    }


def _timed(draft: Draft, known: Known) -> float:
    started = process_time()
    reconcile([draft], known)
    return process_time() - started


def measured(
    judges: Sequence[tuple[str, Judge]], languages: Sequence[str] = ("en", "zh")
) -> dict[str, object]:
    """All scores, by language, part and judge."""
    return {
        language: {
            part: {name: scores(rows(language, part), judge) for name, judge in judges}
            for part in PARTS
        }
        for language in languages
    }


def main() -> None:
    """Measure and print."""
    judges = (("words", by_words), ("claims", by_claims), ("all", by_all))
    print(json.dumps({**measured(judges), "cost": cost(10_000)}, indent=1))


if __name__ == "__main__":
    main()
