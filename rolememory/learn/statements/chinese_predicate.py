"""What a predicate claims of whom it is about: rules, aspect and person come together here."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rolememory.learn.statements.chinese_aspect import MAYBE, Aspect, aspects
from rolememory.learn.statements.chinese_needs import Said, meets
from rolememory.learn.statements.chinese_rules import Match, Rule, matches, rules
from rolememory.learn.statements.chinese_spans import trimmed
from rolememory.learn.statements.chinese_text import Plain
from rolememory.learn.statements.chinese_values import spans
from rolememory.learn.statements.chinese_who import Person, Who
from rolememory.learn.statements.chinese_words import lexicon, simple
from rolememory.schema.claims import ATTRIBUTES

_SURENESS: dict[Person, float] = {"me": 1.0, "we": 0.9, "you": 0.8, "third": 0.9, "pet": 1.0}
_SHARED = frozenset(
    {"home", "origin", "owns", "plan", "did", "marital_status"}
)  # what 我们 says of me
_ENDED = frozenset(
    {
        "home",
        "job",
        "employer",
        "study",
        "habit",
        "likes",
        "dislikes",
        "wants",
        "owns",
        "belief",
        "diet",
        "name",
        "nickname",
        "fears",
    }
)
_ALSO = (
    ("e", "employer", "employer", ""),
    ("m", "major", "study", "专业"),
)  # slot, kind, attribute, about
_HAPPENS = frozenset(
    {"did", "marital_status", "health", "plan", "allergy", "study"}
)  # what 没 may deny
_TASTES = frozenset({"likes", "dislikes", "fears", "wants", "habit", "diet"})
_NOT = ("不是", "不叫", "不在")  # behind a noun: 我的生日不是…
_AFTER_ALL = frozenset({"did", "promise", "looks"})  # 以前 does not end these


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found: a claim but for its sentence and its names."""

    attribute: str
    value: str
    about: str = ""
    holds: bool = True
    raw: str = ""
    template: tuple[str, ...] = ()
    certainty: float = 1.0
    former: str = ""
    denied: bool = False  # by 不, not by 以前
    corrects: bool = False  # by 其实
    counted: bool = False  # 有一个妹妹, not 有妹妹


@dataclass(frozen=True, slots=True)
class Predicate:
    """Where a predicate may begin, and of whom it tells."""

    source: Plain
    start: int
    end: int
    who: Who
    aspect: Aspect
    alone: bool = False  # nobody is named: only what begins a message by itself
    possessed: bool = False  # 的 stands before it

    def findings(self) -> list[Finding]:
        """What it claims; the rule with the fewest adverbs before it and the longest head decides."""
        places = [
            (place, aspect)
            for place, aspect in aspects(self.source.text, self.start, self.end, self.aspect)
            if not aspect.unreal
        ]
        for place, aspect in places:
            for rule, behind in rules().at(self.source.text, place, self.end):
                if found := self._by(rule, place, behind, aspect):
                    return found
        return self._timed(places)

    def _timed(self, places: list[tuple[int, Aspect]]) -> list[Finding]:
        """What is done every day or was done yesterday, where no other rule knows it."""
        for place, aspect in places:
            for rule in rules().by_time if aspect.times or aspect.never else ():
                if aspect.denied == aspect.never and (
                    found := self._by(rule, place, place, aspect)
                ):
                    return found
        return []

    def _by(self, rule: Rule, head: int, behind: int, aspect: Aspect) -> list[Finding]:
        if not self._may(rule, aspect):
            return []
        if rule.possessed and self.source.text.startswith(_NOT, behind):
            return replace(self, source=self.source.without(behind), end=self.end - 1)._by(
                rule, head, behind, replace(aspect, denied=True)
            )
        fit = _fate(rule, aspect, settled=self.source.text.endswith("了", behind, self.end))
        if fit is None:
            return []
        predicate = self.source.text[head : self.end]
        found = [
            self._whole(match, head, aspect)
            for match in matches(rule, self.source, (head, behind), self.end)
        ]
        kept = [
            match
            for match in found
            if meets(
                rule.need,
                Said(
                    predicate,
                    aspect,
                    simple(match.value),
                    simple(match.about),
                    self.who.kin,
                    self.who.person,
                ),
            )
        ]
        return [one for match in kept for one in self._findings(match, fit, aspect)]

    def _may(self, rule: Rule, aspect: Aspect) -> bool:
        """Whether the rule may speak of this person in this way."""
        if (
            self.who.person not in rule.persons
            and (self.who.person != "told" or "pet" in rule.persons)
        ) or (self.possessed and not rule.possessed):
            return False
        if aspect.soon and rule.attribute != "plan":
            return False
        if self.who.person == "we" and rule.attribute not in _SHARED:
            return False
        return (
            not self.alone
            or rule.alone == "yes"
            or (rule.alone == "strongly" and (aspect.strongly or aspect.ended))
        )

    def _whole(self, match: Match, head: int, aspect: Aspect) -> Match:
        """The match with the words of its head and of time, where they belong to its value."""
        if match.rule.value == "<name>":
            return replace(match, value=self.who.shown, about=self.who.kin)
        if match.rule.kind in ("kins", "animals"):
            return replace(match, value="", raw="", about=match.value)
        if self.who.person == "pet":
            return replace(match, about=self.who.kin)
        value = match.value
        if match.rule.from_head:
            value = self.source.said(
                head,
                match.end if match.end > head else trimmed(self.source.text, head, self.end)[1],
            )
        if match.rule.timed:
            value = "".join(self.source.said(*span) for span in aspect.said) + value
        return match if value == match.value else replace(match, value=value, raw=value)

    def _findings(self, match: Match, fit: "_Fit", aspect: Aspect) -> Iterator[Finding]:
        sure = _SURENESS.get(self.who.person, 1.0) * aspect.certainty * (0.7 if self.alone else 1.0)
        sure *= MAYBE if self.source.text.endswith("吧", self.start, self.end) else 1.0
        yield Finding(
            fit.attribute,
            match.value,
            _about(match),
            fit.holds,
            match.raw,
            match.rule.content if fit.attribute == match.rule.attribute else (),
            round(sure, 3),
            self._former(match),
            aspect.denied
            and not (
                fit.holds or aspect.ended or self.source.text.endswith("了", self.start, self.end)
            ),
            aspect.corrects,
            "个" in self.source.text[self.start : self.end]
            or "位" in self.source.text[self.start : self.end],
        )
        if fit.holds and not aspect.former:
            yield from self._also(match, sure)

    def _former(self, match: Match) -> str:
        said = match.slots.get("f", "")
        return said if said and spans("place", simple(said), 0, len(said)) else ""

    def _also(self, match: Match, sure: float) -> Iterator[Finding]:
        """What else the same words tell: where one works as what, which subject one reads where."""
        for slot, kind, attribute, about in _ALSO:
            said = match.slots.get(slot, "")
            for start, end in spans(kind, simple(said), 0, len(said)):
                yield Finding(attribute, said[start:end], about, certainty=round(sure, 3))


_CALLS = frozenset(
    "老师 医生 大夫 教授 老板 老板娘 护士 警官 师傅 掌柜 经理 队长 司机 学生 将军 店长".split()
)  # said to somebody rather


def title(source: Plain, start: int, end: int) -> Finding | None:
    """The job in a clause that is nothing but one: 我叫阿林，程序员; 打北边来的镖师."""
    start, end = trimmed(source.text, start, end)
    begin = source.text.rfind("的", start, end) + 1 or start
    found = spans("job", source.text, begin, end)
    if not found or source.text[start:end] in _CALLS:
        return None
    return Finding("job", source.said(*found[0]))


@dataclass(frozen=True, slots=True)
class _Fit:
    attribute: str
    holds: bool


def _fate(rule: Rule, aspect: Aspect, *, settled: bool) -> _Fit | None:
    """What a rule claims when it is denied or told of the past; None = nothing."""
    if aspect.former and not aspect.now:
        return _past(rule, aspect)
    if aspect.undone and rule.attribute not in _HAPPENS:
        return None
    if not aspect.denied:
        return None if rule.denied == "must" else _Fit(rule.attribute, rule.holds)
    if rule.denied == "opposite":
        ended = aspect.ended or settled
        return (
            _Fit(rule.attribute, False)
            if ended
            else _Fit(ATTRIBUTES[rule.attribute].opposite, True)
        )
    if rule.denied in ("must", "holds") or (rule.denied == "ended" and aspect.ended):
        return _Fit(rule.attribute, False)
    return None


def _past(rule: Rule, aspect: Aspect) -> _Fit | None:
    if aspect.denied or not rule.holds or rule.denied == "must":
        return None
    if aspect.child and rule.attribute in _TASTES:
        return None
    if rule.attribute in _AFTER_ALL:
        return _Fit(rule.attribute, True)
    return _Fit(rule.attribute, False) if rule.attribute in _ENDED else None


def _about(match: Match) -> str:
    """Relatives by the word that stands for them, animals by their kind."""
    known = {"relation": lexicon().kin, "owns": lexicon().animals}.get(match.rule.attribute, {})
    return known.get(simple(match.about), match.about)
