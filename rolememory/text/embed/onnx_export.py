"""Exports a loaded model to ONNX: transformer, pooling, further layers and normalisation in one graph. Needs torch and the package onnx."""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rolememory.errors import ModelError
from rolememory.locales import Listed, localized
from rolememory.schema.value_class import value_class
from rolememory.text.embed.base import everyday_sentences
from rolememory.text.embed.local import LocalModel

if TYPE_CHECKING:
    from rolememory.text.embed.in_process import InProcess

OPSET = 17
MOST_BYTES = 19 * 10**8  # of weights: a graph is one protobuf message, at most 2 GiB
NEEDS = {
    "sentence_transformers": "sentence-transformers",
    "torch": "torch",
    "onnx": "onnx",
    "onnxruntime": "onnxruntime",
}
COMPARED = 12  # everyday sentences compared per language
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
SHOWN = (
    "The lamp is dark.",
    "Nora rowed out to the lighthouse while the harbour slept, and lit the beacon again.",
)
HARD = (
    "",
    "  THE LAMP\n\tis DARK!  ",
    "Café naïve 灯塔 ☂ 12,5 km",
    "灯塔熄灭的那一夜，",
    "The keeper's log of the storm, line by line. ",
)


@value_class
class ExportedGraph:
    """The inputs of a graph, and its tokenizer."""

    inputs: tuple[str, ...]
    tokenizer: str  # its tokenizer.json
    max_tokens: int
    pooling: str
    unknown: int | None


def check_tools() -> None:
    """Check that the packages for the export are installed.

    Raises:
        ModelError: names the missing ones.
    """
    if missing := [name for module, name in NEEDS.items() if find_spec(module) is None]:
        install = 'pip install "rolememory[semantic,onnx]"'
        raise ModelError(
            "a graph cannot be drawn without {missing}; {install} (only to draw: afterwards neither torch nor onnx is needed)",
            missing=Listed(missing),
            install=install,
        )


def export_onnx(local: LocalModel, to: Path) -> ExportedGraph:
    """Write the model's graph; the description of its inputs.

    Raises:
        ModelError: the kind of model cannot be exported.
    """
    import torch

    tokenizer = _fast_tokenizer(local.model)
    features = local.model.preprocess(list(SHOWN))
    inputs = tuple(name for name in INPUTS if name in features)
    axes = {name: {0: "texts", 1: "tokens"} for name in inputs} | {"vectors": {0: "texts"}}
    try:
        with _quiet(), torch.no_grad():
            torch.onnx.export(
                _whole(local.model, inputs), tuple(features[name] for name in inputs), str(to), dynamo=False, opset_version=OPSET,
                input_names=list(inputs), output_names=["vectors"], dynamic_axes=axes,
            )  # fmt: skip
    except OSError:  # such as a full disk: not the model's fault
        raise
    except Exception as error:  # a model that cannot be traced fails in many ways
        raise _unfit("it cannot be traced: {error}", error=str(error)[:200]) from error
    longest = int(local.model.max_seq_length or tokenizer.model_max_length)
    return ExportedGraph(
        inputs,
        _fed_by(tokenizer, longest),
        longest,
        _pooling(local.model),
        getattr(tokenizer, "unk_token_id", None),
    )


def rounded(file: Path, to: Path) -> None:
    """Write the graph with int8 weights: a quarter of the size.

    Raises:
        ModelError: quantisation failed.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    try:
        with _quiet():
            quantize_dynamic(str(file), str(to), per_channel=True, weight_type=QuantType.QInt8)
    except Exception as error:  # any error of the library is reported the same way
        raise _unfit("it cannot be rounded: {error}", error=str(error)[:200]) from error


def deviation(original: "InProcess", other: "InProcess") -> float:
    """The largest 1 - cosine between two models' vectors: over everyday sentences of all languages, and hard ones."""
    long = [text * 60 for text in HARD[-2:]]  # beyond the window of a small model
    texts = [
        *HARD,
        *long,
        *(one for sentences in everyday_sentences().values() for one in sentences[:COMPARED]),
    ]
    return float((1.0 - (original.embed(texts) * other.embed(texts)).sum(axis=1)).max())


def _whole(model: Any, inputs: Sequence[str]) -> Any:
    import torch

    class Whole(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList(model)

        def forward(self, *given: Any) -> Any:
            features: Any = dict(zip(inputs, given, strict=True))
            for layer in self.layers:
                features = layer(features)
            return torch.nn.functional.normalize(features["sentence_embedding"], dim=-1)

    return Whole().eval()


def _fast_tokenizer(model: Any) -> Any:
    tokenizer = getattr(model, "tokenizer", None)
    if not hasattr(tokenizer, "backend_tokenizer"):
        raise _unfit("it has no transformer with a fast tokenizer")
    return tokenizer


def _fed_by(tokenizer: Any, longest: int) -> str:
    """The tokenizer as JSON, with truncation and padding like the original."""
    from tokenizers import Tokenizer

    copy = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    copy.enable_truncation(longest, direction=tokenizer.truncation_side)
    padding = {
        "pad_id": tokenizer.pad_token_id or 0,
        "pad_token": tokenizer.pad_token or "",
        "pad_type_id": tokenizer.pad_token_type_id,
    }
    copy.enable_padding(direction=tokenizer.padding_side, **padding)
    text: str = copy.to_str()
    return text


def _pooling(model: Any) -> str:
    found = next((layer for layer in model if type(layer).__name__ == "Pooling"), None)
    mode = (
        getattr(found, "pooling_mode", None)
        or getattr(found, "get_pooling_mode_str", lambda: "none")()
    )
    return str(mode)


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress log messages of libraries about their internals."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _unfit(problem: str, **values: object) -> ModelError:
    return ModelError(
        "no graph can be drawn of this model: {problem}; it goes on by sentence-transformers",
        problem=localized(problem, "", **values),
    )
