"""One clause after another: who it is about, carried on where nobody is named, and what it claims."""

import re
from collections.abc import Iterator
from dataclasses import replace

from rolememory.learn.statements.chinese_aspect import THINKS, Aspect, aspects, setting
from rolememory.learn.statements.chinese_claims import Found, claim_of, naming, without
from rolememory.learn.statements.chinese_mood import generic, mood, opened, orders, polite
from rolememory.learn.statements.chinese_needs import is_vow
from rolememory.learn.statements.chinese_predicate import Finding, Predicate, title
from rolememory.learn.statements.chinese_text import Plain
from rolememory.learn.statements.chinese_values import spans
from rolememory.learn.statements.chinese_who import (
    NOBODY,
    Scene,
    Who,
    chain,
    is_family,
    known_at,
    subject_at,
    whole,
)
from rolememory.learn.statements.chinese_words import word_set
from rolememory.schema.claims import Claim

_WHO_IS_WHO = frozenset(
    {"name", "nickname", "age", "gender", "birthday"}
)  # of whoever a clause not understood spoke of
_INTRODUCED = frozenset(
    {"name", "age", "job", "home", "study", "gender", "marital_status", "origin", "employer"}
)
_GOES_ON = "很也都还就不没会想去来在是有对把被给跟和做看听吃喝玩学从到为让觉最超真特更只才又再常曾叫住喜爱讨怕"  # begins a predicate, no noun
_TRUSTED = {
    "me": ("记得", "知道", "确定", "承认", "发现"),
    "you": ("知道", "记得", "清楚", "也知道"),
}
_SAID = re.compile(
    "(?:早就|早|之前|以前|上次|昨天|一直|老|总)?"
    "(?:告诉(?:过|了)?(?:你|我|大家|他们)(?:了|过)?|(?:跟|和|对|同)(?:你|我|大家|他们)(?:说|讲|提|坦白)(?:过|了)?|是说|说过?|讲过|提过|提到过?|承认|坦白)(?:的)?(?:：)?"
)
_THINKS = re.compile(
    "(?:总|真的|也|一直|有点)?(?:觉得|感觉|猜|想|认为|估计|听说|听人说)(?=我|你|他|她|自己|小|阿)"
)
_WILL = re.compile("(?:我|你)?(?:一定)?(?:会|要)?")
_LONGEST_NICKNAME = 4  # characters; a longer one only with 就行
_INSULTS = frozenset({"爸爸", "妈妈", "爷爷", "奶奶", "父母"})  # 我是你爸爸
_IS = re.compile(r"(?P<v>[^，是]{1,16}?)(?:才|就|一直|也|都|永远|可)?是(?=.)")
_THIS = re.compile(
    "(?:[这那](?:位|个)?(?:孩子|小子|姑娘|丫头|小家伙|人|女孩|男孩)?|她|他|旁边[这那]?位?|照片上?[的里]?(?:人|这个)?)"
)
_INTRODUCES = re.compile(
    "听说|据说|有(?:一|几|两|好多)?[个位名群只条家]|看到|看见|遇到|遇见|认识|碰到|碰见"
)  # somebody else, of whom the next clause tells
_OWN_PARTS = re.compile(
    "(?:耳朵|眼睛|头发|脾气|性格|个子|身体|记性|嘴|手|腿|皮肤|长相|声音|成绩|工资|嗓子|人)(?![家们])"
)  # of whoever is carried on
_FAVOURITE = re.compile(
    r"(?:这辈子|一直以来|目前|一直|从小)?最(?:喜欢|爱|喜爱)的(?P<a>[^，]{1,6}?)(?:之一)?(?:了|啦|哦|呀|啊|呢)*"
)

Denied = tuple[str, str, str, int]
"""Subject, attribute, about and sentence of a claim that 不是… denies."""


class Reading:
    """Reads the clauses of one voice in their order."""

    def __init__(self, source: Plain, here: Scene) -> None:
        self.source, self.here = source, here
        self.denied: set[Denied] = set()
        self._carry: Who | None = None  # None = nobody was named yet
        self._introduced = False  # the one carried on was introduced by 有
        self._corrects = self._pending = False
        self._sentence = (0, 0)
        self._you = here.you
        self._understood = (
            True  # the clause before was read, so what goes on is about the same person
        )
        self._presenting = False  # the clause before told who somebody is
        self._bare = False  # the clause only named somebody
        self._setting = Aspect()  # words of time that stand as a clause before the others
        self._vow: Who | None = None  # who has just said "I promise"

    def begin(self, start: int, end: int) -> None:
        """A new sentence."""
        self._sentence = (start, end)
        self._corrects, self._pending, self._vow = self._pending, False, None
        self._setting = Aspect()
        self.here.you = self._you

    def skip(self) -> None:
        """A clause that states nothing: whoever it spoke of is carried no further."""
        self._carry = NOBODY

    def clause(self, start: int, end: int) -> list[Claim]:
        """What a clause claims."""
        text = self.source.text
        start, corrects = opened(text, start, end)
        self._bare = False
        self._corrects |= corrects
        if start >= end:
            self._pending |= corrects
            return []
        if polite(text, start, end):
            return []
        if self._vow and (kept := self._vowed(start, end)):
            return list(self._claims(kept))
        found = self._nickname(start, end) or self._read(start, end)
        self._understood = bool(found) or self._bare
        self._presenting = any(one.attribute in _WHO_IS_WHO | _INTRODUCED for _, one in found)
        return list(self._claims(found))

    def _read(self, start: int, end: int) -> list[Found]:
        if found := self._turned_round(start, end):
            return found
        if self.here.guess is not None and (guessed := self._guessed(start, end)):
            return guessed
        for place, aspect in aspects(self.source.text, start, end, self._setting):
            if place >= end:
                self._setting = setting(aspect)  # 小时候，我…
                return []
            who, behind = subject_at(self.source, place, end, self.here)
            if who is not None:
                return self._about(who, behind, end, aspect)
        return self._carried(start, end)

    # --- somebody is named

    def _about(self, who: Who, start: int, end: int, aspect: Aspect) -> list[Found]:
        self._carry, self._introduced = who, False
        if start >= end:
            self._address(who)
            self._bare = True
            self._carry = NOBODY if who.person == "third" and not who.kin else who
        if not who.known or start >= end:
            return []
        found = self._of(who, start, end, aspect)
        return found + without(naming(who), found)

    def _of(self, who: Who, start: int, end: int, aspect: Aspect) -> list[Found]:
        if who.person == "you" and self.source.text.endswith("呢", start, end):
            return []  # 你爱喝茶呢，还是…
        if who.person == "you" and generic(self.source.text, *self._sentence):
            return []
        if who.person in ("me", "you") and self._vows(who, start, end):
            self._vow = who
            return []
        possessed = self.source.text.startswith("的", start)
        found = Predicate(
            self.source, start + possessed, end, who, aspect, possessed=possessed
        ).findings()
        if possessed and not found:
            self._carry = NOBODY  # 我妹妹的手机…
        if found or possessed:
            return self._carried_by(who, found)
        if who.person in ("me", "we") and (joined := self._together(who, start, end)):
            return joined
        if _INTRODUCES.search(self.source.text, start, end):
            self._carry = NOBODY
        return self._reported(who, start, end, aspect)

    def _together(self, who: Who, start: int, end: int) -> list[Found]:
        """我和我老婆…: what is true of both is true of me."""
        if self.source.text[start] not in "和跟与同":
            return []
        other, behind = subject_at(self.source, start + 1, end, self.here)
        both = Who(who.label, who.shown, "we")
        return (
            [(both, one) for one in Predicate(self.source, behind, end, both, Aspect()).findings()]
            if other and behind < end
            else []
        )

    def _address(self, who: Who) -> None:
        """小梅，你…: who is called by name is meant by 你 to the end of the sentence."""
        if who.person == "third" and who.named and not who.kin:
            self.here.you = who

    def _carried_by(self, who: Who, found: list[Finding]) -> list[Found]:
        """The findings with their person; whom they introduce is carried on."""
        out = [self._person_of(who, one) for one in found]
        for owner, one in out:
            if one.attribute == "relation" and one.holds and (one.value or one.counted):
                named = (
                    self.here.introduce(owner, one.about, one.value)
                    if one.value
                    else self.here.of_kin(owner, one.about)
                )
                self._carry, self._introduced = named, not (who.kin and who.owner == owner)
            elif one.attribute == "owns" and one.holds and one.about:
                self._carry, self._introduced = (
                    Who(owner.label, one.value, "pet", one.about, owner),
                    False,
                )
        return out

    def _person_of(self, who: Who, one: Finding) -> Found:
        """The name of a relative is a fact about whose relative he is."""
        if one.attribute == "name" and who.kin and who.owner:
            return who.owner, replace(one, attribute="relation", about=who.kin, template=())
        return (who.owner, one) if who.person == "pet" and who.owner else (who, one)

    # --- reported speech and belief

    def _reported(self, who: Who, start: int, end: int, aspect: Aspect) -> list[Found]:
        """我觉得你…, 小梅说她…, 你知道我…: what is told inside."""
        text = self.source.text
        for word in _TRUSTED.get(who.person, ()):
            if text.startswith(word, start):
                return self._inside(start + len(word), end, aspect, 1.0)
        if who.person == "me" and (thinks := _THINKS.match(text, start, end)):
            return self._inside(thinks.end(), end, aspect, THINKS)
        if (said := _SAID.match(text, start, end)) and who.person in ("me", "you", "third"):
            return self._retold(who, said.end(), end, aspect)
        return []

    def _inside(self, start: int, end: int, aspect: Aspect, factor: float) -> list[Found]:
        who, behind = subject_at(self.source, start, end, self.here)
        if who is None or not who.known or behind >= end:
            self._carry = NOBODY
            return []
        return self._about(who, behind, end, replace(aspect, certainty=aspect.certainty * factor))

    def _retold(self, who: Who, start: int, end: int, aspect: Aspect) -> list[Found]:
        """What somebody says of himself; what he says of others is hearsay that nobody vouches for."""
        inner, behind = subject_at(self.source, start, end, self.here)
        pronoun = self.source.text[start : start + 1] in ("他", "她")
        if (
            inner is not None
            and inner != who
            and not (pronoun and who.person == "third" and behind == start + 1)
        ):
            self._carry = NOBODY
            return []
        if start >= end:
            return []
        factor = 1.0 if who.person == "me" else 0.8
        found = Predicate(
            self.source,
            max(start, behind),
            end,
            who,
            replace(aspect, certainty=aspect.certainty * factor),
        ).findings()
        return self._carried_by(who, found)

    # --- nobody is named

    def _carried(self, start: int, end: int) -> list[Found]:
        who, alone = self._carry, self._carry is None
        if alone:
            who = self.here.me
        unsure = (
            who is not None and who.person in ("you", "we") and not self._understood
        )  # 你看见一个人，害怕…
        if who is None or not who.known or unsure or orders(self.source.text, start, end):
            return self._lost(start, end)
        found = Predicate(self.source, start, end, who, self._setting, alone=alone).findings()
        if not found and who.person == "pet" and who.kin not in word_set("pets") and who.owner:
            who = who.owner  # 在镇上开了间药铺，会点医术: shops know no medicine
            found = Predicate(self.source, start, end, who, self._setting).findings()
        if not found and self._presenting and (one := title(self.source, start, end)):
            found = [one]
        if self._introduced:
            found = [one for one in found if one.attribute in _INTRODUCED]
        if not self._understood:
            found = [one for one in found if one.attribute not in _WHO_IS_WHO]
        if not found:
            return self._lost(start, end)
        if alone:
            self._carry = who
        return self._carried_by(who, found)

    def _lost(self, start: int, end: int) -> list[Found]:
        """A clause nobody understood: unless it goes on with a predicate, it has a subject of its own."""
        if _OWN_PARTS.match(self.source.text, start, end):
            return []
        behind = max(place for place, _ in aspects(self.source.text, start, end, Aspect()))
        if behind == start and self.source.text[start] not in _GOES_ON:
            self._carry = NOBODY
        return []

    # --- other ways to say it

    def _vows(self, who: Who, start: int, end: int) -> bool:
        """我答应你, 你答应过我; 你答应我 asks for it."""
        promised = mood().vows.fullmatch(self.source.text, start, end)
        return promised is not None and (
            who.person == "me" or any(mark in promised.group() for mark in "过了")
        )

    def _vowed(self, start: int, end: int) -> list[Found]:
        """我答应你，明天…: what follows is promised."""
        who, self._vow = self._vow, None
        named, behind = subject_at(self.source, start, end, self.here)
        if who is None or (named is not None and named != who):
            return []
        behind = _WILL.match(self.source.text, behind if named else start, end).end()  # type: ignore[union-attr]
        said = spans("vow", self.source.text, behind, end)
        return [
            (who, Finding("promise", self.source.said(*one)))
            for one in said
            if is_vow(self.source.text[slice(*one)])
        ]

    def _nickname(self, start: int, end: int) -> list[Found]:
        """叫我阿林就行."""
        clause = self.source.text[start:end]
        found = (
            mood().call_me.fullmatch(self.source.text, start, end)
            if any(verb in clause for verb in "叫喊称唤")
            else None
        )
        if not found or not self.here.me.known:
            return []
        start, end = found.span("v")
        name = (
            spans("name", self.source.text, start, end)
            if end - start <= _LONGEST_NICKNAME or found["tail"]
            else []
        )
        return [(self.here.me, Finding("nickname", self.source.said(*one))) for one in name]

    def _turned_round(self, start: int, end: int) -> list[Found]:
        """小梅是我妹妹, 蓝色是我最喜欢的颜色."""
        found = (
            _IS.match(self.source.text, start, end) if "是" in self.source.text[start:end] else None
        )
        if not found:
            return []
        who, behind = subject_at(self.source, found.end(), end, self.here)
        if who is None or not who.known:
            return []
        if best := _FAVOURITE.fullmatch(self.source.text, behind, end):
            values = spans("thing", self.source.text, *found.span("v"))
            return [
                (
                    who,
                    Finding("favourite", self.source.said(*one), self.source.said(*best.span("a"))),
                )
                for one in values
            ]
        return (
            self._is_kin(found, who)
            if behind == end and who.kin and who.owner and who.person == "third"
            else []
        )

    def _is_kin(self, found: re.Match[str], who: Who) -> list[Found]:
        if _THIS.fullmatch(found["v"]):
            self._carry, self._introduced = who, not who.named
            near = (
                who.owner is not None
                and who.owner.person in ("me", "we", "you")
                and is_family(who.kin)
            )
            return naming(who) or (
                [(who.owner, Finding("relation", "", who.kin))] if who.owner and near else []
            )
        if who.named:
            self._carry = who
            return []
        one = whole(self.source, *found.span("v"), self.here)
        if one is None or one.kin or who.owner is None or one.person == "we" or one == who.owner:
            return []
        if one == who.owner.owner:
            return []  # 他的姐姐, of somebody's brother
        if one == self.here.me and who.owner == self.here.you and who.kin in _INSULTS:
            return []
        self._carry = one
        if one.person == "third":
            self.here.introduce(who.owner, who.kin, one.shown)
        return [(who.owner, Finding("relation", one.shown, who.kin))]

    def _guessed(self, start: int, end: int) -> list[Found]:
        """Third-person sentences: the first beginning of the clause behind which a predicate stands is a name, of one character if need be."""
        for behind in (*range(start + 2, min(start + 13, end)), start + 1):
            if known_at(self.source.text, start, end, self.here) or not spans(
                "name", self.source.text, start, behind
            ):
                continue
            name = self.source.said(start, behind)
            person = Who(self.here.guess or "", name, "told")
            who, place = chain(self.source, behind, end, person, self.here)
            if found := self._of(who, place, end, Aspect()):
                self.here.with_name(name, person)
                self.here.guess = None
                return found
        return []

    # --- claims

    def _claims(self, found: list[Found]) -> Iterator[Claim]:
        for who, one in found:
            if claim := claim_of(
                (who, one), self.source, self._sentence, self.here, corrects=self._corrects
            ):
                if one.denied:
                    self.denied.add((claim.subject, claim.attribute, claim.about, claim.start))
                yield claim
