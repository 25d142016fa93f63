"""A sentence as clauses.

Conditions, questions, wishes, what others think and relative clauses are read, so that nothing of them is taken for a fact.
"""

from functools import cache
from typing import Final

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_leads import NOMINATIVE, Lead, follow
from rolememory.learn.statements.english_people import Found, gender_of, subject
from rolememory.learn.statements.english_scene import OWNERS, Scene
from rolememory.learn.statements.english_verbs import UNSURE, Group, group_at
from rolememory.learn.statements.english_words import Words, lexicon, listed, union

_HARD: Final = frozenset(";:—–()…/-|•=+~[]{}")
_CAUSES: Final = frozenset({"because", "cause", "though", "although", "whereas"})
_JOINS: Final = _CAUSES | {"and", "but", "so", "yet", "plus", "while", "as", "since", "then"}
_LOOSE_JOINS: Final = frozenset(
    {"as", "since", "then", "so", "while"}
)  # adverbs and prepositions as well
_NO_BOUNDS: Final = frozenset({"or", "than", "like", "how", "nor"})
_GOVERNING: Final = frozenset(
    "want need try go come plan hope learn use start stop let make help prefer mean promise swear intend decide".split()
)
PROMISING: Final = frozenset({"promise", "swear", "vow"})
_TELLING: Final = PROMISING | {"tell", "remind", "assure"}
_TOLD: Final = frozenset({"you", "to", "him", "her", "them", "myself"})
_TAGS: Final = frozenset(
    {
        "remember",
        "okay",
        "ok",
        "yeah",
        "see",
        "you know",
        "got it",
        "get it",
        "you see",
        "you hear",
        "understand",
        "understood",
        "deal",
    }
)
_ASKING: Final = frozenset(
    "what how who why when where which do does did are is am can could will would have has shall should".split()
)
_POINTING: Final = frozenset(
    {
        "you",
        "it",
        "this",
        "there",
        "that",
        "these",
        "everyone",
        "everybody",
        "people",
        "nobody",
        "most",
        "someone",
        "those",
    }
)
_FINITE: Final = frozenset("is was are were has had will does did can would could 's".split())
_SAYS_MORE: Final = frozenset({"am", "live", "work", "have", "was", "love", "like", "study"})


def clauses_of(words: Words, scene: Scene) -> list[Clause]:
    """The clauses of one sentence, in order."""
    found: list[Clause] = []
    end = _without_stop(words)
    lead = follow(words, Lead(0, opening=True), end, scene)
    while lead.at < end:
        clause = _clause(words, lead, end, scene, found[-1] if found else None)
        clause.end, onward = _boundary(clause, end)
        found.append(clause)
        lead = follow(words, onward if onward.at > clause.first else Lead(end), end, scene)
    _judge(found)
    if any(word.low == "?" for word in words[end:]):
        _question(found, words, end)
    return found


def _without_stop(words: Words) -> int:
    end = len(words)
    while end and words[end - 1].low in (".", "!", "?", "…", ","):
        end -= 1
    return end


def _clause(words: Words, lead: Lead, end: int, scene: Scene, before: Clause | None) -> Clause:
    clause = Clause(
        scene,
        words,
        lead.at,
        lead.at,
        end,
        link=lead.link,
        certainty=lead.certainty * scene.certainty,
        corrects=lead.corrects,
    )
    shared = Found(before.who, lead.at) if lead.link == "&" and before else None
    found = shared or subject(words, lead.at, end, scene)
    group = group_at(words, found.end, end) if found else None
    clause.time = lead.time
    if found and group and (shared or not _bare_base(found, group)):
        clause.who, clause.group, clause.at, clause.company = (
            found.who,
            group,
            group.end,
            found.company,
        )
        clause.we = words[lead.at].low == "we" or found.company is not None
        clause.certainty *= group.certainty * (0.9 if words[lead.at].low == "we" else 1.0)
        clause.corrects |= any(word.low == "actually" for word in words[found.end : group.end])
        everybody = words.lows[lead.at : lead.at + 2] in (["we", "all"], ["you", "all"])
        clause.asserted = not everybody and not (
            lead.backshift and group.tense in ("past", "former")
        )
        if found.who.person == "third":
            scene.meet(
                words[lead.at].start,
                found.who,
                gender_of(found.who.owned.about) if found.who.owned else "",
            )
    return clause


def _bare_base(found: Found, group: Group) -> bool:
    """A single third with a bare verb is no statement: "Mei come here"."""
    if found.who.person != "third" or found.who.plural or found.company:
        return False
    bare = all(part in ("main", "adverb") for part, _ in group.said)
    return bare and group.tense == "present" and group.lemma != "have" and not group.third


def _boundary(clause: Clause, end: int) -> tuple[int, Lead]:
    """Where the clause ends, and what leads to the next one."""
    if inner := _inner(clause, end):
        return inner
    lows, bounds = clause.words.lows, _bounds()
    run_on = "," not in lows and ";" not in lows
    for at in range(max(clause.at, clause.first + clause.fragment), end):
        if lows[at] not in bounds:
            continue
        lead = (
            _mark(clause, at, end)
            or _join(clause, at, end)
            or _bound(clause, at, end)
            or _new_subject(clause, at, run_on=run_on)
        )
        if lead:
            return at, lead
    return end, Lead(end)


@cache
def _bounds() -> frozenset[str]:
    """The words and marks at which a clause may end."""
    return union("subordinate") | _HARD | _JOINS | NOMINATIVE | {",", "my", "you"}


def _mark(clause: Clause, at: int, end: int) -> Lead | None:
    """A mark that ends a clause; a comma only before a new one."""
    words, low = clause.words, clause.words[at].low
    if low in _HARD:
        joined = (
            low in "/-:"
            and 0 < at < end - 1
            and words[at - 1].end == words[at].start
            and words[at].end == words[at + 1].start
        )
        return None if joined else Lead(at + 1)
    if low != ",":
        return None
    if _starts(clause, at + 1, end):
        return Lead(at + 1)
    return Lead(at + 1, link="&") if clause.scene.told and _shares(clause, at + 1, end) else None


def _join(clause: Clause, at: int, end: int) -> Lead | None:
    """As in "and", "because": with a new subject, or a second verb of the same one."""
    low = clause.words[at].low
    if low not in _JOINS:
        return None
    if low in _CAUSES or _starts(clause, at + 1, end, strict=low in _LOOSE_JOINS):
        return Lead(at + 1)
    return (
        Lead(at + 1, link="&") if low in ("and", "but") and _shares(clause, at + 1, end) else None
    )


def _bound(clause: Clause, at: int, end: int) -> Lead | None:
    """As in "if", "which"; "before" and "after" only where a clause follows."""
    low = clause.words[at].low
    if (
        not listed("subordinate", low)
        or low in _NO_BOUNDS
        or (low in ("before", "after") and not _starts(clause, at + 1, end))
    ):
        return None
    return Lead(at + 1, link=low)


def _new_subject(clause: Clause, at: int, *, run_on: bool) -> Lead | None:
    """A subject without a conjunction: a relative clause, or the next sentence of somebody who writes no marks."""
    words, low = clause.words, clause.words[at].low
    if (
        low in NOMINATIVE
        and at > clause.first
        and "/" not in (words[at - 1].low, words[min(at + 1, len(words) - 1)].low)
    ):
        spoken_of = words[at - 1].low in lexicon().verbs  # "I was told I have"
        follows = (
            run_on
            and not clause.fragment
            and not spoken_of
            and low == "i"
            and at + 1 < len(words)
            and words[at + 1].low in _SAYS_MORE
        )
        return Lead(at, link="" if clause.link or follows else "that")
    if (
        low == "my"
        and run_on
        and not clause.fragment
        and [word.low for word in words[at + 1 : at + 3]] in (["name", "is"], ["name", "'s"])
    ):
        return Lead(at)
    if (
        low == "you"
        and at > clause.at
        and words[at - 1].low != "and"
        and not listed("prepositions", words[at - 1].low)
    ):
        return Lead(at, link="that") if _verb_follows(words, at + 1, clause.end) else None
    return None


def _inner(clause: Clause, end: int) -> tuple[int, Lead] | None:
    """As in "I think (that) I'm allergic": the second clause depends on the first."""
    lemma, words, at = clause.lemma, clause.words, clause.at
    if not (lemma in PROMISING or listed("thinking", lemma) or listed("not_asserted", lemma)):
        return None
    if lemma in PROMISING and at < end and words[at].low == "on" and "i" in words.lows[at : at + 7]:
        at = words.lows.index("i", at)
    if lemma in _TELLING and at < end and words[at].low in _TOLD:
        at += not _verb_follows(words, at + 1, end) or words[at].low == "to"
        at += at < end and words[at].low == "god"
    behind = at + (at < end and words[at].low in ("that", "like"))
    if behind >= end or words[behind].low == "how" or not _starts(clause, behind, end):
        return None
    return at, _depending(clause, behind)


def _depending(clause: Clause, at: int) -> Lead:
    group, free = clause.group, clause.asserted and not listed("subordinate", clause.link)
    if group.lemma in PROMISING and group.tense != "unreal" and not group.negated and free:
        return Lead(at, link="promise")
    if (
        clause.who is clause.scene.me
        and free
        and listed("thinking", group.lemma)
        and (group.tense in ("present", "progressive") or group.lemma == "hear")
    ):
        return Lead(at, link="doubt" if group.negated else "think", certainty=UNSURE)
    return Lead(at, link="that")


def _starts(clause: Clause, at: int, end: int, *, strict: bool = False) -> bool:
    """Whether a clause with a subject of its own begins here."""
    words = clause.words
    while at < end and (
        (not words[at].capital and words[at].low in _passed_by()) or _called_out(clause, at, end)
    ):
        at += 1
    if at >= end:
        return False
    low = words[at].low
    if low in NOMINATIVE:
        return True
    if listed("subordinate", low) and low not in _NO_BOUNDS:
        return not strict
    if low in _POINTING:
        return _verb_follows(words, at + 1, end)
    named = (
        words[at].capital
        or low in OWNERS
        or low in ("my", "your", "our", "the", "me")
        or listed("kin_bare", low)
    )
    return named and _noun_then_verb(clause, at, end)


@cache
def _passed_by() -> frozenset[str]:
    return union("openers", "hedges") | {"that", ","}


def _called_out(clause: Clause, at: int, end: int) -> bool:
    """As in "I promise you, Lin, I will"."""
    return (
        clause.words.lows[at] in clause.scene.names
        and at + 1 < end
        and clause.words.lows[at + 1] == "," == clause.words.lows[at - 1]
    )


def _verb_follows(words: Words, at: int, end: int) -> bool:
    return at < end and words[at].low in _verb_starts() and group_at(words, at, end) is not None


@cache
def _verb_starts() -> frozenset[str]:
    return union("verb_starts", "adverbs") | lexicon().verbs.keys()


def _noun_then_verb(clause: Clause, at: int, end: int) -> bool:
    """As in "my sister is", "the weather was", "Mei works": a short noun phrase and a finite verb."""
    words = clause.words
    found = subject(words, at, end, clause.scene)
    if found and group_at(words, found.end, end):
        return True
    for place in range(at + 1, min(at + 6, end)):
        low = words[place].low
        if low == "'s":
            if place + 1 < end and words[place + 1].low in (
                "a",
                "the",
                "not",
                "called",
                "named",
                "my",
            ):
                return True
        elif low in _FINITE:
            return True
        elif not low[0].isalpha():
            return False
    return False


def _shares(clause: Clause, at: int, end: int) -> bool:
    """Whether a second verb of the same subject stands here: "I live in Rome and work as a nurse"."""
    group, words = clause.group, clause.words
    if clause.fragment and clause.scene.told:
        group = group_at(words, clause.first, end) or group
    if group.tense == "former" and "now" in words.lows[at : at + 2]:
        group = Group("be", "present")
    if (
        not group.lemma
        or group.tense not in ("present", "past", "perfect", "progressive")
        or group.lemma in _GOVERNING
    ):
        return False
    if not _verb_follows(words, at, end):
        return False
    second = group_at(words, at, end)
    if (
        second is None
        or second.lemma in ("go", "come", group.lemma)
        or not _object_follows(words, second.end, end)
    ):
        return False
    return second.tense == group.tense or not {"past", "future", "can", "unreal", "former"} & {
        second.tense,
        group.tense,
    }


def _object_follows(words: Words, at: int, end: int) -> bool:
    return (
        at < end
        and words[at].low[0].isalnum()
        and words[at].low not in ("and", "or")
        and not listed("tails", words[at].low)
    )


def _judge(clauses: list[Clause]) -> None:
    """Which of them are said as true."""
    hypothetical = False
    promised = any(_only_promises(clause) for clause in clauses)
    for place, clause in enumerate(clauses):
        before = clauses[place - 1] if place else None
        behind = clauses[place + 1].link if place + 1 < len(clauses) else ""
        hypothetical = (hypothetical and clause.link != "but") or listed(
            "hypothetical", clause.link
        )
        if (
            hypothetical
            or listed("subordinate", clause.link)
            or (before and _hangs_on(clause, before))
        ):
            clause.asserted = False
        clause.denied = clause.link == "doubt"
        clause.conditional = listed("hypothetical", behind)
        clause.promised = clause.link == "promise" or promised


def _hangs_on(clause: Clause, before: Clause) -> bool:
    """Whether it shares the fate of a clause that is not asserted, or promises for somebody else."""
    if clause.link == "&":
        return not before.asserted
    return clause.link == "promise" and (
        not before.asserted
        or (
            clause.who is not before.who
            and clause.lemma != ""
            and clause.tense in ("future", "unreal")
        )
    )


def _only_promises(clause: Clause) -> bool:
    return (
        clause.lemma in PROMISING
        and not clause.group.negated
        and clause.at >= clause.end
        and clause.who is clause.scene.me
    )


def _question(clauses: list[Clause], words: Words, end: int) -> None:
    """A question claims nothing, unless it only hangs on: "I'm a doctor, remember?", "I live in Rome, and you?"."""
    if not clauses or _tagged(words, end, mine=clauses[0].who is clauses[0].scene.me):
        return
    last = clauses[-1]
    tail = " ".join(word.low for word in words[last.first : end])
    asks = last.fragment and (
        tail in _TAGS or words[last.first].low in _ASKING or tail in ("you", "yours", "about you")
    )
    asks |= (
        last.link in _ASKING
        and last.first > 1
        and words[last.first - 2].low in (",", "and", "but", "so", ".")
    )
    for clause in clauses[-1:] if asks and len(clauses) > 1 else clauses:
        clause.asserted = False


def _tagged(words: Words, end: int, *, mine: bool) -> bool:
    """Whether only a tag asks: "..., remember?", or another question: "..., can you believe it?", "I do, do you?"; not "..., don't you?"."""
    comma = max((at for at in range(end) if words.lows[at] == ","), default=-1)
    tail = words.lows[comma + 1 : end]
    return comma >= 0 and (
        " ".join(tail) in _TAGS
        or (len(tail) > 3 and tail[0] in _ASKING)
        or (mine and tail[:1] != [] and tail[0] in _ASKING and tail[1:] == ["you"])
    )
