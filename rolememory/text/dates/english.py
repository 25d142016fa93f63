"""English words of time, counted from now: yesterday, three days ago, last week, on Tuesday night."""

from functools import cache, partial

import regex

from rolememory.text.dates import english_calendar
from rolememory.text.dates.english_calendar import RELATIVE, WHICH, words
from rolememory.text.dates.grammar import (
    LIKELY,
    SURE,
    UNSURE,
    Family,
    Grammar,
    Match,
    NamedTime,
    Rules,
    any_of,
    window,
)
from rolememory.text.dates.spans import Calendar, Extent

_TENS = "(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[\\s-](?:one|two|three|four|five|six|seven|eight|nine)"

_WHOLES = ("weekend", "week", "month", "year", "decade", "century")
_WORD, _DIGIT = regex.compile("[a-z]+"), regex.compile("[0-9]")


@cache
def english() -> Grammar:
    """The grammar, built from the lexicon once."""
    units = [*words()["units"], "fortnight"]
    families = [
        Family(
            _last_words(*words()["days"], *words()["parts_of_days"], *words()["vague"]), _days()
        ),
        Family(frozenset(units) | {f"{unit}s" for unit in units}, _counts()),
        Family(frozenset(_WHOLES), _wholes()),
        Family(frozenset(words()["weekdays"]), _weekdays()),
        *english_calendar.families(),
    ]
    return Grammar(families, any_of(words()["never"]), _compiled, _signs)


def _signs(text: str) -> set[str]:
    """The words of the text, and # where a digit stands."""
    found = set(_WORD.findall(text.lower()))
    return found | {"#"} if _DIGIT.search(text) else found


def _last_words(*phrases: str) -> frozenset[str]:
    return frozenset(_WORD.findall(phrase)[-1] for phrase in phrases)


@cache
def _compiled(source: str) -> "regex.Pattern[str]":
    """Whole words, any case; a blank may be several, or a line break."""
    return regex.compile(
        rf"(?<![A-Za-z0-9_’'-])(?:{source.replace(' ', chr(92) + 's+')})(?![A-Za-z0-9_])",
        regex.IGNORECASE,
    )


def _said(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


def _days() -> Rules:
    parts = any_of(words()["parts_of_day"])
    return [
        (rf"(?P<day>{any_of(words()['days'])})(?:(?: at)? (?P<part>{parts}))?", _day),
        (any_of(words()["parts_of_days"]), _part_of_day),
        (any_of(words()["vague"]), _vague),
    ]


def _day(match: Match, calendar: Calendar) -> NamedTime:
    return NamedTime(
        _part(calendar.from_today(words()["days"][_said(match["day"])]), match, calendar)
    )


def _part_of_day(match: Match, calendar: Calendar) -> NamedTime:
    days, first, behind = words()["parts_of_days"][_said(match[0])]
    return NamedTime(calendar.part(calendar.from_today(days), (first, behind)))


def _vague(match: Match, calendar: Calendar) -> NamedTime:
    since, until, certainty = words()["vague"][_said(match[0])]
    return NamedTime(window(calendar, since, until), certainty)


def _part(extent: Extent, match: Match, calendar: Calendar) -> Extent:
    """The part of the day that the match names, or all of it."""
    return (
        calendar.part(extent, words()["parts_of_day"][match["part"].lower()])
        if match["part"]
        else extent
    )


def _counts() -> Rules:
    count = (
        rf"(?P<count>\d{{1,4}}|{_TENS}|{any_of([*words()['vague_numbers'], *words()['numbers']])})"
    )
    unit = rf"(?P<unit>{any_of(words()['units'])})s?"
    return [
        (rf"{count} {unit} (?:ago|back)", partial(_ago, more=0.0)),
        (rf"{count} {unit} and a half ago", partial(_ago, more=0.5)),
        (rf"{count} and a half {unit} ago", partial(_ago, more=0.5)),
        ("(?:a|one) fortnight ago", lambda _, calendar: NamedTime(calendar.around(2, 2, "week"))),
        (rf"in {count} {unit}(?! of\b)", _ahead),
        (rf"{count} {unit} from now", _ahead),
        (rf"(?:the|these|this) (?:last|past)(?: {count})? {unit}(?! of\b| before\b)", _so_far),
    ]


def _number(text: str) -> tuple[float, float]:
    """Least and most of a number in words or digits."""
    said = _said(text).replace("-", " ")
    if said in words()["vague_numbers"]:
        least, most = words()["vague_numbers"][said]
        return least, most
    numbers = words()["numbers"]
    number = (
        float(said)
        if said.isdigit()
        else numbers.get(said) or sum(numbers[word] for word in said.split())
    )
    return number, number


def _unit(match: Match) -> str:
    return str(words()["units"][match["unit"].lower()])


def _ago(match: Match, calendar: Calendar, more: float) -> NamedTime:
    least, most = _number(match["count"])
    extent = calendar.around(least + more, most + more, _unit(match))
    night = match["unit"].lower() == "night" and least == most
    return NamedTime(
        calendar.part(extent, (18, 30)) if night else extent, SURE if least == most else LIKELY
    )


def _ahead(match: Match, calendar: Calendar) -> NamedTime | None:
    least, most = _number(match["count"])
    return NamedTime(calendar.around(-most, -least, _unit(match)), UNSURE) if most < 1000 else None


def _so_far(match: Match, calendar: Calendar) -> NamedTime | None:
    """Not "the last night", which is the final one; but "the past night" and "the last two nights"."""
    final = (
        match["count"] is None
        and "last" in match[0].lower()
        and match["unit"].lower() in ("night", "day", "hour", "minute")
    )
    return (
        None
        if final
        else NamedTime(
            calendar.until_now(_number(match["count"] or "one")[1], _unit(match)), LIKELY
        )
    )


def _wholes() -> Rules:
    whole = f"(?P<whole>{any_of(_WHOLES)})"
    return [
        (
            rf"(?<!the )(?:(?:earlier|later) )?(?P<which>last|previous|this|current|next|coming) {whole}",
            _whole,
        ),
        (rf"the (?P<which>previous|current|coming) {whole}", _whole),
        (rf"(?:the )?{whole} (?P<which>before last)", _whole),
    ]


def _whole(match: Match, calendar: Calendar) -> NamedTime:
    unit, offset, year = match["whole"].lower(), _offset(match["which"]), calendar.today.year
    if unit == "month":
        return NamedTime(calendar.months_from_now(offset))
    if unit in ("week", "weekend"):
        return NamedTime(calendar.week(offset) if unit == "week" else calendar.weekend(offset))
    length = {"year": 1, "decade": 10, "century": 100}[unit]
    first = year - year % length + offset * length
    return NamedTime(calendar.years(first, first + length))


def _offset(which: str) -> int:
    """Units from this one: "last", "next", "before last"."""
    return RELATIVE.get(which.lower(), -2)


def _weekdays() -> Rules:
    name = rf"(?P<name>{any_of(words()['weekdays'])})"
    part = rf"(?: (?P<part>{any_of(words()['parts_of_day'])}))?"
    week = r"(?:the )?(?:(?P<which>last|this|next|previous) week|week (?P<two>before last))"
    leads = "on|last|this|next|previous|coming|since|until|till|by|from"
    return [
        (rf"(?<!every )(?<!each )(?:(?P<lead>{leads}) )?{name}{part}", _weekday),
        (rf"(?:on )?{name}{part},?(?: of)? {week}", _weekday_of_week),
        (rf"{week},?(?: on)? {name}{part}", _weekday_of_week),
    ]


def _weekday(match: Match, calendar: Calendar) -> NamedTime | None:
    lead = (match["lead"] or "").lower()
    if not lead and (match["name"].islower() or _names_someone(match)):
        return None
    extent = calendar.nearest_weekday(
        words()["weekdays"][match["name"].lower()], WHICH.get(lead, "latest")
    )
    return NamedTime(_part(extent, match, calendar), LIKELY if lead or match["part"] else 0.6)


def _weekday_of_week(match: Match, calendar: Calendar) -> NamedTime:
    extent = calendar.weekday(
        words()["weekdays"][match["name"].lower()], _offset(match["which"] or match["two"])
    )
    return NamedTime(_part(extent, match, calendar))


def _names_someone(match: Match) -> bool:
    """Whether a capitalised word follows: Wednesday Addams, Sunday Times."""
    return regex.match(r"\s+\p{Lu}", match.string, pos=match.end()) is not None
