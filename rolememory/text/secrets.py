"""Detects real secrets: API keys, payment cards, identity and account numbers.

Only with a known format or checksum: the password of a gate or a telephone number in a story is not one.
"""

import re
from collections.abc import Callable, Iterator
from typing import Literal

from rolememory.locales import translated
from rolememory.schema.value_class import value_class
from rolememory.text.boundaries import leftmost_longest
from rolememory.text.language import language_of
from rolememory.text.late_pattern import late_pattern

SecretKind = Literal["private_key", "api_key", "card", "id_number"]


@value_class
class Secret:
    """The span of a secret: [start, end) of the text."""

    kind: SecretKind
    start: int
    end: int


_MAY = late_pattern(
    r"(?:\d[ -]?){11}|[A-Za-z0-9+/_-]{15}|PRIVATE KEY|[A-Z]{2}\d{2} ?[A-Z0-9]", re.ASCII
)
"""A text without such a long run has no secret: skips nearly all texts."""

_PRIVATE_KEY = late_pattern(
    r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)"
)
_API_KEY = late_pattern(
    "|".join(
        (
            r"\b(?:sk|pk|rk|ak)[-_](?:live|test|proj|ant|or|svcacct)?[-_]?[A-Za-z0-9_-]{16,}",
            r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}",
            r"\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{30,}|\bxox[abeprs]-[\w-]{10,}",
            r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{30,}|\bya29\.[\w-]{20,}",
            r"\bSG\.[\w-]{16,}\.[\w-]{16,}|\b\d{8,10}:[A-Za-z0-9_-]{35}\b",
            r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]+)?|\b[Bb]earer\s+[\w.~+/-]{16,}=*",
            # a long run of letters and digits is a key or digest, not a word
            r"(?<![\w/.-])(?=[\w+/=-]*\d)(?=[\w+/=-]*[A-Za-z])(?:[0-9a-f]{32,}|[0-9A-F]{32,}|[A-Za-z0-9+/_-]{40,}={0,2})(?![\w/-]|\.\w)",
        )
    ),
    re.ASCII,
)
_NAMED_KEY = late_pattern(
    r"(?:(?:api|secret|access|client|auth)[ _-]?(?:key|secret|token)|密钥|令牌)(?: is| ?[=:：是为])\s*"
    r"[\"'`]?(?P<value>[\w./+~-]{16,})",
    re.IGNORECASE | re.ASCII,
)
_DIGITS = late_pattern(r"(?<![\w.])\d(?:[ -]?\d){11,22}(?![\w.]?\d)", re.ASCII)
_CHINESE_ID = late_pattern(
    r"(?<!\d)\d{6}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![\dA-Za-z])",
    re.ASCII,
)
_IBAN = late_pattern(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b", re.ASCII)


def secrets_in(text: str) -> list[Secret]:
    """The secrets of a text in order, without overlaps. Cost: O(length).

    >>> [found.kind for found in secrets_in("My card is 4111 1111 1111 1111, my wifi password is hunter2!")]
    ['card']
    >>> secrets_in("My card is 4111 1111 1111 1112."), secrets_in("我的手机号是13800138000")
    ([], [])
    """
    if not _MAY.search(text):
        return []
    return [Secret(_SORTS[sort][0], *span) for *span, sort in leftmost_longest(_found(text))]


def redacted(text: str) -> str:
    """The text with secrets replaced; the same object if there are none.

    >>> redacted("It is AKIA2BCDEFGHIJKLMNOP, don't tell"), redacted("四月的雨")
    ("It is [private], don't tell", '四月的雨')
    """
    return _hidden(text, lambda hidden, _: hidden)


def masked(text: str) -> str:
    """The text with secrets replaced, keeping offsets; the same object if there are none.

    >>> masked("It is AKIA2BCDEFGHIJKLMNOP, don't tell")
    "It is [private]           , don't tell"
    """
    return _hidden(text, lambda hidden, length: hidden[:length].ljust(length))


def _hidden(text: str, shown: Callable[[str, int], str]) -> str:
    """The text with each secret replaced by `shown(word, length)`."""
    found = secrets_in(text)
    hidden = translated("[private]", language_of(text)) if found else ""
    for secret in reversed(found):
        instead = shown(hidden, secret.end - secret.start)
        text = text[: secret.start] + instead + text[secret.end :]
    return text


def _found(text: str) -> Iterator[tuple[int, int, int]]:
    """The spans of what may be secret, with the numbers of their sorts."""
    for sort, (_, pattern, holds) in enumerate(_SORTS):
        for found in pattern.finditer(text):
            value = "value" if "value" in pattern.groupindex else 0
            if holds(found[value]):
                yield *found.span(value), sort


def _is_key(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_card(digits: str) -> bool:
    """Whether it has a valid Luhn checksum. Source: ISO/IEC 7812-1, annex B."""
    digits = re.sub(r"\D", "", digits)
    if not 13 <= len(digits) <= 19 or digits[0] not in "23456" or len(set(digits)) == 1:
        return False
    doubled = (
        int(digit) * 2 if place % 2 else int(digit) for place, digit in enumerate(reversed(digits))
    )
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _chinese_check(number: str) -> bool:
    """Whether the check digit is valid. Source: GB 11643-1999."""
    total = sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(number[:17]))
    return "10X98765432"[total % 11] == number[17].upper()


def _iban_check(number: str) -> bool:
    """Whether the checksum is valid. Source: ISO 13616, mod 97."""
    number = number.replace(" ", "")
    turned = number[4:] + number[:4]
    return len(number) >= 15 and int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


_SORTS: tuple[tuple[SecretKind, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("private_key", _PRIVATE_KEY, bool),
    ("api_key", _API_KEY, _is_key),
    ("api_key", _NAMED_KEY, _is_key),
    ("card", _DIGITS, _is_card),
    ("id_number", _CHINESE_ID, _chinese_check),
    ("id_number", _IBAN, _iban_check),
)
