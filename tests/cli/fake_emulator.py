"""The program with a fake emulator: commands run on this host, and no packet moves."""

import json
import os
from pathlib import Path

from thinpipe import _core
from thinpipe.cli import main


class Fake:
    """Reports a run with a few packets, as an emulator does."""

    environment = {"THINPIPE_GATEWAY": "100.64.0.1", "THINPIPE_GATEWAY6": "fd00::1"}  # noqa: RUF012
    notes = ["nothing beyond this host"]  # noqa: RUF012

    def __init__(self, _source, name, _settings, *, mtu, between, log, pcap, snap):  # noqa: ARG002
        self.name, self.mtu, self.between, self.log = name, mtu, between, log
        if log is not None:
            Path(log).write_text(json.dumps(ROW) + "\n")
        if pcap is not None:
            for side in ("network", "mobile"):
                Path(pcap, f"{side}.pcapng").touch()

    def spawn(self, side, command, environment):
        return os.posix_spawnp(command[0], command, {**os.environ, **environment, "SIDE": side})

    def is_busy(self):
        return False

    def meter(self):
        Path("metered").touch()
        way = {
            "rate_bps": 384e3,
            "queue": {"packets": 2, "bytes": 3000},
            "delay_s": 0.06,
            "drops": 1,
        }
        return json.dumps({"down": way, "up": {**way, "delay_s": 0.04}})

    def finish(self):
        if "FULL" in os.environ:
            raise _core.EmulationError(f"cannot write {self.log}: No space left on device")
        if self.name == os.environ.get("FAILING"):
            raise _core.EmulationError("the packet thread ended: Device or resource busy")
        late = float(os.environ.get("LATE_S", "0.001"))
        lateness = {"samples": 9, "p50": 1e-4, "p99": late, "max": late}
        return json.dumps(
            {
                "scenario": self.name,
                "seed": 1,
                "started": "2024-01-01T00:00:00Z",
                "wall_s": 2.0,
                "mtu": None if self.between else self.mtu,
                "scheduling": "normal",
                "command": None,
                "exit_status": None,
                "left_behind": 1,
                "down": DOWN,
                "up": UP,
                "links": [],
                "radio": None,
                "energy": None,
                "lateness_s": {**lateness, "bound": 0.005, "within_bound": late <= 0.005},
            }
        )


ROW = {
    "uid": 0,
    "direction": "down",
    "bytes": 60,
    "protocol": 6,
    "entered_s": 0.1,
    "due_s": 0.2,
    "left_s": 0.2001,
    "fate": "delivered",
    "backlog_packets": 0,
}
REASONS = (
    *("queue", "aqm", "loss", "list", "outage", "discarded", "unreachable"),
    *("memory", "refused"),
)
DOWN = {
    "entered": {"packets": 9, "bytes": 9000},
    "duplicated": {"packets": 0, "bytes": 0},
    "left": {"packets": 6, "bytes": 6000},
    "dropped": {**dict.fromkeys(REASONS, 0), "total": 2, "queue": 2},
    "queued": {"packets": 1, "bytes": 1000},
    "dropped_before": 3,
    "unreadable": 0,
    "delay_s": {"p50": 0.06, "p99": 0.07, "max": 0.08},
}
UP = {
    **DOWN,
    "entered": {"packets": 0, "bytes": 0},
    "left": {"packets": 0, "bytes": 0},
    "dropped": {**dict.fromkeys(REASONS, 0), "total": 0},
    "queued": {"packets": 0, "bytes": 0},
    "dropped_before": 0,
    "delay_s": {"p50": None, "p99": None, "max": None},
}

vars(_core)["Emulation"] = Fake
main()
