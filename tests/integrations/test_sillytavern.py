"""The SillyTavern extension: its files parse and belong together, and its hint tells who is there."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rolememory.serve.proxy.hint import hint_of
from tests.endpoint import Endpoint, answers
from tests.paths import ROOT
from tests.serve.houses import served

FOLDER = ROOT / "examples" / "integrations" / "sillytavern"
SCRIPTS = sorted(FOLDER.glob("*.js"))
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_every_script_parses(tmp_path: Path) -> None:
    copies = [Path(shutil.copy(script, tmp_path / f"{script.stem}.mjs")) for script in SCRIPTS]
    found = {
        copy.stem: subprocess.run(
            [str(NODE), "--check", copy], capture_output=True, text=True, check=False
        )
        for copy in copies
    }
    assert {name: done.stderr for name, done in found.items() if done.returncode} == {}
    assert len(found) > 5


def exported(script: Path) -> set[str]:
    return set(
        re.findall(
            r"^export (?:async )?(?:const|let|function\*?|class) (\w+)",
            script.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_what_is_imported_is_exported(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    for names, source in re.findall(
        r"^import \{ ([^}]+) \} from '\./([\w.]+)';", text, re.MULTILINE
    ):
        wanted = {name.split(" as ")[0].strip() for name in names.split(",")}
        assert wanted <= exported(FOLDER / source), source
    for module, source in re.findall(
        r"^import \* as (\w+) from '\./([\w.]+)';", text, re.MULTILINE
    ):
        assert set(re.findall(rf"\b{module}\.(\w+)\(", text)) <= exported(FOLDER / source), source


def test_the_manifest_names_what_is_there() -> None:
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    files = [manifest["js"], manifest["css"], *manifest["i18n"].values()]
    assert [name for name in files if not (FOLDER / name).is_file()] == []
    assert set(manifest["hooks"].values()) <= exported(FOLDER / manifest["js"])
    assert f"globalThis.{manifest['generate_interceptor']} =" in (
        FOLDER / manifest["js"]
    ).read_text(encoding="utf-8")


def test_nothing_is_asked_of_anybody_but_the_server() -> None:
    asked = [
        line.strip()
        for script in SCRIPTS
        for line in script.read_text(encoding="utf-8").splitlines()
        if "fetch(" in line
    ]
    assert asked
    ours = (
        "fetch(`${server()}/",
        "fetch(`${address}/healthz`",
    )  # the latter: where the API leads, nearby
    assert [line for line in asked if not any(one in line for one in ours)] == []


FOUND = """
const { context, settings } = JSON.parse(process.env.GIVEN);
globalThis.location = { hostname: '127.0.0.1' };
const told = [], asked = [], reached = fetch;
globalThis.fetch = (url, how) => (asked.push(String(url)), reached(url, { ...how, headers: { ...how.headers, Origin: 'http://127.0.0.1:8000' } }));
globalThis.toastr = { warning: (text) => told.push(text) };
globalThis.SillyTavern = { getContext: () => ({ extensionSettings: { rolememory: settings }, translate: (text) => text, getCurrentLocale: () => 'en', ...context }) };
const { asleep, find, tellAsleep } = await import('./find.js');
const { server } = await import('./settings.js');
const { way } = await import('./who.js');
await find();
tellAsleep();
tellAsleep();
console.log(JSON.stringify({ way: way(), server: server(), asleep: asleep(), told, asked }));
"""
STAND_IN = """
const { context, speaking, type } = JSON.parse(process.env.GIVEN);
globalThis.SillyTavern = { getContext: () => ({ extensionSettings: {}, ...context }) };
const { hint } = await import('./hint.js');
const { listeners, others, visible, who } = await import('./who.js');
const person = who(speaking);
console.log(JSON.stringify({
    hint: person && hint(person, type, 3),
    others: person && others(person),
    listeners: listeners().map(({ person, spoke }) => [person.role, spoke]),
    visible: visible(context.chat, Boolean(context.groupId)),
}));
"""
IN_A_CHAT = """
const { context, settings, token } = JSON.parse(process.env.GIVEN);
const found = {}, made = { fromProps: (values) => values, addCommandObject: (one) => (found[one.name] = one.callback) };
globalThis.location = { hostname: '127.0.0.1' };
globalThis.document = { body: { dataset: {} } };
globalThis.toastr = { info: () => {}, warning: () => {} };
const parser = { SlashCommandParser: made, SlashCommand: made, SlashCommandArgument: made, ARGUMENT_TYPE: {} };
globalThis.SillyTavern = { getContext: () => ({ extensionSettings: { rolememory: settings }, translate: (text) => text, getCurrentLocale: () => 'en', ...parser, ...context }) };
"""
COMMANDS = (
    IN_A_CHAT
    + """
const { addCommands } = await import('./commands.js');
const { ask } = await import('./server.js');
const memory = await import('./memory.js');
addCommands(() => {}, () => {});
const told = [await memory.here(), await found.chapter({}, 'Dusk')];
await memory.here(); // the panel looks, and finds nobody
const patient = { ms: 60_000 }; // longer than `wait_s`, which a busy machine may need
await ask('POST', '/roles', { name: 'Asha' }, patient);
await ask('POST', '/roles/Asha/observe', { messages: [{ role: 'user', content: 'The mill burns.' }], reply: 'Run!', chat: 'c1', user: '小林', wait_s: 10 }, patient);
told.push(await found.chapter({}, 'Dusk'));
console.log(JSON.stringify(told));
"""
)
NEWS = (
    IN_A_CHAT
    + """
const { ask } = await import('./server.js');
const memory = await import('./memory.js');
const reached = fetch;
globalThis.fetch = async (url, how) => {
    const answer = await reached(url, how);
    if (answer.status === 404 && url.endsWith('/roles/Asha')) {
        await ask('POST', '/roles', { name: 'Asha' });
        memory.news();
    }
    return answer;
};
const [first, then] = [await memory.here(), await memory.here()];
console.log(JSON.stringify([first, then?.id ?? null]));
"""
)
RENAMED = (
    IN_A_CHAT
    + """
const { keepRole, renamed } = await import('./roles.js');
const { who } = await import('./who.js');
for (const [before, now] of JSON.parse(process.env.GIVEN).renamed) renamed(before, now);
await keepRole(who());
console.log('null');
"""
)
PERSONA_RENAMED = (
    IN_A_CHAT
    + """
const { personaRenamed } = await import('./memory.js');
await personaRenamed(...JSON.parse(process.env.GIVEN).renamed);
console.log('null');
"""
)
STANDING = (
    IN_A_CHAT
    + """
const element = () => ({ dataset: {}, style: {}, append() {}, prepend() {}, replaceChildren() {}, addEventListener() {}, querySelector: element });
document.createElement = element;
document.getElementById = element;
const reached = fetch;
globalThis.fetch = (url, how) => reached(url, { ...how, headers: { ...how.headers, Origin: 'http://127.0.0.1:8000' } });
const { standing } = await import('./panel.js');
const { look, onState } = await import('./server.js');
const told = [];
onState(() => told.push(standing().join(': ')));
for (const given of ['wrong', token, 'wrong']) {
    SillyTavern.getContext().extensionSettings.rolememory.token = given;
    told.push(standing().join(': '));
    await look();
}
console.log(JSON.stringify(told));
"""
)
CHARACTERS = [{"name": name, "avatar": f"{name}.png"} for name in ("Asha", "Bo", "明月")]
SAID = [
    {"mes": "Come in.", "name": "Asha", "is_user": False, "original_avatar": "Asha.png"},
    {"mes": "Hello.", "name": "Lin", "is_user": True},
    {"mes": "Hidden.", "name": "Lin", "is_user": True, "is_system": True},
    {"mes": "我回来了。", "name": "小林", "is_user": True},
]
SCENE = {
    "characters": CHARACTERS,
    "chat": SAID,
    "chatMetadata": {"integrity": "c1"},
    "chatId": "The harbour",
    "name1": "小林",
}
GROUP = {
    "groupId": "g",
    "groups": [
        {
            "id": "g",
            "members": [one["avatar"] for one in CHARACTERS],
            "disabled_members": ["Bo.png"],
        }
    ],
}


def of_the_extension(folder: Path, host: str = "", **given: Any) -> Any:
    """What the extension says of a scene in SillyTavern."""
    for script in SCRIPTS:
        shutil.copy(script, folder)
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (folder / "host.js").write_text(host or STAND_IN, encoding="utf-8")
    done = subprocess.run(
        [str(NODE), "host.js"],
        cwd=folder,
        env={**os.environ, "GIVEN": json.dumps(given)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(done.stdout)


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("context", "speaking", "group", "listeners"),
    [
        pytest.param({"characterId": 0}, "Asha", None, [["Asha", True]], id="one character"),
        pytest.param(
            GROUP, "Asha", ["Asha", "明月"], [["Asha", True], ["明月", False]], id="a group"
        ),
        pytest.param(
            GROUP,
            "Bo",
            ["Asha", "Bo", "明月"],
            [["Asha", True], ["明月", False]],
            id="a muted member whose turn it is",
        ),
    ],
)
def test_the_hint_tells_who_is_there(
    tmp_path: Path,
    context: dict[str, Any],
    speaking: str,
    group: list[str] | None,
    listeners: list[Any],
) -> None:
    found = of_the_extension(
        tmp_path, context={**SCENE, **context}, speaking=speaking, type="swipe"
    )
    said = found["hint"]
    assert said == {
        "role": speaking,
        "avatar": f"{speaking}.png",
        "chat": "c1",
        "title": "The harbour",
        "user": "小林",
        "present": ["小林"],
        "type": "swipe",
        "last": 3,
        "owners": {"Lin": "Lin"},
        **({"group": group} if group else {}),
    }
    assert found["others"] == [name for name in group or () if name != speaking]
    assert found["listeners"] == listeners
    owners = [one["owner"] for one in found["visible"] if one["role"] == "user"]
    assert owners == ["Lin", "小林"], "each message is the persona's that wrote it"
    read = hint_of({"rolememory": said}, {}, None)
    assert (read.present, read.group, read.kind) == (("小林",), tuple(group or ()), "swipe")


def custom(url: str) -> dict[str, Any]:
    """SillyTavern with its API at this address."""
    return {
        "mainApi": "openai",
        "chatCompletionSettings": {"chat_completion_source": "custom", "custom_url": f"{url}/v1"},
    }


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_server_is_found_on_any_port(tmp_path: Path) -> None:
    (scripts := tmp_path / "scripts").mkdir()
    page = {"serve.allowed_origins": ("http://127.0.0.1:8000",)}
    with served(tmp_path / "home", page) as house:
        found = of_the_extension(scripts, FOUND, context=custom(house.url), settings={})
    asked = [f"{house.url}/healthz"]
    assert found == {
        "way": "proxy",
        "server": house.url,
        "asleep": "",
        "told": [],
        "asked": asked,
    }


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_it_says_when_it_is_asleep(tmp_path: Path) -> None:
    with Endpoint(answers("{}")) as model:
        found = of_the_extension(tmp_path, FOUND, context=custom(model.url), settings={})
        assert found["way"] == "direct"
        assert "Asleep, nothing is remembered" in found["asleep"]
        assert found["told"] == [found["asleep"]], "once for each reason"
        chosen = of_the_extension(
            tmp_path, FOUND, context=custom(model.url), settings={"mode": "off"}
        )
        assert (chosen["asleep"], chosen["told"]) == ("", [])


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_no_address_of_the_wide_world_is_asked(tmp_path: Path) -> None:
    found = of_the_extension(
        tmp_path, FOUND, context=custom("https://models.example.com"), settings={}
    )
    assert (found["way"], found["server"]) == ("direct", "http://127.0.0.1:8787")
    assert found["asked"] == []


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_a_chapter_is_ended_of_a_character_that_a_turn_has_just_made_known(tmp_path: Path) -> None:
    (scripts := tmp_path / "scripts").mkdir()
    tale = {"title": "Fire", "chapter": "The mill burns to the ground."}
    with Endpoint(answers(tale)) as model:
        learning = {"learn.endpoint": model.url, "learn.model": "small"}
        with served(tmp_path / "home", learning) as house:
            context = {**SCENE, **custom(house.url), "characterId": 0}
            settings = {"server": house.url, "token": house.house.token, "mode": "auto"}
            found = of_the_extension(scripts, COMMANDS, context=context, settings=settings)
    unknown = "The server does not know this character yet; say something first."
    assert found == [None, unknown, "Dusk\nThe mill burns to the ground."]


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_nothing_is_claimed_before_the_server_knows_the_token(tmp_path: Path) -> None:
    (scripts := tmp_path / "scripts").mkdir()
    page = {"serve.allowed_origins": ("http://127.0.0.1:8000",)}
    with served(tmp_path / "home", page) as house:
        context = {**SCENE, **custom(house.url), "characterId": 0}
        settings = {"server": house.url, "token": "", "mode": "auto"}
        found = of_the_extension(
            scripts, STANDING, context=context, settings=settings, token=house.house.token
        )
    asking, unknown = "off: Asking the server ...", "bad: The server does not know this token."
    assert [one[: len(unknown)] for one in found] == [
        asking,
        unknown,
        asking,
        "good: The proxy remembers.",
        asking,
        unknown,
    ]


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_an_answer_from_before_the_news_is_not_kept(tmp_path: Path) -> None:
    """Who asked for a character before a turn made it known has the answer after it."""
    (scripts := tmp_path / "scripts").mkdir()
    with served(tmp_path / "home") as house:
        context = {**SCENE, **custom(house.url), "characterId": 0}
        settings = {"server": house.url, "token": house.house.token, "mode": "auto"}
        found = of_the_extension(scripts, NEWS, context=context, settings=settings)
        assert found == [None, house.home.role("Asha").id]


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("name", "aliases", "before", "now"),
    [
        pytest.param("Mira", ("Mira.png",), "Mira.png", ["Asha", "Mira", "Asha.png"], id="by card"),
        pytest.param("米拉", (), "米拉.png", ["Asha", "米拉", "Asha.png"], id="by name"),
        pytest.param("Mira", ("Bo.png",), "Mira.png", ["Mira", "Bo.png"], id="another"),
        pytest.param("Mira", (), "", ["Mira"], id="not renamed"),
    ],
)
def test_a_character_that_is_renamed_keeps_its_role(
    tmp_path: Path, name: str, aliases: tuple[str, ...], before: str, now: list[str]
) -> None:
    (scripts := tmp_path / "scripts").mkdir()
    with served(tmp_path / "home") as house:
        role = house.home.create(name, aliases=aliases)
        context = {**SCENE, **custom(house.url), "characterId": 0}
        settings = {"server": house.url, "token": house.house.token, "mode": "auto"}
        moved = [[before, "Asha.png"]] if before else []
        of_the_extension(scripts, RENAMED, context=context, settings=settings, renamed=moved)
        assert list(house.home.role(role.id).role.names) == now


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("before", "now", "linked"),
    [
        pytest.param("Lin", "小林/2", [["Lin", "小林/2"]], id="a name that nobody has"),
        pytest.param("Lin", "Tom", [], id="another person's name"),
        pytest.param("Ann", "小林", [], id="a persona that never spoke"),
    ],
)
def test_a_persona_that_is_renamed_is_the_same_person(
    tmp_path: Path, before: str, now: str, linked: list[list[str]]
) -> None:
    (scripts := tmp_path / "scripts").mkdir()
    with served(tmp_path / "home") as house:
        role = house.home.create("Asha")
        for user in ("Lin", "Tom"):
            role.observe("Good evening.", "Sit.", chat=user, user=user)
        settings = {"server": house.url, "token": house.house.token}
        of_the_extension(
            scripts, PERSONA_RENAMED, context=SCENE, settings=settings, renamed=[before, now]
        )
        assert [list(names) for names in house.home.people.follow().linked] == linked
