//! Names and numbers of networks: interfaces, addresses, ports.

use std::marker::PhantomData;
use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

use settings::Fault;
use settings::{Form, Key, Leaf, Scope, Takes, Text};
use settings::{Item, Node, Scalar};

/// The longest name of a Linux interface in bytes (IFNAMSIZ of linux/if.h, less the zero).
pub(super) const LONGEST_NAME: usize = 15;

/// The longest path of a socket in bytes (`sun_path` of unix(7), less the zero).
const LONGEST_PATH: usize = 107;

/// The name of an interface, as the kernel accepts it (`dev_valid_name`), but without %, from which
/// it would generate a name.
pub(crate) struct InterfaceName;

impl Leaf for InterfaceName {
    type Value = String;

    fn expected() -> String {
        format!("the name of an interface: 1 to {LONGEST_NAME} bytes without spaces, /, : and %")
    }

    fn takes() -> Takes {
        Takes::other()
    }

    fn parse(scalar: &Scalar) -> Result<String, String> {
        let is_unfit =
            |letter: char| letter.is_whitespace() || matches!(letter, '/' | ':' | '%' | '\0');
        Text::parse(scalar)
            .ok()
            .filter(|name| (1..=LONGEST_NAME).contains(&name.len()) && !name.contains(is_unfit))
            .filter(|name| name != "." && name != "..")
            .ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &String) -> String {
        value.clone()
    }
}

/// Addresses that share their first bits.
pub(crate) struct AddressPrefix;

impl Leaf for AddressPrefix {
    type Value = IpNet;

    fn expected() -> String {
        "an address or a prefix, as in 10.45.0.0/16 or 2001:db8:45::/48".to_owned()
    }

    fn takes() -> Takes {
        Takes::other()
    }

    fn parse(scalar: &Scalar) -> Result<IpNet, String> {
        let text = scalar.text.as_str();
        let must = || format!("must be {}", Self::expected());
        let address = || text.parse::<IpAddr>().map(IpNet::from);
        let prefix = text.parse().or_else(|_| address()).map_err(|_| must())?;
        let (first, bits) = (prefix.trunc(), prefix.prefix_len());
        if prefix != first {
            return Err(format!("has bits beyond the first {bits}; did you mean {first}?"));
        }
        Ok(prefix)
    }

    fn show(value: &IpNet) -> String {
        value.to_string()
    }
}

/// Where a server listens.
pub(crate) struct Listen;

impl Leaf for Listen {
    type Value = SocketAddr;

    fn expected() -> String {
        "an address and a port, as in 127.0.0.1:9464 or [::1]:9464".to_owned()
    }

    fn takes() -> Takes {
        Takes::other()
    }

    fn parse(scalar: &Scalar) -> Result<SocketAddr, String> {
        let address: Option<SocketAddr> = scalar.text.parse().ok();
        address
            .filter(|address| address.port() != 0)
            .ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &SocketAddr) -> String {
        value.to_string()
    }
}

/// Where a socket of this host is found.
pub(crate) struct SocketPath;

impl Leaf for SocketPath {
    type Value = String;

    fn expected() -> String {
        format!("a path from /, of at most {LONGEST_PATH} bytes")
    }

    fn takes() -> Takes {
        Takes::other()
    }

    fn parse(scalar: &Scalar) -> Result<String, String> {
        Text::parse(scalar)
            .ok()
            .filter(|path| path.starts_with('/') && !path.ends_with('/') && !path.contains('\0'))
            .filter(|path| path.len() <= LONGEST_PATH)
            .ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &String) -> String {
        value.clone()
    }
}

/// Values of the form `L`, each different: `["eth0", "eth1"]`.
pub(crate) struct Several<L>(PhantomData<L>);

impl<L: Leaf<Value: PartialEq>> Several<L> {
    fn expected() -> String {
        format!("a list, each member {}", L::expected())
    }
}

impl<L: Leaf<Value: PartialEq>> Form for Several<L> {
    type Value = Vec<L::Value>;

    fn read(item: &Item, key: &str, _default: &Self::Value) -> Result<Self::Value, Fault> {
        let Node::List(items) = &item.node else {
            return Err(item.fault(key, format!("expected {}", Self::expected())));
        };
        let mut values = Vec::new();
        for item in items {
            let scalar = item.scalar().ok_or_else(|| format!("expected {}", L::expected()));
            let value = scalar.and_then(L::parse).map_err(|message| item.fault(key, message))?;
            if values.contains(&value) {
                return Err(item.fault(key, "stands in the list twice"));
            }
            values.push(value);
        }
        Ok(values)
    }

    fn visit(value: &Self::Value, key: &str, doc: &str, _: Scope, visit: &mut dyn FnMut(Key)) {
        let values: Vec<_> = value.iter().map(L::show).collect();
        visit(Key::new(key, format!("{values:?}"), Self::expected(), Takes::other(), doc));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use settings::Kind;

    fn read<L: Leaf>(text: &str) -> Result<L::Value, String> {
        L::parse(&Scalar { text: text.to_owned(), kind: Kind::Quoted })
    }

    #[test]
    fn names_that_the_kernel_takes() {
        for name in ["eth0", "wl-0.7", "fifteen-letters", "é"] {
            assert_eq!(read::<InterfaceName>(name).as_deref(), Ok(name));
        }
        for name in ["", ".", "..", "a/b", "a b", "a:1", "sixteen-letters-", "\t"] {
            assert!(read::<InterfaceName>(name).is_err(), "{name}");
        }
    }

    #[test]
    fn prefixes_begin_where_they_say() {
        for text in ["10.45.0.0/16", "10.45.0.1/32", "2001:db8:45::/48", "::/0"] {
            assert_eq!(read::<AddressPrefix>(text).map(|read| read.to_string()), Ok(text.into()));
        }
        assert_eq!(
            read::<AddressPrefix>("10.45.3.0/16"),
            Err("has bits beyond the first 16; did you mean 10.45.0.0/16?".to_owned())
        );
        for text in ["", "mobile", "10.45.0.0/33", "10.45/16", "10.45.0.0/"] {
            assert!(read::<AddressPrefix>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn places_to_listen() {
        for text in ["127.0.0.1:9464", "[::1]:9464", "0.0.0.0:1"] {
            assert_eq!(read::<Listen>(text).map(|read| read.to_string()), Ok(text.into()));
        }
        for text in ["9464", "localhost:9464", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000"] {
            assert!(read::<Listen>(text).is_err(), "{text}");
        }
        assert!(read::<SocketPath>("/run/thinpipe/control").is_ok());
        for text in ["", "control", "/run/", "/a\0b"] {
            assert!(read::<SocketPath>(text).is_err(), "{text}");
        }
        assert!(read::<SocketPath>(&format!("/{}", "x".repeat(107))).is_err());
    }
}
