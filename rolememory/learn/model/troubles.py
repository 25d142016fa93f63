"""What can go wrong between us and a model, in words for people: no bodies, no headers, no keys, nothing of the chat."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from rolememory.errors import ModelAnswerError, ModelError, RoleMemoryError
from rolememory.storage.said import Said
from rolememory.upstream import CutError

BUSY = Said("the chats of this role are being read already", "正在读取这个角色的对话")
RESTS = Said("is left alone for a while ({reason})", "暂时不再询问（{reason}）")
NOT_SET = Said("set learn.endpoint and learn.model", "请设置 learn.endpoint 和 learn.model")
NO_TIME = Said("there was no time left to ask", "没有时间再问了")
GAVE_WAY = Said(
    "is left to the chats; learning goes on once nobody has spoken to it for learn.idle_s seconds",
    "先让给对话；等 learn.idle_s 秒没人跟它说话，再接着学",
)
SPENT = Said(
    "has cost what learning may cost today (learn.daily_tokens = {limit}); it goes on tomorrow",
    "今天学习的用量已到上限（learn.daily_tokens = {limit}）；明天接着学",
)
STOPPED = Said("is not asked any more", "已停止询问")
UNREADABLE = Said(
    "answered, but not as it was asked to ({fault})", "有回答，但不是所要的形式（{fault}）"
)
NO_ENVELOPE = Said(
    "answered something that is not a chat completion; compare learn.endpoint with the server's manual",
    "回答的不是聊天补全的格式；请对照服务器的说明检查 learn.endpoint",
)
REPAIR = Said(
    "That cannot be used: {fault}. Answer the first message once more, with nothing but valid JSON in the form it asks for.",
    "上面的回答不能用：{fault}。请按第一条消息要求的格式重新回答，只输出合法的 JSON，不要写别的。",
)
_STATUS: Mapping[int, Said] = {
    400: Said(
        "refused the request (status 400); compare learn.model with the models it has",
        "拒绝了请求（状态 400）；请检查 learn.model",
    ),
    401: Said(
        "wants a key (status 401); put it into {key_env}",
        "需要密钥（状态 401）；请放进环境变量 {key_env}",
    ),
    402: Said("wants to be paid (status 402)", "需要付费（状态 402）"),
    403: Said(
        "does not let this key in (status 403); look at {key_env}",
        "不接受这个密钥（状态 403）；请检查 {key_env}",
    ),
    404: Said(
        "knows no such path or model (status 404); compare learn.endpoint and learn.model",
        "没有这个路径或模型（状态 404）；请检查 learn.endpoint 和 learn.model",
    ),
    413: Said(
        "finds the question too long (status 413); lower learn.batch_size",
        "嫌问题太长（状态 413）；请调小 learn.batch_size",
    ),
    429: Said("is asked too often (status 429)", "询问过于频繁（状态 429）"),
}
_REDIRECT = Said(
    "sends elsewhere (status {status}), which is not followed; set learn.endpoint",
    "要求转到别处（状态 {status}），不会跟随；请改 learn.endpoint",
)
_ANY_STATUS = Said("answered status {status}", "返回状态 {status}")
_SLOW = Said(
    "gave {reason}; a larger learn.timeout_s gives it more time",
    "没有按时回答（{reason}）；可调大 learn.timeout_s",
)
_NO_LINE = Said("cannot be reached ({reason})", "连接不上（{reason}）")
_ODD = Said("{reason}", "{reason}")


class StatusError(Exception):
    """The server answered with a status that is not 2xx."""

    def __init__(self, status: int, headers: Mapping[str, str], key_env: str = "") -> None:
        super().__init__(f"status {status}")
        self.status, self.key_env = status, key_env
        self.rest_s = _rest(headers.get("retry-after", "")) if status in (429, 503) else None

    @property
    def refuses_form(self) -> bool:
        """Whether this is how servers say that they do not know a parameter."""
        return self.status in (400, 415, 422, 501)


def trouble(error: Exception) -> Said:
    """What went wrong, without anything the server said.

    >>> trouble(StatusError(401, {}, "MY_KEY")).en
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
    if isinstance(error, ValueError):  # ours: too long, packed, no completion
        return (
            NO_ENVELOPE if isinstance(error, UnicodeError) else _ODD.filled(reason=str(error)[:200])
        )
    return _NO_LINE.filled(reason=type(error).__name__)


def model_error(base: str, said: Said, *, answered: bool = False) -> ModelError:
    """The error for people: which server, and what."""
    kind = ModelAnswerError if answered else ModelError
    return kind(f"{base}: {said.en}", zh=f"{base}：{said.zh}")


def _rest(value: str) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or a date; None where it says nothing.

    >>> _rest("7"), _rest("soon"), _rest("Thu, 01 Jan 1970 00:00:00 GMT")
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


def said_of(error: Exception) -> Said:
    """An error as people may read it; of one that is not ours the name alone, since it may quote the chat.

    >>> said_of(ValueError("what Lin said")).en
    'learning from chats: ValueError'
    """
    if isinstance(error, RoleMemoryError):
        return Said(str(error), error.text("zh"))
    if isinstance(error, OSError):
        return Said(str(error), str(error))
    return Said(
        f"learning from chats: {type(error).__name__}", f"从对话中学习：{type(error).__name__}"
    )
