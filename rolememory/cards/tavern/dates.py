"""The times that SillyTavern wrote over the years: ISO, epoch numbers, and three spellings of its own."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST, _LATEST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)

_NUMBER = re.compile(r"\d{1,19}(?:\.\d+)?")
_ENGLISH = re.compile(
    r"([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4}),?(?: (?:at )?(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap]m)?)?",
    re.IGNORECASE,
)
_HUMANIZED = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(?:(\d{1,2})s)? ?(?:(\d{1,3})ms)?"
)
_CHINESE = re.compile(
    r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号號]\s*(?:(凌晨|早上|上午|中午|下午|傍晚|晚上)?\s*(\d{1,2})\s*[:：点點时時]\s*(\d{1,2})?\s*分?(?:[:：]?(\d{1,2})秒?)?)?"
)
_LATER_HALF = frozenset({"下午", "傍晚", "晚上"})


def sent_at(value: object, zone: tzinfo | None = None) -> datetime | None:
    """When a message was sent, in UTC; None where nothing can be made of it, or the year is out of any reason.

    A time without a zone was written by the clock of the player's machine: `zone` is that clock, None this machine's.

    >>> from datetime import timezone
    >>> east = timezone(timedelta(hours=8))
    >>> str(sent_at("June 19, 2023 2:20pm", east)), str(sent_at("2023-6-19 @14h 20m 33s 123ms", east))
    ('2023-06-19 06:20:00+00:00', '2023-06-19 06:20:33.123000+00:00')
    >>> str(sent_at(1687184433123)), sent_at("yesterday")
    ('2023-06-19 14:20:33.123000+00:00', None)
    """
    try:
        found = _read(value, zone)
    except (ValueError, OverflowError, OSError):
        return None
    return found if found and _EARLIEST <= found < _LATEST else None


def _read(value: object, zone: tzinfo | None) -> datetime | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _since_epoch(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return _since_epoch(float(text))
    for pattern, meant in _SPELLINGS:
        if found := pattern.match(text):
            return _in_utc(meant(found.groups()), zone)
    return _in_utc(datetime.fromisoformat(text), zone)


def _since_epoch(number: float) -> datetime:
    """A number is milliseconds, as scripts count, or seconds where it is small."""
    return _EPOCH + timedelta(seconds=number / 1000 if number >= 10**11 else number)


def _in_utc(moment: datetime, zone: tzinfo | None) -> datetime:
    if moment.tzinfo is None and zone is not None:
        moment = moment.replace(tzinfo=zone)
    return moment.astimezone(UTC)  # a naive one by the clock of this machine


def _english(parts: Sequence[str | None]) -> datetime:
    name, day, year, hour, minute, second, half = parts
    month = _MONTHS.index(str(name)[:3].lower()) + 1
    return _moment(
        year, str(month), day, str(_of_day(int(hour or 0), (half or "").lower())), minute, second
    )


def _of_day(hour: int, half: str) -> int:
    """The hour of 24.

    >>> _of_day(12, "am"), _of_day(12, "pm"), _of_day(2, "pm"), _of_day(14, "")
    (0, 12, 14, 14)
    """
    return hour % 12 + (12 if half == "pm" else 0) if half else hour


def _humanized(parts: Sequence[str | None]) -> datetime:
    *whole, ms = parts
    return _moment(*whole) + timedelta(milliseconds=int(ms or 0))


def _chinese(parts: Sequence[str | None]) -> datetime:
    year, month, day, half, hour, minute, second = parts
    hours = int(hour or 0)
    hours += 12 if half in _LATER_HALF and hours < 12 else 0
    return _moment(year, month, day, str(hours % 24), minute, second)


def _moment(*parts: str | None) -> datetime:
    return datetime(*(int(part or 0) for part in parts))  # type: ignore[arg-type]  # noqa: DTZ001  # the zone is settled by the caller


_SPELLINGS: tuple[tuple[re.Pattern[str], Callable[[Sequence[str | None]], datetime]], ...] = (
    (_HUMANIZED, _humanized),
    (_ENGLISH, _english),
    (_CHINESE, _chinese),
)


def named_at(name: str, zone: tzinfo | None = None) -> datetime | None:
    """The time in the name of a chat's file, which is when the chat was begun.

    >>> str(named_at("Asha - 2024-07-12@01h31m37s", UTC)), named_at("Branch #2")
    ('2024-07-12 01:31:37+00:00', None)
    """
    found = _HUMANIZED.search(name)
    return sent_at(found.group(), zone) if found else None
