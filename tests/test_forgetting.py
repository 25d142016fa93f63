"""Forgetting one person through real files: nothing of theirs is left in any byte of the home, everything of the others is."""

import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rolememory import Home, Message
from rolememory.engine import RoleMemory
from rolememory.storage.files.space import FileSpace
from rolememory.storage.vectors import VectorFile, vector_files
from tests.hashing import HashingEmbedder

A = Message.assistant


@dataclass(frozen=True)
class Cast:
    """What a table row says, in one language."""

    person: str
    other_name: str  # of the same person
    friend: str
    roles: tuple[str, str]
    alone: tuple[str, str]  # told by the person in a chat of their own, with the reply
    elsewhere: tuple[str, str]  # under the other name
    channel: tuple[str, str, str, str]  # person, reply, friend (names the person), reply
    group: tuple[str, str, str, str]
    shared: tuple[str, str]  # a chat whose id names both
    by_hand: str  # a memory of the person's
    of_friend: str  # a memory of the friend's that names the person
    secrets: tuple[str, ...]  # words of the person's, or of replies to them
    kept: tuple[tuple[str, str], ...]  # a question of the friend's, and the word that answers it


EN = Cast(
    person="Bob",
    other_name="Traveller",
    friend="Ann",
    roles=("Mira", "Rafi"),
    alone=("My sister keeps a quartz lantern in Graz.", "A quartz lantern, how bright."),
    elsewhere=("I was born in Tromsø.", "Tromsø is far."),
    channel=(
        "I buried a silver key under the jetty.",
        "The jetty keeps it, Bob.",
        "Bob, I sold my copper kettle to the miller.",
        "The miller likes your kettle, Ann. Bob smiles.",
    ),
    group=(
        "My horse is called Obsidian.",
        "Obsidian is a fine name.",
        "I keep eleven geese, unlike bob.",
        "Eleven geese!",
    ),
    shared=("I fear the marsh.", "I sing to the herons with Bob."),
    by_hand="Bob owes the ferryman nine crowns.",
    of_friend="Bob gave me a red kite.",
    secrets=(
        "quartz",
        "graz",
        "tromsø",
        "jetty",
        "obsidian",
        "marsh",
        "nine crowns",
        "compass",
        "gambler",
    ),
    kept=(
        ("What did I sell to the miller?", "copper kettle"),
        ("How many geese do I keep?", "eleven"),
        ("Which kite was I given?", "red kite"),
    ),
)
ZH = Cast(
    person="小林",
    other_name="旅人",
    friend="安安",
    roles=("米拉", "拉菲"),
    alone=("我姐姐在苏州开了一家绸缎庄。", "绸缎庄一定很热闹。"),
    elsewhere=("我出生在漠河。", "漠河好冷。"),
    channel=(
        "我把银钥匙埋在栈桥下面了。",
        "栈桥会守着它的，小林。",
        "小林，我把铜水壶卖给磨坊主了。",
        "磨坊主喜欢你的铜水壶，安安。小林也笑了。",
    ),
    group=("我的马叫黑曜石。", "黑曜石，好名字。", "我养了十一只鹅，小林没有。", "十一只鹅！"),
    shared=("我害怕沼泽。", "我和小林一起对白鹭唱歌。"),
    by_hand="小林欠船夫九枚银币。",
    of_friend="小林送了我一只红风筝。",
    secrets=("绸缎", "苏州", "漠河", "栈桥", "黑曜石", "沼泽", "银币", "罗盘", "赌徒"),
    kept=(
        ("我把什么卖给了磨坊主？", "铜水壶"),
        ("你还记得我养了几只鹅吗？", "十一只鹅"),
        ("我收到的是什么风筝？", "红风筝"),
    ),
)
CASTS = pytest.mark.parametrize("cast", [pytest.param(EN, id="en"), pytest.param(ZH, id="zh")])


def say(text: str, user: str) -> Message:
    return Message.user(text, name=user, user=user)


def talk(role: RoleMemory, chat: str, user: str, *lines: Message, **more: object) -> None:
    role.observe(list(lines), chat=chat, user=user, **more)  # type: ignore[arg-type]


def lived(path: Path, cast: Cast) -> None:
    """Two roles, chats alone, a channel, a group, a renamed persona, backups, vectors, and everything that people write."""
    one, two = cast.person, cast.friend
    with Home.open(path, embedder=HashingEmbedder()) as home:
        mira, rafi = (home.create(name) for name in cast.roles)
        home.people.link(one, cast.other_name)
        talk(mira, f"dm-{one}", one, say(cast.alone[0], one), A(cast.alone[1]), say("!", one))
        name = cast.other_name
        talk(mira, "plain", name, say(cast.elsewhere[0], name), A(cast.elsewhere[1]))
        window = channel(cast)
        for length in (2, 4):
            talk(mira, "harbour", one, *window[:length], present=[one, two])
        for role, other in ((mira, rafi), (rafi, mira)):
            members = [other.role.name]
            talk(
                role,
                "tavern",
                one,
                *turns(cast.group, one, two),
                present=[one, two],
                members=members,
            )
        mira.backup()
        printed = A(f"【地点】{one}\n!")
        shared = [say(cast.shared[0], one), A("?"), say(cast.shared[1], two), printed]
        talk(mira, f"{two} & {one}", one, *shared, present=[one, two])
        talk(mira, f"harbour@{one}", one, say(cast.shared[0], one), A("."))
        mira.chats.update("harbour", title=f"{one}, {two}")
        mira.stories.begin(f"{one} 2", of="")
        mira.stories.choose("one", one)
        said = mira.search(cast.alone[0], user=one)[0].memory.id
        mira.keep(said, user=None, subject=None)  # everybody's, and rests on their words alone
        hand = mira.remember(cast.by_hand, user=one)
        mira.remember(cast.of_friend, user=two, keys=["kite", one])
        mira.remember(f"{cast.secrets[7]} {one}", subject=one)
        mira.edit(hand.id, content=f"{cast.by_hand} {cast.secrets[7]}")
        talk(mira, "harbour", two, *window, say("...", two), present=[one, two])
        rows = [
            {"name": one, "description": cast.secrets[8]},
            {"name": two, "description": f"{one} & {two}"},
        ]
        (path / "personas.json").write_text(json.dumps({"personas": rows}), "utf-8")
        (path / ".import").mkdir()
        row = json.dumps({"kind": "chat", "key": f"chats/{one}.jsonl"})
        (path / ".import" / "x.jsonl").write_text(f"{row}\n")  # of a version without checksums
        for line in (row, '{"kind":"chat","key":"2"}'):
            home.space.log(".import/x").append(line.encode())
        for role in (mira, rafi):
            role.learned(60)
            role.ready(60)
            role.recall([say(cast.kept[0][0], two)], chat="harbour", user=two, present=[one, two])
            role.recall([say("?", one)], chat="plain", user=one)
        used = [say(cast.alone[0], one), A(cast.alone[1]), say(cast.by_hand, one)]
        assert mira.recall(used, chat=f"dm-{one}", user=one).recalled
        talk(mira, f"dm-{one}", one, *used, A(mira.memories[hand.id].content))
        mira.usage.settle()
        assert mira.usage.uses.of(hand.id)
        mira.end_chapter(f"dm-{one}", cast.secrets[0])
        mira.backup()
        rafi.backup()


def channel(cast: Cast) -> list[Message]:
    return turns(cast.channel, cast.person, cast.friend)


def turns(lines: Sequence[str], one: str, two: str) -> list[Message]:
    return [say(lines[0], one), A(lines[1]), say(lines[2], two), A(lines[3])]


def stored(path: Path) -> Iterator[tuple[str, str]]:
    """Every file of the folder as text, members of archives too, and what JSON writes as numbers; and every name of a file."""
    for file in sorted(path.rglob("*")):
        yield "name", str(file.relative_to(path))
        if file.is_file():
            yield from _texts(str(file.relative_to(path)), file)


def _texts(name: str, file: Path) -> Iterator[tuple[str, str]]:
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            for member in archive.namelist():
                yield name, member
                yield f"{name}/{member}", _text(archive.read(member))
        return
    yield name, _text(file.read_bytes())


def _text(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    return re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text).casefold()


def traces(path: Path, *words: str) -> list[tuple[str, str]]:
    """Where any of these words is found."""
    return [
        (where, word) for where, text in stored(path) for word in words if word.casefold() in text
    ]


@CASTS
def test_nothing_of_a_forgotten_person_is_left_and_everything_of_the_others(
    tmp_path: Path, cast: Cast
) -> None:
    lived(tmp_path, cast)
    named = (cast.person, cast.other_name)
    assert {word for _, word in traces(tmp_path, *cast.secrets, *named)} == {*cast.secrets, *named}
    with Home.open(tmp_path, embedder=HashingEmbedder()) as home:
        done = home.forget(cast.other_name)
        assert traces(tmp_path, *cast.secrets, *named) == []
        mira = home.role(cast.roles[0])
        assert done[mira.id].left == ()
        assert done[mira.id].messages == 6
        assert traces(tmp_path, *cast.secrets, *named) == []
    assert traces(tmp_path, *cast.secrets, *named) == []
    with Home.open(tmp_path, embedder=HashingEmbedder()) as home:
        mira = home.role(cast.roles[0])
        assert [one.text for one in mira.chats.path("harbour")][-1] == "..."
        assert len(mira.chats.path("tavern")) == 2
        (row,) = home.space.log(".import/x").read().appends
        assert row.lines == (b'{"kind":"chat","key":"2"}',)
        for question, answer in cast.kept:
            found = mira.search(question, user=cast.friend, limit=3)
            assert any(answer in one.memory.content for one in found), (question, found)
            told = mira.recall([say(question, cast.friend)], chat="new", user=cast.friend).text
            assert answer in told
        assert mira.chats.chats(user=cast.person) == []
        assert {one.keys for one in mira.memories.values()} == {("kite",)}


@CASTS
def test_a_process_that_had_the_person_at_its_turn_brings_nothing_back(
    tmp_path: Path, cast: Cast
) -> None:
    lived(tmp_path, cast)
    with (
        Home.open(tmp_path, embedder=HashingEmbedder()) as home,
        Home.open(tmp_path, embedder=HashingEmbedder()) as other,
    ):
        mira, asks = other.role(cast.roles[0]), say(cast.by_hand, cast.person)
        assert mira.recall([asks], chat="plain", user=cast.person).recalled
        mira.recall([say("!", cast.friend)], chat=f"dm-{cast.person}", user=cast.friend)
        home.forget(cast.person)
    assert traces(tmp_path, *cast.secrets, cast.person, cast.other_name) == []


@CASTS
def test_a_frontend_that_still_shows_the_words_brings_nothing_back(
    tmp_path: Path, cast: Cast
) -> None:
    lived(tmp_path, cast)
    with Home.open(tmp_path, embedder=HashingEmbedder()) as home:
        home.forget(cast.person)
        mira, window = home.role(cast.roles[0]), [*channel(cast), say("...", cast.friend)]
        talk(mira, "harbour", cast.friend, *window, A("...!"), say("Geese!", cast.friend))
        mira.learned(60)
        assert [one.text for one in mira.chats.path("harbour")][-2:] == ["...!", "Geese!"]
    assert traces(tmp_path, *cast.secrets, cast.person) == []


@CASTS
def test_forgetting_again_is_forgetting_once_and_a_person_may_come_back(
    tmp_path: Path, cast: Cast
) -> None:
    lived(tmp_path, cast)
    with Home.open(tmp_path, embedder=HashingEmbedder()) as home:
        home.forget(cast.person)
        again = home.forget(cast.person)
        assert all((one.memories, one.messages, one.chats) == (0, 0, ()) for one in again.values())
        mira = home.role(cast.roles[0])
        talk(
            mira, "new", cast.person, say(cast.alone[0], cast.person), A("!"), say("?", cast.person)
        )
        mira.learned(60)
        assert mira.search(cast.alone[0], user=cast.person)


@CASTS
def test_no_vector_of_forgotten_words_is_kept(tmp_path: Path, cast: Cast) -> None:
    class Asked(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            asked.update(texts)
            return super().embed(texts)

    def embedded(user: str, said: str) -> bool:
        """Whether the model had to be asked about what this person says."""
        asked.clear()
        with Home.open(tmp_path, embedder=Asked()) as home:
            mira = home.role(cast.roles[0], create=True)
            talk(mira, f"dm {user}", user, say(said, user), A("."), say("!", user))
            mira.search("?", user=user)
            assert mira.ready(60)
        return any(said in one for one in asked)

    asked = set[str]()
    people = [(cast.person, cast.alone[0]), (cast.friend, cast.group[2])]
    assert [embedded(*one) for one in people * 2] == [True, True, False, False]
    with Home.open(tmp_path, embedder=HashingEmbedder()) as home:
        home.forget(cast.person)
    assert embedded(*people[0])


def embedded(path: Path, cast: Cast) -> set[bytes]:
    """The names of all texts that a role recalls from, once they have vectors."""
    with Home.open(path, embedder=HashingEmbedder()) as home:
        mira = home.role(cast.roles[0])
        assert mira.ready(60)
        table: Any = mira.parts.context.vectors()
        return {name for one in table.ids() for name in table.digests(one)}


def on_disk(folder: Path) -> set[bytes]:
    return {name for file in vector_files(FileSpace(folder)) for name in file.load()}


@CASTS
@pytest.mark.parametrize("asked_again", [False, True])
def test_another_process_writes_no_vectors_of_what_was_forgotten_when_it_closes(
    tmp_path: Path, cast: Cast, asked_again: bool
) -> None:
    lived(tmp_path, cast)
    with Home.open(tmp_path, embedder=HashingEmbedder()) as other:
        mira = other.role(cast.roles[0])
        for file in vector_files(FileSpace(mira.folder)):
            file.delete()
        mira.search(cast.by_hand, user=cast.person)
        assert mira.ready(60)  # its vectors are too few to be written at once
        with Home.open(tmp_path, embedder=HashingEmbedder()) as home:
            home.forget(cast.person)
        if asked_again:
            mira.search(cast.by_hand, user=cast.friend)
            assert mira.ready(60)
    kept = on_disk(mira.folder)
    assert kept
    assert kept <= embedded(tmp_path, cast)


@CASTS
def test_only_vectors_of_what_was_not_forgotten_are_kept(tmp_path: Path, cast: Cast) -> None:
    lived(tmp_path, cast)
    before = embedded(tmp_path, cast)
    with Home.open(tmp_path, embedder=HashingEmbedder()) as home:
        folder = home.role(cast.roles[0]).id
        other = VectorFile(FileSpace(tmp_path / folder), "another model", 2)
        other.save(dict.fromkeys(before, np.ones(2, np.float32)))
        home.forget(cast.person)
    kept = on_disk(tmp_path / folder)
    after = embedded(tmp_path, cast)
    assert kept == before & after
    assert kept
    assert kept < before
    assert set(other.load()) == kept
