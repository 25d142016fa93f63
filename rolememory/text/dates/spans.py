"""Days, weeks, months, seasons and years relative to a time, as half-open intervals."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

from rolememory.schema.settings import DatesSettings
from rolememory.schema.value_class import value_class

Extent = tuple[datetime, datetime]
Which = Literal["latest", "last", "this", "next"]
"""Which occurrence of a recurring time: the latest begun, the latest over, the current (or this year's), the next to begin."""

DAY = timedelta(days=1)
UNIT_DAYS = {
    "minute": 1 / 1440,
    "hour": 1 / 24,
    "day": 1.0,
    "week": 7.0,
    "month": 30.44,
    "quarter": 91.3,
    "year": 365.25,
}
UNIT_DAYS |= {"decade": 3652.5, "century": 36525.0}
_SEASONS = {
    "spring": 3,
    "summer": 6,
    "autumn": 9,
    "winter": 12,
}  # first month, in the northern hemisphere


@value_class
class Calendar:
    """The calendar relative to `now`; extents have the zone of `now` (UTC if it has none)."""

    now: datetime
    settings: DatesSettings

    @classmethod
    def at(cls, now: datetime, settings: DatesSettings) -> "Calendar":
        """The calendar for that time, UTC if it has no zone."""
        return cls(now if now.tzinfo else now.replace(tzinfo=UTC), settings)

    @property
    def today(self) -> date:
        """The day of `now`."""
        return self.now.date()

    def moment(self, day: date, hour: float = 0) -> datetime:
        """That hour of the day; 24 and above are in the next day."""
        return datetime.combine(day, time(), self.now.tzinfo) + timedelta(hours=hour)

    def days(self, first: date, behind: date) -> Extent:
        """From the first day up to, not including, `behind`."""
        return self.moment(first), self.moment(behind)

    def day(self, day: date) -> Extent:
        """That day."""
        return self.days(day, day + DAY)

    def from_today(self, days: int) -> Extent:
        """The day `days` from today."""
        return self.day(self.today + days * DAY)

    def part(self, extent: Extent, hours: tuple[float, float]) -> Extent:
        """Hours of the extent's first day, e.g. (18, 24)."""
        day = extent[0].date()
        return self.moment(day, hours[0]), self.moment(day, hours[1])

    def week_start(self, weeks: int = 0) -> date:
        """The first day of the week `weeks` from this one."""
        first = 0 if self.settings.first_day_of_week == "monday" else 6
        return self.today - ((self.today.weekday() - first) % 7) * DAY + 7 * weeks * DAY

    def week(self, weeks: int) -> Extent:
        """The week `weeks` from this one."""
        return self.days(self.week_start(weeks), self.week_start(weeks + 1))

    def weekday(self, number: int, weeks: int) -> Extent:
        """That day (Monday = 0) of the week `weeks` from this one."""
        start = self.week_start(weeks)
        return self.day(start + ((number - start.weekday()) % 7) * DAY)

    def weekend(self, weeks: int) -> Extent:
        """Saturday and Sunday of the week `weeks` from this one, together whatever the first day of the week."""
        monday = self.today - self.today.weekday() * DAY + 7 * weeks * DAY
        return self.days(monday + 5 * DAY, monday + 7 * DAY)

    def nearest_weekday(self, number: int, which: Which) -> Extent:
        """The latest such day (today counts), the last before today, or the next after today."""
        if which == "this":
            return self.weekday(number, 0)
        back = (self.today.weekday() - number) % 7
        if which == "next":
            return self.from_today(7 - back)
        return self.from_today(-(back or 7) if which == "last" else -back)

    def month(self, year: int, month: int, part: tuple[int, int] | None = None) -> Extent:
        """That month (13 = January of the next year), or its days `part[0]` to `part[1]`."""
        year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
        first, behind = date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)
        if part:
            behind = min(behind, date(year, month, 1) + part[1] * DAY)
            first = date(year, month, part[0])
        return self.days(first, behind)

    def months_from_now(self, months: int, part: tuple[int, int] | None = None) -> Extent:
        """The month `months` from this one."""
        return self.month(self.today.year, self.today.month + months, part)

    def year(self, year: int) -> Extent:
        """That year."""
        return self.years(year, year + 1)

    def years(self, first: int, behind: int) -> Extent:
        """From the first year up to, not including, `behind`."""
        return self.days(date(first, 1, 1), date(behind, 1, 1))

    def season(self, year: int, name: str) -> Extent:
        """That season; a winter belongs to the year it begins in."""
        month = _SEASONS[name] + (6 if self.settings.hemisphere == "south" else 0)
        month -= 12 if month > 12 else 0
        return self.month(year, month)[0], self.month(year, month + 2)[1]

    def around(self, least: float, most: float, unit: str) -> Extent:
        """`least` to `most` units ago (negative: ahead), as wide as the unit: "two weeks ago" is a week, "an hour ago" an hour."""
        length = UNIT_DAYS[unit]
        half = 0.0 if unit == "day" or least != most else length / (4 if least % 1 else 2)
        if length < 1:
            return self.now - timedelta(days=most * length + half), self.now - timedelta(
                days=least * length - half
            )
        first, last = (
            (round(most * length) + int(half)) * DAY,
            (round(least * length) - int(half)) * DAY,
        )
        return self.days(self.today - first, self.today - last + DAY)

    def until_now(self, count: float, unit: str) -> Extent:
        """The last `count` units up to now."""
        return self.moment((self.now - timedelta(days=count * UNIT_DAYS[unit])).date()), self.now

    def recurring(self, make: Callable[[int], Extent | None], which: Which) -> Extent | None:
        """The yearly occurrence that `which` means."""
        year, now = self.today.year, self.now
        meant: Callable[[Extent], bool] = {
            "latest": lambda one: one[0] <= now,
            "last": lambda one: one[1] <= now,
            "this": lambda one: one[0] <= now < one[1],
            "next": lambda one: one[0] > now,
        }[which]
        found = [one for each in range(year - 2, year + 3) if (one := make(each)) and meant(one)]
        if which in ("latest", "last"):
            return max(found, default=None)
        return min(found, default=None) or (make(year) if which == "this" else None)
