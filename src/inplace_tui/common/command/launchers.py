"""What `torchrun` would start: the script, its arguments, and the environment it is given."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass

from inplace_tui.common.command.parser import CommandError
from inplace_tui.common.texts.command import ErrorTexts

TORCHRUN = ("torch.distributed.run", "torch.distributed.launch")

ACCELERATE = ("accelerate", "accelerate.commands.launch", "accelerate.commands.accelerate_cli")
"""Its command and its modules. What their options do to the environment is theirs to know."""

_FLAGS = frozenset({"standalone", "use-env", "virtual-local-rank"})
_ONE = {"nnodes": ("1", "1:1"), "nproc-per-node": ("1",), "node-rank": ("0",)}
"""What these options must say where there is one process."""


@dataclass(frozen=True)
class Called:
    """What a command line calls."""

    name: str
    """A file, or with `is_module` a module, as `python -m` has it."""

    arguments: tuple[str, ...] = ()
    is_module: bool = False
    environment: tuple[tuple[str, str], ...] = ()


def _environment(options: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return what `torchrun` tells its only process, with a port that is free now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        free_port = found.getsockname()[1]
    ranks = ("RANK", "LOCAL_RANK", "GROUP_RANK", "ROLE_RANK")
    restarts = ("TORCHELASTIC_RESTART_COUNT", "TORCHELASTIC_MAX_RESTARTS")
    sizes = ("WORLD_SIZE", "LOCAL_WORLD_SIZE", "ROLE_WORLD_SIZE", "GROUP_WORLD_SIZE")
    rest = {
        "MASTER_ADDR": options.get("master-addr", "127.0.0.1"),
        "MASTER_PORT": options.get("master-port") or str(free_port),
        "ROLE_NAME": options.get("role", "default"),
        "TORCHELASTIC_RUN_ID": options.get("rdzv-id", "none"),
    }
    alone = {**dict.fromkeys((*ranks, *restarts), "0"), **dict.fromkeys(sizes, "1")}
    return tuple({**alone, "OMP_NUM_THREADS": "1", **rest}.items())


def started_by(called: Called) -> Called:
    """Return the script that a launcher would start; what is not called by one as it is."""
    if called.is_module and called.name in ACCELERATE:
        raise CommandError(ErrorTexts.accelerate)
    if called.is_module and called.name in TORCHRUN:
        return started_by(_launched(called.arguments))
    return called


def _launched(arguments: Sequence[str]) -> Called:
    """Return what `torchrun ARGUMENTS` starts."""
    options: dict[str, str] = {}
    words = list(arguments)
    is_module = False
    while words and words[0].startswith("-"):
        word, given, value = words.pop(0).partition("=")
        name = word.lstrip("-").replace("_", "-")
        if name in ("m", "module"):
            is_module = True
        elif name in ("no-python", "run-path", "h", "help"):
            raise CommandError(ErrorTexts.launcher_option, name=word)
        elif name not in _FLAGS:
            if not given and not words:
                raise CommandError(ErrorTexts.no_value, name=word)
            options[name] = value if given else words.pop(0)
    for name, only in _ONE.items():
        if options.get(name, only[0]) not in only:
            raise CommandError(ErrorTexts.one_process, name=f"--{name} {options[name]}")
    if not words:
        raise CommandError(ErrorTexts.missing, name="FILE")
    return Called(words[0], tuple(words[1:]), is_module, _environment(options))
