"""What a Chinese rule may take for a name, a place, a thing or a deed, trimmed to the words that say it."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from rolememory.learn.statements.chinese_names import may_be_name, may_be_names, names
from rolememory.learn.statements.chinese_words import LAST, NUMBER, lexicon
from rolememory.text.dates.chinese_calendar import number

Span = tuple[int, int]
Kind = Callable[[str, int, int], list[Span]]

_ASKED = "什么|啥|哪|谁|怎|多少|几岁|几个|几点|为何|如何|是否|吗"
_OTHERS = re.compile(f"[你我她它俺咱]|(?<![吉其])他(?![人乡])|{_ASKED}|这|那|自己|某")
_NOBODYS = re.compile(f"[你我它俺咱]|(?<![吉其])他(?![人乡])|她|{_ASKED}|^[这那]|自己|某")  # as above, but 巷子里那家店 is a place
_ASKS = re.compile(_ASKED)
_CUT = re.compile(
    "(?:而不是|多过|胜过|甚于|超过|更甚|之类|什么的|等等|等$|因为|所以|但是|可是|不过|得(?:要死|要命|不行|不得了|很|发抖|发疯|不能自拔)|到(?:不行|爆|炸|发疯|窒息)|(?:死|极|惨)了|了$|呢$|(?:已经|快|将近)?(?:[0-9一二两三四五六七八九十几半]{1,3}|好几|很多)(?:多)?(?:年|个月|个多月|天|周)(?:多)?$|[很好]久$)"
)
_LAST = re.compile(f"(?:{LAST})+$")
_LISTED = re.compile("、|以及|还有|和(?!平|服|牛|尚|谐|气|蔼|解|面)|跟(?!着|班)|与")
_BARE = frozenset("听看吃说做去来玩喝穿用写读想死")  # 不爱听: not a thing, and of what is not said
_LONG = re.compile("(?:想|学|等|盼|念)?(?:了)?(?:很|好)(?:久|多年)(?:了)?$")
_TASTE = re.compile(
    "[吃喝穿用住](?:[甜辣酸咸苦冰冷热烫软硬脆清油素荤生熟大小红黑白宽]|清淡|油腻|重口|便宜)的"
)  # keeps its 的, 红色的 does not
_PLACE = re.compile(r"[\u4e00-\u9fffA-Za-z0-9 ·-]{1,16}")
_NO_PLACE = re.compile(
    r"^.$|得|点儿|的$|^来|以后$|之后$|^(?:出来|出去|过来|一起|一块|隔壁$|同一|别人|外面|外边|里面|这|那|哪|酒店|宾馆|医院|旅馆|院$|过|了|着|得|在|不|下|进|对面|楼上|楼下|上铺|下铺|附近|正?[东南西北](?:边|面)?$)|心里|心中|梦里|脑海|记忆|身体里|时代|世纪|过去|当下|幻想"
)
_BESIDE: Final = "里 里面 那边 那儿 那里 这边 这儿 这里".split()
_DATE = re.compile(
    rf"(?:(?P<lunar>农历|阴历|旧历)?)(?:(?P<year>[12][0-9]{{3}}|[12][零〇一二三四五六七八九]{{3}}|[一二][零〇一二三四五六七八九]{{3}}|[0-9]{{2}})年?[的,]?[-/.]?)?"
    rf"(?:(?P<month>{NUMBER})(?:月|[-/.])(?P<day>{NUMBER}|初[一二三四五六七八九十])?[日号]?)?"
)


def spans(kind: str, text: str, start: int, end: int) -> list[Span]:
    """The values that a stretch of text holds, as kinds of value are read; empty where it holds none."""
    if kind != "done":
        start, end = trimmed(text, start, end)
    return _KINDS[kind](text, start, end) if start < end else []


def trimmed(text: str, start: int, end: int) -> Span:
    """Without blanks and the particles that trail."""
    while start < end and text[start] in " ，、：·～":
        start += 1
    if found := _LAST.search(text, start, end):
        end = found.start()
    while end > start and text[end - 1] in " ，、：～":
        end -= 1
    return start, end


def uncounted(text: str, start: int, end: int) -> Span:
    """Without number and measure word: 一只叫团团的猫 is a cat called 团团."""
    found = _count().match(text, start, end)
    return (found.end(), end) if found and found.end() < end else (start, end)


@cache
def _count() -> re.Pattern[str]:
    measure = "|".join(lexicon().words("measure"))
    return re.compile(
        rf"(?:(?:好几|几|{NUMBER}|这|那)(?:多|来)?(?:{measure})(?!人)|一?(?:点儿?|些)|(?:[{_BARE_MEASURES}]|家(?=[公店医工银企单学]))(?=[^{_NOT_BEHIND}]))(?=.)"
    )


_BARE_MEASURES = "只个条名位辆把件款杯份串"  # may stand without a number: 养只猫
_NOT_BEHIND = "人子儿性体学头事"  # 个人, 条子, 本事: words that begin like a measure


def _name(text: str, start: int, end: int) -> list[Span]:
    return [(start, end)] if may_be_name(text[start:end]) else []


def _names(text: str, start: int, end: int) -> list[Span]:
    parts = list(_parts(text, start, end))
    return parts if may_be_names([text[slice(*each)] for each in parts]) else []


def _fullname(text: str, start: int, end: int) -> list[Span]:
    """A name that shows by itself to be one: 王伟, 小梅, Alice."""
    return [(start, end)] if names().beside.fullmatch(text, start, end) else []


def _place(text: str, start: int, end: int) -> list[Span]:
    for word in _BESIDE:
        if text.endswith(word, start, end) and end - start > len(word) + 1:
            end -= len(word)
            break
    said = text[start:end]
    fine = _PLACE.fullmatch(said) and not _NO_PLACE.search(said) and not _NOBODYS.search(said) and not re.search("[了吗呢吧没不]", said)
    return [(start, end)] if fine else []


def _region(text: str, start: int, end: int) -> list[Span]:
    said = text[start:end]
    return [(start, end)] if is_region(said) else []


def is_region(said: str) -> bool:
    """Whether the words name a region that people come from.

    >>> is_region("四川"), is_region("浙江杭州"), is_region("青岚镇"), is_region("好")
    (True, True, True, False)
    """
    return bool(_regions().fullmatch(said))


@cache
def _regions() -> re.Pattern[str]:
    known = lexicon().any_of("regions")
    ends = "[省市县区镇乡村国州岛城港湾堡寨庄府郡]"
    return re.compile(
        rf"(?:{known}|(?!外省|本省|外国|本国|祖国|城市|本地|当地|外地|县城|全国|本市|各国|异国)[\u4e00-\u9fff]{{1,5}}{ends}){{1,3}}"
    )


def _thing(text: str, start: int, end: int) -> list[Span]:
    """A thing one likes or dreads, or a list of them."""
    found: list[Span] = []
    for first, last in _parts(text, start, _cut(text, start, end)):
        first += 2 * text.startswith("喜欢", first, last)  # 我的爱好是喜欢…
        begin, stop = uncounted(text, *trimmed(text, first, last))
        stop -= text.endswith("的", begin, stop) and not _TASTE.fullmatch(text, begin, stop)
        if 0 < stop - begin <= 20 and text[begin:stop] not in _BARE and not _no_thing().search(text[begin:stop]):
            found.append((begin, stop))
    return found


@cache
def _no_thing() -> re.Pattern[str]:
    return re.compile(
        rf"{_ASKED}|^(?:{lexicon().any_of('not_things')})|^[的得过了着地]|[这那](?:样|里|儿|边|些)?$|^(?:业余|资深|专业)$|是|^死|(?:不太?|没|不大|并不|一点儿?|确实|根本|完全|[可很太真挺][多好])$|你(?![的做写唱说画笑送给弹讲煮泡穿种养]|$)"
    )


def _cut(text: str, start: int, end: int) -> int:
    found = _CUT.search(text, start + 1, end)
    return found.start() if found else end


def _parts(text: str, start: int, end: int) -> Iterator[Span]:
    """The members of a list; a phrase with 的 or 一起 in it is no list."""
    said = text[start:end]
    marks = list(_LISTED.finditer(text, start + 1, end))
    if not marks or "的" in said or "一起" in said or text.startswith(("和", "跟", "与"), start):
        yield start, end
        return
    first = start
    for mark in marks:
        yield first, mark.start()
        first = mark.end()
    yield first, end


def _deed(text: str, start: int, end: int) -> list[Span]:
    if found := _LONG.search(text, start, end):
        end = found.start()
    fine = 1 < end - start <= 40 and not _ASKS.search(text, start, end) and not _no_deed().match(text, start, end)
    return [(start, end)] if fine else []


@cache
def _no_deed() -> re.Pattern[str]:
    return re.compile(
        f"[了过得着的]|.*(?:或许|可能|也许|大概|说不定)|.*(?:[^今前以然最背]后|时|的时候|以前|之前)$|{lexicon().any_of('not_deeds')}"
    )


def _noun(text: str, start: int, end: int) -> list[Span]:
    """A short noun: no sentence inside, nobody meant."""
    begin, stop = uncounted(text, start, end)
    said = text[begin:stop]
    fine = 0 < len(said) <= 14 and not _OTHERS.search(said) and not re.search("[了吗呢吧着]|^[的得过不没]", said)
    return [(begin, stop)] if fine else []


def _job(text: str, start: int, end: int) -> list[Span]:
    begin, stop = uncounted(text, start, end)
    return [(begin, stop)] if is_job(text[begin:stop]) else []


_NO_RANK = "要帮找想去来给让把被和跟会能有做当说看个了着过不没就都也很为从到对是，的"  # no rank or field before a job holds these


def is_job(said: str) -> bool:
    """Whether the words name what somebody does for a living, or is.

    >>> is_job("儿科医生"), is_job("设计师"), is_job("好人"), is_job("大师")
    (True, True, False, False)
    """
    return bool(_jobs().fullmatch(said)) and not _OTHERS.search(said)


@cache
def _jobs() -> re.Pattern[str]:
    lex = lexicon()
    before = rf"(?:[^{_NO_RANK}]{{0,6}}(?:的|级)?)"
    never = lex.any_of("not_jobs")
    return re.compile(
        rf"(?!{never}$)(?:{lex.any_of('jobs')}|(?![很太真最更好不没]|.*(?:合格|负责|优秀|厉害|称职|普通)的){before}(?:{lex.any_of('job_ends')}|{lex.any_of('jobs')}))"
    )


def _trade(text: str, start: int, end: int) -> list[Span]:
    """What somebody works at: a noun that is no meal and no mood."""
    return [one for one in _noun(text, start, end) if not _no_trade().fullmatch(text, *one)]


@cache
def _no_trade() -> re.Pattern[str]:
    return re.compile(lexicon().any_of("trades_never"))


def _occupation(text: str, start: int, end: int) -> list[Span]:
    said = text[start:end]
    known = is_job(said) or said in (*lexicon().words("majors"), *lexicon().words("occupations"))
    return [(start, end)] if known else []


def _major(text: str, start: int, end: int) -> list[Span]:
    said = text[start:end]
    known = re.fullmatch(
        rf"(?:{lexicon().any_of('majors')})(?:与.{{1,6}})?|[\u4e00-\u9fff]{{1,8}}(?:学|工程|技术|管理|设计|科学|专业|语)", said
    )
    return [(start, end)] if known and not re.search("[过了]|大学$|中学$|小学$|自学$|开学$|放学$|上学$|同学$", said) else []


def _employer(text: str, start: int, end: int) -> list[Span]:
    begin, stop = uncounted(text, start, end)
    said = text[begin:stop]
    never = lexicon().any_of("not_employers")
    fine = 0 < len(said) <= 16 and not re.match(rf"(?:{never})(?:里|边|面)?$", said) and not is_region(said) and not _OTHERS.search(said)
    return [(begin, stop)] if fine and not re.search("[了吗呢吧不没]|[上中下]$|^[为给替]", said) else []


def _school(text: str, start: int, end: int) -> list[Span]:
    said = text[start:end]
    fine = re.search(
        "大学$|^[\u4e00-\u9fff]{1,2}大$|学院$|中学$|小学$|高中$|初中$|学校$|附中$|一中$|^[\u4e00-\u9fff]{1,2}[交科财师]$|^(?:清华|北大|港中文|国科大)$|书院$|幼儿园$|[A-Za-z]$",
        said,
    )
    return [(start, end)] if fine and len(said) <= 16 and not _OTHERS.search(said) and not is_region(said) else []


def _fear(text: str, start: int, end: int) -> list[Span]:
    parts = [trimmed(text, *each) for part in _parts(text, start, _cut(text, start, end)) for each in _between("怕", text, *part)]
    known = [each for each in parts if text[slice(*each)] in _fears()]
    return known or [one for each in parts for one in _thing(text, *each) if not _fleeting().match(text, *one)]


def _between(mark: str, text: str, start: int, end: int) -> Iterator[Span]:
    """The stretches between marks: 怕鬼怕黑."""
    for part in text[start:end].split(mark):
        yield start, start + len(part)
        start += len(part) + len(mark)


@cache
def _fears() -> frozenset[str]:
    return frozenset(lexicon().words("fears"))


@cache
def _fleeting() -> re.Pattern[str]:
    return re.compile(rf"{lexicon().any_of('fleeting')}|.{{9,}}")


def _listed(name: str) -> Kind:
    """A word of that list, or several of them."""

    def read(text: str, start: int, end: int) -> list[Span]:
        found = [trimmed(text, *uncounted(text, first, last)) for first, last in _parts(text, start, end)]
        return found if found and all(_of_list(name).fullmatch(text, first, last) for first, last in found) else []

    return read


def _of_map(name: str) -> Kind:
    """A word that stands for a relative, or several of them."""

    def read(text: str, start: int, end: int) -> list[Span]:
        found = [trimmed(text, *uncounted(text, first, last)) for first, last in _parts(text, start, end)]
        known = getattr(lexicon(), name)
        return found if len(found) > 1 and all(text[slice(*each)] in known for each in found) else []

    return read


@cache
def _of_list(name: str) -> re.Pattern[str]:
    return re.compile(lexicon().any_of(name))


_KINDS: dict[str, Kind] = {
    "name": _name,
    "names": _names,
    "realname": lambda text, start, end: [] if text[start:end] in lexicon().kin else _name(text, start, end),
    "place": _place,
    "region": _region,
    "thing": _thing,
    "deed": _deed,
    "done": _deed,
    "vow": lambda text, start, end: [(start, end)] if end - start > 1 and not _ASKS.search(text, start, end) else [],
    "noun": _noun,
    "job": _job,
    "employer": _employer,
    "school": _school,
    "fear": _fear,
    "language": _listed("languages"),
    "skill": _listed("skills"),
    "belief": _listed("beliefs"),
    "disease": _listed("diseases"),
    "condition": _listed("conditions"),
    "habit": _listed("habits"),
    "adjective": _listed("traits_adj"),
    "trait": _listed("traits_noun"),
    "kins": _of_map("kin"),
    "animals": _listed("pets"),
    "trade": _trade,
    "occupation": _occupation,
    "fullname": _fullname,
    "major": _major,
    "number": lambda text, start, end: [(start, end)],
    "date": lambda text, start, end: [(start, end)] if date(text[start:end]) else [],
    "any": lambda text, start, end: [(start, end)],
}


def age(said: str) -> str:
    """A number of years in digits; "" where nobody is that old.

    >>> age("二十三"), age("23"), age("三千")
    ('23', '23', '3000')
    """
    years = int(number(said)) if said.isdigit() or not set(said) - set("零〇一二两三四五六七八九十百千") else 0
    return str(years) if 0 < years < 100_000 else ""


_LUNAR_MONTHS = {"正月": "农历一月", "冬月": "农历十一月", "腊月": "农历十二月"}


def date(said: str) -> str:
    """A day of birth as 10月25日, with its year where it is told; "" where it is none.

    >>> date("十月二十五号"), date("1998年3月5日"), date("农历八月十五"), date("98年")
    ('10月25日', '1998年3月5日', '农历8月15日', '1998年')
    """
    for name, month in _LUNAR_MONTHS.items():
        said = said.replace(name, month)
    found = _DATE.fullmatch(said.strip().replace("农历农历", "农历"))
    if not found or not (found["month"] or found["year"]):
        return ""
    parts = [found["lunar"] or "", _year(found["year"]), _of_year(found["month"], 12, "月"), _of_year(found["day"], 31, "日")]
    return "" if "?" in parts else "".join(parts)


def _year(said: str | None) -> str:
    if not said:
        return ""
    year = int(number(said))
    year += 0 if year > 99 else 2000 if year < 30 else 1900
    return f"{year}年"


def _of_year(said: str | None, most: int, unit: str) -> str:
    if not said:
        return ""
    count = int(number(said.removeprefix("初"))) if not said.isascii() else int(said)
    return f"{count}{unit}" if 1 <= count <= most else "?"
