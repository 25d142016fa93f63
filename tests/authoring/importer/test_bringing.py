"""A life is brought: everything once, from the beginning, and nothing that is not its own."""

import hashlib
import json
from pathlib import Path

import pytest

from rolememory.authoring.importer.ledger import ledger_of
from rolememory.authoring.importer.plan import ImportSettings
from rolememory.engine import Home, RoleMemory
from rolememory.errors import NotWrittenError
from tests.authoring.importer.conftest import Brought
from tests.authoring.importer.recording import Recorder, bring, ledger_file, plan_of
from tests.cards.tavern.folders import (
    BOOK,
    INTEGRITY,
    NEW,
    OLD,
    head,
    lore,
    said,
    settings,
    write_card,
    write_json,
    write_lines,
    write_world,
)

GROUP = "group-1"


def role(home: Home, avatar: str) -> RoleMemory:
    """The role that was made of this card."""
    (found,) = [one for one in home.roles() if one.card_from == avatar]
    return home.role(found.id)


def texts(recorder: Recorder, avatar: str, chat: str) -> list[str]:
    return [one.content for one in recorder.given[avatar, chat]]


def tree(folder: Path) -> dict[str, str]:
    """Every file of a folder, by content and time."""
    return {
        str(
            path.relative_to(folder)
        ): f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.stat().st_mtime_ns}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# ── once, all of it ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_characters_become_roles_with_their_cards_byte_for_byte(brought: Brought) -> None:
    assert {one.card_from: one.name for one in brought.home.roles()} == {
        "Asha.png": "Asha",
        "Asha1.png": "Asha",
        "明月.png": "明月",
        "Bo.png": "Bo",
    }
    for avatar in ("Asha.png", "Asha1.png", "明月.png"):
        mind = brought.role(avatar)
        assert (mind.folder / "card.png").read_bytes() == (
            brought.user / "characters" / avatar
        ).read_bytes()
    assert brought.home.folder.find("Asha1").card_from == "Asha1.png"


def test_chats_go_to_their_roles_under_the_id_that_the_program_gives_them(brought: Brought) -> None:
    assert set(brought.recorder.given) == {
        ("Asha.png", f"Asha.png/{OLD}"),
        ("Asha.png", INTEGRITY),
        ("Asha.png", "Asha.png/Branch #1"),
        ("明月.png", "moon-1"),
        ("Asha.png", GROUP),
        ("明月.png", GROUP),
        ("Bo.png", GROUP),
    }
    assert brought.texts("Asha.png", f"Asha.png/{OLD}")[2] == "Then stay the night."
    assert brought.recorder.titles[INTEGRITY] == NEW
    assert "Help text." not in brought.texts("Asha.png", INTEGRITY)


def test_the_branch_of_an_old_program_does_not_take_the_id_of_its_chat(brought: Brought) -> None:
    assert brought.texts("Asha.png", INTEGRITY)[-1] == "晚安。"
    assert brought.texts("Asha.png", "Asha.png/Branch #1")[-1] == "我属兔。"


def test_the_persona_of_a_chat_is_its_user(brought: Brought) -> None:
    assert brought.recorder.users["Asha.png", f"Asha.png/{OLD}"] == "Wren"
    assert {
        brought.recorder.users[key] for key in brought.recorder.users if key[1] != f"Asha.png/{OLD}"
    } == {"林"}
    people = json.loads((brought.home.path / "personas.json").read_text("utf-8"))["personas"]
    assert [(one["name"], one["description"]) for one in people] == [
        ("林", "二十六岁，会修灯的旅人。"),
        ("Wren", "A cartographer."),
    ]


def test_every_message_has_its_time(home: Home, user: Path) -> None:
    recorder = Recorder()
    write_lines(
        user / "chats" / "Asha" / "undated.jsonl",
        [head(created="2022-01-02@03h04m05s"), said("Asha", "a"), said("W", "b", user=True)],
    )
    bring(home, user, recorder)
    for messages in recorder.given.values():
        times = [one.sent for one in messages]
        assert None not in times
        assert times == sorted(times)  # type: ignore[type-var]
    assert {
        one.sent.year for one in recorder.given["Asha.png", "Asha.png/undated"] if one.sent
    } == {2022}


def test_chats_come_in_the_order_of_their_beginnings(brought: Brought) -> None:
    assert [chat for _, chat in brought.recorder.calls][:2] == [f"Asha.png/{OLD}", INTEGRITY]


def test_in_a_group_each_member_heard_what_was_said_where_it_was(brought: Brought) -> None:
    secret = "我的秘密是我会游泳。"
    assert secret in brought.texts("Asha.png", GROUP)
    assert secret in brought.texts("明月.png", GROUP)
    assert brought.texts("Bo.png", GROUP) == ["Ahoy, I am new here.", "欢迎，Bo。"]
    assert [one.name for one in brought.recorder.given["明月.png", GROUP]] == [
        "Asha",
        "明月",
        "林",
        "Bo",
        "林",
    ]


def test_a_chat_that_no_group_owns_was_heard_by_those_who_speak_in_it(
    home: Home, user: Path
) -> None:
    recorder = Recorder()
    lines = [
        said("Asha", "a", original_avatar="Asha.png"),
        said("林", "b", user=True),
        said("Asha", "c", original_avatar="Asha.png"),
    ]
    write_lines(user / "group chats" / "lost.jsonl", lines)
    bring(home, user, recorder)
    assert [who for who, chat in recorder.given if chat == "lost/lost"] == ["Asha.png"]


def test_hidden_messages_stay_out_unless_asked_for(home: Home, user: Path) -> None:
    recorder, more = Recorder(), Recorder()
    done = bring(home, user, recorder)
    assert "这句藏起来。" not in texts(recorder, "明月.png", "moon-1")
    assert sum(one.hidden for one in done) == 1
    bring(home, user, more, ImportSettings(hidden=True))
    assert texts(more, "明月.png", "moon-1")[2] == "这句藏起来。"


# ── lorebooks ────────────────────────────────────────────────────────────────────────────────────────────────────────


def linked(home: Home, avatar: str) -> list[str]:
    return sorted(role(home, avatar).role.worldbooks)


def test_lorebooks_come_and_are_linked_where_they_are_named(brought: Brought) -> None:
    for name in ("Lighthouse", "长安", "海边", "旅人"):
        assert (brought.home.path / "worldbooks" / f"{name}.json").read_bytes() == (
            brought.user / "worlds" / f"{name}.json"
        ).read_bytes()
    assert linked(brought.home, "Asha.png") == [
        "Asha memories.json",
        "Lighthouse.json",
        "旅人.json",
        "海边.json",
    ]
    assert linked(brought.home, "明月.png") == ["旅人.json", "海边.json", "长安.json"]
    assert linked(brought.home, "Asha1.png") == ["海边.json"]


def test_a_card_whose_book_came_as_a_file_has_it_once(brought: Brought) -> None:
    assert not list((brought.role("Asha.png").folder / "worldbooks").glob("*.json"))
    told = "\n".join(
        one.content
        for one in brought.role("Asha.png")
        .recall(["How does the lamp burn?"], dry_run=True)
        .messages
    )
    assert "whale oil" in told
    assert "An old text" not in told


def test_a_card_whose_lorebook_is_not_there_keeps_its_own(home: Home, user: Path) -> None:
    (user / "worlds" / "Lighthouse.json").unlink()
    bring(home, user)
    assert [path.name for path in (role(home, "Asha.png").folder / "worldbooks").iterdir()] == [
        f"{BOOK['name']}.json"
    ]


def test_a_lorebook_of_another_origin_is_not_overwritten(home: Home, user: Path) -> None:
    mine = write_json(home.path / "worldbooks" / "长安.json", {"entries": {}})
    bring(home, user)
    assert json.loads(mine.read_text("utf-8")) == {"entries": {}}
    assert (home.path / "worldbooks" / "长安-2.json").exists()
    assert "长安-2.json" in linked(home, "明月.png")


# ── summaries ────────────────────────────────────────────────────────────────────────────────────────────────────────


def summaries(mind: RoleMemory) -> dict[str, str]:
    return {one.content: one.id for one in mind.memories.values() if "summary" in one.tags}


def test_summaries_become_memories_that_rest_on_what_they_cover(brought: Brought) -> None:
    mind = brought.role("Asha.png")
    found = {one.content: one for one in mind.memories.values()}
    assert set(found) == {
        "Lin came to the lighthouse.",
        "Asha said that Chang'an is far.",
        "Lin came to the lighthouse and told of a cat.",
    }
    assert {(one.type.value, one.source.value, one.user) for one in found.values()} == {
        ("episodic", "summary", "林")
    }
    told = found["Asha said that Chang'an is far."]
    assert (told.tags, told.evidence[0].chat) == (("summary",), INTEGRITY)
    assert found["Asha said that Chang'an is far."].salience > 0.5


def test_a_rolling_summary_takes_the_place_of_the_one_before(brought: Brought) -> None:
    ids = summaries(brought.role("Asha.png"))
    mind = brought.role("Asha.png")
    newest = mind.memories[ids["Lin came to the lighthouse and told of a cat."]]
    assert newest.supersedes == (ids["Lin came to the lighthouse."],)


def test_a_summary_that_a_branch_shares_rests_on_both(brought: Brought) -> None:
    mind = brought.role("Asha.png")
    shared = mind.memories[summaries(mind)["Lin came to the lighthouse."]]
    assert sorted(one.chat for one in shared.evidence) == sorted([INTEGRITY, "Asha.png/Branch #1"])


def test_who_came_late_does_not_get_a_summary_of_what_it_did_not_hear(
    home: Home, user: Path
) -> None:
    path = user / "group chats" / "1720000000000.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines[3]["extra"] = {"memory": "林会游泳，这是秘密。"}
    write_lines(path, lines)
    bring(home, user)
    assert "林会游泳，这是秘密。" in summaries(role(home, "明月.png"))
    assert summaries(role(home, "Bo.png")) == {}


def test_a_summary_of_messages_that_it_hid_comes_and_counts_always(home: Home, user: Path) -> None:
    path = user / "chats" / "Asha" / f"{NEW}.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    write_lines(path, [lines[0], *({**line, "is_system": True} for line in lines[1:4]), *lines[4:]])
    bring(home, user)
    mind = role(home, "Asha.png")
    found = mind.memories[summaries(mind)["Lin came to the lighthouse."]]
    assert found.evidence == ()
    assert str(found.created) == "2024-07-12 01:32:30+00:00"


def test_where_everything_is_hidden_the_summaries_come(home: Home, user: Path) -> None:
    path = user / "chats" / "Asha" / f"{NEW}.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    write_lines(path, [lines[0], *({**line, "is_system": True} for line in lines[1:])])
    recorder = Recorder()
    bring(home, user, recorder)
    assert ("Asha.png", INTEGRITY) not in recorder.given
    assert "Lin came to the lighthouse and told of a cat." in summaries(role(home, "Asha.png"))


def test_summaries_are_never_doubled(home: Home, user: Path) -> None:
    bring(home, user)
    before = {one.id: one for one in home.roles() for one in home.role(one.id).memories.values()}
    bring(home, user, wishes=ImportSettings(again=True))
    ledger_file(home.path, user).unlink()
    bring(home, user)
    assert {
        one.id: one for one in home.roles() for one in home.role(one.id).memories.values()
    } == before


def test_a_summary_that_was_deleted_here_stays_deleted(home: Home, user: Path) -> None:
    bring(home, user)
    mind = role(home, "Asha.png")
    gone = summaries(mind)["Lin came to the lighthouse."]
    mind.delete(gone)
    path = user / "chats" / "Asha" / f"{NEW}.jsonl"
    path.write_text(
        path.read_text("utf-8")
        + "\n"
        + json.dumps(said("Asha", "And now?", "2024-07-12T02:00:00Z")),
        "utf-8",
    )
    bring(home, user)
    assert gone not in role(home, "Asha.png").memories


# ── again ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_second_run_finds_everything_here(home: Home, user: Path) -> None:
    bring(home, user)
    before = tree(home.path)
    assert plan_of(home, user).is_empty
    recorder = Recorder()
    done = bring(home, user, recorder)
    assert recorder.calls == []
    assert {one.state for one in done} == {"same"}
    beside = (".lock", "state/tended.json")  # upkeep writes its own behind the import
    assert {name: mark for name, mark in tree(home.path).items() if not name.endswith(beside)} == {
        name: mark for name, mark in before.items() if not name.endswith(beside)
    }


def test_only_what_is_new_comes_the_second_time(home: Home, user: Path) -> None:
    bring(home, user)
    path = user / "chats" / "明月" / "明月 - 2024-08-01@20h00m00s.jsonl"
    path.write_text(
        path.read_text("utf-8")
        + "\n"
        + json.dumps(said("明月", "再弹一曲？", "2024-08-01T21:00:00Z")),
        "utf-8",
    )
    write_lines(user / "chats" / "Bo" / "first.jsonl", [head(integrity="bo"), said("Bo", "Ahoy.")])
    recorder = Recorder()
    bring(home, user, recorder)
    assert sorted(recorder.calls) == [("Bo.png", "bo"), ("明月.png", "moon-1")]
    assert texts(recorder, "明月.png", "moon-1")[-1] == "再弹一曲？"


def test_a_changed_card_brings_its_role_up_to_date(home: Home, user: Path) -> None:
    bring(home, user)
    before = role(home, "明月.png").id
    path = write_card(user, "明月.png", "明月", description="改过的描述。")
    bring(home, user)
    assert role(home, "明月.png").id == before
    assert (role(home, "明月.png").folder / "card.png").read_bytes() == path.read_bytes()


def test_a_role_is_found_again_without_the_ledger(home: Home, user: Path) -> None:
    bring(home, user)
    before = {one.card_from: one.id for one in home.roles()}
    ledger_file(home.path, user).unlink()
    write_card(user, "明月.png", "明月", description="改过的描述。")
    bring(home, user)
    assert {one.card_from: one.id for one in home.roles()} == before


def test_a_role_that_is_here_by_name_and_has_no_card_is_taken(home: Home, user: Path) -> None:
    mine = home.create("明月")
    bring(home, user)
    assert role(home, "明月.png").id == mine.id


def test_a_role_of_another_card_keeps_its_name_to_itself(home: Home, user: Path) -> None:
    other = home.create("明月", card="card.json", card_from="other.json")
    bring(home, user)
    assert role(home, "明月.png").id != other.id


def test_a_character_that_got_another_name_and_file_is_the_same_role(
    home: Home, user: Path
) -> None:
    bring(home, user)
    before = role(home, "明月.png").id
    (user / "characters" / "明月.png").unlink()
    write_card(user, "秋月.png", "秋月", description="长安城里的琴师。", first_mes="你来了。")
    (user / "chats" / "明月").rename(user / "chats" / "秋月")
    recorder = Recorder()
    bring(home, user, recorder)
    assert role(home, "秋月.png").id == before
    assert home.folder.find("秋月").id == home.folder.find("明月").id == before
    assert texts(recorder, "秋月.png", "moon-1")[0] == "你来了。"


def test_another_character_under_the_file_of_one_that_left_is_another_role(
    home: Home, user: Path
) -> None:
    bring(home, user)
    before = role(home, "Bo.png").id
    write_card(user, "Bo.png", "Boris", description="A bear.", first_mes="Grr.")
    bring(home, user)
    assert home.folder.find("Boris").id != before
    assert home.folder.find("Bo").id == before
    assert plan_of(home, user).is_empty


def test_a_role_answers_to_its_names_as_the_program_keeps_them_and_once_kept_them(
    home: Home, user: Path
) -> None:
    write_card(user, "bones.png", 'Dr. "Bones" O\'Hara: the 2nd')
    write_lines(
        user / "chats" / "bones" / "old.jsonl",
        [head("Lin", "Bones", created="2023-01-01@00h00m00s"), said("Bones", "Sit.")],
    )
    bring(home, user)
    bones = role(home, "bones.png").id
    assert [
        home.folder.find(name).id for name in ("Dr. Bones O'Hara the 2nd", "Bones", "bones")
    ] == [bones] * 3


def test_two_copies_of_a_card_are_two_roles(home: Home, user: Path) -> None:
    ours = {"rolememory": {"role_uuid": "6ba7b810-9dad-41d1-80b4-00c04fd430c8"}}
    for avatar in ("Twin.png", "Twin1.png"):
        write_card(user, avatar, "Twin", extensions=ours)
    bring(home, user)
    ids = {role(home, avatar).id for avatar in ("Twin.png", "Twin1.png")}
    assert len(ids) == 2
    bring(home, user, wishes=ImportSettings(again=True))
    assert {role(home, avatar).id for avatar in ("Twin.png", "Twin1.png")} == ids


def test_a_role_that_was_removed_here_comes_with_its_chats_again(home: Home, user: Path) -> None:
    import shutil

    bring(home, user)
    mind = role(home, "明月.png")
    mind.close()
    shutil.rmtree(mind.folder)
    recorder = Recorder()
    bring(home, user, recorder)
    assert sorted(chat for who, chat in recorder.given if who == "明月.png") == [GROUP, "moon-1"]


@pytest.mark.parametrize(
    ("edit", "kept"),
    [
        pytest.param(lambda path: path.write_text('{"entries": {}}'), True, id="edited here"),
        pytest.param(lambda path: path.unlink(), False, id="taken away here"),
    ],
)
def test_a_lorebook_that_was_changed_here_stays_so(
    home: Home, user: Path, edit: object, kept: bool
) -> None:
    bring(home, user)
    path = home.path / "worldbooks" / "长安.json"
    edit(path)  # type: ignore[operator]
    write_world(user, "长安", lore(0, "长安城新修了钟楼。", "长安"))
    bring(home, user)
    assert path.exists() is kept
    assert "钟楼" not in (path.read_text("utf-8") if kept else "")


def test_a_lorebook_that_changed_there_is_replaced_here(home: Home, user: Path) -> None:
    bring(home, user)
    path = write_world(user, "长安", lore(0, "长安城新修了钟楼。", "长安"))
    bring(home, user)
    assert (home.path / "worldbooks" / "长安.json").read_bytes() == path.read_bytes()


def test_a_lorebook_that_was_unlinked_here_is_not_linked_again(home: Home, user: Path) -> None:
    bring(home, user)
    mine = role(home, "明月.png").role
    home.folder.update(mine.model_copy(update={"worldbooks": ("长安.json",)}))
    bring(home, user, wishes=ImportSettings(again=True))
    assert linked(home, "明月.png") == ["长安.json"]


def test_a_persona_that_was_edited_here_stays_so(home: Home, user: Path) -> None:
    bring(home, user)
    path = home.path / "personas.json"
    document = json.loads(path.read_text("utf-8"))
    document["personas"][0]["description"] = "我自己写的。"
    write_json(path, document)
    settings(
        user,
        persona_descriptions={
            "lin.png": {"description": "又改了。"},
            "1700000000000-Wren.png": {"description": "A sailor now."},
        },
    )
    bring(home, user)
    assert [one["description"] for one in json.loads(path.read_text("utf-8"))["personas"]] == [
        "我自己写的。",
        "A sailor now.",
    ]


# ── stop and go on ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_stopped_again_and_again_nothing_is_lost_or_doubled(
    home: Home, user: Path, brought: Brought
) -> None:
    recorder = Recorder()
    for stop_at in (0, 1, 2, 4, 6):
        recorder.stop_at = stop_at
        with pytest.raises(KeyboardInterrupt):
            bring(home, user, recorder)
    recorder.stop_at = -1
    bring(home, user, recorder)
    assert recorder.given == brought.recorder.given
    assert len(recorder.calls) == len(set(recorder.calls)) == len(recorder.given)
    for avatar in ("Asha.png", "明月.png", "Bo.png"):
        assert summaries(role(home, avatar)) == summaries(brought.role(avatar))


def test_a_line_of_the_ledger_that_was_cut_off_costs_one_chat(home: Home, user: Path) -> None:
    bring(home, user)
    path = ledger_file(home.path, user)
    path.write_bytes(path.read_bytes()[:-20])
    assert len([one for one in bring(home, user) if one.kind == "chat"]) == 1
    assert plan_of(home, user).is_empty


def test_two_imports_into_one_home_do_not_meet(home: Home, user: Path) -> None:
    with (
        ledger_of(home.space, user),
        pytest.raises(NotWrittenError, match="another import") as error,
        ledger_of(home.space, user.parent),
    ):
        pass
    assert "导入在进行" in error.value.text("zh")


# ── what cannot be read ──────────────────────────────────────────────────────────────────────────────────────────────


def test_what_cannot_be_read_is_named_and_the_rest_comes(home: Home, user: Path) -> None:
    (user / "characters" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnot really")
    (user / "worlds" / "broken.json").write_text("{")
    (user / "groups" / "broken.json").write_text("[]")
    write_lines(user / "chats" / "Gone" / "one.jsonl", [head(), said("Gone", "Hi.")])
    (user / "chats" / "明月" / "broken.jsonl").write_text("no chat")
    plan = plan_of(home, user)
    told = "\n".join(map(str, plan.problems))
    for name in ("broken.png", "worlds", "groups", "Gone"):
        assert name in told
    assert all(one.remedy for one in plan.problems)
    done = bring(home, user)
    (failed,) = [one for one in done if one.state == "failed"]
    assert (failed.name, "holds no message" in str(failed.problems[0])) == ("broken", True)
    assert len([one for one in done if one.kind == "chat" and one.state == "new"]) == 5


def test_members_of_a_group_whose_cards_are_missing_are_named(home: Home, user: Path) -> None:
    (user / "characters" / "Bo.png").unlink()
    (told,) = (one for one in plan_of(home, user).problems if "groups" in one.file)
    assert "Bo.png, gone.png get none of its chats" in str(told)
    assert "put these cards into characters" in str(told)
    assert "Bo.png、gone.png 得不到其中的聊天" in told.text("zh")
    assert len([one for one in bring(home, user) if one.kind == "chat" and one.state == "new"]) == 5


def test_the_chats_of_a_card_that_broke_still_find_their_role(home: Home, user: Path) -> None:
    bring(home, user)
    (user / "characters" / "明月.png").write_bytes(b"broken")
    write_lines(
        user / "chats" / "明月" / "later.jsonl", [head(integrity="later"), said("明月", "我还在。")]
    )
    recorder = Recorder()
    bring(home, user, recorder)
    assert ("明月.png", "later") in recorder.given


def test_broken_settings_do_not_stop_the_rest(home: Home, user: Path) -> None:
    (user / "settings.json").write_text("{")
    recorder = Recorder()
    bring(home, user, recorder)
    assert recorder.users["明月.png", "moon-1"] == "林"
    assert not (home.path / "personas.json").exists()


@pytest.mark.parametrize(
    "name", ["../../evil", "..", "a/b", "CON", "x" * 300, "零\u202e宽", ".hidden", "a\nb"]
)
def test_hostile_names_stay_inside_the_home(home: Home, user: Path, name: str) -> None:
    write_card(
        user,
        "evil.png",
        name,
        extensions={"world": "../../../etc/passwd", "rolememory": {"role_uuid": "../../evil"}},
    )
    write_lines(
        user / "chats" / "evil" / "one.jsonl",
        [head(integrity="../../../evil", world_info="../../x", main_chat="../y"), said("e", "Hi.")],
    )
    settings(user, personas={"../../p.png": name}, persona_descriptions={})
    outside = tree(user.parent.parent.parent)
    recorder = Recorder()
    bring(home, user, recorder)
    now = tree(user.parent.parent.parent)
    assert {one for one in now.keys() - outside.keys() if not one.startswith("home/")} == set()
    assert {one.id for one in home.roles()} == {
        path.name for path in home.path.iterdir() if len(path.name) == 36
    }
    assert [
        len(messages) for (who, _), messages in recorder.given.items() if who == "evil.png"
    ] == [1]


def test_nothing_in_the_data_folder_is_ever_written(home: Home, user: Path) -> None:
    before = tree(user)
    plan_of(home, user)
    bring(home, user)
    bring(home, user, wishes=ImportSettings(again=True, hidden=True))
    assert tree(user) == before


# ── one character ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_one_character_alone_may_be_brought(home: Home, user: Path) -> None:
    recorder = Recorder()
    bring(home, user / "chats" / "明月", recorder)
    assert [one.name for one in home.roles()] == ["明月"]
    assert list(recorder.given) == [("明月.png", "moon-1")]
    assert linked(home, "明月.png") == ["旅人.json", "海边.json", "长安.json"]
    bring(home, user)
    assert len(home.roles()) == 4


def test_a_folder_of_chats_without_a_card_becomes_a_role_of_its_name(
    home: Home, tmp_path: Path
) -> None:
    write_lines(
        tmp_path / "米拉" / "one.jsonl",
        [head(integrity="one"), said("米拉", "你好。"), said("林", "在吗？", user=True)],
    )
    recorder = Recorder()
    bring(home, tmp_path / "米拉", recorder)
    bring(home, tmp_path / "米拉", recorder, ImportSettings(again=True))
    assert [one.name for one in home.roles()] == ["米拉"]
    assert texts(recorder, "米拉", "one") == ["你好。", "在吗？"]


def test_chats_of_two_characters_whose_cards_are_gone_do_not_meet(home: Home, user: Path) -> None:
    for name in ("Gone v1.2", "走了"):
        write_lines(user / "chats" / name / "one.jsonl", [head(integrity=name), said(name, "Hi.")])
    recorder = Recorder()
    for name in ("Gone v1.2", "走了"):
        bring(home, user / "chats" / name, recorder)
    assert sorted(recorder.given) == [("Gone v1.2", "Gone v1.2"), ("走了", "走了")]
    write_card(user, "走了.png", "走了")
    bring(home, user, recorder)
    assert len([one for one in home.roles() if one.name == "走了"]) == 1


def test_a_folder_of_chats_goes_to_the_role_that_is_named(home: Home, tmp_path: Path) -> None:
    mine = home.create("Keeper")
    write_lines(tmp_path / "米拉" / "one.jsonl", [head(integrity="one"), said("米拉", "你好。")])
    recorder = Recorder()
    bring(home, tmp_path / "米拉", recorder, ImportSettings(role=mine.id))
    assert [one.name for one in home.roles()] == ["Keeper"]
    assert list(recorder.given) == [("Keeper", "one")]


def test_a_lorebook_that_comes_has_a_share_and_its_keys_that_match_everything_are_told(
    home: Home, user: Path
) -> None:
    greedy = {"constant": True, "order": 9_999, "ignoreBudget": True}
    write_world(
        user,
        "长安",
        lore(99, "Caught.", "/.*/", comment="Trap"),
        *(lore(uid, f"Greedy {uid} " + "word " * 150, **greedy) for uid in range(20)),
    )
    items = {one.name: one for one in bring(home, user) if one.kind == "world"}
    (told,) = items["长安"].problems
    assert "Trap: the key '/.*/' stands in nearly every message" in str(told)
    assert "长安.json：Trap" in told.text("zh").replace(str(user), "")
    asked = role(home, "明月.png")
    home.folder.update(asked.role.model_copy(update={"worldbooks": ("长安.json",)}))
    came = asked.recall("Hm.", user="lin").lore
    assert came
    theirs = sum("Greedy" in one.content for one in came.awake)
    (home.path / "worldbooks" / ".imported.json").unlink()
    path = home.path / "worldbooks" / "长安.json"
    path.write_bytes(path.read_bytes() + b"\n")
    mine = asked.recall("Hm.", user="lin").lore
    assert mine
    assert 0 < theirs < sum("Greedy" in one.content for one in mine.awake) == 20
