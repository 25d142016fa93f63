"""Times named in texts, in English and Chinese, and what only looks like one."""

from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.schema.scene import Language, TimeSpan
from rolememory.schema.settings import DatesSettings
from rolememory.text.dates import MAX_TEXT, teller, times
from rolememory.text.dates.festivals import easter, festival_days
from rolememory.text.dates.grammar import grammar
from rolememory.text.dates.lunar import lunar_date
from rolememory.text.dates.meanings import MEANINGS

NOW = datetime(2025, 6, 11, 15, 0, tzinfo=UTC)
"""A Wednesday afternoon."""

# text = what it names: a day, a month, a year, or "from..behind"; "|" between several, nothing for none
ENGLISH = """
yesterday = 2025-06-10
What did we do yesterday? = 2025-06-10
Yesterday's storm = 2025-06-10
the day before yesterday = 2025-06-09
today = 2025-06-11
tomorrow = 2025-06-12
the day after tomorrow = 2025-06-13
yesterday morning = 2025-06-10T05..2025-06-10T12
yesterday  evening = 2025-06-10T17..2025-06-11
tomorrow afternoon = 2025-06-12T12..2025-06-12T18
tonight = 2025-06-11T18..2025-06-12T06
last night = 2025-06-10T18..2025-06-11T06
LAST NIGHT I dreamt = 2025-06-10T18..2025-06-11T06
the night before last = 2025-06-09T18..2025-06-10T06
this morning = 2025-06-11T05..2025-06-11T12
this evening = 2025-06-11T17..2025-06-12
three days ago = 2025-06-08
3 days ago = 2025-06-08
a day ago = 2025-06-10
ten days ago = 2025-06-01
two nights ago = 2025-06-09T18..2025-06-10T06
a week ago = 2025-06-01..2025-06-08
two weeks ago = 2025-05-25..2025-06-01
a fortnight ago = 2025-05-25..2025-06-01
a month ago = 2025-04-27..2025-05-28
three months ago = 2025-02-25..2025-03-28
a year ago = 2023-12-12..2024-12-11
twenty-five years ago = 1999-12-12..2000-12-11
two hundred years ago = 1824-12-10..1825-12-10
a century ago = 1875-06-11..1975-06-12
half a year ago = 2024-11-04..2025-01-17
a year and a half ago = 2023-09-11..2024-03-12
two and a half years ago = 2022-09-11..2023-03-13
a few days ago = 2025-06-05..2025-06-10
several days ago = 2025-06-02..2025-06-09
a couple of days ago = 2025-06-08..2025-06-10
two or three weeks ago = 2025-05-21..2025-05-29
a few years ago = 2019-06-11..2023-06-13
an hour ago = 2025-06-11T13:30..2025-06-11T14:30
in three days = 2025-06-14
two weeks from now = 2025-06-22..2025-06-29
the last two weeks = 2025-05-28..2025-06-11T15
over the past week = 2025-06-04..2025-06-11T15
the past few months = 2024-12-10..2025-06-11T15
the last night =
the last day of school =
the last week of March = 2025-03
the letter from June =
the storm of March = 2025-03
last week = 2025-06-02..2025-06-09
this week = 2025-06-09..2025-06-16
next week = 2025-06-16..2025-06-23
the week before last = 2025-05-26..2025-06-02
last weekend = 2025-06-07..2025-06-09
this weekend = 2025-06-14..2025-06-16
last month = 2025-05
earlier this month = 2025-06
next month = 2025-07
the month before last = 2025-04
last year = 2024
this year = 2025
next year = 2026
the year before last = 2023
the next week he left =
the next morning =
last decade = 2010..2020
the previous year = 2024
last time =
last words =
the last of us =
on Tuesday = 2025-06-10
last Tuesday = 2025-06-10
this Tuesday = 2025-06-10
next Tuesday = 2025-06-17
on Wednesday = 2025-06-11
last Wednesday = 2025-06-04
on Thursday = 2025-06-05
on Friday night = 2025-06-06T18..2025-06-07T06
Tuesday last week = 2025-06-03
on Tuesday of last week = 2025-06-03
last week on Friday = 2025-06-06
Friday next week = 2025-06-20
Monday of the week before last = 2025-05-26
since Monday = 2025-06-09
Sunday morning = 2025-06-08T05..2025-06-08T12
on Mondays =
every Monday =
Mondays are hard =
Wednesday Addams =
friday =
Black Friday =
Good Friday = 2025-04-18
in March = 2025-03
in march = 2025-03
last March = 2025-03
next March = 2026-03
since January = 2025-01
in July = 2024-07
last July = 2024-07
March 2023 = 2023-03
march 2023 = 2023-03
March of 2023 = 2023-03
in March of last year = 2024-03
March last year = 2024-03
early March = 2025-03-01..2025-03-11
in mid-May = 2025-05-11..2025-05-21
late April 2019 = 2019-04-21..2019-05-01
at the end of March = 2025-03-21..2025-04
the beginning of May 2020 = 2020-05-01..2020-05-11
the end of last May = 2025-05-21..2025-06
in Sept. 1999 = 1999-09
Nov 2021 = 2021-11
September was cold = 2024-09
In May we met = 2025-05
last May = 2025-05
this June = 2025-06
May I come in? =
you may go =
it may rain =
they march at dawn =
March on! =
a long march =
April said hello =
June is my sister =
August Strindberg =
the jan of ideas =
may 5 people enter =
March 5th = 2025-03-05
March 5 = 2025-03-05
5 March = 2025-03-05
5th of March = 2025-03-05
the 5th of May = 2025-05-05
the fifth of May = 2025-05-05
May the 4th = 2025-05-04
the twenty-first of June = 2024-06-21
the first of January 1900 = 1900-01-01
May 5, 2023 = 2023-05-05
May 5th, 2023 = 2023-05-05
5 May 2023 = 2023-05-05
Dec. 24, 1999 = 1999-12-24
the 14th of July 1789 = 1789-07-14
July 14 = 2024-07-14
July 14 of last year = 2024-07-14
February 29 = 2024-02-29
February 30 =
on the 5th = 2025-06-05
on the 25th. = 2025-05-25
on the 5th floor =
the 5th element =
2023-05-05 = 2023-05-05
2023-5-5 = 2023-05-05
2023/05/05 = 2023-05-05
2023.05.05 = 2023-05-05
1887-02-29 =
5/14/2023 = 2023-05-14
14/5/2023 = 2023-05-14
14.5.2023 = 2023-05-14
3.4.2023 = 2023-04-03
3/4/2023 = 2023-03-04
2023-05-05T10:00:00Z = 2023-05-05
1.2.3 =
192.168.1.1 =
in 1887 = 1887
back in 1999 = 1999
since 2010 = 2010
the storm of 1887 = 1887
in the year 1066 = 1066
in 1887 words =
of 2000 people =
in 2000 years =
1887 =
room 1408 =
in 3000 =
in 12000 =
the 1990s =
the 19th century =
last spring = 2025-03..2025-06
this spring = 2025-03..2025-06
next spring = 2026-03..2026-06
last summer = 2024-06..2024-09
this summer = 2025-06..2025-09
last winter = 2024-12..2025-03
in the summer = 2025-06..2025-09
in autumn = 2024-09..2024-12
last fall = 2024-09..2024-12
the summer of 1887 = 1887-06..1887-09
summer 2019 = 2019-06..2019-09
winter 2019 = 2019-12..2020-03
the spring of last year = 2024-03..2024-06
in the spring of the year before last = 2023-03..2023-06
I fall asleep =
the fall of Rome =
in the fall of Rome =
spring rolls =
she springs up =
Christmas = 2024-12-24..2024-12-27
last Christmas = 2024-12-24..2024-12-27
next Christmas = 2025-12-24..2025-12-27
Christmas Eve = 2024-12-24
on Christmas Day 1914 = 1914-12-25
Christmas of 2019 = 2019-12-24..2019-12-27
Christmas last year = 2024-12-24..2024-12-27
Merry Christmas! =
Happy New Year! =
New Year's Eve = 2024-12-31
New Year’s Eve 1999 = 1999-12-31
Halloween = 2024-10-31
last Halloween = 2024-10-31
Easter 2024 = 2024-03-29..2024-04-02
last Easter = 2025-04-18..2025-04-22
Thanksgiving = 2024-11-28..2024-11-30
Thanksgiving 2022 = 2022-11-24..2022-11-26
on Valentine's Day = 2025-02-14
Mother's Day 2023 = 2023-05-14
Chinese New Year = 2025-01-28..2025-02-05
the Mid-Autumn Festival of 2023 = 2023-09-29
the Dragon Boat Festival = 2025-05-31
recently = 2025-05-28..2025-06-11T15
lately = 2025-05-28..2025-06-11T15
the other day = 2025-06-01..2025-06-11
when I was a kid =
once upon a time =
long ago =
one day =
someday =
all day =
day by day =
a day in the life =
for three days =
three days later =
five minutes =
once a month =
happy birthday =
secondhand =
Monday's meeting = 2025-06-09
在May 5th见面 = 2025-05-05
yesterday and last week = 2025-06-10|2025-06-02..2025-06-09
from March to May 2023 = 2025-03|2023-05
Do you remember the 5th of May, or the summer of 1887? = 2025-05-05|1887-06..1887-09
"""
CHINESE = """
昨天 = 2025-06-10
我们昨天去了哪儿？ = 2025-06-10
前天 = 2025-06-09
大前天 = 2025-06-08
今天 = 2025-06-11
明天 = 2025-06-12
后天 = 2025-06-13
大后天 = 2025-06-14
昨日 = 2025-06-10
昨晚 = 2025-06-10T18..2025-06-11T06
昨天晚上 = 2025-06-10T18..2025-06-11
昨天的下午 = 2025-06-10T12..2025-06-10T18
前天凌晨 = 2025-06-09..2025-06-09T06
今早 = 2025-06-11T05..2025-06-11T11
今晚 = 2025-06-11T18..2025-06-12T06
明天上午 = 2025-06-12T06..2025-06-12T12
他说明天会来 = 2025-06-12
目前天气很好 =
以前天天下雨 =
后天的努力 =
如今天下太平 =
今天下雨 = 2025-06-11
三天前 = 2025-06-08
3天前 = 2025-06-08
３天前 = 2025-06-08
十天以前 = 2025-06-01
两天之前 = 2025-06-09
二十三天前 = 2025-05-19
两周前 = 2025-05-25..2025-06-01
三个星期前 = 2025-05-18..2025-05-25
一个礼拜前 = 2025-06-01..2025-06-08
三个月前 = 2025-02-25..2025-03-28
半年前 = 2024-11-04..2025-01-17
半个月前 = 2025-05-24..2025-05-31
一年前 = 2023-12-12..2024-12-11
一年半前 = 2023-09-11..2024-03-12
两年多以前 = 2022-07-18..2023-06-13
十年前 = 2014-12-12..2015-12-12
一百年前 = 1924-12-11..1925-12-11
几天前 = 2025-06-02..2025-06-10
好几天前 = 2025-06-02..2025-06-09
十几天前 = 2025-05-23..2025-06-01
两三天前 = 2025-06-08..2025-06-10
几个月前 = 2024-09-10..2025-04-12
数月前 = 2024-09-10..2025-03-13
十几年前 = 2006-06-11..2014-06-12
几十年前 = 1935-06-12..2005-06-12
两个小时前 = 2025-06-11T12:30..2025-06-11T13:30
三天后 = 2025-06-14
过去三天 = 2025-06-08..2025-06-11T15
最近两周 = 2025-05-28..2025-06-11T15
这半年 = 2024-12-11..2025-06-11T15
三天 =
走了三天前往北京 =
两年前后 =
2000年前 =
三年级 =
第三天前面 =
上周 = 2025-06-02..2025-06-09
上个星期 = 2025-06-02..2025-06-09
上上周 = 2025-05-26..2025-06-02
这周 = 2025-06-09..2025-06-16
下周 = 2025-06-16..2025-06-23
上周三 = 2025-06-04
上周三晚上 = 2025-06-04T18..2025-06-05
上星期五 = 2025-06-06
上个礼拜天 = 2025-06-08
这周一 = 2025-06-09
本周五 = 2025-06-13
下周二 = 2025-06-17
下下周日 = 2025-06-29
上周末 = 2025-06-07..2025-06-09
上个周末 = 2025-06-07..2025-06-09
上上周末 = 2025-05-31..2025-06-02
周末 = 2025-06-07..2025-06-09
周三 = 2025-06-11
周五 = 2025-06-06
星期天 = 2025-06-08
礼拜一早上 = 2025-06-09T05..2025-06-09T11
每周三 =
一周一次 =
两周三次 =
星期天气 =
在这周围 =
上周到了北京 = 2025-06-02..2025-06-09
与敌人周旋 =
战场上周旋 =
周一到周五 = 2025-06-09|2025-06-06
上个月 = 2025-05
上月 = 2025-05
上上个月 = 2025-04
这个月 = 2025-06
本月 = 2025-06
下个月 = 2025-07
上个月5号 = 2025-05-05
上个月底 = 2025-05-21..2025-06
本月初 = 2025-06-01..2025-06-11
晚上月亮很圆 =
海上月色 =
一个月 =
三个月 =
去年 = 2024
前年 = 2023
大前年 = 2022
今年 = 2025
明年 = 2026
后年 = 2027
过去年轻的时候 =
以前年轻 =
如今年纪大了 =
半年 =
2023年 = 2023
二〇二三年 = 2023
二零二三年 = 2023
一八八七年 = 1887
1887年的暴风雨 = 1887
2023年级 =
一九九九年三月 = 1999-03
2023年3月 = 2023-03
2023年3月5日 = 2023-03-05
2023年3月5号晚上 = 2023-03-05T18..2023-03-06
二〇二三年三月五日 = 2023-03-05
二零二三年十二月二十五日 = 2023-12-25
2023-03-05 = 2023-03-05
2023/3/5 = 2023-03-05
2023.3.5那天 = 2023-03-05
去年3月 = 2024-03
去年三月五号 = 2024-03-05
前年十月 = 2023-10
去年的八月 = 2024-08
今年1月 = 2025-01
3月 = 2025-03
三月份 = 2025-03
七月 = 2024-07
十二月 = 2024-12
三月初 = 2025-03-01..2025-03-11
三月底 = 2025-03-21..2025-04
5月中旬 = 2025-05-11..2025-05-21
3月5日 = 2025-03-05
三月五号 = 2025-03-05
3月5日下午 = 2025-03-05T12..2025-03-05T18
十二月三十一日 = 2024-12-31
2月29日 = 2024-02-29
2月30日 =
十三月 =
三月前 =
五月天的歌 =
十月怀胎 =
一月一次 =
几月几日 =
二十三号线 =
年底 = 2024-11..2025
年初 = 2025-01..2025-03
去年年底 = 2024-11..2025
去年底 = 2024-11..2025
2023年初 = 2023-01..2023-03
今年上半年 = 2025-01..2025-07
去年下半年 = 2024-07..2025
1980年代 =
十九世纪 =
去年春天 = 2024-03..2024-06
今年夏天 = 2025-06..2025-09
前年冬天 = 2023-12..2024-03
2023年秋天 = 2023-09..2023-12
1887年夏 = 1887-06..1887-09
去年夏天的事 = 2024-06..2024-09
上个冬天 = 2024-12..2025-03
这个夏天 = 2025-06..2025-09
夏天的时候 = 2025-06..2025-09
去年暑假 = 2024-06..2024-09
每年夏天 =
那年夏天 =
春天花会开 =
冬瓜汤 =
春秋战国 =
去年春节 = 2024-02-09..2024-02-17
2023年春节 = 2023-01-21..2023-01-29
春节 = 2025-01-28..2025-02-05
过年的时候 = 2025-01-28..2025-02-05
除夕 = 2025-01-28
2024年除夕 = 2024-02-09
大年三十 = 2025-01-28
正月初一 = 2025-01-29
大年初三 = 2025-01-31
去年正月初五 = 2024-02-14
元宵节 = 2025-02-12
清明节 = 2025-04-04..2025-04-07
去年清明 = 2024-04-04..2024-04-07
端午 = 2025-05-31
去年端午节 = 2024-06-10
七夕 = 2024-08-10
去年中秋 = 2024-09-17
中秋节那天 = 2024-09-17
2020年中秋 = 2020-10-01
上个中秋节 = 2024-09-17
农历八月十五 = 2024-09-17
八月初三 = 2024-09-05
腊月二十三 = 2025-01-22
农历五月初五 = 2025-05-31
重阳节 = 2024-10-11
王重阳 =
国庆节 = 2024-10-01..2024-10-08
去年国庆 = 2024-10-01..2024-10-08
元旦 = 2025-01-01
圣诞节 = 2024-12-24..2024-12-27
去年圣诞节 = 2024-12-24..2024-12-27
圣诞树 =
新年快乐 =
平安夜 = 2024-12-24
情人节 = 2025-02-14
万圣节 = 2024-10-31..2024-11-02
儿童节 = 2025-06-01
吃元宵 =
神志清明 =
最近 = 2025-05-28..2025-06-11T15
前几天 = 2025-06-03..2025-06-10
这几天 = 2025-06-06..2025-06-11T15
前阵子 = 2025-04-27..2025-06-05
不久前 = 2025-04-27..2025-06-10
很久以前 =
小时候 =
有一天 =
每天 =
整天 =
一天到晚 =
三生三世 =
一日千里 =
有朝一日 =
生日 =
日子 =
月亮 =
年轻人 =
五十步 =
週三 = 2025-06-11
上週三 = 2025-06-04
三個月前 = 2025-02-25..2025-03-28
去年聖誕節 = 2024-12-24..2024-12-27
上個月5號 = 2025-05-05
後天 = 2025-06-13
兩週前 = 2025-05-25..2025-06-01
農曆八月十五 = 2024-09-17
昨天和上周三 = 2025-06-10|2025-06-04
你还记得去年春天我们在灯塔旁边做了什么吗 = 2024-03..2024-06
二〇二三年三月五日晚上，暴风雨来了；三天前我才想起来。 = 2023-03-05T18..2023-03-06|2025-06-08
"""


def moment(text: str) -> datetime:
    """A moment as the tables write it: 2025, 2025-06, 2025-06-11 or 2025-06-11T15."""
    day, _, hour = text.partition("T")
    year, month, date_ = ([int(part) for part in day.split("-")] + [1, 1])[:3]
    hours, _, minutes = (hour or "0").partition(":")
    return datetime(year, month, date_, int(hours), int(minutes or 0), tzinfo=UTC)


def extent(text: str) -> tuple[datetime, datetime]:
    """What "2025-06" or "2025-06-02..2025-06-09" means."""
    first, _, behind = text.partition("..")
    if behind:
        return moment(first), moment(behind)
    start = moment(first)
    if len(first) == 10:
        return start, start + timedelta(days=1)
    return start, moment(f"{start.year + 1}") if len(first) == 4 else moment(
        f"{start.year + start.month // 12}-{start.month % 12 + 1}"
    )


def rows(table: str) -> list[tuple[str, list[tuple[datetime, datetime]]]]:
    pairs = (line.split("=") for line in table.strip().splitlines())
    return [
        (text.strip(), [extent(each) for each in named.strip().split("|") if each])
        for text, named in pairs
    ]


def spans(text: str, language: str = "en") -> list[tuple[datetime, datetime]]:
    return [(each.start, each.end) for each in times(text, NOW, language)]  # type: ignore[arg-type]


def test_english() -> None:
    assert [(text, spans(text, "en")) for text, _ in rows(ENGLISH)] == rows(ENGLISH)


def test_chinese() -> None:
    assert [(text, spans(text, "zh")) for text, _ in rows(CHINESE)] == rows(CHINESE)


def test_the_tables_are_large_enough() -> None:
    assert len(rows(ENGLISH)) + len(rows(CHINESE)) >= 250


def test_a_time_knows_its_words_and_where_they_stand() -> None:
    text = "Well, 你好 — last  spring, on Tuesday of last week, 上週三。"
    found = times(text, NOW)
    assert [each.text for each in found] == ["last  spring", "on Tuesday of last week", "上週三"]
    assert all(text[each.offset : each.offset + len(each.text)] == each.text for each in found)


def test_both_languages_are_read_whatever_the_language() -> None:
    assert spans("yesterday 前天", "zh") == spans("yesterday 前天", "en")


def test_a_time_without_a_zone_is_taken_as_utc() -> None:
    assert times("昨晚 last week", NOW.replace(tzinfo=None)) == times("昨晚 last week", NOW)


def test_days_are_those_of_the_zone_of_now() -> None:
    shanghai = timezone(timedelta(hours=8))
    late = datetime(2025, 6, 12, 1, 0, tzinfo=shanghai)  # still the 11th in UTC
    (yesterday,) = times("昨天", late)
    assert yesterday.start == datetime(2025, 6, 11, tzinfo=shanghai)


def test_summer_is_where_the_settings_say() -> None:
    south = DatesSettings(hemisphere="south")
    (summer,) = times("last summer", NOW, settings=south)
    assert (summer.start.date(), summer.end.date()) == (date(2024, 12, 1), date(2025, 3, 1))
    (winter,) = times("2019年冬天", NOW, settings=south)
    assert (winter.start.date(), winter.end.date()) == (date(2019, 6, 1), date(2019, 9, 1))


def test_this_winter_is_the_one_that_is_on() -> None:
    january = datetime(2025, 1, 15, tzinfo=UTC)
    found = [
        times(text, january)[0].start.date()
        for text in ("this winter", "last winter", "next winter", "这个冬天")
    ]
    assert found == [date(2024, 12, 1), date(2023, 12, 1), date(2025, 12, 1), date(2024, 12, 1)]


def test_weeks_begin_where_the_settings_say() -> None:
    sunday = DatesSettings(first_day_of_week="sunday")
    (week,) = times("last week", NOW, settings=sunday)
    assert week.start.date() == date(2025, 6, 1)
    assert times("上周日", NOW, "zh", sunday)[0].start.date() == date(2025, 6, 1)
    assert times("last weekend", NOW, settings=sunday)[0].start.date() == date(2025, 6, 7)


@pytest.mark.parametrize(
    ("sure", "less_sure"),
    [
        ("2023-05-05", "3/4/2023"),
        ("three days ago", "a few days ago"),
        ("last week", "recently"),
        ("上周三", "周三"),
        ("去年春天", "夏天的时候"),
    ],
)
def test_the_plainer_the_surer(sure: str, less_sure: str) -> None:
    assert times(sure, NOW)[0].certainty > times(less_sure, NOW)[0].certainty > 0


def test_a_memory_without_a_date_only_tells_times_that_name_their_year() -> None:
    tell = teller()
    text = "In 1887, yesterday, on May 5th, 2023, last spring. 二〇二三年三月，去年。"
    assert [each.text for each in tell(text, None, "en")] == [
        "In 1887",
        "May 5th, 2023",
        "二〇二三年三月",
    ]
    assert len(tell(text, NOW, "en")) == 6


@pytest.mark.parametrize(
    ("year", "month", "day", "when"),
    [
        (1950, 1, 1, date(1950, 2, 17)), (1976, 12, 30, date(1977, 2, 17)), (1984, 1, 1, date(1984, 2, 2)), (1996, 8, 15, date(1996, 9, 27)), (2000, 1, 1, date(2000, 2, 5)),
        (2001, 8, 15, date(2001, 10, 1)), (2004, 5, 5, date(2004, 6, 22)), (2008, 1, 1, date(2008, 2, 7)), (2012, 5, 5, date(2012, 6, 23)), (2014, 9, 9, date(2014, 10, 2)),
        (2017, 7, 7, date(2017, 8, 28)), (2019, 1, 1, date(2019, 2, 5)), (2020, 8, 15, date(2020, 10, 1)), (2023, 1, 1, date(2023, 1, 22)), (2023, 8, 15, date(2023, 9, 29)),
        (2024, 1, 15, date(2024, 2, 24)), (2025, 8, 15, date(2025, 10, 6)), (2026, 1, 1, date(2026, 2, 17)), (2033, 8, 15, date(2033, 9, 8)), (2050, 1, 1, date(2050, 1, 23)),
        (2100, 1, 1, date(2100, 2, 9)), (1949, 1, 1, None), (2101, 1, 1, None), (2023, 13, 1, None), (2023, 1, 30, None),
    ],
)  # fmt: skip
def test_lunar_days(year: int, month: int, day: int, when: date | None) -> None:
    assert lunar_date(year, month, day) == when


@pytest.mark.parametrize(
    ("year", "month", "day"),
    [
        (1961, 4, 2),
        (1999, 4, 4),
        (2000, 4, 23),
        (2011, 4, 24),
        (2024, 3, 31),
        (2025, 4, 20),
        (2038, 4, 25),
    ],
)
def test_easter(year: int, month: int, day: int) -> None:
    assert easter(year) == date(year, month, day)


def test_the_last_monday_of_may() -> None:
    assert festival_days("weekday 5 0 -1", 2024) == (date(2024, 5, 27), date(2024, 5, 27))


WORDS = ["last", "the", "of", "in", "ago", "three", "12", "31", "1887", "99999", "week", "month", "May", "spring", "Tuesday", "Christmas", "before", "next", "-", "/", ".", "’s", "a", "half", "and",
    "上", "下", "个", "月", "周", "年", "日", "号", "前", "后", "半", "几", "十", "三", "二〇二三", "春天", "中秋", "去", "昨", "今", "天", "晚", "世纪", "年代", "农历", "初", "\n", "😀", "週"]  # fmt: skip


@given(
    text=st.lists(st.sampled_from(WORDS), max_size=12).flatmap(
        lambda words: st.sampled_from(["".join(words), " ".join(words)])
    )
)
def test_any_row_of_words_is_read_without_fault(text: str) -> None:
    found = times(text, NOW)
    assert found == times(text, NOW)
    for each in found:
        assert each.start < each.end
        assert 0 < each.certainty <= 1
        assert text[each.offset :].startswith(each.text)
    assert all(
        before.offset + len(before.text) <= after.offset for before, after in pairwise(found)
    )


@given(text=st.text(max_size=200), now=st.datetimes())
def test_any_text_at_any_moment_is_read_without_fault(text: str, now: datetime) -> None:
    assert all(
        isinstance(each, TimeSpan)
        for each in times(text + " last year, 3 days ago, 明年春天, next Christmas", now)
    )


def test_a_very_long_text_is_read_to_a_limit() -> None:
    assert len(times("昨天 " * 100_000, NOW)) == MAX_TEXT // 3 + 1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_rule_is_a_pattern_with_a_meaning(language: Language) -> None:
    rules = [rule for each in grammar(language).families for rule in each.rules]
    assert all(grammar(language).compiled(rule.pattern).pattern for rule in rules)
    assert {rule.meaning for rule in rules} <= set(MEANINGS)
