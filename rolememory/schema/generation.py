"""What a frontend says about one generation, besides the messages; used by lorebooks."""

from rolememory.schema.message import TurnKind
from rolememory.schema.value_class import value_class


@value_class
class Generation:
    """One generation of a frontend; omitted fields have the usual values."""

    kind: TurnKind = "normal"
    author_note: str | None = None  # if due now: lore around it is merged with it
    note_scanned: bool = False  # whether lore keys are searched in it
    greeting: int | None = None  # index of the chat's greeting, 0 = the first; None = detect
    context_tokens: int | None = None  # of the model; None = from the settings
    user_icon: str = ""  # name of the user's picture
    injected: tuple[str, ...] = ()  # further texts searched for lore keys
    outside: tuple[
        str, ...
    ] = ()  # ids of lorebook entries (`book.id`) that were activated elsewhere
    chance: tuple[float, ...] = ()  # random numbers in [0, 1) to use; () = from the turn's seed

    @property
    def searched(self) -> tuple[str, ...]:
        """Every text that is searched for keys at any depth."""
        note = (self.author_note,) if self.author_note and self.note_scanned else ()
        return (*note, *self.injected)


USUAL = Generation()
