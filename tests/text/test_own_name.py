"""What somebody says they are called: rarely found, and right."""

import pytest

from rolememory.text.own_name import own_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My name is Lin.", "Lin"),
        ("Hi, I'm glad to be here. My name's Anna-Maria Weiss!", "Anna-Maria Weiss"),
        ("Call me Ishmael.", "Ishmael"),
        ("*bows* The name is Bond, James Bond.", "Bond"),
        ("Please call me Kai, everyone does", "Kai"),
        ("my name is Lin. No: my name is Wei.", "Wei"),
        ("My name is not important.", ""),
        ("My name is on the list.", ""),
        ("Call me when you get home.", ""),
        ("Call me Tomorrow.", ""),
        ('"My name is Rex," the dog says.', ""),
        ("He said my name is a curse.", ""),
        ("His name is Rex.", ""),
        ("Is my name Lin?", ""),
        ("They call me a fool.", ""),
        ("我叫林小雨。", "林小雨"),
        ("你好！我的名字是沈晚，请多关照", "沈晚"),
        ("大家好，我叫小雨", "小雨"),
        ("叫我阿霖就好。", "阿霖"),
        ("你可以叫我阿霖。", "阿霖"),
        ("我名叫欧阳·安，来自北方。", "欧阳·安"),
        ("我叫外卖了。", ""),
        ("我叫他回来。", ""),
        ("我叫你别动！", ""),
        ("我叫小心！", ""),
        ("我叫老师来。", ""),
        ("“我叫林小雨。”她说。", ""),
        ("我妹妹叫小梅。", ""),
        ("我叫什么来着？", ""),
    ],
)
def test_own_names(text: str, name: str) -> None:
    assert own_name(text) == name


def test_any_text_is_read() -> None:
    for text in ("", "my name is " * 400, "我叫" * 900, '"' * 900, "my name is \ud800", "*" * 900):
        assert own_name(text) == ""
