"""Who may know a word: set inclusion over a record of what happened. Knows nothing of the product."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Event:
    """In a chat these come, go, are said, become one person (link); or it tells a story of this name."""

    what: str
    chat: str = ""
    names: tuple[str, ...] = ()  # of people and characters, or words


@dataclass
class Oracle:
    """Follows the record. A muted character has gone; what was said in no chat was heard by nobody."""

    there: dict[str, frozenset[str]] = field(default_factory=dict)  # chat -> who is in it
    told: dict[str, tuple[str, frozenset[str]]] = field(default_factory=dict)  # word -> chat, who
    story: dict[str, str] = field(default_factory=dict)  # chat -> its story; "" = one life
    same: dict[str, str] = field(default_factory=dict)  # name -> the person's first name

    def follow(self, event: Event) -> None:
        here, names = self.there.get(event.chat, frozenset()), event.names
        if event.what == "say":
            self.told |= dict.fromkeys(names, (event.chat, here))
        elif event.what == "link":
            self.same |= dict.fromkeys(names, names[0])
        elif event.what == "story":
            self.story[event.chat] = names[0]
        else:
            self.there[event.chat] = here - {*names} if event.what == "go" else here | {*names}

    def may_know(self, word: str, chat: str) -> bool:
        """Whether all who are in that chat now were there when it was said, in the same story."""
        told, heard = self.told[word]
        who, were = (
            {self.same.get(one, one) for one in names} for names in (self.there[chat], heard)
        )
        return who <= were and self.story.get(told, "") == self.story.get(chat, "")
