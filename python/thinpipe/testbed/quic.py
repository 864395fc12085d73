"""QUIC's ends of a download, as programs within namespaces: ``quic.py WHAT JSON``.

``serve`` sends as a `QuicListener` says to each client, ``fetch`` reads as a `QuicFetch` says. They
are aioquic's, in user space, with its congestion control; times are on the machine's monotonic
clock, as those of `thinpipe.testbed.endpoints`.
"""

from __future__ import annotations

import asyncio
import json
import signal
import ssl
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from aioquic.quic.configuration import QuicConfiguration
    from aioquic.quic.events import QuicEvent


@dataclass(frozen=True, slots=True)
class QuicListener:
    """A server that sends `bytes` to each client; `control` is ``reno`` or ``cubic``."""

    port: int
    bytes: int
    control: str = "reno"


@dataclass(frozen=True, slots=True)
class QuicFetch:
    """A download of `bytes` that a client begins at once, and gives up after `limit_s`."""

    host: str
    port: int
    bytes: int
    limit_s: float


@dataclass(slots=True)
class QuicFetched:
    """What a client has got when the download, its time or the program ends.

    Attributes
    ----------
    port
        The server's.
    opened_s
        When it sent its first packet, on the monotonic clock; further times count from then.
    connect_s
        When the handshake was complete; ``None`` if it was not.
    bytes, curve
        What was read, in all and over time; at most one point per 20 ms.
    error
        What went wrong, if something did.
    """

    port: int
    opened_s: float = 0.0
    connect_s: float | None = None
    bytes: int = 0
    curve: list[tuple[float, int]] = field(default_factory=list)
    error: str = ""


def missing() -> str | None:
    """Return in one line what QUIC's ends lack on this machine, ``None`` if nothing."""
    if find_spec("aioquic") is None:
        return "needs aioquic: pip install 'thinpipe[quic]'"
    return None


def _configuration(**more: Any) -> QuicConfiguration:  # noqa: ANN401 - as aioquic's
    from aioquic.quic.configuration import QuicConfiguration

    return QuicConfiguration(alpn_protocols=["thinpipe"], **more)


# --- The server -----------------------------------------------------------------------------------


async def serve(listener: QuicListener) -> None:
    """Listen, report ``ready``, and send to each client that asks, until it is killed."""
    from aioquic.asyncio.protocol import QuicConnectionProtocol
    from aioquic.asyncio.server import serve as listen
    from aioquic.quic.events import StreamDataReceived

    class Sender(QuicConnectionProtocol):
        def quic_event_received(self, event: QuicEvent) -> None:
            if isinstance(event, StreamDataReceived) and event.end_stream:
                self._quic.send_stream_data(event.stream_id, bytes(listener.bytes), end_stream=True)
                self.transmit()

    told = _configuration(is_client=False, congestion_control_algorithm=listener.control)
    with TemporaryDirectory() as folder:
        certificate = Path(folder) / "certificate.pem"
        certificate.write_bytes(_certificate())
        told.load_cert_chain(certificate)
    await listen("::", listener.port, configuration=told, create_protocol=Sender)
    _report({"ready": True})
    await asyncio.Event().wait()


def _certificate() -> bytes:
    """Return a certificate that signs itself, which QUIC demands (RFC 9001 §4.4), and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "thinpipe")])
    now, day = datetime.now(UTC), timedelta(days=1)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .sign(key, SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return made.public_bytes(Encoding.PEM) + secret


# --- The client -----------------------------------------------------------------------------------


async def fetch(task: QuicFetch) -> None:
    """Report ``began``, read until the download, its time or this program ends, and report it."""
    over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
    report = QuicFetched(task.port, time.monotonic())
    reading = asyncio.create_task(_read(task, report))
    ending = asyncio.create_task(over.wait())
    await asyncio.wait({reading, ending}, timeout=task.limit_s, return_when=asyncio.FIRST_COMPLETED)
    if reading.done() and (error := reading.exception()):
        report.error = str(error) or type(error).__name__
    if not report.bytes:
        _report({"began": False})
    _report(asdict(report))
    reading.cancel()
    ending.cancel()


async def _read(task: QuicFetch, report: QuicFetched) -> None:
    from aioquic.asyncio.client import connect
    from aioquic.asyncio.protocol import QuicConnectionProtocol
    from aioquic.quic.events import ConnectionTerminated, StreamDataReceived

    over = asyncio.Event()

    class Receiver(QuicConnectionProtocol):
        def quic_event_received(self, event: QuicEvent) -> None:
            if isinstance(event, ConnectionTerminated):
                if event.error_code:
                    report.error = event.reason_phrase or f"closed: error {event.error_code}"
                over.set()
            elif isinstance(event, StreamDataReceived):
                _count(len(event.data), report)
                if event.end_stream:
                    over.set()

    # Credit for all: the client's flow control must not be what limits (RFC 9000 §4.1).
    told = _configuration(
        is_client=True,
        verify_mode=ssl.CERT_NONE,
        max_data=task.bytes,
        max_stream_data=task.bytes,
    )
    async with connect(task.host, task.port, configuration=told, create_protocol=Receiver) as made:
        report.connect_s = time.monotonic() - report.opened_s
        _, writer = await made.create_stream()
        writer.write_eof()
        await over.wait()


def _count(read: int, report: QuicFetched) -> None:
    now_s = time.monotonic() - report.opened_s
    if not report.bytes:
        _report({"began": True})
    report.bytes += read
    if not report.curve or now_s - report.curve[-1][0] >= SAMPLING_S:
        report.curve.append((now_s, report.bytes))


SAMPLING_S: Final = 0.02


def _report(record: dict[str, object]) -> None:
    sys.stdout.write(f"{json.dumps(record)}\n")
    sys.stdout.flush()


TASKS: Final[dict[str, Callable[[Any], Coroutine[Any, Any, None]]]] = {
    "serve": lambda asked: serve(QuicListener(**asked)),
    "fetch": lambda asked: fetch(QuicFetch(**asked)),
}

if __name__ == "__main__":
    asyncio.run(TASKS[sys.argv[1]](json.loads(sys.argv[2])))
