//! Which TCP connections of a namespace are not over.

#![expect(
    clippy::disallowed_methods,
    reason = "the kernel lists connections in files; this module talks to the system"
)]

use std::fs;
use std::net::IpAddr;

/// Where the kernel lists those of the calling thread's namespace (`proc_net(5)`).
const LISTS: [&str; 2] = ["/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"];

/// States in which nothing more is to come (`linux/tcp_states.h`): `TIME_WAIT`, `CLOSE`, `LISTEN`.
const OVER: [&str; 3] = ["06", "07", "0A"];

/// Whether the calling thread's namespace has a connection with another host that is not over.
pub(super) fn any_is_open() -> bool {
    LISTS.iter().any(|list| fs::read_to_string(list).is_ok_and(|text| lists_open(&text)))
}

/// A line is `number: local remote state …`, an address `HOST:PORT`.
fn lists_open(text: &str) -> bool {
    text.lines().skip(1).any(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (local, state) = (words.next().and_then(address), words.nth(1));
        let is_outward = local.is_some_and(|local| !local.to_canonical().is_loopback());
        is_outward && state.is_some_and(|state| !OVER.contains(&state))
    })
}

/// Words of 32 bits in the machine's own order.
fn address(text: &str) -> Option<IpAddr> {
    let (host, _) = text.split_once(':')?;
    let words: Option<Vec<_>> = (0..host.len())
        .step_by(8)
        .map(|at| u32::from_str_radix(host.get(at..at + 8)?, 16).ok().map(u32::to_ne_bytes))
        .collect();
    match words?[..] {
        [one] => Some(IpAddr::from(one)),
        [a, b, c, d] => {
            let bytes: [u8; 16] = [a, b, c, d].concat().try_into().ok()?;
            Some(IpAddr::from(bytes))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_over_or_within_is_not_open() {
        let check = |local: &str, state: &str, expected: bool| {
            let line =
                format!("  0: {local}:1F90 01004064:9C40 {state} 00000000:00000000 00:0 0 0");
            assert_eq!(lists_open(&format!("  sl  local_address\n{line}\n")), expected, "{line}");
        };
        let host = |address: [u8; 4]| format!("{:08X}", u32::from_ne_bytes(address));
        let [mobile, within] = [host([100, 64, 0, 2]), host([127, 0, 0, 1])];
        for open in ["01", "02", "03", "04", "05", "08", "09", "0B"] {
            check(&mobile, open, true);
            check(&within, open, false);
        }
        for over in OVER {
            check(&mobile, over, false);
        }
        let zeros = "0".repeat(16);
        check(&format!("{zeros}{}{mobile}", host([0, 0, 0xFF, 0xFF])), "01", true);
        check(&format!("{zeros}{}{within}", host([0, 0, 0xFF, 0xFF])), "01", false);
        check(&format!("{zeros}00000000{}", host([0, 0, 0, 1])), "01", false);
        assert!(!lists_open("  sl  local_address\n"));
    }
}
