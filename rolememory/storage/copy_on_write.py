"""A dict whose copies share what they have in common, so that a small change to many values costs little."""

from collections.abc import ItemsView, Iterator, KeysView, Mapping, MutableMapping, ValuesView
from typing import Any, Self, TypeVar

Value = TypeVar("Value")
_MOST = 512  # values that may differ from the shared ones
_GONE = object()


class CopyOnWriteDict(MutableMapping[str, Value]):
    """Values by id in the order of a dict. A copy costs O(`_MOST`), and O(values) once in so many changes.

    >>> one = CopyOnWriteDict({"a": 1, "b": 2})
    >>> other = one.copy()
    >>> other["c"], other["a"] = 3, 4
    >>> dict(one), dict(other)
    ({'a': 1, 'b': 2}, {'a': 4, 'b': 2, 'c': 3})
    """

    __slots__ = ("_own", "_shared", "_size")

    def __init__(self, shared: dict[str, Value]) -> None:
        """`shared` must not change from now on."""
        self._shared, self._size = shared, len(shared)
        self._own: dict[str, Any] = {}  # instead of shared values or after them; `_GONE` = removed

    @classmethod
    def of(cls, values: Mapping[str, Value]) -> Self:
        """A copy of any mapping."""
        return values.copy() if isinstance(values, cls) else cls(dict(values))

    def copy(self) -> Self:
        """A copy to change."""
        if len(self._own) > _MOST:
            return type(self)(dict(self._whole()))
        other = type(self)(self._shared)
        other._own, other._size = self._own.copy(), self._size
        return other

    def alike(self, other: "CopyOnWriteDict[Value]") -> bool:
        """Whether the values are the same objects in the same order; may be false where both hardly share anything any more."""
        if self._shared is other._shared:
            mine, theirs = self._own, other._own
        else:
            mine, theirs = self._whole(), other._whole()
        same = len(mine) == len(theirs) and [*mine] == [*theirs]
        return same and all(a is b for a, b in zip(mine.values(), theirs.values(), strict=True))

    def _whole(self) -> dict[str, Value]:
        """All values; not to be changed."""
        if not self._own:
            return self._shared
        whole = {**self._shared, **self._own}
        for one, value in self._own.items():
            if value is _GONE:
                del whole[one]
        return whole

    def get(self, one: str, default: Any = None) -> Any:
        """The value of an id, or `default`."""
        found = self._own.get(one, self)
        if found is self:
            return self._shared.get(one, default)
        return default if found is _GONE else found

    def __getitem__(self, one: str) -> Value:
        found: Value = self._own.get(one, _GONE) if one in self._own else self._shared[one]
        if found is _GONE:
            raise KeyError(one)
        return found

    def __setitem__(self, one: str, value: Value) -> None:
        if self._own.get(one) is _GONE:  # it comes last now
            self._shared, self._own = dict(self._whole()), {}
        self._size += one not in self
        self._own[one] = value

    def __delitem__(self, one: str) -> None:
        if one not in self:
            raise KeyError(one)
        self._size -= 1
        if one in self._shared:
            self._own[one] = _GONE
        else:
            del self._own[one]

    def __contains__(self, one: object) -> bool:
        return self._own[one] is not _GONE if one in self._own else one in self._shared

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def keys(self) -> KeysView[str]:
        """All ids, of one moment. Cost: O(n)."""
        return self._whole().keys()

    def values(self) -> ValuesView[Value]:
        """All values, of one moment. Cost: O(n)."""
        return self._whole().values()

    def items(self) -> ItemsView[str, Value]:
        """All ids with their values, of one moment. Cost: O(n)."""
        return self._whole().items()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CopyOnWriteDict) and self._shared is other._shared:
            touched = self._own.keys() | other._own.keys()
            return all(self.get(one, _GONE) == other.get(one, _GONE) for one in touched)
        return isinstance(other, Mapping) and self._whole() == dict(other)

    __hash__ = None  # type: ignore[assignment]
