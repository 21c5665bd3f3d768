"""`python -m inplace_tui.blame train.py ARGS`: run a program as Python would, and watch it.

python -m inplace_tui.blame [--values] [--json FILE] SCRIPT | -m MODULE | -c CODE | -  [ARGS]
"""

from __future__ import annotations

import importlib.util
import json
import linecache
import os
import runpy
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

from inplace_tui.blame import report
from inplace_tui.blame.witness import Watching, found_in, without_ours

USAGE = (__doc__ or "").strip().splitlines()[-1].strip()


class CommandLine:
    """What stands before the program on the command line."""

    def __init__(self, arguments: list[str]) -> None:
        self.values = False
        self.json: str | None = None
        rest = list(arguments)
        while rest and rest[0] in ("--values", "--json", "-h", "--help"):
            option = rest.pop(0)
            if option == "--values":
                self.values = True
            elif option == "--json" and rest:
                self.json = rest.pop(0)
            else:
                stop(f"usage: {USAGE}", 0 if "-h" in option else 2)
        if not rest or (rest[0] in ("-m", "-c") and len(rest) == 1):
            stop(f"usage: {USAGE}", 2)
        if rest[0].startswith("-") and rest[0] not in ("-m", "-c", "-"):
            stop(f"no option of this program: {rest[0]}\nusage: {USAGE}", 2)
        self.program = rest


def stop(message: str, code: int) -> NoReturn:
    print(message, file=sys.stderr)
    sys.exit(code)


def main() -> None:
    options = CommandLine(sys.argv[1:])
    run = prepared(options.program)
    watching = Watching(values=options.values)
    uncaught: BaseException | None = None
    try:
        run()
    except Exception as error:
        uncaught = error
        watching.refused(error)
        without_launcher(error)
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        watching.stop()
        print_findings(watching.findings, uncaught)
        if options.json is not None:
            write(options.json, watching.findings)
    if uncaught is not None:
        sys.exit(1)


def prepared(program: list[str]) -> Callable[[], object]:
    """Set up `sys.argv`, `sys.path` and `__main__` as Python does; return what runs the program."""
    first, *arguments = program
    if first == "-m":
        return as_module(arguments[0], arguments[1:])
    if first == "-c":
        return as_text(arguments[0], "<string>", ["-c", *arguments[1:]])
    if first == "-":
        return as_text(sys.stdin.read(), "<stdin>", ["-", *arguments])
    sys.argv[:] = program
    if os.path.isdir(first) or (not first.endswith((".py", ".pyw")) and is_archive(first)):
        return lambda: runpy.run_path(first, run_name="__main__")
    path = os.path.abspath(first)
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    try:
        with open(path, "rb") as opened:
            source = opened.read()
    except OSError as error:
        stop(f"{os.path.basename(sys.executable)}: can't open file {path!r}: {error}", 2)
    module = main_module(__file__=path, __cached__=None)
    return lambda: execute(compile_program(source, path), module)


def is_archive(path: str) -> bool:
    import zipfile

    return zipfile.is_zipfile(path)


def as_text(source: str, name: str, arguments: list[str]) -> Callable[[], object]:
    sys.argv[:] = arguments
    lines = source.splitlines(keepends=True)
    linecache.cache[name] = (len(source), None, lines, name)
    module = main_module()
    return lambda: execute(compile_program(source, name), module)


def as_module(name: str, arguments: list[str]) -> Callable[[], object]:
    sys.path[0] = os.getcwd()
    sys.argv[:] = ["-m", *arguments]  # as it is while the packages around it are imported

    def run() -> None:
        try:
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.submodule_search_locations is not None:
                spec = importlib.util.find_spec(f"{name}.__main__")
        except ModuleNotFoundError as error:
            if error.name is not None and name.startswith(error.name):
                spec = None
            else:
                raise
        loader: Any = None if spec is None else spec.loader
        code = None if loader is None else loader.get_code(spec and spec.name)
        if spec is None or code is None:
            stop(f"{sys.executable}: No module named {name}", 1)
        sys.argv[0] = spec.origin or name
        module = main_module(
            __file__=spec.origin,
            __cached__=spec.cached,
            __spec__=spec,
            __loader__=spec.loader,
            __package__=spec.parent,
        )
        execute(code, module)

    return run


def compile_program(source: str | bytes, name: str) -> types.CodeType:
    return compile(source, name, "exec", dont_inherit=True)


def main_module(**attributes: object) -> types.ModuleType:
    """Return a new `__main__`, registered as such."""
    module = types.ModuleType("__main__")
    module.__dict__.update({"__builtins__": __builtins__, "__annotations__": {}, **attributes})
    sys.modules["__main__"] = module
    return module


def execute(code: types.CodeType, module: types.ModuleType) -> None:
    exec(code, module.__dict__)


def without_launcher(error: BaseException) -> None:
    """Drop what called the program from its traceback."""
    without_ours(error)
    tail = error.__traceback__
    while tail is not None and "runpy" in tail.tb_frame.f_code.co_filename:
        tail = tail.tb_next
    error.__traceback__ = tail


def print_findings(findings: list[report.Finding], uncaught: BaseException | None) -> None:
    """Print to stderr what Python's own traceback does not show."""
    shown: list[report.Finding] = []
    while uncaught is not None and hasattr(uncaught, "add_note"):
        found = found_in(uncaught)
        shown += [found] if found is not None else []
        uncaught = uncaught.__cause__ or uncaught.__context__
    for each in findings:
        if not any(each is one for one in shown):
            print(f"{report.heading(each)}\n{report.text(each)}", file=sys.stderr)


def write(path: str, findings: list[report.Finding]) -> None:
    """Write all findings as JSON; each process of a launcher into a file of its own."""
    if int(os.environ.get("WORLD_SIZE", "1")) > 1 and "RANK" in os.environ:
        path = f"{path}.rank{os.environ['RANK']}"
    with open(path, "w", encoding="utf-8") as opened:
        json.dump({"findings": findings}, opened, indent=2)
        opened.write("\n")


if __name__ == "__main__":
    main()
