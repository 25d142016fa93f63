"""What a dropped file is: a card, a lorebook, or nothing we know. Nothing is kept."""

from typing import Literal

from pydantic import Field

from rolememory.cards.book_files import load_book
from rolememory.errors import FileError
from rolememory.serve.rest.book_schemas import EverywhereOut, on_every_turn
from rolememory.serve.rest.cards import CardFindings, card_findings, card_in
from rolememory.serve.rest.dependencies import AppStateDep, LanguageDep, router
from rolememory.serve.rest.error_responses import clean, private
from rolememory.serve.rest.schemas import Out
from rolememory.serve.rest.uploads import TAKES_A_FILE, TheUpload

arrivals = router("cards")


class BookSeen(Out):
    """A lorebook that is not here yet."""

    name: str
    format: str
    entries: int
    problems: list[str]
    everywhere: list[EverywhereOut] = Field(description="keys that match everything")


class FileSeen(Out):
    """A file, looked at."""

    kind: Literal["card", "book", "none"]
    card: CardFindings | None = Field(
        None, description="kind card: what is in it, and what is wrong with it"
    )
    book: BookSeen | None = Field(None, description="kind book")
    why: str = Field("", description="kind none: why it could not be read")


@arrivals.post("/files/look", openapi_extra=TAKES_A_FILE)
def look_at_file(app_state: AppStateDep, language: LanguageDep, upload: TheUpload) -> FileSeen:
    """What the file is. One that is nothing we know is told so, with the reason; that is no error."""
    try:
        return FileSeen(kind="card", card=card_findings(card_in(upload), app_state, language))
    except FileError as error:
        why = private(error.text(language), app_state)
    try:
        book = load_book(upload.data, upload.name or "upload")
    except FileError:
        return FileSeen(kind="none", why=why)
    found = book.lorebook()
    problems = [private(problem, app_state) for problem in found.problems]
    return FileSeen(
        kind="book",
        book=BookSeen(
            name=clean(book.name),
            format=book.form.name,
            entries=len(found.entries),
            problems=problems,
            everywhere=on_every_turn(found, app_state.home.settings.lore),
        ),
    )
