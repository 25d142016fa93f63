"""Parses times of all SillyTavern versions: ISO, epoch numbers, dates in words, and two own notations."""

import re
from datetime import UTC, datetime, tzinfo

from rolememory.text.timestamps import moment

_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
_LATEST = datetime(2200, 1, 1, tzinfo=UTC)
_HUMANIZED = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(?:(\d{1,2})s)? ?(?:(\d{1,3})ms)?"
)


def sent_at(value: object, zone: tzinfo | None = None) -> datetime | None:
    """The time of a message in UTC; None if unreadable or with an absurd year.

    Times without a zone are in the player's local time: `zone`, None = this machine's.

    >>> from datetime import timedelta, timezone
    >>> east = timezone(timedelta(hours=8))
    >>> str(sent_at("June 19, 2023 2:20pm", east)), str(sent_at("2023-6-19 @14h 20m 33s 123ms", east))
    ('2023-06-19 06:20:00+00:00', '2023-06-19 06:20:33.123000+00:00')
    >>> str(sent_at(1687184433123)), sent_at("yesterday")
    ('2023-06-19 14:20:33.123000+00:00', None)
    """
    spelt = _HUMANIZED.match(value.strip()) if isinstance(value, str) else None
    try:
        found = moment(_spelt(spelt) if spelt else value, zone)
    except ValueError:
        return None
    return found if _EARLIEST <= found < _LATEST else None


def _spelt(found: re.Match[str]) -> datetime:
    year, month, day, hour, minute, second, ms = (int(part or 0) for part in found.groups())
    return datetime(year, month, day, hour, minute, second, ms * 1000)  # noqa: DTZ001  # as written


def named_at(name: str, zone: tzinfo | None = None) -> datetime | None:
    """The time in a chat's file name, when it was begun.

    >>> str(named_at("Asha - 2024-07-12@01h31m37s", UTC)), named_at("Branch #2")
    ('2024-07-12 01:31:37+00:00', None)
    """
    found = _HUMANIZED.search(name)
    return sent_at(found.group(), zone) if found else None
