"""Lore alone, without roles and memories: which entries of these books come into the prompt for these messages."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b

from rolememory.cards.book import read_book
from rolememory.recall.lore.activate import activate
from rolememory.recall.lore.activation import Activation, LoreScene
from rolememory.recall.lore.chance import Dice
from rolememory.recall.lore.index import LoreIndex
from rolememory.recall.lore.rules import under
from rolememory.recall.lore.texts import texts_of
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.lorebook import Lorebook, TimedState
from rolememory.schema.message import Message
from rolememory.schema.role import Character
from rolememory.schema.settings import LengthSettings, ScanSettings
from rolememory.text.lengths import counter_for
from rolememory.text.macros import Variables, for_character
from rolememory.text.pattern import PatternBudget

Book = Lorebook | JsonMapping


def scan(
    books: Book | Iterable[Book] | LoreIndex,
    messages: Iterable[Message | JsonMapping | str],
    *,
    card: Character | None = None,
    state: TimedState | JsonMapping | None = None,
    rules: str | None = None,
    settings: ScanSettings | None = None,
    trigger: str = "normal",
    author_note: str | None = None,
    injected: Iterable[str] = (),
    recalled: Iterable[str] = (),
    outside: Iterable[str] = (),
    chance: Iterable[float] | int = 0,
    cost: Callable[[str], int] | None = None,
    context_tokens: int | None = None,
    patterns: PatternBudget | None = None,
    greeting: int = 0,
    user_icon: str = "",
    unseen: int = 0,
    variables: JsonMapping | None = None,
    now: datetime | None = None,
    chat: int = 0,
    dry_run: bool = False,
) -> Activation:
    """Scan lorebooks for one generation.

    Args:
        books: lorebooks, or the JSON documents of any known format; or an index of them, which saves preparing them again.
        messages: the visible chat, oldest first; a true field `hidden` hides a message.
        card: texts and names of the character and the user.
        state: the timers the last scan of this chat gave; the answer's `state` is for the next one.
        rules: "default" or "sillytavern"; None = what the settings say.
        settings: scan settings; None = their defaults.
        trigger: kind of generation: normal, continue, impersonate, swipe, regenerate, quiet.
        author_note: the author's note, if it is due now; texts are merged around it.
        injected: further texts that are scanned at every depth, their macros said.
        recalled: what was said once and is scanned too; its macros are not said.
        outside: ids of entries (`book.id`) activated from outside, by meaning.
        chance: a seed, or the numbers in [0, 1) that decide.
        cost: tokens of a text; None = an estimate by script.
        context_tokens: the model's context; None = what the settings say.
        patterns: the time that keys which are patterns may take; None = the usual one.
        greeting: which greeting the chat began with.
        user_icon: name of the user's picture.
        unseen: messages of the chat before the ones given, which the frontend cut off: timers count them.
        variables: what macros of this chat have kept, as `Activation.variables.to_json()` gives it.
        now: the time that macros tell; None = they tell none.
        chat: a number of the chat: `{{pick}}` stays the same in it.
        dry_run: a preview: sticky and cooldown are neither read nor written, variables not written.

    >>> book = {"entries": {"0": {"uid": 0, "key": ["beacon"], "content": "The beacon burns whale oil.", "position": 0}}}
    >>> scan(book, ["Why is the beacon dark?"]).placement.before_text
    'The beacon burns whale oil.'
    """
    index = _index(books, settings, rules)
    who = card or Character()
    told = [Message.of(message) for message in messages]
    dice, room = Dice(chance), context_tokens or index.settings.context_tokens
    macros = for_character(
        who,
        now=now,
        seed=chance if isinstance(chance, int) else 0,
        chat=chat,
        card_macros=index.rules.card_macros,
        messages=told,
        unseen=unseen,
        variables=Variables.of(variables),
        dice=dice,
        context_tokens=room,
    )
    texts = texts_of(
        told,
        who,
        macros,
        include_names=index.settings.include_names,
        injected=injected,
        recalled=recalled,
    )
    scene = LoreScene(
        texts=replace(texts, visible=texts.count + unseen) if unseen else texts,
        character=who,
        state=TimedState.of(state),
        macros=macros,
        trigger=trigger,
        outside=frozenset(outside),
        author_note=author_note,
        context_tokens=room,
        greeting=greeting,
        user_icon=user_icon,
        dry_run=dry_run,
    )
    return activate(
        index,
        scene,
        dice=dice,
        cost=cost or counter_for("tokens", LengthSettings()),
        patterns=patterns,
    )


def greeting_of(card: Character, messages: Sequence[Message]) -> int:
    """Which greeting of the card the chat began with: 0 where it is none of the others.

    >>> card = Character(name="Mira", first_mes="Hello.", alternate_greetings=("{{char}} waves.",))
    >>> greeting_of(card, [Message.assistant("Mira waves.")])
    1
    """
    if not (card.alternate_greetings and messages and messages[0].role == "assistant"):
        return 0
    macros, said = for_character(card), messages[0].content.strip()
    others = enumerate(card.alternate_greetings, 1)
    return next((number for number, text in others if macros.of_card(text).strip() == said), 0)


def chat_number(chat: str) -> int:
    """A number for a chat's name: `{{pick}}` says the same in it for ever."""
    told = chat.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(told, digest_size=8).digest(), "big")


def _index(
    books: Book | Iterable[Book] | LoreIndex, settings: ScanSettings | None, rules: str | None
) -> LoreIndex:
    if isinstance(books, LoreIndex):
        return books
    chosen = under(rules, settings or ScanSettings())
    given: Iterable[Book] = [books] if isinstance(books, Lorebook | Mapping) else books
    return LoreIndex(
        (book if isinstance(book, Lorebook) else read_book(book) for book in given), chosen
    )
