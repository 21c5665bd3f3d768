"""What a terminal may send that nobody types."""

from __future__ import annotations

import random

SEQUENCES = (
    *(b"\x1b", b"\x1b[", b"\x1bO", b"\x1b[200~", b"\x1b[201~", b"\x1b[I", b"\x1b[M", b"\x1bOP"),
    *(b"\xff", b"\x9b", b"\xe9", b"\xc4\xe3\xba\xc3", b"\xe4\xb8", b"\xed\xa0\x80", b"\xf4\x90"),
    *(b"\x1b[55296u", b"\x1b[1114112u", b"\x1b[99999999999u", b"\x1b[1;2;1114112u", b"\x1b[;;u"),
    *(b"\x1b[<0;1;1M", b"\x1b[<0;999999;99999999M", b"\x1b[<35;-1;-9m", b"\x1b[<a;b;cM"),
    *(b"\x1b[48;0;0;0;0t", b"\x1b[48;99999;99999;1;1t", b"\x1b[?2026;9$y", b"\x1b[9999;9999R"),
    *(b"n", b"\x00", b"\x7f", b"\r", b"\x1b[B", b"\x1b\x1b", b"9", b";", b":", b"u", b"~"),
)

QUITTING = b"qQ\x11\x1a\x03"


def noise(seed: int, size: int) -> bytes:
    """Return bytes without those that quit, or type the key that does."""
    chosen = random.Random(seed)
    singles = bytes(each for each in range(256) if each not in QUITTING)
    pieces = [each for each in SEQUENCES if each not in {b"\x1b[200~"}]
    found = b""
    while len(found) < size:
        found += chosen.choice((chosen.choice(pieces), bytes([chosen.choice(singles)])))
    return found


def every_pair(singles: bytes) -> bytes:
    """Return the shortest bytes in which each two of these follow each other.

    Those that leave a screen, the controls, come last: what was sent by then went there.
    """
    ordered = sorted(singles, key=lambda each: (each < 0x20, each))
    found = bytearray()
    for place, first in enumerate(ordered):
        found.append(first)
        for second in ordered[place + 1 :]:
            found += bytes([first, second])
    found.append(ordered[0])
    return bytes(found)
