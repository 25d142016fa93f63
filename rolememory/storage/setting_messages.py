"""The sentences that are said about settings."""

from rolememory.locales import LocalizedText

SILENT = LocalizedText("")
UNKNOWN_KEY = LocalizedText("unknown key")
MEANT = LocalizedText("did you mean {near!r}?")
DELETE = LocalizedText("delete it")
NO_TABLE = LocalizedText("expected a table, got {got}")
WRITE = LocalizedText("write {text}")
HOME_ONLY = LocalizedText("belongs to the home, not to one role")
WRITE_IN_HOME = LocalizedText("write it into rolememory.toml")
EXPECTED = LocalizedText("expected {wanted}, got {got}")
VARIABLE = LocalizedText("expected the name of an environment variable, got something else")
PUT_KEY = LocalizedText("write {text} and put the key into {name}")
NO_PRESET = LocalizedText("no preset named {name!r}")
KNOWN = LocalizedText("known: {names}")
NOT_TOML = LocalizedText("not TOML: {reason}")
FULL_WIDTH = LocalizedText("write {wanted} in place of the full-width {found}")
COMPARE = LocalizedText("compare with a line that `rolememory init` wrote")
TOO_LARGE = LocalizedText("larger than {limit} KB")
MOVE_TEXTS = LocalizedText("settings are short; move long texts into templates")
NOT_UTF8 = LocalizedText("not UTF-8")
SAVE_UTF8 = LocalizedText("save the file with encoding UTF-8")
UNREADABLE = LocalizedText("cannot be read: {reason}")
TOO_DEEP = LocalizedText("nested too deep")
SHALLOW = LocalizedText("settings are two or three levels deep")
NO_EFFECT = LocalizedText("has no effect: {why}")
NOT_USED = LocalizedText("not used: {other} says it already")
NO_KEYS = LocalizedText(
    "keys are not read from files; set the environment variable {name} and delete it here"
)
