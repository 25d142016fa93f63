"""The page as files: what is served, how small it is, that it is complete in both languages and asks nobody else."""

import gzip
import json
import re
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from rolememory.serve.page import TYPES, WEB
from tests.serve.houses import Served

LIMIT = 300 * 1024  # bytes, gzipped, all of it
PATIENCE_S = 60.0  # the server may just be loading what its first turn needs
OURS = sorted(path for path in WEB.rglob("*.js") if "vendor" not in path.parts)


def test_the_page_is_visited_where_a_browser_can_be_steered() -> None:
    if find_spec("playwright") is None:
        pytest.skip("playwright is not installed: the page is not visited")
    assert find_spec("tests.page.visitors") is not None


def test_the_whole_page_is_small() -> None:
    files = (path.read_bytes() for path in WEB.rglob("*") if path.suffix in TYPES)
    assert sum(len(gzip.compress(data)) for data in files) < LIMIT


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html"),
        ("/web/app.js", "text/javascript"),
        ("/web/style.css", "text/css"),
        ("/web/i18n/zh.json", "application/json"),
        ("/web/icon.svg", "image/svg+xml"),
    ],
)
def test_a_file_comes_with_its_type_and_is_not_sent_twice(
    house: Served, path: str, kind: str
) -> None:
    with httpx.Client(
        base_url=house.url, trust_env=False, verify=False, timeout=PATIENCE_S
    ) as client:
        first = client.get(path)
        again = client.get(path, headers={"if-none-match": first.headers["etag"]})
        plain = client.get(path, headers={"accept-encoding": "identity"})
    assert first.headers["content-type"].startswith(kind)
    assert first.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in first.headers["content-security-policy"]
    assert (again.status_code, again.content) == (304, b"")
    assert plain.content == first.content
    assert "content-encoding" not in plain.headers


@pytest.mark.parametrize(
    "path",
    [
        "/web/",
        "/web/nothing.js",
        "/web/../page.py",
        "/web/%2e%2e/page.py",
        "/web//etc/passwd",
        "/web/vendor/README.md",
        "/web/views",
    ],
)
def test_nothing_else_is_served(house: Served, path: str) -> None:
    assert (
        httpx.get(house.url + path, trust_env=False, verify=False, timeout=PATIENCE_S).status_code
        == 404
    )


def test_packed_is_the_same(house: Served) -> None:
    found = httpx.get(f"{house.url}/web/app.js", trust_env=False, verify=False, timeout=PATIENCE_S)
    assert found.headers["content-encoding"] == "gzip"
    assert found.content == (WEB / "app.js").read_bytes()


@pytest.mark.parametrize(
    "path", sorted((WEB / "i18n").glob("*en.json")), ids=lambda path: path.name
)
def test_every_word_is_there_in_both_languages(path: Path) -> None:
    english = json.loads(path.read_text("utf-8"))
    chinese = json.loads(path.with_name(path.name.replace("en.json", "zh.json")).read_text("utf-8"))
    assert english.keys() == chinese.keys()
    for key, text in english.items():
        assert set(re.findall(r"\{(\w+)\}", text)) == set(re.findall(r"\{(\w+)\}", chinese[key])), (
            key
        )
        assert text.strip(), key
        assert not re.search(r"\{count\} (?:messages|memories|days|turns|times|chats)\b", text), (
            "1 times"
        )
        assert chinese[key].strip(), key


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_name_has_the_same_words_in_every_view(language: str) -> None:
    said: dict[str, set[str]] = {}
    for path in sorted((WEB / "i18n").glob(f"*{language}.json")):
        for key, text in json.loads(path.read_text("utf-8")).items():
            said.setdefault(key, set()).add(text)
    assert {key: texts for key, texts in said.items() if len(texts) > 1} == {}


def test_every_word_is_used_and_every_used_word_is_there() -> None:
    known = {
        key
        for path in (WEB / "i18n").glob("*en.json")
        for key in json.loads(path.read_text("utf-8"))
    }
    code = "\n".join(path.read_text("utf-8") for path in OURS)
    whole = set(re.findall(r"""["']([\w.\-]+)["']""", code))
    begun = set(re.findall(r"`([\w.\-]+\.)\$\{", code))
    assert sorted(key for key in known - whole if not key.startswith(tuple(begun))) == []
    assert sorted(key for key in re.findall(r"""\bt\("([^"]+)\"""", code) if key not in known) == []


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_no_code_of_ours_writes_markup_or_asks_elsewhere(path: Path) -> None:
    code = path.read_text("utf-8")
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|dangerouslySet|document\.write|\beval\(|new Function",
        code,
    )
    assert not re.search(r"https?://", code.replace("http://www.w3.org/2000/svg", ""))


def test_the_first_file_holds_no_script_and_no_style_of_its_own() -> None:
    text = (WEB / "index.html").read_text("utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", text)
    assert not re.search(r"(?:src|href)=\"(?!/web/)", text)


def test_what_is_vendored_is_what_was_published() -> None:
    told = (WEB / "vendor" / "README.md").read_text("utf-8")
    for path in (WEB / "vendor").rglob("*.js"):
        assert sha256(path.read_bytes()).hexdigest() in told
        assert (path.parent / "LICENSE").is_file()


def test_no_module_of_the_page_needs_itself_by_a_detour() -> None:
    """Modules are taken away one after another, those first that need none that is left; what cannot be taken stands in a circle."""
    asked = re.compile(r"""(?:from\s+|import\(\s*|^import\s+)["'](\.[^"']+)["']""", re.MULTILINE)
    needs = {
        path: {(path.parent / one).resolve() for one in asked.findall(path.read_text("utf-8"))}
        for path in map(Path.resolve, OURS)
    }
    left = set(needs)
    while free := {path for path in left if not needs[path] & left}:
        left -= free
    assert left == set()
