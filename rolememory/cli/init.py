"""init: makes a home, and says what the home can do and what comes next."""

from pathlib import Path
from typing import Annotated, Any

from rolememory.cli.context import home_path
from rolememory.cli.embedding_status import EmbeddingStatus, look
from rolememory.cli.options import argument
from rolememory.cli.output import out
from rolememory.cli.words import ProcessLanguage, say


def init(
    path: Annotated[
        Path | None,
        argument("[PATH]", "where; default: --home, else memories"),
    ] = None,
) -> None:
    """Make what is not there yet; what is there stays as it is."""
    from rolememory.storage.home import init as found

    home = path or home_path()
    made = found(home, ProcessLanguage.language)
    meaning = look(home)
    if out.json(
        {
            "home": str(home.expanduser().resolve()),
            "made": [str(one) for one in made],
            "meaning": meaning.as_json(),
        }
    ):
        return
    out.line(
        say("{home}: ready", home=home)
        if made
        else say("{home}: is there already, nothing changed", home=home),
        "bold",
    )
    out.line(meaning.text())
    for line in _next(home, meaning):
        out.line(line)


def _next(home: Path, meaning: EmbeddingStatus) -> list[str]:
    """What to do now, one command a line."""
    place = "" if str(home) == "memories" else f" --home {home}"
    rows: list[tuple[Any, str]] = [
        ("rolememory demo", say("see what it does")),
        (
            f"rolememory open {say('Mira')} --create{place}",
            say("make a role"),
        ),
        (
            f'''rolememory add {say("Mira")} "{say("The beacon failed in the storm of 1887.")}"{place}''',
            say("tell it something"),
        ),
        (
            f'''rolememory recall {say("Mira")} "{say("Why is the beacon dark?")}"{place}''',
            say("ask"),
        ),
    ]
    wide = max(len(command) for command, _ in rows)
    return [
        "",
        say("next:"),
        *(f"  {command:<{wide}}  # {what}" for command, what in rows),
    ]
