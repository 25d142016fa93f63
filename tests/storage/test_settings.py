"""Settings: layers, mistakes with their places, hot reload, the commented file (S0.21, S1.36, S3.29, S4.12, P6)."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.errors import SettingsError
from rolememory.schema.scene import Language
from rolememory.schema.settings import Settings
from rolememory.storage.files.disk import Disk
from rolememory.storage.files.space import FileSpace
from rolememory.storage.settings import SettingsFile, load_settings
from rolememory.storage.settings_text import (
    commented,
    described,
    set_value,
    with_value,
)
from rolememory.storage.settings_tree import default, leaves, nullable, sections
from rolememory.storage.toml_places import places
from rolememory.storage.value_messages import literal
from tests.storage.homes import home_with


def refusal(home: Path, **given: Any) -> SettingsError:
    with pytest.raises(SettingsError) as found:
        load_settings(home, **given)
    return found.value


class TestLayers:
    def test_an_empty_home_has_the_defaults(self, tmp_path: Path) -> None:
        assert load_settings(home_with(tmp_path)).settings == Settings()

    def test_later_layers_win_key_by_key(self, tmp_path: Path) -> None:
        home = home_with(
            tmp_path, 'preset = "local_chat"\n[recall]\nmax_items = 6\nscan_depth = 9\n'
        )
        loaded = load_settings(
            home, {"recall.scan_depth": 2}, {"recall": {"max_items": 7, "candidates": 30}}
        )
        recall = loaded.settings.recall
        assert (
            recall.max_items,
            recall.scan_depth,
            recall.candidates,
            recall.relevance_threshold,
        ) == (7, 2, 30, 0.3)
        assert loaded.sources["recall.max_items"] == "role.json"
        assert loaded.sources["recall.scan_depth"] == "overrides"
        assert loaded.sources["recall.fusion"].endswith("local_chat.toml:8")

    def test_a_role_may_choose_its_preset(self, tmp_path: Path) -> None:
        home = home_with(tmp_path, 'preset = "koishi"\n')
        assert (
            load_settings(home, role_overrides={"preset": "anh"}).settings.inject.template == "anh"
        )

    def test_a_home_may_have_presets_of_its_own(self, tmp_path: Path) -> None:
        home = home_with(tmp_path, 'preset = "mine"\n')
        (home / "presets").mkdir()
        (home / "presets" / "mine.toml").write_text("[recall]\nmax_items = 1\n")
        assert load_settings(home).settings.recall.max_items == 1

    def test_unset_takes_a_presets_limit_away(self, tmp_path: Path) -> None:
        home = home_with(tmp_path, 'preset = "koishi"\n[recall]\nmax_items = "unset"\n')
        assert load_settings(home).settings.recall.max_items is None

    def test_strategies_of_other_packages_are_laid_over_each_other(self, tmp_path: Path) -> None:
        home = home_with(tmp_path, "[triggers.others.tarot]\nweight = 0.5\n")
        other = load_settings(
            home, {"triggers": {"others": {"tarot": {"enabled": False}}}}
        ).settings.triggers.others["tarot"]
        assert (other.weight, other.enabled) == (0.5, False)

    @pytest.mark.parametrize(
        "key",
        [
            "embedding.endpoint",
            "embedding.model",
            "learn.endpoint",
            "learn.decision.api_key_env",
            "storage.watch",
        ],
    )
    def test_a_role_may_not_say_where_the_homes_models_and_files_are(
        self, key: str, tmp_path: Path
    ) -> None:
        error = refusal(home_with(tmp_path), role_overrides={key: "x"})
        assert f"role.json: settings.{key}: belongs to the home, not to one role" in str(error)

    @pytest.mark.parametrize("name", ["../koishi", "/etc/passwd", "", "koi shi", 7])
    def test_a_preset_is_a_name_and_not_a_path(self, name: Any, tmp_path: Path) -> None:
        assert "no preset named" in str(refusal(home_with(tmp_path), overrides={"preset": name}))

    def test_a_native_address_is_translated(self, tmp_path: Path) -> None:
        """S0.13: Gemini through its compatible endpoint."""
        native = "https://generativelanguage.googleapis.com/v1beta/models/gemini-1.5-flash:generateContent"
        assert load_settings(
            home_with(tmp_path), {"learn.endpoint": native}
        ).settings.learn.endpoint.endswith("/v1beta/openai")

    def test_a_whole_path_of_the_upstream_is_read_as_its_base(self, tmp_path: Path) -> None:
        pasted = " http://127.0.0.1:5001/v1/chat/completions?x=1 "
        read = load_settings(home_with(tmp_path), {"serve.upstream": pasted}).settings
        assert read.serve.upstream == "http://127.0.0.1:5001/v1"


class TestMistakes:
    @pytest.mark.parametrize(
        ("toml", "told"),
        [
            pytest.param(
                "[recall]\nmax_item = 3\n",
                "2:1: recall.max_item: unknown key; did you mean 'recall.max_items'?",
                id="a slip in a name",
            ),
            pytest.param(
                "max_items = 3\n",
                "1:1: max_items: unknown key; did you mean 'recall.max_items'?",
                id="a key in the wrong table",
            ),
            pytest.param(
                "[recal]\nmax_items = 3\n",
                "1:2: recal: unknown key; did you mean 'recall'?",
                id="a slip in a table's name",
            ),
            pytest.param(
                '[recall]\nmode = "injekt"\n',
                "2:1: recall.mode: expected 'inject' or 'hybrid', got \"injekt\"; write mode = \"inject\"",
                id="a word that is none of the choices",
            ),
            pytest.param(
                '[recall]\nmax_items = "5"\n',
                '2:1: recall.max_items: expected a whole number at least 0, got "5"; write max_items = 5',
                id="a number in quotes",
            ),
            pytest.param(
                "[recall]\nrelevance_threshold = 1.5\n",
                "2:1: recall.relevance_threshold: expected a number at least 0 and at most 1, got 1.5; write relevance_threshold = 1.0",
                id="a number out of bounds",
            ),
            pytest.param(
                '[recall]\nauto = "no"\n',
                '2:1: recall.auto: expected true or false, got "no"; write auto = false',
                id="a switch in words",
            ),
            pytest.param(
                "[budget]\nmax_total_length = true\n",
                "2:1: budget.max_total_length: expected a whole number at least 0, got true; write max_total_length = 2000",
                id="a switch where a number belongs",
            ),
            pytest.param(
                '[recall]\ntags = "home"\n',
                '2:1: recall.tags: expected a list of texts, got "home"; write tags = ["home"]',
                id="one in place of a list",
            ),
            pytest.param(
                "recall = 3\n",
                "1:1: recall: expected a table, got 3; write [recall]",
                id="a value in place of a table",
            ),
            pytest.param(
                'preset = "koishy"\n',
                "1:1: preset: no preset named 'koishy'; known: agent, anh, assistant",
                id="a preset that is none",
            ),
            pytest.param(
                "[recall]\nmode = “inject”\n",
                '2:8: not TOML: invalid value; write " in place of the full-width “',
                id="Chinese quotes",
            ),
            pytest.param(
                "[recall]\nmax_items ＝ 3\n",
                "write = in place of the full-width ＝",
                id="a full-width equals sign",
            ),
            pytest.param(
                "[recall]\nmax_items = 3\nmax_items = 4\n",
                "3:14: not TOML: cannot overwrite a value",
                id="a key twice",
            ),
            pytest.param("[recall\n", "not TOML", id="an open bracket"),
            pytest.param(
                "[budget]\nmax_total_length = inf\n",
                "2:1: budget.max_total_length: expected a whole number",
                id="an endless number",
            ),
            pytest.param("[lengths]\nsafety = nan\n", "2:1: lengths.safety", id="no number at all"),
            pytest.param(
                '[serve]\nupstream = "127.0.0.1:5001/v1"\n',
                '2:1: serve.upstream: expected a URL with http:// or https://, got "127.0.0.1:5001/v1"; write upstream = "http://127.0.0.1:5001/v1"',
                id="an upstream without its scheme",
            ),
            pytest.param(
                '[embedding]\nendpoint = "api.example.com/v1/embeddings"\n',
                'write endpoint = "https://api.example.com/v1/embeddings"',
                id="an endpoint on the internet without its scheme",
            ),
            pytest.param(
                '[learn.summary]\nendpoint = "http：//me:secret@gpu：5001"\n',
                'got "http：//gpu：5001"; write endpoint = "http://gpu:5001"',
                id="a URL with full-width colons and a password",
            ),
            pytest.param(
                '[memory_agent]\nbase_url = "http://[::1"\n',
                '2:1: memory_agent.base_url: expected a URL with http:// or https://, got "http://[::1"',
                id="half a URL under another program's name",
            ),
            pytest.param(
                '[embedding]\nBaseURL = "127.0.0.1:5001/v1"\n',
                'write BaseURL = "http://127.0.0.1:5001/v1"',
                id="a URL, to be written under the name in the file",
            ),
            pytest.param(
                '[retrievalConfig]\nrelevanceThreshold = "0.4"\n',
                '2:1: retrievalConfig.relevanceThreshold: expected a number at least 0 and at most 1, got "0.4"; write relevanceThreshold = 0.4',
                id="a number, to be written under the name in the file",
            ),
            pytest.param(
                "[retreival]\ntopK = 3\n",
                "1:2: retreival: unknown key; did you mean 'retrieval'?",
                id="a section of another program, misspelt",
            ),
            pytest.param(
                "recall = {max_item = 3}\n",
                "1:11: recall.max_item: unknown key",
                id="an inline table",
            ),
        ],
    )
    def test_it_names_place_value_and_way_out(self, toml: str, told: str, tmp_path: Path) -> None:
        home = home_with(tmp_path, toml)
        message = str(refusal(home))
        assert message.startswith(f"{home}/rolememory.toml:")
        assert told in message

    def test_all_of_them_are_told_at_once(self, tmp_path: Path) -> None:
        error = refusal(home_with(tmp_path, "[recall]\nmax_item = 3\nauto = 1\n[injekt]\n"))
        assert len(error.all) == 3
        assert str(error).endswith("(and 2 more mistakes)")
        assert {mistake.line for mistake in error.all} == {2, 3, 4}

    def test_a_name_that_sets_two_of_our_keys_is_told_once(self, tmp_path: Path) -> None:
        toml = '[triggerStrategies]\nkeywordMatching = "yes"\n'
        (error,) = refusal(home_with(tmp_path, toml)).all
        assert str(error).endswith('got "yes"; write keywordMatching = true')

    @pytest.mark.parametrize(
        ("toml", "told"),
        [
            (
                "[recall]\nmax_item = 3\n",
                "2:1：recall.max_item：没有这个设置项；是不是想写“recall.max_items”？",
            ),
            (
                '[recall]\nmax_items = "5"\n',
                '2:1：recall.max_items：应为不小于 0 的整数，却是 "5"；请写成 max_items = 5',
            ),
            (
                '[recall]\nauto = "no"\n',
                '2:1：recall.auto：应为 true 或 false，却是 "no"；请写成 auto = false',
            ),
            ('[recall]\nmode = "x"\n', "2:1：recall.mode：应为'inject'、'hybrid'，却是 \"x\""),
            ("[recall]\nmode = “inject”\n", '请把全角的 “ 改成 "'),
            (
                '[serve]\nupstream = "ftp://h:99999"\n',
                '应为以 http:// 或 https:// 开头的网址，却是 "ftp://h:99999"；请写成 upstream = "http://127.0.0.1:5001/v1"',
            ),
        ],
    )
    def test_it_is_told_in_chinese_too(self, toml: str, told: str, tmp_path: Path) -> None:
        assert told in refusal(home_with(tmp_path, toml)).text("zh")

    def test_a_file_that_is_not_utf8_says_so(self, tmp_path: Path) -> None:
        home = home_with(tmp_path)
        (home / "rolememory.toml").write_bytes("[recall]\n# 设置\n".encode("gbk"))
        assert str(refusal(home)).endswith(
            "rolememory.toml:2: not UTF-8; save the file with encoding UTF-8"
        )

    @pytest.mark.parametrize(
        "raw", [b"\xef\xbb\xbf[recall]\r\nmax_items = 3\r\n", b"[recall]\nmax_items = 3"]
    )
    def test_marks_and_line_ends_of_windows_are_fine(self, raw: bytes, tmp_path: Path) -> None:
        home = home_with(tmp_path)
        (home / "rolememory.toml").write_bytes(raw)
        assert load_settings(home).settings.recall.max_items == 3

    @pytest.mark.parametrize(
        "key", ["embedding.api_key_env", "learn.api_key_env", "learn.decision.api_key_env"]
    )
    @pytest.mark.parametrize("value", ["sk-live-123", ["sk-live-123"]])
    def test_a_key_in_the_place_of_its_variable_is_not_repeated(
        self, key: str, value: Any, tmp_path: Path
    ) -> None:
        message = str(refusal(home_with(tmp_path), overrides={key: value}))
        assert "sk-live" not in message
        assert "environment variable" in message

    def test_a_huge_file_is_refused_before_it_is_read(self, tmp_path: Path) -> None:
        home = home_with(tmp_path)
        (home / "rolememory.toml").write_bytes(b"#" * (1024 * 1024 + 1))
        assert "larger than" in str(refusal(home))


class MeanwhileDisk(Disk):
    """Does something once, after the bytes were read and before they are returned."""

    meanwhile: Callable[[], None] | None = None

    def read(self, path: Path, offset: int = 0) -> bytes:
        data = super().read(path, offset)
        now, self.meanwhile = self.meanwhile, None
        if now:
            now()
        return data


class TestHotReload:
    def test_an_edit_is_seen_at_the_next_look(self, tmp_path: Path) -> None:
        home = home_with(tmp_path, "[recall]\nmax_items = 3\n")
        file = SettingsFile(home)
        assert file.current().settings.recall.max_items == 3
        assert file.current() is file.current()
        (home / "rolememory.toml").write_text("[recall]\nmax_items = 40\n")
        assert file.current().settings.recall.max_items == 40

    def test_a_broken_edit_keeps_the_last_good_ones_until_it_is_mended(
        self, tmp_path: Path
    ) -> None:
        home = home_with(tmp_path, "[recall]\nmax_items = 3\n")
        file = SettingsFile(home)
        file.current()
        (home / "rolememory.toml").write_text("[recall]\nmax_items = \n")
        assert file.current().settings.recall.max_items == 3
        problem = file.problem()
        assert problem is not None
        assert file.current().settings.recall.max_items == 3
        assert file.problem() is problem
        (home / "rolememory.toml").write_text("[recall]\nmax_items = 12\n")
        assert file.current().settings.recall.max_items == 12
        assert file.problem() is None

    def test_an_edit_while_another_thread_reads_is_not_lost(self, tmp_path: Path) -> None:
        home = home_with(tmp_path, "[recall]\nmax_items = 3\n")
        file = SettingsFile(FileSpace(home, disk=(disk := MeanwhileDisk())))
        file.current()

        def edited() -> None:
            (home / "rolememory.toml").write_text("[recall]\nmax_items = 7\n")
            assert file.current().settings.recall.max_items == 7

        disk.meanwhile = edited
        (home / "rolememory.toml").write_text("[recall]\nmax_items = 40\n")
        file.current()
        assert file.current().settings.recall.max_items == 7

    def test_wrong_from_the_start_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError):
            SettingsFile(home_with(tmp_path, "x = 1\n")).current()

    def test_a_preset_of_the_homes_own_is_reloaded(self, tmp_path: Path) -> None:
        home = home_with(tmp_path, 'preset = "mine"\n')
        (home / "presets").mkdir()
        (home / "presets" / "mine.toml").write_text("[recall]\nmax_items = 1\n")
        file = SettingsFile(home)
        assert file.current().settings.recall.max_items == 1
        (home / "presets" / "mine.toml").write_text("[recall]\nmax_items = 22\n")
        assert file.current().settings.recall.max_items == 22

    def test_each_role_has_its_own(self, tmp_path: Path) -> None:
        file = SettingsFile(home_with(tmp_path))
        assert file.current({"recall.max_items": 1}).settings.recall.max_items == 1
        assert file.current({"recall.max_items": 2}).settings.recall.max_items == 2
        assert file.current().settings.recall.max_items is None

    def test_a_role_with_wrong_settings_goes_by_the_homes(self, tmp_path: Path) -> None:
        home = home_with(tmp_path, "[recall]\nmax_items = 3\n")
        file, wrong = SettingsFile(home), ({"recall.max_item": 1}, "mira/role.json")
        assert file.current(*wrong).settings.recall.max_items == 3
        assert "mira/role.json: settings.recall.max_item" in str(file.problem(*wrong))
        assert file.problem() is None
        (home / "rolememory.toml").write_text("[recall]\nmax_items = 40\n")
        assert file.current(*wrong).settings.recall.max_items == 40

    def test_calls_and_roles_are_laid_over_every_reload(self, tmp_path: Path) -> None:
        home = home_with(tmp_path)
        file = SettingsFile(home, {"recall.max_items": 9})
        file.current()
        (home / "rolememory.toml").write_text("[recall]\nmax_items = 3\nscan_depth = 8\n")
        assert (
            file.current().settings.recall.max_items,
            file.current().settings.recall.scan_depth,
        ) == (9, 8)


class TestTheCommentedFile:
    @pytest.mark.parametrize("language", ["zh", "en"])
    def test_it_sets_nothing_and_names_everything(self, language: Any, tmp_path: Path) -> None:
        text = commented(language)
        assert load_settings(home_with(tmp_path, text)).settings == Settings()
        live = "\n".join(
            line[1:] if line.startswith("#") and not line.startswith("# ") else line
            for line in text.splitlines()
        )
        tree = tomllib.loads(live)
        assert load_settings(home_with(tmp_path, live)).settings == Settings()
        for key in leaves():
            found: Any = tree
            for part in key.split("."):
                found = found[part]
            assert found == ("unset" if default(key) is None else default(key))

    def test_every_key_and_table_is_explained_in_both_languages(self) -> None:
        silent = [key for key in (*leaves(), *sections()) if not described(key)]
        alike = [key for key in (*leaves(), *sections()) if described(key, "zh") == described(key)]
        assert (silent, alike) == ([], [])

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("preset", "koishi"),
            ("recall.max_items", 3),
            ("recall.mode", "hybrid"),
            ("recall.tags", ["家", "home"]),
            ("recall.max_per_type.traits", 2),
            ("triggers.recency.half_life_days", 30.0),
            ("inject.heading", '## 角色记忆\n"x"'),
            ("learn.decision.prompt", "{conversation}\\n"),
        ],
    )
    def test_a_value_is_written_into_its_own_line(
        self, key: str, value: Any, tmp_path: Path
    ) -> None:
        text = commented("zh")
        home = home_with(tmp_path, text)
        set_value(home, key, value)
        after = (home / "rolememory.toml").read_text("utf-8")
        assert load_settings(home).sources[key].startswith(str(home))
        differing = [
            (one, two)
            for one, two in zip(text.splitlines(), after.splitlines(), strict=True)
            if one != two
        ]
        assert differing == [
            (
                f"#{key.rpartition('.')[2]} = {literal(default(key))}",
                f"{key.rpartition('.')[2]} = {literal(value)}",
            )
        ]

    def test_a_value_is_changed_and_taken_back_with_every_comment_kept(
        self, tmp_path: Path
    ) -> None:
        home = home_with(
            tmp_path, '# mine\n[recall] # here\nmode = "inject" # as before\n\n# end\n'
        )
        set_value(home, "recall.mode", "hybrid")
        set_value(home, "inject.depth", 2)
        set_value(home, "inject.depth", None)
        text = (home / "rolememory.toml").read_text("utf-8")
        assert text.startswith('# mine\n[recall] # here\nmode = "hybrid" # as before\n\n# end\n')
        assert "depth" not in text

    def test_what_would_not_load_is_not_written(self, tmp_path: Path) -> None:
        home = home_with(tmp_path, "# mine\n")
        for key, value in (("recall.max_items", -1), ("recall.max_item", 1), ("recall.mode", "x")):
            with pytest.raises(SettingsError):
                set_value(home, key, value)
        assert (home / "rolememory.toml").read_text() == "# mine\n"

    def test_a_home_without_a_file_gets_one(self, tmp_path: Path) -> None:
        set_value(home_with(tmp_path), "recall.max_items", 4)
        assert load_settings(tmp_path / "home").settings.recall.max_items == 4

    @given(
        st.sampled_from(sorted(leaves())),
        st.one_of(
            st.booleans(),
            st.integers(0, 9),
            st.text(max_size=8),
            st.lists(st.text(max_size=4), max_size=2),
        ),
    )
    def test_whatever_is_written_reads_back(self, key: str, value: Any) -> None:
        if value is None:
            return
        for text in (
            commented("en"),
            "# nothing yet\n",
            f"{key.split('.', maxsplit=1)[0]} = {{}}\n" if "." in key else "",
        ):
            found: Any = tomllib.loads(with_value(text, key, value))
            for part in key.split("."):
                found = found[part]
            assert found == value


class TestPlaces:
    @pytest.mark.parametrize("language", ["en", "zh"])
    def test_every_key_of_the_commented_file_is_found_on_its_line(self, language: Language) -> None:
        text = "\n".join(
            line[1:] if line.startswith("#") and not line.startswith("# ") else line
            for line in commented(language).splitlines()
        )
        found, lines = places(text), text.splitlines()
        for key in leaves():
            line, column = found[key]
            assert lines[line - 1][column - 1 :].startswith(key.rpartition(".")[2])

    @given(st.text(alphabet="abc.=[]{}\"'#,\n \\1“", max_size=60))
    def test_it_comes_to_an_end_on_any_text(self, text: str) -> None:
        for line, column in places(text).values():
            assert line >= 1
            assert column >= 1


def test_every_nullable_key_can_be_unset_and_no_other(tmp_path: Path) -> None:
    home = home_with(tmp_path)
    for key in leaves():
        if nullable(key):
            load_settings(home, {key: "unset"})
