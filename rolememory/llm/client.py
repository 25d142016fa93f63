"""Client of an OpenAI-compatible `/chat/completions` endpoint: sends requests, validates answers.

One request at a time, each with a deadline for the whole of it. Neither the server's text nor keys or the chat get into
messages or logs.
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
from rolememory.schema.json_types import JsonMapping
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
"""Limit of one answer including reasoning: stops a small model that loops."""

_tokens = TokenEstimate()
_QUOTED_BACK = 4000  # characters of a bad answer that the repair question repeats


@value_class
class ModelAddress:
    """One model of one server, and the environment variable that holds the key."""

    base: str
    model: str
    key_env: str = ""
    shared: bool = False  # whether chats use it too, with priority


@dataclass
class ModelBudget:
    """Limits on asking a model, besides its breaker: other users of the model, tokens per day."""

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
    """Deadline of a request, and whether somebody is waiting for it."""

    until: float | None = (
        None  # time.monotonic() at which any request ends, whatever time-out the settings give
    )
    patient: bool = True  # nobody is waiting: a failing server may be skipped for longer

    def within(self, timeout_s: float) -> float:
        """Seconds a request may take now; 0 = no time left."""
        return (
            timeout_s if self.until is None else max(min(timeout_s, self.until - monotonic()), 0.0)
        )


UNHURRIED = RequestLimits()
AT_ONCE = RequestLimits(patient=False)


def no_fault(_: object) -> str:
    """The check that accepts every answer."""
    return ""


class ChatModel:
    """Asks one model. Thread-safe: a second caller waits until the first has its answer.

    `schema_of` gives the JSON schema that a step sends; without one, that of the shape is sent.
    """

    def __init__(
        self,
        where: ModelAddress,
        upstream: ModelServer,
        timeout_s: float,
        schema_of: Callable[[str], Any] = lambda _: None,
        budget: ModelBudget | None = None,
    ) -> None:
        self._budget = budget  # None = asked on behalf of a person: no limits
        self.where = where
        self.upstream = upstream
        self.timeout_s = timeout_s
        self.requests = 0  # sent so far
        self._schema_of = schema_of
        self._client: httpx.Client | None = None
        self._form = 0  # index of the first form that this server has not refused
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
        """The model's answer in this shape. A bad answer is sent back once, with its fault.

        `check` says what is wrong with an answer of the right shape ("" = nothing): it is asked for again, but used if that does
        not help.

        Raises:
            ModelError: the server could not be asked, or is skipped for now.
            ModelAnswerError: both answers are unusable.
        """
        with self._busy:
            text = self._send(messages, shape, step, haste)
            first, fault = self._read(text, shape, check)
            if not fault and first is not None:
                return first
            try:
                again = self._send(_repairing(messages, text, fault, language), shape, step, haste)
                second, _ = self._read(again, shape, check)
            except ModelError:
                second = None
            if best := second or first:
                return best
            raise model_error(self.upstream.base, UNREADABLE.filled(fault=fault), answered=True)

    def chat(self, messages: Sequence[ChatMessage], haste: RequestLimits = AT_ONCE) -> str:
        """The model's reply, unchanged. Source: S3.36.

        Raises:
            ModelError: the server could not be asked, rests, or broke off.
        """
        return "".join(self._replies(messages, haste, stream=False))

    def chat_stream(
        self, messages: Sequence[ChatMessage], haste: RequestLimits = AT_ONCE
    ) -> Iterator[str]:
        """The model's reply, streamed; the deadline is for the whole of it. Source: S3.36.

        Raises:
            ModelError: the server could not be asked, rests, or broke off.
        """
        return self._replies(messages, haste, stream=True)

    def cut(self) -> None:
        """Cancel the current request and refuse further ones."""
        self._closed = True
        self._cancel_call()

    def _read(
        self, text: str, shape: type[Shape], check: Callable[[Shape], str]
    ) -> tuple[Shape | None, str]:
        """The answer and its fault; one of the wrong shape counts as a failure of the server."""
        try:
            answer = read(text, shape)
        except UnreadableError as error:
            self.upstream.fails(UNREADABLE.filled(fault=error).text())
            return None, str(error)
        self.upstream.works()
        return answer, check(answer)

    def _send(
        self, messages: Sequence[ChatMessage], shape: type[Shape], step: str, haste: RequestLimits
    ) -> str:
        """The text of an answer; forms that the server refuses are skipped from then on."""
        forms = _forms(step, self._schema_of(step) or shape.model_json_schema())
        refused: ModelError | None = None
        for _ in forms:
            with self._reserve(), self._guarded_request(haste):
                try:
                    return self._send_form(messages, forms[self._form], haste)
                except StatusError as error:
                    if not error.refuses_form:
                        raise
                    self._form = (self._form + 1) % len(forms)
                    self.upstream.fails(trouble(error).text())
                    refused = model_error(self.upstream.base, trouble(error))
        raise refused or model_error(self.upstream.base, STOPPED)

    def _send_form(
        self, messages: Sequence[ChatMessage], form: JsonMapping, haste: RequestLimits
    ) -> str:
        """The text of one answer; its cost is recorded even if it fails."""
        said = CompletionText("", 0)
        try:
            said = completion_text(*self._open(messages, form, haste))
        finally:
            if self._budget:
                asked = sum(_tokens(one["content"]) for one in messages)
                self._budget.spending.add(said.tokens or asked + _tokens(said.text))
        return said.text

    @contextmanager
    def _reserve(self) -> Iterator[None]:
        """Admit a request of learning: within the daily limit, and while no chat needs the model.

        Raises:
            ModelError: not now.
        """
        budget = self._budget
        if budget and budget.spent:
            raise model_error(self.upstream.base, SPENT.filled(limit=budget.daily_tokens))
        if not (budget and self.where.shared):
            yield
            return
        with budget.traffic.given(budget.idle_s, self._cancel_call) as free:
            if not free:
                raise model_error(self.upstream.base, GAVE_WAY)
            yield

    def _cancel_call(self) -> None:
        call = self._call
        if call is not None:
            call.cut()

    def _replies(
        self, messages: Sequence[ChatMessage], haste: RequestLimits, *, stream: bool
    ) -> Iterator[str]:
        with self._busy, self._guarded_request(haste):
            call, head = self._open(messages, {"stream": stream}, haste)
            self.upstream.works()
            yield from streamed(call, head)

    @contextmanager
    def _guarded_request(self, haste: RequestLimits) -> Iterator[None]:
        """Admit one request if allowed; its errors are reported to the breaker and raised as `ModelError`."""
        if refusal := self._refusal(haste):
            raise model_error(self.upstream.base, refusal)
        self.requests += 1
        try:
            yield
        except Exception as error:  # network and server errors have many classes
            told = NO_ENVELOPE if isinstance(error, EnvelopeError) else trouble(error)
            if isinstance(error, CutError) and not self._closed:
                told = GAVE_WAY
            if not isinstance(error, CutError) or self.upstream.breaker.rests:
                self.upstream.fails(told.text(), getattr(error, "rest_s", None))
            raise model_error(self.upstream.base, told) from None
        finally:
            self._hang_up()

    def _refusal(self, haste: RequestLimits) -> LocalizedText | None:
        """Why no request may be sent now, or None."""
        if self._closed:
            return STOPPED
        if not haste.within(self.timeout_s):
            return NO_TIME
        if not self.upstream.allows(patient=haste.patient):
            return RESTS.filled(reason=self.upstream.breaker.reason or "half open")
        return None

    def _open(
        self, messages: Sequence[ChatMessage], form: JsonMapping, haste: RequestLimits
    ) -> tuple[UpstreamCall, ResponseHead]:
        if self._client is None:
            self._client = client(self.where.base)
        limit_s = haste.within(self.timeout_s)
        told = [{name: replace_surrogates(text) for name, text in one.items()} for one in messages]
        body = {"model": self.where.model, "messages": told, "stream": False, **form}
        url = f"{shown(self.where.base)}/chat/completions"
        key = signed(self.where.base) | bearer(self.where.key_env)
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
        self._cancel_call()
        self._call = None


def _forms(step: str, schema: JsonMapping) -> tuple[JsonMapping, ...]:
    """Ways to ask for JSON, best first: by schema, as any object, in words alone (no parameter that a server may refuse)."""
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
