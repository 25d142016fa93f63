r"""Identifies the speakers of a text completion, only from names that the frontend wrote, never from chat messages.

That is the bare name that ends the prompt ("Asha:"), and only with stop strings ("\nTraveller:"), which are outside of the prompt:
they show that a chat frontend made it. Everything before the last line may be user text.
"""

from rolememory.serve.proxy.frontend_prompts import prompts
from rolememory.serve.proxy.transcript_parser import SpeakerNames
from rolememory.text.fold import fold_name

_LONGEST = 60  # characters of a name
_COLONS = (":", "：")


def plain(prompt: object) -> str:
    r"""A prompt without the markers of an instruct template.

    >>> plain("<|im_start|>user\nLin: Hello<|im_end|>\n<|im_start|>assistant\nAsha:").split("\n")
    ['', '', 'Lin: Hello', '', '', '', 'Asha:']
    """
    return prompts().markers.sub("\n", prompt) if isinstance(prompt, str) else ""


def names_of(prompt: object, stop: object, char: str = "") -> SpeakerNames:
    r"""The character that replies and the user that the model must not write for.

    A prompt that ends in one of its stop names is written as the user, unless that is known to be the character.

    >>> names_of("Lin: Hello\nAsha:", ["\nLin:"])
    SpeakerNames(char='Asha', user='Lin', members=(), persona='', others=())
    >>> names_of("Lin: Hello\nLin:", ["\nAsha:", "\nLin:"])
    SpeakerNames(char='Asha', user='Lin', members=(), persona='', others=())
    >>> names_of("Lin: Hello\nSeraphina:\n<|im_start|>assistant\n", ["\nLin:"]).char
    ''
    """
    stopped = _stopped_at(stop)
    next_one = _next_speaker(prompt)
    if not stopped:
        return SpeakerNames()
    if for_the_user(prompt, stop, char):
        return SpeakerNames(next((name for name in stopped if name != next_one), ""), next_one)
    return SpeakerNames(next_one, next((name for name in stopped if name != next_one), ""))


def for_the_user(prompt: object, stop: object, char: str = "") -> bool:
    r"""Whether the model writes as the user: the prompt ends in one of its stop names.

    >>> for_the_user("Lin: Hello\nLin:", ["\nAsha:", "\nLin:"]), for_the_user("Lin: Hi\nAsha:", ["\nLin:"])
    (True, False)
    >>> for_the_user("Lin: Hello\nAsha:", ["\nLin:", "\nAsha:"], "Asha")
    False
    """
    next_one = _next_speaker(prompt)
    return next_one in _stopped_at(stop) and fold_name(next_one) != fold_name(char)


def _stopped_at(stop: object) -> list[str]:
    """The names among the stop strings, in order."""
    lines = (
        one.strip()
        for one in (stop if isinstance(stop, list) else [stop])
        if isinstance(one, str) and one.startswith("\n") and not prompts().markers.search(one)
    )
    return [
        line[:-1].strip()
        for line in lines
        if line.endswith(_COLONS) and 1 < len(line) <= _LONGEST + 1 and not line.startswith("#")
    ]


def _next_speaker(prompt: object) -> str:
    """The bare name at the very end; "" if a template marker or anything else follows it."""
    if not isinstance(prompt, str):
        return ""
    *_, end = prompts().markers.split(prompt)
    last = end.rsplit("\n", 1)[-1].strip(" \t")
    return last[:-1].strip() if last.endswith(_COLONS) and 1 < len(last) <= _LONGEST + 1 else ""
