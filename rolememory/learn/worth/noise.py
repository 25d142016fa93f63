"""What is no language: code, data, keyboard noise, emoji."""

import re

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_CODE_LINE = re.compile(
    r"^\s*(?:(?:def|class|import|from|return|const|let|var|function|public|private|static|void|int|if|for|while|elif|else|try|except|"
    r"select|insert|update|create table|#include|using|package|export|async)\b.*[:;{(=]|[}\])]+[;,]?\s*$|</?[a-z][^>]*>\s*$|"
    r".*[;{]\s*$|\s*[\"'\w-]+\s*[:=]\s*[\[{\"'\d].*,?\s*$|.*=>.*|\$ .*|>>> .*|.*\w+\(.*\)\s*;?\s*$|(?:at|File) .*:\d+.*|Traceback .*|\w*Error: .*)",
    re.IGNORECASE,
)
_LONGEST_LINE = 300  # characters; a longer one is prose
_JSON = re.compile(r"^\s*[\[{].*[\]}]\s*$", re.DOTALL)
_LETTERS = re.compile(r"[^\W\d_]", re.UNICODE)
_HAN = re.compile("[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile(r"[a-z']+")
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_VOWELS = re.compile("[aeiouy]")
_REPEATED = re.compile(r"(.{1,4}?)\1{3,}")


def without_code(text: str) -> str:
    r"""The text with code blocks and runs of code lines taken out.

    >>> without_code("I wrote this:\n```python\nprint(1)\n```\nIt works.").split()
    ['I', 'wrote', 'this:', 'It', 'works.']
    """
    text = _FENCE.sub("\n", text)
    if _JSON.match(text) and '"' in text and ":" in text:
        return ""
    lines = text.split("\n")
    code = [len(line) <= _LONGEST_LINE and bool(_CODE_LINE.match(line)) for line in lines]
    if sum(code) < 3 or sum(code) * 2 < sum(1 for line in lines if line.strip()):
        return text
    return "\n".join(line for line, is_code in zip(lines, code, strict=True) if not is_code)


def is_noise(even: str) -> bool:
    """Whether a plain sentence holds no word: signs, emoji, laughter, keys hit at random.

    >>> [is_noise(text) for text in ("asdfghjkl", "!!! 😀", "hahahaha", "。。。", "ok", "下雨了", "Brrr, it is cold")]
    [True, True, True, True, False, False, False]
    """
    if not _LETTERS.search(even):
        return not re.search(r"\d", even)
    if _HAN.search(even):
        return len(set(_HAN.findall(even))) == 1 and len(_HAN.findall(even)) > 3
    words = _WORD.findall(even)
    return bool(words) and all(_hit_at_random(word) for word in words)


def _hit_at_random(word: str) -> bool:
    if len(word) >= 4 and _REPEATED.fullmatch(word):
        return True
    if len(word) < 5:
        return False
    if any(word in row + row or word in (row + row)[::-1] for row in _ROWS):
        return True
    return (
        len(_VOWELS.findall(word)) * 6 < len(word) or re.search(r"[^aeiouy']{6,}", word) is not None
    )
