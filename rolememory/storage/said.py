"""A sentence in both languages, and the sentences that are said about settings."""

from typing import NamedTuple


class Said(NamedTuple):
    """The same in English and Chinese."""

    en: str
    zh: str

    def text(self, language: str = "en") -> str:
        """The sentence in that language."""
        return self.zh if language == "zh" else self.en

    def filled(self, **values: object) -> "Said":
        """With the names in braces replaced.

        >>> Said("did you mean {near!r}?", "是不是想写“{near}”？").filled(near="recall").zh
        '是不是想写“recall”？'
        """
        return Said(self.en.format(**values), self.zh.format(**values))


SILENT = Said("", "")
UNKNOWN_KEY = Said("unknown key", "没有这个设置项")
MEANT = Said("did you mean {near!r}?", "是不是想写“{near}”？")
DELETE = Said("delete it", "请删掉")
NO_TABLE = Said("expected a table, got {got}", "这里应该是一个表，却是 {got}")
WRITE = Said("write {text}", "请写成 {text}")
HOME_ONLY = Said("belongs to the home, not to one role", "这一项属于整个记忆库，不能由单个角色来定")
WRITE_IN_HOME = Said("write it into rolememory.toml", "请写进 rolememory.toml")
EXPECTED = Said("expected {wanted}, got {got}", "应为{wanted_zh}，却是 {got}")
VARIABLE = Said(
    "expected the name of an environment variable, got something else", "这里应该写环境变量的名字"
)
PUT_KEY = Said(
    "write {text} and put the key into {name}", "请写成 {text}，并把密钥放进环境变量 {name}"
)
NO_PRESET = Said("no preset named {name!r}", "没有名为“{name}”的预设")
KNOWN = Said("known: {names}", "现有：{names}")
NOT_TOML = Said("not TOML: {reason}", "不是有效的 TOML：{reason}")
FULL_WIDTH = Said(
    "write {wanted} in place of the full-width {found}", "请把全角的 {found} 改成 {wanted}"
)
COMPARE = Said(
    "compare with a line that `rolememory init` wrote", "请对照 `rolememory init` 写出的文件"
)
TOO_LARGE = Said("larger than {limit} KB", "文件超过 {limit} KB")
MOVE_TEXTS = Said(
    "settings are short; move long texts into templates", "设置不必这么长，大段文字请放进模板"
)
NOT_UTF8 = Said("not UTF-8", "不是 UTF-8 编码")
SAVE_UTF8 = Said("save the file with encoding UTF-8", "请用 UTF-8 编码保存")
UNREADABLE = Said("cannot be read: {reason}", "读不出来：{reason}")
TOO_DEEP = Said("nested too deep", "嵌套太深")
SHALLOW = Said("settings are two or three levels deep", "设置最多只有两三层")
NO_EFFECT = Said("has no effect: {why}", "不起作用：{why_zh}")
NOT_USED = Said("not used: {other} says it already", "未采用：{other} 已经说明了")
NO_KEYS = Said(
    "keys are not read from files; set the environment variable {name} and delete it here",
    "不从文件读取密钥；请设置环境变量 {name}，并删掉这一行",
)
