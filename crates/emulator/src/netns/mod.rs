//! What is made in the operating system for an emulator and taken away again.

mod address;
mod bridge;
mod connections;
mod fresh_namespace;
mod ledger;
mod processes;
mod relay;
mod resolver;
mod uplink;
mod user;
mod veth;

use std::ffi::OsString;
use std::io;
use std::net::IpAddr;

pub use user::enter_own_namespaces;

use ledger::Ledger;
use os::{Device, Resident, SetupError, iproute, setup_error};
use processes::{Mark, Tenure};
use relay::Relay;

/// Where a namespace is told to forward IPv4.
const FORWARDING_4: &str = "/proc/sys/net/ipv4/ip_forward";

/// Where a namespace is told to forward IPv6.
const FORWARDING_6: &str = "/proc/sys/net/ipv6/conf/all/forwarding";

/// The two ports: the network's side and the mobile's.
pub(crate) type Devices = [Box<dyn Device>; 2];

/// On which side of the emulated link a command runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Where the emulator was started: port 0.
    Network,
    /// Behind the emulated link: port 1.
    Mobile,
}

/// Namespaces, devices, addresses and what else was made for one emulator. When it is dropped, all
/// of it is taken away as by [`NetnsSetup::close`].
#[derive(Debug)]
pub struct NetnsSetup {
    mark: Mark,
    notes: Vec<String>,
    gateways: Vec<(String, String)>,
    table: Option<String>,
    relay: Option<Relay>,
    network: Resident,
    mobile: Option<Resident>,
    /// Where the other ends of veth pairs are, and the end on the network side.
    veth: Option<(Resident, String)>,
    /// There until all is taken away.
    ledger: Option<Ledger>,
}

impl NetnsSetup {
    /// A fresh network namespace whose only way out is the second device; the first is its gateway
    /// in the namespace of the calling thread. IP packets on both sides have at most `mtu` bytes.
    ///
    /// # Errors
    /// One line: what is missing or refused, and how to allow it.
    pub fn create_namespace(mtu: u16) -> Result<(Self, Devices), SetupError> {
        fresh_namespace::make(mtu)
    }

    /// Between two existing Ethernet interfaces of this namespace: frames of either go to the
    /// other. There is no mobile side then.
    ///
    /// # Errors
    /// One line: which of the two cannot be used, and why.
    pub fn bridge(interfaces: [&str; 2]) -> Result<(Self, Devices), SetupError> {
        bridge::make(interfaces)
    }

    fn new(mark: Mark, network: Resident, mobile: Option<Resident>, ledger: Ledger) -> Self {
        Self {
            mark,
            notes: Vec::new(),
            gateways: Vec::new(),
            table: None,
            relay: None,
            network,
            mobile,
            veth: None,
            ledger: Some(ledger),
        }
    }

    fn set_gateway(&mut self, (v4, v6): (IpAddr, Option<IpAddr>)) {
        self.gateways = vec![("THINPIPE_GATEWAY".into(), v4.to_string())];
        self.gateways.extend(v6.map(|v6| ("THINPIPE_GATEWAY6".into(), v6.to_string())));
    }

    /// Starts `command` on a side, with `environment` and [`NetnsSetup::environment`] besides its
    /// own,
    /// and tells its process id. It dies with the setup; the caller waits for it.
    ///
    /// # Errors
    /// The kernel's: `NotFound`, `PermissionDenied`; `Unsupported` on a side that is not there.
    pub fn spawn(
        &self,
        side: Side,
        command: &[OsString],
        environment: &[(OsString, OsString)],
    ) -> io::Result<u32> {
        let own = self.environment().into_iter().map(|(key, value)| (key.into(), value.into()));
        let mut environment: Vec<_> = environment.iter().cloned().chain(own).collect();
        match (side, &self.mobile) {
            (Side::Network, _) => {
                environment.push((processes::VARIABLE.into(), self.mark.network_token().into()));
                self.network.spawn(command, environment)
            }
            (Side::Mobile, Some(mobile)) => mobile.spawn(command, environment),
            (Side::Mobile, None) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// What programs here may want to know: `THINPIPE_GATEWAY`, `THINPIPE_GATEWAY6` where there is
    /// IPv6, `THINPIPE_TOKEN`.
    pub fn environment(&self) -> Vec<(String, String)> {
        let token = (processes::VARIABLE.to_owned(), self.mark.token.clone());
        self.gateways.iter().cloned().chain([token]).collect()
    }

    /// Whether the mobile side has a TCP connection with another host that is not over.
    pub fn has_open_connections(&self) -> bool {
        self.mobile.as_ref().is_some_and(|mobile| mobile.ask(connections::any_is_open))
    }

    /// Remarks of one line for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Ends what still runs in it, takes everything away, and tells how many processes had been
    /// left behind on the mobile side. Takes up to two seconds if processes do not end when asked
    /// to.
    pub fn close(mut self) -> u32 {
        self.take_away()
    }

    fn take_away(&mut self) -> u32 {
        let Some(ledger) = self.ledger.take() else { return 0 };
        let left_behind = processes::end(&self.mark, Tenure::Held);
        self.relay = None;
        if let Some(table) = self.table.take() {
            self.network.ask(move || uplink::remove_table(&table));
        }
        if let Some((_, name)) = &self.veth {
            // With the namespaces it would go as well, but only some time later.
            let line = format!("link delete dev {name}");
            drop(self.network.ask(move || iproute::batch(&[line])));
        }
        drop(ledger);
        left_behind
    }
}

impl Drop for NetnsSetup {
    fn drop(&mut self) {
        self.take_away();
    }
}

/// 128 random bits that nothing else has.
fn random_token() -> Result<String, SetupError> {
    let mut bytes = [0_u8; 16];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .map_err(|error| setup_error!("cannot get random bytes: {error}"))?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}
