//! Messages of mobility as they are on the wire.

use std::net::Ipv6Addr;

use base::{Duration, Time};
use mobility::binding::{
    Acknowledgement, Address, Answer, Authority, Fast, Location, Message, Mode, Peer, Status,
    Update,
};
use wire::{
    Icmpv6, IpFields, Ipv6Ends, Ipv6Packet, Keeper, Map, MobilityMessage, MobilityOption, Prefix64,
    RouterRole, Test,
};

use super::addresses::AddressBook;
use super::ipv6::Core;

/// The hop limit of neighbour discovery: no router forwards it (RFC 4861 §4).
const ON_LINK: u8 = 255;

/// All routers on a link (RFC 4291 §2.7.1).
const ALL_ROUTERS: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 2);

/// How often a correspondent makes a new nonce (RFC 6275 §5.2.3: less often than it loses them).
const NONCE_PERIOD: Duration = Duration::from_secs(30);

/// No binding for a home address option (RFC 6275 §6.1.9).
const UNKNOWN_BINDING: u8 = 1;

/// Refused, reason unspecified (RFC 5568 §6.2.1.2, §6.2.3).
const REFUSED: u8 = 128;

/// `message`, which goes from one number to the other.
pub(super) fn core(book: &AddressBook, [from, to]: [Address; 2], message: &Message) -> Core {
    discovery(book, [from, to], message).unwrap_or_else(|| {
        let ends = Ipv6Ends { source: book.global(from), destination: book.global(to) };
        let packet = mobility(book, ends, to, message);
        Core { packet, ends, hops: IpFields::HOPS }
    })
}

/// Neighbour discovery: with the link addresses that correspond to those of the simulation.
fn discovery(book: &AddressBook, [from, to]: [Address; 2], message: &Message) -> Option<Core> {
    let (local, global) = (book.link_local(from), book.global(from));
    let prefix = |router| Prefix64(book.global(router));
    let link_layer = book.link_layer(from);
    let asker = || if to == Address::ALL_NODES { book.global(to) } else { book.link_local(to) };
    let (source, destination, message) = match *message {
        Message::RouterSolicitation => {
            (local, ALL_ROUTERS, Icmpv6::RouterSolicitation { link_layer })
        }
        Message::RouterAdvertisement { map, .. } => {
            let is_home_agent = book.is_home_agent(from);
            let role = if is_home_agent { RouterRole::HomeAgent } else { RouterRole::Router };
            let map = map.map(|map| Map { address: book.global(map), lifetime: book.lifetime });
            let (prefix, interval) = (prefix(from), book.interval);
            let message = Icmpv6::RouterAdvertisement { link_layer, prefix, interval, role, map };
            (local, asker(), message)
        }
        Message::NeighborSolicitation { target } => {
            let target = book.global(target);
            let message = Icmpv6::NeighborSolicitation { target };
            (Ipv6Addr::UNSPECIFIED, solicited_node(target), message)
        }
        Message::NeighborAdvertisement { target } => {
            let target = book.global(target);
            let message = Icmpv6::NeighborAdvertisement { target, link_layer };
            (local, book.global(Address::ALL_NODES), message)
        }
        Message::Attached { .. } => {
            let message = Icmpv6::NeighborAdvertisement { target: global, link_layer };
            (global, book.global(to), message)
        }
        Message::ProxySolicitation { next } => {
            let (identifier, next) = (next as u16, book.link_layer(book.router(next)));
            let message = Icmpv6::ProxySolicitation { identifier, mobile: link_layer, next };
            (global, book.global(to), message)
        }
        Message::ProxyAdvertisement { next } => {
            let (identifier, router) = (next as u16, book.router(next));
            let (next, prefix) = (book.link_layer(router), prefix(router));
            let router = link_layer;
            let message = Icmpv6::ProxyAdvertisement { identifier, router, next, prefix };
            (local, book.global(to), message)
        }
        Message::BindingUpdate(_)
        | Message::BindingAcknowledgement(_)
        | Message::BindingError
        | Message::HomeTestInit { .. }
        | Message::CareOfTestInit { .. }
        | Message::HomeTest { .. }
        | Message::CareOfTest { .. }
        | Message::FastUpdate(_)
        | Message::FastAcknowledgement { .. }
        | Message::HandoverInitiate(_)
        | Message::HandoverAcknowledge { .. } => return None,
    };
    let ends = Ipv6Ends { source, destination };
    Some(Core { packet: Ipv6Packet::icmp(&message, ends), ends, hops: ON_LINK })
}

/// A mobility header between `ends`, with the routing header or home address option that is part
/// of the message.
fn mobility(book: &AddressBook, ends: Ipv6Ends, to: Address, message: &Message) -> Ipv6Packet {
    let plain = |message| Ipv6Packet::mobility(&message, ends);
    match message {
        Message::BindingUpdate(of) => update(book, ends, of),
        Message::BindingAcknowledgement(of) => acknowledgement(book, ends, of),
        Message::BindingError => {
            let home = book.global(book.home(to));
            plain(MobilityMessage::Error { status: UNKNOWN_BINDING, home })
        }
        Message::HomeTestInit { cookie } => test_init(Test::Home, *cookie, ends),
        Message::CareOfTestInit { cookie } => test_init(Test::CareOf, *cookie, ends),
        Message::HomeTest { cookie, nonce } => test(Test::Home, *cookie, *nonce, ends),
        Message::CareOfTest { cookie, nonce } => test(Test::CareOf, *cookie, *nonce, ends),
        Message::FastUpdate(of) => fast_update(book, ends, of),
        Message::FastAcknowledgement { sequence, answer } => {
            let options = [MobilityOption::FastAuthorization];
            plain(MobilityMessage::Acknowledgement {
                of: Keeper::AccessRouter,
                status: code(*answer),
                sequence: sequence.0,
                lifetime: units(book.forward),
                options: &options,
            })
        }
        Message::HandoverInitiate(of) => {
            let options = [
                MobilityOption::LinkLayer(book.link_layer(of.home)),
                MobilityOption::OldCareOf(book.global(of.old)),
                MobilityOption::NewCareOf(book.global(of.new)),
            ];
            let code = match of.mode {
                Mode::Predictive => 0,
                Mode::Reactive => 1,
            };
            let sequence = of.sequence.0;
            plain(MobilityMessage::HandoverInitiate { sequence, code, options: &options })
        }
        Message::HandoverAcknowledge { sequence, answer, .. } => {
            let (sequence, code) = (sequence.0, code(*answer));
            plain(MobilityMessage::HandoverAcknowledge { sequence, code })
        }
        Message::RouterSolicitation
        | Message::RouterAdvertisement { .. }
        | Message::NeighborSolicitation { .. }
        | Message::NeighborAdvertisement { .. }
        | Message::Attached { .. }
        | Message::ProxySolicitation { .. }
        | Message::ProxyAdvertisement { .. } => unreachable!("it is of neighbour discovery"),
    }
}

fn update(book: &AddressBook, ends: Ipv6Ends, update: &Update) -> Ipv6Packet {
    let home = book.global(update.home);
    let is_away = update.care_of != update.home;
    let care_of = MobilityOption::AlternateCareOf(book.global(update.care_of));
    let (to, options) = match update.authority {
        Authority::Agent if is_away => (agent(book, update.home), vec![care_of]),
        Authority::Agent => (agent(book, update.home), Vec::new()),
        Authority::Tokens { home, care_of } => {
            let (home, care_of) = (nonce_index(home), care_of.map_or(0, nonce_index));
            let indices = MobilityOption::NonceIndices { home, care_of };
            (Keeper::Correspondent, vec![indices, MobilityOption::Authorization])
        }
    };
    let (sequence, lifetime) = (update.sequence.0, units(update.lifetime));
    let message = MobilityMessage::Update { to, sequence, lifetime, options: &options };
    if is_away {
        from_home_address(&message, ends, home)
    } else {
        Ipv6Packet::mobility(&message, ends)
    }
}

fn acknowledgement(book: &AddressBook, ends: Ipv6Ends, answer: &Acknowledgement) -> Ipv6Packet {
    let (of, options): (_, &[_]) = match answer.by {
        Peer::Agent => (agent(book, answer.home), &[]),
        Peer::Correspondent => (Keeper::Correspondent, &[MobilityOption::Authorization]),
    };
    let message = MobilityMessage::Acknowledgement {
        of,
        status: match answer.status {
            Status::Accepted => 0,
            Status::Duplicate => 134,
            Status::OutOfWindow => 135,
            Status::HomeTokenExpired => 136,
            Status::CareOfTokenExpired => 137,
        },
        sequence: answer.sequence.0,
        lifetime: units(answer.lifetime),
        options,
    };
    match answer.location {
        Location::Home => Ipv6Packet::mobility(&message, ends),
        Location::Away => {
            let home = book.global(answer.home);
            let in_the_end = Ipv6Ends { destination: home, ..ends };
            Ipv6Packet::mobility(&message, in_the_end).behind_routing(home)
        }
    }
}

fn fast_update(book: &AddressBook, ends: Ipv6Ends, fast: &Fast) -> Ipv6Packet {
    let authorization = MobilityOption::FastAuthorization;
    let new = MobilityOption::AlternateCareOf(book.global(fast.new));
    let options = match fast.mode {
        Mode::Predictive => vec![new, authorization],
        Mode::Reactive => vec![authorization],
    };
    let (to, sequence, lifetime) = (Keeper::AccessRouter, fast.sequence.0, units(book.forward));
    let message = MobilityMessage::Update { to, sequence, lifetime, options: &options };
    match fast.mode {
        Mode::Predictive => Ipv6Packet::mobility(&message, ends),
        Mode::Reactive => from_home_address(&message, ends, book.global(fast.old)),
    }
}

fn from_home_address(message: &MobilityMessage<'_>, ends: Ipv6Ends, home: Ipv6Addr) -> Ipv6Packet {
    Ipv6Packet::mobility(message, Ipv6Ends { source: home, ..ends }).behind_home_address(home)
}

fn test_init(of: Test, cookie: u32, ends: Ipv6Ends) -> Ipv6Packet {
    Ipv6Packet::mobility(&MobilityMessage::TestInit { of, cookie: cookie.into() }, ends)
}

fn test(of: Test, cookie: u32, nonce: Time, ends: Ipv6Ends) -> Ipv6Packet {
    let (index, cookie, token) = (nonce_index(nonce), cookie.into(), nonce.as_nanos());
    Ipv6Packet::mobility(&MobilityMessage::Test { of, index, cookie, token }, ends)
}

fn agent(book: &AddressBook, bound: Address) -> Keeper {
    if book.is_regional(bound) { Keeper::Map } else { Keeper::HomeAgent }
}

const fn code(answer: Answer) -> u8 {
    match answer {
        Answer::Accepted => 0,
        Answer::Refused => REFUSED,
    }
}

/// A nonce by the time when it was made: 0 is none.
fn nonce_index(nonce: Time) -> u16 {
    let periods = nonce.saturating_since(Time::ZERO).whole(NONCE_PERIOD);
    (periods % u64::from(u16::MAX)) as u16 + 1
}

/// Lifetimes are in units of 4 s (RFC 6275 §6.1.7), rounded up so that a shorter one is not zero.
fn units(lifetime: Duration) -> u16 {
    let unit = Duration::from_secs(4);
    u16::try_from(lifetime.ceil_to(unit).whole(unit)).unwrap_or(u16::MAX)
}

/// RFC 4291 §2.7.1.
fn solicited_node(address: Ipv6Addr) -> Ipv6Addr {
    let group = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 1, 0xFF00, 0).to_bits();
    Ipv6Addr::from_bits(group | address.to_bits() & 0xFF_FFFF)
}

#[cfg(test)]
mod tests {
    use mobility::binding::{Extent, Sequence};
    use tcp::Length;
    use world::{Ipv6, World};

    use super::*;
    use crate::capture::tests::hmipv6_handover;

    const SEQUENCE: Sequence = Sequence(7);
    const MINUTE: Duration = Duration::from_secs(60);

    /// The addresses of the scenario that ships: of a mobile with its home, regional and local
    /// ones, and of two routers.
    fn world() -> (World<Ipv6<Length>>, AddressBook) {
        let scenario = hmipv6_handover(&[]);
        let world = scenario::build_over::<Ipv6<Length>>(&scenario).world;
        let mobile_ip = scenario.mobile_ip.expect("it has one");
        let book = AddressBook::of(&world, &mobile_ip);
        (world, book)
    }

    fn number(world: &World<Ipv6<Length>>, name: &str) -> Address {
        let found = world.nodes().iter().position(|node| node.name() == name);
        Address(found.expect("it is there") as u32)
    }

    /// Every message with every size it can have.
    fn messages([home, regional, old, new]: [Address; 4]) -> Vec<Message> {
        let (next, sequence, cookie, nonce) = (2, SEQUENCE, 5, Time::ZERO + MINUTE);
        let update = |home, care_of, authority| {
            let (lifetime, extent) = (MINUTE, Extent::Only);
            Message::BindingUpdate(Update { home, care_of, sequence, lifetime, extent, authority })
        };
        let tokens = |care_of| Authority::Tokens { home: nonce, care_of };
        let answer = |location, by| {
            let (status, lifetime) = (Status::Accepted, MINUTE);
            let home = regional;
            let answer = Acknowledgement { home, sequence, status, lifetime, location, by };
            Message::BindingAcknowledgement(answer)
        };
        let fast = |mode| Fast { home, old, new, next, sequence, mode };
        let answered = Answer::Accepted;
        vec![
            Message::RouterSolicitation,
            Message::RouterAdvertisement { router: 1, map: None },
            Message::RouterAdvertisement { router: 1, map: Some(Address(0)) },
            Message::NeighborSolicitation { target: old },
            Message::NeighborAdvertisement { target: old },
            Message::Attached { home },
            update(home, regional, Authority::Agent),
            update(regional, old, Authority::Agent),
            update(home, home, Authority::Agent),
            update(home, old, tokens(Some(nonce))),
            update(home, home, tokens(None)),
            answer(Location::Away, Peer::Agent),
            answer(Location::Home, Peer::Agent),
            answer(Location::Away, Peer::Correspondent),
            answer(Location::Home, Peer::Correspondent),
            Message::BindingError,
            Message::HomeTestInit { cookie },
            Message::CareOfTestInit { cookie },
            Message::HomeTest { cookie, nonce },
            Message::CareOfTest { cookie, nonce },
            Message::ProxySolicitation { next },
            Message::ProxyAdvertisement { next },
            Message::FastUpdate(fast(Mode::Predictive)),
            Message::FastUpdate(fast(Mode::Reactive)),
            Message::FastAcknowledgement { sequence, answer: answered },
            Message::HandoverInitiate(fast(Mode::Predictive)),
            Message::HandoverAcknowledge { home, sequence, answer: answered },
        ]
    }

    #[test]
    fn every_message_is_as_long_as_it_says() {
        let (world, book) = world();
        let of = |name| number(&world, name);
        let mobile = ["MN", "MN@MAP", "MN@AR1", "MN@AR2"].map(of);
        for message in messages(mobile) {
            let Core { packet, ends, hops } = core(&book, [of("MN@AR1"), of("AR1")], &message);
            let fields = IpFields { hop_limit: hops, ..base::Ecn::NotCapable.into() };
            let whole = packet.behind_ip(ends, fields).expect("it is short");
            assert_eq!(whole.bytes().len(), message.bytes() as usize, "{message:?}");
        }
    }

    #[test]
    fn addresses_tell_who_is_where() {
        let (world, book) = world();
        let check = |name, expected: &str| {
            let found = book.global(number(&world, name));
            assert_eq!(found.to_string(), expected, "{name}");
        };
        let of = |name| number(&world, name).0 + 1;
        let host = format!("ff:fe00:{:x}", of("MN"));
        check("CN", &format!("2001:db8:0:{:x}::1", of("CN")));
        check("MN", &format!("2001:db8:0:{:x}:0:{host}", of("HA")));
        check("MN@MAP", &format!("2001:db8:0:{:x}:0:{host}", of("MAP")));
        check("MN@AR2", &format!("2001:db8:0:{:x}:0:{host}", of("AR2")));
        let link_layer = book.link_layer(number(&world, "MN@AR1"));
        assert_eq!(link_layer.0, [2, 0, 0, 0, 0, of("MN") as u8]);
    }

    #[test]
    fn lifetimes_are_in_units_of_four_seconds() {
        let secs = Duration::from_secs;
        assert_eq!([secs(0), secs(1), secs(4), secs(60)].map(units), [0, 1, 1, 15]);
        assert_eq!(units(secs(1_000_000)), u16::MAX);
    }
}
