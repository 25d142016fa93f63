"""A language model behind an OpenAI-compatible `/chat/completions` endpoint: what is asked, and what is believed of the answer.

One request at a time, each with a deadline for the whole of it. What a server says never gets into messages or logs, and
neither do keys or the chat.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

import orjson

from rolememory.errors import ModelError
from rolememory.llm.answers import Shape, UnreadableError, read
from rolememory.llm.completion import CompletionText, EnvelopeError, completion_text, streamed
from rolememory.llm.errors import (
    GAVE_WAY,
    NO_ENVELOPE,
    NO_TIME,
    REPAIR,
    RESTS,
    SPENT,
    STOPPED,
    UNREADABLE,
    StatusError,
    model_error,
    trouble,
)
from rolememory.llm.servers import ModelServer
from rolememory.llm.traffic import Spending, Traffic
from rolememory.locales import LocalizedText
from rolememory.schema.scene import Language
from rolememory.schema.value_class import value_class
from rolememory.text.lengths import TokenEstimate
from rolememory.text.plain import replace_surrogates
from rolememory.upstream import CutError, ResponseHead, UpstreamCall, bearer, client, shown, signed

if TYPE_CHECKING:
    import httpx

ChatMessage = Mapping[str, str]
"""`{"role": "user", "content": "..."}`."""

MOST_TOKENS = 4096
"""Of one answer, thoughts included: a small model that runs in circles is stopped."""

_tokens = TokenEstimate()
_QUOTED_BACK = 4000  # characters of a bad answer that the repair question repeats


@value_class
class ModelAddress:
    """One model of one server, and the environment variable that holds the key."""

    base: str
    model: str
    key_env: str = ""
    shared: bool = False  # whether chats use it too, and come first


@dataclass
class ModelBudget:
    """When a model may be asked, besides its breaker: who else uses it, and what a day may cost."""

    traffic: Traffic
    spending: Spending
    idle_s: float = 60.0
    daily_tokens: int = 0  # 0 = no limit

    @property
    def spent(self) -> bool:
        """Whether nothing is left for today."""
        return 0 < self.daily_tokens <= self.spending.today()[1]


@value_class
class RequestLimits:
    """How an answer is waited for."""

    until: float | None = (
        None  # by time.monotonic: no request goes on for longer, whatever the time-out of the settings
    )
    patient: bool = True  # nobody waits for it: a dead server may rest for longer than it must

    def within(self, timeout_s: float) -> float:
        """How long a request may take now; 0 = there is no time left for one."""
        return (
            timeout_s if self.until is None else max(min(timeout_s, self.until - monotonic()), 0.0)
        )


UNHURRIED = RequestLimits()
AT_ONCE = RequestLimits(patient=False)


def no_fault(_: object) -> str:
    """Everything is right."""
    return ""


class ChatModel:
    """Asks one model. Thread-safe: a second caller waits until the first has its answer.

    `schema_of` gives the JSON schema that a step sends along; where it has none, that of the shape is sent.
    """

    def __init__(
        self,
        where: ModelAddress,
        upstream: ModelServer,
        timeout_s: float,
        schema_of: Callable[[str], Any] = lambda _: None,
        budget: ModelBudget | None = None,
    ) -> None:
        self._budget = budget  # None = asked on behalf of a person, who need not wait
        self.where, self.upstream, self.timeout_s = where, upstream, timeout_s
        self.requests = 0  # that went out
        self._schema_of = schema_of
        self._client: httpx.Client | None = None
        self._form = 0  # number of the first form that this server has not refused
        self._busy = threading.Lock()
        self._call: UpstreamCall | None = None
        self._closed = False

    def ask(
        self,
        messages: Sequence[ChatMessage],
        shape: type[Shape],
        *,
        step: str,
        language: Language = "en",
        check: Callable[[Shape], str] = no_fault,
        haste: RequestLimits = UNHURRIED,
    ) -> Shape:
        """The model's answer in this shape. A bad one is asked for once more, with its fault.

        `check` tells what is wrong with an answer that has the right shape ("" = nothing): a reason to ask again, none to throw
        it away.

        Raises:
            ModelError: the server could not be asked, or rests.
            ModelAnswerError: it answered, when asked again too, what cannot be used.
        """
        with self._busy:
            text = self._say(messages, shape, step, haste)
            first, fault = self._read(text, shape, check)
            if not fault and first is not None:
                return first
            try:
                again = self._say(_repairing(messages, text, fault, language), shape, step, haste)
                second, _ = self._read(again, shape, check)
            except ModelError:
                second = None
            if best := second or first:
                return best
            raise model_error(self.upstream.base, UNREADABLE.filled(fault=fault), answered=True)

    def chat(self, messages: Sequence[ChatMessage], haste: RequestLimits = AT_ONCE) -> str:
        """What the model replies, as it stands. Source: S3.36.

        Raises:
            ModelError: the server could not be asked, rests, or broke off.
        """
        return "".join(self._replies(messages, haste, stream=False))

    def chat_stream(
        self, messages: Sequence[ChatMessage], haste: RequestLimits = AT_ONCE
    ) -> Iterator[str]:
        """What the model replies, piece by piece as it comes; the deadline is for the whole of it. Source: S3.36.

        Raises:
            ModelError: the server could not be asked, rests, or broke off.
        """
        return self._replies(messages, haste, stream=True)

    def cut(self) -> None:
        """Give up what is being asked, and ask nothing more."""
        self._closed = True
        self._give_way()

    def _read(
        self, text: str, shape: type[Shape], check: Callable[[Shape], str]
    ) -> tuple[Shape | None, str]:
        """The answer and its fault; one without the right shape counts against the server."""
        try:
            answer = read(text, shape)
        except UnreadableError as error:
            self.upstream.fails(UNREADABLE.filled(fault=error).text())
            return None, str(error)
        self.upstream.works()
        return answer, check(answer)

    def _say(
        self, messages: Sequence[ChatMessage], shape: type[Shape], step: str, haste: RequestLimits
    ) -> str:
        """The text of an answer; forms that the server refuses are left out, now and from now on."""
        forms = _forms(step, self._schema_of(step) or shape.model_json_schema())
        refused: ModelError | None = None
        for _ in forms:
            with self._turn(), self._allowed(haste):
                try:
                    return self._heard(messages, forms[self._form], haste)
                except StatusError as error:
                    if not error.refuses_form:
                        raise
                    self._form = (self._form + 1) % len(forms)
                    self.upstream.fails(trouble(error).text())
                    refused = model_error(self.upstream.base, trouble(error))
        raise refused or model_error(self.upstream.base, STOPPED)

    def _heard(
        self, messages: Sequence[ChatMessage], form: Mapping[str, Any], haste: RequestLimits
    ) -> str:
        """The text of one answer; what it cost is noted, whatever came of it."""
        said = CompletionText("", 0)
        try:
            said = completion_text(*self._open(messages, form, haste))
        finally:
            if self._budget:
                asked = sum(_tokens(one["content"]) for one in messages)
                self._budget.spending.add(said.tokens or asked + _tokens(said.text))
        return said.text

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Room for a request of learning: within what a day may cost, and while no chat needs the model.

        Raises:
            ModelError: not now.
        """
        budget = self._budget
        if budget and budget.spent:
            raise model_error(self.upstream.base, SPENT.filled(limit=budget.daily_tokens))
        if not (budget and self.where.shared):
            yield
            return
        with budget.traffic.given(budget.idle_s, self._give_way) as free:
            if not free:
                raise model_error(self.upstream.base, GAVE_WAY)
            yield

    def _give_way(self) -> None:
        call = self._call
        if call is not None:
            call.cut()

    def _replies(
        self, messages: Sequence[ChatMessage], haste: RequestLimits, *, stream: bool
    ) -> Iterator[str]:
        with self._busy, self._allowed(haste):
            call, head = self._open(messages, {"stream": stream}, haste)
            self.upstream.works()
            yield from streamed(call, head)

    @contextmanager
    def _allowed(self, haste: RequestLimits) -> Iterator[None]:
        """Room for one request, if one may go out; what goes wrong with it is told to the breaker, and in words."""
        if refusal := self._refusal(haste):
            raise model_error(self.upstream.base, refusal)
        self.requests += 1
        try:
            yield
        except Exception as error:  # the network's and the server's faults have many names
            told = NO_ENVELOPE if isinstance(error, EnvelopeError) else trouble(error)
            if isinstance(error, CutError) and not self._closed:
                told = GAVE_WAY
            if not isinstance(error, CutError) or self.upstream.breaker.rests:
                self.upstream.fails(told.text(), getattr(error, "rest_s", None))
            raise model_error(self.upstream.base, told) from None
        finally:
            self._hang_up()

    def _refusal(self, haste: RequestLimits) -> LocalizedText | None:
        """Why no request may go out now."""
        if self._closed:
            return STOPPED
        if not haste.within(self.timeout_s):
            return NO_TIME
        if not self.upstream.allows(patient=haste.patient):
            return RESTS.filled(reason=self.upstream.breaker.reason or "half open")
        return None

    def _open(
        self, messages: Sequence[ChatMessage], form: Mapping[str, Any], haste: RequestLimits
    ) -> tuple[UpstreamCall, ResponseHead]:
        if self._client is None:
            self._client = client(self.where.base)
        limit_s = haste.within(self.timeout_s)
        told = [{name: replace_surrogates(text) for name, text in one.items()} for one in messages]
        body = {"model": self.where.model, "messages": told, "stream": False, **form}
        url, key = (
            f"{shown(self.where.base)}/chat/completions",
            signed(self.where.base) | bearer(self.where.key_env),
        )
        self._call = call = UpstreamCall(
            self._client, url, orjson.dumps(body), key, deadline_s=limit_s
        )
        needed = self._budget and self.where.shared and self._budget.traffic.busy
        if self._closed or needed:
            call.cut()
        head = call.head()
        if not 200 <= head.status < 300:
            raise StatusError(head.status, head.headers, self.where.key_env)
        return call, head

    def _hang_up(self) -> None:
        self._give_way()
        self._call = None


def _forms(step: str, schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """How JSON is asked for, best first: by schema, as any object, in words alone. The last one says nothing that a server may refuse."""
    steady = {"temperature": 0, "max_tokens": MOST_TOKENS}
    return (
        {
            **steady,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": step, "strict": True, "schema": schema},
            },
        },
        {**steady, "response_format": {"type": "json_object"}},
        {},
    )


def _repairing(
    messages: Sequence[ChatMessage], text: str, fault: str, language: Language
) -> list[ChatMessage]:
    asked = REPAIR.filled(fault=fault).text(language)
    return [
        *messages,
        {"role": "assistant", "content": text[:_QUOTED_BACK] or "{}"},
        {"role": "user", "content": asked},
    ]
