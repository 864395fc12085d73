//! A gateway between hosts and mobiles, in virtual time, over the bytes of IP packets.
#![allow(unreachable_pub, reason = "tests share it")]

mod bed;
mod handing;
mod net;
mod packets;
mod peer;

pub use bed::{Bed, RATE, Thin};
pub use handing::{bypassed, drain, one_more, pass};
pub use net::{Crossing, Net, Way};
pub use packets::{
    HOST, HOST6, MOBILE, MOBILE6, cut_up, from_host, from_mobile, header, hops_less,
    icmp_unreachable, segment, too_big, udp, with_option, with_tcp_bytes,
};
pub use peer::{Peer, PeerId, modern};

/// A configuration with one profile of this scheme, for 10.45/16 and `2001:db8:45::/48`. What is
/// not TCP passes.
pub fn config(scheme: &str) -> proxy::Config {
    configured(scheme, "")
}

/// The same with more lines before the profile.
pub fn configured(scheme: &str, more: &str) -> proxy::Config {
    parsed(scheme, more, "")
}

/// The same with one more line in the profile.
pub fn profiled(scheme: &str, line: &str) -> proxy::Config {
    parsed(scheme, "", line)
}

fn parsed(scheme: &str, more: &str, line: &str) -> proxy::Config {
    let others = if scheme == "atcp" { "atcp.others = 'around'\n" } else { "" };
    let text = format!(
        "{more}\n[radio]\ninterfaces = ['wl0']\n[wired]\ninterfaces = ['eth0']\n[[profile]]\n\
         name = 'thin'\nmobiles = ['10.45.0.0/16', '2001:db8:45::/48']\n{line}\n\
         [profile.middlebox]\nkind = '{scheme}'\n{others}"
    );
    proxy::Config::parse(&text, "proxy.toml").expect("a configuration")
}
