"""memory.json as a whole: its shapes, its mistakes with their places, and the way back to the disk."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.schema.memory import MemoryType, Source
from rolememory.schema.problem import Problem
from rolememory.storage.memory_file import BrokenFileError, read
from rolememory.storage.memory_file_writer import merged, rendered


def texts(data: str | bytes) -> list[str]:
    """What is said about a file, whether it is broken or only has faults."""
    return [problem.text() for problem in problems(data)]


def problems(data: str | bytes) -> list[Problem]:
    try:
        return read(
            data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        ).problems
    except BrokenFileError as error:
        return error.problems


@pytest.mark.parametrize(
    ("document", "types"),
    [
        pytest.param({"episodic": ["x"]}, ["episodic"], id="an object of arrays"),
        pytest.param(
            {"trait": ["x"], "goal": ["y"]}, ["trait", "goal"], id="singular arrays (S1.14)"
        ),
        pytest.param(
            [{"content": "x", "type": "goal"}, "y"],
            ["episodic", "goal"],
            id="a bare list, sorted into arrays",
        ),
        pytest.param(
            {"memories": [{"text": "x", "type": "trait"}]}, ["trait"], id="one list of memories"
        ),
        pytest.param(
            {"semantic": [{"content": "x", "type": "trait"}]}, ["trait"], id="the type inside wins"
        ),
        pytest.param({"episodic": None}, [], id="null for an empty array"),
        pytest.param({}, [], id="nothing at all"),
    ],
)
def test_shapes_that_are_read(document: Any, types: list[str]) -> None:
    assert [
        memory.type.value for memory in read(json.dumps(document).encode()).memories.values()
    ] == types


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            '{"episodic": [\n  {"content": "海"，"weight": 1}]}',
            "memory.json:2:18: full-width comma ，; write ,",
            id="，",
        ),
        pytest.param(
            '{"episodic"： []}', "memory.json:1:12: full-width colon ：; write :", id="："
        ),
        pytest.param(
            "{“episodic”: []}",
            'memory.json:1:2: full-width quotes “episodic”; write plain quotes: "..."',
            id="“ ”",
        ),
        pytest.param(
            '{"episodic": [「海边」]}',
            'memory.json:1:15: full-width quotes 「海边」; write plain quotes: "..."',
            id="「 」",
        ),
        pytest.param(
            '{"episodic": ["x",]}',
            "memory.json:1:18: a comma before ]; remove the comma",
            id="a trailing comma",
        ),
        pytest.param(
            '{"episodic": ["x" "y"]}',
            'memory.json:1:19: a comma is missing before "\\"y\\""',
            id="a missing comma",
        ),
        pytest.param(
            '{"episodic" []}',
            'memory.json:1:13: a colon is missing after the name "episodic"',
            id="a missing colon",
        ),
        pytest.param(
            '{"episodic": }', "memory.json:1:14: a value is missing before }", id="a missing value"
        ),
        pytest.param(
            '{"episodic": [] // none\n}', "memory.json:1:17: a comment; JSON has none", id="//"
        ),
        pytest.param("{# none\n}", "memory.json:1:2: a comment; JSON has none", id="#"),
        pytest.param(
            "{'episodic': []}", "memory.json:1:2: single quotes around a text", id="single quotes"
        ),
        pytest.param(
            "{episodic: []}",
            'memory.json:1:2: a text without quotes: episodic; write "episodic"',
            id="no quotes",
        ),
        pytest.param(
            '{"weight": NaN}',
            "memory.json:1:12: NaN is not a JSON number; write a number, or null",
            id="NaN",
        ),
        pytest.param(
            '{"x": True}', "memory.json:1:7: True is not JSON; write true", id="Python's words"
        ),
        pytest.param('{"x": 007}', "memory.json:1:7: 007 is not a JSON number", id="leading zeros"),
        pytest.param(
            '{"x": "a\nb"}',
            "memory.json:1:7: a text that begins here is never closed",
            id="a line break in a text",
        ),
        pytest.param(
            '{"x": "\\q"}', "memory.json:1:8: \\q is no escape in JSON; write \\\\q", id="an escape"
        ),
        pytest.param(
            '{"x": "\\ud83d"}',
            "memory.json:1:8: half of a character: \\ud83d",
            id="a lone surrogate",
        ),
        pytest.param(
            '{"x": [1}',
            "memory.json:1:9: } closes what [ in line 1 opened; write ]",
            id="a wrong bracket",
        ),
        pytest.param(
            '{"x": [1',
            "memory.json:1:7: [ that opens here is never closed; write ] where it ends",
            id="half a file",
        ),
        pytest.param(
            "{}}", "memory.json:1:3: } closes nothing; remove it", id="one bracket too many"
        ),
        pytest.param(
            '{"a": 1} {"b": 2}',
            'memory.json:1:10: something follows after the end: "{"',
            id="two documents",
        ),
        pytest.param("", "memory.json:1:1: the file is empty; write {}", id="an empty file"),
        pytest.param(
            '"x"',
            'memory.json:1:1: expected an object with episodic, semantic, traits, goals, got "x"',
            id="a text",
        ),
        pytest.param(
            '{"episodic": {}}',
            "memory.json:1:2: episodic: expected a list of memories, got {}",
            id="an object for a list",
        ),
        pytest.param("[" * 2000 + "]" * 2000, "nested deeper than 100 levels", id="depth bomb"),
        pytest.param(
            '{"x": ' + "[" * 200 + "]" * 200 + "}",
            "nested deeper than 100 levels",
            id="deep, but parsed",
        ),
        pytest.param(
            "灯塔".encode("gbk"),
            "memory.json:1:1: this is not UTF-8 text (GBK / GB18030?); save the file as UTF-8",
            id="GBK",
        ),
        pytest.param(
            "灯塔".encode("utf-16"), "memory.json:1:1: this is not UTF-8 text (UTF-16)", id="UTF-16"
        ),
        pytest.param(
            '{"episodic": ["雾"]}'.encode("utf-16-le"),
            "memory.json:1:31: this is not UTF-8 text (UTF-16)",
            id="UTF-16 without a mark",
        ),
        pytest.param(
            '{"episodic": ["x"]}'.encode("utf-16-be"),
            "memory.json:1:1: this is not UTF-8 text (UTF-16)",
            id="UTF-16 without a mark, all ASCII",
        ),
        pytest.param(
            b'{\n"a": "\xff"}',
            "memory.json:2:7: this is not UTF-8 text (byte 0xff)",
            id="a stray byte",
        ),
        pytest.param(
            '{"episodic": [\n {"content": "x"},\n {"keys": ["k"]}]}',
            "memory.json:3:2: episodic[1]: a memory without content",
            id="an entry",
        ),
        pytest.param(
            '{"episodic": [\n 7]}',
            "memory.json:2:2: episodic[0]: expected a memory (an object, or a text), got 7",
            id="a number",
        ),
        pytest.param(
            '{"episodic": [{"content": "x",\n "weight": 1,\n "weight": 2}]}',
            'memory.json:3:2: episodic[0].weight: "weight" is written twice; the memories of both are read',
            id="a name written twice",
        ),
        pytest.param(
            '{"episodic": ["a"],\n "episodic": ["b"]}',
            'memory.json:2:2: episodic: "episodic" is written twice; the memories of both are read',
            id="a section written twice",
        ),
        pytest.param(
            '{"semantics": [{"content": "x"}]}',
            'semantics: "semantics" is no part of this file; it is kept, and what stands in it is not read; call it "semantic"',
            id="a section by another name",
        ),
        pytest.param(
            '{"情节": [{"content": "x"}]}',
            '情节: "情节" is no part of this file',
            id="memories in a section that nobody knows",
        ),
        pytest.param(
            '{"episodic": [\n {"content": "x", "kyes": ["a"]}]}',
            'episodic[0].kyes: "kyes" is no field of a memory; it is kept, and has no effect; did you mean "keys"?',
            id="a name with a slip",
        ),
        pytest.param(
            '{"episodic": [{"contnt": "x"}]}',
            'episodic[0].contnt: "contnt" is no field of a memory; it is kept, and has no effect; did you mean "content"?',
            id="the content under a name with a slip",
        ),
        pytest.param(
            '{"episodic": [{"content": "x", "contnt": "y"}]}',
            'episodic[0].contnt: "contnt" is no field of a memory; it is kept, and has no effect; did you mean "content"?',
            id="a name with a slip beside the right one",
        ),
        pytest.param(
            '{"episodic": [{"content": "x", "keys": ["a", "/be(acon/"]}]}',
            "episodic[0].keys[1]: no pattern that can be searched: '/be(acon/': at character 3",
            id="a bad pattern",
        ),
        pytest.param(
            '{"episodic": [{"content": "x", "emotions": ["喜悦", "joyy"]}]}',
            'episodic[0].emotions[1]: "joyy" is no emotion that is known; it has no effect; write "joy"',
            id="an unknown emotion",
        ),
        pytest.param(
            '{"episodic": [{"content": "x", "emotion": "joyy"}]}',
            'episodic[0].emotion: "joyy" is no emotion that is known; it has no effect; write "joy"',
            id="an unknown emotion, one alone",
        ),
        pytest.param(
            '{"version": 99, "episodic": ["x"]}',
            "version: the file is of version 99, and 1 is the latest that is known",
            id="a later version",
        ),
        pytest.param(
            '{"episodic": [{"content": "x", "priority": "high"}]}',
            'episodic[0].priority: expected a number, got "high"; write 50',
            id="a priority in words",
        ),
        pytest.param(
            '{"episodic": [{"content": "The "beacon" failed", "keys": ["a"]}]}',
            'memory.json:1:27: quotes inside a text: "The "beacon" failed"; write \\" for each of them: "The \\"beacon\\" failed"',
            id="quotes inside a text",
        ),
        pytest.param(
            '{"episodic": ["他说"你好"了"]}',
            r'write \" for each of them: "他说\"你好\"了"',
            id="quotes inside a Chinese text",
        ),
        pytest.param(
            '{"episodic": [\n<<<<<<< HEAD\n"a"\n=======\n"b"\n>>>>>>> theirs\n]}',
            "memory.json:4:1: a marker of a merge that was not finished: =======; keep one of the two versions",
            id="a merge that was not finished",
        ),
        pytest.param(
            '[{"content": "x"},\n {"weight": 1}]',
            "memory.json:2:2: [1]: a memory without content",
            id="an entry of a bare list",
        ),
    ],
)
def test_every_mistake_has_its_place_and_its_remedy(text: str | bytes, said: str) -> None:
    found = texts(text)
    assert any(said in line for line in found), found


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"episodic": [{"content": "x", "mood": "calm", "date": 1, "note": "y"}]}'),
        pytest.param(
            '{"episodic": [{"content": "x", "createdAt": "2026-05-01", "createdBy": "lin"}]}'
        ),
        pytest.param('{"later": {"unknown": true}, "notes": ["mine"], "episodic": ["x"]}'),
        pytest.param(
            '{"episodic": [{"content": "x", "keys": ["/home/lin/", "/be(acon|lamp)/i"]}]}'
        ),
        pytest.param('{"episodic": [{"content": "x", "emotions": ["grief", "焦虑", "neutral"]}]}'),
        pytest.param('{"version": "1", "episodic": [{"content": "x", "priority": "80"}]}'),
    ],
)
def test_what_is_an_authors_own_is_no_mistake(text: str) -> None:
    assert texts(text) == []


def test_memories_of_a_section_written_twice_are_all_read() -> None:
    found = read(b'{"episodic": ["a"], "traits": ["t"], "episodic": ["b"]}')
    assert [memory.content for memory in found.memories.values()] == ["a", "b", "t"]


def test_several_mistakes_are_told_at_once() -> None:
    text = '{"episodic": [\n  {"content": “海边”， "keys": ["a",]},\n  {content: \'x\', "weight": NaN} // hi\n]}'
    codes = [problem.code for problem in problems(text)]
    assert codes == [
        "fullwidth_quote",
        "fullwidth",
        "trailing_comma",
        "unquoted",
        "single_quote",
        "non_finite",
        "comment",
    ]
    assert [problem.line for problem in problems(text)] == [2, 2, 2, 3, 3, 3, 3]


def test_one_bad_entry_does_not_cost_the_others() -> None:
    found = read(b'{"episodic": ["a", {"content": "b", "weight": 99}, "c"]}')
    assert [memory.content for memory in found.memories.values()] == ["a", "c"]


def test_a_byte_order_mark_is_read() -> None:
    assert len(read(b"\xef\xbb\xbf" + b'{"episodic": ["x"]}').memories) == 1


def test_short_lists_stand_on_one_line_and_chinese_as_it_is() -> None:
    text = rendered(
        {
            "episodic": [{"content": "灯塔", "keys": ["灯", "塔"], "more": [{"a": []}]}],
            "semantic": [],
        }
    ).decode()
    assert text == (
        '{\n  "episodic": [\n    {\n      "content": "灯塔",\n      "keys": ["灯", "塔"],\n      "more": [\n        {\n'
        '          "a": []\n        }\n      ]\n    }\n  ],\n  "semantic": []\n}\n'
    )


def test_an_old_record_is_added_to_never_renamed() -> None:
    found = read(
        b'{"memories": [{"text": "x", "emotion": "user", "type": "fact", "timestamp": 1714586400}]}'
    )
    (name,) = found.memories
    memories = {
        name: found.memories[name].model_copy(
            update={"source": Source.MANUAL, "tags": (), "type": MemoryType.SEMANTIC}
        )
    }
    entry = json.loads(rendered(merged(found, memories, 3)))["memories"][0]
    assert entry == {
        "id": name,
        "text": "x",
        "emotion": "user",
        "type": "semantic",
        "timestamp": 1714586400,
        "source": "manual",
        "tags": [],
    }


NAMES = st.sampled_from(["episodic", "traits", "version", "through", "$schema", "goal", "later"])
ENTRY = st.text(max_size=5) | st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["a", "b", "c", 7]),
        "content": st.text(st.characters(codec="utf-8"), max_size=5),
        "text": st.text(st.characters(codec="utf-8"), max_size=5),
        "weight": st.floats(-1, 3),
        "tag": st.sampled_from(["manual", "x"]),
        "type": st.sampled_from(["goal", "fact", "odd"]),
        "unknown": st.integers(-(2**80), 2**80)
        | st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), max_size=3),
    },
)
DOCUMENTS = st.dictionaries(NAMES, st.lists(ENTRY, max_size=4), max_size=4) | st.lists(
    ENTRY, max_size=4
)


@given(
    DOCUMENTS.map(
        lambda found: (
            {k: v if k not in ("version", "through", "$schema") else 1 for k, v in found.items()}
            if isinstance(found, dict)
            else found
        )
    )
)
def test_what_is_written_back_means_the_same(document: Any) -> None:
    data = json.dumps(document).encode()
    before = read(data)
    raw = json.loads(data) if isinstance(document, dict) else None
    after = json.loads(rendered(merged(before, before.memories, 5)))
    again = read(json.dumps(after).encode())
    assert list(again.memories.values()) == list(before.memories.values())
    assert not again.unnamed
    if raw is not None:
        for name, value in raw.items():
            if name not in ("through", "version"):
                assert _without_ids(after[name]) == _without_ids(value)


def _without_ids(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    entries = [
        {"content": entry} if isinstance(entry, str) and entry.strip() else entry for entry in value
    ]
    return [
        {k: v for k, v in entry.items() if k != "id"} if isinstance(entry, dict) else entry
        for entry in entries
    ]
