//! What of a profile follows from the rest of it.

use base::{Duration, Rate};
use tcp::Profile;

use super::{Proxy, ProxyProfile};
use crate::middleboxes::under_box;
use crate::profile;
use crate::schema::{AtcpKeys, MiddleboxKind};
use settings::Fault;
use settings::Table;
use settings::{Always, Form};

/// Gives each profile's scheme what it does not have of its own, from what is said of the radio.
pub(super) fn lay_under(proxy: &mut Proxy, tree: &Table) -> Result<(), Fault> {
    for profile in &mut proxy.profile {
        let at = format!("profile.{}.middlebox", profile.name);
        take_over_tcp(profile, tree, &format!("{at}.tcp"))?;
        let is_given = |key: &str| tree.find(&format!("{at}.atcp.{key}")).is_some();
        fit_to_radio(profile, &is_given);
    }
    Ok(())
}

/// What hosts of today have, under the congestion control and loss recovery of the scheme.
pub(super) fn tcp(kind: MiddleboxKind) -> tcp::Config {
    under_box(kind, &Profile::Modern.config())
}

fn take_over_tcp(profile: &mut ProxyProfile, tree: &Table, at: &str) -> Result<(), Fault> {
    let middlebox = &mut profile.middlebox;
    middlebox.tcp = tcp(middlebox.kind);
    profile::lay_asked_under_tcp(tree, &format!("{at}.profile"), &mut middlebox.tcp)?;
    if let Some(item) = tree.find(at) {
        middlebox.tcp = Always::<tcp::Config>::read(item, at, &middlebox.tcp)?;
    }
    Ok(())
}

/// What the aggregating proxy is told of the radio, where it is not told so itself.
fn fit_to_radio(profile: &mut ProxyProfile, is_given: &dyn Fn(&str) -> bool) {
    let atcp = &mut profile.middlebox.atcp;
    let rate = profile.rate.or(is_given("rate").then_some(atcp.rate));
    let round_trip = profile.round_trip.or(is_given("round_trip").then_some(atcp.round_trip));
    let usual = atcp.round_trip;
    if !is_given("uplink_rate") {
        atcp.uplink_rate = profile.uplink_rate;
    }
    let Some((rate, round_trip)) = radio(rate, round_trip, profile.bdp, usual) else { return };
    if !is_given("rate") {
        atcp.rate = rate;
    }
    if !is_given("round_trip") {
        atcp.round_trip = round_trip;
    }
    let bdp = profile.bdp.unwrap_or_else(|| rate.bytes_in(round_trip));
    if !is_given("clamp") {
        atcp.clamp = ((atcp.headroom * bdp as f64).round() as u64).clamp(1, u32::MAX.into());
    }
    if !is_given("budget") {
        let usual = AtcpKeys::default();
        let grown = u128::from(usual.budget) * u128::from(atcp.clamp) / u128::from(usual.clamp);
        let grown = u64::try_from(grown).unwrap_or(u64::MAX).min(u32::MAX.into());
        atcp.budget = grown.max(usual.budget);
    }
}

/// Rate and round-trip time, from what is given of them and their product; of a product alone
/// with the `usual` round-trip time.
fn radio(
    rate: Option<Rate>,
    round_trip: Option<Duration>,
    bdp: Option<u64>,
    usual: Duration,
) -> Option<(Rate, Duration)> {
    match (rate, round_trip, bdp) {
        (Some(rate), Some(round_trip), _) => Some((rate, round_trip)),
        (Some(rate), None, Some(bdp)) => Some((rate, time_of(bdp, rate))),
        (None, round_trip, Some(bdp)) => {
            let round_trip = round_trip.unwrap_or(usual);
            Some((rate_of(bdp, round_trip), round_trip))
        }
        (Some(_) | None, None, None) | (None, Some(_), None) => None,
    }
}

fn time_of(bytes: u64, rate: Rate) -> Duration {
    let nanos = u128::from(bytes) * 8_000_000_000 / u128::from(rate.as_bps());
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX).max(1))
}

fn rate_of(bytes: u64, time: Duration) -> Rate {
    let bits = u128::from(bytes) * 8_000_000_000 / u128::from(time.as_nanos().max(1));
    Rate::from_bps(u64::try_from(bits).unwrap_or(u64::MAX).max(1))
}
