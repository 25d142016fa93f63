"""Templates from strangers: no code, no blow-up, and what is benign works (P13)."""

import tracemalloc
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolememory.errors import TemplateError
from rolememory.inject.meter import Limits
from rolememory.inject.sandbox import RenderedText, Sandbox, plain

BOX = Sandbox()
CONTEXT = {
    "char": "Asha",
    "user": "Lin",
    "n": 3,
    "half": 0.5,
    "yes": True,
    "text": "the beacon",
    "words": ["storm", "oil", "lamp"],
    "table": {"b": 2, "a": 1, "keys": "mine"},
    "memories": [
        {"type": "trait", "text": "patient", "date": "", "tags": ["a", "b"], "score": 0.25},
        {"type": "goal", "text": "wind the lamp", "date": "1887-11-02", "tags": [], "score": 0.75},
        {"type": "trait", "text": "dry", "date": "1887-11-03", "tags": ["b"], "score": 0.5},
    ],
    "nothing": None,
}


def render(source: str) -> str:
    return str(BOX.compile("t.jinja", source).render(CONTEXT))


BENIGN = [
    ("plain text", "plain text"),
    ("{{ char }}", "Asha"),
    ("{{ char }} 与 {{ user }}", "Asha 与 Lin"),
    ("{# a comment #}x", "x"),
    ("{{ n + 1 }}", "4"),
    ("{{ n * 2 }}", "6"),
    ("{{ n ** 2 }}", "9"),
    ("{{ n % 2 }}", "1"),
    ("{{ n / 2 }}", "1.5"),
    ("{{ n // 2 }}", "1"),
    ("{{ -n }}", "-3"),
    ("{{ 'a' * 3 }}", "aaa"),
    ("{{ 'a' ~ 'b' ~ n }}", "ab3"),
    ("{{ 'a' + 'b' }}", "ab"),
    ("{{ ([1] + [2]) | length }}", "2"),
    ("{{ '%s is %d' % (char, n) }}", "Asha is 3"),
    ("{{ '%.1f' % half }}", "0.5"),
    ("{{ '{} and {}'.format(char, user) }}", "Asha and Lin"),
    ("{{ '{:>5}'.format(n) }}", "    3"),
    ("{{ '{0}{1}{0}'.format('a', 'b') }}", "aba"),
    ("{{ '{x:.2f}'.format(x=half) }}", "0.50"),
    ("{{ '%s' | format(char) }}", "Asha"),
    ("{{ '%(x)s' | format(x=char) }}", "Asha"),
    ("{% if yes %}a{% else %}b{% endif %}", "a"),
    ("{% if n > 5 %}a{% elif n > 2 %}b{% else %}c{% endif %}", "b"),
    ("{{ 'a' if yes else 'b' }}", "a"),
    ("{% if not yes %}a{% endif %}", ""),
    ("{% if n == 3 and yes or false %}a{% endif %}", "a"),
    ("{% if 'oil' in words %}a{% endif %}", "a"),
    ("{% if 'sea' not in words %}a{% endif %}", "a"),
    ("{% for w in words %}{{ w }} {% endfor %}", "storm oil lamp "),
    (
        "{% for w in words %}{{ loop.index }}{{ w }}{% if not loop.last %},{% endif %}{% endfor %}",
        "1storm,2oil,3lamp",
    ),
    ("{% for w in words %}{{ loop.revindex }}{{ loop.length }}{% endfor %}", "332313"),
    ("{% for w in words %}{{ loop.cycle('a', 'b') }}{% endfor %}", "aba"),
    ("{% for m in memories %}{{ 'x' if loop.changed(m.type) }}{% endfor %}", "xxx"),
    ("{% for w in words if w != 'oil' %}{{ w }}{% endfor %}", "stormlamp"),
    ("{% for x in [] %}{% else %}none{% endfor %}", "none"),
    ("{% for i in range(3) %}{{ i }}{% endfor %}", "012"),
    ("{% for i in range(5, 1, -2) %}{{ i }}{% endfor %}", "53"),
    (
        "{% for a in range(2) %}{% for b in range(2) %}{{ a }}{{ b }} {% endfor %}{% endfor %}",
        "00 01 10 11 ",
    ),
    ("{% for k, v in table | dictsort %}{{ k }}{% endfor %}", "abkeys"),
    ("{% for k, v in table.items() %}{{ k }}{% endfor %}", "bakeys"),
    ("{% for k in table %}{{ k }}{% endfor %}", "bakeys"),
    ("{{ table.keys }}", "mine"),
    ("{{ table['a'] }}", "1"),
    ("{{ table.get('z', 'no') }}", "no"),
    ("{{ memories[0].text }}", "patient"),
    ("{{ memories[-1]['text'] }}", "dry"),
    ("{{ words[0:2] | join('+') }}", "storm+oil"),
    ("{{ text[4:] }}", "beacon"),
    ("{{ words | join(', ') }}", "storm, oil, lamp"),
    ("{{ memories | join(', ', attribute='text') }}", "patient, wind the lamp, dry"),
    ("{{ ', '.join(words) }}", "storm, oil, lamp"),
    ("{{ words | first }}{{ words | last }}", "stormlamp"),
    ("{{ words | length }}{{ words | count }}", "33"),
    ("{{ words | sort | join(' ') }}", "lamp oil storm"),
    ("{{ words | sort(reverse=true) | first }}", "storm"),
    (
        "{{ memories | sort(attribute='score') | map(attribute='text') | join('|') }}",
        "patient|dry|wind the lamp",
    ),
    ("{{ memories | selectattr('date') | list | length }}", "2"),
    (
        "{{ memories | rejectattr('type', 'equalto', 'trait') | map(attribute='text') | first }}",
        "wind the lamp",
    ),
    ("{{ [1, 2, 3, 4] | select('even') | list | join }}", "24"),
    ("{{ [1, 2, 3, 4] | reject('odd') | join }}", "24"),
    ("{{ words | map('upper') | join(' ') }}", "STORM OIL LAMP"),
    ("{{ words | map('replace', 'o', '0') | join(' ') }}", "st0rm 0il lamp"),
    (
        "{% for type, of in memories | groupby('type') %}{{ type }}{{ of | length }}{% endfor %}",
        "goal1trait2",
    ),
    (
        "{% for g in memories | groupby('type') %}{{ g.grouper }}{{ g.list | length }}{% endfor %}",
        "goal1trait2",
    ),
    ("{{ words | reverse | join(' ') }}", "lamp oil storm"),
    ("{{ [3, 1, 2] | max }}{{ [3, 1, 2] | min }}{{ [3, 1, 2] | sum }}", "316"),
    ("{{ ['a', 'A', 'b'] | unique | join }}", "ab"),
    ("{{ 'x' | upper }}{{ 'X' | lower }}{{ 'xy' | capitalize }}", "XxXy"),
    ("{{ 'the end' | title }}", "The End"),
    ("{{ '  x ' | trim }}", "x"),
    ("{{ 'abcdef' | truncate(5, true, '…', 0) }}", "abcd…"),
    ("{{ 'a b c' | wordcount }}", "3"),
    ("{{ 'a\nb' | indent(2) }}", "a\n  b"),
    ("{{ 'x' | center(5) }}|", "  x  |"),
    ("{{ 'banana' | replace('a', 'o') }}", "bonono"),
    ("{{ 'banana'.replace('a', 'o', 1) }}", "bonana"),
    ("{{ 2.567 | round(1) }}", "2.6"),
    ("{{ 2.5 | round | int }}", "2"),
    ("{{ '7' | int + 1 }}", "8"),
    ("{{ 'x' | int(5) }}", "5"),
    ("{{ '1.5' | float }}", "1.5"),
    ("{{ (-3) | abs }}", "3"),
    ("{{ n | string ~ 'x' }}", "3x"),
    ("{{ missing | default('d') }}", "d"),
    ("{{ '' | default('d', true) }}", "d"),
    ("{{ missing | d('x') }}", "x"),
    ("{{ table | tojson }}", '{"b": 2, "a": 1, "keys": "mine"}'),
    ("{{ '灯塔' | tojson }}", '"灯塔"'),
    ("{% if missing is defined %}a{% else %}b{% endif %}", "b"),
    ("{% if nothing is none %}a{% endif %}", "a"),
    ("{% if n is odd and n is number %}a{% endif %}", "a"),
    ("{% if text is string %}a{% endif %}", "a"),
    ("{% if n is divisibleby(3) %}a{% endif %}", "a"),
    ("{% set x = 5 %}{{ x }}", "5"),
    ("{% set a, b = 1, 2 %}{{ a + b }}", "3"),
    ("{% set x %}in {{ char }}{% endset %}{{ x }}", "in Asha"),
    ("{% with x = 1 %}{{ x }}{% endwith %}", "1"),
    ("{% filter upper %}abc{% endfilter %}", "ABC"),
    (
        "{% macro m(x, y='!') %}<{{ x }}{{ y }}>{% endmacro %}{{ m('a') }}{{ m('b', '?') }}",
        "<a!><b?>",
    ),
    (
        "{% macro a() %}x{% endmacro %}{% macro b() %}{{ a() }}{{ a() }}{% endmacro %}{{ b() }}",
        "xx",
    ),
    ("{% raw %}{{ raw }}{% endraw %}", "{{ raw }}"),
    ("{{ 'a,b'.split(',') | join('-') }}", "a-b"),
    ("{{ 'abc'.startswith('a') }}{{ 'abc'.endswith('a') }}", "TrueFalse"),
    ("{{ 'abc'.upper().lower().title() }}", "Abc"),
    ("{{ 'x'.ljust(3) }}|{{ 'x'.rjust(3) }}|{{ '7'.zfill(3) }}", "x  |  x|007"),
    ("{{ (1, 2) | length }}{{ [1, [2, 3]] | length }}", "22"),
    ("{{- '  a' -}}   ", "  a"),
    ("[{{ words }}] {{ () }}", "[storm, oil, lamp] "),
    ("a\n{%- for w in words %}\n- {{ w }}\n{%- endfor %}\nb", "a\n- storm\n- oil\n- lamp\nb"),
]

HOSTILE = [
    # code
    "{{ ''.__class__ }}", "{{ ''.__class__.__mro__[1].__subclasses__() }}", "{{ ''['__class__'] }}", "{{ text['__cl' ~ 'ass__'] }}",
    "{{ text | attr('__class__') }}", "{{ [text] | map(attribute='__class__') | list }}", "{{ [text] | map('attr', '__class__') | list }}",
    "{{ [text] | selectattr('__class__') | list | length }}{{ 1/0 }}", "{{ words | groupby('__class__') }}", "{{ words | sort(attribute='__class__') | join }}",
    "{{ self }}", "{{ self.__init__ }}", "{{ self._TemplateReference__context }}", "{{ super() }}", "{{ caller() }}", "{{ varargs }}", "{{ kwargs }}",
    "{{ range.__globals__ }}", "{{ range }}", "{{ loop }}", "{% for x in words %}{{ loop }}{% endfor %}", "{% for x in words %}{{ loop.__class__ }}{% endfor %}",
    "{% for x in words %}{{ loop._iterator }}{% endfor %}", "{{ lipsum() }}", "{{ lipsum.__globals__['os'].popen('id').read() }}", "{{ cycler('a').next() }}",
    "{{ joiner()() }}", "{{ namespace(a=1).a }}", "{{ dict(a=1) }}", "{{ config }}", "{{ request }}", "{{ get_flashed_messages.__globals__ }}", "{{ open('/etc/passwd') }}",
    "{{ __import__('os') }}", "{{ eval('1') }}", "{{ exec('1') }}", "{{ print('x') }}", "{{ globals() }}", "{{ _ }}", "{{ _context }}", "{% set __x = 1 %}", "{% macro _m() %}{% endmacro %}",
    "{{ '{0.__class__}'.format(text) }}", "{{ '{0[a]}'.format(table) }}", "{{ '{a.b}'.format(a=text) }}", "{{ '{}'.format_map(table) }}", "{{ 'a'.format.__self__ }}",
    "{{ '{0.__class__}' | format(text) }}{{ 1/0 }}", "{{ ['{0.__class__}'] | map('format', text) | first }}{{ 1/0 }}", "{% set f = '{0.__class__}'.format %}{{ f(text) }}",
    "{{ text.format.__func__ }}", "{{ text.encode() }}", "{{ text.translate({97: 'b'}) }}", "{{ text.maketrans('a', 'b') }}", "{{ text.expandtabs(10) }}",
    "{% include 'x' %}", "{% import 'x' as y %}", "{% from 'x' import y %}", "{% extends 'x' %}", "{% block a %}{% endblock %}", "{% call m() %}{% endcall %}",
    "{% autoescape true %}{{ '<' }}{% endautoescape %}", "{% do words.append(1) %}", "{% break %}", "{% debug %}", "{% trans %}x{% endtrans %}",
    "{{ words.append('x') }}", "{{ words.clear() }}", "{{ words.pop() }}", "{{ words.sort() }}", "{{ table.update({'x': 1}) }}", "{{ table.pop('a') }}", "{{ table.clear() }}", "{{ table.setdefault('x', 1) }}", "{{ table.__setitem__('x', 1) }}",
    "{{ memories[0].update({'text': 'x'}) }}", "{% set words[0] = 1 %}", "{% set table.a = 5 %}",
    "{{ text | xmlattr }}", "{{ {'a': 1} | xmlattr }}", "{{ text | urlize }}", "{{ text | safe }}", "{{ text | escape }}", "{{ text | e }}", "{{ text | pprint }}", "{{ words | random }}", "{{ text | striptags }}",
    "{{ text is callable }}", "{{ text is sameas text }}", "{{ 'upper' is filter }}", "{{ text is mystery }}", "{{ text | mystery }}",
    # size
    "{{ 'a' * 10 ** 9 }}", "{{ 10 ** 9 * 'a' }}", "{{ [1] * 10 ** 9 }}", "{{ 'a' * 999999999 }}", "{{ 10 ** 10 ** 10 }}", "{{ 2 ** 100000 }}", "{{ 9 ** 99 ** 9 }}", "{{ (2 ** 60) ** 60 }}",
    "{% set x = 2 ** 60 %}{% set y = x * x * x * x * x %}{{ y }}", "{{ 'a' | center(10 ** 8) }}", "{{ 'a'.center(10 ** 8) }}", "{{ 'a'.ljust(10 ** 8) }}", "{{ 'a'.rjust(99999999) }}", "{{ '1'.zfill(99999999) }}",
    "{{ '%99999999d' % 1 }}", "{{ '%*d' % (99999999, 1) }}", "{{ '%.99999999f' % 1.0 }}", "{{ '%99999999d' | format(1) }}", "{{ '{:99999999}'.format(1) }}", "{{ '{:{w}}'.format(1, w=99999999) }}", "{{ '{:.99999999f}'.format(1.0) }}",
    "{{ ('a' * 100000).replace('a', 'b' * 100000) }}", "{{ 'a' * 100000 | replace('', 'x' * 100000) }}", "{{ (range(100000) | list) | join('x' * 100000) }}", "{{ ('x' * 100000).join(words * 10000) }}", "{{ ('a\n' * 100000) | indent(1000) }}",
    "{{ ('a\n' * 100000) | indent('x' * 100000) }}", "{{ 1.5 | round(10 ** 9) }}", "{{ 1.5 | round(10 ** 9, 'ceil') }}", "{{ [1] | batch(10 ** 9, 0) }}", "{{ [1] | slice(10 ** 9) }}", "{{ 'a' | wordwrap(1, wrapstring='x' * 10 ** 9) }}",
    "{% set x = 'aaaaaaaaaa' %}" + "{% set x = x ~ x %}" * 40 + "{{ x }}", "{% set x = 'aaaaaaaaaa' %}" + "{% set x = x + x %}" * 40, "{% set x %}aaaaaaaaaa{% endset %}" + "{% set x %}{{ x }}{{ x }}{% endset %}" * 40,
    "{% set x = [1] %}" + "{% set x = x + x %}" * 40, "{% set x = [1] %}" + "{% set x = [x, x] %}" * 60 + "{{ x | tojson }}", "{% set x = [1] %}" + "{% set x = (x, x) %}" * 60 + "{{ x == x }}", "{% set x = {'a': 1} %}" + "{% set x = {'a': x, 'b': x} %}" * 60,
    "{% set x %}{% for i in range(100000) %}" + "x" * 60_000 + "{% endfor %}{% endset %}", "{% macro m() %}{% for i in range(1000) %}{{ 'x' * 10000 }}{% endfor %}{% endmacro %}{{ m() | length }}",
    "{% filter upper %}{% for i in range(90000) %}" + "y" * 1000 + "{% endfor %}{% endfilter %}", "{% for i in range(90000) %}" + "z" * 1000 + "{% endfor %}",
    # time
    "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}", "{% for a in range(10 ** 9) %}{% endfor %}", "{{ range(10 ** 12) | list }}", "{{ range(10 ** 9) | sum }}", "{{ range(-1, 10 ** 9) | length }}",
    "{% for a in range(99999) %}{% for b in words %}{{ a }}{% endfor %}{% endfor %}", "{% for a in words recursive %}{{ loop(words) }}{% endfor %}", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}", "{% macro m(f) %}{{ f(f) }}{% endmacro %}{{ m(m) }}", "{% macro m() %}x{% endmacro %}{% set f = m %}{{ f() }}", "{% macro m() %}{% endmacro %}{{ m }}",
    "".join(f"{{% macro m{i + 1}() %}}{{{{ m{i}() }}}}{{{{ m{i}() }}}}{{% endmacro %}}" if i else "{% macro m0() %}x{% endmacro %}{% macro m1() %}{{ m0() }}{{ m0() }}{% endmacro %}" for i in range(40)) + "{{ m40() }}",
    "{{ [words, words] | sum(start=[]) }}", "{{ ['a', 'b'] | sum }}",
    # shape
    "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "{{ " + "-" * 5000 + "1 }}", "{{ " + "not " * 3000 + "1 }}", "{{ " + "[" * 500 + "]" * 500 + " }}", "{% if 1 %}" * 200 + "{% endif %}" * 200, "{% for a in words %}" * 60 + "{% endfor %}" * 60,
    "{{ 1 " + "+ 1 " * 3000 + "}}", "{{ a" + ".b" * 3000 + " }}", "{{ '" + "x" * 70_000 + "' }}", "x" * 66_000, "{{ " + "9" * 5000 + " }}", "{{ 1e999999 | int }}",
    # plain mistakes
    "{{ missing }}", "{{ missing.a }}", "{{ missing['a'] }}", "{{ missing() }}", "{{ missing + 1 }}", "{% for x in missing %}{% endfor %}", "{{ table.zzz }}", "{{ words[99] }}", "{{ 1 / 0 }}", "{{ 1 // 0 }}", "{{ 1 % 0 }}", "{{ 'a' + 1 }}", "{{ 'a' < 1 }}",
    "{{ [words] }}", "{{ table }}", "{{ nothing }}", "{{ memories[0] }}", "{{ (-8) ** 0.5 }}", "{{ 'a'.index('b') }}", "{{ 5() }}", "{{ text() }}", "{{ text.split('') | join }}", "{{ '%d' % 'x' }}", "{{ '%' % 1 }}", "{{ '{'.format(1) }}", "{{ '{}'.format() }}", "{{ '%s' % words }}",
    "{{ char", "{% if %}", "{% endif %}", "{% for x in %}{% endfor %}", "{{ 'a }}", "{% unknown %}", "{{ | }}", "{{ 1 2 }}", "{% macro %}{% endmacro %}", "{# open", "{{ range() }}", "{{ range('a') }}", "{{ range(1, 2, 0) }}", "\x00{{ 1/0 }}",
    "{{ text.upper(1, 2, 3) }}", "{{ words | join(words) }}", "{{ 5 | join }}", "{{ words | sort(attribute=5) }}{{ 1/0 }}", "{{ memories | sort(attribute='tags.x') }}", "{{ table.get() }}", "{{ text | indent(words) }}", "{{ text | replace(1, 2) }}",
]  # fmt: skip


def short(source: str) -> str:
    return source[:70] + ("…" if len(source) > 70 else "")


@pytest.mark.parametrize(
    ("source", "said"), [pytest.param(*row, id=short(row[0])) for row in BENIGN]
)
def test_benign_templates_work(source: str, said: str) -> None:
    assert render(source) == said


@pytest.mark.parametrize(
    "source",
    [pytest.param(one, id=f"{number}: {short(one)}") for number, one in enumerate(HOSTILE)],
)
def test_hostile_templates_end_in_one_error(source: str) -> None:
    with pytest.raises(TemplateError) as caught:
        render(source)
    assert str(caught.value).startswith("t.jinja"), "it names the template"
    assert "\n" not in str(caught.value)
    assert "0x" not in str(caught.value), "no address of an object gets out"


def test_there_are_enough_of_both() -> None:
    assert len(HOSTILE) + len(BENIGN) >= 200


def test_hostile_templates_leave_the_context_alone() -> None:
    context = {"words": ["a"], "table": {"x": 1}}
    for source in HOSTILE:
        try:
            BOX.compile("t", source).render(context)
        except TemplateError:
            continue
    assert context == {"words": ["a"], "table": {"x": 1}}


@pytest.mark.parametrize(
    "source", [one for one in HOSTILE if "*" in one or "set x" in one or "range" in one][:60]
)
def test_memory_stays_small(source: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(TemplateError):
            render(source)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64 * 2**20


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("a\nb\n{{ missing }}", 3),
        ("a\n{{ 1 / 0 }}\nb", 2),
        ("a\n\n{% for %}", 3),
        ("{% for w in words %}\n{{ w.x }}\n{% endfor %}", 2),
        ("{% macro m(x) %}\n{{ x.y }}\n{% endmacro %}\n{{ m('a') }}", 2),
        ("a\n{{ text.__class__ }}", 2),
        ("a\n{{ text | mystery }}", 2),
    ],
)
def test_errors_name_the_line(source: str, line: int) -> None:
    with pytest.raises(TemplateError) as caught:
        render(source)
    assert caught.value.line == line


def test_time_runs_out_by_the_clock_given() -> None:
    ticks = iter(range(10**9))
    slow = Sandbox(Limits(seconds=5), clock=lambda: float(next(ticks)))
    with pytest.raises(TemplateError, match="takes longer than 5000 ms"):
        slow.compile("t", "{% for i in range(90000) %}{% endfor %}").render({})


def test_a_pause_within_one_render_fails_no_template() -> None:
    """As a garbage collection in its thread does: the clock leaps once, and the text is said all the same."""
    ticks = iter([0.0, 0.0, 9.0, 9.0])
    paused = Sandbox(Limits(seconds=5), clock=lambda: next(ticks, 9.0))
    said = paused.compile("t", "{% for i in range(40) %}{{ i }} {% endfor %}").render({})
    assert str(said).split() == [str(number) for number in range(40)]


@pytest.mark.parametrize(
    "text", ["{{ char }}", "{% for %}", "{{ 1/0 }}", "{# #}", "{{ ''.__class__ }}", "#}", "{%"]
)
def test_values_are_never_templates(text: str) -> None:
    assert (
        str(BOX.compile("t", "{{ text }}|{{ text | upper }}").render({"text": text}))
        == f"{text}|{text.upper()}"
    )


def test_what_was_said_is_never_compiled_again() -> None:
    said = BOX.compile("t", "{{ text }}").render({"text": "{{ 1 + 1 }}"})
    assert isinstance(said, RenderedText)
    with pytest.raises(TemplateError, match="not a template"):
        BOX.compile("again", said)


class Colour(StrEnum):
    RED = "red"


def test_the_context_is_copied_plain() -> None:
    assert plain({"a": [1, {"b": MappingProxyType({"c": (True, 0.5)})}], "e": Colour.RED}) == {
        "a": (1, {"b": {"c": (True, 0.5)}}),
        "e": "red",
    }
    assert type(plain(Colour.RED)) is str


@pytest.mark.parametrize("value", [object(), len, Path("x"), b"bytes", {1, 2}, {"a": open}, [str]])
def test_nothing_but_plain_values_gets_in(value: object) -> None:
    with pytest.raises(TemplateError):
        BOX.compile("t", "x").render({"value": value})


def test_a_context_that_holds_itself_is_refused() -> None:
    knot: list[object] = []
    knot.append(knot)
    with pytest.raises(TemplateError):
        BOX.compile("t", "x").render({"knot": knot})


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="{}%#|.'\"[]()_ abx019~*+\n-", max_size=60))
def test_any_text_compiles_or_is_refused(source: str) -> None:
    with suppress(TemplateError):
        BOX.compile("t", source).render(CONTEXT)
