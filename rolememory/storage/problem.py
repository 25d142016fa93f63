"""What is wrong with a file, as a value: place, code, values; worded in the reader's language where it is shown."""

from dataclasses import dataclass, replace
from typing import Any

Values = tuple[tuple[str, Any], ...]

#: code -> (what, remedy) per language; the names in braces are the problem's values
_WORDS: dict[str, dict[str, tuple[str, str]]] = {
    "en": {
        "not_utf8": ("this is not UTF-8 text ({found})", "save the file as UTF-8"),
        "empty_file": (
            "the file is empty",
            "write {{}} for a role without memories, or restore a backup",
        ),
        "too_large": (
            "the file is {size} MB, the limit is {limit} MB",
            "raise storage.max_file_mb or archive memories",
        ),
        "too_deep": ("nested deeper than {limit} levels", "flatten it"),
        "missing_file": (
            "the file is gone; the last good set answers",
            "nothing to do: the next save writes it again",
        ),
        "unreadable": ("the file cannot be read: {reason}", "check the disk and the file's rights"),
        "not_json": ("{reason}", "mend it here, or restore a backup"),
        "fullwidth": ("full-width {name} {found}", "write {wanted}"),
        "fullwidth_quote": ("full-width quotes {found}", 'write plain quotes: "..."'),
        "single_quote": ("single quotes around a text", 'write double quotes: "..."'),
        "unquoted": ("a text without quotes: {found}", 'write "{found}"'),
        "inner_quotes": (
            "quotes inside a text: {found}",
            'write \\" for each of them: {wanted}',
        ),
        "merge_marker": (
            "a marker of a merge that was not finished: {found}",
            "keep one of the two versions, and remove the lines <<<<<<<, ======= and >>>>>>>",
        ),
        "trailing_comma": ("a comma before {found}", "remove the comma"),
        "missing_comma": ("a comma is missing before {found}", "write , after the value before it"),
        "missing_colon": ("a colon is missing after the name {found}", "write : after it"),
        "missing_value": ("a value is missing before {found}", "write a value, or remove the name"),
        "extra_comma": ("two commas in a row", "remove one"),
        "comment": ("a comment", 'JSON has none: remove it, or keep it as a field such as "note"'),
        "non_finite": ("{found} is not a JSON number", "write a number, or null"),
        "python_word": ("{found} is not JSON", "write {wanted}"),
        "unclosed_text": (
            "a text that begins here is never closed",
            'write " at its end; a line break inside is written \\n',
        ),
        "unclosed": ("{found} that opens here is never closed", "write {wanted} where it ends"),
        "mismatched": (
            "{found} closes what {opened} in line {opened_line} opened",
            "write {wanted}",
        ),
        "stray_close": ("{found} closes nothing", "remove it"),
        "trailing_text": (
            "something follows after the end: {found}",
            "remove it, or move it inside",
        ),
        "bad_escape": ("\\{found} is no escape in JSON", "write \\\\{found} for a backslash"),
        "half_character": (
            "half of a character: {found}",
            "write the whole character, or remove it",
        ),
        "bad_number": (
            "{found} is not a JSON number",
            "write it as text in quotes, or as a plain number",
        ),
        "stray": ("unexpected {found}", "remove it"),
        "duplicate_key": (
            "{found} is written twice; the memories of both are read, of anything else the last one counts",
            "keep one; the original stays as a copy when the file is next saved",
        ),
        "wrong_top": (
            "expected an object with episodic, semantic, traits, goals, got {found}",
            'write {{"episodic": [...]}}',
        ),
        "not_a_list": ("expected a list of memories, got {found}", "write [...]"),
        "not_an_entry": (
            "expected a memory (an object, or a text), got {found}",
            'write {{"content": "..."}}',
        ),
        "no_content": ("a memory without content", 'write "content": "..."'),
        "duplicate_id": (
            "the id {found} is taken by another memory; this one is called {given}",
            "give it an id of its own, or none",
        ),
        "unknown_section": (
            "{found} is no part of this file; it is kept, and what stands in it is not read",
            "call it {wanted}",
        ),
        "unknown_field": (
            "{found} is no field of a memory; it is kept, and has no effect",
            "did you mean {wanted}?",
        ),
        "bad_pattern": (
            "no pattern that can be searched: {reason}",
            "until then it counts as plain text",
        ),
        "unknown_emotion": (
            "{found} is no emotion that is known; it has no effect",
            "write {wanted}, or add the word to lexicons/ of the home",
        ),
        "later_version": (
            "the file is of version {found}, and {known} is the latest that is known; it is read as that, and nothing is removed",
            "update rolememory, or write {known}",
        ),
        "wrong_type": ("expected {wanted}, got {found}", "write {example}"),
        "out_of_range": ("{found} is out of bounds ({bounds})", "write a number within them"),
        "unknown_choice": ("{found} is none of {choices}", "write one of them"),
        "bad_moment": (
            "{found} is not a time",
            "write one like 2024-05-01T18:30:00Z or 2024-05-01",
        ),
        "invalid": ("{reason}", "correct the value"),
        "bad_line": (
            "a damaged line; it was skipped",
            "nothing to do: it was never acknowledged, or a copy of the file has it",
        ),
        "conflict": (
            "the file and a change disagree; the file stands",
            "see journal/conflicts.jsonl",
        ),
        "conflict_copy": (
            "the file was replaced as a whole; what it lacks is kept in {copy}",
            "copy back what you miss",
        ),
        "not_folded": (
            "changes could not be written into the file: {reason}",
            "they are safe in the journal and will be written later",
        ),
    },
    "zh": {
        "not_utf8": ("不是 UTF-8 文本（{found}）", "请把文件另存为 UTF-8"),
        "empty_file": ("文件是空的", "没有记忆就写 {{}}，或者从备份恢复"),
        "too_large": (
            "文件有 {size} MB，上限是 {limit} MB",
            "调高 storage.max_file_mb，或者归档一些记忆",
        ),
        "too_deep": ("嵌套超过 {limit} 层", "请减少嵌套"),
        "missing_file": ("文件不见了，暂用上一份完好的内容", "无需处理，下次保存会重新写出"),
        "unreadable": ("文件读不出来：{reason}", "请检查磁盘和文件权限"),
        "not_json": ("{reason}", "请在这里改正，或者从备份恢复"),
        "fullwidth": ("全角{name_zh} {found}", "请改成 {wanted}"),
        "fullwidth_quote": ("全角引号 {found}", '请改成半角双引号 "..."'),
        "single_quote": ("文字用了单引号", '请改成双引号 "..."'),
        "unquoted": ("文字没有加引号：{found}", '请写成 "{found}"'),
        "inner_quotes": ("文字里面有引号：{found}", '请把里面的引号写成 \\"：{wanted}'),
        "merge_marker": (
            "合并没有完成留下的标记：{found}",
            "请保留其中一个版本，并删掉 <<<<<<<、=======、>>>>>>> 这几行",
        ),
        "trailing_comma": ("{found} 前面多了一个逗号", "请删掉这个逗号"),
        "missing_comma": ("{found} 前面少了一个逗号", "请在前一个值后面加上 ,"),
        "missing_colon": ("名称 {found} 后面少了冒号", "请在后面加上 :"),
        "missing_value": ("{found} 前面少了一个值", "请补上值，或者删掉名称"),
        "extra_comma": ("连续出现了两个逗号", "请删掉一个"),
        "comment": ("这里是注释", 'JSON 不支持注释，请删掉，或者写成字段，例如 "note"'),
        "non_finite": ("{found} 不是 JSON 数字", "请写一个数字，或者 null"),
        "python_word": ("{found} 不是 JSON 写法", "请改成 {wanted}"),
        "unclosed_text": ("从这里开始的文字没有结束的引号", '请在末尾加上 "；文字中的换行写成 \\n'),
        "unclosed": ("这里的 {found} 没有闭合", "请在结尾处写上 {wanted}"),
        "mismatched": ("{found} 与第 {opened_line} 行的 {opened} 不配对", "请改成 {wanted}"),
        "stray_close": ("多余的 {found}", "请删掉"),
        "trailing_text": ("内容结束之后还有多余的文字：{found}", "请删掉，或者移到里面"),
        "bad_escape": ("JSON 里没有 \\{found} 这种转义", "反斜杠请写成 \\\\{found}"),
        "half_character": ("半个字符：{found}", "请写完整的字符，或者删掉"),
        "bad_number": ("{found} 不是 JSON 数字", "请加引号写成文字，或者写成普通数字"),
        "stray": ("多余的 {found}", "请删掉"),
        "duplicate_key": (
            "{found} 写了两遍；若是记忆，两处都读，其他内容以最后一个为准",
            "请只保留一个；下次保存时会另存一份原文",
        ),
        "wrong_top": (
            "这里应该是含有 episodic、semantic、traits、goals 的对象，却是 {found}",
            '请写成 {{"episodic": [...]}}',
        ),
        "not_a_list": ("这里应该是记忆列表，却是 {found}", "请写成 [...]"),
        "not_an_entry": (
            "这里应该是一条记忆（对象或一段文字），却是 {found}",
            '请写成 {{"content": "..."}}',
        ),
        "no_content": ("这条记忆没有内容", '请写上 "content": "..."'),
        "duplicate_id": (
            "id {found} 已被另一条记忆占用，这一条改叫 {given}",
            "请换一个 id，或者不写",
        ),
        "unknown_section": (
            "{found} 不是这个文件的组成部分；会原样保留，其中的内容读不到",
            "请改名为 {wanted}",
        ),
        "unknown_field": (
            "{found} 不是记忆的字段；会原样保留，但不起作用",
            "是不是想写 {wanted}？",
        ),
        "bad_pattern": ("不是能用的正则：{reason}", "改正之前只当普通文字"),
        "unknown_emotion": (
            "{found} 不是认识的情绪，不起作用",
            "请写成 {wanted}，或者把这个词加进主目录的 lexicons/",
        ),
        "later_version": (
            "文件的版本是 {found}，而这里只认识到 {known}；按 {known} 读取，什么都不删",
            "请更新 rolememory，或者改成 {known}",
        ),
        "wrong_type": ("应为{wanted_zh}，却是 {found}", "请写成 {example}"),
        "out_of_range": ("{found} 超出范围（{bounds}）", "请写范围内的数字"),
        "unknown_choice": ("{found} 不在可选值 {choices} 之中", "请写其中之一"),
        "bad_moment": ("{found} 不是时间", "请写成 2024-05-01T18:30:00Z 或 2024-05-01 这样"),
        "invalid": ("{reason}", "请改正这个值"),
        "bad_line": ("这一行已损坏，已跳过", "无需处理：它从未确认写入，或者文件副本里还有"),
        "conflict": ("文件与一项改动不一致，以文件为准", "详见 journal/conflicts.jsonl"),
        "conflict_copy": ("文件被整个替换，其中缺少的内容已另存为 {copy}", "请把需要的内容抄回去"),
        "not_folded": ("改动暂时写不进文件：{reason_zh}", "它们已安全记入日志，稍后会再写"),
    },
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend: where it stands, what it is, what to write instead."""

    code: str
    file: str = ""
    line: int | None = None
    column: int | None = None
    field: str = ""  # path in the file, e.g. episodic[3].keys
    values: Values = ()
    blocks: bool = False  # nothing is written to the role until it is mended
    drops: bool = False  # a memory is left out because of it

    def at(self, file: str, line: int | None = None, column: int | None = None) -> "Problem":
        """The same problem with its place."""
        return replace(self, file=file, line=line, column=column)

    def inside(self, field: str) -> "Problem":
        """The same problem one level further out.

        >>> Problem("no_content", field="keys[0]").inside("episodic[3]").field
        'episodic[3].keys[0]'
        """
        joint = "" if not self.field or self.field.startswith("[") else "."
        return replace(self, field=f"{field}{joint}{self.field}")

    @property
    def place(self) -> str:
        """File, line and column, as editors and compilers write them."""
        return ":".join(
            str(part)
            for part in (self.file, self.line, self.column)
            if part is not None and part != ""
        )

    def what(self, language: str = "en") -> str:
        """What is wrong, without place and remedy."""
        return self._word(language, 0)

    def remedy(self, language: str = "en") -> str:
        """What to write or do instead."""
        return self._word(language, 1)

    def text(self, language: str = "en") -> str:
        """The whole message on one line.

        >>> comma = Problem("fullwidth", "memory.json", 12, 30, values=(("name", "comma"), ("name_zh", "逗号"), ("found", "，"), ("wanted", ",")))
        >>> comma.text()
        'memory.json:12:30: full-width comma ，; write ,'
        >>> comma.text("zh")
        'memory.json:12:30：全角逗号 ，；请改成 ,'
        """
        colon, stop = ("：", "；") if language == "zh" else (": ", "; ")
        told = colon.join(part for part in (self.place, self.field, self.what(language)) if part)
        return f"{told}{stop}{self.remedy(language)}"

    def _word(self, language: str, which: int) -> str:
        words = _WORDS.get(language, _WORDS["en"])
        return words[self.code][which].format(**dict(self.values))


def quoted(value: object, limit: int = 60) -> str:
    """A value as it stands in a message: its JSON, cut to `limit` characters.

    >>> quoted("storm"), quoted(None), quoted(["a"] * 40, 12)
    ('"storm"', 'null', '["a", "a"...')
    """
    import json

    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= limit else text[: limit - 3] + "..."
