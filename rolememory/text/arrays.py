"""Array types, and numpy, loaded on first use."""

from typing import TYPE_CHECKING, Any

__all__ = ["Counts", "Doubles", "Floats", "Held", "Mask", "NDArray", "Rows", "np"]

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Doubles = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    Rows = NDArray[np.int64]
    Held = NDArray[np.uint32]
    Counts = NDArray[np.uint8]
else:
    from importlib import import_module

    NDArray = Floats = Doubles = Mask = Rows = Held = Counts = Any

    class _Numpy:
        """A lazy proxy of the numpy module."""

        def __getattr__(self, name: str) -> Any:
            value = getattr(import_module("numpy"), name)
            setattr(self, name, value)
            return value

    np = _Numpy()
