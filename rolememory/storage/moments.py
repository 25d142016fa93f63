"""Times as people, frontends and databases write them."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from rolememory.schema.memory import in_utc

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_DAY = re.compile(
    r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?(?:\s*[(（]?(?:周|星期|礼拜)[一二三四五六日天][)）]?)?(?:[T\s]+(\d{1,2})[:：时](\d{1,2})分?(?:[:：](\d{1,2})秒?)?)?\s*"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(value: Any) -> datetime:
    """The time meant, in UTC: ISO, a date with slashes or Chinese words, or an epoch in s, ms, µs or ns (number or digits).

    A number's unit follows from its size: below 10^11 seconds (the year 5138), below 10^14 ms, below 10^17 µs, else ns.
    Raises: ValueError.

    >>> [str(moment(value)) for value in (1714586400, "1714586400000", "2024年5月1日 18:00", "2024-05-01T18:00:00Z")] == ["2024-05-01 18:00:00+00:00"] * 4
    True
    """
    try:
        if isinstance(value, datetime):
            return in_utc(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return since_epoch(value)
        if isinstance(value, str):
            return _written(value.strip())
    except (OverflowError, ValueError) as error:
        raise ValueError(str(error)) from error
    raise ValueError(f"not a time: {type(value).__name__}")


def since_epoch(number: float) -> datetime:
    """The moment so many s, ms, µs or ns after 1970.

    >>> str(since_epoch(1714586400123456))
    '2024-05-01 18:00:00.123456+00:00'
    """
    size = abs(number)
    micros = (
        number * (10**6 if size < 10**11 else 10**3 if size < 10**14 else 1)
        if size < 10**17
        else number // 1000
    )
    return _EPOCH + timedelta(microseconds=round(micros))


def iso(value: datetime) -> str:
    """The shortest ISO form in UTC.

    >>> iso(datetime(2024, 5, 1, 18, 0, tzinfo=UTC))
    '2024-05-01T18:00:00Z'
    """
    return value.isoformat().replace("+00:00", "Z")


def _written(text: str) -> datetime:
    if _NUMBER.fullmatch(text):
        return _digits(text)
    if day := _DAY.fullmatch(text):
        return datetime(*(int(part or 0) for part in day.groups()), tzinfo=UTC)  # type: ignore[arg-type, misc]
    return in_utc(datetime.fromisoformat(text))


def _digits(text: str) -> datetime:
    """A year, a day or an epoch.

    >>> _digits("1887").year, _digits("20240501").month, _digits("1714586400").year
    (1887, 5, 2024)
    """
    if len(text) == 4:
        return datetime(int(text), 1, 1, tzinfo=UTC)
    if len(text) == 8 and text[:2] in ("18", "19", "20", "21"):
        return datetime.strptime(text, "%Y%m%d").replace(tzinfo=UTC)
    return since_epoch(float(text) if "." in text else int(text))
