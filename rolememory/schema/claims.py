"""What a sentence claims about somebody: the small language in which learning reads statements and compares them.

`learn.statements` reads claims out of words, Chinese and English alike; `learn.reconcile` asks whether two of them can both hold.
"""

from dataclasses import dataclass
from typing import Final

from rolememory.schema.memory import MemoryType

ROLE: Final = ""  # the role itself: a memory without a subject
USER: Final = "user"  # whoever speaks to it


@dataclass(frozen=True, slots=True)
class Attribute:
    """One thing that can be said of somebody."""

    single: bool = False  # only one value holds at a time: a second one replaces the first
    opposite: str = ""  # the attribute that says the contrary of the same value
    salience: float = 0.5  # how much it usually matters, 0..1
    kind: MemoryType = (
        MemoryType.SEMANTIC
    )  # said by anybody of anybody; what a role wants becomes a goal by `learn.rules`


ATTRIBUTES: dict[str, Attribute] = {
    "name": Attribute(single=True, salience=0.9),
    "nickname": Attribute(salience=0.7),  # wants to be called
    "age": Attribute(single=True, salience=0.6),
    "birthday": Attribute(single=True, salience=0.8),
    "gender": Attribute(single=True, salience=0.7),
    "home": Attribute(single=True, salience=0.7),  # lives in
    "origin": Attribute(single=True, salience=0.6),  # comes from
    "job": Attribute(single=True, salience=0.7),
    "employer": Attribute(single=True, salience=0.6),
    "study": Attribute(single=True, salience=0.6),  # school or subject
    "marital_status": Attribute(single=True, salience=0.8),
    "relation": Attribute(salience=0.7),  # `about` = sister, boss, ...; value = the name, or ""
    "favourite": Attribute(single=True, salience=0.6),  # `about` = of what: colour, food, ...
    "likes": Attribute(opposite="dislikes", salience=0.5),
    "dislikes": Attribute(opposite="likes", salience=0.5),
    "fears": Attribute(salience=0.7),
    "diet": Attribute(single=True, salience=0.7),
    "allergy": Attribute(salience=0.9),
    "health": Attribute(salience=0.8),
    "owns": Attribute(
        salience=0.5
    ),  # things and animals; `about` = cat, car, ...; value = its name, or ""
    "skill": Attribute(salience=0.5),
    "language": Attribute(salience=0.5),
    "belief": Attribute(salience=0.6),
    "habit": Attribute(salience=0.4),
    "looks": Attribute(salience=0.5),  # `about` = hair, eyes, height, ...
    "contact": Attribute(salience=0.5),
    "wants": Attribute(salience=0.6, kind=MemoryType.SEMANTIC),
    "plan": Attribute(salience=0.6),
    "promise": Attribute(salience=0.8),
    "did": Attribute(salience=0.5, kind=MemoryType.EPISODIC),  # what happened to somebody
    "is": Attribute(salience=0.4),  # anything else one says of oneself
    "prefers_reply": Attribute(salience=0.8),  # how the user wants to be answered
}


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement about one subject, with the words it stands in."""

    subject: str  # ROLE, USER, or a name
    attribute: str  # a name of ATTRIBUTES
    value: str  # what is said, in the words of the text, trimmed of articles and politeness: "Rome", "养了一只猫" gives about=猫
    content: str  # the claim as one sentence in the third person, in the language of the text, as memory.json will have it
    quote: str  # the sentence it comes from, word for word as it stands in the text
    about: str = (
        ""  # of what, for relation, favourite, owns, looks: folded ("sister", "colour", "猫")
    )
    holds: bool = True  # false: "no longer", "not any more", "never did"
    start: int = 0  # where the quote stands in the text, in characters
    end: int = 0
    certainty: float = 1.0  # 0..1: "I think", "maybe" and hearsay are less sure
    former: str = ""  # the value that the sentence itself calls outdated: "I moved from Rome to Paris" -> "Rome"
    corrects: bool = False  # the sentence says that what was believed is wrong: "actually", "no, I meant", 其实, 不对
