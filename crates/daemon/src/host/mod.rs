//! What the proxy sets up in the machine it runs on, and takes away again.

mod check;
mod leg;
pub(super) mod privileges;
mod rule;
mod sysctl;
mod table;
#[cfg(test)]
mod tests;

pub use check::{Finding, Severity, check};
pub(super) use leg::Legs;
pub(super) use privileges::{Identity, drop_to_two, identity, may_serve};

use std::io;

use proxy::{Config, OnFailure};

use ipnet::IpNet;
use os::iproute::{self, Family};
use os::{SetupError, Tun, setup_error};
use rule::{Rule, Target};

/// The smallest MTU over which there is IPv6 (RFC 8200 §5).
const SMALLEST_MTU_6: u16 = 1280;

/// The rules and routes by which packets come to the device of a worker. They stay when it is
/// dropped: [`OnFailure`] decides what then happens to packets.
#[derive(Debug)]
pub(super) struct Host {
    /// The number of the worker.
    number: u32,
    target: Target,
    device: String,
    on_failure: OnFailure,
    families: Vec<Family>,
    /// Those that are there.
    rules: Vec<Rule>,
    /// Whether packets are led to the device.
    is_open: bool,
}

impl Host {
    /// Brings the device of worker `number` up, which must have been made with this `mtu` in bytes,
    /// and removes what a killed proxy has left. No packet comes yet.
    ///
    /// # Errors
    /// One line: what is in the way.
    pub(super) fn set_up(config: &Config, number: u32, mtu: u16) -> Result<Self, SetupError> {
        if let Some(strict) = strict_everywhere() {
            return Err(strict);
        }
        let own = config.of_worker(number);
        let (target, device) = (Target::of(&own), own.routing.device);
        clear(target, &device)?;
        let known = Family::known().iter().copied();
        let families = known.filter(|family| *family == Family::V4 || mtu >= SMALLEST_MTU_6);
        let mut host = Self {
            number,
            target,
            device,
            on_failure: OnFailure::Bypass,
            families: families.collect(),
            rules: Vec::new(),
            is_open: false,
        };
        host.bring_up()?;
        host.set_on_failure(config.on_failure)?;
        Ok(host)
    }

    /// Without addresses, and with forwarding on, whatever the setting of other interfaces.
    fn bring_up(&self) -> Result<(), SetupError> {
        let device = &self.device;
        let mut lines = vec![format!("link set dev {device} up")];
        // The reverse path of what comes out of it is elsewhere (RFC 3704 §2.2).
        sysctl::set(&format!("ipv4/conf/{device}/rp_filter"), 0)?;
        sysctl::set(&format!("ipv4/conf/{device}/forwarding"), 1)?;
        if self.families.contains(&Family::V6) {
            // A link-local address would look for routers.
            lines.insert(0, format!("link set dev {device} addrgenmode none"));
            sysctl::set(&format!("ipv6/conf/{device}/disable_ipv6"), 0)?;
            sysctl::set(&format!("ipv6/conf/{device}/accept_ra"), 0)?;
            sysctl::set(&format!("ipv6/conf/{device}/forwarding"), 1)?;
        }
        iproute::batch(&lines)
    }

    /// The device takes packets of at most `mtu` bytes from now on.
    pub(super) fn set_mtu(&self, mtu: u16) -> Result<(), SetupError> {
        iproute::batch(&[format!("link set dev {} mtu {mtu}", self.device)])
    }

    /// The name of the device.
    pub(super) fn device(&self) -> &str {
        &self.device
    }

    /// Leads packets of the worker's mobiles of `config` to the device. The route is made first, so
    /// that none is lost.
    pub(super) fn divert(&mut self, config: &Config) -> Result<(), SetupError> {
        table::route(self.target.table, &self.device, &self.families)?;
        self.is_open = true;
        self.add(config)
    }

    /// Leads no more packets to the device: the kernel forwards them itself, or rejects them. The
    /// rules stay.
    pub(super) fn bypass(&mut self) -> Result<(), SetupError> {
        if !self.is_open {
            return Ok(());
        }
        let outcome = table::unroute(self.target.table, &self.device, &self.families);
        // The routes of a device go when it is set down or deleted.
        if outcome.is_err() && self.is_routed()? {
            return outcome;
        }
        self.is_open = false;
        Ok(())
    }

    fn is_routed(&self) -> Result<bool, SetupError> {
        for family in &self.families {
            if table::contents(self.target.table, &self.device, *family)?.own > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds the rules of `config` that are not there yet.
    ///
    /// # Errors
    /// What `ip` says; then none was added.
    pub(super) fn add(&mut self, config: &Config) -> Result<(), SetupError> {
        let mut new = self.rules_of(config);
        new.retain(|rule| !self.rules.contains(rule));
        self.target.add(&new.iter().collect::<Vec<_>>())?;
        self.rules.extend(new);
        Ok(())
    }

    /// A prefix of a mobile that is led to the device, and that `config` would lead to another one.
    pub(super) fn lost_to_others(&self, config: &Config) -> Option<IpNet> {
        let shares = config.shares();
        let others = || shares.iter().filter(|(_, worker)| *worker != self.number);
        let mut prefixes = self.rules.iter().map(Rule::prefix);
        let overlap = |one: &IpNet, other: &IpNet| one.contains(other) || other.contains(one);
        prefixes.find(|prefix| others().any(|(share, _)| overlap(share, prefix)))
    }

    /// Whether there are rules that `config` does not ask for.
    pub(super) fn has_more_than(&self, config: &Config) -> bool {
        let asked = self.rules_of(config);
        self.rules.iter().any(|rule| !asked.contains(rule))
    }

    /// Removes the rules that `config` does not ask for.
    pub(super) fn remove(&mut self, config: &Config) -> Result<(), SetupError> {
        let asked = self.rules_of(config);
        let Self { target, rules, .. } = self;
        let old: Vec<_> = rules.iter().filter(|rule| !asked.contains(rule)).collect();
        target.remove(&old)?;
        rules.retain(|rule| asked.contains(rule));
        Ok(())
    }

    fn rules_of(&self, config: &Config) -> Vec<Rule> {
        let mut rules = rule::asked(config, self.number);
        rules.retain(|rule| self.families.contains(&rule.family()));
        rules
    }

    /// Sets what happens to packets when the proxy fails.
    pub(super) fn set_on_failure(&mut self, on_failure: OnFailure) -> Result<(), SetupError> {
        if on_failure == self.on_failure {
            return Ok(());
        }
        match on_failure {
            OnFailure::Bypass => table::refuse_no_more(self.target.table, &self.families)?,
            OnFailure::Block => table::refuse(self.target.table, &self.families)?,
        }
        self.on_failure = on_failure;
        Ok(())
    }

    /// Removes rules and routes: first the rules, so that no packet finds a table without routes.
    /// Packets that wait at the device then are the last.
    pub(super) fn take_away(&mut self) -> Result<(), SetupError> {
        // Somebody may have removed some of them.
        self.target.clear()?;
        self.rules.clear();
        self.bypass()?;
        self.set_on_failure(OnFailure::Bypass)
    }
}

/// With reverse-path filtering set to strict for all interfaces, nothing that comes out of the
/// device would be forwarded (RFC 3704 §2.2).
fn strict_everywhere() -> Option<SetupError> {
    const STRICT: i64 = 1;
    (sysctl::get("ipv4/conf/all/rp_filter") == Some(STRICT)).then(|| {
        SetupError::new(
            "net.ipv4.conf.all.rp_filter = 1 drops what the proxy sends: say \
             `sysctl -w net.ipv4.conf.all.rp_filter=2`, or 0",
        )
    })
}

/// The TUN device that packets are led to of worker `number`: made, down, in the namespace of the
/// calling thread.
///
/// # Errors
/// One line: what is in the way.
pub(super) fn device(config: &Config, number: u32, legs: &Legs) -> Result<Tun, SetupError> {
    let routing = config.of_worker(number).routing;
    let open = if config.tun.offload { Tun::open_offloading } else { Tun::open_down };
    open(&routing.device, legs.largest(), routing.queue)
        .map_err(|error| no_device(&routing.device, &error))
}

/// Why the device cannot be made.
fn no_device(device: &str, error: &io::Error) -> SetupError {
    SetupError::new(match error.kind() {
        // The latter error is that of an interface of another kind.
        io::ErrorKind::ResourceBusy | io::ErrorKind::InvalidInput => {
            format!("{device} is there already: a proxy runs, or routing.device needs another name")
        }
        io::ErrorKind::NotFound => {
            "no /dev/net/tun: say `modprobe tun`, or give the container that device".to_owned()
        }
        io::ErrorKind::PermissionDenied => format!(
            "cannot make {device}: {error}: start as root, or let this user read and write \
             /dev/net/tun"
        ),
        _ => format!("cannot make {device}: {error}"),
    })
}

/// Why a table cannot be used.
fn table_is_taken(table: u32, family: Family) -> SetupError {
    let name = family.name();
    setup_error!("routing.table: table {table} has {name} routes of others: take another")
}

/// Removes what worker `number` of a killed daemon has left, which had more workers than `config`.
///
/// # Errors
/// One line: what is in the way.
pub(super) fn clear_left(config: &Config, number: u32) -> Result<(), SetupError> {
    let own = config.of_worker(number);
    clear(Target::of(&own), &own.routing.device)
}

/// Removes rules and routes that another proxy has left. A table with foreign routes is left as it
/// is, and so are the rules that lead there: a proxy with another device may be using them.
fn clear(target: Target, device: &str) -> Result<(), SetupError> {
    let mut refusing = Vec::new();
    for family in Family::known() {
        let contents = table::contents(target.table, device, *family)?;
        if contents.foreign > 0 {
            return Err(table_is_taken(target.table, *family));
        }
        if contents.refusals > 0 {
            refusing.push(*family);
        }
    }
    target.clear()?;
    table::refuse_no_more(target.table, &refusing)
}
