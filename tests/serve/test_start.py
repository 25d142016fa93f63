"""A server listens soon: what only the page, REST or MCP need is loaded when one of them is asked."""

import asyncio
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from rolememory.serve.run import listening

LATE = (
    "fastapi",
    "mcp",
    "pygments",
    "snowballstemmer",
    "torch",
    "rolememory.serve.rest.router",
)
LISTENS = """
import sys
from rolememory.engine import Home
from rolememory.serve.app_state import AppState
from rolememory.serve.run import configured

configured(AppState(Home.open(sys.argv[1]))).load()
print(*sys.modules)
"""
COMMAND = ("-X", "importtime", "-m", "rolememory", "--home", ".", "--json", "serve", "--port", "0")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    folder: Path = tmp_path_factory.mktemp("home")
    done = subprocess.run(
        [sys.executable, "-c", LISTENS, str(folder)], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("module", LATE)
def test_is_no_part_of_the_start(loaded: set[str], module: str) -> None:
    assert module not in loaded


def test_the_command_loads_no_framework_either(tmp_path: Path) -> None:
    (tmp_path / "rolememory.toml").write_text('[embedding]\nbackend = "off"\n')
    told = tmp_path / "imports.txt"
    with (
        told.open("w") as imports,
        subprocess.Popen(
            [sys.executable, *COMMAND], cwd=tmp_path, stdout=subprocess.PIPE, stderr=imports
        ) as server,
    ):
        assert server.stdout is not None
        listens = any(b'"url"' in line for line in server.stdout)
        server.terminate()
    named = {line.rpartition("|")[2].strip() for line in told.read_text().splitlines()}
    assert listens
    assert "uvicorn" in named
    assert not named.intersection({"fastapi", "mcp"})


def test_what_is_sent_leaves_at_once() -> None:
    """A word of an answer must not wait until the frontend has acknowledged the one before."""

    async def accepted() -> int:
        found = asyncio.get_running_loop().create_future()

        async def take(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = writer.get_extra_info("socket")
            found.set_result(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listening("127.0.0.1", 0) as listener:
            async with await asyncio.start_server(take, sock=listener):
                _, writer = await asyncio.open_connection(*listener.getsockname())
                value = await found
                writer.close()
        return int(value)

    assert asyncio.run(accepted())
