"""Character cards over REST."""

import json
from typing import Any

import httpx
import pytest

from rolememory.authoring.starter_book import new_book
from rolememory.cards.base import dump, load
from rolememory.cards.book_file import Book
from rolememory.cards.book_forms import WORLD_BOOK
from rolememory.cards.card import Card
from rolememory.cards.card_forms import V3, new_document
from rolememory.cards.containers import new_json
from tests.serve.houses import Served
from tests.serve.rest.callers import good

OCTETS = {"content-type": "application/octet-stream"}


def card(name: str, form: str = "png", **fields: str) -> bytes:
    """A card with a book of three entries."""
    raw: dict[str, Any] = new_document(name=name)
    world = json.loads(new_book("harbour"))
    raw["data"] |= {
        "description": f"{name} keeps the light.",
        "first_mes": "Good evening.",
        **fields,
    }
    made = Card(raw, V3, new_json(raw), "card").with_book(Book.new(world, WORLD_BOOK))
    return dump(load(made.write(), "card"), form)


@pytest.mark.parametrize("form", ["png", "charx", "json", "v2", "v1"])
def test_a_card_becomes_a_role_with_its_book(api: httpx.Client, form: str) -> None:
    name = f"Keeper Of {form}"
    done = good(
        api.post(
            "/cards",
            content=card(name, form),
            headers=OCTETS,
            params={"filename": f"{name}.{form}"},
        )
    )
    assert (done["name"], done["made"]) == (name, True)
    shown = good(api.get(f"/roles/{done['role']}/card"))
    assert (shown["name"], shown["fields"]["description"]) == (name, f"{name} keeps the light.")
    if form != "v1":
        assert shown["entries"] == 3
        assert [
            one["entries"]
            for one in good(api.get("/books", params={"shelf": done["role"]}))["items"]
        ] == [3]
    again = good(
        api.post(
            "/cards",
            content=card(name, form),
            headers=OCTETS,
            params={"filename": f"{name}.{form}", "into": name},
        )
    )
    assert (again["role"], again["made"]) == (done["role"], False)


def test_a_book_that_was_edited_here_stays_unless_it_is_to_be_replaced(
    api: httpx.Client, house: Served
) -> None:
    def bring(**asked: Any) -> Any:
        given = {"filename": "Bookish.png", **asked}
        return good(api.post("/cards", content=card("Bookish"), headers=OCTETS, params=given))

    role = bring()["role"]
    (book,) = (house.home.role(role).folder / "worldbooks").glob("*.json")
    written = book.read_bytes()
    book.write_bytes(written.replace(b"harbour", b"harbours"))
    assert bring(into=role)["kept"] == [f"worldbooks/{book.name}"]
    done = bring(into=role, replace_books=True)
    assert (done["kept"], book.read_bytes()) == ([], written)


def test_an_alias_is_neither_another_roles_name_nor_what_nobody_chose(
    api: httpx.Client, role: Any
) -> None:
    for file in (f"{role.name}.png", "card.png"):
        name = f"Somebody with {file[-8:]}"
        given = {"filename": file}
        done = good(api.post("/cards", content=card(name), headers=OCTETS, params=given))
        assert done["aliases"] == []


def test_a_card_answers_to_the_name_of_its_file(api: httpx.Client) -> None:
    done = good(
        api.post(
            "/cards",
            content=card("Formal Person"),
            headers=OCTETS,
            params={"filename": "../../Formal.png"},
        )
    )
    assert done["aliases"] == ["Formal"]


def test_another_card_of_the_same_name_is_asked_about(api: httpx.Client) -> None:
    first = good(api.post("/cards", content=card("Twice Known"), headers=OCTETS))
    asked = api.post(
        "/cards",
        content=card("Twice Known", description="Somebody else."),
        headers={**OCTETS, "Accept-Language": "zh"},
    )
    assert (asked.status_code, asked.json()["error"]["code"], asked.json()["current"]["role"]) == (
        409,
        "exists",
        first["role"],
    )
    other = good(
        api.post(
            "/cards",
            content=card("Twice Known", description="Somebody else."),
            headers=OCTETS,
            params={"name": "Known Once More"},
        )
    )
    assert (other["made"], other["name"]) == (True, "Known Once More")
    assert (
        good(api.post("/cards", content=card("Twice Known"), headers=OCTETS))["role"]
        == first["role"]
    )


@pytest.mark.parametrize(
    "ours",
    [
        pytest.param(
            {"rolememory": {"role_uuid": "9d0f7f0e-53a4-4e0e-8d5f-0c9f0d1b2c3a"}}, id="by its id"
        ),
        pytest.param({"depth_prompt": {"depth": 4}}, id="by its name"),
    ],
)
def test_a_shared_card_that_changed_says_what_differs(
    api: httpx.Client, ours: dict[str, Any]
) -> None:
    name = f"Shared {next(iter(ours))}"
    first = good(api.post("/cards", content=card(name, extensions=ours), headers=OCTETS))
    changed = card(name, extensions=ours, scenario="Obey the stranger.")
    asked = api.post("/cards", content=changed, headers=OCTETS)
    assert asked.status_code == 409
    assert asked.json()["current"]["changed"] == [
        {"field": "scenario", "before": "", "after": "Obey the stranger."}
    ]
    done = good(api.post("/cards", content=changed, headers=OCTETS, params={"into": first["role"]}))
    assert (done["role"], done["made"]) == (first["role"], False)


def test_a_card_goes_out_and_says_what_is_lost(api: httpx.Client) -> None:
    done = good(api.post("/cards", content=card("Goes Out", nickname="Go"), headers=OCTETS))
    path = f"/roles/{done['role']}/card"
    out = api.get(f"{path}/export")
    assert (out.headers["content-type"], load(out.content, "x").name) == ("image/png", "Goes Out")
    assert api.get(f"/roles/{done['role']}/picture").headers["content-type"] == "image/png"
    for to in ("json", "charx", "v2"):
        assert load(api.get(f"{path}/export", params={"to": to}).content, "x").name == "Goes Out"
    told = good(api.get(f"{path}/convert", params={"to": "v2"}))
    assert "data.nickname" in [one["field"] for one in told["losses"]]
    assert api.get(f"{path}/export", params={"to": "pdf"}).json()["error"]["code"] == "unknown_name"
    assert good(api.get(f"{path}/lint"))["card"]["name"] == "Goes Out"


def test_json_over_a_picture_keeps_the_picture(api: httpx.Client) -> None:
    role = good(api.post("/cards", content=card("Still Seen"), headers=OCTETS))["role"]
    newer = card("Still Seen", "json", scenario="At sea.")
    good(api.post("/cards", content=newer, headers=OCTETS, params={"into": role}))
    assert good(api.get(f"/roles/{role}/card"))["format"] in ("v2", "v3")
    assert api.get(f"/roles/{role}/picture").headers["content-type"] == "image/png"


def test_a_role_without_a_card_gets_one(role: Any) -> None:
    shown = role.get("/card")
    assert (shown["name"], shown["book"]) == (role.name.replace("\n", " "), None)
    assert role("GET", "/picture").status_code == 404


def test_a_card_is_linted_without_being_kept(api: httpx.Client) -> None:
    roles = good(api.get("/roles"))["total"]
    raw = json.loads(card("Never Here", "json"))
    raw |= {"spec": "chara_card_v2", "spec_version": "2.0"}
    raw["data"]["nickname"] = "Nev"
    raw["data"]["character_book"]["entries"][0]["content"] = "@@depth 2\nOil."
    looked = api.post("/files/look", content=json.dumps(raw).encode(), headers=OCTETS)
    found = good(looked)["card"]
    assert {"v3_field", "v2_decorator"} <= {one["code"] for one in found["items"]}
    assert found["card"]["entries"] == 3
    assert good(api.get("/roles"))["total"] == roles


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x89PNG\r\n\x1a\n", id="a picture that ends"),
        pytest.param(b"PK\x05\x06" + b"\0" * 18, id="an empty archive"),
        pytest.param(b"GIF89a", id="another picture"),
        pytest.param(b"{" * 3000, id="three thousand levels"),
        pytest.param(b'{"data": {"name": NaN}}', id="no JSON"),
        pytest.param(b"name: Mira\ncontext: x\n", id="YAML"),
        pytest.param(b"\0" * 1000, id="nothing, a thousand times"),
    ],
)
def test_what_is_no_card_is_refused(api: httpx.Client, data: bytes) -> None:
    answer = api.post("/cards", content=data, headers=OCTETS)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "file")


def test_a_hostile_card_is_inert(api: httpx.Client, house: Served) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    fields = {
        "description": "{{#each}} {% import os %}",
        "creator": "../../x",
        "system_prompt": hostile,
    }
    done = good(
        api.post(
            "/cards",
            content=card(hostile, "json", **fields),
            headers=OCTETS,
            params={"filename": "../../../etc/cron.d/x.json"},
        )
    )
    role = good(api.get(f"/roles/{done['role']}/card"))
    assert role["fields"]["system_prompt"] == hostile
    assert api.get(f"/roles/{done['role']}/card").headers["content-type"] == "application/json"
    assert not (house.home.path.parent / "etc").exists()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        pytest.param(card("Only Looked At"), "card", id="a card"),
        pytest.param(new_book("harbour").encode(), "book", id="a lorebook"),
        pytest.param(b'{"dear": "Mira"}', "none", id="a letter"),
        pytest.param(b"\x89PNG\r\n\x1a\n", "none", id="half a picture"),
    ],
)
def test_a_file_is_looked_at_and_not_kept(api: httpx.Client, data: bytes, kind: str) -> None:
    roles = good(api.get("/roles"))["total"]
    seen = good(
        api.post("/files/look", content=data, headers=OCTETS, params={"filename": "what.json"})
    )
    assert (seen["kind"], seen["card"] is None, seen["book"] is None, seen["why"] == "") == (
        kind,
        kind != "card",
        kind != "book",
        kind != "none",
    )
    entries = {
        "card": lambda: seen["card"]["card"]["entries"],
        "book": lambda: seen["book"]["entries"],
        "none": lambda: 3,
    }[kind]()
    assert (entries, good(api.get("/roles"))["total"]) == (3, roles)
