//! What several tests begin with.

use std::io::{self, Write};
use std::thread;

use base::Seq;
use middlebox::{Address, Connection, Exposure, Leg};
use proxy::Config;

/// A configuration with `settings` and one profile, which has `keys`.
pub(crate) fn config(settings: &str, keys: &str) -> Config {
    let text = format!(
        "radio.interfaces = ['wl0']\nwired.interfaces = ['eth0']\n{settings}\n\
         [[profile]]\nname = 'thin'\nmobiles = ['10.45.0.0/16']\n{keys}"
    );
    Config::parse(&text, "proxy.toml").expect("a configuration")
}

/// A connection of a mobile, from `port`: next and acknowledged numbers of the caller, then of the
/// callee.
pub(crate) fn exposure(port: u16, numbers: [u32; 4]) -> Exposure {
    let numbers = numbers.map(Seq::new);
    let connection = Connection {
        source: Address { leg: Leg::Radio, host: u128::MAX - u128::from(port) },
        destination: Address { leg: Leg::Wired, host: 7 << 64 | 9 },
        source_port: port,
        destination_port: 443,
    };
    Exposure {
        connection,
        caller_next: numbers[0],
        caller_acked: numbers[1],
        callee_next: numbers[2],
        callee_acked: numbers[3],
    }
}

/// Says past the test harness, which shows nothing of a test that passes, what the running test
/// needs: `scripts/test.py` counts it.
pub(crate) fn skip(reason: &str) {
    let test = thread::current();
    let name = test.name().expect("a test has one");
    writeln!(io::stderr(), "skipped: {name}: {reason}").expect("standard error");
}
