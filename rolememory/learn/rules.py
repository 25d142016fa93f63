"""Learning without any model: what one message gives, by rules. Pure: the same words in the same company give the same drafts.

A user's turn that tells something is kept as it was said (episodic); what somebody states of himself becomes a sentence
about him (semantic). Of the character's own words only what it states, wants or promises of itself is distilled, and only once
the user let it stand. An order to remember or forget is obeyed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from rolememory.learn.beyond import may_change, tells_more
from rolememory.learn.commands import Command, commands
from rolememory.learn.commands.reading import sentences
from rolememory.learn.derive import Derived, derive
from rolememory.learn.statements import Speaker, claims
from rolememory.learn.worth import worth
from rolememory.schema.claims import ATTRIBUTES, ROLE, USER, Claim
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Company, Draft, Said
from rolememory.schema.memory import Evidence, MemoryType, Source
from rolememory.schema.scene import Language
from rolememory.schema.settings import LearnSettings
from rolememory.text.feel_words import Lexicon
from rolememory.text.fold import fold
from rolememory.text.language import language_of
from rolememory.text.secrets import secrets_in

THE_USER: Mapping[Language, str] = {"en": "the user", "zh": "用户"}
SURE = 0.5  # a claim less certain than this is not a fact yet; the turn itself is kept
_LONGEST_QUESTION = 160  # characters of a question that are kept beside its answer
_WHOLE = 400  # characters of a turn that are kept as they were said; of a longer one the sentences that tell something
_WANTING = frozenset({"wants"})  # of the role itself: a goal


@dataclass(frozen=True, slots=True)
class Around:
    """What a message is read with."""

    chat: str
    company: Company
    user: str | None = None  # whose memory it becomes
    previous: Said | None = None  # the message before it
    settings: LearnSettings = field(default_factory=LearnSettings)
    lexicon: Lexicon | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """What a message gives: drafts, and orders to forget (each the words for what is to be forgotten)."""

    drafts: tuple[Draft, ...] = ()
    forget: tuple[Command, ...] = ()


def read(said: Said, around: Around) -> Read:
    """What rules find in one message. Cost: O(length of the message)."""
    if said.role == "assistant":
        return Read((*_stated(said, around), *_raw(said, around)))
    ordered = commands(said.raw or said.text)  # out of character too
    rest = _without(said.text, [one.quote for one in ordered])
    kept = [
        replace(draft, constant=one.kind == "pin")
        for one in ordered
        if one.kind != "forget"
        for draft in _asked(one, said, around)
    ]
    raw = [*_raw(said, around)]
    return Read(
        (*kept, *_told(rest, said, around, raw=bool(raw)), *raw),
        tuple(
            one if one.content else _that(one, around) for one in ordered if one.kind == "forget"
        ),
    )


def warm_up() -> None:
    """Read the lexicons of both languages, so that the first turn need not: it takes about a second."""
    told = (
        ("My sister lives in Rome; I promise to call her tomorrow.", "Remember that I like tea."),
        ("我妹妹住在罗马，我答应明天给她打电话。", "记住我喜欢茶。"),
    )
    for number, text in enumerate(text for pair in told for text in pair):
        read(
            Said(str(number), "user", text, datetime.min.replace(tzinfo=UTC)),
            Around("", Company("Mira", user="Lin")),
        )


def speaker(said: Said, company: Company, language: Language) -> Speaker:
    """Whom "I", "you" and the names in this message mean."""
    me = company.subject_of(said)
    you = None if company.others else (USER if me == ROLE else ROLE)
    named = {fold(name).text: ROLE for name in (company.role, *company.role_names) if name}
    named |= {fold(name).text: name for name in company.others}
    if company.user:
        named[fold(company.user).text] = USER
    shown = {
        ROLE: company.role,
        USER: company.user or THE_USER[language],
        **{name: name for name in company.others},
    }
    return Speaker(me=me, you=you, names=named, shown=shown if me in shown else {**shown, me: me})


def _told(text: str, said: Said, around: Around, *, raw: bool = False) -> Iterator[Draft]:
    """The facts a user's turn states, and the turn itself where it tells more than those and is not kept word for word anyway."""
    found = [claim for claim in _claims(text, said, around) if claim.certainty >= SURE]
    for claim in found:
        yield _fact(claim, said, around, Source.USER_INPUT)
    if raw:
        return
    rest = _untold(text, found)
    yield from _turn(rest, said, around, [claim for claim in found if claim.quote in rest])
    for quote, inside in _by_quote(claim for claim in found if may_change(claim)).items():
        if tells_more(quote, inside):
            yield from _turn(quote, said, around, inside)


def _turn(text: str, said: Said, around: Around, inside: Sequence[Claim]) -> Iterator[Draft]:
    """What was said, in its own words, if it is worth that."""
    for part in _apart(text):
        yield from _worth(part, said, around, inside)


def _worth(text: str, said: Said, around: Around, inside: Sequence[Claim]) -> Iterator[Draft]:
    turn = worth(text, previous=_last_words(around), lexicon=around.lexicon)
    if turn.keep:
        if around.previous and not worth(text, lexicon=around.lexicon).keep:
            said = _answering(said, around.previous)
        kept = (
            text if len(text) <= _WHOLE else turn.text
        )  # a name called out, a word of comfort: who is spoken to helps to find it
        inside = [claim for claim in inside if claim.quote in kept]
        yield replace(
            _event(kept, said, around, Reason("told", (("kind", turn.kind),)), inside),
            claims=tuple(inside),
        )


def _apart(text: str) -> Iterator[str]:
    """The text without the sentences that hold a secret, and those by themselves: the gate keeps back no more than them."""
    secrets = secrets_in(text)
    held = [
        part
        for part in sentences(text)
        if any(part.start < one.end and one.start < part.end for one in secrets)
    ]
    yield _without(text, [part.of(text) for part in held])
    if held:
        yield " ".join(part.of(text) for part in held)


def _answering(said: Said, question: Said) -> Said:
    """The message as far as it says something only behind that one: both must stand."""
    return replace(said, version=f"{question.version}+{said.version}")


def _untold(text: str, found: Sequence[Claim]) -> str:
    """The text without sentences that are told whole by their claims, and without those that state what may change.

    What changes later is then a fact by itself, and at most one sentence of its own, which goes with it.
    """
    quotes = _by_quote(found).items()
    return _without(
        text,
        [
            quote
            for quote, inside in quotes
            if any(map(may_change, inside)) or not tells_more(quote, inside)
        ],
    )


def _by_quote(found: Iterable[Claim]) -> dict[str, list[Claim]]:
    quotes: dict[str, list[Claim]] = {}
    for claim in found:
        quotes.setdefault(claim.quote, []).append(claim)
    return quotes


def _stated(said: Said, around: Around) -> Iterator[Draft]:
    """What the character (or another member) states, wants or promises of itself."""
    me = around.company.subject_of(said)
    for claim in _claims(said.text, said, around):
        if claim.subject == me and claim.certainty >= SURE:
            yield _fact(claim, said, around, Source.SUMMARY)


def _asked(command: Command, said: Said, around: Around) -> Iterator[Draft]:
    """What a person asked to be remembered: word for word, and as facts where it states some."""
    meant, source = (
        (command.content, said)
        if command.content
        else (_last_words(around), around.previous or said)
    )
    if not meant:
        return
    if not command.content and around.previous:
        said = _answering(said, around.previous)
    found = _claims(meant, source, around)
    because = Reason("asked", (("quote", command.quote[:80]),))
    if not found or tells_more(meant, found):
        plain = _event(meant, said, around, because, found, quote=command.quote)
        yield _explicit(plain, about=around.company.subject_of(source))
    for claim in found:
        yield _explicit(
            _fact(claim, said, around, Source.USER_INPUT, quote=command.quote), about=claim.subject
        )


def _explicit(draft: Draft, about: str) -> Draft:
    kind = MemoryType.SEMANTIC if draft.type is MemoryType.EPISODIC else draft.type
    return replace(
        draft,
        type=kind,
        subject=about or None,
        explicit=True,
        confidence=1.0,
        salience=max(draft.salience, 0.9),
    )


def _that(command: Command, around: Around) -> Command:
    return replace(command, content=_last_words(around))


def _last_words(around: Around) -> str:
    return around.previous.text if around.previous else ""


def _raw(said: Said, around: Around) -> Iterator[Draft]:
    """The message word for word, where the settings want that. Source: S3.11, S3.19."""
    source = Source.USER_INPUT if said.role == "user" else Source.AI_OUTPUT
    if source.value in around.settings.raw:
        for part in filter(None, _apart(said.text)):
            yield _event(part, said, around, Reason("raw"), (), source=source)


def _claims(text: str, said: Said, around: Around) -> list[Claim]:
    return claims(text, speaker(said, around.company, language_of(text)))


def _fact(claim: Claim, said: Said, around: Around, source: Source, quote: str = "") -> Draft:
    attribute = ATTRIBUTES[claim.attribute]
    own_wish = (
        claim.subject == ROLE
        and said.role == "assistant"
        and claim.attribute in _WANTING
        and claim.holds
    )
    derived = _derived(claim.content, (claim,), around)
    return Draft(
        content=claim.content,
        type=MemoryType.GOAL if own_wish else attribute.kind,
        source=source,
        evidence=(_support(said, around, quote=quote or claim.quote),),
        because=Reason("stated", (("attribute", claim.attribute),)),
        subject=claim.subject or None,
        confidence=claim.certainty,
        claims=(claim,),
        **_common(said, around, derived),
    )


def _event(
    text: str,
    said: Said,
    around: Around,
    because: Reason,
    found: Sequence[Claim],
    *,
    source: Source = Source.USER_INPUT,
    quote: str = "",
) -> Draft:
    return Draft(
        content=text,
        type=MemoryType.EPISODIC,
        source=source,
        evidence=(
            _support(said, around, quote=quote or _first_line(text), answers=_asked_before(around)),
        ),
        because=because,
        subject=around.company.subject_of(said) or None,
        **_common(said, around, _derived(text, found, around)),
    )


def _support(said: Said, around: Around, **words: str) -> Evidence:
    return Evidence(chat=around.chat, version=said.version, adjoining="+" in said.version, **words)


def _asked_before(around: Around) -> str:
    """What it answers: the question that ends the message before, or that message where it is not kept by itself."""
    words = around.previous.text.rstrip(" \n*_\"'”」）)") if around.previous else ""
    if not words:
        return ""
    if not words.endswith(("?", "？")):
        return (
            ""
            if around.previous is None or around.previous.role != "user" or worth(words).keep
            else words[:_LONGEST_QUESTION]
        )
    start = (
        max(
            words.rfind(mark, 0, max(len(words) - _LONGEST_QUESTION // 2, 0))
            for mark in ".!?。！？\n"
        )
        + 1
    )
    return words[start:].strip()[-_LONGEST_QUESTION:]


def _derived(text: str, found: Sequence[Claim], around: Around) -> Derived:
    who = around.company
    names = [name for name in (who.role, *who.role_names, who.user, *who.others) if name]
    return derive(
        text, found, lexicon=around.lexicon, auto_tag=around.settings.auto_tag, names=names
    )


def _common(said: Said, around: Around, derived: Derived) -> dict[str, Any]:
    return {
        "user": around.user,
        "created": said.at,
        "keys": derived.keys,
        "topics": derived.topics,
        "emotions": tuple(dict.fromkeys((*said.emotions, *derived.emotions))),
        "tags": derived.tags,
        "salience": derived.salience,
    }


def _without(text: str, quotes: Sequence[str]) -> str:
    for quote in quotes:
        text = text.replace(quote, " ") if quote else text
    return text.strip()


def _first_line(text: str) -> str:
    """The beginning of a text as its evidence: up to a line, word for word."""
    return text.strip().splitlines()[0][:200] if text.strip() else ""
