"""Roles over REST."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.serve.houses import Served
from tests.serve.rest.callers import Caller, asks, caller, good


def test_a_new_role_stands_in_the_list_and_answers_to_name_alias_and_id(api: httpx.Client) -> None:
    made = good(api.post("/roles", json={"name": "Tirza of the Lamps", "aliases": ["提尔扎"]}))
    for name in (made["id"], "tirza of the lamps", "提尔扎"):
        assert good(api.get(f"/roles/{name}"))["id"] == made["id"]
    assert made["id"] in [
        row["id"] for row in good(api.get("/roles", params={"limit": 500}))["items"]
    ]


@pytest.mark.parametrize("listed", ["/roles", "/users", "/books"])
def test_what_is_listed_of_all_roles_is_listed_while_some_are_deleted(
    api: httpx.Client, listed: str
) -> None:
    made = [good(api.post("/roles", json={"name": f"Passing {at}"}))["id"] for at in range(24)]
    for one in made:
        good(api.post(f"/roles/{one}/memories", json={"content": "I row.", "user": "Lin"}))
        good(api.post(f"/books/{one}", json={"name": "Rivers"}))
    with ThreadPoolExecutor(1) as other:
        going = other.submit(lambda: [api.delete(f"/roles/{one}").status_code for one in made])
        answers = [api.get(listed, params={"limit": 500})]
        while not going.done():
            answers.append(api.get(listed, params={"limit": 500}))
    assert not [one.text for one in answers if one.status_code != 200]
    assert set(going.result()) == {200}
    left = good(api.get("/roles", params={"limit": 500}))["items"]
    assert not {row["id"] for row in left} & {*made}


def test_a_role_tells_how_much_there_is_of_it(role: Caller) -> None:
    role.remember("The beacon failed.")
    role.remember("The pier is old.", archived=True)
    role.say("Hello there.")
    found = role.get()
    assert (found["memories"], found["archived"], found["chats"], found["writable"]) == (
        1,
        1,
        1,
        True,
    )
    figures = role.get("/stats")
    assert (
        figures["total"],
        figures["archived"],
        figures["by_type"]["episodic"],
        figures["chats"],
    ) == (2, 1, 1, 1)
    assert figures["meaning"] == "absent"


@pytest.mark.parametrize(
    ("body", "status", "code", "where"),
    [
        pytest.param({"name": ""}, 422, "request", "body.name", id="a role without a name"),
        pytest.param({}, 422, "request", "body.name", id="a role that forgot its name"),
        pytest.param({"name": "a\nb"}, 422, "invalid", "", id="a name of two lines"),
        pytest.param({"name": "x" * 201}, 422, "request", "body.name", id="a name without end"),
        pytest.param(
            {"name": "Ok", "colour": "red"},
            422,
            "request",
            "body.colour",
            id="a field nobody knows",
        ),
        pytest.param({"name": 7}, 422, "request", "body.name", id="a number for a name"),
        pytest.param([], 422, "request", "body", id="a list for an object"),
    ],
)
def test_what_is_no_role_is_refused_with_its_place(
    api: httpx.Client, body: Any, status: int, code: str, where: str
) -> None:
    answer = api.post("/roles", json=body)
    assert (
        answer.status_code,
        answer.json()["error"]["code"],
        answer.json()["error"].get("where", ""),
    ) == (status, code, where)


def test_two_roles_of_one_name_are_refused(api: httpx.Client) -> None:
    caller(api, "Only One")
    assert api.post("/roles", json={"name": "only one"}).status_code == 422
    assert (
        api.post("/roles", json={"name": "Another One", "aliases": ["ONLY ONE"]}).status_code == 422
    )


def test_names_aliases_and_settings_are_changed(role: Caller) -> None:
    changed = good(
        role(
            "PATCH",
            "",
            {"name": "Renamed Once", "aliases": ["Reni"], "settings": {"recall.max_items": 3}},
        )
    )
    assert (changed["name"], changed["aliases"], changed["settings"]) == (
        "Renamed Once",
        ["Reni"],
        {"recall": {"max_items": 3}},
    )
    again = good(role("PATCH", "", {"aliases": [], "settings": {"recall.max_items": None}}))
    assert (again["name"], again["aliases"], again["settings"]) == ("Renamed Once", [], {})


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        pytest.param(
            {"recall.max_itmes": 3}, "max_items", id="a key that is mistyped: the meant one is told"
        ),
        pytest.param({"recall.max_items": "many"}, "max_items", id="a text for a number"),
        pytest.param(
            {"embedding.model": "/etc/passwd"}, "embedding.model", id="what only the home may say"
        ),
        pytest.param({"learn.endpoint": "http://x"}, "learn.endpoint", id="an address to ask"),
    ],
)
def test_settings_of_a_role_are_checked(role: Caller, settings: dict[str, Any], told: str) -> None:
    answer = role("PATCH", "", {"settings": settings})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "settings")
    assert told in answer.text
    assert role.get()["settings"] == {}


def test_a_change_of_what_was_changed_meanwhile_is_refused_with_what_stands_there(
    role: Caller,
) -> None:
    before = role.get()["etag"]
    good(role("PATCH", "", {"aliases": ["First"]}, headers={"If-Match": before}))
    late = role("PATCH", "", {"aliases": ["Second"]}, headers={"If-Match": before})
    assert (late.status_code, late.json()["error"]["code"], late.json()["current"]["aliases"]) == (
        412,
        "stale",
        ["First"],
    )
    good(
        role(
            "PATCH",
            "",
            {"aliases": ["Third"]},
            headers={"If-Match": late.json()["current"]["etag"]},
        )
    )


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "among its associates"), ("zh", "列为关联角色")],
)
def test_an_associate_that_is_not_heard_is_noted_in_the_readers_language(
    role: Caller, another: Any, language: str, told: str
) -> None:
    friend = another(f"A Friend Who Does Not Know, {language}")
    role("PATCH", "", {"associates": [{"role": friend.name}]})
    asked = {"messages": [{"role": "user", "content": "Where is it?"}], "dry_run": True}
    (note,) = role.post("/recall", asked, headers={"accept-language": language})["notes"]
    assert friend.name in note
    assert told in note


def test_associates_are_named_by_id(role: Caller, another: Any) -> None:
    friend = another("A Friend Of Hers")
    changed = good(role("PATCH", "", {"associates": [{"role": friend.name, "factor": 0.4}]}))
    assert changed["associates"] == [{"role": friend.id, "factor": 0.4}]
    assert role("PATCH", "", {"associates": [{"role": "nobody at all"}]}).status_code == 404


def test_only_shared_books_that_are_there_are_linked(role: Caller, house: Served) -> None:
    folder = house.home.path / "worldbooks"
    folder.mkdir(exist_ok=True)
    (folder / "linked.json").write_text('{"entries": {}}')
    assert good(role("PATCH", "", {"worldbooks": ["linked.json"]}))["worldbooks"] == ["linked.json"]
    for name in ("../role.json", "none.json", "/etc/passwd"):
        assert role("PATCH", "", {"worldbooks": [name]}).status_code == 404
    assert good(role("PATCH", "", {"worldbooks": []}))["worldbooks"] == []


def test_a_role_goes_out_and_comes_in(role: Caller, api: httpx.Client, another: Any) -> None:
    role.remember("The beacon failed.", id="beacon")
    document = role.get("/export")
    goal = another("Who Takes Them In")
    look = good(api.post("/roles/import", json=document, params={"into": goal.id, "dry_run": True}))
    assert (look["added"], goal.get("/memories")["total"]) == (["beacon"], 0)
    assert look["memories"]["beacon"]["content"] == "The beacon failed."
    assert (look["fields"], look["left_out"]) == ({}, {})
    done = good(api.post("/roles/import", json=document, params={"into": goal.id}))
    assert (done["role"], done["added"], goal.get("/memories")["items"][0]["id"]) == (
        goal.id,
        ["beacon"],
        "beacon",
    )


def _nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("document", "status"),
    [
        pytest.param({}, 422, id="nothing, and no role to put it into"),
        pytest.param({"format": "rolememory-role", "version": 99}, 422, id="of a later version"),
        pytest.param(
            {"format": "rolememory-role", "version": 1, "role": {"id": "../../etc"}},
            422,
            id="with a path for an id",
        ),
        pytest.param(
            {
                "format": "rolememory-role",
                "version": 1,
                "role": {"id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
                "worldbooks": {"../x": {}},
            },
            422,
            id="with a path for a book",
        ),
        pytest.param(_nested(200), 422, id="two hundred levels deep"),
    ],
)
def test_what_is_no_export_is_refused(api: httpx.Client, document: Any, status: int) -> None:
    answer = api.post("/roles/import", json=document)
    assert answer.status_code == status, answer.text


def test_a_deleted_role_is_gone_until_it_is_restored(api: httpx.Client, role: Caller) -> None:
    role.remember("The beacon failed.")
    role.say("Hello there.")
    gone = good(role("DELETE"))
    assert (gone["id"], gone["memories"], gone["chats"]) == (role.id, 1, 1)
    for method, path in (("GET", ""), ("GET", "/memories"), ("DELETE", ""), ("GET", "/turns")):
        answer = role(method, path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_role")
    late = role("POST", "/observe", {"messages": asks("Still there?"), "chat": "harbour"})
    assert late.status_code == 404
    deleted = good(api.get("/deleted-roles", params={"limit": 500}))["items"]
    assert {"id": role.id, "name": role.name, "aliases": []} in deleted
    back = good(api.post(f"/deleted-roles/{role.name}/restore"))
    assert (back["id"], back["memories"], back["chats"]) == (role.id, 1, 1)
    assert role.get("/memories")["items"][0]["content"] == "The beacon failed."


def test_a_role_deleted_for_good_cannot_be_restored(api: httpx.Client, another: Any) -> None:
    at_once, later = another("Wanda the first"), another("Wanda the second")
    good(at_once("DELETE", params={"for_good": True}))
    good(later("DELETE"))
    assert good(api.delete(f"/deleted-roles/{later.id}"))["name"] == later.name
    for one in (at_once, later):
        for method, path in (("POST", f"{one.id}/restore"), ("DELETE", one.id)):
            answer = api.request(method, f"/deleted-roles/{path}")
            assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_role")


def test_a_role_of_another_is_not_purged_with_a_deleted_one_of_its_name(
    api: httpx.Client, another: Any
) -> None:
    old = another("Twice named")
    good(old("DELETE"))
    new = another("Twice named")
    assert api.post(f"/deleted-roles/{old.name}/restore").status_code == 422
    good(api.delete("/deleted-roles/Twice named"))
    assert new.get()["id"] == new.id
