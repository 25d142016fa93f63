"""A claim as one Chinese sentence in the third person, in the script of the text, such that it reads back as the same claim."""

import re
from dataclasses import dataclass

from rolememory.learn.statements.chinese_living import is_job
from rolememory.learn.statements.chinese_who import Scene, Who
from rolememory.learn.statements.chinese_words import in_script_of, lexicon, simple

_PRONOUNS = re.compile(
    "我们|咱们|我俩|咱俩|你们|他们|她们|它们|人家|本人|您|妳|你|我|俺|(?<![吉其])他(?![人乡日])|她|它(?!们)"
)
_OWNED = re.compile(
    "([我你您妳])(?=[家妈媽爸哥姐弟妹爷爺奶娘爹](?![们們])|老婆|老公|朋友|同学|同學)"
)  # 我姐 becomes 阿林的姐


@dataclass(frozen=True, slots=True)
class Turned:
    """Words with 我 and 你 turned into names."""

    words: str
    clear: bool  # nobody is left who only the conversation could tell


def turned(words: str, here: Scene) -> Turned:
    """The words as a third person says them: 我的猫 is 阿林的猫.

    他 and 她 become a name where only one can be meant; what stays makes the result unclear.
    """
    clear = True

    def name(found: re.Match[str]) -> str:
        nonlocal clear
        who = _meant(simple(found.group()), here)
        clear &= who is not None
        return who.shown if who else found.group()

    return (
        Turned(_PRONOUNS.sub(name, _OWNED.sub(r"\1的", words)), clear)
        if _PRONOUNS.search(words)
        else Turned(words, True)
    )


def _meant(pronoun: str, here: Scene) -> Who | None:
    if pronoun in ("我", "俺", "本人"):
        return here.me if here.me.known else None
    if pronoun == "你":
        return here.you if here.you.known else None
    who = here.pronoun(pronoun) if pronoun in ("他", "她") else None
    return who if who and who.known else None


@dataclass(frozen=True, slots=True)
class Sentence:
    """What a content sentence is made of."""

    attribute: str
    value: str
    about: str
    holds: bool
    raw: str  # the value with its measure word
    template: tuple[str, ...] = ()  # of the rule: one for what holds, one for what does not


def content(sentence: Sentence, who: Who, text: str) -> str:
    """The sentence about somebody; `text` shows in which script."""
    template = in_script_of(_template(sentence), text)
    return template.format(who=who.shown, v=sentence.value, a=sentence.about, raw=sentence.raw)


def quoted(sentence: Sentence, who: Who, text: str) -> str:
    """The sentence as his own words, where a pronoun in it could not be turned."""
    said = in_script_of(_template(sentence), text).format(
        who="我", v=sentence.value, a=sentence.about, raw=sentence.raw
    )
    return in_script_of("{who}说：“{said}”", text).format(who=who.shown, said=said)


def _template(sentence: Sentence) -> str:
    templates = sentence.template or lexicon().raw["content"][_key(sentence)]
    return str(templates[0] if sentence.holds or len(templates) == 1 else templates[1])


def _key(sentence: Sentence) -> str:
    """The row of the templates."""
    name = sentence.attribute
    if name == "study":
        return f"study {sentence.about}"
    if name in ("relation", "owns") and not sentence.value:
        return f"{name} ?"
    return "job ?" if name == "job" and not is_job(simple(sentence.value)) else name
