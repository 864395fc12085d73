"""A test bed of network namespaces: real programs over an emulated link, a proxy between them.

    host 198.51.100.2 ── wired0 router wl0 ── emulated link ── mobile 10.45.0.2

and the same in IPv6. Each of the four is a network namespace. The proxy daemon runs in the router,
the emulator in the link; the kernel's TCP or your own programs run in host and mobile. Namespaces
have no names, so any number of test beds can run in parallel. A process holds each namespace; if
this process dies, it ends the namespace with all programs in it.

It needs Linux, root, ``ip`` (iproute2), ``nsenter`` and ``unshare`` (util-linux) and
``/dev/net/tun``; `missing` returns the first one that is missing.

Examples
--------
A download of 100 kB from the host to the mobile over an emulated UMTS bearer:

>>> from thinpipe.testbed import HOST, Fetch, Link, Listener, Plan, bed
>>> with bed(Plan(link=Link("umts-384"))) as made:
...     made.host.serve([Listener(port=80, bytes=100_000)])
...     [flow] = made.mobile.fetch([Fetch(HOST[0], 80, bytes=100_000)]).all(limit_s=60)
>>> flow.whole, flow.total_s
(True, 3.1)
"""

from thinpipe.testbed.bed import DEVICE, Bed, bed, configuration, missing
from thinpipe.testbed.endpoints import Fetch, Fetched, Listener, Ping, Served, content
from thinpipe.testbed.ends import START_S, BedError, Echo, Running
from thinpipe.testbed.nodes import Node, wait_until
from thinpipe.testbed.plan import HOST, MOBILE, MOBILES, Link, Offloads, Plan, Proxy
from thinpipe.testbed.quic import QuicFetch, QuicFetched, QuicListener

__all__ = [
    "DEVICE",
    "HOST",
    "MOBILE",
    "MOBILES",
    "START_S",
    "Bed",
    "BedError",
    "Echo",
    "Fetch",
    "Fetched",
    "Link",
    "Listener",
    "Node",
    "Offloads",
    "Ping",
    "Plan",
    "Proxy",
    "QuicFetch",
    "QuicFetched",
    "QuicListener",
    "Running",
    "Served",
    "bed",
    "configuration",
    "content",
    "missing",
    "wait_until",
]
