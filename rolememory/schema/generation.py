"""What a frontend says of one generation: what lorebooks ask beside the messages."""

from rolememory.schema.message import TurnKind
from rolememory.schema.value_class import value_class


@value_class
class Generation:
    """One generation as the frontend makes it; what is left out is as it usually is."""

    kind: TurnKind = "normal"
    author_note: str | None = None  # if it is due now: lore around it is merged with it
    note_scanned: bool = False  # whether keys of lore are looked for in it
    greeting: int | None = None  # which one the chat began with, 0 = the first; None = found out
    context_tokens: int | None = None  # of the model; None = what the settings say
    user_icon: str = ""  # name of the user's picture
    injected: tuple[str, ...] = ()  # further texts in which keys of lore are looked for
    outside: tuple[
        str, ...
    ] = ()  # ids of lorebook entries (`book.id`) that were activated elsewhere
    chance: tuple[float, ...] = ()  # numbers in [0, 1) that decide; () = by the turn

    @property
    def searched(self) -> tuple[str, ...]:
        """Every text in which keys are looked for at any depth."""
        note = (self.author_note,) if self.author_note and self.note_scanned else ()
        return (*note, *self.injected)


USUAL = Generation()
