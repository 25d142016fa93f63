"""Where people come from, work and learn, and as what: which Chinese words can say it."""

import re
from functools import cache

from rolememory.learn.statements.chinese_spans import OTHERS, Span, noun, uncounted
from rolememory.learn.statements.chinese_words import lexicon, word_set

_NO_RANK = "要帮找想去来给让把被和跟会能有做当说看个了着过不没就都也很为从到对是，的"  # no rank or field before a job holds these


def region(text: str, start: int, end: int) -> list[Span]:
    """A region that people come from."""
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


def job(text: str, start: int, end: int) -> list[Span]:
    """What somebody does for a living, or is."""
    begin, stop = uncounted(text, start, end)
    return [(begin, stop)] if is_job(text[begin:stop]) else []


def is_job(said: str) -> bool:
    """Whether the words name what somebody does for a living, or is.

    >>> is_job("儿科医生"), is_job("设计师"), is_job("好人"), is_job("大师")
    (True, True, False, False)
    """
    return bool(_jobs().fullmatch(said)) and not OTHERS.search(said)


@cache
def _jobs() -> re.Pattern[str]:
    lex = lexicon()
    before = rf"(?:[^{_NO_RANK}]{{0,6}}(?:的|级)?)"
    never = lex.any_of("not_jobs")
    return re.compile(
        rf"(?!{never}$)(?:{lex.any_of('jobs')}|(?![很太真最更好不没]|.*(?:合格|负责|优秀|厉害|称职|普通)的){before}(?:{lex.any_of('job_ends')}|{lex.any_of('jobs')}))"
    )


def trade(text: str, start: int, end: int) -> list[Span]:
    """What somebody works at: a noun that is no meal and no mood."""
    return [one for one in noun(text, start, end) if not _no_trade().fullmatch(text, *one)]


@cache
def _no_trade() -> re.Pattern[str]:
    return re.compile(lexicon().any_of("trades_never"))


def occupation(text: str, start: int, end: int) -> list[Span]:
    """A job, or the field of one: 设计."""
    said = text[start:end]
    known = is_job(said) or said in word_set("majors") or said in word_set("occupations")
    return [(start, end)] if known else []


def major(text: str, start: int, end: int) -> list[Span]:
    """A subject that people study."""
    said = text[start:end]
    known = re.fullmatch(
        rf"(?:{lexicon().any_of('majors')})(?:与.{{1,6}})?|[\u4e00-\u9fff]{{1,8}}(?:学|工程|技术|管理|设计|科学|专业|语)",
        said,
    )
    return (
        [(start, end)]
        if known and not re.search("[过了]|大学$|中学$|小学$|自学$|开学$|放学$|上学$|同学$", said)
        else []
    )


def employer(text: str, start: int, end: int) -> list[Span]:
    """Whom somebody works for: no region, no place like home."""
    begin, stop = uncounted(text, start, end)
    said = text[begin:stop]
    never = lexicon().any_of("not_employers")
    fine = (
        0 < len(said) <= 16
        and not re.match(rf"(?:{never})(?:里|边|面)?$", said)
        and not is_region(said)
        and not OTHERS.search(said)
    )
    return (
        [(begin, stop)]
        if fine and not re.search("[了吗呢吧不没]|[上中下]$|^[为给替]", said)
        else []
    )


def school(text: str, start: int, end: int) -> list[Span]:
    """A school or university."""
    said = text[start:end]
    fine = re.search(
        "大学$|^[\u4e00-\u9fff]{1,2}大$|学院$|中学$|小学$|高中$|初中$|学校$|附中$|一中$|^[\u4e00-\u9fff]{1,2}[交科财师]$|^(?:清华|北大|港中文|国科大)$|书院$|幼儿园$|[A-Za-z]$",
        said,
    )
    return (
        [(start, end)]
        if fine and len(said) <= 16 and not OTHERS.search(said) and not is_region(said)
        else []
    )
