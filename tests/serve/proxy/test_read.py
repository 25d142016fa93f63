"""What a call is, whose turn it is, and what was said in it, whatever the frontend's way of laying it out."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rolememory.engine import Home
from rolememory.inject.place import Placement
from rolememory.serve.app_state import AppState
from rolememory.serve.proxy.hint import hint_of
from rolememory.serve.proxy.inject import injected_prompt
from rolememory.serve.proxy.request_reader import RequestReader
from tests.serve.proxy.requests import (
    CARD,
    CARD_ZH,
    as_prompt,
    merged,
    named,
    prefixed,
    request,
    semi,
    single,
    squashed,
    strict,
)

SAID = (
    ("assistant", "*The door creaks.* You are soaked through."),
    ("user", "Hello Asha, is the lamp wound?"),
    ("assistant", "Twice tonight."),
    ("user", "I brought lanterns and oil."),
)
HINT = {"role": "Asha", "user": "Lin", "chat": "745810796cd70e9e", "type": "normal"}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[AppState]:
    house = AppState(Home.open(tmp_path, {"embedding.backend": "off"}))
    yield house
    house.home.close()


HELLO = ("user", "Hello.")
TALKED = (HELLO, ("assistant", "Come in."))


def only(*said: tuple[str, str], **fields: Any) -> dict[str, Any]:
    return {"messages": [{"role": role, "content": text} for role, text in said], **fields}


def texts(call: Any) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in call.spoken]


@pytest.mark.parametrize(
    "layout",
    [
        pytest.param(lambda body: body, id="as it is"),
        pytest.param(merged, id="neighbours merged"),
        pytest.param(squashed, id="system messages squashed"),
        pytest.param(prefixed, id="names before the texts"),
        pytest.param(lambda body: prefixed(squashed(body)), id="names and squashed"),
    ],
)
def test_what_was_said_is_found_in_every_layout(
    house: AppState, layout: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    call = RequestReader(house).read(layout(request(SAID)), {}, None)
    assert texts(call) == [*SAID]
    assert call.kind == "normal"
    assert call.role is not None
    assert call.role.role.name == "Asha"
    assert call.user == "Traveller"


@pytest.mark.parametrize(
    "layout", [pytest.param(semi, id="semi"), pytest.param(strict, id="strict")]
)
def test_an_instruction_hung_on_the_users_words_is_known_from_the_second_turn_on(
    house: AppState, layout: Any
) -> None:
    reader = RequestReader(house)
    reader.read(layout(request(SAID[:2])), {}, None)
    call = reader.read(layout(request(SAID)), {}, None)
    assert texts(call) == [*SAID]


def test_a_message_that_is_shown_again_is_read_once(house: AppState) -> None:
    long = ("user", "and then " * 2_000)
    reader = RequestReader(house)
    first, second = (
        reader.read(only(*SAID[1:], long, rolememory=HINT), {}, None).spoken for _ in range(2)
    )
    assert first == second
    again = [one is other for one, other in zip(first, second, strict=True)]
    assert again == [True] * (len(SAID) - 1) + [False]  # what is long is not kept


def test_one_message_for_everything_is_cut_into_turns(house: AppState) -> None:
    call = RequestReader(house).read(single(request(SAID, post="")), {}, None)
    assert texts(call) == [*SAID]


@pytest.mark.parametrize(
    ("hint", "user"),
    [
        pytest.param({"role": "Asha"}, None, id="a role alone"),
        pytest.param({"role": "Asha", "user": "Lin"}, "Lin", id="a user as well"),
    ],
)
def test_one_message_is_cut_by_the_names_in_it_and_says_nothing_of_whose_it_is(
    house: AppState, hint: dict[str, str], user: str | None
) -> None:
    body = {**single(request(SAID, post="")), "rolememory": hint}
    call = RequestReader(house).read(body, {}, None)
    assert texts(call) == [*SAID]
    assert call.user == user
    assert (call.remembers, call.teaches) == (True, user is not None)
    assert [call.why for call in house.unidentified.values()] == ([] if user else ["user"])


def test_a_header_says_for_a_whole_connection_whose_words_they_are(house: AppState) -> None:
    body = request(SAID, hint={**HINT, "user": "Tom"}, user="Mei")
    assert RequestReader(house).read(body, {"x-rolememory-user": "Lin"}, None).user == "Lin"
    assert RequestReader(house).read(body, {}, None).user == "Tom"


def test_a_plain_client_that_sends_one_message_is_understood(house: AppState) -> None:
    call = RequestReader(house).read(
        {"messages": [{"role": "user", "content": "My dog is called Rex."}], "rolememory": HINT},
        {},
        None,
    )
    assert texts(call) == [("user", "My dog is called Rex.")]
    assert call.teaches


def test_a_text_completion_is_cut_into_turns(house: AppState) -> None:
    call = RequestReader(house).read(as_prompt(SAID), {}, None, prompt=True)
    assert call.role is not None
    assert call.role.role.name == "Asha"
    assert texts(call)[:1] == [SAID[0]]


def test_a_text_completion_with_a_hint_tells_both_voices_apart(house: AppState) -> None:
    body = {**as_prompt(SAID), "rolememory": {"role": "Asha", "user": "Traveller"}}
    assert texts(RequestReader(house).read(body, {}, None, prompt=True)) == [*SAID]


@pytest.mark.parametrize(
    ("body", "headers", "path", "role", "why"),
    [
        pytest.param(request(SAID, hint=HINT), {}, None, "Asha", "hint", id="the body says it"),
        pytest.param(
            request(SAID, hint={**HINT, "role": '明月 "守夜": 人'}),
            {},
            None,
            '明月 "守夜": 人',
            "hint",
            id="quotes, colons and Chinese",
        ),
        pytest.param(
            request(SAID), {"x-rolememory-role": "Bo"}, None, "Bo", "header", id="a header says it"
        ),
        pytest.param(request(SAID), {}, "Mei", "Mei", "path", id="the path says it"),
        pytest.param(
            request(SAID, model="llama@Wu"), {}, None, "Wu", "model", id="behind the model's name"
        ),
        pytest.param(request(SAID), {}, None, "Asha", "prompt", id="the default prompt alone"),
        pytest.param(
            request(SAID, char="明月", card=CARD_ZH),
            {},
            None,
            "明月",
            "prompt",
            id="the default prompt, a Chinese name",
        ),
        pytest.param(
            request(SAID, hint={"role": "{{char}}"}),
            {},
            None,
            "Asha",
            "prompt",
            id="a macro that nobody filled in",
        ),
        pytest.param(
            request(SAID, post="[Write the next reply only as Bo.]"),
            {},
            None,
            "Bo",
            "nudge",
            id="the nudge of a group wins over the prompt",
        ),
        pytest.param(
            named(request(SAID, main="Be creative.")),
            {},
            None,
            "Asha",
            "name",
            id="the name field of every reply",
        ),
    ],
)
def test_the_role_is_found(
    house: AppState,
    body: dict[str, Any],
    headers: dict[str, str],
    path: str | None,
    role: str,
    why: str,
) -> None:
    call = RequestReader(house).read(body, headers, path)
    assert call.role is not None
    assert (call.role.role.name, call.why) == (role, why)
    assert "rolememory" not in call.body
    assert "@" not in call.body["model"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(request(SAID, main="Be creative."), id="nobody is named"),
        pytest.param(
            prefixed(request(SAID, main="Be creative.")),
            id="a name within the replies, which anybody can bring about",
        ),
        pytest.param(single(request(SAID, post="")), id="names within one message"),
        pytest.param(
            only(("user", "[Write the next reply only as Bo.]"), ("user", "Hello.")),
            id="a nudge that a user wrote",
        ),
        pytest.param(request((), hint={"role": "SillyTavern System"}), id="the start screen"),
        pytest.param(
            request(SAID, hint={**HINT, "role": "Assistant"}), id="the frontend's own assistant"
        ),
        pytest.param(
            request(SAID, hint={**HINT, "type": "quiet"}), id="a quiet call names somebody new"
        ),
        pytest.param(
            request(SAID, hint={**HINT, "type": "impersonate"}),
            id="an impersonation names somebody new",
        ),
        pytest.param(request(SAID[:1]), id="a greeting without a user"),
    ],
)
def test_no_role_is_made(house: AppState, body: dict[str, Any]) -> None:
    call = RequestReader(house).read(body, {}, None)
    assert call.role is None
    assert not call.teaches
    assert house.home.roles() == []


def test_two_roles_of_one_name_are_never_guessed_between(house: AppState) -> None:
    for number in (1, 2):
        house.home.create(
            "Asha",
            id=f"00000000-0000-4000-8000-00000000000{number}",
            aliases=(f"Asha{number}.png",),
        )
    reader = RequestReader(house)
    assert reader.read(request(SAID), {}, None).role is None
    assert [call.why for call in house.unidentified.values()] == ["several"]
    told = reader.read(request(SAID, hint={**HINT, "avatar": "Asha2.png"}), {}, None)
    assert told.role is not None
    assert told.role.id.endswith("2")


def test_another_card_of_the_same_name_is_another_role(house: AppState) -> None:
    reader = RequestReader(house)
    first = reader.read(request(SAID, hint={**HINT, "avatar": "Asha.png"}), {}, None).role
    second = reader.read(request(SAID, hint={**HINT, "avatar": "Asha1.png"}), {}, None).role
    again = reader.read(request(SAID, hint={**HINT, "avatar": "Asha.png"}), {}, None).role
    assert first is not None
    assert second is not None
    assert first.id != second.id
    assert again is first


@pytest.mark.parametrize(
    ("body", "headers", "kind"),
    [
        pytest.param(request(SAID), {}, "normal", id="an ordinary turn"),
        pytest.param(
            request(SAID, hint={**HINT, "type": "swipe"}), {}, "swipe", id="a swipe, as it says"
        ),
        pytest.param(
            request(
                (*SAID, ("assistant", "I put them")),
                post="[Continue your last message without repeating its original content.]",
            ),
            {},
            "continue",
            id="a continuation, by its note",
        ),
        pytest.param(
            request((*SAID, ("assistant", "I put them")), post=""),
            {},
            "continue",
            id="a reply that was begun",
        ),
        pytest.param(
            request(
                SAID,
                post="[Write your next reply from the point of view of Traveller, using the chat so far.]",
            ),
            {},
            "impersonate",
            id="an impersonation",
        ),
        pytest.param(
            request(
                SAID, post="Ignore previous instructions. Summarize the story so far.", stream=False
            ),
            {},
            "quiet",
            id="a summary",
        ),
        pytest.param(
            request(SAID, post="请总结到目前为止的剧情。", stream=False),
            {},
            "quiet",
            id="a summary in Chinese",
        ),
        pytest.param(
            request(SAID, stream=False), {}, "normal", id="an ordinary turn that is not streamed"
        ),
        pytest.param(
            request(SAID),
            {"x-openwebui-task": "title_generation"},
            "task",
            id="a title, by its header",
        ),
        pytest.param(
            request(SAID),
            {"x-openwebui-task": "{{TASK}}"},
            "normal",
            id="a header that nobody filled in",
        ),
        pytest.param(
            {
                "messages": [
                    {
                        "role": "user",
                        "content": "### Task:\nGenerate a concise title.\n<chat_history>...</chat_history>",
                    }
                ]
            },
            {},
            "task",
            id="a title, by its words",
        ),
    ],
)
def test_the_kind_of_call(
    house: AppState, body: dict[str, Any], headers: dict[str, str], kind: str
) -> None:
    assert RequestReader(house).read(body, headers, None).kind == kind


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        pytest.param(
            only(
                (
                    "user",
                    "### Task:\nSuggest 3-5 relevant follow-up questions.\n### Chat History:\n<chat_history>\nUSER: Hi\n</chat_history>",
                )
            ),
            "task",
            id="Open WebUI: follow-ups",
        ),
        pytest.param(
            only(
                (
                    "user",
                    "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history.",
                )
            ),
            "task",
            id="Open WebUI: tags",
        ),
        pytest.param(
            only(
                (
                    "user",
                    "### Task:\nYou are an autocompletion system. Continue the text in `<text>`.\n<text>Hel</text>",
                )
            ),
            "task",
            id="Open WebUI: completion while typing",
        ),
        pytest.param(
            only(
                (
                    "user",
                    "Provide a concise, 5-word-or-less title for the conversation, using title case.\n\nConversation:\nUser: Hi\nAI: Hello",
                )
            ),
            "task",
            id="LibreChat: a title",
        ),
        pytest.param(
            only(
                (
                    "user",
                    "Detect user language and write in the same language an extremely concise title for this conversation.",
                )
            ),
            "task",
            id="LibreChat: a title, its newer words",
        ),
        pytest.param(
            only(("user", "请为以上对话生成一个简短的标题。")), "task", id="a title, in Chinese"
        ),
        pytest.param(
            only(
                ("assistant", "Come in."),
                ("user", "Hello."),
                ("system", "[Summarize the ongoing role story.]"),
            ),
            "quiet",
            id="RisuAI: a summary",
        ),
        pytest.param(
            only(("user", "My cat has a title: Queen of the chat.")),
            "normal",
            id="a user who speaks of titles",
        ),
        pytest.param(only(("user", "Hello.")), "normal", id="a plain client"),
        pytest.param(
            only(("system", "You name chats. Generate a short title for the chat."), HELLO),
            "task",
            id="a title, asked for by the system message",
        ),
        pytest.param(
            only(("system", "你擅长概括，请把用户的会话总结为十个字以内的标题。"), HELLO),
            "task",
            id="a title in Chinese, asked for by the system message",
        ),
        pytest.param(
            only(*TALKED, ("user", "Please write a title that sums up our conversation.")),
            "task",
            id="a title, asked for behind the chat",
        ),
        pytest.param(
            only(*TALKED, ("user", "请用五个字返回这句话的主题，不要标点。")),
            "task",
            id="a title in Chinese, asked for behind the chat",
        ),
        pytest.param(
            only(*TALKED, ("system", "Summarize the chat in 100 words."), stream=True),
            "task",
            id="a streamed summary",
        ),
        pytest.param(
            only(*TALKED, ("system", "简要总结一下对话，100 字以内。"), stream=True),
            "task",
            id="a streamed summary in Chinese",
        ),
        pytest.param(
            only(("user", "Name the chat based on these lines:\nHi\nHello")),
            "task",
            id="a name for a chat",
        ),
        pytest.param(
            only(
                ("user", "Analyze this chat and provide:\n1. its language\n2. a title\n\nUser: Hi")
            ),
            "task",
            id="several things at once",
        ),
        pytest.param(
            only(("system", "Asha will write a title for every chat."), HELLO),
            "normal",
            id="a character who writes titles",
        ),
        pytest.param(
            only(("system", f"Summarize the chat in 9 words.{' Be Asha.' * 200}"), HELLO),
            "normal",
            id="a long system message",
        ),
        pytest.param(
            only(("user", "Write a title for my poem, a message of hope.")),
            "normal",
            id="a title for something else",
        ),
        pytest.param(
            only(*TALKED, ("user", "昨天聊天以后我写了首诗，帮我起个标题吧。")),
            "normal",
            id="a title for something else, in Chinese",
        ),
    ],
)
def test_calls_of_other_frontends(house: AppState, body: dict[str, Any], kind: str) -> None:
    call = RequestReader(house).read(body, {}, "Asha")
    assert call.kind == kind
    assert call.teaches is (kind == "normal")


RAG = '### Task:\nRespond to the user query using the provided context.\n\n<context>\n<source id="1">My sister is a spy.</source>\n</context>'


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(
            f"{RAG}\n\n<user_query>\nWho is Anna?\n</user_query>\n", id="with its query marked"
        ),
        pytest.param(f"{RAG}\nWho is Anna?", id="before the words"),
    ],
)
@pytest.mark.parametrize(
    "before", [(), (("user", "Hi."), ("assistant", "Hello."))], ids=["first turn", "later"]
)
def test_documents_around_the_users_words_are_not_his_words(
    house: AppState, asked: str, before: tuple[tuple[str, str], ...]
) -> None:
    call = RequestReader(house).read(only(*before, ("user", asked)), {}, "Asha")
    assert call.kind == "normal"
    assert texts(call) == [*before, ("user", "Who is Anna?")]
    assert call.body["messages"][-1]["content"] == asked, "the model gets them all the same"


def test_a_quiet_call_is_known_by_what_ordinary_ones_look_like(house: AppState) -> None:
    reader = RequestReader(house)
    reader.read(request(SAID), {}, None)
    assert (
        reader.read(
            request(SAID, post="Name three colours of the scene.", stream=False), {}, None
        ).kind
        == "quiet"
    )
    assert reader.read(request(SAID, stream=False), {}, None).kind == "normal"


def test_a_continuation_keeps_what_was_begun_apart(house: AppState) -> None:
    body = request((*SAID, ("assistant", "I put them")), hint={**HINT, "type": "continue"}, post="")
    assert RequestReader(house).read(body, {}, None).partial == "I put them"


def test_members_of_a_group_are_told_apart(house: AppState) -> None:
    said = (
        ("assistant", "Asha: You are wet."),
        ("assistant", "Bo: Sit down."),
        ("user", "Thank you both."),
    )
    body = request(
        said, post="[Write the next reply only as Bo.]", hint={"group": "Asha, Bo", "user": "Lin"}
    )
    call = RequestReader(house).read(body, {}, None)
    assert [(message.name, message.content) for message in call.spoken] == [
        ("Asha", "You are wet."),
        ("Bo", "Sit down."),
        (None, "Thank you both."),
    ]
    assert call.role is not None
    assert call.role.role.name == "Bo"


def test_our_own_block_is_cut_out_of_whatever_it_was_merged_into(house: AppState) -> None:
    block = "<rolememory>\nAsha remembers:\n- the beacon failed\n</rolememory>"
    said = (*SAID[:3], ("user", f"I brought oil.\n\n{block}"))
    call = RequestReader(house).read(request(said), {}, None)
    assert texts(call)[-1] == ("user", "I brought oil.")
    assert "beacon" not in str(call.body)


def test_a_request_without_anything_of_ours_goes_on_as_it_came(house: AppState) -> None:
    body = request(SAID)
    assert RequestReader(house).read(body, {}, None).body is body


def test_a_card_that_stands_in_the_request_names_its_role(house: AppState) -> None:
    import json

    role = house.home.create("Asha")
    card = {
        "spec": "chara_card_v2",
        "spec_version": "2.0",
        "data": {"name": "Asha", "description": CARD},
    }
    (role.folder / "card.json").write_text(json.dumps(card), encoding="utf-8")
    house.home.folder.update(role.role.model_copy(update={"card": "card.json"}))
    call = RequestReader(house).read(merged(request(SAID, main="Be creative.")), {}, None)
    assert call.role is not None
    assert (call.role.id, call.why) == (role.id, "card")


@pytest.mark.parametrize(
    ("role", "user", "prompt"),
    [
        pytest.param("Asha", "Lin", "Asha: Come in.\nLin: Is it wound?\nAsha:", id="en"),
        pytest.param("沈砚", "林夏", "沈砚：请进。\n林夏：灯亮着吗？\n沈砚：", id="zh"),
    ],
)
def test_a_prompt_that_stops_at_both_names_is_written_as_the_role_that_the_path_names(
    house: AppState, role: str, user: str, prompt: str
) -> None:
    body = {"prompt": prompt, "stop": [f"\n{user}:", f"\n{role}:"]}
    call = RequestReader(house).read(body, {}, role, prompt=True)
    assert (call.kind, call.name, call.user) == ("normal", role, user)
    assert [message.role for message in call.spoken] == ["assistant", "user"]
    turned = {**body, "prompt": f"{prompt}...\n{user}:"}
    assert RequestReader(house).read(turned, {}, role, prompt=True).kind == "impersonate"


def test_a_prompt_that_ends_in_the_users_name_is_written_for_the_user(house: AppState) -> None:
    house.home.create("Asha")
    body = as_prompt(SAID)
    turned = {"prompt": f"{body['prompt']} Hm.\nTraveller:", "stop": ["\nAsha:", "\nTraveller:"]}
    call = RequestReader(house).read(turned, {}, None, prompt=True)
    assert (call.role.role.name if call.role else None, call.user) == ("Asha", "Traveller")
    assert call.kind == "impersonate"


@pytest.mark.parametrize(
    ("end", "stop"),
    [
        pytest.param("Asha:", [], id="without stop strings"),
        pytest.param(
            "Seraphina:\n<|im_start|>assistant\n", ["\nLin:"], id="before the template's end"
        ),
        pytest.param("Seraphina:\n", ["\nLin:"], id="on the line before the end"),
        pytest.param(
            "Seraphina:", ["\n### Instruction:", "</s>"], id="with a template's stop strings"
        ),
    ],
)
def test_a_name_that_anybody_can_write_names_no_role(
    house: AppState, end: str, stop: list[str]
) -> None:
    body = {"prompt": f"{CARD}\nLin: Hello.\n{end}", "stop": stop}
    assert RequestReader(house).read(body, {}, None, prompt=True).role is None
    assert house.home.roles() == []


TURNS = (("assistant", "Come in."), ("user", "Hello there,\nit rains."))


@pytest.mark.parametrize(
    "template",
    [
        pytest.param("{card}\n***\nAsha: {0}\nTraveller: {1}\nAsha:", id="none"),
        pytest.param(
            "{card}\n### Response:\nAsha: {0}\n### Instruction:\nTraveller: {1}\n### Response:\nAsha:",
            id="Alpaca",
        ),
        pytest.param(
            "<|im_start|>system\n{card}<|im_end|>\n<|im_start|>assistant\nAsha: {0}<|im_end|>\n<|im_start|>user\nTraveller: {1}<|im_end|>\n"
            "<|im_start|>assistant\nAsha:",
            id="ChatML",
        ),
        pytest.param(
            "<s>[INST] {card} [/INST]Asha: {0}</s>[INST] Traveller: {1} [/INST]Asha:", id="Mistral"
        ),
        pytest.param(
            "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n{card}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
            "Asha: {0}<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nTraveller: {1}<|eot_id|><|start_header_id|>assistant<|end_header_id|>"
            "\n\nAsha:",
            id="Llama 3",
        ),
        pytest.param(
            "<start_of_turn>user\n{card}\nAsha: {0}\nTraveller: {1}<end_of_turn>\n<start_of_turn>model\nAsha:",
            id="Gemma",
        ),
    ],
)
def test_a_text_completion_is_read_through_its_instruct_template(
    house: AppState, template: str
) -> None:
    prompt = template.format(*(text for _, text in TURNS), card=CARD)
    call = RequestReader(house).read(
        {"prompt": prompt, "stop": ["\nTraveller:"]}, {}, None, prompt=True
    )
    assert texts(call) == [*TURNS]
    assert (call.role.role.name if call.role else None, call.user) == ("Asha", "Traveller")
    said = [one.content for one in call.spoken]
    block = Placement("BLOCK", "depth", 1)
    before, _, after = injected_prompt(call.body, [block], said)["prompt"].partition("BLOCK")
    assert TURNS[1][1] in after, "the block never stands in the middle of what was said"
    assert TURNS[1][1] not in before


@pytest.mark.parametrize(
    "prompt",
    [
        pytest.param("def light(on):\n    if on:", id="code"),
        pytest.param("Translate.\nEnglish: cheese\nFrench:", id="a table of examples"),
        pytest.param(
            "### Instruction:\nSum up.\n\n### Response:", id="an instruction without names"
        ),
        pytest.param(["a", "b"], id="a list"),
        pytest.param([1, 2, 3], id="tokens"),
        pytest.param(None, id="nothing"),
    ],
)
def test_a_text_completion_that_is_no_chat_makes_no_role(house: AppState, prompt: Any) -> None:
    assert RequestReader(house).read({"prompt": prompt}, {}, None, prompt=True).role is None
    assert house.home.roles() == []


@pytest.mark.parametrize(
    ("model", "role"),
    [
        pytest.param("llama-3@Mira", "Mira", id="a role behind the model's name"),
        pytest.param("qwen@明月", "明月", id="in Chinese"),
        pytest.param("qwen2.5-7b@q4_k_m", "", id="a quantisation"),
        pytest.param("claude-sonnet@20240620", "", id="a date"),
        pytest.param("model@latest", "", id="the newest version"),
        pytest.param("@cf/meta/llama-3", "", id="a name that begins so"),
        pytest.param("workers-ai/@cf/meta/llama-3", "", id="a path"),
    ],
)
def test_a_role_behind_the_name_of_a_model(house: AppState, model: str, role: str) -> None:
    call = RequestReader(house).read(
        {"model": model, "messages": [{"role": "user", "content": "Hello."}]}, {}, None
    )
    assert (call.role.role.name if call.role else "") == role
    assert call.body["model"] == model.removesuffix(f"@{role}" if role else "")


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("%E6%98%8E%E6%9C%88", id="percent-encoded, as Open WebUI does"),
        pytest.param("明月".encode().decode("latin-1"), id="UTF-8 as it comes off the wire"),
    ],
)
def test_a_name_in_a_header_may_be_of_any_script(house: AppState, written: str) -> None:
    hint = hint_of({}, {"x-openwebui-user-name": written, "x-rolememory-role": written}, None)
    assert (hint.user, hint.role) == ("明月", "明月")


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        pytest.param("A" * 999, "A" * 200, id="too long for a name"),
        pytest.param("Lin\x00\x1b[31m", "Lin[31m", id="control characters"),
        pytest.param("👩‍🚀 Ada", "👩‍🚀 Ada", id="a joined emoji stays whole"),
        pytest.param("{{char}}", "", id="a macro that nobody filled in"),
        pytest.param(["Lin"], "", id="no text at all"),
    ],
)
def test_names_are_taken_as_far_as_they_are_names(said: Any, heard: str) -> None:
    assert hint_of({"rolememory": {"role": said}}, {}, None).role == heard
