//! Keys that would do nothing, or undo each other.

use crate::validate::Check;
use cc::Algorithm;
use link::queue::Kind;
use mobility::binding::MobileIp;
use radio::wlan::WlanKeys;
use settings::Fault;
use tcp::RecoveryKind;
use world::Application;

/// Bytes of an IPv6 header and of a fragment header (RFC 8200 §3 and §4.5).
const HEADERS: u32 = world::IPV6_HEADER_BYTES;
const FRAGMENT: u32 = world::FRAGMENT_HEADER_BYTES;

/// Bytes of a TCP header, of one with timestamps, and the most (RFC 9293 §3.1, RFC 7323 §3).
const PLAIN: u32 = 20;
const STAMPED: u32 = 32;
const LONGEST: u32 = 60;

/// Whether the table of this name in `[tcp]` belongs to a congestion control or recovery.
fn is_of_tcp(table: &str) -> bool {
    let mut recoveries = RecoveryKind::ALL.iter().map(|kind| kind.name());
    Algorithm::ALL.iter().any(|algorithm| algorithm.name() == table)
        || recoveries.any(|name| name == table)
}

/// Whether the table of this name in `[queue]` belongs to a discipline.
fn is_of_queues(table: &str) -> bool {
    Kind::ALL.iter().any(|kind| kind.name() == table)
}

impl Check<'_> {
    /// Keys of `[wlan]` that wait for one of `[mobile_ip]`. At its default a key says nothing.
    pub(crate) fn idle(&self, mobile_ip: &MobileIp, wlan: &WlanKeys) -> Result<(), Fault> {
        let (usual, other) = (WlanKeys::default(), "mobile_ip.fast_handovers");
        for (key, is_said) in [
            ("wlan.hold_limit", wlan.hold_limit != usual.hold_limit),
            ("wlan.anticipation", wlan.anticipation.is_some()),
        ] {
            if !mobile_ip.fast_handovers && is_said && !self.tree.is_overruled(key, other) {
                return self.clash(&[key], format!("{key} does nothing without {other} = true"));
            }
        }
        Ok(())
    }

    /// A line for each setting that changes nothing, since what it belongs to is not in use. They
    /// are no fault: in another run of a sweep it may be.
    pub(crate) fn idle_settings(&self) -> Vec<String> {
        let tcp = &self.scenario.tcp;
        let control = tcp.algorithm();
        let in_use = [control.name(), tcp.recovery_kind().name()];
        let queues = self.scenario.queue.kinds().map(|(_, kind)| kind.name());
        let reason = |key: &str| {
            let (section, rest) = key.split_once('.')?;
            let table = rest.split_once('.').map(|(table, _)| table);
            match (section, table) {
                ("tcp", Some(table)) if is_of_tcp(table) && !in_use.contains(&table) => {
                    Some(format!("no sender uses {table}"))
                }
                ("queue", Some(table)) if is_of_queues(table) && !queues.contains(&table) => {
                    Some(format!("no queue is {table}"))
                }
                ("flow", None) if rest == "bytes" || rest == "segments" => {
                    let flow = &self.scenario.flow;
                    let what = match flow.application {
                        Application::Web => "pages have no end",
                        Application::Telnet => "flow.telnet.count says how many keystrokes",
                        Application::Probes => "flow.probe.count says how many probes",
                        Application::File | Application::Mixed | Application::Udp => return None,
                    };
                    Some(what.to_owned())
                }
                ("middlebox", Some(_)) if !self.scenario.has_middlebox() => {
                    Some("there is no middlebox".to_owned())
                }
                _ => None,
            }
        };
        let keys = self.tree.set_keys();
        let line = |key: &String| Some(format!("{key} changes nothing: {}", reason(key)?));
        keys.iter().filter_map(line).collect()
    }

    /// What `ftp.cap` cuts can be joined, and what it makes fits in a packet.
    pub(crate) fn pieces(&self, mtu: u32) -> Result<(), Fault> {
        let Some(cap) = self.scenario.ftp.cap else { return Ok(()) };
        let tcp::Config { mss, timestamps, .. } = self.scenario.tcp;
        let keys = ["ftp.cap", "ftp.packet_size", "tcp.mss", "mobile_ip.mtu"];
        let (pieces, most) = (mss.div_ceil(cap), world::MOST_PIECES as u32);
        if pieces > most {
            let message = format!(
                "packets with {mss} B of data would be cut into {pieces} pieces, of which no more \
                 than {most} are joined: ftp.cap must be {} B or more",
                mss.div_ceil(most)
            );
            return self.clash(&keys, message);
        }
        let header = if timestamps { STAMPED } else { PLAIN };
        let bytes = if mss > cap { FRAGMENT + LONGEST + cap } else { header + mss } + HEADERS;
        if bytes > mtu {
            let message = format!(
                "ftp.cap makes packets of {bytes} B, and mobile_ip.mtu is {mtu} B: ftp.cap must be \
                 lower, or off"
            );
            return self.clash(&keys, message);
        }
        Ok(())
    }
}
