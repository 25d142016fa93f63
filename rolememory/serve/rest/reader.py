"""Who reads the response to a request: their language, and texts of ours in it."""

from contextvars import ContextVar

from starlette.requests import Request

from rolememory.locales import Localized
from rolememory.schema.scene import Language
from rolememory.schema.value_class import value_class
from rolememory.serve.app_state import AppState
from rolememory.serve.http_refusal import language_of
from rolememory.shipped import shipped


@value_class
class Reader:
    """The reader of a response."""

    app_state: AppState
    language: Language

    def say(self, text: str | Localized) -> str:
        """A text without local paths; a localized one in the reader's language."""
        told = text.text(self.language) if isinstance(text, Localized) else text
        for root in (str(self.app_state.home.path), str(shipped())):
            told = told.replace(f"{root}/", "").replace(f"{root}\\", "").replace(root, ".")
        return told


_READER: ContextVar[Reader] = ContextVar("reader")
reader = _READER.get
"""The reader of the response that is made."""


def read_by(request: Request) -> None:
    """From here on the caller of this request is the reader."""
    app_state: AppState = request.app.state.app_state
    _READER.set(Reader(app_state, language_of(request.headers, app_state.language)))
