"""Other request formats: converted to chat completions, and back for the upstream.

Source: Anthropic's Messages and OpenAI's Responses.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rolememory.schema.json_types import list_of, object_of, without
from rolememory.schema.value_class import value_class
from rolememory.serve.proxy.inject import Body

_OPENING = "opening"  # marks the message from a separate field


@value_class
class RequestForm:
    """The fields of a format that correspond to `messages`."""

    opening: str  # the field of the first instructions
    said: str  # the field of the messages
    part: str  # the type of a text part of a system or user message
    mixed: bool  # whether system messages are allowed among the messages
    goes_on: tuple[str, ...] = ()  # fields that refer to messages stored by the server

    def chat(self, body: Body) -> Body:
        """The request as a chat.

        >>> FORMS["messages"].chat({"system": "Be Asha.", "messages": [{"role": "user", "content": "Hi"}]})["messages"]
        [{'role': 'system', 'content': 'Be Asha.', 'opening': True}, {'role': 'user', 'content': 'Hi'}]
        """
        said = body.get(self.said)
        opening = body.get(self.opening)
        rows = [{"role": "user", "content": said}] if isinstance(said, str) else said
        head = [{"role": "system", "content": opening, _OPENING: True}] if opening else []
        rest = without(body, self.said, self.opening)
        return {**rest, "messages": [*head, *list_of(rows)]}

    def request(self, chat: Body) -> Body:
        """The chat as a request; without `mixed` all system messages are merged into the first instructions."""
        opening = list[Any]()
        said = list[Any]()
        for row in chat["messages"]:
            if object_of(row).get(_OPENING) or (
                not self.mixed and object_of(row).get("role") == "system"
            ):
                opening.append(object_of(row).get("content") or "")
            else:
                said.append(self._row(row))
        rest = without(chat, "messages")
        head = {self.opening: self._joined(opening)} if opening else {}
        return {**rest, **head, self.said: said}

    def _row(self, row: Any) -> Any:
        content = object_of(row).get("content")
        return {**row, "content": [*map(self._part, content)]} if isinstance(content, list) else row

    def _joined(self, contents: Sequence[Any]) -> Any:
        if all(isinstance(one, str) for one in contents):
            return "\n\n".join(contents)
        listed = (one if isinstance(one, list) else [one] for one in contents)
        return [self._part(part) for some in listed for part in some]

    def _part(self, part: Any) -> Any:
        if isinstance(part, str):
            return {"type": self.part, "text": part}
        return {**part, "type": self.part} if object_of(part).get("type") == "text" else part


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
"""Formats by the path after `/v1`."""
