"""Roles by any name, folders that cannot be left, role.json kept as its author wrote it (P7, P15, S1.9, S1.20)."""

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.errors import (
    AmbiguousNameError,
    InvalidValueError,
    NotWrittenError,
    ReadOnlyRoleError,
    UnknownRoleError,
    UnsafePathError,
)
from rolememory.schema.memory import MemoryType
from rolememory.schema.role import MAX_ALIASES, Role
from rolememory.schema.role_ids import canonical
from rolememory.storage.files.disk import Disk
from rolememory.storage.files.space import FileStorage
from rolememory.storage.home import HomeFolder, init
from rolememory.storage.memories import Edit, RoleStore
from tests.storage.homes import folder_with, home_with

ID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class TestNames:
    @pytest.mark.parametrize(
        "name",
        [
            pytest.param("Mira", id="the name"),
            pytest.param("mIRA", id="in any case"),
            pytest.param("Ｍｉｒａ", id="in full-width letters"),
            pytest.param("  mira ", id="with spaces around"),
            pytest.param("米拉", id="an alias"),
            pytest.param(ID, id="the id"),
            pytest.param(ID.upper(), id="the id in capitals"),
            pytest.param("{" + ID + "}", id="the id in braces"),
            pytest.param("urn:uuid:" + ID, id="the id as a URN"),
            pytest.param(ID.replace("-", ""), id="the id without hyphens"),
        ],
    )
    def test_a_role_answers_to(self, name: str, tmp_path: Path) -> None:
        home = folder_with(tmp_path, "Asha")
        home.create("Mira", ID, aliases=["米拉"])
        assert home.find(name).id == ID

    def test_two_that_answer_to_one_name_are_named_by_their_ids(self, tmp_path: Path) -> None:
        home = folder_with(tmp_path, "Mira")
        home.create("mira", ID)
        with pytest.raises(AmbiguousNameError) as found:
            home.find("MIRA")
        assert all(role.id in str(found.value) for role in home.roles())

    def test_a_slip_is_answered_with_what_was_meant(self, tmp_path: Path) -> None:
        with pytest.raises(UnknownRoleError, match=r"known: Asha, Mira\); did you mean 'Mira'\?"):
            folder_with(tmp_path, "Mira", "Asha").find("Mria")

    def test_a_second_role_of_a_name_needs_an_id(self, tmp_path: Path) -> None:
        home = folder_with(tmp_path, "Mira")
        with pytest.raises(InvalidValueError, match="already answers to 'mira'"):
            home.create("mira")

    @pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 201, "\ud800", "a\x00"])
    def test_what_is_no_name(self, name: str, tmp_path: Path) -> None:
        with pytest.raises(InvalidValueError, match="expected a name"):
            folder_with(tmp_path).create(name)

    def test_it_can_be_renamed_and_keeps_its_folder(self, tmp_path: Path) -> None:
        home = folder_with(tmp_path, "Mira")
        before = home.find("Mira")
        assert home.rename("Mira", "米拉").id == before.id
        assert home.find("米拉").id == before.id

    def test_renames_add_aliases_while_there_is_room_and_take_none_of_the_authors(
        self, tmp_path: Path
    ) -> None:
        home = folder_with(tmp_path)
        role, name = home.create("Mira", aliases=("米拉",)), "Mira"
        for at in range(MAX_ALIASES + 9):
            name = home.rename(name, f"Mira {at}").name
        aliases = home.find(name).aliases
        assert len(aliases) == MAX_ALIASES
        assert {"Mira", "Mira 0", "米拉"} < set(aliases)
        assert home.find("米拉").id == role.id


class TestFolders:
    def test_a_new_role_is_whole(self, tmp_path: Path) -> None:
        home = folder_with(tmp_path)
        role = home.create("Mira", worldbooks=("world.json",))
        folder = home.folder(role.id)
        assert names_in(folder) == ["memory.json", "role.json"]
        assert json.loads((folder / "role.json").read_text()) == {
            "id": role.id,
            "name": "Mira",
            "worldbooks": ["world.json"],
        }
        assert json.loads((folder / "memory.json").read_text())["episodic"] == []
        assert uuid.UUID(role.id).version == 4

    def test_memories_without_a_role_file_go_by_the_first_characters_of_their_id(
        self, tmp_path: Path
    ) -> None:
        home = folder_with(tmp_path)
        (home.path / ID).mkdir()
        assert home.roles() == []
        (home.path / ID / "memory.json").write_text("{}")
        assert home.find(ID[:8]) == Role(id=ID, name=ID[:8])

    def test_a_broken_role_file_is_told_and_the_role_stays(self, tmp_path: Path) -> None:
        home = folder_with(tmp_path, "Mira")
        role = home.find("Mira")
        (home.folder(role.id) / "role.json").write_text('{"name": "Mira",\n oops}')
        assert home.find("Mira") == role
        assert str(home.problems()[0]).startswith(f"{home.folder(role.id)}/role.json:2:2")
        assert HomeFolder(home.path).find(role.id).name == role.id[:8]

    def test_a_broken_role_file_is_never_overwritten(self, tmp_path: Path) -> None:
        home = folder_with(tmp_path, "Mira")
        file = home.folder(home.find("Mira").id) / "role.json"
        file.write_text("{oops")
        with pytest.raises(ReadOnlyRoleError, match="nothing was written"):
            home.rename("Mira", "Asha")
        assert file.read_text() == "{oops"

    def test_a_wrong_field_is_named(self, tmp_path: Path) -> None:
        home = folder_with(tmp_path, "Mira")
        (home.folder(home.find("Mira").id) / "role.json").write_text(
            '{"name": "Mira", "aliases": "米拉"}'
        )
        assert "role.json" in str(home.problems()[0])
        assert "aliases" in str(home.problems()[0])

    def test_what_we_do_not_know_is_kept_in_its_place(self, tmp_path: Path) -> None:
        home = folder_with(tmp_path, "Mira")
        role = home.find("Mira")
        file = home.folder(role.id) / "role.json"
        file.write_text(
            json.dumps({"x-note": {"b": 1, "a": 2}, "name": "Mira", "voice": "alto", "id": role.id})
        )
        home.update(home.find("Mira").model_copy(update={"aliases": ("米拉",)}))
        after = json.loads(file.read_text())
        assert list(after) == ["x-note", "name", "voice", "id", "aliases"]
        assert (after["x-note"], after["voice"]) == ({"b": 1, "a": 2}, "alto")

    def test_an_edit_is_seen_at_the_next_look(self, tmp_path: Path) -> None:
        home = folder_with(tmp_path, "Mira")
        role = home.find("Mira")
        (home.folder(role.id) / "role.json").write_text('{"name": "Asha the second"}')
        assert home.find("Asha the second").id == role.id

    def test_the_folders_name_is_the_id_whatever_the_file_says(self, tmp_path: Path) -> None:
        home = folder_with(tmp_path, "Mira")
        role = home.find("Mira")
        (home.folder(role.id) / "role.json").write_text(json.dumps({"id": ID, "name": "Mira"}))
        assert home.find("Mira").id == role.id

    def test_a_role_that_is_gone_is_gone(self, tmp_path: Path) -> None:
        home = folder_with(tmp_path, "Mira", "Asha")
        home.roles()
        home.folder(home.find("Mira").id).rename(tmp_path / "elsewhere")
        assert [role.name for role in home.roles()] == ["Asha"]

    def test_a_folder_in_another_spelling_is_told_not_used(self, tmp_path: Path) -> None:
        home = folder_with(tmp_path)
        (home.path / ID.upper()).mkdir()
        (home.path / ID.upper() / "memory.json").write_text("{}")
        assert home.roles() == []
        assert f"rename it to {ID}" in str(home.problems()[0])

    def test_an_unchanged_home_costs_no_reading(self, tmp_path: Path) -> None:
        home = folder_with(tmp_path, *(f"role {number}" for number in range(20)))
        first = home.roles()
        assert all(one is two for one, two in zip(first, home.roles(), strict=True))

    def test_a_home_that_is_not_there_has_no_roles(self, tmp_path: Path) -> None:
        assert HomeFolder(tmp_path / "nowhere").roles() == []


HOSTILE = [
    *(
        "..",
        ".",
        "",
        "/",
        "\\",
        "~",
        "*",
        "NUL",
        "CON",
        "aux",
        "a" * 5000,
        "\x00",
        "\n",
        "%2e%2e",
        "..%2f",
        "../",
        "..\\",
        "....//",
        "/etc/passwd",
    ),
    *(
        f"{up}{ID}"
        for up in (
            "../",
            "..\\",
            "/",
            "./",
            "~/",
            "C:\\",
            "\\\\host\\share\\",
            "file://",
            "%2e%2e%2f",
            "\x00",
            "..;/",
            "a/../",
        )
    ),
    *(
        f"{ID}{down}"
        for down in (
            "/..",
            "/../..",
            "\\..",
            "/memory.json",
            "\x00",
            "\x00.json",
            ":stream",
            "::$DATA",
            ".",
            "..",
            ";",
            "%00",
            "?x",
            "#x",
            "~1",
            "*",
        )
    ),
    *(
        ID.replace("-", mark)
        for mark in ("/", "\\", "_", ".", "–", "－", "--", "-/", " ", "\u200b", "\x00")
    ),
    *(ID.replace("6", digit, 1) for digit in ("６", "٦", "६", "⁶", "𝟔", "²", "g", "-", "/", "..")),
    *(ID.replace("a", letter, 1) for letter in ("а", "ａ", "á", "ª", "ǎ", "@", "ⓐ", "/")),
    *(
        brackets[0] + ID + brackets[1]
        for brackets in ("()", "[]", "<>", "{{", "}}", "''", '""', "{)", "//", "\u202e\u202c")
    ),
    *(
        f"{scheme}{ID}"
        for scheme in (
            "urn:",
            "uuid:",
            "urn:uuid",
            "urn:uuid:/",
            "urn:uuid:../",
            "http://x/",
            "urn:oid:",
            "URN:UUID:..",
        )
    ),
    *(ID[:cut] for cut in (1, 8, 9, 35)),
    *(ID + more for more in ("0", ID, "-0", "\u0301")),
    *(
        "null",
        "None",
        "0",
        "-1",
        "1e9",
        "true",
        "${HOME}",
        "$(id)",
        "`id`",
        "{{id}}",
        "{%x%}",
        "%s%n",
        "'; DROP TABLE roles;--",
        "<script>",
        "\ud800",
        "🙂",
    ),
]


class TestHostileIds:
    def test_there_are_more_than_a_hundred(self) -> None:
        assert len(set(HOSTILE)) > 100

    @pytest.mark.parametrize(
        "role_id", [pytest.param(role_id, id=ascii(role_id)[:40]) for role_id in HOSTILE]
    )
    def test_it_is_refused(self, role_id: str, tmp_path: Path) -> None:
        home = folder_with(tmp_path, "Mira")
        with pytest.raises(UnsafePathError, match="expected a role's UUID"):
            home.folder(role_id)
        with pytest.raises(UnsafePathError):
            home.create("Asha", role_id)
        with pytest.raises(UnknownRoleError):
            home.find(role_id)
        assert names_in(tmp_path) == ["home"]

    @given(st.text())
    def test_any_text_gives_a_folder_right_here_or_none(self, role_id: str) -> None:
        home = HomeFolder("/nowhere/at/all")
        try:
            folder = home.folder(role_id)
        except UnsafePathError:
            return
        assert folder.parent == home.path
        assert folder.name == canonical(role_id)

    @given(st.uuids())
    def test_every_spelling_of_a_uuid_is_one_folder(self, role_id: uuid.UUID) -> None:
        home = HomeFolder("/nowhere/at/all")
        spellings = (
            str(role_id),
            str(role_id).upper(),
            role_id.hex,
            role_id.urn,
            f"{{{role_id}}}",
            f" {role_id}\n",
        )
        assert {home.folder(spelling) for spelling in spellings} == {home.path / str(role_id)}

    @pytest.mark.parametrize("target", ["outside", "another role", "nowhere"])
    def test_a_link_is_no_role(self, target: str, tmp_path: Path) -> None:
        home = folder_with(tmp_path, "Mira")
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "memory.json").write_text("{}")
        (home.path / ID).symlink_to(
            {
                "outside": outside,
                "another role": home.folder(home.find("Mira").id),
                "nowhere": tmp_path / "gone",
            }[target],
            target_is_directory=True,
        )
        assert len(home.roles()) == 1
        assert "is a link" in str(home.problems()[0])
        with pytest.raises(UnsafePathError, match="is a link"):
            home.folder(ID)

    @pytest.mark.parametrize("emptied", [False, True], ids=["gone", "a place without its disk"])
    def test_no_second_home_is_begun_where_one_was_taken_away(
        self, emptied: bool, tmp_path: Path
    ) -> None:
        home, away = folder_with(tmp_path, "Mira"), tmp_path / "away"
        place, space = home.path, home.space(home.find("Mira").id)
        add = [Edit("add", "lamp", {"content": "The lamp failed."}, MemoryType.EPISODIC)]
        with RoleStore(space) as store:
            place.rename(away)
            if emptied:
                place.mkdir()
            for write in (
                lambda: home.create("Mira"),
                lambda: store.commit(add, actor="user"),
                lambda: space.document("role.json").put(b"{}"),
                lambda: space.log("journal/1").append(b"{}"),
            ):
                with pytest.raises(NotWrittenError, match="gone, or empty"):
                    write()
            if emptied:
                place.rmdir()
            away.rename(place)
            assert store.commit(add, actor="user")
        assert [role.name for role in home.roles()] == ["Mira"]

    def test_a_home_reached_by_a_link_is_fine(self, tmp_path: Path) -> None:
        folder_with(tmp_path, "Mira")
        (tmp_path / "link").symlink_to(tmp_path / "home", target_is_directory=True)
        home = HomeFolder(tmp_path / "link")
        assert home.folder(home.find("Mira").id).is_dir()


class TestInit:
    @pytest.mark.parametrize("language", ["zh", "en"])
    def test_it_makes_a_home(self, language: str, tmp_path: Path) -> None:
        home = tmp_path / "new" / "home"
        made = init(home, language)  # type: ignore[arg-type]
        assert {path.name for path in made} >= {
            "home",
            "templates",
            "worldbooks",
            "rolememory.toml",
            ".gitignore",
        }
        assert ("去掉行首" in (home / "rolememory.toml").read_text("utf-8")) == (language == "zh")
        assert ".cache/" in (home / ".gitignore").read_text()

    def test_doing_it_again_changes_nothing(self, tmp_path: Path) -> None:
        home = home_with(tmp_path, "# mine\n")
        init(home)
        assert init(home) == []
        assert (home / "rolememory.toml").read_text() == "# mine\n"


def test_a_folder_that_another_process_makes_meanwhile_exists(tmp_path: Path) -> None:
    class Meanwhile(Disk):
        def replace(self, source: Path, target: Path) -> None:
            target.mkdir()
            (target / "role.json").write_bytes(b"theirs")
            super().replace(source, target)

    with pytest.raises(FileExistsError):
        FileStorage(tmp_path, Meanwhile()).create(ID, {"role": b"ours"})
    assert (tmp_path / ID / "role.json").read_bytes() == b"theirs"
    assert names_in(tmp_path) == [ID]


def test_two_who_make_the_same_role_at_once_make_one(tmp_path: Path) -> None:
    def make(home: HomeFolder) -> str:
        try:
            return home.create("Mira").id
        except InvalidValueError:
            return ""

    homes = [HomeFolder(tmp_path) for _ in range(8)]  # as many processes
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(make, homes))
    assert len([one for one in made if one]) == 1
    assert [role.id for role in HomeFolder(tmp_path).roles()] == [one for one in made if one]
