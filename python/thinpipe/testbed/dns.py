"""DNS's ends, as programs within namespaces: ``dns.py WHAT JSON``.

``answer`` answers each question for an address with one, ``ask`` asks at even intervals and reports
how long each answer took. Messages are those of RFC 1035 over UDP.
"""

from __future__ import annotations

import json
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

HEADER: Final = struct.Struct("!6H")
"""Identifier, flags, and the numbers of questions, answers, authorities and others (§4.1.1)."""
QUERY, RESPONSE = 0x0100, 0x8180
"""Flags: recursion desired; and available, in an answer without error."""
QUESTION_END: Final = struct.pack("!HH", 1, 1)
"""An address (A) of the internet (IN)."""
ANSWER: Final = struct.pack("!HHHIH4s", 0xC00C, 1, 1, 60, 4, bytes((192, 0, 2, 1)))
"""The name of the question, its address for a minute, one for documents (RFC 5737)."""
PORT: Final = 53

BEGIN_S: Final = 120.0
"""Longest wait for the first answer."""

LINGER_S: Final = 40.0
"""Longest wait for answers to what was asked before the end."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Questions `period_s` apart, each for a name of its own."""

    host: str
    period_s: float = 1.0
    port: int = PORT


@dataclass(slots=True)
class Asked:
    """When each question was asked, on the monotonic clock, and what its answer took, in s.

    ``None`` is a question without an answer.
    """

    questions: list[tuple[float, float | None]] = field(default_factory=list)


def answer(port: int) -> None:
    """Report ``ready``, and answer each question until it is killed."""
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as made:
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        made.bind(("::", port))
        _report({"ready": True})
        while True:
            question, client = made.recvfrom(512)
            ident = HEADER.unpack_from(question)[0]
            head = HEADER.pack(ident, RESPONSE, 1, 1, 0, 0)
            made.sendto(head + question[HEADER.size :] + ANSWER, client)


def question(number: int) -> bytes:
    """Return the question for the address of a host ``hNNNNN.example.org``."""
    labels = (f"h{number:05}", "example", "org", "")
    name = b"".join(bytes((len(label),)) + label.encode("ascii") for label in labels)
    return HEADER.pack(number & 0xFFFF, QUERY, 1, 0, 0, 0) + name + QUESTION_END


def ask(task: Ask) -> None:
    """Ask until told to end, and report; ``began`` with the first answer.

    Once a question after that is answered, those before it are answered or lost.
    """
    told, sent, took = list[float](), list[float](), dict[int, float]()

    def end(*_: object) -> None:
        told.append(time.monotonic())
        # One more would cut what is written to a full pipe.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    signal.signal(signal.SIGTERM, end)
    family = socket.AF_INET6 if ":" in task.host else socket.AF_INET
    start_s, last_s = time.monotonic(), 0.0
    with socket.socket(family, socket.SOCK_DGRAM) as made:
        made.connect((task.host, task.port))
        while not told or (last_s < told[0] and time.monotonic() < told[0] + LINGER_S):
            now_s, due_s = time.monotonic(), start_s + len(sent) * task.period_s
            if not took and now_s > start_s + BEGIN_S:
                sys.exit(f"no answer in {BEGIN_S:g} s")
            if now_s >= due_s:
                sent.append(now_s)
                made.send(question(len(sent) - 1))
                continue
            if select.select([made], [], [], due_s - now_s)[0]:
                number = HEADER.unpack_from(made.recv(512))[0]
                if number < len(sent):
                    last_s = sent[number]
                    took.setdefault(number, time.monotonic() - last_s)
                    if len(took) == 1:
                        _report({"began": True})
    asked = [(at_s, took.get(number)) for number, at_s in enumerate(sent)]
    questions = [each for each in asked if each[0] < told[0]]
    _report(asdict(Asked(questions)))


def _report(record: dict[str, object]) -> None:
    sys.stdout.write(f"{json.dumps(record)}\n")
    sys.stdout.flush()


TASKS: Final[dict[str, Callable[[Any], None]]] = {
    "answer": answer,
    "ask": lambda asked: ask(Ask(**asked)),
}

if __name__ == "__main__":
    TASKS[sys.argv[1]](json.loads(sys.argv[2]))
