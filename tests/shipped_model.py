"""The model of the extra `offline`, with checked weights."""

from rolememory.text.embed.local import PACKAGE_SHA256, LocalModel, packaged


def shipped_model() -> LocalModel:
    """That model; where it is not installed, tests of it are skipped before."""
    folder = packaged()
    assert folder is not None, "no model in this installation"
    return LocalModel(folder, sha256=PACKAGE_SHA256)
