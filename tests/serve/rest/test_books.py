"""Lorebooks over REST."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from rolememory.authoring.starter_book import new_book
from tests.serve.houses import Served
from tests.serve.rest.callers import Caller, asks, good


@pytest.fixture
def shelf(role: Caller, api: httpx.Client) -> str:
    """The shelf of a role with one new book, harbour.json."""
    good(api.post(f"/books/{role.id}", json={"name": "harbour", "language": "en"}))
    return f"/books/{role.id}"


def titles(api: httpx.Client, shelf: str) -> list[str]:
    return [one["title"] for one in good(api.get(f"{shelf}/harbour/entries"))["items"]]


def test_a_new_book_stands_in_the_list_and_passes_its_own_tests(
    api: httpx.Client, shelf: str, role: Caller
) -> None:
    listed = good(api.get("/books", params={"shelf": role.id}))["items"]
    assert [
        (one["id"], one["shelf"], one["entries"], one["has_tests"], one["format"]) for one in listed
    ] == [("harbour.json", role.id, 3, True, "sillytavern")]
    ran = good(api.post(f"{shelf}/harbour.json/tests/run"))
    assert (ran["failed"], ran["passed"]) == (0, 4)
    assert good(api.get(f"{shelf}/harbour"))["name"] == "harbour"
    assert api.post(shelf, json={"name": "harbour"}).status_code == 422


def test_shared_books_tell_who_uses_them(api: httpx.Client, role: Caller) -> None:
    made = good(
        api.post("/books/shared", json={"name": f"Eldoria {role.id[:8]}", "language": "zh"})
    )
    good(role("PATCH", "", {"worldbooks": [made["id"]]}))
    found = next(
        one
        for one in good(api.get("/books", params={"shelf": "shared"}))["items"]
        if one["id"] == made["id"]
    )
    assert (found["shelf"], found["linked_by"]) == ("shared", [role.id])


def test_an_entry_is_changed_under_the_linter_s_eyes(api: httpx.Client, shelf: str) -> None:
    entry = good(api.get(f"{shelf}/harbour/entries"))["items"][1]
    assert (entry["title"], entry["keys"], entry["target"]) == (
        "The lighthouse",
        ["lighthouse", "beacon"],
        "before",
    )
    path = f"{shelf}/harbour/entries/{entry['uid']}"
    look = good(api.patch(path, json={"keys": []}, params={"dry_run": True}))
    assert (
        look["written"],
        [one["code"] for one in look["findings"] if one["severity"] == "error"] != [],
    ) == (False, True)
    assert look["findings"][0]["write"]
    assert good(api.get(path))["entry"]["keys"] == ["lighthouse", "beacon"]
    done = api.patch(
        path,
        json={"keys": ["lamp"], "position": "depth", "depth": 2, "sticky": 4},
        headers={"If-Match": entry["etag"]},
    )
    changed = good(done)["entry"]
    assert (changed["keys"], changed["target"], changed["sticky"], done.headers["etag"]) == (
        ["lamp"],
        "depth 2 system",
        4,
        changed["etag"],
    )
    late = api.patch(path, json={"keys": ["late"]}, headers={"If-Match": entry["etag"]})
    assert (late.status_code, late.json()["current"]["keys"]) == (412, ["lamp"])
    assert api.delete(path, headers={"If-Match": entry["etag"]}).status_code == 412


def test_entries_come_and_go(api: httpx.Client, shelf: str) -> None:
    made = good(
        api.post(
            f"{shelf}/harbour/entries",
            json={"comment": "The pier", "keys": ["pier"], "content": "It is old."},
        )
    )
    assert (made["entry"]["title"], made["written"]) == ("The pier", True)
    assert titles(api, shelf)[-1] == "The pier"
    good(api.delete(f"{shelf}/harbour/entries/{made['entry']['uid']}"))
    assert "The pier" not in titles(api, shelf)
    assert (
        api.delete(f"{shelf}/harbour/entries/{made['entry']['uid']}").json()["error"]["code"]
        == "unknown_name"
    )
    assert (
        good(
            api.post(
                f"{shelf}/harbour/entries", json={"comment": "Only tried"}, params={"dry_run": True}
            )
        )["written"]
        is False
    )
    assert len(titles(api, shelf)) == 3


def test_what_the_file_says_beside_stays_letter_by_letter(
    api: httpx.Client, shelf: str, role: Caller, house: Served
) -> None:
    path: Path = house.home.role(role.id).folder / "worldbooks" / "harbour.json"
    text = path.read_text("utf-8").replace('"key": [\n', '"mine": 1.50,\n      "key": [\n', 1)
    path.write_text(text, "utf-8")
    good(api.patch(f"{shelf}/harbour/entries/1", json={"insertion_order": 77}))
    assert path.read_text("utf-8") == text.replace('"order": 20', '"order": 77')
    assert path.with_name("harbour.json.prev").read_text("utf-8") == text
    assert [one["id"] for one in good(api.get("/books", params={"shelf": role.id}))["items"]] == [
        "harbour.json"
    ]


def test_an_entry_of_a_damaged_book_is_changed_and_the_damage_stays(
    api: httpx.Client, shelf: str, role: Caller, house: Served
) -> None:
    path: Path = house.home.role(role.id).folder / "worldbooks" / "harbour.json"
    text = path.read_text("utf-8").replace('"order": 30', '"order": "many"').replace("{", "{ ", 1)
    for key in ("extensions", "9"):
        text = text.replace('"entries": {', f'"entries": {{"{key}": null, ', 1)
    path.write_text(text, "utf-8")
    good(api.patch(f"{shelf}/harbour/entries/1", json={"insertion_order": 77}))
    assert path.read_text("utf-8") == text.replace('"order": 20', '"order": 77')
    assert path.with_name("harbour.json.prev").read_text("utf-8") == text


@pytest.mark.parametrize(
    ("body", "where"),
    [
        pytest.param({"position": "sky"}, "body.position", id="a place that is none"),
        pytest.param({"depth": -1}, "body.depth", id="less deep than deep"),
        pytest.param({"probability": 101}, "body.probability", id="surer than sure"),
        pytest.param({"keys": ["x"] * 201}, "body.keys", id="too many keys"),
        pytest.param({"colour": "red"}, "body.colour", id="a field nobody knows"),
    ],
)
def test_what_is_no_entry_is_refused(
    api: httpx.Client, shelf: str, body: dict[str, Any], where: str
) -> None:
    answer = api.patch(f"{shelf}/harbour/entries/1", json=body)
    assert (answer.status_code, answer.json()["error"]["where"]) == (422, where)


@pytest.mark.parametrize(
    "book",
    [
        "..%2f..%2frole.json",
        "%2e%2e",
        "rolememory.toml",
        ".token",
        "%2fetc%2fpasswd",
        "harbour.json%00",
        "C:%5cx.json",
        "none",
    ],
)
def test_no_book_is_a_path(api: httpx.Client, shelf: str, book: str) -> None:
    for path in ("", "/entries", "/lint", "/export", "/tests"):
        assert api.get(f"{shelf}/{book}{path}").status_code == 404
    assert api.get(f"/books/{book}/harbour").status_code == 404


def test_what_leads_out_of_the_shelf_is_no_book(
    api: httpx.Client, shelf: str, role: Caller, house: Served, tmp_path: Path
) -> None:
    (tmp_path / "secret.json").write_text('{"entries": {}}')
    (house.home.role(role.id).folder / "worldbooks" / "way-out.json").symlink_to(
        tmp_path / "secret.json"
    )
    assert [one["id"] for one in good(api.get("/books", params={"shelf": role.id}))["items"]] == [
        "harbour.json"
    ]
    assert api.get(f"{shelf}/way-out").status_code == 404


@pytest.mark.parametrize(
    "name", ["../../evil", "/etc/passwd", "CON", "a\\b:c*d", "....", "灯塔", "x" * 200]
)
def test_a_new_book_is_never_written_elsewhere(
    api: httpx.Client, role: Caller, house: Served, name: str
) -> None:
    made = good(api.post(f"/books/{role.id}", json={"name": name}))
    folder: Path = house.home.role(role.id).folder / "worldbooks"
    assert made["id"] in [path.name for path in folder.iterdir()]
    strays = [*house.home.path.glob("*evil*"), *house.home.path.parent.glob("*evil*")]
    assert not [path for path in (*strays, *house.home.path.glob("*/*evil*")) if path != folder]


@pytest.mark.parametrize("theirs", [True, False], ids=["imported", "put there by hand"])
def test_a_book_from_somebody_has_a_share_and_its_greedy_keys_are_told(
    api: httpx.Client, house: Served, role: Caller, theirs: bool
) -> None:
    entry = {"constant": True, "order": 9_999, "ignoreBudget": True}
    greedy = {
        str(uid): {"uid": uid, "key": [], **entry, "content": f"Greedy {uid} " + "word " * 150}
        for uid in range(20)
    }
    greedy["99"] = {"uid": 99, "key": ["/.*/"], "comment": "Trap", "content": "Caught."}
    data = json.dumps({"entries": greedy}).encode()
    own = json.dumps(
        {"entries": {"0": {"uid": 0, "key": [], "constant": True, "content": "Mine. " + "w " * 99}}}
    )
    books = house.home.role(role.id).folder / "worldbooks"
    books.mkdir(exist_ok=True)
    (books / "own.json").write_text(own, "utf-8")
    if theirs:
        look, told = (
            good(
                api.post(
                    path,
                    params={"filename": "greedy.json"},
                    content=data,
                    headers={"content-type": "application/octet-stream"},
                )
            )
            for path in ("/files/look", f"/books/{role.id}/import")
        )
        for found in (look["book"], told):
            assert [(one["entry"], one["key"]) for one in found["everywhere"]] == [("Trap", "/.*/")]
        assert (books / "greedy.json").read_bytes() == data
    else:
        (books / "greedy.json").write_bytes(data)
    turn = role.post("/recall", {"messages": asks("Hello."), "lore": True, "dry_run": True})
    awake = " ".join(one["content"] for one in turn["lore"])
    assert ("Mine." in awake) is theirs
    assert awake.count("Greedy") < 20 if theirs else awake.count("Greedy") == 20


def test_a_book_comes_in_in_any_way_and_goes_out_in_any_format(
    api: httpx.Client, role: Caller
) -> None:
    data = new_book("harbour").encode()
    shelf = f"/books/{role.id}"
    kind = {"content-type": "application/octet-stream"}
    would = good(
        api.post(
            f"{shelf}/import",
            content=data,
            headers=kind,
            params={"filename": "Harbour.json", "dry_run": True},
        )
    )
    assert (
        would["id"],
        would["entries"],
        good(api.get("/books", params={"shelf": role.id}))["total"],
    ) == ("Harbour.json", 3, 0)
    raw = good(
        api.post(
            f"{shelf}/import", content=data, headers=kind, params={"filename": "../../Harbour.json"}
        )
    )
    assert (raw["id"], raw["entries"]) == ("Harbour.json", 3)
    assert (
        api.post(
            f"{shelf}/import", content=data, headers=kind, params={"name": "Harbour"}
        ).status_code
        == 422
    )
    assert (
        good(
            api.post(
                f"{shelf}/import",
                content=data,
                headers=kind,
                params={"name": "Harbour", "replace": True},
            )
        )["id"]
        == "Harbour.json"
    )
    as_json = good(api.post(f"{shelf}/import", json=json.loads(data), params={"name": "third"}))
    assert as_json["id"] == "third.json"
    out = api.get(f"{shelf}/Harbour/export")
    assert (out.content, out.headers["content-disposition"]) == (
        data,
        "attachment; filename*=UTF-8''Harbour.json",
    )
    formats = good(api.get("/books/formats"))["books"]
    for to in formats:
        made = api.get(f"{shelf}/Harbour/export", params={"to": to})
        assert made.status_code == 200, to
        told = good(api.get(f"{shelf}/Harbour/convert", params={"to": to}))
        assert (told["bytes"], str(len(told["losses"]))) == (
            len(made.content),
            made.headers["x-rolememory-losses"],
        )
        again = good(
            api.post(
                f"{shelf}/import",
                content=made.content,
                headers=kind,
                params={"name": f"back from {to}"},
            )
        )
        assert again["entries"] == 3
    assert (
        api.get(f"{shelf}/Harbour/export", params={"to": "pdf"}).json()["error"]["code"]
        == "unknown_name"
    )


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b"[]",
        b"not json",
        b"\x89PNG\r\n\x1a\n",
        b"PK\x03\x04",
        b'{"entries": 7}',
        b"\xff" * 100,
    ],
)
def test_what_is_no_book_is_refused(api: httpx.Client, role: Caller, data: bytes) -> None:
    answer = api.post(
        f"/books/{role.id}/import",
        content=data,
        headers={"content-type": "application/octet-stream"},
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "file")


def test_an_upload_without_a_file_is_refused(api: httpx.Client, role: Caller) -> None:
    kind = {"content-type": "application/octet-stream"}
    assert api.post(f"/books/{role.id}/import", content=b"", headers=kind).status_code == 422
    form = api.post(f"/books/{role.id}/import", files={"file": ("Mira.json", b"{}")})
    assert form.status_code == 415
    assert "application/octet-stream" in form.json()["error"]["hint"]


def test_a_broken_book_is_told_with_its_place(
    api: httpx.Client, shelf: str, role: Caller, house: Served
) -> None:
    path: Path = house.home.role(role.id).folder / "worldbooks" / "harbour.json"
    path.write_text('{"entries": {"0": {,}}}', "utf-8")
    listed = good(api.get("/books", params={"shelf": role.id}))["items"][0]
    assert "harbour.json:1" in listed["problems"][0]
    answer = api.get(f"{shelf}/harbour/entries")
    assert (answer.status_code, answer.json()["error"]["where"].startswith("harbour.json:1:")) == (
        422,
        True,
    )


def test_a_book_inside_a_card_is_not_edited_in_place(
    api: httpx.Client, role: Caller, house: Served
) -> None:
    good(api.post(f"/books/{role.id}", json={"name": "harbour"}))
    folder: Path = house.home.role(role.id).folder / "worldbooks"
    card = api.get(f"/books/{role.id}/harbour/export", params={"to": "v3"})
    (folder / "card.json").write_bytes(card.content)
    before = (folder / "card.json").read_bytes()
    answer = api.patch(f"/books/{role.id}/card/entries/0", json={"content": "x"})
    assert (answer.status_code, (folder / "card.json").read_bytes()) == (422, before)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_lint_tells_what_is_wrong_and_what_to_write(
    api: httpx.Client, shelf: str, language: str
) -> None:
    good(api.patch(f"{shelf}/harbour/entries/1", json={"keys": [""], "content": ""}))
    found = good(api.get(f"{shelf}/harbour/lint", headers={"Accept-Language": language}))
    assert found["errors"] + found["warnings"] > 0
    first = found["items"][0]
    assert first["uid"] == "1"
    assert any("\u4e00" <= letter <= "\u9fff" for letter in first["why"]) is (language == "zh")
    assert api.get(f"{shelf}/harbour/lint", params={"rules": "nobody's"}).status_code == 404


def test_a_scan_tells_what_fires_and_what_does_not(api: httpx.Client, shelf: str) -> None:
    body = {
        "messages": asks("Hello.", "Why is the beacon dark?"),
        "everything": True,
        "rules": "sillytavern",
    }
    found = good(api.post(f"{shelf}/harbour/scan", json=body))
    fired = {one["title"]: one for one in found["fired"]}
    assert fired["The lighthouse"]["place"] == {
        "source": "message",
        "message": 2,
        "offset": 11,
        "match": "beacon",
        "quote": "Why is the beacon dark?",
    }
    assert fired["The storm, when the lighthouse is spoken of"]["woken_by"] == "The lighthouse"
    quiet = good(
        api.post(f"{shelf}/harbour/scan", json={"messages": asks("Hello."), "everything": True})
    )
    assert {one["title"]: one["gate"] for one in quiet["silent"]}["The lighthouse"] == "key"


def test_expectations_are_read_written_and_run(api: httpx.Client, shelf: str) -> None:
    before = good(api.get(f"{shelf}/harbour/tests"))
    assert before["cases"] == 3
    text = '[[case]]\nname = "the lamp"\nmessages = ["beacon"]\nfires = ["The lighthouse"]\nlacks = ["a hundred"]\nexactly = []\n'
    good(
        api.put(f"{shelf}/harbour/tests", json={"text": text}, headers={"If-Match": before["etag"]})
    )
    assert (
        api.put(
            f"{shelf}/harbour/tests", json={"text": text}, headers={"If-Match": before["etag"]}
        ).status_code
        == 412
    )
    ran = good(api.post(f"{shelf}/harbour/tests/run"))
    assert (ran["failed"], len(ran["cases"][0]["failures"]) > 0) == (1, True)
    tried = good(api.post(f"{shelf}/harbour/tests/run", json={"text": before["text"]}))
    assert tried["failed"] == 0
    broken = api.put(f"{shelf}/harbour/tests", json={"text": "[[case]]\nmesages = []"})
    assert (broken.status_code, "messages" in broken.text) == (422, True)
    unknown = api.post(
        f"{shelf}/harbour/tests/run",
        json={"text": '[[case]]\nmessages = ["x"]\nfires = ["Nobody"]'},
    )
    assert unknown.status_code == 422
