"""Renders a step's prompt and asks its model: the only place where learning calls models."""

import logging
from collections.abc import Callable

from rolememory.learn.model.models import TEMPLATES, Models, Step, own, where
from rolememory.learn.model.prompts import Prompts
from rolememory.llm.answers import Shape
from rolememory.llm.client import UNHURRIED, RequestLimits, no_fault
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.scene import Language
from rolememory.schema.settings import LearnSettings

_log = logging.getLogger(__name__)


class StepPrompter:
    """Asks models. `notes` are hints for authors of templates."""

    def __init__(
        self, models: Models, prompts: Prompts, settings: Callable[[], LearnSettings]
    ) -> None:
        self.models, self._prompts, self._settings = models, prompts, settings
        self.notes: dict[str, None] = {}

    def __call__(
        self,
        step: Step,
        shape: type[Shape],
        values: JsonMapping,
        *,
        language: Language = "en",
        words: str = "",
        check: Callable[[Shape], str] = no_fault,
        haste: RequestLimits = UNHURRIED,
    ) -> Shape:
        """The answer of this step's model, in this shape. `words`: another template than the step's.

        Raises:
            ModelError: no model is set, or it cannot be asked now.
            ModelAnswerError: it answered what cannot be used.
            TemplateError: not even the shipped template works.
        """
        settings = self._settings()
        model, mine = self.models.of(settings, step), own(settings, step)
        template = words or TEMPLATES.get(step, step)
        if words:
            mine = mine.model_copy(update={"template": "", "prompt": ""})
        prompt = self._prompts.of(template, mine, language, values)
        for note in prompt.notes:
            if note not in self.notes:
                _log.warning("%s", note)
                self.notes[note] = None
        asked = [{"role": "user", "content": prompt.text}]
        return model.ask(asked, shape, step=template, language=language, check=check, haste=haste)

    def named(self, step: Step) -> str:
        """The name of this step's model."""
        at = where(self._settings(), step)
        return at.model if at else ""
