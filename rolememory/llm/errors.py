"""Messages for failed model calls; they contain no bodies, headers or keys, and nothing of the chat."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from rolememory.errors import ModelAnswerError, ModelError, RoleMemoryError
from rolememory.locales import LocalizedText
from rolememory.upstream import CutError

BUSY = LocalizedText("the chats of this role are being read already")
RESTS = LocalizedText("is left alone for a while ({reason})")
NOT_SET = LocalizedText("set learn.endpoint and learn.model")
NO_TIME = LocalizedText("there was no time left to ask")
GAVE_WAY = LocalizedText(
    "is left to the chats; learning goes on once nobody has spoken to it for learn.idle_s seconds"
)
SPENT = LocalizedText(
    "has cost what learning may cost today (learn.daily_tokens = {limit}); it goes on tomorrow"
)
STOPPED = LocalizedText("is not asked any more")
UNREADABLE = LocalizedText("answered, but not as it was asked to ({fault})")
NO_ENVELOPE = LocalizedText(
    "answered something that is not a chat completion; compare learn.endpoint with the server's manual"
)
REPAIR = LocalizedText(
    "That cannot be used: {fault}. Answer the first message once more, with nothing but valid JSON in the form it asks for."
)
_STATUS: Mapping[int, LocalizedText] = {
    400: LocalizedText(
        "refused the request (status 400); compare learn.model with the models it has"
    ),
    401: LocalizedText("wants a key (status 401); put it into {key_env}"),
    402: LocalizedText("wants to be paid (status 402)"),
    403: LocalizedText("does not let this key in (status 403); look at {key_env}"),
    404: LocalizedText(
        "knows no such path or model (status 404); compare learn.endpoint and learn.model"
    ),
    413: LocalizedText("finds the question too long (status 413); lower learn.batch_size"),
    429: LocalizedText("is asked too often (status 429)"),
}
_REDIRECT = LocalizedText(
    "sends elsewhere (status {status}), which is not followed; set learn.endpoint"
)
_ANY_STATUS = LocalizedText("answered status {status}")
_SLOW = LocalizedText("gave {reason}; a larger learn.timeout_s gives it more time")
_NO_LINE = LocalizedText("cannot be reached ({reason})")
_ODD = LocalizedText("{reason}")


class StatusError(Exception):
    """The server answered with a status that is not 2xx."""

    def __init__(self, status: int, headers: Mapping[str, str], key_env: str = "") -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.key_env = key_env
        self.rest_s = (
            _retry_after_s(headers.get("retry-after", "")) if status in (429, 503) else None
        )

    @property
    def refuses_form(self) -> bool:
        """Whether servers send this status for an unknown parameter."""
        return self.status in (400, 415, 422, 501)


def trouble(error: Exception) -> LocalizedText:
    """The message for an error, without anything the server sent.

    >>> trouble(StatusError(401, {}, "MY_KEY")).text()
    'wants a key (status 401); put it into MY_KEY'
    """
    if isinstance(error, StatusError):
        common = _REDIRECT if 300 <= error.status < 400 else _ANY_STATUS
        return _STATUS.get(error.status, common).filled(
            status=error.status, key_env=error.key_env or "learn.api_key_env"
        )
    if isinstance(error, CutError):
        return STOPPED
    if isinstance(error, TimeoutError):
        return _SLOW.filled(reason=str(error))
    if isinstance(error, ValueError):  # our own: too long, compressed, not a completion
        return (
            NO_ENVELOPE if isinstance(error, UnicodeError) else _ODD.filled(reason=str(error)[:200])
        )
    return _NO_LINE.filled(reason=type(error).__name__)


def model_error(base: str, said: LocalizedText, *, answered: bool = False) -> ModelError:
    """The error to raise: which server, and what went wrong."""
    kind = ModelAnswerError if answered else ModelError
    return kind(LocalizedText("{base}: {problem}", base=base, problem=said))


def _retry_after_s(value: str) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or a date; None if neither.

    >>> _retry_after_s("7"), _retry_after_s("soon"), _retry_after_s("Thu, 01 Jan 1970 00:00:00 GMT")
    (7.0, None, 0.0)
    """
    word = value.strip()
    if word.isascii() and word.isdigit():
        return float(word[:9])
    try:
        moment = parsedate_to_datetime(word)
    except (ValueError, TypeError, IndexError):
        return None
    return max(
        (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds(), 0.0
    )


def said_of(error: Exception) -> LocalizedText:
    """The message to show for an error; for a foreign one only its class name, since its text may quote the chat.

    >>> said_of(ValueError("what Lin said")).text()
    'learning from chats: ValueError'
    """
    if isinstance(error, RoleMemoryError):
        return LocalizedText("{error}", error=error)
    if isinstance(error, OSError):
        return LocalizedText(str(error))
    return LocalizedText("learning from chats: {name}", name=type(error).__name__)
