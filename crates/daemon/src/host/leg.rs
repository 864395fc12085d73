//! The largest packets of either side.

use proxy::Config;

use os::{SetupError, interface, setup_error};

/// Which interfaces each side has, and how large their packets may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Legs {
    /// Wired and radio.
    sides: [Vec<Interface>; 2],
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Interface {
    name: String,
    mtu: u16,
}

impl Legs {
    /// Those of `config`, as they are now.
    ///
    /// # Errors
    /// One line: which interface there is not.
    pub(crate) fn read(config: &Config) -> Result<Self, SetupError> {
        let side = |interfaces: &[String]| -> Result<_, SetupError> {
            interfaces.iter().map(Interface::read).collect()
        };
        let wired = side(&config.wired.interfaces)?;
        Ok(Self { sides: [wired, side(&config.radio.interfaces)?] })
    }

    /// The largest packet that every interface of a side takes, in bytes: wired and radio.
    pub(crate) fn mtu(&self) -> [u16; 2] {
        let smallest = |side: &[Interface]| side.iter().map(|interface| interface.mtu).min();
        self.sides.each_ref().map(|side| smallest(side).unwrap_or(u16::MAX))
    }

    /// The largest packet that any interface takes, in bytes.
    pub(crate) fn largest(&self) -> u16 {
        let all = self.sides.iter().flatten().map(|interface| interface.mtu);
        all.max().unwrap_or(u16::MAX)
    }

    /// Looks at the interfaces again, and returns whether one has changed. One that is gone for a
    /// while keeps what it had. Takes a few microseconds an interface.
    pub(crate) fn look(&mut self) -> bool {
        let mut has_changed = false;
        for interface in self.sides.iter_mut().flatten() {
            let mtu = interface::mtu(&interface.name).map_or(interface.mtu, fit);
            has_changed |= mtu != interface.mtu;
            interface.mtu = mtu;
        }
        has_changed
    }
}

impl Interface {
    fn read(name: &String) -> Result<Self, SetupError> {
        match interface::mtu(name) {
            Ok(mtu) => Ok(Self { name: name.clone(), mtu: fit(mtu) }),
            Err(error) => Err(setup_error!("interface {name}: {error}: see `ip link`")),
        }
    }
}

/// No IP packet is larger than its length field can express (RFC 791 §3.1).
fn fit(mtu: u32) -> u16 {
    mtu.try_into().unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legs(mtus: [&[u16]; 2]) -> Legs {
        let interface = |mtu: &u16| Interface { name: "no such one".to_owned(), mtu: *mtu };
        Legs { sides: mtus.map(|mtus| mtus.iter().map(interface).collect()) }
    }

    #[test]
    fn a_side_takes_what_each_of_its_interfaces_takes() {
        let mut legs = legs([&[1500, 9000], &[1400]]);
        assert_eq!((legs.mtu(), legs.largest()), ([1500, 1400], 9000));
        // They are gone.
        assert!(!legs.look());
        assert_eq!(legs.mtu(), [1500, 1400]);
    }

    #[test]
    fn the_loopback_interface_is_everywhere() {
        assert_eq!(interface::mtu("lo").map(fit).ok(), Some(u16::MAX));
        assert!(interface::mtu("a name that is much too long").is_err());
    }
}
