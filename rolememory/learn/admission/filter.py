"""The admission filter: rejects false, duplicate or foreign drafts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from rolememory.learn.admission.frames import shipped_frames
from rolememory.learn.admission.similarity import same, texts_of
from rolememory.learn.admission.source_index import SourceIndex
from rolememory.learn.admission.unsafe_text import babble_in, leak_in, order_in
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.memory import Evidence, Memory, MemoryType, Source
from rolememory.schema.value_class import value_class
from rolememory.text.fold import letters
from rolememory.text.language import language_of
from rolememory.text.plain import plain
from rolememory.text.secrets import redacted, secrets_in
from rolememory.text.sentences import sentences
from rolememory.text.words import weighty

SHORTEST = 4
"""Bytes of letters that a memory needs: two Chinese characters, or four letters."""
LONGEST = 2_000
"""Characters of a memory."""

_RETOLD = 16  # bytes of letters above which a repeated text is no coincidence
_SAYS_SOMETHING = 3  # significant words; fewer ("Yes.") only make sense with the question
_AFTER = " \n*_\"'”’」』）)~"  # what may follow a question mark
_SURE_LANGUAGE = 12  # letters needed to detect a language
_USERS = (Source.USER_INPUT, Source.MANUAL)
UNQUOTED = 0.9
"""A distilled sentence without the words it was taken from is so much less sure."""

Saying = Callable[[str, str], str]
"""(chat, version) -> the text of that message, "" when it is not known."""


@value_class
class Judged:
    """The decision on a draft: accepted, rejected, or pending review; the draft is in storable form, secrets redacted."""

    draft: Draft
    because: Reason | None = None  # why it was not accepted
    waits: bool = False


class AdmissionFilter:
    """Filters drafts. Drafts change nothing in it; another instance for the same card costs a look-up.

    `card_texts` are always in the prompt: description, personality, scenario, greetings, examples, lorebook texts.
    `names` are the role's names, which are ignored when card and draft are compared.
    """

    def __init__(self, card_texts: Sequence[str] = (), *, names: Sequence[str] = ()) -> None:
        self._card = texts_of(tuple(card_texts), tuple(names))
        self._names = tuple(names)

    def judge(
        self,
        draft: Draft,
        known: SourceIndex,
        said: Saying,
        *,
        injected: Sequence[Memory] = (),
    ) -> Judged:
        """Decide on a draft.

        `known`: existing memories. `said`: the cited messages. `injected`: memories in the prompt of the turn.
        Explicit requests are not rejected as too short or as babble; only keys and card numbers in them still
        need review. Reasons never contain a secret.
        """
        even = plain(draft.content)
        refusal = (
            draft.fault
            or self._misshapen(draft)
            or _unsupported(draft, said)
            or self._foreign(draft, even)
            or _in_another_language(draft, said)
            or _says_otherwise(draft, said)
            or _doubled(draft, known)
            or self._known_anyway(draft, injected, said)
        )
        if refusal:
            secret = not draft.explicit and secrets_in(draft.content)
            return Judged(_redacted(draft) if secret else draft, refusal)
        return self._guarded(_weighed(draft, said), even)

    def _misshapen(self, draft: Draft) -> Reason | None:
        told = letters(draft.content)
        if not told or (len(told.encode()) < SHORTEST and not draft.explicit):
            return Reason.of("too_short")
        return (
            Reason.of("too_long", length=len(draft.content), limit=LONGEST)
            if len(draft.content) > LONGEST
            else None
        )

    def _foreign(self, draft: Draft, even: str) -> Reason | None:
        if shipped_frames().found(even):
            return Reason.of("template")
        if leak := leak_in(draft.content, even):
            return Reason.of(leak)
        babble = "" if draft.explicit else babble_in(draft.content, even)
        return Reason.of(babble) if babble else None

    def _known_anyway(
        self, draft: Draft, injected: Sequence[Memory], said: Saying
    ) -> Reason | None:
        """Reject what the card or the prompt says; from the user only verbatim copies, since they may mean themselves."""
        if draft.explicit or draft.chapter:
            return None
        loosely = _is_distilled(draft)
        if self._card.copied(draft.content) or (
            loosely and draft.subject is None and self._card.restated(draft.content)
        ):
            return Reason.of("card_text")
        if not loosely:
            return None
        for memory in injected:
            if self._echoes(draft, memory, said):
                return Reason.of("echo_of", of=memory.id)
        return None

    def _echoes(self, draft: Draft, memory: Memory, said: Saying) -> bool:
        """Whether the draft, or the quotes it is based on, restate the memory."""
        texts, told = texts_of((memory.content,), self._names), draft.content
        if texts.copied(told) or texts.restated(told) or same(told, memory.content):
            return True
        retold = letters(memory.content)
        if len(retold.encode()) < _RETOLD:
            return False
        read = (one.quote or "\n".join(_texts(one, said)) for one in draft.evidence)
        quotes = [one for one in read if retold in letters(one) or texts.copied(one)]
        new = set[str]().union(*map(weighty, quotes)) - weighty(memory.content)
        return bool(quotes) and new.isdisjoint(weighty(told))

    def _guarded(self, draft: Draft, even: str) -> Judged:
        if found := secrets_in(draft.content):
            held = draft if draft.explicit else _redacted(draft)
            return Judged(held, Reason.of("secret", sort=found[0].kind), waits=True)
        if order := order_in(even):
            return Judged(draft, Reason.of("instruction", words=redacted(order)[:60]), waits=True)
        return Judged(draft)


def _unsupported(draft: Draft, said: Saying) -> Reason | None:
    """The reason if it lacks evidence: a model's draft needs existing messages, other drafts a verbatim quote."""
    if draft.source is Source.INFERENCE and draft.rests_on:
        return None
    if not _is_founded(draft, said):
        return Reason.of("unfounded")
    if _is_distilled(draft):
        return None
    if not all(letters(one.quote) for one in draft.evidence):
        return Reason.of("no_quote")
    # commands are often out of character, so their words are not in the story's text
    stands = draft.explicit or all(_quoted(one, said) for one in draft.evidence)
    return None if stands else Reason.of("not_said")


def _is_founded(draft: Draft, said: Saying) -> bool:
    """Whether it cites messages; those cited by a model's draft must exist."""
    named = bool(draft.evidence) and all(one.version for one in draft.evidence)
    if not named or not _is_distilled(draft):
        return named
    return all(all(_texts(one, said)) for one in draft.evidence)


def _is_distilled(draft: Draft) -> bool:
    """Whether a model worded it."""
    return draft.source not in _USERS and not draft.explicit


def _texts(support: Evidence, said: Saying) -> list[str]:
    """The cited messages; "" for one that is gone."""
    return [said(support.chat, one) for one in support.versions]


def _weighed(draft: Draft, said: Saying) -> Draft:
    """With confidence adjusted: verbatim quotes halve the doubt; others are removed, and any missing quote lowers confidence."""
    if not _is_distilled(draft) or draft.rests_on or draft.chapter:
        return draft
    evidence = tuple(
        one if _quoted(one, said) else one.model_copy(update={"quote": ""})
        for one in draft.evidence
    )
    sure = (
        1 - (1 - draft.confidence) / 2
        if all(one.quote for one in evidence)
        else UNQUOTED * draft.confidence
    )
    return replace(draft, evidence=evidence, confidence=round(sure, 4))


def _says_otherwise(draft: Draft, said: Saying) -> Reason | None:
    """The reason if a model's draft shares no significant word with its messages."""
    if not _is_distilled(draft) or draft.rests_on:
        return None  # a conclusion is in no message
    texts = [text for one in draft.evidence for text in _texts(one, said)]
    texts += [said(draft.evidence[0].chat, version) for version in draft.context]
    heard, told = weighty(" ".join(texts)), weighty(draft.content)
    enough = (
        1 if all(text.rstrip(_AFTER).endswith(("?", "？")) for text in texts) else _SAYS_SOMETHING
    )
    otherwise = told and len(heard) >= enough and heard.isdisjoint(told)
    return Reason.of("not_said") if otherwise else None


def _quoted(support: Evidence, said: Saying) -> bool:
    """Whether the quote occurs in the messages, as a whole or sentence by sentence."""
    quote = letters(support.quote)
    message = "".join(map(letters, _texts(support, said)))
    return bool(quote) and (
        quote in message
        or all(letters(part.of(support.quote)) in message for part in sentences(support.quote))
    )


def _in_another_language(draft: Draft, said: Saying) -> Reason | None:
    """The reason if a model's draft is in another language than its messages."""
    if not _is_distilled(draft):
        return None
    heard = " ".join(text for one in draft.evidence for text in _texts(one, said))
    told = letters(draft.content)
    if min(len(told.encode()), len(letters(heard).encode())) < _SURE_LANGUAGE or told in letters(
        heard
    ):
        return None
    one, other = language_of(draft.content), language_of(heard)
    return Reason.of("other_language", language=one, chat=other) if one != other else None


def _doubled(draft: Draft, known: SourceIndex) -> Reason | None:
    if draft.chapter:
        return None  # another chapter of equal text covers other messages
    for memory in known.by(draft.evidence):
        if draft.constant and not memory.constant:
            continue  # known, but not yet pinned
        alike = _kind(memory) == _kind(draft) and same(draft.content, memory.content)
        if alike and _stands_wherever(draft, memory):
            return Reason.of("told_already", of=memory.id)
    return None


def _kind(one: Draft | Memory) -> tuple[object, ...]:
    return one.subject, one.user, one.type is MemoryType.EPISODIC


def _stands_wherever(draft: Draft, memory: Memory) -> bool:
    """Whether all evidence of the draft contains evidence of the memory; the same answer to another question is new."""
    grounds = [(one.chat, {*one.versions}) for one in memory.evidence]
    return all(
        any(chat == one.chat and ground <= {*one.versions} for chat, ground in grounds)
        for one in draft.evidence
    )


def _redacted(draft: Draft) -> Draft:
    """The draft with secrets redacted in all its texts."""
    secrets = {draft.content[one.start : one.end] for one in secrets_in(draft.content)}
    values = tuple(
        (name, redacted(value) if isinstance(value, str) else value)
        for name, value in draft.because.values
    )
    return replace(
        draft,
        content=redacted(draft.content),
        evidence=tuple(_hiding(one, secrets) for one in draft.evidence),
        because=replace(draft.because, values=values, span=None),
        keys=tuple(
            key
            for key in draft.keys
            if not any(key in secret or secret in key for secret in secrets)
        ),
    )


def _hiding(support: Evidence, secrets: Iterable[str]) -> Evidence:
    texts = {
        name: value
        for name, value in support.model_dump().items()
        if isinstance(value, str) and name not in ("chat", "version")
    }
    return support.model_copy(
        update={name: _hidden(value, secrets) for name, value in texts.items()}
    )


def _hidden(quote: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        quote = quote.replace(secret, "[private]")
    return redacted(quote)
