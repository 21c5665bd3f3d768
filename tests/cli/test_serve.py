"""`serve`: the screens for a browser on this machine, and for no page but its own."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import aiohttp
import pytest
from textual_serve.download_manager import DownloadManager

from inplace_tui.tutorial.commands.web_server import BoundedSession
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.ui.drafts.draft import Recovery
from support.command import COMMAND, Command, inherited
from support.patience import PATIENCE
from support.processes import marked, none_left
from support.rights import Outside

CONTROLS = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


@contextmanager
def serving(
    home: Path, *options: str, says: str = "with your rights", host: str = "127.0.0.1"
) -> Iterator[int]:
    """Yield the port of a server; at its end it has no word about how its sessions ended."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = int(free.getsockname()[1])
    surroundings = {**inherited(), "LANG": "C.UTF-8", "INPLACE_TUI_HOME": str(home)}
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(
            [COMMAND, *options, "serve", "--host", host, "--port", str(number)],
            env=surroundings,
            stdout=said,
            stderr=subprocess.PIPE,
            text=True,
        ) as server,
    ):
        assert server.stderr is not None
        assert says in server.stderr.readline()
        try:
            yield number
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(PATIENCE)
        said.seek(0)
        assert "child process" not in said.read()


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """The port of a server."""
    with serving(tmp_path / "home") as number:
        yield number


async def until_up(session: aiohttp.ClientSession, port: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                async with session.get(f"http://127.0.0.1:{port}/") as answer:
                    assert answer.status == 200
                    assert "font-src 'self'" in answer.headers["Content-Security-Policy"]
                    page = await answer.text()
                    assert ".focus();" in page  # keys need no click first
                    assert "width=device-width" in page  # a phone's columns can be read
                    assert ("https:" in page, "xterm.css" in page) == (False, True)
                    return
            except aiohttp.ClientConnectorError:
                await asyncio.sleep(0.05)


@pytest.mark.whole
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


@pytest.mark.whole
async def test_the_page_itself_is_in_the_language_of_the_session(tmp_path: Path) -> None:
    with serving(tmp_path / "home", "--lang", "zh", says="权限") as port:
        async with aiohttp.ClientSession() as session:
            await until_up(session, port)
            async with session.get(f"http://127.0.0.1:{port}/") as answer:
                page = await answer.text()

    assert ">会话已结束。<" in page
    assert ">重新开始<" in page
    assert "Restart" not in page


@pytest.mark.whole
async def test_on_all_addresses_a_page_is_that_of_the_one_it_was_asked_by(tmp_path: Path) -> None:
    with serving(tmp_path / "home", host="0.0.0.0") as port:
        async with aiohttp.ClientSession() as session:
            await until_up(session, port)
            for name, status in (("127.0.0.2", 200), ("elsewhere.example", 403)):
                asked = {"Host": f"{name}:{port}"}
                async with session.get(f"http://127.0.0.1:{port}/", headers=asked) as answer:
                    assert answer.status == status
                    assert (f'"ws://{name}:{port}/ws"' in await answer.text()) == (status == 200)


@pytest.mark.whole
def test_an_address_that_is_taken_is_refused_in_a_sentence(command: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        refused = command("serve", "--port", str(number))

    assert refused.returncode == 2
    assert f"http://127.0.0.1:{number}: Address already in use" in refused.stderr
    assert "Traceback" not in refused.stderr


async def visited(port: int, *steps: str) -> None:
    """Visit, wait for the first text, send the second, and so on."""
    address = f"http://127.0.0.1:{port}"
    async with aiohttp.ClientSession() as session:
        await until_up(session, port)
        seen = b""
        async with (
            asyncio.timeout(PATIENCE),
            session.ws_connect(
                f"{address}/ws?width=80&height=24", headers={"Origin": address}
            ) as visit,
        ):
            for place, step in enumerate(steps):
                if place % 2:
                    seen = b""
                    await visit.send_json(["stdin", step])
                    continue
                while step.encode() not in seen:
                    seen += CONTROLS.sub(b"", await visit.receive_bytes())


@pytest.mark.whole
async def test_a_visit_is_asked_about_a_pack_and_runs_nothing_of_it_before(tmp_path: Path) -> None:
    with Outside(tmp_path / "outside") as outside:
        pack = outside.write_lessons(tmp_path / "mine", "pack")
        with serving(tmp_path / "home", "--lessons", str(pack)) as port:
            await visited(port, "Welcome", "\x1b", "pack-fault", "\r", "trust it, and go on")

            assert outside.reached() == (0, 0)


@pytest.mark.whole
async def test_a_pack_that_is_trusted_is_confined_in_a_visit(tmp_path: Path) -> None:
    with Outside(tmp_path / "outside") as outside:
        pack = outside.write_lessons(tmp_path / "mine", "pack")
        with serving(tmp_path / "home", "--lessons", str(pack), "--trust") as port:
            steps = ("Welcome", "\x1b", "pack-fault", "\r", "step 0/8")
            await visited(port, *steps)

            assert outside.reached() == (0, 0)


class Visit:
    """One browser's session: what it was sent since it last typed."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self.seen = b""
        self.all = b""
        self._came = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        """Read all the time, as a browser does: only who reads answers the server's pings."""
        async for message in self._socket:
            came = CONTROLS.sub(b"", message.data)
            self.seen += came
            self.all += came
            self._came.set()

    async def sees(self, text: str) -> None:
        while text.encode() not in self.seen:
            self._came.clear()
            await self._came.wait()

    async def types(self, keys: str, text: str) -> None:
        """Press keys, and wait for what they lead to."""
        self.seen = b""
        await self._socket.send_json(["stdin", keys])
        await self.sees(text)


@pytest.mark.whole
async def test_two_visits_are_two_sessions_of_one_learner(port: int, tmp_path: Path) -> None:
    """Neither gets the other's keys or screens; what both did is kept, and none goes on."""
    home = str(tmp_path / "home")
    server = marked(home)
    address = f"http://127.0.0.1:{port}"
    own = {"Origin": address}
    async with asyncio.timeout(2 * PATIENCE), aiohttp.ClientSession() as session:
        await until_up(session, port)
        where = f"{address}/ws?width=120&height=40"
        async with session.ws_connect(where, headers=own) as second_socket:
            second = Visit(second_socket)
            await second.sees("Welcome")
            await second.types("\x1b", "filter")
            async with session.ws_connect(where, headers=own) as first_socket:
                first = Visit(first_socket)
                await first.sees("filter")  # it is the same learner, who was welcomed

                await first.types("\r", "y.exp()")
                await second.types("/", "/")
                await second.types("saved-output", "exp() keeps")
                await second.types("\r", "y.add_(1)")
                await asyncio.gather(first.types("n", "step 1"), second.types("n", "step 1"))
                await first.types("\x1b", "filter")
            await second.types("n", "step 2")  # the first has left
            await second.types("\x1b", "filter")
        await none_left(lambda: marked(home) - server)

    for visit, other, number in ((first, second, 1), (second, first, 4)):
        assert f"Lesson {number}/".encode() in visit.all
        assert f"Lesson {number}/".encode() not in other.all
    kept = Progress(tmp_path / "home" / "progress.json").record.lessons
    assert {name: each.cursor for name, each in kept.items()} == {
        "y-plus-one": 0,
        "saved-output": 1,
    }


def held(pids: set[int]) -> int:
    """MiB that these processes have in memory at most."""
    found = 0
    for pid in pids:
        with suppress(OSError):
            text = Path(f"/proc/{pid}/status").read_text()
            found = max(found, int(re.findall(r"VmHWM:\s+(\d+)", text)[0]) // 1024)
    return found


@pytest.mark.parametrize(
    ("query", "resize"),
    [
        ("width=99999999&height=24", None),
        ("width=80&height=99999999", None),
        ("width=-5&height=0", None),
        ("width=80&height=24", {"width": 99_999_999, "height": 99_999_999}),
        ("width=80&height=24", {"width": -1, "height": 1e9}),
    ],
)
@pytest.mark.whole
async def test_a_window_is_of_a_size_that_exists_and_gone_with_its_page(
    port: int, tmp_path: Path, query: str, resize: dict[str, float] | None
) -> None:
    home, address = str(tmp_path / "home"), f"http://127.0.0.1:{port}"
    server = marked(home)
    async with asyncio.timeout(2 * PATIENCE), aiohttp.ClientSession() as session:
        await until_up(session, port)
        where = f"{address}/ws?{query}"
        async with session.ws_connect(where, headers={"Origin": address}, max_msg_size=0) as page:
            await page.receive_bytes()
            if resize is not None:
                await page.send_json(["resize", resize])
            await asyncio.sleep(2)
            assert held(marked(home) - server) < 600
        await none_left(lambda: marked(home) - server)


@pytest.mark.parametrize("busy", [0, 3])
@pytest.mark.whole
async def test_what_was_typed_when_its_page_closed_is_kept(
    port: int, tmp_path: Path, busy: int
) -> None:
    """Also by a session that is slow, with keys that it has not read yet."""
    home, address = str(tmp_path / "home"), f"http://127.0.0.1:{port}"
    server = marked(home)
    async with asyncio.timeout(2 * PATIENCE), aiohttp.ClientSession() as session:
        await until_up(session, port)
        where = f"{address}/ws?width=80&height=24"
        async with session.ws_connect(where, headers={"Origin": address}) as socket:
            page = Visit(socket)
            await page.sees("Welcome")
            await page.types("\x1b", "filter")
            await page.types("e", "Type a program")
            sessions = marked(home) - server
            for pid in sessions if busy else ():
                os.kill(pid, signal.SIGSTOP)
            await socket.send_json(["stdin", "typed = 1"])
            await asyncio.sleep(0.2)
        await asyncio.sleep(busy)
        for pid in sessions if busy else ():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        await none_left(lambda: marked(home) - server)

    assert Recovery(tmp_path / "home" / "unsaved").kept(None).text == "typed = 1"


@pytest.mark.whole
async def test_ctrl_c_waits_for_no_page_that_does_not_answer(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with serving(home) as port:
        address = f"127.0.0.1:{port}"
        async with aiohttp.ClientSession() as session:
            await until_up(session, port)
        pages = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        for page in pages:  # none reads another byte, or closes
            page.sendall(
                f"GET /ws?width=200&height=50 HTTP/1.1\r\nHost: {address}\r\n"
                f"Origin: http://{address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                "Sec-WebSocket-Version: 13\r\n\r\n".encode()
            )
        await asyncio.sleep(3)
        began = time.monotonic()
    took = time.monotonic() - began
    for page in pages:
        page.close()

    await none_left(lambda: marked(str(home)))
    assert took < 4  # 1.5 s for the sessions, and a busy machine


async def test_a_session_that_is_ending_is_waited_for_and_not_killed() -> None:
    ends = "import os, sys, time; os.write(1, b'__GANGLION__\\n'); sys.stdin.read(1)\n"
    ends += "os.close(1); os.close(2); time.sleep(0.3); os._exit(7)"

    async def send(_: object = None) -> None:
        """Do what a page would."""

    session = BoundedSession(
        shlex.join([sys.executable, "-c", ends]),
        write_bytes=send,
        write_str=send,
        close=send,
        download_manager=DownloadManager(),
    )
    await session.start(80, 24)
    await session.stop(PATIENCE)
    assert session._process is not None
    assert session._process.returncode == 7  # -9: what it had to keep is lost
