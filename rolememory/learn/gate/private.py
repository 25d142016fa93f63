"""What looks like somebody's secret: keys, passwords, cards, numbers of identity and of telephones. Found, named by sort, never repeated."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from rolememory.learn.commands.reading import plain
from rolememory.text.language import language_of
from rolememory.text.words import words

Sort = Literal["private_key", "api_key", "card", "id_number", "password", "phone"]
HARD: frozenset[Sort] = frozenset({"private_key", "api_key", "card"})
"""What nobody needs in a story: waits for a person even when asked to be remembered."""

_HIDDEN = {"en": "[private]", "zh": "［已隐去］"}


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands: [start, end) of the text, the secret alone."""

    sort: Sort
    start: int
    end: int


_MAY = re.compile(
    r"\d(?:[ ().-]{0,2}\d){5}|\d{3}|[a-z]\d|\d[a-z]|private key|pass|pwd|\bpin\b|cvc|cvv|key|token|secret|bearer|login|密码|口令|验证码|取款|支付码|密钥|令牌"
)
"""Without a run of digits or a word of this kind a text holds no secret: nearly all texts are done with here."""

_KEY = (
    r"\b(?:sk|pk|rk|ak)[-_](?:live|test|proj|ant|or|svcacct)?[-_]?[A-Za-z0-9_-]{16,}",
    r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{30,}",
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{30,}|\bya29\.[\w-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}",
    r"\bxox[abeprs]-[\w-]{10,}|\b\d{8,10}:[A-Za-z0-9_-]{35}\b",
    r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]+)?",
    r"\b[Bb]earer\s+[\w.~+/-]{16,}=*",
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)")
_KNOWN_KEY = re.compile("|".join(_KEY), re.ASCII)
_NAMED_KEY = re.compile(
    r"(?:api[ _-]?key|(?:secret|access|private|license|licence|encryption|client)[ _-]?(?:key|secret|token)|\b(?:auth|access|bearer|session|bot)? ?token|密钥|秘钥|令牌|授权码)"
    r"(?: \w+){0,3}?\s*(?:is|are|was|=|:|是|为)\s*[\"'`]?(?P<value>[\w./+~-]{8,})",
    re.IGNORECASE | re.ASCII,
)
_LONG = re.compile(
    r"(?<![\w/.-])(?=[\w+/=-]*\d)(?=[\w+/=-]*[A-Za-z])(?:[0-9a-f]{32,}|[0-9A-F]{32,}|[A-Za-z0-9+/_-]{40,}={0,2})(?![\w/.-])", re.ASCII
)
_PASSWORD = re.compile(
    r"(?P<name>pass(?:word|code|phrase|wd)?|pwd|pin(?: code| number)?|cvv2?|cvc|one[- ]time (?:code|password)|otp|verification code|2fa code|"
    r"密码|口令|验证码|取款码|支付码)(?! ?(?:manager|generator|reset|hint|policy|field|game|管理|生成))(?P<of>(?: (?!is\b|was\b)[\w']+){0,6}?|[^,。:是为]{0,8})\s*(?:(?:is|was)(?: now| set to| still)?|=|:|是|为|设成了?|改成了?)\s*"
    r"[\"'`「《]?(?P<value>(?!\[private|\[已隐去)[^\s\"'`,。;!?」》]{3,64})",
    re.IGNORECASE | re.ASCII,
)
_OWN = re.compile(
    r"\b(?:my|our|his|her)\b|wi-?fi|e-?mail|gmail|account|bank|login|log-in|netflix|laptop|computer|phone|steam|server|admin|router|"
    r"我|你家|咱|邮箱|账户|账号|帐号|银行|网银|支付|电脑|手机|路由器|服务器|登录|微信|qq",
    re.IGNORECASE | re.ASCII,
)
_CODE_NAMES = re.compile(r"pin|cvv|cvc|one|otp|verif|2fa|验证码|取款|支付", re.IGNORECASE | re.ASCII)
_DIGITS = re.compile(r"(?<![\w.])\d(?:[ -]?\d){11,22}(?![\w.]?\d)", re.ASCII)
_CHINESE_ID = re.compile(r"(?<!\d)\d{6}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![\dA-Za-z])", re.ASCII)
_SOCIAL_SECURITY = re.compile(r"(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])", re.ASCII)
_NAMED_ID = re.compile(
    r"(?:passport|social security|\bssn\b|driver'?s? licen[cs]e|national id|identity card|\bid (?:card )?number|tax id|护照|身份证|社保|驾照|驾驶证|港澳通行证|税号)"
    r"(?: (?:no|number|num|#|is|card))*\.?(?:号码?|号是)?\s*(?:is|=|:|#|是|为)?\s*(?P<value>(?=(?:[A-Za-z-]*\d){4})[A-Za-z0-9-]{6,20})",
    re.IGNORECASE | re.ASCII,
)
_SIX_DIGITS = re.compile(r"\d(?:\D{0,3}\d){5}")
_FOUR_DIGITS = re.compile(r"\d(?:\D{0,6}\d){3}")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b", re.ASCII)
_PHONES = re.compile(
    r"(?<![\d.-])(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?![\d-])"
    r"|(?<!\w)\+\d{1,3}[ -]?(?:\(?\d{1,4}\)?[ -]?){2,5}\d{2,4}(?!\d)"
    r"|(?<![\d.-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\d-])"
    r"|(?<![\d-])0\d{2,3}[ -]\d{7,8}(?![\d-])",
    re.ASCII,
)
_NAMED_PHONE = re.compile(
    r"(?:(?:phone|mobile|cell|telephone|whatsapp|contact) ?(?:number|no\.?)?|\b(?:call|text|reach|ring|phone) (?:me|us|him|her)(?: \w+)? (?:at|on|under)|\btel\b\.?|"
    r"\bmy number|电话|手机号?|座机|热线|\bqq)(?:号码?)?\s*(?:is|=|:|是|为)?\s*(?P<value>\+?\(?\d[\d ()-]{4,}\d)",
    re.IGNORECASE | re.ASCII,
)


def secrets_in(text: str) -> list[Secret]:
    """The secrets of a text in order, apart from each other.

    >>> [found.sort for found in secrets_in("My wifi password is hunter2! and my dog's name was Password.")]
    ['password']
    >>> [found.sort for found in secrets_in("我的手机号是13800138000，卡号 4111 1111 1111 1111")]
    ['phone', 'card']
    """
    even = plain(text)
    if not _MAY.search(even):
        return []
    found = sorted((secret for find in _FINDERS for secret in find(text, even)), key=lambda one: (one.start, -one.end))
    apart: list[Secret] = []
    for secret in found:
        if not apart or secret.start >= apart[-1].end:
            apart.append(secret)
    return apart


def redacted(text: str) -> str:
    """The text with its secrets hidden; the very same text where there are none.

    >>> redacted("my PIN is 4711, don't tell"), redacted("四月的雨")
    ("my PIN is [private], don't tell", '四月的雨')
    """
    found = secrets_in(text)
    hidden = _HIDDEN[language_of(text)]
    for secret in reversed(found):
        text = text[: secret.start] + hidden + text[secret.end :]
    return text


def _known_keys(text: str, _: str) -> Iterator[Secret]:
    for pattern, sort in ((_PRIVATE_KEY, "private_key"), (_KNOWN_KEY, "api_key"), (_LONG, "api_key")):
        for found in pattern.finditer(text):
            if sort != "api_key" or re.search(r"\d", found.group()):
                yield Secret("private_key" if sort == "private_key" else "api_key", *found.span())


def _named_keys(text: str, even: str) -> Iterator[Secret]:
    for found in _NAMED_KEY.finditer(even):
        value = text[found.start("value") : found.end("value")]
        if re.search(r"\d", value) and re.search("[A-Za-z]", value):
            yield Secret("api_key", *found.span("value"))


def _passwords(text: str, even: str) -> Iterator[Secret]:
    for found in _PASSWORD.finditer(even):
        value = text[found.start("value") : found.end("value")].rstrip(".)")
        around = even[max(found.start() - 24, 0) : found.start("value")]
        if _is_password(value, found["name"], around):
            yield Secret("password", found.start("value"), found.start("value") + len(value))


def _is_password(value: str, name: str, around: str) -> bool:
    if value.isdigit():
        return 3 <= len(value) <= 10 and bool(_CODE_NAMES.match(name) or _OWN.search(around))
    if re.search(r"\d", value) and re.search(r"[A-Za-z]", value):
        return True
    if not value.isascii():
        return False
    if re.search(r"[@#$%^&*+=!_~]", value):
        return True
    ordinary = value.lower().strip("'.-") in words("en").stop or len(value) < 4
    return (
        bool(_OWN.search(around))
        and not ordinary
        and not re.match(
            r"(?:called|named|the|a|an|not|no|lost|gone|wrong|safe|secret|too|so|very|easy|hard|weak|strong|always|never|changed|stolen|forgotten|something|nothing)$",
            value,
            re.IGNORECASE | re.ASCII,
        )
    )


def _cards(text: str, _: str) -> Iterator[Secret]:
    for found in _DIGITS.finditer(text):
        digits = re.sub(r"\D", "", found.group())
        if 13 <= len(digits) <= 19 and digits[0] in "23456" and len(set(digits)) > 1 and _luhn(digits):
            yield Secret("card", *found.span())


def _luhn(digits: str) -> bool:
    """Source: ISO/IEC 7812-1, annex B."""
    doubled = (int(digit) * 2 if place % 2 else int(digit) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _identities(text: str, even: str) -> Iterator[Secret]:
    if not _FOUR_DIGITS.search(even):
        return
    for found in _CHINESE_ID.finditer(text):
        if _chinese_check(found.group()):
            yield Secret("id_number", *found.span())
    for found in _SOCIAL_SECURITY.finditer(text):
        yield Secret("id_number", *found.span())
    for found in _NAMED_ID.finditer(even):
        yield Secret("id_number", *found.span("value"))
    for found in _IBAN.finditer(text):
        if _iban_check(found.group().replace(" ", "")):
            yield Secret("id_number", *found.span())


def _chinese_check(number: str) -> bool:
    """Source: GB 11643-1999."""
    total = sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(number[:17]))
    return "10X98765432"[total % 11] == number[17].upper()


def _iban_check(number: str) -> bool:
    """Source: ISO 13616, mod 97."""
    turned = number[4:] + number[:4]
    return len(number) >= 15 and int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


def _phones(_: str, even: str) -> Iterator[Secret]:
    if not _SIX_DIGITS.search(even):
        return
    for found in _PHONES.finditer(even):
        if 7 <= sum(char.isdigit() for char in found.group()) <= 15:
            yield Secret("phone", *found.span())
    for found in _NAMED_PHONE.finditer(even):
        if 6 <= sum(char.isdigit() for char in found["value"]) <= 15:
            yield Secret("phone", *found.span("value"))


_FINDERS: tuple[Callable[[str, str], Iterator[Secret]], ...] = (_known_keys, _named_keys, _cards, _identities, _passwords, _phones)
