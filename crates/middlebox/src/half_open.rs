//! Connections whose handshake is under way, and which of them gives way to a newer one.

use std::collections::BTreeSet;

use crate::limits::ends;
use crate::map::Map;
use crate::{Address, Connection, Leg};

/// Half-open connections by their age, of all callers and of each (RFC 4987 §3.2: recycling the
/// oldest half-open TCB).
#[derive(Debug, Default)]
pub(crate) struct HalfOpen {
    /// When each began, in the order of their beginnings; by the name that the caller's packets
    /// have.
    ages: Map<Connection, u64>,
    names: Map<u64, Connection>,
    next: u64,
    /// Each in all its shares, the oldest of a share first.
    order: BTreeSet<(Share, u64)>,
    counts: Map<Share, u32>,
}

/// Half-open connections that compete for the same limit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Share {
    /// All, by their callers.
    All(Caller),
    /// Those that one fixed host calls.
    Host(u128),
    /// Those of one mobile, by their callers.
    Mobile(u128, Caller),
}

/// The caller of a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Caller {
    /// A mobile; in the share of a mobile, that mobile itself.
    Mobile,
    /// Anybody else.
    Other,
}

impl Caller {
    const fn other(self) -> Self {
        match self {
            Self::Mobile => Self::Other,
            Self::Other => Self::Mobile,
        }
    }
}

impl HalfOpen {
    /// A caller's SYN passes.
    pub(crate) fn insert(&mut self, connection: Connection) {
        let age = self.next;
        self.next += 1;
        self.ages.insert(connection, age);
        self.names.insert(age, connection);
        for share in shares(&connection) {
            self.order.insert((share, age));
            *self.counts.entry(share).or_default() += 1;
        }
    }

    /// The handshake is over.
    pub(crate) fn remove(&mut self, connection: &Connection) {
        let Some(age) = self.ages.remove(connection) else { return };
        self.names.remove(&age);
        for share in shares(connection) {
            self.order.remove(&(share, age));
            if let Some(count) = self.counts.get_mut(&share) {
                *count -= 1;
                if *count == 0 {
                    self.counts.remove(&share);
                }
            }
        }
    }

    /// Whether a connection, named as its caller's packets name it, is half open.
    pub(crate) fn has(&self, connection: &Connection) -> bool {
        self.ages.contains_key(connection)
    }

    /// How many there are of a share.
    pub(crate) fn count(&self, share: Share) -> u32 {
        self.counts.get(&share).copied().unwrap_or(0)
    }

    /// The oldest of a share.
    pub(crate) fn oldest(&self, share: Share) -> Option<Connection> {
        let (of, age) = self.order.range((share, 0)..).next()?;
        (*of == share).then(|| self.names[age])
    }

    /// The connection that gives way to a new one of `caller`: the oldest of the kind of caller
    /// that has more, so that neither a flood from outside nor calling mobiles keep out the others.
    /// None if that would not make the two more equal.
    pub(crate) fn oldest_of_more(
        &self,
        share: impl Fn(Caller) -> Share,
        caller: Caller,
    ) -> Option<Connection> {
        let [own, others] = [caller, caller.other()].map(&share);
        let others_have_more = self.count(others) > self.count(own) + 1;
        self.oldest(if others_have_more { others } else { own })
    }
}

/// The shares that a connection belongs to.
fn shares(connection: &Connection) -> impl Iterator<Item = Share> {
    let source = connection.source;
    let all = Share::All(caller(source, None));
    let host = (source.leg == Leg::Wired).then(|| Share::Host(source.handset().host));
    let mobiles = ends(source, connection.destination).into_iter().flatten();
    let mobiles = mobiles.map(move |mobile| of_mobile(mobile)(caller(source, Some(mobile))));
    [Some(all), host].into_iter().flatten().chain(mobiles)
}

/// The caller at `source`, as seen in the share of all, or of one mobile.
pub(crate) fn caller(source: Address, mobile: Option<Address>) -> Caller {
    let is_mobile = match mobile {
        Some(mobile) => source.handset() == mobile.handset(),
        None => source.leg == Leg::Radio,
    };
    if is_mobile { Caller::Mobile } else { Caller::Other }
}

/// The share of a mobile.
pub(crate) fn of_mobile(mobile: Address) -> impl Fn(Caller) -> Share {
    move |caller| Share::Mobile(mobile.handset().host, caller)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn connection() -> impl Strategy<Value = Connection> {
        let end = (any::<bool>(), 1..4_u128).prop_map(|(is_mobile, host)| Address {
            leg: if is_mobile { Leg::Radio } else { Leg::Wired },
            host,
        });
        (end.clone(), end, 0..3_u16).prop_map(|(source, destination, source_port)| Connection {
            source,
            destination,
            source_port,
            destination_port: 80,
        })
    }

    proptest! {
        /// The same, as a list that is searched from its beginning.
        #[test]
        fn the_oldest_is_the_first_that_came(
            steps in prop::collection::vec((any::<bool>(), connection()), 0..100),
            share in connection(),
        ) {
            let mut half_open = HalfOpen::default();
            let mut list: Vec<Connection> = Vec::new();
            for (comes, connection) in steps {
                let is_there = list.contains(&connection);
                prop_assert_eq!(half_open.has(&connection), is_there);
                if comes && !is_there {
                    half_open.insert(connection);
                    list.push(connection);
                } else if !comes {
                    half_open.remove(&connection);
                    list.retain(|other| *other != connection);
                }
                for share in shares(&share) {
                    let its: Vec<_> =
                        list.iter().filter(|it| shares(it).any(|one| one == share)).collect();
                    prop_assert_eq!(half_open.count(share), its.len() as u32);
                    prop_assert_eq!(half_open.oldest(share), its.first().map(|&&it| it));
                }
            }
            for connection in &list {
                half_open.remove(connection);
            }
            prop_assert!(half_open.order.is_empty() && half_open.names.is_empty());
            prop_assert!(half_open.counts.is_empty());
        }
    }
}
