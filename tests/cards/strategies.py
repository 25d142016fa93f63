"""Cards and books made by chance: every known field may be there, be missing or be null, and unknown ones stand at every level."""

from typing import Any

from hypothesis import strategies as st

Raw = dict[str, Any]

LETTERS = st.characters(exclude_categories=["Cs"])
WORDS = st.text(LETTERS, max_size=12)
NAMES = st.text("abcXYZ_-./ ké灯", min_size=1, max_size=6).map(
    lambda name: f"x{name}"
)  # no field of any format begins so
NUMBERS = st.one_of(
    st.integers(-5, 200),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
)
LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, WORDS)
JUNK = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)
UNKNOWN = st.dictionaries(NAMES, JUNK, max_size=2)
KEYS = st.lists(st.text("abc灯火 .", min_size=1, max_size=5), max_size=3)
PROSE = st.text(LETTERS, max_size=30).filter(lambda said: "@@" not in said)


@st.composite
def objects(
    draw: st.DrawFn,
    needed: dict[str, st.SearchStrategy[Any]],
    optional: dict[str, st.SearchStrategy[Any]],
) -> Raw:
    """An object with fields in any order, and unknown ones among them."""
    fields = draw(st.fixed_dictionaries(needed, optional=optional))
    items = [*fields.items(), *draw(UNKNOWN).items()]
    return dict(draw(st.permutations(items)))


EXTENSIONS = st.fixed_dictionaries(
    {},
    optional={
        "position": st.integers(0, 7),
        "sticky": st.one_of(st.none(), st.integers(0, 9)),
        "depth": st.integers(0, 9),
        "probability": st.integers(0, 100),
        "useProbability": st.booleans(),
        "selectiveLogic": st.integers(0, 3),
        "group": WORDS,
        "vectorized": st.booleans(),
        "display_index": st.integers(0, 9),
    },
).flatmap(lambda known: UNKNOWN.map(lambda unknown: {**known, **unknown}))
CARD_ENTRY = objects(
    {
        "keys": KEYS,
        "content": PROSE,
        "extensions": EXTENSIONS,
        "enabled": st.booleans(),
        "insertion_order": st.integers(-9, 999),
    },
    {
        "id": st.one_of(st.integers(0, 5), st.none()),
        "comment": WORDS,
        "name": WORDS,
        "priority": st.integers(0, 9),
        "constant": st.booleans(),
        "selective": st.booleans(),
        "secondary_keys": KEYS,
        "case_sensitive": st.one_of(st.none(), st.booleans()),
        "position": st.sampled_from(["before_char", "after_char"]),
    },
)
V3_ENTRY = CARD_ENTRY.flatmap(
    lambda entry: st.booleans().map(lambda pattern: {**entry, "use_regex": pattern})
)
HEAD: dict[str, st.SearchStrategy[Any]] = {
    "name": WORDS,
    "description": WORDS,
    "scan_depth": st.integers(0, 9),
    "recursive_scanning": st.booleans(),
}


def card_books(entry: st.SearchStrategy[Raw]) -> st.SearchStrategy[Raw]:
    return objects({"entries": st.lists(entry, max_size=3)}, {**HEAD, "extensions": UNKNOWN})


WORLD_ENTRY = objects(
    {"key": KEYS, "content": PROSE, "order": st.integers(0, 200)},
    {
        "keysecondary": KEYS,
        "comment": WORDS,
        "constant": st.booleans(),
        "selective": st.booleans(),
        "selectiveLogic": st.integers(0, 3),
        "disable": st.booleans(),
        "position": st.integers(0, 7),
        "depth": st.one_of(st.none(), st.integers(0, 9)),
        "probability": st.one_of(st.none(), st.integers(0, 100)),
        "useGroupScoring": st.one_of(st.none(), st.booleans()),
        "addMemo": st.booleans(),
        "characterFilter": UNKNOWN,
        "delayUntilRecursion": st.one_of(st.booleans(), st.integers(0, 3)),
        "triggers": st.lists(st.sampled_from(["normal", "swipe"]), max_size=2),
        "extensions": UNKNOWN,
    },
)


@st.composite
def worlds(draw: st.DrawFn) -> Raw:
    entries = draw(st.lists(WORLD_ENTRY, max_size=3))
    numbers = draw(
        st.lists(st.integers(0, 20), min_size=len(entries), max_size=len(entries), unique=True)
    )
    named = {
        str(number): {"uid": number, **one}
        for number, one in zip(sorted(numbers), entries, strict=True)
    }
    return draw(objects({"entries": st.just(named)}, {"name": WORDS, "originalData": UNKNOWN}))


BOOKS: dict[str, st.SearchStrategy[Raw]] = {
    "character_book": card_books(V3_ENTRY),
    "lorebook_v3": objects({"spec": st.just("lorebook_v3"), "data": card_books(V3_ENTRY)}, {}),
    "sillytavern": worlds(),
}

V1_NEEDED: dict[str, st.SearchStrategy[Any]] = {"name": WORDS, "description": PROSE}
V1_OPTIONAL: dict[str, st.SearchStrategy[Any]] = dict.fromkeys(
    ("personality", "scenario", "first_mes", "mes_example"), PROSE
)
V2_OPTIONAL: dict[str, st.SearchStrategy[Any]] = {
    **V1_OPTIONAL,
    **dict.fromkeys(
        (
            "creator_notes",
            "system_prompt",
            "post_history_instructions",
            "creator",
            "character_version",
        ),
        WORDS,
    ),
    "alternate_greetings": st.lists(PROSE, max_size=2),
    "tags": st.lists(WORDS, max_size=2),
    "extensions": UNKNOWN,
    "character_book": st.one_of(st.none(), card_books(CARD_ENTRY)),
}
V3_OPTIONAL: dict[str, st.SearchStrategy[Any]] = {
    **V2_OPTIONAL,
    "character_book": st.one_of(st.none(), card_books(V3_ENTRY)),
    "nickname": WORDS,
    "creation_date": st.integers(0, 2**40),
    "source": st.lists(WORDS, max_size=2),
    "creator_notes_multilingual": st.dictionaries(st.sampled_from(["en", "zh"]), WORDS),
}
MIRRORED: dict[str, st.SearchStrategy[Any]] = {
    "name": WORDS,
    "description": PROSE,
    "creatorcomment": WORDS,
    "tags": st.lists(WORDS, max_size=1),
}
CARDS: dict[str, st.SearchStrategy[Raw]] = {
    "v1": objects(
        V1_NEEDED, {**V1_OPTIONAL, "creatorcomment": WORDS, "tags": st.lists(WORDS, max_size=1)}
    ),
    "v2": objects(
        {"spec": st.just("chara_card_v2"), "data": objects(V1_NEEDED, V2_OPTIONAL)},
        {"spec_version": st.sampled_from(["2.0", "2.1"]), **MIRRORED},
    ),
    "v3": objects(
        {
            "spec": st.just("chara_card_v3"),
            "spec_version": st.just("3.0"),
            "data": objects(V1_NEEDED, V3_OPTIONAL),
        },
        MIRRORED,
    ),
}
