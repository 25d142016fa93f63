"""Words reasons, refusals and changes as sentences. Codes without a sentence are shown unchanged.

A sentence is chosen by code and values: the first whose placeholders are all in the reason.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from rolememory.locales import Listed, LocalizedText, translatable, translated
from rolememory.schema.evidence import Change, Reason, Refusal, Value
from rolememory.schema.scene import Language

_HOLE = re.compile(r"\{(\w+)\}")
_Sentences = Mapping[str, str | Sequence[str]]

_REASONS: _Sentences = translatable({
    # activation
    "key": (
        "'{key}' in message {message}, one of {keys} keys",
        "'{key}' in message {message}",
        "'{key}'",
        "none of its keys is in the messages read",
    ),
    "pattern": (
        "'{text}' in message {message} fits {key}",
        "'{text}' fits {key}",
        "fits {key}",
    ),
    "meaning": (
        "{cosine} alike, shares {terms}, and {via} with '{hit}'",
        "{cosine} alike, and shares {via} with '{hit}'",
        "in common: {terms}; and {via} with '{hit}'",
        "because of '{hit}', with which it shares {via}",
        "{cosine} alike, shares {terms}, about {topics}",
        "{cosine} alike, about {topics}",
        "in common: {terms}; about {topics}",
        "about {topics}",
        "{cosine} alike, shares {terms}",
        "{cosine} alike",
        "in common: {terms}",
        "next to a matching line ({own} of its own)",
        "close in meaning",
    ),
    "date": (
        "'{text}' names its time",
        "'{key}' names its time",
        "its time is named",
    ),
    "constant": "in every prompt",
    "feeling": (
        "{emotion}, as in {words}",
        "{emotion}",
        "its feeling is in the message",
    ),
    "activate": "told to be active by a decorator",
    "outside": "activated from outside",
    "sticky": "still active from an earlier turn",
    # parts of the score
    "age": (
        "{days} days old",
        "{turns} turns old",
        "its age",
    ),
    "mood": (
        "{emotion}, by the mood of {words}",
        "{emotion}, by the mood",
        "by the mood",
    ),
    "weight": (
        "weight {weight} ({base} and {use} by use)",
        "weight {weight}",
    ),
    "salience": "salience {salience}",
    "priority": "priority {priority}",
    "associate": "heard from {role}, whose word counts {factor}",
    # why recall was skipped
    "disabled": "it is switched off",
    "chat_off": "memory is off in this chat",
    "first_round": "nothing is recalled on the first message",
    "short_query": (
        "the message has only {length} characters",
        "the message is too short",
    ),
    "no_trigger_word": "no word in the message asks for memories",
    # why a memory was ineligible
    "archived": "it is archived",
    "told": ("told in a message ({kind})", "told in a message"),
    "stated": "stated outright ({attribute})",
    "asked": "asked to be remembered: '{quote}'",
    # why it was not activated
    "quiet_no_keys": "it has no key, and nothing that was said came close to it",
    "quiet_unsaid": "its keys were not said lately",
    "quiet_outdone": "'{key}' was said, but other memories came first",
    "quiet_patterns": "its keys are patterns that fitted nothing, or other memories came first",
    "accepted": "accepted by a person",
    "extracted": ("read out of the chat by {model}", "read out of the chat by a model"),
    "decided": (
        "found worth remembering by {model}: {why}",
        "found worth remembering by a model",
    ),
    "chapter": (
        "{messages} messages told by {model} as a chapter",
        "messages told as a chapter",
    ),
    "chapter_again": (
        "{messages} messages told again by {model}",
        "messages told again as a chapter",
    ),
    "folded": (
        "the story so far, told by {model} out of {count} chapters",
        "the story so far, told out of its chapters",
    ),
    "inferred": (
        "concluded by {model} from {count} memories",
        "concluded from other memories",
    ),
    "withdrawn": "what it was learned from was edited, swiped away or deleted, or belongs to another branch or story",
    "superseded": ("'{by}' has taken its place", "a newer memory has taken its place"),
    "expired": ("it expired on {at}", "it has expired"),
    "other_user": "it belongs to another user",
    "out_of_character": "it was said out of character, and the message is in the story",
    "source": "memories of source {source} are not recalled",
    "tag": "it has none of the tags {wanted}",
    "excluded_tag": "its tag '{tag}' is excluded",
    # why an eligible memory was left out
    "no_evidence": "nothing in the message points to it",
    "nothing_near": "nothing is recalled: no memory has to do with the message",
    "below_threshold": (
        "relevance {relevance} is below {threshold}",
        "not relevant enough",
    ),
    "low_relevance": "relevance {relevance} is below {threshold}, so it is offered to the model as a tool",
    "uninvited": "relevance {relevance} is below {threshold}, which uninvited_threshold = {setting} comes to here, and the message asks for nothing",
    "not_asked_for": "relevance {relevance} is below {threshold}, which uninvited_threshold = {setting} comes to here, and it shares words only with what stands beside the question",
    "beside_better": "relevance {relevance} is below {threshold}, which a passage needs beside one that fits far better, and the message asks for nothing",
    "by_chance": "relevance {relevance} is below {threshold}, which lines of a long chat reach by chance",
    "reply_beside": "relevance {relevance} is below {threshold}, which the character's own words need beside better lines",
    "borrowed": "only the lines around it match, its own words do not",
    "allowance": "{limit} passages are in already, and the message asks for nothing",
    "continued": "the question only continues the talk: {needed} of {limit} characters",
    "in_story": "the story so far tells it already",
    "speaker_share": "{speaker} said enough that is there already: {needed} of {limit} characters",
    "resting": "it was in the prompt {turns} turns ago, and the message asks for nothing",
    "recited": "the character said it just now in the same words",
    "echo": "it repeats the message just typed",
    "visible": "the visible messages say it already",
    "along": "enough came along with older lines: {needed} of {limit} characters, {most} lines at most",
    "near_duplicate": (
        "it says nearly the same as '{of}'",
        "it says nearly the same as another one",
    ),
    "type_limit": "{limit} of type {type} are in already",
    "max_items": "{limit} memories are in already",
    "enough": "those that are in already say enough: {sum} of {limit}",
    "type_budget": "type {type} would need {needed}, it may have {limit}",
    "budget": (
        "the block would need {needed}, it may have {limit}",
        "{used} of {budget} are used up",
        "it did not fit into the budget",
    ),
    # why a lorebook entry was left out
    "trigger": "not for this kind of generation ({trigger})",
    "character": "not for this character",
    "tags": ("the character has none of the tags {wanted}", "not for this character's tags"),
    "delay": "the chat has {messages} messages, it waits for {delay}",
    "cooldown": "it rests after being active",
    "spent": "it has been used up",
    "activate_only_after": "the chat has only {replies} replies",
    "activate_only_every": "not its turn after {replies} replies",
    "is_greeting": "not for greeting {greeting}",
    "is_user_icon": "not for this user picture",
    "waits": "it waits for an entry to wake it",
    "level": "it waits for recursion step {waits_for}",
    "excluded": "entries cannot wake it",
    "exclude_keys": "'{key}' keeps it out",
    "additional_keys": "also needs {keys}",
    "dont_activate": "told to stay out by a decorator",
    "no_keys": "it has no keys",
    "secondary": (
        "'{key}' is there, but its secondary keys ({logic}) decide against it",
        "its secondary keys decide against it",
    ),
    "group": (
        "'{winner}' won the group '{group}'",
        "another entry won the group '{group}'",
    ),
    "chance": (
        "the dice said {roll}, it needed {probability} or less",
        "the dice decided against it",
    ),
    "no_pass": "no pass of the scan reached it",
    # effect of a new memory on known ones
    "unheard": "nothing known says this",
    "restates": "it says again what '{of}' says",
    "restated": "'{by}', told later, says the same",
    "outdates": "it takes the place of '{of}': {how}",
    "known": "'{of}' says so already",
    "against_author": "it would replace '{of}', which a person wrote",
    "against_locked": "it would replace '{of}', which is locked",
    # why a reply counts as using a memory
    "referenced": (
        "the reply says '{words}'",
        "the reply says it in other words ({cosine} alike)",
        "the reply uses it",
    ),
    # maintenance
    "low_weight": "its weight {weight} is below {below}",
    "limit": "there are more than {limit} of type {type}",
    "merged": ("'{into}' says the same", "a newer one says the same"),
    "unsupported": "none of the messages it was learned from stands any more",
    "counts_again": "what it was learned from stands again",
    # admission filter: refused or pending
    "too_short": "there is too little in it",
    "too_long": ("it has {length} characters, {limit} are the most", "it is too long"),
    "no_quote": "no message is quoted for it",
    "unfounded": "it rests on no message that stands",
    "first_person": "it says \"I\" and nobody knows who",
    "unsure": "the model is not sure enough ({confidence}, {limit} is the least)",
    "unread": "the model answered nothing that can be read, {times} times",
    "few_grounds": "a conclusion rests on {limit} memories at least",
    "told_twice": "it was said already in what was shown or answered",
    "over_limit": "{limit} from one batch are enough",
    "not_said": "what it rests on does not say so",
    "macro": "it holds macros or template code",
    "our_marks": "it repeats a block of memories",
    "template": "it is a line of our own templates",
    "scaffolding": "it is scaffolding of a prompt",
    "assistant_talk": "it is an assistant's phrase",
    "babble": "it says nothing about anybody",
    "other_language": "it is written in another language than the chat",
    "told_already": ("'{of}' says it already, from the same message", "it is known already"),
    "card_text": "the card says it already",
    "inherited": "it says again what {speaker} said: '{of}'",
    "echo_of": ("it repeats '{of}', which stood in the prompt", "it repeats a recalled memory"),
    "secret": ("it seems to hold a secret ({sort})", "it seems to hold a secret"),
    "instruction": ("it tells the model what to do: '{words}'", "it tells the model what to do"),
}, 'reason')  # fmt: skip

_CHANGES: Mapping[str, str] = translatable(
    {
        "keys": "give it the key '{last}'",
        "triggers": "let every strategy wake it",
        "constant": "make it constant",
        "archived": "take it out of the archive",
        "evidence": "take its evidence away, so that it stands by itself",
        "expires": "take away its expiry date",
        "user": "share it with all users",
        "tags": "set its tags to {value}",
        "": "set its {field} to {value}",
    },
    "reason",
)
_SETTING = translatable("set {field} to {value}", "reason")
_MESSAGE = translatable("say '{value}'", "reason")
_OTHER_ARCHIVED = translatable("archive '{entry_id}'", "reason")
_OTHER = translatable("set {field} of '{entry_id}' to {value}", "reason")
translatable(("corrected", "named"), "how")
translatable(("private_key", "api_key", "card", "id_number"), "sort")
translatable(("episodic", "semantic", "trait", "goal"), "type")
_WORDS = ("emotion", "how", "sort", "type")  # values that are translated too


translatable(
    (
        "constant",
        "keyword",
        "pattern",
        "semantic",
        "words",
        "dates",
        "recency",
        "emotional",
        "lore",
    ),
    "trigger",
)

_OLDER = translatable("{told}; told later than '{older}'", "reason")
_WAS = translatable("{told} (said of '{was}', which it replaced)", "reason")


def strategy_name(name: str, language: Language, reason: Reason | None = None) -> str:
    """A strategy's name in a language; those of filters and third parties are unchanged.

    A hit from shared words only is called "words", not "semantic".

    >>> strategy_name("keyword", "zh"), strategy_name("keyword", "en")
    ('关键词', 'keyword')
    >>> strategy_name("semantic", "en", Reason("meaning", (("cosine", 0.0), ("terms", "beacon"))))
    'words'
    """
    if name == "semantic" and reason and not dict(reason.values).get("cosine"):
        name = "words"
    return translated(name, language, "trigger")


def word(reason: Reason, language: Language = "en") -> str:
    """A reason in words.

    >>> word(Reason("key", (("key", "beacon"), ("message", 0))))
    "'beacon' in message 1"
    >>> word(Reason("key", (("key", "灯塔"), ("message", 0))), "zh")
    '第1条消息里的“灯塔”'
    """
    values = _shown(reason, language)
    told = _sentence(reason, values, language)
    for name, around in (("older", _OLDER), ("was", _WAS)):
        if name in values:
            told = translated(around, language, "reason", told=told, **values)
    return told


def _sentence(reason: Reason, values: Mapping[str, str], language: Language) -> str:
    told = _REASONS.get(reason.code, ())
    for template in (told,) if isinstance(told, str) else told:
        sentence = translated(template, language, "reason")
        if set(_HOLE.findall(sentence)) <= values.keys():
            return _counted(_filled(sentence, values), language)
    return " ".join([reason.code, *(f"{name}={value}" for name, value in values.items())])


def word_gate(refusal: Refusal, language: Language = "en") -> str:
    """Why something is not in the prompt, with the change that would include it.

    >>> word_gate(Refusal("a", "archived", Reason("archived"), Change("memory", "archived", False)))
    'it is archived; take it out of the archive'
    """
    told = word(refusal.because, language)
    if refusal.remedy is None:
        return told
    change = word_change(refusal.remedy, language)
    return translated("{told}; {change}", language, "reason", told=told, change=change)


def word_change(change: Change, language: Language = "en") -> str:
    """A change as advice.

    >>> word_change(Change("settings", "recall.relevance_threshold", 0.287))
    'set recall.relevance_threshold to 0.287'
    """
    value = change.value
    listed = [str(one) for one in value] if isinstance(value, tuple) else []
    values = {
        "field": change.field,
        "value": _setting(value, language),
        "last": listed[-1] if listed else _setting(value, language),
        "entry_id": change.entry_id,
    }
    return _filled(translated(_advice(change), language, "reason"), values)


def _advice(change: Change) -> str:
    if change.target == "settings":
        return _SETTING
    if change.target == "message":
        return _MESSAGE
    if change.entry_id:
        return _OTHER_ARCHIVED if change.field == "archived" and change.value is True else _OTHER
    expected = {
        "archived": False,
        "constant": True,
        "expires": None,
        "user": None,
        "triggers": (),
        "evidence": (),
    }
    if change.field in expected and change.value != expected[change.field]:
        return _CHANGES[""]
    return _CHANGES.get(change.field, _CHANGES[""])


def _filled(sentence: str, values: Mapping[str, str]) -> str:
    return _HOLE.sub(lambda match: values[match[1]], sentence)


def _counted(text: str, language: Language) -> str:
    """The text with English singulars: "1 day old"."""
    return (
        re.sub(r"\b(1) (day|turn|character|message|key)s\b", r"\1 \2", text)
        if language == "en"
        else text
    )


def _shown(reason: Reason, language: Language) -> dict[str, str]:
    """The values as shown: messages count from 1, and are omitted for texts that are not messages."""
    values = {
        name: _number(value)
        for name, value in reason.values
        if value != "" and (name != "cosine" or value)
    }
    for name in _WORDS:
        if name in values:
            values[name] = translated(values[name], language, name)
    if "at" in values:
        values["at"] = values["at"][:10]  # the date suffices
    message = dict(reason.values).get("message")
    if isinstance(message, int):
        values["message"] = str(message + 1)
        if message < 0:
            del values["message"]
    return values


def _number(value: Value) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _setting(value: object, language: Language) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return translated("none", language)
    if isinstance(value, tuple):
        return Listed(value or [LocalizedText("none")]).text(language)
    return value.isoformat() if isinstance(value, datetime) else str(value)
