"""What every storage promises. One row per behaviour; a new storage passes when all of them do."""

import os
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest

from rolememory.errors import BusyError, DeletedRoleError, UnsafePathError
from rolememory.storage.port import START, LogPosition, Space
from tests.durability.processes import forked
from tests.storage.conformance.places import ROLE, STORAGES, Kept, on_thread

LOGS = ["journal/1", "chats/灯塔-461be2fb", "uses", "chats/a.b c"]


@pytest.fixture(params=STORAGES)
def kept(request: pytest.FixtureRequest) -> Iterator[Kept]:
    with STORAGES[request.param]() as found:
        yield found


def row(number: int, text: str = "x") -> bytes:
    return b'{"n":%d,"text":"%s"}' % (number, text.encode())


def said(space: Space, log: str = "uses", since: LogPosition = START) -> list[tuple[bytes, ...]]:
    """The appends behind a place, read by a handle that has read nothing before."""
    return [append.lines for append in space.log(log).read(since).appends]


# logs


@pytest.mark.parametrize("name", LOGS)
def test_what_is_appended_is_read_by_everybody_in_order(kept: Kept, name: str) -> None:
    log = kept.space().log(name)
    for number in range(3):
        log.append(row(number, "灯塔"))
    assert said(kept.space(), name) == [(row(number, "灯塔"),) for number in range(3)]
    assert [append.number for append in kept.space().log(name).read().appends] == [1, 2, 3]


def test_a_log_that_is_not_there_is_empty_and_reading_makes_none(kept: Kept) -> None:
    space = kept.open().role(ROLE)
    log = space.log("uses")
    assert (log.mark(), log.read().appends, log.read().place) == (None, (), START)
    assert space.logs("") == []
    assert not space.exists()


def test_reading_since_a_place_gives_what_came_after_it(kept: Kept) -> None:
    log = kept.space().log("uses")
    places = [START]
    for number in range(4):
        log.append(row(number))
        places.append(log.read(places[-1]).place)
    for number, place in enumerate(places):
        assert said(kept.space(), since=place) == [(row(n),) for n in range(number, 4)]
    assert [place.lines for place in places] == [0, 1, 2, 3, 4]
    assert all(one != other for one, other in pairwise(places))


def test_an_append_of_several_lines_is_one(kept: Kept) -> None:
    log = kept.space().log("uses")
    log.append(row(0), row(1), row(2))
    log.append(row(3))
    log.append(row(4), row(5))
    appends = kept.space().log("uses").read().appends
    assert [append.lines for append in appends] == [
        (row(0), row(1), row(2)),
        (row(3),),
        (row(4), row(5)),
    ]
    assert [append.number for append in appends] == [1, 4, 5]


def test_a_writer_reads_what_it_wrote_and_what_others_wrote_in_between(kept: Kept) -> None:
    one, other = kept.space().log("uses"), kept.space().log("uses")
    one.append(row(0))
    other.append(row(1))
    assert said(kept.space()) == [(row(0),), (row(1),)]
    place = other.read().place
    one.append(row(2))
    assert [append.lines for append in other.read(place).appends] == [(row(2),)]


def test_another_handle_sees_a_change_by_the_mark_and_reads_only_that(kept: Kept) -> None:
    writer, reader = kept.space().log("uses"), kept.space().log("uses")
    writer.append(row(0))
    place, mark = reader.read().place, reader.mark()
    assert reader.mark() == mark
    writer.append(row(1))
    assert reader.mark() != mark
    found = reader.read(place)
    assert ([append.lines for append in found.appends], found.anew) == ([(row(1),)], False)


@pytest.mark.parametrize("fresh", [True, False], ids=["a new handle", "the same handle"])
def test_a_log_that_was_rewritten_is_read_anew(kept: Kept, fresh: bool) -> None:
    log = kept.space().log("uses")
    for number in range(5):
        log.append(row(number))
    place = log.read().place
    kept.space().log("uses").rewrite([(row(7),), (row(8), row(9))])
    found = (kept.space().log("uses") if fresh else log).read(place)
    assert [append.lines for append in found.appends] == [(row(7),), (row(8), row(9))]
    assert found.anew
    log.append(row(10))
    assert said(kept.space()) == [(row(7),), (row(8), row(9)), (row(10),)]


def test_a_log_that_was_deleted_is_gone_and_may_begin_anew(kept: Kept) -> None:
    log = kept.space().log("uses")
    log.append(row(0))
    place = log.read().place
    kept.space().log("uses").delete()
    assert (log.mark(), log.read(place).appends, log.read(place).anew) == (None, (), True)
    kept.space().log("uses").delete()
    log.append(row(1))
    assert said(kept.space()) == [(row(1),)]
    assert kept.space().log("uses").read(place).anew


def test_logs_are_listed_by_what_their_names_begin_with(kept: Kept) -> None:
    for name in [*LOGS, "journal/22"]:
        kept.space().log(name).append(row(0))
    kept.space().document("journal/note.json").put(b"{}")
    assert kept.space().logs("journal/") == ["journal/1", "journal/22"]
    assert kept.space().logs("chats/灯") == ["chats/灯塔-461be2fb"]
    assert kept.space().logs("") == ["uses"]


def test_a_large_log(kept: Kept) -> None:
    log, line = kept.space().log("uses"), b'{"text":"%s"}' % (b"x" * 2_000_000)
    log.append(line)
    log.append(*(row(number) for number in range(3000)))
    found = kept.space().log("uses").read().appends
    assert (found[0].lines[0], len(found[1].lines), len(found)) == (line, 3000, 2)


# logs: what a power cut, or a bad disk, leaves


LAST = row(2)


def damaged(kept: Kept) -> Space:
    """A space with a log of three appends, the middle one of two lines."""
    if kept.damage is None:
        pytest.skip("nothing of it can be damaged")
    log = kept.space().log("uses")
    log.append(row(0))
    log.append(row(10), row(11))
    log.append(LAST)
    return kept.space()


@pytest.mark.parametrize("kept_bytes", range(1, 35, 4))
def test_a_torn_tail_never_happened_and_the_log_goes_on(kept: Kept, kept_bytes: int) -> None:
    space = damaged(kept)
    assert kept.damage
    kept.damage("uses", lambda data: data[: data[:-1].rindex(b"\n") + 1 + kept_bytes])
    assert len(said(space)) == 2
    log = kept.space().log("uses")
    log.append(row(3))
    assert said(kept.space())[2:] == [(row(3),)]
    assert kept.space().log("uses").read().bad == ()


def test_an_append_of_which_a_line_is_missing_never_happened(kept: Kept) -> None:
    space = damaged(kept)
    assert kept.damage
    kept.damage("uses", lambda data: b"".join(data.splitlines(keepends=True)[:2]))
    assert said(space) == [(row(0),)]
    log = kept.space().log("uses")
    place = log.read().place
    log.append(row(3), row(4))
    assert [append.lines for append in log.read(place).appends] == [(row(3), row(4))]
    assert said(kept.space()) == [(row(0),), (row(3), row(4))]


@pytest.mark.parametrize(
    ("line", "left"),
    [
        pytest.param(1, [(row(10), row(11)), (LAST,)], id="a line of its own"),
        pytest.param(2, [(row(0),), (LAST,)], id="the first of two takes both"),
        pytest.param(3, [(row(0),), (LAST,)], id="the last of two takes both"),
    ],
)
@pytest.mark.parametrize("how", ["changed", "zeros", "no sum"])
def test_a_damaged_line_is_told_by_its_number(
    kept: Kept, line: int, left: list[tuple[bytes, ...]], how: str
) -> None:
    space = damaged(kept)
    assert kept.damage

    def change(data: bytes) -> bytes:
        rows = data.splitlines(keepends=True)
        rows[line - 1] = {
            "changed": rows[line - 1].replace(b'"n"', b'"m"'),
            "zeros": bytes(len(rows[line - 1]) - 1) + b"\n",
            "no sum": b'{"n":1}\n',
        }[how]
        return b"".join(rows)

    kept.damage("uses", change)
    found = space.log("uses").read()
    assert [append.lines for append in found.appends] == left
    assert found.bad == (line,)


# documents and blobs


def test_a_document_is_kept_as_it_was_put_byte_for_byte(kept: Kept) -> None:
    for number, data in enumerate(
        [b"", b"\xef\xbb\xbf{}\r\n", bytes(range(256)), b"x" * 3_000_000]
    ):
        kept.space().document(f"state/{number}.json").put(data)
        assert kept.space().document(f"state/{number}.json").read() == data
        kept.space().blob(f"cache/{number}.bin").put(data)
        assert kept.space().blob(f"cache/{number}.bin").read() == data


def test_a_document_that_is_not_there(kept: Kept) -> None:
    space = kept.open().role(ROLE)
    document = space.document("memory.json")
    assert document.mark() is None
    with pytest.raises(FileNotFoundError):
        document.read()
    document.delete()
    assert not space.exists()


def test_compare_and_set_is_done_by_who_saw_what_stands_there(kept: Kept) -> None:
    one, other = kept.space().document("memory.json"), kept.space().document("memory.json")
    assert one.swap(b"1", None).done
    assert not other.swap(b"2", None).done
    assert other.swap(b"2", b"1").done
    assert not one.swap(b"3", b"1").done
    assert one.read() == b"2"


def test_the_mark_tells_one_state_from_another(kept: Kept) -> None:
    document = kept.space().document("memory.json")
    seen = [document.mark()]
    for number in range(4):
        kept.space().document("memory.json").put(b"%d" % number * (number + 1))
        assert document.mark() == document.mark()
        seen.append(document.mark())
    document.delete()
    assert len(set(seen)) == 5
    assert document.mark() is None


def test_names_are_listed_and_gone_when_deleted(kept: Kept) -> None:
    space = kept.space()
    for name in ("memory.json", "role.json", "worldbooks/港口.json", "worldbooks/a b.json"):
        space.document(name).put(b"{}")
    space.document("memory.json").swap(b"[]", b"{}")
    assert [name for name in space.names("") if not name.endswith(".prev")] == [
        "memory.json",
        "role.json",
    ]
    assert space.names("worldbooks/") == ["worldbooks/a b.json", "worldbooks/港口.json"]
    space.document("worldbooks/a b.json").delete()
    assert kept.space().names("worldbooks/") == ["worldbooks/港口.json"]
    assert space.names("nowhere/") == []


def test_a_swap_leaves_nothing_behind(kept: Kept) -> None:
    document = kept.space().document("memory.json")
    document.swap(b"1", None)
    document.swap(b"2", b"wrong")
    assert list(document.strays()) == []
    document.settle()
    assert document.read() == b"1"


@pytest.mark.parametrize("name", ["../x", "a/../b", "/etc/x", "a\\b", "", "a//b", ".", "a\nb"])
def test_a_name_is_no_way_out(kept: Kept, name: str) -> None:
    for open_ in (kept.space().log, kept.space().document, kept.space().blob):
        with pytest.raises(UnsafePathError):
            open_(name)


def test_the_size_is_that_of_everything(kept: Kept) -> None:
    kept.space().document("memory.json").put(b"x" * 1000)
    kept.space().log("chats/x").append(row(0))
    assert 1000 + len(row(0)) <= kept.space().size() < 1400


# what changed


def test_a_listing_changes_when_a_log_comes_or_goes_and_not_when_it_grows(kept: Kept) -> None:
    space, seen = kept.space(), list[object]()
    log = kept.space().log("chats/a")
    seen.append(space.listed("chats/"))
    log.append(row(0))
    seen.append(space.listed("chats/"))
    log.append(row(1))
    assert space.listed("chats/") == seen[-1]
    kept.space().log("chats/b").append(row(0))
    seen.append(space.listed("chats/"))
    kept.space().log("chats/b").delete()
    seen.append(space.listed("chats/"))
    assert len(set(seen)) == 4


def test_who_announces_knows_whether_they_were_alone(kept: Kept) -> None:
    one, other = kept.space(), kept.space()
    one.log("chats/a").append(row(0))
    one.announce("chats/", 7)
    before = one.changes("chats/")
    one.announce("chats/", 255)
    after = other.changes("chats/")
    assert before is not None
    assert after is not None
    assert (after != before, after.size) == (True, before.size + 1)
    assert other.announced("chats/", before, after) == b"\xff"
    assert other.announced("chats/", before, before) in (b"", b"\xff")
    assert one.changes("chats/") == after
    assert one.changes("journal/") is None


# locks


def test_a_lock_keeps_every_other_thread_out(kept: Kept) -> None:
    inside, most = list[int](), list[int]()

    def work() -> None:
        for number in range(20):
            with kept.space().lock("chats"):
                inside.append(number)
                most.append(len(inside))
                inside.pop()

    threads = [on_thread(work) for _ in range(4)]
    for thread in threads:
        thread.join()
    assert (max(most), len(most)) == (1, 80)


def test_locks_of_different_names_do_not_know_each_other(kept: Kept) -> None:
    with kept.space().lock("chats"), kept.space().lock("state"), kept.space().lock():
        pass


def test_a_lock_that_cannot_be_had_in_time_says_so(kept: Kept) -> None:
    for name in ("", "chats", "state/model"):
        with (
            kept.space().lock(name),
            pytest.raises(BusyError),
            kept.space().lock(name, timeout_s=0.0),
        ):
            pass


def test_a_lock_is_free_again_after_an_error(kept: Kept) -> None:
    with pytest.raises(ZeroDivisionError), kept.space().lock("chats"):
        raise ZeroDivisionError
    with kept.space().lock("chats"):
        pass


def _numbered(space: Space, times: int) -> None:
    log, place, last = space.log("uses"), START, 0
    for _ in range(times):
        with space.lock("uses"):
            part = log.read(place)
            last, place = last + sum(len(append.lines) for append in part.appends), part.place
            log.append(row(last + 1))


def test_numbers_that_are_given_under_the_lock_are_given_once(kept: Kept) -> None:
    threads = [on_thread(lambda: _numbered(kept.space(), 25)) for _ in range(4)]
    for thread in threads:
        thread.join()
    assert said(kept.space()) == [(row(number),) for number in range(1, 101)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_and_in_many_processes(kept: Kept) -> None:
    if not kept.processes:
        pytest.skip("no other process can open it")

    def work() -> int:
        _numbered(kept.space(), 25)
        return 0

    children = [forked(work) for _ in range(4)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert said(kept.space()) == [(row(number),) for number in range(1, 101)]


def test_a_reader_never_waits_for_a_writer(kept: Kept) -> None:
    kept.space().log("uses").append(row(0))
    done = threading.Event()

    def read() -> None:
        assert said(kept.space()) == [(row(0),)]
        done.set()

    with kept.space().lock("uses"), kept.space().lock():
        on_thread(read)
        assert done.wait(60)


# homes


def test_a_role_appears_with_its_documents(kept: Kept) -> None:
    home = kept.open()
    assert home.roles() == []
    space = home.create(ROLE, {"role.json": b"{}", "memory.json": b"[]"})
    assert (home.roles(), space.name, space.exists()) == ([ROLE], ROLE, True)
    assert kept.space().document("memory.json").read() == b"[]"
    with pytest.raises(FileExistsError):
        kept.open().create(ROLE, {})


@pytest.mark.parametrize(
    "spelling", [ROLE.upper(), f"{{{ROLE}}}", f"urn:uuid:{ROLE}", ROLE.replace("-", "")]
)
def test_a_role_has_one_space_however_its_id_is_spelt(kept: Kept, spelling: str) -> None:
    kept.open().create(ROLE, {"role.json": b"{}"})
    assert kept.open().role(spelling).document("role.json").read() == b"{}"


@pytest.mark.parametrize("name", ["..", "mira", "", "a/b"])
def test_no_other_name_is_a_role(kept: Kept, name: str) -> None:
    with pytest.raises(UnsafePathError):
        kept.open().role(name)


def test_the_home_has_a_space_of_its_own(kept: Kept) -> None:
    kept.open().home.document("personas.json").put(b"{}")
    kept.open().create(ROLE, {"role.json": b"[]"})
    assert kept.open().home.document("personas.json").read() == b"{}"
    assert kept.open().home.names("") == ["personas.json"]
    assert kept.open().roles() == [ROLE]


# deleted roles

WRITES: dict[str, Callable[[Space], object]] = {
    "appends to a log": lambda space: space.log("uses").append(row(1)),
    "appends to a new log": lambda space: space.log("chats/inn").append(row(1)),
    "puts a blob": lambda space: space.blob("role.json").put(b"{}"),
    "puts a new blob": lambda space: space.blob(".cache/vectors/a.bin").put(b"{}"),
    "swaps a document": lambda space: space.document("memory.json").swap(b"[]", None),
    "takes the lock": lambda space: space.lock().__enter__(),
    "takes another lock": lambda space: space.lock("state").__enter__(),
}


def filled(kept: Kept) -> Space:
    """A role with a document and logs."""
    space = kept.open().create(ROLE, {"role.json": b'{"name":"Mira"}'})
    space.log("uses").append(row(0))
    space.log("chats/harbour").append(row(0))
    return space


def test_of_a_deleted_role_nothing_is_read(kept: Kept) -> None:
    space = filled(kept)
    log, document = space.log("uses"), space.document("role.json")
    place = log.read().place
    kept.open().delete(ROLE)
    storage = kept.open()
    assert (storage.roles(), storage.problems(), space.exists()) == ([], [], False)
    assert (log.mark(), log.read(place).appends, document.mark()) == (None, (), None)
    assert (space.logs("chats/"), space.names("")) == ([], [])
    assert [one.name for one in storage.deleted()] == [ROLE]
    storage.purge(ROLE)
    storage.purge(ROLE)
    storage.delete(ROLE)
    assert kept.open().deleted() == []


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_late_writer_does_not_bring_a_deleted_role_back(
    kept: Kept, write: Callable[[Space], object]
) -> None:
    space = filled(kept)
    kept.open().delete(ROLE)
    for late in (space, kept.open().role(ROLE)):
        with pytest.raises(DeletedRoleError, match="this role was deleted"):
            write(late)
    assert not late.exists()
    assert kept.open().create(ROLE, {}).names("") == []


def test_a_restored_role_is_as_it_was(kept: Kept) -> None:
    space = filled(kept)
    kept.open().delete(ROLE)
    [deleted] = kept.open().deleted()
    assert (deleted.name, deleted.document("role.json").read()) == (ROLE, b'{"name":"Mira"}')
    assert kept.open().restore(ROLE).log("uses").append(row(1)) is None
    assert said(kept.space()) == [(row(0),), (row(1),)]
    assert said(kept.space(), "chats/harbour") == [(row(0),)]
    assert space.document("role.json").read() == b'{"name":"Mira"}'
    assert (kept.open().roles(), kept.open().deleted()) == ([ROLE], [])


def test_a_role_is_not_restored_over_another_one_of_its_id(kept: Kept) -> None:
    filled(kept)
    kept.open().delete(ROLE)
    kept.open().create(ROLE, {"role.json": b"[]"})
    with pytest.raises(FileExistsError):
        kept.open().restore(ROLE)
    assert kept.space().document("role.json").read() == b"[]"
    kept.open().delete(ROLE)
    [deleted] = kept.open().deleted()
    assert deleted.document("role.json").read() == b"[]"  # of the two the newer one
    kept.open().create(ROLE, {"role.json": b"{}"})
    kept.open().purge(ROLE)
    assert (kept.open().deleted(), kept.open().roles()) == ([], [ROLE])
