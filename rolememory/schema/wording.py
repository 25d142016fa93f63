"""Reasons, refusals and changes as sentences for people, Chinese and English. Codes without a sentence are told as they are.

A sentence is chosen by code and by the values at hand: the first whose names all stand in the reason.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from rolememory.schema.evidence import Change, Reason, Refusal, Value
from rolememory.schema.scene import Language

_HOLE = re.compile(r"\{(\w+)\}")
_Sentences = Mapping[str, Sequence[tuple[str, str]]]

_REASONS: _Sentences = {
    # what woke it
    "key": (
        ("'{key}' in message {message}, one of {keys} keys", "第{message}条消息里的“{key}”等{keys}个关键词"),
        ("'{key}' in message {message}", "第{message}条消息里的“{key}”"),
        ("'{key}'", "“{key}”"),
        ("none of its keys is in the messages read", "读到的消息里没有它的关键词"),
    ),
    "pattern": (
        ("'{text}' in message {message} fits {key}", "第{message}条消息里的“{text}”符合 {key}"),
        ("'{text}' fits {key}", "“{text}”符合 {key}"),
        ("fits {key}", "符合 {key}"),
    ),
    "meaning": (
        ("{cosine} alike, shares {terms}, and {via} with '{hit}'", "语义相近 {cosine}，共有“{terms}”，又与“{hit}”共有“{via}”"),
        ("{cosine} alike, and shares {via} with '{hit}'", "语义相近 {cosine}，又与“{hit}”共有“{via}”"),
        ("in common: {terms}; and {via} with '{hit}'", "共有“{terms}”，又与“{hit}”共有“{via}”"),
        ("because of '{hit}', with which it shares {via}", "因为“{hit}”，与它共有“{via}”"),
        ("{cosine} alike, shares {terms}, about {topics}", "语义相近 {cosine}，共有“{terms}”，说的是{topics}"),
        ("{cosine} alike, about {topics}", "语义相近 {cosine}，说的是{topics}"),
        ("in common: {terms}; about {topics}", "共有“{terms}”，说的是{topics}"),
        ("about {topics}", "说的是{topics}"),
        ("{cosine} alike, shares {terms}", "语义相近 {cosine}，共有“{terms}”"),
        ("{cosine} alike", "语义相近 {cosine}"),
        ("in common: {terms}", "共有“{terms}”"),
        ("close in meaning", "意思相近"),
    ),
    "date": (
        ("'{text}' names its time", "“{text}”说的正是那个时候"),
        ("'{key}' names its time", "“{key}”说的正是那个时候"),
        ("its time is named", "提到了那个时候"),
    ),
    "constant": (("always there", "常驻"),),
    "feeling": (
        ("{emotion}, as in {words}", "{emotion}，从“{words}”读出"),
        ("{emotion}", "{emotion}"),
        ("its feeling is in the message", "消息里有同样的情绪"),
    ),
    "activate": (("told to be active by a decorator", "由装饰器强制激活"),),
    "outside": (("activated from outside", "由外部激活"),),
    "sticky": (("still active from an earlier turn", "仍在持续生效"),),
    # what weighed on it
    "age": (
        ("{days} days old", "{days}天前"),
        ("{turns} turns old", "{turns}轮之前"),
        ("its age", "年代"),
    ),
    "mood": (
        ("{emotion}, by the mood of {words}", "{emotion}，当下的情绪见于“{words}”"),
        ("{emotion}, by the mood", "{emotion}，与当下情绪相比"),
        ("by the mood", "与当下情绪相比"),
    ),
    "weight": (
        ("weight {weight} ({base} and {use} by use)", "权重 {weight}（原为 {base}，使用所致 {use}）"),
        ("weight {weight}", "权重 {weight}"),
    ),
    "salience": (("salience {salience}", "重要程度 {salience}"),),
    "priority": (("priority {priority}", "优先级 {priority}"),),
    "associate": (("heard from {role}, whose word counts {factor}", "从{role}那里听来，分量 {factor}"),),
    # why nothing was asked
    "disabled": (("it is switched off", "已关闭"),),
    "chat_off": (("memory is off in this chat", "这个会话已关闭记忆"),),
    "first_round": (("nothing is recalled on the first message", "对话的第一条消息不回忆"),),
    "short_query": (
        ("the message has only {length} characters", "消息太短，只有{length}个字"),
        ("the message is too short", "消息太短"),
    ),
    "no_trigger_word": (("no word in the message asks for memories", "消息里没有唤起记忆的词"),),
    # why a memory was not asked
    "archived": (("it is archived", "已归档"),),
    "told": (("told in a message ({kind})", "消息里说到的（{kind}）"), ("told in a message", "消息里说到的")),
    "stated": (("stated outright ({attribute})", "明确说出的（{attribute}）"),),
    "asked": (("asked to be remembered: '{quote}'", "要求记住：“{quote}”"),),
    # why nothing woke it
    "quiet_no_keys": (("it has no key, and nothing that was said came close to it", "它没有关键词，而说过的话都不接近它"),),
    "quiet_unsaid": (("its keys were not said lately", "它的关键词近来都没有出现"),),
    "quiet_outdone": (("'{key}' was said, but other memories came first", "“{key}”出现过，但别的记忆排在前面"),),
    "quiet_patterns": (("its keys are patterns that fitted nothing, or other memories came first", "它的关键词是正则，没有匹配到，或别的记忆排在前面"),),
    "accepted": (("accepted by a person", "由人确认"),),
    "extracted": (("read out of the chat by {model}", "由 {model} 从对话中提取"), ("read out of the chat by a model", "由模型从对话中提取")),
    "decided": (
        ("found worth remembering by {model}: {why}", "{model} 认为值得记住：{why}"),
        ("found worth remembering by a model", "模型认为值得记住"),
    ),
    "chapter": (
        ("{messages} messages told by {model} as a chapter", "由 {model} 写成一章的{messages}条消息"),
        ("messages told as a chapter", "写成一章的消息"),
    ),
    "chapter_again": (
        ("{messages} messages told anew by {model}", "由 {model} 重写的{messages}条消息"),
        ("messages told anew as a chapter", "重写成一章的消息"),
    ),
    "folded": (
        ("the story so far, told by {model} out of {count} chapters", "由 {model} 从{count}章写成的前情"),
        ("the story so far, told out of its chapters", "从各章写成的前情"),
    ),
    "inferred": (
        ("concluded by {model} from {count} memories", "由 {model} 从{count}条记忆推出"),
        ("concluded from other memories", "从其他记忆推出"),
    ),
    "withdrawn": (
        (
            "what it was learned from was edited, swiped away or deleted, or belongs to another branch or story",
            "它所依据的消息已被编辑、划走或删除，或者属于另一条分支、另一个故事",
        ),
    ),
    "superseded": (("'{by}' has taken its place", "已被“{by}”取代"), ("a newer memory has taken its place", "已被更新的记忆取代")),
    "expired": (("it expired on {at}", "已于{at}过期"), ("it has expired", "已过期")),
    "other_user": (("it belongs to another user", "属于另一位用户"),),
    "out_of_character": (("it was said out of character, and the message is in the story", "它是戏外的话，而这条消息在戏里"),),
    "source": (("memories of source {source} are not recalled", "来源为 {source} 的记忆不参与回忆"),),
    "tag": (("it has none of the tags {wanted}", "没有标签“{wanted}”"),),
    "excluded_tag": (("its tag '{tag}' is excluded", "标签“{tag}”被排除"),),
    # why a memory that was asked stayed out
    "no_evidence": (("nothing in the message points to it", "消息里没有指向它的线索"),),
    "below_threshold": (
        ("relevance {relevance} is below {threshold}", "相关度 {relevance}，低于 {threshold}"),
        ("not relevant enough", "相关度不够"),
    ),
    "low_relevance": (
        ("relevance {relevance} is below {threshold}, so it is offered to the model as a tool", "相关度 {relevance}，低于 {threshold}，留给模型用工具查找"),
    ),
    "uninvited": (
        ("relevance {relevance} is below {threshold}, and nobody asked", "相关度 {relevance}，低于 {threshold}，也没有人问起"),
    ),
    "borrowed": (("what stands around it is to the point, its own words are not", "切题的是前后的话，它本身并不切题"),),
    "allowance": (("{limit} things said before are in already, and nobody asked", "已有{limit}段以前的话，也没有人问起"),),
    "in_story": (("the story so far tells it already", "到目前为止的故事里已经有了"),),
    "speaker_share": (("{speaker} said enough that is there already: {needed} of {limit} characters", "{speaker}的话已经够多了：{needed}，上限为{limit}个字符"),),
    "resting": (("it was there {turns} turns ago, and nobody asked", "{turns}轮之前刚放过，也没有人问起"),),
    "recited": (("the character said it just now in the same words", "角色刚刚用同样的话说过"),),
    "echo": (("it repeats the message just typed", "与刚输入的消息相同"),),
    "visible": (("the visible messages say it already", "可见的消息里已经有了"),),
    "along": (("enough came along with older lines: {needed} of {limit} characters, {most} lines at most", "跟着旧话一起来的已经够多：{needed}，上限为{limit}个字符、{most}条"),),
    "near_duplicate": (
        ("it says nearly the same as '{of}'", "与“{of}”几乎相同"),
        ("it says nearly the same as another one", "与另一条记忆几乎相同"),
    ),
    "type_limit": (("{limit} of type {type} are in already", "{type}类已有{limit}条"),),
    "max_items": (("{limit} memories are in already", "已有{limit}条记忆"),),
    "enough": (("those that are in already say enough: {sum} of {limit}", "已有的记忆已经足够：{sum}（上限 {limit}）"),),
    "type_budget": (("type {type} would need {needed}, it may have {limit}", "{type}类需要 {needed}，上限为 {limit}"),),
    "budget": (
        ("the block would need {needed}, it may have {limit}", "整段需要 {needed}，上限为 {limit}"),
        ("{used} of {budget} are used up", "{budget} 的预算已用 {used}"),
        ("it did not fit into the budget", "超出长度预算"),
    ),
    # why a lorebook entry stayed out
    "trigger": (("not for this kind of generation ({trigger})", "不用于这种生成方式（{trigger}）"),),
    "character": (("not for this character", "不适用于这个角色"),),
    "tags": (("the character has none of the tags {wanted}", "角色没有标签“{wanted}”"), ("not for this character's tags", "角色的标签不符")),
    "delay": (("the chat has {messages} messages, it waits for {delay}", "对话才有{messages}条消息，要等到第{delay}条"),),
    "cooldown": (("it rests after being active", "刚生效过，正在冷却"),),
    "spent": (("it has been used up", "次数已用完"),),
    "activate_only_after": (("the chat has only {replies} replies", "对话才有{replies}条回复"),),
    "activate_only_every": (("not its turn after {replies} replies", "第{replies}条回复还没轮到它"),),
    "is_greeting": (("not for greeting {greeting}", "不适用于第{greeting}条开场白"),),
    "is_user_icon": (("not for this user picture", "不适用于这个用户头像"),),
    "waits": (("it waits for an entry to wake it", "要由别的条目唤起"),),
    "level": (("it waits for recursion step {waits_for}", "要等到第{waits_for}层递归"),),
    "excluded": (("entries cannot wake it", "不能由别的条目唤起"),),
    "exclude_keys": (("'{key}' keeps it out", "出现了“{key}”，因此不激活"),),
    "additional_keys": (("also needs {keys}", "还需要出现“{keys}”"),),
    "dont_activate": (("told to stay out by a decorator", "由装饰器禁止激活"),),
    "no_keys": (("it has no keys", "没有关键词"),),
    "secondary": (
        ("'{key}' is there, but its secondary keys ({logic}) decide against it", "有“{key}”，但次要关键词不满足条件（{logic}）"),
        ("its secondary keys decide against it", "次要关键词不满足条件"),
    ),
    "group": (
        ("'{winner}' won the group '{group}'", "在“{group}”组里输给了“{winner}”"),
        ("another entry won the group '{group}'", "在“{group}”组里落选"),
    ),
    "chance": (
        ("the dice said {roll}, it needed {probability} or less", "掷出 {roll}，不超过 {probability} 才会激活"),
        ("the dice decided against it", "概率判定未通过"),
    ),
    "no_pass": (("no pass of the scan reached it", "扫描没有轮到它"),),
    # what a new memory makes of the old ones
    "unheard": (("nothing known says this", "之前没有记过"),),
    "restates": (("it says again what '{of}' says", "与“{of}”说的是同一件事"),),
    "restated": (("'{by}', told later, says the same", "后来的“{by}”说的是同一件事"),),
    "outdates": (("it takes the place of '{of}': {how}", "取代“{of}”：{how}"),),
    "known": (("'{of}' says so already", "“{of}”已经说过"),),
    "against_author": (("it would replace '{of}', which a person wrote", "它要取代人写下的“{of}”"),),
    "against_locked": (("it would replace '{of}', which is locked", "它要取代已锁定的“{of}”"),),
    # why a reply is said to have used a memory
    "referenced": (
        ("the reply says '{words}'", "回复里说到“{words}”"),
        ("the reply says it in other words ({cosine} alike)", "回复换了种说法（语义相近 {cosine}）"),
        ("the reply uses it", "回复用到了它"),
    ),
    # what tending did
    "low_weight": (("its weight {weight} is below {below}", "权重 {weight}，低于 {below}"),),
    "limit": (("there are more than {limit} of type {type}", "{type}类超过了{limit}条"),),
    "merged": (("'{into}' says the same", "“{into}”说的是同一件事"), ("a newer one says the same", "更新的一条说的是同一件事")),
    "unsupported": (("none of the messages it was learned from stands any more", "它所依据的消息都已不在"),),
    "counts_again": (("what it was learned from stands again", "它所依据的消息又成立了"),),
    # what the gate kept out, or lets wait
    "too_short": (("there is too little in it", "内容太少"),),
    "too_long": (("it has {length} characters, {limit} are the most", "有{length}个字符，最多{limit}个"), ("it is too long", "太长")),
    "no_quote": (("no message is quoted for it", "没有引用任何消息"),),
    "unfounded": (("it rests on no message that stands", "没有依据任何还在的消息"),),
    "first_person": (("it says \"I\" and nobody knows who", "它用“我”来说，却不知道是谁"),),
    "unsure": (("the model is not sure enough ({confidence}, {limit} is the least)", "模型把握不够（{confidence}，至少要{limit}）"),),
    "unread": (("the model answered nothing that can be read, {times} times", "模型{times}次都没有给出能读的回答"),),
    "few_grounds": (("a conclusion rests on {limit} memories at least", "结论至少要依据{limit}条记忆"),),
    "told_twice": (("it was said already in what was shown or answered", "给出的内容或同一次回答里已经说过"),),
    "over_limit": (("{limit} from one batch are enough", "一批最多记{limit}条"),),
    "not_said": (("what it rests on does not say so", "它所依据的话里没有这样说"),),
    "macro": (("it holds macros or template code", "里面有宏或模板代码"),),
    "our_marks": (("it repeats a block of memories", "是一段注入过的记忆"),),
    "template": (("it is a line of our own templates", "是模板自己的文字"),),
    "scaffolding": (("it is scaffolding of a prompt", "是提示词的框架"),),
    "assistant_talk": (("it is an assistant's phrase", "是助手的套话"),),
    "babble": (("it says nothing about anybody", "没有说出任何人的任何事"),),
    "other_language": (("it is written in another language than the chat", "所用语言与对话不同"),),
    "told_already": (("'{of}' says it already, from the same message", "同一条消息的“{of}”已经说了"), ("it is known already", "已经记下了")),
    "card_text": (("the card says it already", "角色卡里已经写了"),),
    "inherited": (("it says again what {speaker} said: '{of}'", "重复了{speaker}说过的“{of}”"),),
    "echo_of": (("it repeats '{of}', which stood in the prompt", "重复了提示词里的“{of}”"), ("it repeats a recalled memory", "重复了已回忆的内容")),
    "secret": (("it seems to hold a secret ({sort})", "似乎含有机密（{sort}）"), ("it seems to hold a secret", "似乎含有机密")),
    "instruction": (("it tells the model what to do: '{words}'", "像是对模型的指令：“{words}”"), ("it tells the model what to do", "像是对模型的指令")),
}  # fmt: skip

_CHANGES: Mapping[str, tuple[str, str]] = {
    "keys": ("give it the key '{last}'", "给它加上关键词“{last}”"),
    "triggers": ("let every strategy wake it", "允许所有策略唤起它"),
    "constant": ("make it constant", "设为常驻"),
    "archived": ("take it out of the archive", "取消归档"),
    "evidence": (
        "take its evidence away, so that it stands by itself",
        "去掉它的依据，让它独立存在",
    ),
    "expires": ("take away its expiry date", "去掉过期时间"),
    "user": ("share it with all users", "设为所有用户共享"),
    "tags": ("set its tags to {value}", "把标签改为“{value}”"),
    "": ("set its {field} to {value}", "把它的 {field} 改为 {value}"),
}
_SETTING = ("set {field} to {value}", "把 {field} 设为 {value}")
_MESSAGE = ("say '{value}'", "在消息里提到“{value}”")
_OTHER_ARCHIVED = ("archive '{entry_id}'", "归档“{entry_id}”")
_OTHER = ("set {field} of '{entry_id}' to {value}", "把“{entry_id}”的 {field} 改为 {value}")
_CHINESE: Mapping[str, Mapping[str, str]] = {
    "emotion": {
        "joy": "喜悦", "trust": "信任", "fear": "恐惧", "surprise": "惊讶", "sadness": "悲伤", "disgust": "厌恶", "anger": "愤怒",
        "anticipation": "期待", "love": "爱", "longing": "思念", "shame": "羞愧", "calm": "平静",
    },
    "how": {"corrected": "更正", "named": "模型指明"},
    "sort": {
        "private_key": "私钥", "api_key": "接口密钥", "card": "银行卡号", "id_number": "证件号码",
    },
    "type": {"episodic": "经历", "semantic": "知识", "trait": "特质", "goal": "目标"},
}  # fmt: skip
_NOTHING: Mapping[Language, str] = {"en": "none", "zh": "无"}


_STRATEGIES_ZH = {
    "constant": "常驻",
    "keyword": "关键词",
    "pattern": "正则",
    "semantic": "语义",
    "words": "字词",
    "dates": "日期",
    "recency": "新旧",
    "emotional": "情绪",
    "lore": "设定",
}

_OLDER = ("{told}; told later than '{older}'", "{told}；说得比“{older}”晚")
_WAS = ("{told} (said of '{was}', which it replaced)", "{told}（说的是它取代的“{was}”）")


def strategy_name(name: str, language: Language, reason: Reason | None = None) -> str:
    """A strategy's name in a person's language; a gate's or a third party's stays as it is.

    What shared words alone woke is not called semantic.

    >>> strategy_name("keyword", "zh"), strategy_name("keyword", "en")
    ('关键词', 'keyword')
    >>> strategy_name("semantic", "en", Reason("meaning", (("cosine", 0.0), ("terms", "beacon"))))
    'words'
    """
    if name == "semantic" and reason and not dict(reason.values).get("cosine"):
        name = "words"
    return _STRATEGIES_ZH.get(name, name) if language == "zh" else name


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
            told = _in(around, language).format(told=told, **values)
    return told


def _sentence(reason: Reason, values: Mapping[str, str], language: Language) -> str:
    for pair in _REASONS.get(reason.code, ()):
        sentence = _in(pair, language)
        if set(_HOLE.findall(sentence)) <= values.keys():
            return _counted(_filled(sentence, values), language)
    return " ".join([reason.code, *(f"{name}={value}" for name, value in values.items())])


def word_gate(refusal: Refusal, language: Language = "en") -> str:
    """Why something is not in the prompt, with the change that would let it in.

    >>> word_gate(Refusal("a", "archived", Reason("archived"), Change("memory", "archived", False)))
    'it is archived; take it out of the archive'
    """
    told = word(refusal.because, language)
    if refusal.remedy is None:
        return told
    return told + ("；可" if language == "zh" else "; ") + word_change(refusal.remedy, language)


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
    return _filled(_in(_advice(change), language), values)


def _advice(change: Change) -> tuple[str, str]:
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


def _in(pair: tuple[str, str], language: Language) -> str:
    return pair[1] if language == "zh" else pair[0]


def _filled(sentence: str, values: Mapping[str, str]) -> str:
    return _HOLE.sub(lambda match: values[match[1]], sentence)


def _counted(text: str, language: Language) -> str:
    """English singular: "1 day old"."""
    return (
        re.sub(r"\b(1) (day|turn|character|message|key)s\b", r"\1 \2", text)
        if language == "en"
        else text
    )


def _shown(reason: Reason, language: Language) -> dict[str, str]:
    """The values as people read them; a message counts from 1, and is left out when the text is no message."""
    values = {
        name: _number(value)
        for name, value in reason.values
        if value != "" and (name != "cosine" or value)
    }
    if language == "zh":
        values |= {
            name: words.get(values[name], values[name])
            for name, words in _CHINESE.items()
            if name in values
        }
    if "at" in values:
        values["at"] = values["at"][:10]  # the day says enough
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
        return _NOTHING[language]
    if isinstance(value, tuple):
        return ("、" if language == "zh" else ", ").join(map(str, value)) or _NOTHING[language]
    return value.isoformat() if isinstance(value, datetime) else str(value)
