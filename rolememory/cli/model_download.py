"""Downloads models from the hub: the only network access for models."""

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

from rolememory.cli.output import out
from rolememory.errors import InvalidValueError, ModelError
from rolememory.schema.json_types import JsonObject

HUB = "https://huggingface.co"
PATTERNS = ("*.json", "*.txt", "*.safetensors", "*.model", "*.md")
SKIPPED = ("onnx/*", "openvino/*", "*.onnx")
TIMEOUT_S = 15.0
_PART = r"(?!\.+(?:/|$))[^/?#%\\ ]+"  # of a name on the hub
_REPOSITORY = re.compile(f"{_PART}(?:/{_PART})?")


def downloaded(repository: str, mirror: str | None, to: Path | None) -> Path:
    """The local folder of a downloaded model.

    Raises:
        ModelError: the hub does not respond, does not have it, or delivers something unsafe.
    """
    if find_spec("huggingface_hub") is None:
        install = 'pip install "rolememory[semantic]"'
        raise ModelError("huggingface_hub is not installed; {install}", install=install)
    from rolememory.schema.settings import EmbeddingSettings
    from rolememory.text.embed.local import DEFAULT_MODEL, PACKAGE_SHA256, cached, checked_digest

    endpoint = _address(mirror or os.environ.get("HF_ENDPOINT") or HUB)
    if to is None and (found := cached(repository)) is not None:
        return found
    files = _files(endpoint, repository)
    if not any(name.endswith(".safetensors") for name in files):
        raise ModelError(
            "{repository}: has no safetensors weights; take a model that has (others can run code)",
            repository=repository,
        )
    out.say("fetching {repository} from {endpoint}", repository=repository, endpoint=endpoint)
    folder = _snapshot(repository, endpoint, to)
    if repository == DEFAULT_MODEL:
        checked_digest(folder, EmbeddingSettings(), PACKAGE_SHA256)
    return folder


def _address(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise InvalidValueError("--mirror: expected a URL, got {url!r}; write https://...", url=url)
    return url.rstrip("/")


def _files(endpoint: str, repository: str) -> list[str]:
    """The files of the model by the hub: listed first, so that a missing network is reported in seconds."""
    import httpx

    if not _REPOSITORY.fullmatch(repository):
        raise ModelError(
            "{repository!r}: is neither a folder nor a name on the hub; see `rolememory model list`",
            repository=repository,
        )
    if os.environ.get("HF_HUB_OFFLINE", "0") not in ("", "0"):
        raise ModelError(
            "HF_HUB_OFFLINE is set, so the hub is not asked; unset it, or name a folder"
        )
    try:
        answer = httpx.get(
            f"{endpoint}/api/models/{repository}", timeout=TIMEOUT_S, follow_redirects=True
        )
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise _unreachable(endpoint, str(error)) from error
    if answer.status_code in (401, 403, 404):
        raise ModelError(
            "{repository}: {endpoint} has no such public model; see `rolememory model list`",
            repository=repository,
            endpoint=endpoint,
        )
    try:
        return [str(row["rfilename"]) for row in answer.raise_for_status().json()["siblings"]]
    except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
        raise _unreachable(endpoint, f"answered {answer.status_code}") from error


def _unreachable(endpoint: str, reason: str) -> ModelError:
    return ModelError(
        "{endpoint}: cannot be reached ({reason}); try --mirror URL, or name a folder that holds the model",
        endpoint=endpoint,
        reason=reason[:120],
    )


def _snapshot(repository: str, endpoint: str, to: Path | None) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    from rolememory.text.embed.local import DEFAULT_MODEL, DEFAULT_REVISION

    if not sys.stderr.isatty():
        disable_progress_bars()
    where: JsonObject = {"local_dir": str(to.expanduser().resolve())} if to else {}
    try:
        return Path(
            snapshot_download(
                repository,
                revision=DEFAULT_REVISION if repository == DEFAULT_MODEL else None,
                endpoint=endpoint,
                allow_patterns=list(PATTERNS),
                ignore_patterns=list(SKIPPED),
                etag_timeout=TIMEOUT_S,
                **where,
            )
        )
    except (
        Exception
    ) as error:  # any error of the library means the same to a person: the download failed
        raise _unreachable(
            endpoint, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        ) from error
