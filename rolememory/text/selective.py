"""How secondary keys decide once a primary key was seen."""

from collections.abc import Sequence

from rolememory.schema.entry import SelectiveLogic


def selective(logic: SelectiveLogic, seen: Sequence[bool]) -> bool:
    """Whether the secondary keys let the entry fire; with none to ask, it does.

    `seen` has shape (n_secondary_keys,): true where that key is in the window.

    >>> selective(SelectiveLogic.NOT_ALL, [True, False])
    True
    >>> [selective(logic, [False, False]) for logic in SelectiveLogic]
    [False, False, True, True]
    """
    if not seen:
        return True
    return {
        SelectiveLogic.AND_ANY: any(seen),
        SelectiveLogic.AND_ALL: all(seen),
        SelectiveLogic.NOT_ANY: not any(seen),
        SelectiveLogic.NOT_ALL: not all(seen),
    }[logic]
