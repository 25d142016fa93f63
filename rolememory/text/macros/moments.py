"""Formatting of times for macros: formats and relative times of moment.js, in English."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta

from rolememory.text.late_pattern import late_pattern

_TOKEN = late_pattern(
    r"\[[^\[]*\]|\\.|LTS?|L{1,4}|l{1,4}|Mo|M{1,4}|Qo?|Do|DDDo|D{1,4}|do|d{1,4}|[eEaAN]|[wW]o|w{1,2}|W{1,2}"
    r"|YYYY|YY|y|gggg|gg|GGGG|GG|HH?|hh?|kk?|mm?|ss?|S{1,9}|[xX]|ZZ?"
)
_LONG = {
    "LT": "h:mm A",
    "LTS": "h:mm:ss A",
    "L": "MM/DD/YYYY",
    "LL": "MMMM D, YYYY",
    "LLL": "MMMM D, YYYY h:mm A",
    "LLLL": "dddd, MMMM D, YYYY h:mm A",
    "l": "M/D/YYYY",
    "ll": "MMM D, YYYY",
    "lll": "MMM D, YYYY h:mm A",
    "llll": "ddd, MMM D, YYYY h:mm A",
}
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_ISO_MONTH = late_pattern(r"\d{4}-?\d\d")
_OFFSET = late_pattern(r"UTC([+-]\d+)", re.ASCII)
_STEPS = (  # moment.js, "relative time thresholds"
    ("seconds", 44, "a few seconds"),
    ("minutes", 1, "a minute"),
    ("minutes", 44, "{} minutes"),
    ("hours", 1, "an hour"),
    ("hours", 21, "{} hours"),
    ("days", 1, "a day"),
    ("days", 25, "{} days"),
    ("months", 1, "a month"),
    ("months", 10, "{} months"),
    ("years", 1, "a year"),
)


def formatted(when: datetime, form: str) -> str:
    """The time in a format of moment.js; "" = ISO 8601.

    >>> formatted(datetime(2026, 11, 23, 15, 4, 5, tzinfo=UTC), "dddd Do MMMM, h A [o'clock]")
    "Monday 23rd November, 3 PM o'clock"
    """
    return _TOKEN.sub(lambda found: _said(when, found[0]), form or "YYYY-MM-DDTHH:mm:ssZ")


def shifted(when: datetime, offset: str) -> datetime:
    """The time with another offset: `UTC+2`, else unchanged. Numbers up to 16 are hours, above it minutes."""
    found = _OFFSET.fullmatch(offset)
    if found is None or len(found[1]) > 5:
        return when
    number = int(found[1])
    return when.astimezone(UTC) + (
        timedelta(hours=number) if abs(number) < 16 else timedelta(minutes=number)
    )


def ago(span: timedelta) -> str:
    """A duration in words.

    >>> [ago(timedelta(hours=hours)) for hours in (0, 5, 30, 24 * 400)]
    ['a few seconds', '5 hours', 'a day', 'a year']
    """
    days = abs(span) / timedelta(days=1)
    amounts = {
        "seconds": days * 86_400,
        "minutes": days * 1_440,
        "hours": days * 24,
        "days": days,
        "months": days * 4800 / 146_097,
        "years": days * 400 / 146_097,
    }
    told = {unit: int(amount + 0.5) for unit, amount in amounts.items()}
    for unit, most, words in _STEPS:
        if told[unit] <= most:
            return words.format(told[unit])
    return f"{told['years']} years"


def difference(left: str, right: str) -> str:
    """`3 hours ago` if left is before right, else `in 3 hours`.

    >>> difference("2023-01-01 12:00", "2023-01-01 15:00"), difference("soon", "now")
    ('3 hours ago', 'Invalid date')
    """
    one, other = _read(left), _read(right)
    if one is None or other is None:
        return "Invalid date"
    words = ago(one - other)
    return f"in {words}" if one > other else f"{words} ago"


def _read(text: str) -> datetime | None:
    """A time in ISO 8601, or a month; UTC if without a zone."""
    written = text.strip()
    if _ISO_MONTH.fullmatch(written):
        written = f"{written[:4]}-{written[-2:]}-01"
    try:
        when = datetime.fromisoformat(written)
        return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _said(when: datetime, token: str) -> str:
    if token[0] == "[" and token[-1] == "]":
        return token[1:-1]
    if token[0] == "\\":
        return token[1:]
    if token in _LONG:
        return formatted(when, _LONG[token])
    if token[0] == "S":
        return f"{when.microsecond // 1000:03d}".ljust(9, "0")[: len(token)]
    if token in _WORDS:
        return _WORDS[token](when)
    return _numbered(when, token)


def _numbered(when: datetime, token: str) -> str:
    """A number, ordinal (`Do`), or zero-padded number (`DD`) of a token; other tokens unchanged."""
    if token in _NUMBERS:
        return str(_NUMBERS[token](when))
    if token[:-1] in _NUMBERS:
        number = _NUMBERS[token[:-1]](when)
        return _nth(number) if token[-1] == "o" else f"{number:0{len(token)}d}"
    return token


def _nth(number: int) -> str:
    tail = (
        "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    )
    return f"{number}{tail}"


def _week(when: datetime) -> tuple[int, int]:
    """Year and week by moment.js's US rules: weeks begin on Sunday, the first contains January 1."""
    sunday = when.date() - timedelta(days=when.isoweekday() % 7)
    year = (sunday + timedelta(days=6)).year
    first = date(year, 1, 1)
    return year, (sunday - (first - timedelta(days=first.isoweekday() % 7))).days // 7 + 1


def _zone(when: datetime, between: str) -> str:
    offset = when.strftime("%z") or "+0000"
    return offset[:3] + between + offset[3:5]


def _weekday(when: datetime) -> int:
    return when.isoweekday() % 7


_NUMBERS: Mapping[str, Callable[[datetime], int]] = {
    "M": lambda when: when.month,
    "Q": lambda when: (when.month + 2) // 3,
    "D": lambda when: when.day,
    "DDD": lambda when: when.timetuple().tm_yday,
    "d": _weekday,
    "e": _weekday,
    "E": datetime.isoweekday,
    "w": lambda when: _week(when)[1],
    "W": lambda when: when.isocalendar().week,
    "y": lambda when: when.year,
    "H": lambda when: when.hour,
    "h": lambda when: when.hour % 12 or 12,
    "k": lambda when: when.hour or 24,
    "m": lambda when: when.minute,
    "s": lambda when: when.second,
    "X": lambda when: int(when.timestamp()),
    "x": lambda when: int(when.timestamp() * 1000),
}
_WORDS: Mapping[str, Callable[[datetime], str]] = {
    "MMM": lambda when: _MONTHS[when.month - 1][:3],
    "MMMM": lambda when: _MONTHS[when.month - 1],
    "DDDD": lambda when: f"{when.timetuple().tm_yday:03d}",
    "dd": lambda when: _DAYS[_weekday(when)][:2],
    "ddd": lambda when: _DAYS[_weekday(when)][:3],
    "dddd": lambda when: _DAYS[_weekday(when)],
    "YY": lambda when: f"{when.year % 100:02d}",
    "YYYY": lambda when: f"{when.year:04d}",
    "gg": lambda when: f"{_week(when)[0] % 100:02d}",
    "gggg": lambda when: f"{_week(when)[0]:04d}",
    "GG": lambda when: f"{when.isocalendar().year % 100:02d}",
    "GGGG": lambda when: f"{when.isocalendar().year:04d}",
    "N": lambda when: "AD",
    "A": lambda when: "AM" if when.hour < 12 else "PM",
    "a": lambda when: "am" if when.hour < 12 else "pm",
    "Z": lambda when: _zone(when, ":"),
    "ZZ": lambda when: _zone(when, ""),
}
