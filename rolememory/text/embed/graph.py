"""An embedding model in this process, by onnxruntime, from the export of `rolememory model export`. Without torch or sentence-transformers.

    <home>/.cache/graph/manifest.json             origin and inputs of the graph; written last
    <home>/.cache/graph/<sha256>.onnx             the graph: tokens in, normalised vectors out
    <home>/.cache/graph/<sha256>.tokenizer.json   the tokenizer, with truncation and padding

A cache: without it, the original model is used.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from rolememory.errors import ModelError
from rolememory.locales import localized
from rolememory.schema.settings import EmbeddingSettings
from rolememory.text.arrays import Floats, np
from rolememory.text.embed.base import normalised
from rolememory.text.embed.in_process import InProcess, vector_space
from rolememory.text.embed.local import checked_digest, digest_of, size_of, weights_of

MANIFEST = "manifest.json"
PROBE = "lighthouse"  # embedded once to check the graph

DType = Literal["float32", "int8"]
_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Size = Annotated[int, Field(ge=1)]


class Manifest(BaseModel, frozen=True):
    """Origin and inputs of a graph."""

    format: Literal[1] = 1
    model: str  # as shown to people
    weights: _Digest  # sha256 of the original weights
    weights_bytes: _Size  # their size, for the quick check
    graph: _Digest
    tokenizer: _Digest
    dtype: DType
    dims: _Size
    max_tokens: _Size
    pooling: str
    inputs: tuple[Literal["input_ids", "attention_mask", "token_type_ids"], ...]
    unknown: int | None  # id of the unknown token
    deviation: float = 0.0  # largest 1 - cosine to the original

    def files(self, folder: Path) -> tuple[Path, Path]:
        """Paths of graph and tokenizer."""
        return folder / f"{self.graph}.onnx", folder / f"{self.tokenizer}.tokenizer.json"

    @property
    def runtime(self) -> str:
        """Name of the backend, for people."""
        return f"onnx {self.dtype}"


def graph_folder(home: Path) -> Path:
    """The folder of the graph of a home's model."""
    return home / ".cache" / "graph"


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest in a graph folder, or None.

    Raises:
        ModelError: the manifest is invalid.
    """
    try:
        return Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValidationError) as error:
        raise _refused(folder, "its manifest cannot be read") from error


def expected_graph(folder: Path, model: Path) -> Manifest | None:
    """The graph for a model's folder, by a quick check of sizes; None without one.

    Raises:
        ModelError: it exists but does not match.
    """
    if (found := read_manifest(folder)) is None:
        return None
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        raise ModelError(
            '{folder}: the graph waits for onnxruntime; pip install "rolememory[onnx]"',
            folder=folder,
        )
    if size_of(weights_of(model)) != found.weights_bytes:
        raise _foreign(folder)
    if not all(path.is_file() for path in found.files(folder)):
        raise _refused(folder, "files are missing")
    return found


def open_graph(
    folder: Path, model: Path, settings: EmbeddingSettings, sha256: str = ""
) -> "GraphModel | None":
    """The graph of a model's folder, checked against its weights; None without one.

    Raises:
        ModelError: it exists but is invalid.
    """
    if (found := expected_graph(folder, model)) is None:
        return None
    if checked_digest(model, settings, sha256) != found.weights:
        raise _foreign(folder)
    return GraphModel(folder, settings)


class GraphModel(InProcess):
    """The graph of a folder; `open_graph` checks its weights.

    Raises:
        ModelError: missing, damaged, or failing.
    """

    def __init__(self, folder: Path, settings: EmbeddingSettings | None = None) -> None:
        super().__init__(settings := settings or EmbeddingSettings())
        if (found := read_manifest(folder)) is None:
            raise _refused(folder, "there is none")
        self.manifest, self.runtime = found, found.runtime
        _check(folder, found)
        try:
            self._tokenizer = _tokenizer(found.files(folder)[1], settings.max_tokens)
            self._session = _session(found.files(folder)[0])
            width = self._computed([PROBE]).shape[1]
        except Exception as error:  # errors of two native libraries have many classes
            raise _refused(folder, "it does not run: {error}", error=str(error)[:200]) from error
        if width != found.dims:
            raise _refused(
                folder, "it gives {width} dimensions, not {dims}", width=width, dims=found.dims
            )
        self.dim = settings.dims or found.dims
        made = "float32" if found.dtype == "float32" else f"{found.dtype}:{found.graph[:16]}"
        self.key = vector_space(found.weights, settings, made)

    def _encode(self, texts: Sequence[str]) -> Floats:
        return normalised(self._computed(texts), self.dim)

    def _computed(self, texts: Sequence[str]) -> Floats:
        rows = self._tokenizer.encode_batch(list(texts))
        columns = {
            "input_ids": "ids",
            "attention_mask": "attention_mask",
            "token_type_ids": "type_ids",
        }
        fed = {
            name: np.array([getattr(row, columns[name]) for row in rows], dtype=np.int64)
            for name in self.manifest.inputs
        }
        vectors: Floats = self._session.run(None, fed)[0]
        return vectors

    def _tokens(self, text: str) -> tuple[Sequence[int], int | None]:
        first = self._tokenizer.encode(text, add_special_tokens=False)
        pieces = (first, *first.overflowing)
        return [one for piece in pieces for one in piece.ids], self.manifest.unknown


def _check(folder: Path, found: Manifest) -> None:
    try:
        sums = tuple(digest_of([path]) for path in found.files(folder))
    except OSError as error:
        raise _refused(folder, "files are missing") from error
    if sums != (found.graph, found.tokenizer):
        raise _refused(folder, "its files are damaged")


def _tokenizer(file: Path, max_tokens: int) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    if max_tokens:
        tokenizer.enable_truncation(
            max_tokens, direction=(tokenizer.truncation or {}).get("direction", "right")
        )
    return tokenizer


def _session(file: Path) -> Any:
    """An onnxruntime session, single-threaded: threads would wait for each other if a language model keeps the cores busy."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _foreign(folder: Path) -> ModelError:
    return _refused(folder, "it was drawn from another model")


def _refused(folder: Path, problem: str, **values: object) -> ModelError:
    return ModelError(
        "{folder}: this graph is not used: {problem}; draw it again with `rolememory model export`",
        folder=folder,
        problem=localized(problem, "", **values),
    )
