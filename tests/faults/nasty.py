"""Random programs that do to a process what may be done to one: the same number, the same program.

Each is a program of views and writes, as `forecasts` makes them, with statements between
its lines that no lesson would ever have. Whatever becomes of it is right, as long as it
ends, is gone when it has ended, and the next one finds nothing of it.
"""

from __future__ import annotations

import ast
import random
from textwrap import indent

from forecasts import programs
from inplace_tui.common.run.program import Origin, Program

HEAD = """\
import atexit, ctypes, faulthandler, gc, os, signal, socket, subprocess, sys, tempfile, threading
import time, warnings
import torch
def forever():
    while True: time.sleep(1)
def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: forever()
        os._exit(0)
"""

AFTER = 6
"""Statements at the beginning of such a program, which make the names that the others use."""

STATEMENTS = (
    # Threads and processes that outlive what started them.
    "threading.Thread(target=forever).start()",
    "threading.Thread(target=forever, daemon=True).start()",
    "[threading.Thread(target=forever, daemon=True).start() for _ in range(20)]",
    "threading.Thread(target=lambda: [print(n) for n in range(10_000)]).start()",
    "threading.Thread(target=os._exit, args=(5,)).start()",
    "subprocess.Popen(['sleep', '1000'])",
    "subprocess.Popen(['sleep', '1000'], start_new_session=True)",
    "subprocess.run('setsid sleep 1000 & (trap \"\" TERM HUP INT; sleep 1000) &', shell=True)",
    "subprocess.Popen(['sh', '-c', 'while :; do :; done'], stdout=subprocess.DEVNULL)",
    "subprocess.Popen(['yes'])",
    "daemon()",
    "[daemon() for _ in range(5)]",
    "os.fork()",
    "os.fork() or forever()",
    "os.fork() and os._exit(0)",
    "os.fork() or (os.closerange(0, 100_000), forever())",
    "os.setsid() if os.getpid() != os.getsid(0) else None",
    "os.setpgid(0, 0)",
    # Signals.
    "[signal.signal(n, signal.SIG_IGN) for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]",
    "signal.signal(signal.SIGTERM, lambda *_: forever())",
    "signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01); signal.signal(signal.SIGALRM, print)",
    "signal.alarm(1)",
    "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))",
    "os.kill(os.getpid(), signal.SIGSTOP)",
    "os.kill(os.getpid(), signal.SIGSEGV)",
    "os.kill(0, signal.SIGTERM)",
    "os.killpg(0, signal.SIGHUP)",
    "os.abort()",
    "signal.raise_signal(signal.SIGINT)",
    # Descriptors.
    "os.close(0)",
    "os.close(1)",
    "os.close(2)",
    "os.closerange(3, 100)",
    "os.closerange(0, 100_000)",
    "os.dup2(1, 0)",
    "os.dup2(2, 1)",
    "[os.dup(1) for _ in range(200)]",
    "[os.pipe() for _ in range(2000)]",
    "os.write(1, b'\\xff\\x00' * 1000)",
    "os.write(2, b'x' * 100_000)",
    "os.system('echo from a shell; echo and its stderr >&2')",
    "socket.socketpair()[0].sendall(b'x' * 1000)",
    # Output.
    "sys.stdout.close()",
    "sys.stderr.close()",
    "sys.stdout = None",
    "sys.stdout = sys.stderr = open(os.devnull, 'w')",
    "del sys.stdout",
    "print('x' * 3_000_000)",
    "print(*range(30_000), sep='\\n')",
    "print('\\x1b]0;title\\x07\\x1b[2J\\x1b[?1049h[/b][red]\\ud800')",
    "sys.stderr.write('e' * 2_000_000)",
    "[warnings.warn(str(n)) for n in range(1000)]",
    # What Python offers to be changed.
    "sys.settrace(None)",
    "sys.settrace(lambda *_: 1 / 0)",
    "threading.settrace(lambda *_: None)",
    "sys.setprofile(lambda *_: None)",
    "sys.setrecursionlimit(50)",
    "sys.setswitchinterval(1e-6)",
    "sys.modules.clear()",
    "sys.modules['torch'] = None",
    "sys.path.clear(); sys.meta_path.clear()",
    "sys.excepthook = lambda *_: forever()",
    "sys.unraisablehook = None",
    "gc.disable()",
    "gc.set_threshold(1)",
    "gc.callbacks.append(lambda *_: 1 / 0)",
    "atexit.register(forever)",
    "atexit.register(os.abort)",
    "__builtins__.__import__ = None",
    "__builtins__.print = __builtins__.len = None",
    "del __builtins__",
    "globals().clear()",
    "time.sleep = time.monotonic = time.time = None",
    "os._exit = os.write = os.read = lambda *_: 0",
    "os.environ.clear()",
    "os.chdir('/'); os.umask(0o777)",
    "class D:\n    def __del__(self): forever()\nd_ = D()",
    "class R:\n    def __repr__(self): raise SystemExit(9)\nr_ = R()",
    # Torch, changed under the recorder's eyes.
    "torch.Tensor.add_ = lambda *_, **__: None",
    "torch.Tensor._version = property(lambda _: 1 / 0)",
    "torch.Tensor.__repr__ = lambda _: 1 / 0",
    "torch.Tensor.grad_fn = property(lambda _: 'none')",
    "torch.Tensor.backward = None",
    "torch._C = None",
    "torch.autograd.backward = lambda *_, **__: forever()",
    "torch.set_default_dtype(torch.float16)",
    "torch.set_num_threads(8); torch.ones(400, 400) @ torch.ones(400, 400)",
    "torch.set_grad_enabled(False)",
    "torch.use_deterministic_algorithms(True)",
    "torch.ones(2).share_memory_()",
    "a.register_hook(lambda g: 1 / 0) if a.requires_grad else None",
    "a.register_hook(lambda g: os._exit(3)) if a.requires_grad else None",
    "a.resize_(0) if not a.requires_grad else None",
    "torch.empty(2**40)",
    "torch.sparse_coo_tensor(torch.zeros(1, 1).long(), [1.], (10**10,))",
    # Texts, names and nestings without measure.
    "globals()['x' * 10**6] = torch.ones(2)",
    "long_ = {'k' * 9_000 + str(n): torch.ones(1) for n in range(50)}",
    "print('\u00e9' * 400_000)",
    "print('\u4e2d' * 300_000, end='')",
    "print('a\u0301' + '\u0301' * 100_000 + '\u202e\u3164' * 10_000)",
    "raise ValueError('x' * 10**7)",
    "raise type('E' * 10**6, (Exception,), {})",
    "sys.setrecursionlimit(10**9)",
    "deep_ = []\nfor _ in range(2000): deep_ = [deep_]",
    "sys.addaudithook(lambda *_: 1 / 0)",
    "faulthandler.dump_traceback_later(0.05, exit=True)",
    "class L(torch.Tensor): requires_grad = shape = property(lambda _: 'x')\nl_ = a.as_subclass(L)",
    # Ends.
    "sys.exit(3)",
    "raise SystemExit",
    "raise KeyboardInterrupt",
    "raise type('Bad', (BaseException,), {'__str__': lambda s: 1 / 0})",
    "os._exit(7)",
    "os.execv('/bin/true', ['true'])",
    "os.execv('/bin/sleep', ['sleep', '1000'])",
    "forever()",
    "while True: pass",
    "(lambda f: f(f))(lambda f: f(f))",
    "ctypes.string_at(0)",
    "x_ = [bytearray(2**30) for _ in range(100)]",
    "tempfile.TemporaryFile().write(b'x' * 1000)",
)


def program(seed: str, number: int) -> Program:
    """Return a program; the same for the same seed and number."""
    draw = random.Random(f"{seed} {number}")
    source = programs.program(seed, number).source
    lines = source.splitlines(keepends=True)
    places = [node.lineno - 1 for node in ast.parse(source).body][AFTER:]
    for place in sorted(draw.sample(places, min(3, len(places))), reverse=True):
        lines.insert(place, _spelled(draw))
    return Program(source=HEAD + "".join(lines), origin=Origin.OWN)


def _spelled(draw: random.Random) -> str:
    """Return a statement, at times where nobody hears of it when it fails."""
    statement = draw.choice(STATEMENTS) + "\n"
    if draw.random() < 0.4:
        return f"try:\n{indent(statement, '    ')}except BaseException: pass\n"
    return statement
