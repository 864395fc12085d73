//! The scenarios that ship, and the traces that they name.

/// A scenario that ships.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shipped {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its TOML text.
    pub text: &'static str,
}

/// The scenarios that ship, by name.
pub const fn shipped() -> &'static [Shipped] {
    ship![
        "bbr-beside-cubic",
        "bottleneck",
        "dumbbell-100",
        "edge",
        "edge-4+1",
        "geo-12-3-lossy",
        "geo-600",
        "gprs-3+1",
        "gprs-4+1",
        "gprs-8+1",
        "gprs-fifo",
        "gprs-live-40",
        "hmipv6-handover",
        "hsdpa-10",
        "hsdpa-3.6",
        "leo-15s",
        "leo-calm",
        "link",
        "lte-between-cells",
        "lte-cat1",
        "lte-cat4",
        "lte-drive",
        "lte-drive-test",
        "lte-edge-and-centre",
        "lte-m",
        "lte-m-deep",
        "lte-m-half",
        "lte-voice",
        "many-beside-one",
        "nb-iot",
        "nb-iot-1",
        "nb-iot-2",
        "nr-mmwave-blockage",
        "nr-standalone",
        "nr-tdd-100",
        "out-of-order",
        "parking-lot",
        "plain-384",
        "rtt-unfairness",
        "satcom-edge",
        "satellite-geo",
        "two-bottlenecks",
        "umts-384",
        "umts-384-lossy",
        "umts-64",
        "umts-cell-50",
        "umts-dch-384",
        "umts-handover",
        "umts-thesis",
        "wlan-11b-fringe",
    ]
}

/// The text of the trace that ships under this name.
///
/// # Errors
/// Which do.
pub(crate) fn shipped_trace(name: &str) -> Result<Vec<u8>, String> {
    let found = TRACES.iter().find(|trace| trace.0 == name).map(|trace| trace.1.to_vec());
    found.ok_or_else(|| {
        let names: Vec<_> = TRACES.iter().map(|trace| trace.0).collect();
        format!("no such trace ships; these do: {}", names.join(", "))
    })
}

/// Traces by name; `scripts/lte_drive.py` makes them.
const TRACES: [(&str, &[u8]); 3] = [
    ("lte-drive-down", include_bytes!("../../../scenarios/traces/lte-drive-down.csv")),
    ("lte-drive-up", include_bytes!("../../../scenarios/traces/lte-drive-up.csv")),
    ("lte-drive-test", include_bytes!("../../../scenarios/traces/lte-drive-test.csv")),
];

/// Scenarios by the names of their files.
macro_rules! ship {
    ($($name:literal),* $(,)?) => {
        &[$(Shipped {
            name: $name,
            text: include_str!(concat!("../../../scenarios/", $name, ".toml")),
        }),*]
    };
}
use ship;
