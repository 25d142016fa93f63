"""Conversations in other forms than chat completions: read as one, and sent on in their own form.

Source: Anthropic's Messages and OpenAI's Responses.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rolememory.schema.value_class import value_class
from rolememory.serve.proxy.inject import Body

_OPENING = "opening"  # marks the message that stands in a field of its own


@value_class
class RequestForm:
    """Where a form keeps what a chat holds in `messages`."""

    opening: str  # the field of the first instructions
    said: str  # the field of the messages
    part: str  # the type of a piece of text that a system or a user wrote
    mixed: bool  # whether instructions may stand among the messages
    goes_on: tuple[str, ...] = ()  # fields that name messages which the server keeps

    def chat(self, body: Body) -> Body:
        """The request as a chat.

        >>> FORMS["messages"].chat({"system": "Be Asha.", "messages": [{"role": "user", "content": "Hi"}]})["messages"]
        [{'role': 'system', 'content': 'Be Asha.', 'opening': True}, {'role': 'user', 'content': 'Hi'}]
        """
        said, opening = body.get(self.said), body.get(self.opening)
        rows = [{"role": "user", "content": said}] if isinstance(said, str) else said
        head = [{"role": "system", "content": opening, _OPENING: True}] if opening else []
        rest = {name: one for name, one in body.items() if name not in (self.said, self.opening)}
        return {**rest, "messages": [*head, *(rows if isinstance(rows, list) else ())]}

    def request(self, chat: Body) -> Body:
        """The chat as a request: what no message may say goes to the first instructions or into the next message of the user."""
        opening, said, waiting = list[Any](), list[Any](), list[str]()
        for row in chat["messages"]:
            role = _field(row, "role")
            if _field(row, _OPENING):
                opening.append(row["content"])
            elif role != "system" or self.mixed:
                said.append(self._with(row, waiting if role == "user" else ()))
                waiting = [] if role == "user" else waiting
            else:
                (waiting if said else opening).append(row["content"])
        users = [at for at, row in enumerate(said) if _field(row, "role") == "user"]
        if users:
            said[users[-1]] = self._with(said[users[-1]], waiting, behind=True)
        else:
            opening += waiting
        rest = {name: one for name, one in chat.items() if name != "messages"}
        head = {self.opening: self._joined(opening)} if opening else {}
        return {**rest, **head, self.said: said}

    def _with(self, row: Any, texts: Sequence[str] = (), *, behind: bool = False) -> Any:
        """A message with further texts, results of tools first as its form wants them."""
        content = _field(row, "content")
        if isinstance(content, str) and texts:
            return {
                **row,
                "content": self._joined([content, *texts] if behind else [*texts, content]),
            }
        if not isinstance(content, list):
            return row
        results = [one for one in content if _field(one, "type") == "tool_result"]
        rest = [one for one in content if _field(one, "type") != "tool_result"]
        parts = [*rest, *texts] if behind else [*texts, *rest]
        return {**row, "content": [*results, *map(self._part, parts)]}

    def _joined(self, contents: Sequence[Any]) -> Any:
        if all(isinstance(one, str) for one in contents):
            return "\n\n".join(contents)
        listed = (one if isinstance(one, list) else [one] for one in contents)
        return [self._part(part) for some in listed for part in some]

    def _part(self, part: Any) -> Any:
        if isinstance(part, str):
            return {"type": self.part, "text": part}
        return {**part, "type": self.part} if _field(part, "type") == "text" else part


def _field(one: Any, name: str) -> Any:
    return one.get(name) if isinstance(one, Mapping) else None


FORMS: Mapping[str, RequestForm] = {
    "messages": RequestForm("system", "messages", "text", mixed=False),
    "responses": RequestForm(
        "instructions",
        "input",
        "input_text",
        mixed=True,
        goes_on=("previous_response_id", "conversation"),
    ),
}
"""By the path behind `/v1`."""
