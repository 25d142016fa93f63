"""Letters and punctuation made alike, every character in its place: what patterns over a message are written for."""

import unicodedata
from functools import cache

from rolememory.shipped import lexicon


def plain(text: str) -> str:
    r"""The text in one width, case and script; every character keeps its place.

    >>> plain("記住：“Ｉ’M ＬＩＮ”！")
    '记住:"i\'m lin"!'
    """
    return text.translate(_characters())


class _PlainCharacters(dict[int, str]):
    """Each character as patterns spell it, found on first use; none grows."""

    def __missing__(self, code: int) -> str:
        one = (
            self.get(ord(like), like)
            if len(like := unicodedata.normalize("NFKC", chr(code)).lower()) == 1
            else chr(code)
        )
        self[code] = one
        return one


@cache
def _characters() -> _PlainCharacters:
    quotes = {
        **dict.fromkeys("‘’ʼ", "'"),
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("【［", "["),
        **dict.fromkeys("】］", "]"),
        "。": "。",
    }
    traditional = lexicon("feeling.zh")["variants"]
    return _PlainCharacters(
        {ord(char): like for char, like in {**traditional, **_MORE_TRADITIONAL, **quotes}.items()}
    )


_MORE_TRADITIONAL = dict(
    zip(
        "備註補記憶儲錄檔筆頂訂糾錯誤鐘約幾歲號碼銀賬戶帳證實廣場橋車燈塔劍獅貓麵雞魚葉圖館師醫學員業國圍樓層郵網絡電腦機鑰匙屬縣鄉鎮慶術藥劑減壓癌護啟",
        "备注补记忆储录档笔顶订纠错误钟约几岁号码银账户账证实广场桥车灯塔剑狮猫面鸡鱼叶图馆师医学员业国围楼层邮网络电脑机钥匙属县乡镇庆术药剂减压癌护启",
        strict=True,
    )
)
