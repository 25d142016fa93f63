"""Names in Chinese text: what may be one, and what shows by itself to be one."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from rolememory.learn.statements.chinese_words import lexicon, longest_first

GOES_ON: Final = "是住在叫名今前上下也很喜讨养会有来去最特超从以不没昨明已对说怕爱想打就考做当的生得跟和笑低轻冷沉抬看望转点摇皱叹咬眨刚才又都可真死走丢三两一二四五六七八九十0-9"
"""What may stand right behind somebody's name."""

_SURNAMES = "王李张刘陈杨赵吴周徐孙朱胡郭林罗郑梁谢宋唐许韩冯邓曹彭萧田潘袁蔡蒋余叶程苏魏吕丁沈姚卢姜崔钟谭陆汪范石廖贾韦傅邹孟秦邱江尹薛闫段侯陶黎贺龚邵钱武戴孔汤白方"
_GRAMMAR = "的了着过在是和跟与也都不没有就还很最会要想去来说叫把被给对从到里上下边候人家们个些这那哪什么怎我你他她它"
_NO_GIVEN = _GRAMMAR + "天年月日周时"
_TITLES = "老师|医生|大夫|叔叔?|阿姨|姐姐?|哥哥?|总|同学|大哥|大姐|师傅|经理|教授|主任|队长|掌柜|公子|姑娘|小姐|先生|太太|大人|将军"
_HAN = re.compile(r"[\u4e00-\u9fff·]{1,6}")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9_.'·-]{0,23}(?: ?[A-Za-z][A-Za-z'.-]{0,19}){0,3}")
_MIXED = re.compile(r"(?=.*[A-Za-z0-9])[\u4e00-\u9fffA-Za-z0-9]{2,10}")
_NEVER = re.compile(
    "[的了着过吗呢吧啊是不没就都也很最怎这那哪个只们她他你我您]|.去|.来(?!福)|[一二两三四五六七八九十几][声次遍下]|什么|傻|笨蛋|混蛋|王八|外卖|滴滴|起床|回家|睡觉|出去|过来"
)
_NEVER_FIRST = "去来吃做帮给让被把请说要想会能得别停醒住人车叫上下办站坐躺跪退跟陪等写看学练赶滚抱"  # 叫醒, 叫车: calling, not being called


@dataclass(frozen=True, slots=True)
class Names:
    """Patterns of names that nobody introduced; the name is the group `name`."""

    alone: re.Pattern[str]  # stands as a subject: 小梅, 王老师, Alice
    beside: re.Pattern[str]  # stands behind 妹妹 or 猫: also 王伟, 团团


@cache
def names() -> Names:
    """The patterns, compiled once."""
    never, followed = lexicon().any_of("not_names"), f"(?=[{GOES_ON}]|$)"
    given = rf"(?![{_NO_GIVEN}])[\u4e00-\u9fff]"
    short = rf"(?<![那这个位种只条])(?!{never})(?:[阿小老](?![{_GRAMMAR}])[\u4e00-\u9fff]|[{_SURNAMES}](?:{_TITLES})){followed}"
    latin = "[A-Z][A-Za-z]{1,15}(?![A-Za-z])"
    full = rf"(?!{never})[{_SURNAMES}](?:{given}){{1,2}}?{followed}"
    kin = "|".join(longest_first(lexicon().kin))
    double = rf"(?!{kin})({given})\2{followed}"
    return Names(
        re.compile(rf"(?P<name>{short}|{latin}{followed})"),
        re.compile(rf"(?P<name>{short}|{full}|{latin}|{double})"),
    )


def may_be_name(said: str) -> bool:
    """Whether words after 叫 can be somebody's name.

    >>> [may_be_name(said) for said in ("阿林", "Alice", "星野7", "你回家", "醒他")]
    [True, True, True, False, False]
    """
    if _HAN.fullmatch(said):
        return not _NEVER.search(said) and said[0] not in _NEVER_FIRST
    return bool(_LATIN.fullmatch(said)) or bool(
        _MIXED.fullmatch(said) and not said.isdigit() and not _NEVER.search(said)
    )


def may_be_names(said: list[str]) -> bool:
    """Whether all of a list can be names of animals, which are freer: 可乐, 来福."""
    return all(bool(_HAN.fullmatch(one)) and not _NEVER.search(one) for one in said) or all(
        map(may_be_name, said)
    )
