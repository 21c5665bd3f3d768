"""`serve`: the screens for a browser on this machine, and for no page but its own."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from support.command import COMMAND, inherited
from support.patience import PATIENCE

CONTROLS = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """The port of a server that has begun to listen."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = int(free.getsockname()[1])
    surroundings = {**inherited(), "LANG": "C.UTF-8", "INPLACE_TUI_HOME": str(tmp_path / "home")}
    with subprocess.Popen(
        [COMMAND, "serve", "--port", str(number)],
        env=surroundings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr is not None
        assert "with your rights" in server.stderr.readline()
        try:
            yield number
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(PATIENCE)


async def until_up(session: aiohttp.ClientSession, port: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                async with session.get(f"http://127.0.0.1:{port}/") as answer:
                    assert answer.status == 200
                    assert "font-src 'self'" in answer.headers["Content-Security-Policy"]
                    return
            except aiohttp.ClientConnectorError:
                await asyncio.sleep(0.05)


async def test_a_visit_is_a_session_and_no_other_page_has_one(port: int) -> None:
    address, own = f"http://127.0.0.1:{port}", {"Origin": f"http://127.0.0.1:{port}"}
    async with aiohttp.ClientSession() as session:
        await until_up(session, port)
        seen = b""
        async with (
            asyncio.timeout(PATIENCE),
            session.ws_connect(f"{address}/ws?width=80&height=24", headers=own) as visit,
        ):
            while b"Enter" not in seen or b"Welcome" not in seen:
                seen += CONTROLS.sub(b"", await visit.receive_bytes())
            await visit.send_json(["stdin", "\r"])
            while b"expected version 0" not in seen:  # a program ran, and its error came here
                seen += CONTROLS.sub(b"", await visit.receive_bytes())

        for headers in (
            {"Origin": "https://elsewhere.example"},
            {},
            {**own, "Host": f"elsewhere.example:{port}"},
        ):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(f"{address}/ws", headers=headers)
            assert refused.value.status == 403

    with socket.socket() as other, pytest.raises(ConnectionRefusedError):
        other.connect(("127.0.0.2", port))  # another address of the same machine
