"""How each fault is told: its severity, why it is one, and what to write instead, in English and Chinese."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from rolememory.author.lint.finding import Finding, Severity
from rolememory.schema.scene import Language

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE
_HOLE = re.compile(r"\{(\w+)\}")


class Words(NamedTuple):
    """One fault in words."""

    severity: Severity
    why: tuple[str, str]  # English, Chinese
    write: tuple[str, str]


WORDS: Mapping[str, Words] = {code: Words(*row) for code, row in {
    # ── never fires ──
    "unreadable": (E, ("an entry cannot be read: {problem}", "有条目读不出来：{problem}"), ("correct it; the others load", "请改正；其余条目照常载入")),
    "disabled": (N, ("it is switched off", "条目已关闭"), ("switch it on, or delete it", "打开它，或者删掉")),
    "no_keys": (E, ("it has no keys, so nothing wakes it", "没有关键词，什么也唤不起它"), ("give it a key, or make it constant", "加一个关键词，或者设为常驻")),
    "only_secondary": (E, ("it has secondary keys only ({keys}); they are asked after a primary key", "只有次要关键词（{keys}），要先有主关键词才会看它们"), ("move them to the primary keys", "把它们移到主关键词里")),
    "only_by_meaning": (N, ("only meaning can wake it, which takes an embedding model", "只能靠语义唤起，需要语义模型"), ("give it a key as well, for those without a model", "再加一个关键词，照顾没有模型的人")),
    "text_for_list": (E, ("keys stand as one text, {found}; a list is read", "关键词写成了一段文字“{found}”，应为列表"), ("write {example}", "请写成 {example}")),
    "no_key_works": (E, ("none of its keys can ever be found: {keys}", "它的关键词都不可能被找到：{keys}"), ("correct them, or give it another key", "请改正，或者换一个关键词")),
    "luckless": (E, ("its probability is {probability}: chance never lets it in", "概率为 {probability}，永远不会激活"), ("write 1 to 100, or switch the entry off", "请写 1 到 100，或者关闭条目")),
    "no_probability": (E, ("probability is used, but none is given", "启用了概率却没有写数值"), ("write a probability, 100 for always", "请写上概率，100 表示总是")),
    "empty": (W, ("it has no text: it takes part and says nothing", "没有正文，激活了也什么都不说"), ("write its text, or delete it", "补上正文，或者删掉条目")),
    "long_delay": (W, ("it waits for {delay} messages; few chats are so long", "要等到第{delay}条消息，很少有对话这么长"), ("write a smaller delay", "请写小一些的 delay")),
    "blind": (E, ("scan depth {depth}: it sees no text at all", "扫描深度为 {depth}，什么文字都看不到"), ("write 1 or more, or nothing for the setting", "请写 1 以上；留空则用全局设置")),
    "for_nobody": (E, ("its character filter names nobody, so no character passes", "角色过滤器里没有名字，谁也不适用"), ("name a character, or remove the filter", "写上角色名，或者去掉过滤器")),
    "not_its_character": (W, ("its filter shuts out {name}, whose card this is", "过滤器排除了“{name}”，而这正是他的角色卡"), ("take the name out of the filter", "把名字从过滤器里去掉")),
    "no_known_trigger": (E, ("no kind of generation is called {found}, so it never lives", "没有叫“{found}”的生成方式，它永远不会生效"), ("write some of {known}, or none for all", "可写 {known}；留空表示全部")),
    "unknown_trigger": (W, ("no kind of generation is called {found}", "没有叫“{found}”的生成方式"), ("write some of {known}", "可写 {known}")),
    "forbidden": (E, ("@@dont_activate keeps it out for good", "@@dont_activate 使它永远不会激活"), ("remove the line, or switch the entry off", "删掉这一行，或者直接关闭条目")),
    "waits_excluded": (E, ("it waits for recursion and is excluded from it", "它要等递归，又被排除在递归之外"), ("choose one of the two", "两者只能取其一")),
    "waits_in_vain": (E, ("it waits for recursion, which is off, and no other level brings a pass", "它要等递归，但递归已关闭，也没有别的层级会再扫一遍"), ("switch recursion on, or remove the delay", "打开递归，或者去掉延迟")),
    # ── keys ──
    "blank_key": (E, ("a key of blanks is found everywhere", "空白的关键词处处都能匹配"), ("remove it; an entry for every turn is made constant", "删掉它；想每轮都有就设为常驻")),
    "idle_blank_key": (W, ("a key of blanks is never found", "空白的关键词永远找不到"), ("remove it", "删掉它")),
    "padded_key": (N, ("the blanks around '{key}' do not count", "“{key}”前后的空白不起作用"), ('write "{key}"; to let it stand alone, match whole words', "写成“{key}”；想整词匹配请用全词匹配选项")),
    "listed_key": (W, ("'{key}' is one key, commas and all", "“{key}”被当成一个关键词，连标点一起找"), ("write {parts}", "请写成 {parts}")),
    "quoted_key": (W, ("the quotes of {key} are looked for too", "{key} 的引号也会被一起找"), ("write {inside} alone", "只写 {inside}")),
    "long_key": (N, ("'{key}' is a sentence: it must be said word by word", "“{key}”是一整句话，要一字不差才会匹配"), ("use its telling words as keys", "改用其中有代表性的词")),
    "wide_key": (W, ("'{key}' has full-width letters, found only when they are typed so", "“{key}”含全角字符，只有照样输入才会匹配"), ("add {narrow}", "再加上“{narrow}”")),
    "broad_key": (W, ("'{key}' stands in nearly every message", "“{key}”几乎每条消息里都有"), ("write a word that tells this entry apart", "换一个能区分这个条目的词")),
    "one_character": (W, ("'{key}' is one character, found inside other words too", "“{key}”只有一个字，也会在别的词里匹配到"), ("write a longer word, or set lore.cjk_words", "换成更长的词，或者打开 lore.cjk_words")),
    "name_key": (W, ("'{key}' is a speaker's name, which stands before every message of theirs", "“{key}”是说话人的名字，每条消息前面都有"), ("make it constant, or write another key", "想常驻就设为常驻，否则换一个关键词")),
    "repeated_key": (W, ("'{key}' and '{other}' are the same key", "“{key}”和“{other}”是同一个关键词"), ("keep one", "留一个就够")),
    "redundant_key": (N, ("'{key}' adds nothing: '{other}' stands in it", "“{key}”没有作用，其中已含“{other}”"), ("keep the shorter one", "留短的那个就够")),
    "shared_key": (N, ("'{key}' wakes others as well: {others}", "“{key}”同时也会唤起：{others}"), ("nothing, if they are meant to come together", "若本来就要一起出现，无需改动")),
    "shadowed_key": (N, ("'{key}' has '{inner}' in it, which wakes {others}", "“{key}”里含有“{inner}”，会一并唤起 {others}"), ("nothing, if they are meant to come together", "若本来就要一起出现，无需改动")),
    "same_keys": (W, ("it has the very keys of '{other}' and goes to the same place", "与“{other}”的关键词完全相同，位置也一样"), ("make them one entry, or give both a group", "合成一个条目，或者放进同一个组")),
    # ── secondary keys ──
    "ignored_secondary": (W, ("its secondary keys ({keys}) are not asked: selective is off", "次要关键词（{keys}）没有生效：selective 未开启"), ("set selective to true, or remove them", "把 selective 设为 true，或者删掉它们")),
    "idle_logic": (N, ("logic {logic} without secondary keys asks nothing", "没有次要关键词，逻辑 {logic} 不起作用"), ("add secondary keys, or set the logic back", "加上次要关键词，或者改回默认逻辑")),
    "idle_selective": (N, ("selective without secondary keys asks nothing", "没有次要关键词，selective 不起作用"), ("add secondary keys, or set it to false", "加上次要关键词，或者设为 false")),
    "contradiction": (E, ("what wakes it keeps it out: {keys}", "唤起它的词又把它挡在外面：{keys}"), ("write a key without that word", "换一个不含该词的关键词")),
    "idle_secondary": (W, ("a secondary key ({keys}) stands in every key, so it asks for nothing", "次要关键词（{keys}）已含在主关键词里，等于没问"), ("write a word that must come besides", "写一个需要另外出现的词")),
    "regex_ignores": (W, ("use_regex: {fields} of this entry are ignored", "开启 use_regex 后，{fields} 不起作用"), ('write the key as "/pattern/" without use_regex', "改写成“/正则/”形式的关键词，不用 use_regex")),
    # ── patterns ──
    "broken_pattern": (E, ("{key} is no pattern and is looked for as it stands: {why}", "{key} 不是有效的正则，会被当作普通文字：{why}"), ("correct the pattern", "请改正正则")),
    "slashed_text": (N, ("{key} is plain text, slashes included: {why}", "{key} 是普通文字，斜杠也算在内：{why}"), ("nothing, if that is meant", "若本意如此，无需改动")),
    "broken_regex": (E, ("use_regex, and {key} is no pattern, so it never matches: {why}", "开启了 use_regex，而 {key} 不是有效的正则，永远不会匹配：{why}"), ("correct the pattern", "请改正正则")),
    "costly_pattern": (E, ("{key} is too large to run: {why}", "{key} 太大，不会执行：{why}"), ("write it smaller", "请写得小一些")),
    "slow_pattern": (W, ("{key} can take very long on some texts and is then stopped", "{key} 遇到某些文字会跑很久，到时会被中止"), ("put no loop inside a loop: /(ab+)+/ is /ab+(?:ab+)*/", "避免循环套循环，例如把 /(a+)+/ 写成 /a+/")),
    "empty_pattern": (W, ("{key} matches the empty text, so everything", "{key} 能匹配空文字，因此处处匹配"), ("ask for at least one character", "至少要求一个字符")),
    "sticky_flag": (E, ("the flag y pins {key} to the very start, where no message begins", "标志 y 把 {key} 钉在最开头，那里没有任何消息"), ("leave the flag out", "去掉这个标志")),
    "anchored_pattern": (E, ("^ in {key} never meets the start of a message", "{key} 里的 ^ 永远碰不到消息的开头"), (r"leave it out, or write \x01 for the start of a message", r"去掉它；消息开头可写 \x01")),
    "pattern_case": (N, ("{key} tells upper from lower case, while other keys do not", "{key} 区分大小写，而普通关键词不区分"), ("add the flag i if that is not meant: {key}i", "若不是本意，请加标志 i：{key}i")),
    # ── recursion ──
    "circle": (N, ("they wake each other: {path}", "它们互相唤起：{path}"), ("set preventRecursion on one of them, if they should not all come at once", "若不想一次全来，给其中一个设 preventRecursion")),
    "chain": (N, ("it draws {count} entries after it, {tokens} tokens in all: {path}", "它会接连带出{count}个条目，共 {tokens} tokens：{path}"), ("cut the chain with preventRecursion or excludeRecursion, if that is too much", "嫌多可用 preventRecursion 或 excludeRecursion 截断")),
    "wakes_many": (W, ("its text wakes {count} of {of} entries", "它的正文会唤起{of}个条目中的{count}个"), ("set preventRecursion on it, or excludeRecursion on them", "给它设 preventRecursion，或给它们设 excludeRecursion")),
    # ── costs ──
    "too_dear": (E, ("{tokens} tokens never fit into {budget}", "共 {tokens} tokens，预算 {budget} 怎么也放不下"), ("shorten it, or let it ignore the budget", "缩短正文，或者让它不计预算")),
    "greedy": (N, ("{tokens} tokens take more than half of {budget}", "{tokens} tokens 占去预算 {budget} 的一半以上"), ("split it into entries of their own keys", "拆成几个条目，各有各的关键词")),
    "constants_too_dear": (E, ("the constant entries together take {tokens} tokens of {budget}", "常驻条目合计 {tokens} tokens，预算只有 {budget}"), ("shorten them, or give some keys instead", "缩短一些，或改用关键词唤起")),
    "constants_greedy": (W, ("the constant entries take {tokens} of {budget} tokens, more than half", "常驻条目占了 {tokens} tokens，超过预算 {budget} 的一半"), ("give some of them keys instead", "把其中一些改用关键词唤起")),
    # ── groups ──
    "lone_group": (W, ("it is alone in the group '{group}'", "“{group}”组里只有它一个"), ("add its rivals, or empty the field", "补上同组的条目，或者清空这个字段")),
    "group_alike": (W, ("the groups '{group}' and '{other}' are two", "“{group}”和“{other}”是两个不同的组"), ("write both the same way", "请统一写法")),
    "no_weight": (W, ("weight {weight}: it never wins the group '{group}'", "权重为 {weight}，永远赢不了“{group}”组"), ("write 1 or more", "请写 1 以上")),
    "outranked": (W, ("'{winner}' has the same keys and wins the group '{group}' every time", "“{winner}”关键词相同且总是优先，“{group}”组里轮不到它"), ("take groupOverride away there, or give this one keys of its own", "去掉那边的 groupOverride，或给它另设关键词")),
    "idle_weight": (N, ("it has odds for a group, and no group", "写了组内权重却没有分组"), ("name its group", "写上组名")),
    # ── effects ──
    "short_sticky": (W, ("sticky {messages} is over before the next turn; a turn is two messages", "sticky 为 {messages}，下一轮之前就结束了；一轮是两条消息"), ("write 3 for one turn more, 5 for two", "多留一轮写 3，两轮写 5")),
    "short_cooldown": (W, ("cooldown {messages} is over before the next turn; a turn is two messages", "cooldown 为 {messages}，下一轮之前就结束了；一轮是两条消息"), ("write 3 to skip one turn, 5 for two", "跳过一轮写 3，两轮写 5")),
    "sticky_constant": (N, ("it is constant, so sticky adds nothing", "常驻条目不需要 sticky"), ("remove one of them", "去掉其中一个")),
    "nameless_outlet": (E, ("it goes to an outlet without a name, which is nowhere", "位置是 outlet 却没有名字，正文哪儿也不会出现"), ("name the outlet and write {{outlet::name}} where it belongs", "给 outlet 取个名字，并在要出现的地方写 {{outlet::名字}}")),
    "default_outlet": (W, ("it goes to an outlet without a name, so it stands before the character", "位置是 outlet 却没有名字，会放在角色描述之前"), ("name the outlet", "给 outlet 取个名字")),
    "no_position": (E, ("it has no position the rules know, so its text goes nowhere", "没有可识别的位置，正文哪儿也不会出现"), ("write a position from 0 to 7", "位置请写 0 到 7")),
    "default_position": (N, ("it has no known position, so it stands before the character", "没有可识别的位置，会放在角色描述之前"), ("write a position", "请写上位置")),
    "idle_depth": (N, ("depth {depth} counts only at position 4", "depth {depth} 只有位置为 4 时才起作用"), ("set the position to 4, or remove it", "把位置改为 4，或者去掉它")),
    "idle_role": (N, ("role {role} counts only at position 4", "role {role} 只有位置为 4 时才起作用"), ("set the position to 4, or remove it", "把位置改为 4，或者去掉它")),
    "idle_outlet": (N, ("it names the outlet {outlet} and goes elsewhere", "写了 outlet“{outlet}”，位置却不是它"), ("set the position to 7, or empty the name", "把位置改为 7，或者清空名字")),
    "idle_probability": (W, ("probability {probability} is not rolled: useProbability is off", "概率 {probability} 没有生效：useProbability 未开启"), ("switch it on, or write 100", "打开它，或者写 100")),
    "idle_keys": (N, ("it is constant, so its keys ({keys}) are not asked", "常驻条目不看关键词（{keys}）"), ("remove the keys, or constant", "去掉关键词，或者取消常驻")),
    # ── texts ──
    "unknown_macro": (W, ("nobody says {macro}: it stays as it is written", "没有 {macro} 这个宏，会原样留在文中"), ("correct it, or check that your frontend knows it", "请改正，或确认你的前端支持它")),
    "open_macro": (W, ("{opened} times {{{{ and {closed} times }}}}: a macro is not closed", "{{{{ 有 {opened} 个，}}}} 有 {closed} 个，有宏没有闭合"), ("close it", "请补上")),
    "lone_brace": (W, ("{found} is no macro", "{found} 不是宏"), ("write {wanted}", "请写成 {wanted}")),
    "foreign_keys": (W, ("its keys ({keys}) are not in the language of its text, nor in the text", "关键词（{keys}）与正文不是同一种语言，正文里也没有"), ("add keys in that language: chats will be in it too", "请补上正文语言的关键词，聊天时用的多半是它")),
    "same_text": (W, ("it says the same as '{other}'", "正文与“{other}”相同"), ("make them one entry with the keys of both", "合成一个条目，关键词并到一起")),
    # ── formats ──
    "lost_id": (E, ("two entries have the uid {id}: only the last is loaded", "有两个条目的 uid 都是 {id}，只会载入最后一个"), ("give each its own", "请各用各的 uid")),
    "same_id": (W, ("two entries have the uid {id}", "有两个条目的 uid 都是 {id}"), ("give each its own: other programs load the last alone", "请各用各的 uid；别的程序只会载入最后一个")),
    "doubled_name": (E, ("'{name}' is written twice in one object: only the last counts", "同一个对象里写了两次“{name}”，只有最后一个算数"), ("rename one of them", "请改掉其中一个")),
    "misspelled": (W, ("no field is called '{field}', so it does nothing", "没有叫“{field}”的字段，它不起作用"), ("write {near}", "是不是 {near}？")),
    "unknown_decorator": (W, ("no decorator is called {name}", "没有叫“{name}”的装饰器"), ("correct the name, or remove the line", "请改正名称，或者删掉这一行")),
    "decorator_value": (W, ("'{line}' wants another value and does nothing", "“{line}”的值不对，不起作用"), ("correct its value", "请改正它的值")),
    "idle_decorator": (W, ("SillyTavern does not know '{line}' and cuts it off", "SillyTavern 不认得“{line}”，会直接去掉"), ("use the entry's own fields instead", "请改用条目自己的字段")),
    "v2_decorator": (W, ("'{line}' is of V3; readers of V2 cards print it or drop it", "“{line}”属于 V3，只懂 V2 的程序会把它当正文或丢掉"), ("save the card as V3", "请把角色卡存为 V3")),
    "v2_field": (N, ("{field} is a field of V3; this card is V2", "{field} 是 V3 的字段，而这张卡是 V2"), ("save the card as V3", "请把角色卡存为 V3")),
    "lost_field": (W, ("SillyTavern does not take over {fields}", "SillyTavern 不会读取 {fields}"), ("say it with fields of world files", "请改用世界书文件的字段")),
}.items()}  # fmt: skip


def severity(finding: Finding) -> Severity:
    """How bad it is."""
    return WORDS[finding.code].severity


def why(finding: Finding, language: Language = "en") -> str:
    """What is wrong.

    >>> why(Finding("broad_key", "keys", (("key", "the"),)))
    "'the' stands in nearly every message"
    """
    return _said(WORDS[finding.code].why, finding, language)


def write(finding: Finding, language: Language = "en") -> str:
    """What to write instead.

    >>> write(Finding("broad_key", "keys", (("key", "the"),)), "zh")
    '换一个能区分这个条目的词'
    """
    return _said(WORDS[finding.code].write, finding, language)


def _said(pair: tuple[str, str], finding: Finding, language: Language) -> str:
    values = {name: str(value) for name, value in finding.values}
    sentence = _HOLE.sub(lambda hole: values.get(hole[1], hole[0]), pair[language == "zh"])
    return sentence.replace("{{{{", "{{").replace("}}}}", "}}")
