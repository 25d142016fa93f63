"""What becomes of a draft that meets what is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from rolememory.learn.reconcile import Known, edits, reconcile
from rolememory.schema.claims import USER, Claim
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft, Verdict
from rolememory.schema.memory import Evidence, Memory, MemoryType, Source
from rolememory.schema.wording import word
from rolememory.storage.files.space import FileSpace
from rolememory.storage.memories import RoleStore
from tests.builders import memory, on_day


def told(
    text: str, *, day: float = 10, subject: str | None = USER, version: str = "v", **fields: object
) -> Draft:
    """A fact from the user's own words."""
    plain = Draft(
        text,
        MemoryType.SEMANTIC,
        Source.USER_INPUT,
        (Evidence(chat="c", version=version),),
        Reason("raw"),
        subject=subject,
    )
    return replace(plain, created=on_day(day), **fields)  # type: ignore[arg-type]


def learned(
    memory_id: str, text: str, *, day: float = 1, subject: str | None = USER, **fields: object
) -> Memory:
    """A fact that was learned from a chat."""
    fields.setdefault("evidence", (Evidence(chat="c", version=f"v{day}"),))
    fields.setdefault("source", Source.USER_INPUT)
    return memory(
        memory_id, text, day=day, subject=subject, **({"type": MemoryType.SEMANTIC} | fields)
    )


def written(memory_id: str, text: str, **fields: object) -> Memory:
    """What an author wrote about the user."""
    return memory(memory_id, text, **({"subject": USER, "type": MemoryType.SEMANTIC} | fields))  # type: ignore[arg-type]


def judged(draft: Draft, *known: Memory) -> Verdict:
    """The verdict on one draft among these memories."""
    [verdict] = reconcile([draft], Known({one.id: one for one in known}), ["new"])
    return verdict


@dataclass(frozen=True)
class Case:
    draft: Draft
    known: Sequence[Memory]
    action: str
    others: tuple[str, ...] = ()
    outdated_by: tuple[str, ...] = ()
    code: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)


ROME = learned("rome", "The user lives in Rome.")
CASES = [
    pytest.param(
        Case(told("The user plays chess."), [ROME], "add", code="unheard"),
        id="what nothing known speaks of is added",
    ),
    pytest.param(
        Case(told("The user moved to Berlin."), [ROME], "supersede", ("rome",), code="outdates"),
        id="a new home takes the place of the old one",
    ),
    pytest.param(
        Case(told("用户搬到了成都。"), [learned("rome", "用户住在杭州。")], "supersede", ("rome",)),
        id="搬了家，旧住处就过时了",
    ),
    pytest.param(
        Case(
            told("The user hates mushrooms."),
            [learned("a", "The user can't stand mushrooms.")],
            "merge",
            ("a",),
            code="restates",
        ),
        id="the same in other words is merged",
    ),
    pytest.param(
        Case(told("用户受不了香菜。"), [learned("a", "用户讨厌香菜。")], "merge", ("a",)),
        id="换句话说的同一件事会合并",
    ),
    pytest.param(
        Case(
            told("The user lives in Rome.", day=0),
            [learned("b", "The user moved to Berlin.", day=5)],
            "add",
            (),
            ("b",),
            "outdated",
        ),
        id="what was told earlier is outdated by what is known already",
    ),
    pytest.param(
        Case(
            told("The user hates rain.", day=0),
            [learned("b", "The user loathes rain.", day=5)],
            "add",
            (),
            ("b",),
            "restated",
        ),
        id="what was told earlier is restated by what is known already",
    ),
    pytest.param(
        Case(
            told("The user lives in Rome.", day=3),
            [
                learned("a", "The user lives in Rome."),
                learned("b", "The user moved to Berlin.", day=2),
            ],
            "supersede",
            ("b", "a"),
        ),
        id="who moves back replaces the last home and repeats the first",
    ),
    pytest.param(
        Case(
            told("The user hates mushrooms."),
            [learned("a", "The user likes mushrooms.", archived=True)],
            "supersede",
            ("a",),
        ),
        id="what is archived is outdated all the same",
    ),
    pytest.param(
        Case(
            told("The user moved to Berlin."),
            [written("a", "The user lives in Rome.")],
            "review",
            ("a",),
            code="against_author",
        ),
        id="what contradicts an author is shown to a person",
    ),
    pytest.param(
        Case(
            told("No, the user does not live in Rome.", explicit=True),
            [written("a", "The user lives in Rome.")],
            "review",
            ("a",),
            code="against_author",
        ),
        id="even where the user corrects it himself",
    ),
    pytest.param(
        Case(
            told("The user lives in Rome."),
            [written("a", "The user lives in Rome.")],
            "ignore",
            ("a",),
            code="known",
        ),
        id="what an author wrote needs no second memory",
    ),
    pytest.param(
        Case(
            told("The user moved to Berlin.", day=0),
            [written("a", "The user lives in Rome.", day=5)],
            "review",
            ("a",),
        ),
        id="an author's memory is not changed by an older word either",
    ),
    pytest.param(
        Case(
            told("The user moved to Berlin."),
            [learned("a", "The user lives in Rome.", locked=True)],
            "review",
            ("a",),
            code="against_locked",
        ),
        id="what is locked is not replaced",
    ),
    pytest.param(
        Case(
            told("The user lives in Rome."),
            [written("a", "The user lives in Rome.", archived=True)],
            "add",
        ),
        id="an author's memory that is archived says nothing",
    ),
    pytest.param(
        Case(
            told("The user lives in Rome."),
            [written("a", "The user lives in Rome."), learned("b", "The user moved to Berlin.")],
            "supersede",
            ("b",),
        ),
        id="what agrees with the author still outdates what was learned",
    ),
    pytest.param(
        Case(
            told("The user moved to Berlin.", user="lin"),
            [learned("a", "The user lives in Rome.", user="wu")],
            "add",
        ),
        id="another user's home stays",
    ),
    pytest.param(
        Case(
            told("The user moved to Berlin.", user="lin"),
            [learned("a", "The user lives in Rome.")],
            "supersede",
            ("a",),
        ),
        id="what was learned before the user had a name is about him",
    ),
    pytest.param(
        Case(
            told("The user lives in Rome.", day=0),
            [learned("a", "The user moved to Berlin.", user="lin")],
            "add",
            (),
            ("a",),
        ),
        id="and outdated by what he said once he had one",
    ),
    pytest.param(
        Case(
            told("Mira no longer guards the lighthouse.", user="lin", subject=None),
            [learned("a", "Mira guards the lighthouse.", subject=None)],
            "add",
        ),
        id="what all share about the role is not replaced by one user's word",
    ),
    pytest.param(
        Case(
            told("Anna moved to Berlin.", subject="Anna"),
            [learned("a", "The user lives in Rome.")],
            "add",
        ),
        id="another person's home says nothing about the user's",
    ),
    pytest.param(
        Case(
            told("The user's sister got divorced."),
            [learned("a", "The user's sister is married.", subject="the user's sister")],
            "supersede",
            ("a",),
        ),
        id="the user's sister is found under her own name and the user's",
    ),
    pytest.param(
        Case(
            told("The user is not divorced."),
            [learned("a", "The user's best friend is divorced.", subject="the user's best friend")],
            "add",
        ),
        id="what is said of a friend is not said of the user",
    ),
    pytest.param(
        Case(
            told("Mira hates the Empire.", source=Source.SUMMARY, subject=None, confidence=0.9),
            [
                learned(
                    "a",
                    "Mira loathes the Empire.",
                    subject=None,
                    source=Source.SUMMARY,
                    confidence=0.6,
                )
            ],
            "merge",
            ("a",),
            extra={"confidence": 0.6},
        ),
        id="what the character repeats it says no surer than before",
    ),
    pytest.param(
        Case(
            told("Mira hates the Empire.", source=Source.SUMMARY, subject=None),
            [
                learned(
                    "a",
                    "Mira loathes the Empire.",
                    subject=None,
                    source=Source.SUMMARY,
                    evidence=(),
                )
            ],
            "ignore",
            ("a",),
        ),
        id="what stands whatever happens need not be repeated by the character",
    ),
    pytest.param(
        Case(
            told("The user moved to Berlin.", source=Source.AI_OUTPUT),
            [ROME],
            "review",
            ("rome",),
            code="against_user",
        ),
        id="the character does not know better where the user lives",
    ),
    pytest.param(
        Case(told("The user lives in Rome.", source=Source.AI_OUTPUT), [ROME], "ignore", ("rome",)),
        id="the character echoes the user: nothing new",
    ),
    pytest.param(
        Case(
            told(
                "The user is into gardening these days.",
                source=Source.SUMMARY,
                replaces="the user works as a painter",
            ),
            [learned("a", "The user works as a painter.")],
            "supersede",
            ("a",),
        ),
        id="a model names the fact that is outdated",
    ),
    pytest.param(
        Case(
            told("The user gardens.", source=Source.SUMMARY, replaces="The user sails."),
            [ROME],
            "add",
            code="replaces_unknown",
        ),
        id="a model names a fact that nobody knows",
    ),
    pytest.param(
        Case(
            told(
                "The user gardens.", source=Source.SUMMARY, replaces="The user works as a painter."
            ),
            [written("a", "The user works as a painter.")],
            "review",
            ("a",),
            code="against_author",
        ),
        id="a model calls an author outdated",
    ),
    pytest.param(
        Case(
            told("The user went for a run.", type=MemoryType.EPISODIC),
            [learned("a", "The user went for a run.", type=MemoryType.EPISODIC)],
            "add",
        ),
        id="a run on another day is another run",
    ),
    pytest.param(
        Case(
            told("The user broke a leg skiing.", day=1.5, type=MemoryType.EPISODIC),
            [learned("a", "The user broke a leg skiing.", type=MemoryType.EPISODIC)],
            "merge",
            ("a",),
        ),
        id="the same accident told again an hour later is the same accident",
    ),
    pytest.param(
        Case(
            told("I hate mushrooms!", type=MemoryType.EPISODIC),
            [learned("a", "The user hates mushrooms.")],
            "add",
        ),
        id="a turn and the fact that it states are two things",
    ),
    pytest.param(
        Case(
            told(
                "Marcus came by. He gave up smoking.",
                type=MemoryType.EPISODIC,
                evidence=(Evidence(chat="c", version="v", quote="Marcus came by."),),
            ),
            [learned("a", "The user smokes.")],
            "add",
        ),
        id="somebody else's habit that a turn tells of is not the user's",
    ),
    pytest.param(
        Case(
            told("I finally quit smoking.", type=MemoryType.EPISODIC),
            [learned("a", "The user smokes.")],
            "supersede",
            ("a",),
        ),
        id="a turn outdates a fact in the user's own words",
    ),
    pytest.param(
        Case(
            told("The user works as a baker."),
            [learned("a", "The user is a nurse.")],
            "supersede",
            ("a",),
        ),
        id="another job, without a word in common",
    ),
    pytest.param(
        Case(
            told("The user also works as a baker on weekends."),
            [learned("a", "The user is a nurse.")],
            "add",
        ),
        id="a second job leaves the first",
    ),
    pytest.param(
        Case(
            told("The user does not like Rome."),
            [learned("a", "The user liked Rome on that day in spring.", type=MemoryType.EPISODIC)],
            "add",
        ),
        id="what happened is not undone by what is thought now",
    ),
    pytest.param(
        Case(
            told("The user has killed a man.", type=MemoryType.EPISODIC),
            [learned("a", "The user has never killed a man.", type=MemoryType.EPISODIC)],
            "supersede",
            ("a",),
        ),
        id="what never happened has happened now",
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_verdict(case: Case) -> None:
    verdict = judged(case.draft, *case.known)
    assert (verdict.action, set(verdict.others), verdict.outdated_by) == (
        case.action,
        set(case.others),
        case.outdated_by,
    )
    assert not case.code or verdict.because.code == case.code
    for name, value in case.extra.items():
        assert getattr(verdict.draft, name) == value


@pytest.mark.parametrize("case", CASES)
def test_every_reason_is_worded_and_names_the_other(case: Case) -> None:
    verdict = judged(case.draft, *case.known)
    for language in ("en", "zh"):
        sentence = word(verdict.because, language)
        assert verdict.because.code not in sentence
        assert all(other in sentence for other in (verdict.others or verdict.outdated_by)[:1])


def test_claims_of_a_draft_are_taken_as_they_are() -> None:
    claims = {name: Claim(USER, "employer", name, f"X {name}.", "") for name in ("Nokia", "Bosch")}
    drafts = [
        told(claims[name].content, day=day, claims=(claims[name],))
        for day, name in enumerate(claims)
    ]
    first, second = reconcile(drafts, Known(), ["nokia", "bosch"])
    assert first.action == "add"
    assert (second.action, second.others) == ("supersede", ("nokia",))


def test_drafts_of_one_batch_meet_each_other() -> None:
    drafts = [
        told("The user lives in Rome.", day=1),
        told("The user moved to Berlin.", day=2),
        told("The user likes tea.", day=3),
    ]
    verdicts = reconcile(drafts, Known())
    assert [verdict.action for verdict in verdicts] == ["add", "supersede", "add"]
    added = edits(verdicts, ["rome", "berlin", "tea"], {})
    assert [(edit.op, edit.id, edit.fields.get("supersedes")) for edit in added] == [
        ("add", "rome", None),
        ("add", "berlin", ["rome"]),
        ("add", "tea", None),
    ]
    assert "'rome'" in added[1].reason


def test_a_draft_that_waits_for_a_person_replaces_nothing_in_its_batch() -> None:
    known = Known({"a": written("a", "The user lives in Rome.")})
    drafts = [told("The user moved to Berlin.", day=2), told("The user moved to Oslo.", day=3)]
    assert [(verdict.action, verdict.others) for verdict in reconcile(drafts, known)] == [
        ("review", ("a",)),
        ("review", ("a",)),
    ]


def test_the_store_gets_one_transaction(tmp_path: Path) -> None:
    store = RoleStore(FileSpace(tmp_path / "role"))
    early, middle, late = (
        told(text, day=day, version=f"v{day}")
        for day, text in ((1, "用户讨厌跑步。"), (2, "用户爱上了跑步。"), (3, "用户不再喜欢跑步。"))
    )
    for memory_id, draft in (("middle", middle), ("late", late), ("early", early)):
        memories = store.snapshot().memories
        verdicts = reconcile([draft], Known(memories), [memory_id])
        store.commit(edits(verdicts, [memory_id], memories), actor="learn")
    found = store.snapshot().memories
    assert {one: set(found[one].supersedes) for one in found} == {
        "early": set(),
        "middle": {"early"},
        "late": {"middle", "early"},
    }
    assert found["early"].evidence[0].version == "v1"
    newest = store.history(limit=1)[0]
    assert (newest.op, newest.actor, newest.id) == ("set", "learn", "late") or newest.id == "middle"
    assert "late" in "".join(line.reason for line in store.history())
    store.abandon()


def test_known_follows_by_difference() -> None:
    memories = {"rome": ROME, "tea": learned("tea", "The user likes tea.")}
    known = Known(memories)
    draft = told("The user moved to Berlin.")
    assert reconcile([draft], known, ["new"])[0].others == ("rome",)
    known.follow({"tea": memories["tea"]})
    assert reconcile([draft], known, ["new"])[0].others == ()
    known.follow({"tea": memories["tea"], "oslo": learned("oslo", "The user lives in Oslo.")})
    assert reconcile([draft], known, ["new"])[0].others == ("oslo",)
    known.follow({"tea": memories["tea"], "oslo": learned("oslo", "The user plays chess.")})
    assert reconcile([draft], known, ["new"])[0].others == ()


def test_embeddings_help_to_see_a_restatement_and_never_a_clash() -> None:
    known = Known({"a": learned("a", "The user collects old stamps eagerly.")})
    draft = told("The user collects old stamps with passion.")
    assert reconcile([draft], known, alike=lambda one, other: 0.95)[0].action == "merge"
    assert reconcile([draft], known, alike=lambda one, other: None)[0].action == "add"
    twins = told("The user collects 3 old stamps with passion.")
    assert reconcile([twins], known, alike=lambda one, other: 0.99)[0].action == "add"
