//! Sizes of messages in bytes, from the parts of their formats.
//!
//! `IPsec` ESP, which protects updates between mobiles and agents (RFC 6275 §5.1), is left out.

/// The IPv6 header (RFC 8200 §3).
pub(super) const IPV6: u32 = 40;

/// A destination options header with nothing but the home address option, which must begin at
/// 8n + 6 (RFC 6275 §6.3): next header and length, padding, type and length, address.
pub(super) const HOME_ADDRESS: u32 = aligned(2, 8, 6) + 2 + ADDRESS;

/// A type 2 routing header (RFC 6275 §6.4.1).
pub(super) const ROUTING: u32 = 8 + ADDRESS;

/// An address.
const ADDRESS: u32 = 16;

/// What every mobility header begins with, its checksum being the last of it (RFC 6275 §6.1.1).
const MOBILITY: u32 = 6;

/// Neighbour discovery's source or target link-layer address, of 48 bits (RFC 4861 §4.6.1).
const LINK_LAYER: u32 = 8;

/// The prefix information of an advertisement (RFC 4861 §4.6.2; with the router's address RFC 6275
/// §7.2).
const PREFIX: u32 = 32;

/// The interval of advertisements (RFC 6275 §7.3).
const INTERVAL: u32 = 8;

/// The MAP option (RFC 5380 §4).
const MAP: u32 = 24;

/// Fast handover's link-layer address option, of 48 bits and in units of 8 (RFC 5568 §6.4.3).
const FAST_LINK_LAYER: u32 = padded(3 + 6);

/// Fast handover's option for an address or a prefix in neighbour discovery (RFC 5568 §6.4.1).
const FAST_ADDRESS: u32 = 8 + ADDRESS;

/// A care-of test init or a home test init: reserved bits and a cookie (RFC 6275 §6.1.3, §6.1.4).
pub(super) const TEST_INIT: u32 = IPV6 + padded(MOBILITY + 2 + 8);

/// A home test or a care-of test: nonce index, cookie and token (RFC 6275 §6.1.5, §6.1.6).
pub(super) const TEST: u32 = IPV6 + padded(MOBILITY + 2 + 8 + 8);

/// Status, reserved bits and home address (RFC 6275 §6.1.9).
pub(super) const BINDING_ERROR: u32 = IPV6 + padded(MOBILITY + 2 + ADDRESS);

/// With the sender's link-layer address (RFC 4861 §4.1).
pub(super) const ROUTER_SOLICITATION: u32 = IPV6 + 8 + LINK_LAYER;

/// Of an access router without a MAP (RFC 4861 §4.2, RFC 6275 §7).
pub(super) const ROUTER_ADVERTISEMENT: u32 = IPV6 + 16 + LINK_LAYER + PREFIX + INTERVAL;

/// With the option of a MAP (RFC 5380 §4).
pub(super) const ROUTER_ADVERTISEMENT_WITH_MAP: u32 = ROUTER_ADVERTISEMENT + MAP;

/// For duplicate address detection, thus from the unspecified address and without options
/// (RFC 4861 §4.3).
pub(super) const NEIGHBOR_SOLICITATION: u32 = IPV6 + 8 + ADDRESS;

/// With the sender's link-layer address (RFC 4861 §4.4); an unsolicited one as well (RFC 5568
/// §6.3).
pub(super) const NEIGHBOR_ADVERTISEMENT: u32 = IPV6 + 8 + ADDRESS + LINK_LAYER;

/// With the link-layer addresses of the mobile and of the next access point (RFC 5568 §6.1.1).
pub(super) const PROXY_SOLICITATION: u32 = IPV6 + 8 + 2 * FAST_LINK_LAYER;

/// With the link-layer addresses of the router, of the next access point and of the next router,
/// and that router's address and prefix (RFC 5568 §6.1.2).
pub(super) const PROXY_ADVERTISEMENT: u32 = IPV6 + 8 + 3 * FAST_LINK_LAYER + 2 * FAST_ADDRESS;

/// With the mobile's link-layer address, its old care-of address and its new one (RFC 5568
/// §6.2.1.1, §6.4.2, §6.4.4).
pub(super) const HANDOVER_INITIATE: u32 = {
    let link_layer = MOBILITY + 4 + 3 + 6;
    let old = aligned(link_layer, 8, 4) + 4 + ADDRESS;
    IPV6 + padded(aligned(old, 8, 4) + 4 + ADDRESS)
};

/// Without options (RFC 5568 §6.2.1.2).
pub(super) const HANDOVER_ACKNOWLEDGE: u32 = IPV6 + padded(MOBILITY + 4);

/// Sequence number, flags and lifetime of an update; status, flags, sequence number and lifetime
/// of an acknowledgement (RFC 6275 §6.1.7, §6.1.8; RFC 5568 §6.2.2, §6.2.3).
const BINDING: u32 = MOBILITY + 6;

/// An update to an agent, with the alternate care-of address option, which must begin at 8n + 6
/// (RFC 6275 §6.2.5).
pub(super) const UPDATE_TO_AGENT: u32 = IPV6 + HOME_ADDRESS + padded(with_care_of(BINDING));

/// An update from the home link, whose source is the home address (RFC 6275 §9.5.1, §11.5.5).
pub(super) const UPDATE_FROM_HOME: u32 = IPV6 + padded(BINDING);

/// An update to a correspondent, with nonce indices (at 2n) and authorization data (at 8n + 2),
/// RFC 6275 §6.2.6 and §6.2.7.
pub(super) const UPDATE_TO_CORRESPONDENT: u32 =
    IPV6 + HOME_ADDRESS + padded(with_authorization(aligned(BINDING, 2, 0) + 6));

/// The same from the home link.
pub(super) const UPDATE_TO_CORRESPONDENT_FROM_HOME: u32 = UPDATE_TO_CORRESPONDENT - HOME_ADDRESS;

/// An acknowledgement of an agent to a mobile at home.
pub(super) const ACKNOWLEDGEMENT: u32 = IPV6 + padded(BINDING);

/// An acknowledgement of a correspondent to a mobile at home, with authorization data.
pub(super) const AUTHORIZED_ACKNOWLEDGEMENT: u32 = IPV6 + padded(with_authorization(BINDING));

/// From the old link, with the new care-of address and authorization data (RFC 5568 §6.2.2,
/// §6.4.5).
pub(super) const FAST_UPDATE: u32 = IPV6 + padded(with_fast_authorization(with_care_of(BINDING)));

/// From the new link: its source is the new care-of address, and the old one is in a home address
/// option.
pub(super) const FAST_UPDATE_AFTERWARDS: u32 =
    IPV6 + HOME_ADDRESS + padded(with_fast_authorization(BINDING));

/// With authorization data (RFC 5568 §6.2.3).
pub(super) const FAST_ACKNOWLEDGEMENT: u32 = IPV6 + padded(with_fast_authorization(BINDING));

/// After an alternate care-of address option (RFC 6275 §6.2.5).
const fn with_care_of(bytes: u32) -> u32 {
    aligned(bytes, 8, 6) + 2 + ADDRESS
}

/// After binding authorization data of 96 bits (RFC 6275 §6.2.7).
const fn with_authorization(bytes: u32) -> u32 {
    aligned(bytes, 8, 2) + 2 + 12
}

/// After the authorization data of fast handovers: SPI and 96 bits (RFC 5568 §6.4.5).
const fn with_fast_authorization(bytes: u32) -> u32 {
    aligned(bytes, 4, 2) + 2 + 4 + 12
}

/// Mobility headers and options of neighbour discovery are multiples of 8 (RFC 6275 §6.1.1,
/// RFC 4861 §4.6).
const fn padded(bytes: u32) -> u32 {
    bytes.next_multiple_of(8)
}

/// The first place from `bytes` on that is `offset` past a multiple of `unit`.
const fn aligned(bytes: u32, unit: u32, offset: u32) -> u32 {
    let past = bytes % unit;
    bytes + (offset + unit - past) % unit
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against sums by hand: every gap of padding is written out.
    #[test]
    fn sizes_are_those_of_the_formats() {
        let check = |name: &str, is: u32, parts: &[u32]| {
            assert_eq!(is, parts.iter().sum::<u32>(), "{name}");
        };
        check("home address option", HOME_ADDRESS, &[2, 4, 2, 16]);
        check("routing header", ROUTING, &[8, 16]);
        check("update to an agent", UPDATE_TO_AGENT, &[40, 24, 12, 2, 18]);
        check("update from home", UPDATE_FROM_HOME, &[40, 12, 4]);
        check("update to a correspondent", UPDATE_TO_CORRESPONDENT, &[40, 24, 12, 6, 14]);
        check("the same from home", UPDATE_TO_CORRESPONDENT_FROM_HOME, &[40, 12, 6, 14]);
        check("acknowledgement", ACKNOWLEDGEMENT, &[40, 12, 4]);
        check("authorized acknowledgement", AUTHORIZED_ACKNOWLEDGEMENT, &[40, 12, 6, 14]);
        check("test init", TEST_INIT, &[40, 6, 2, 8]);
        check("test", TEST, &[40, 6, 2, 8, 8]);
        check("binding error", BINDING_ERROR, &[40, 6, 2, 16]);
        check("router solicitation", ROUTER_SOLICITATION, &[40, 8, 8]);
        check("router advertisement", ROUTER_ADVERTISEMENT, &[40, 16, 8, 32, 8]);
        check("with MAP", ROUTER_ADVERTISEMENT_WITH_MAP, &[40, 16, 8, 32, 8, 24]);
        check("neighbour solicitation", NEIGHBOR_SOLICITATION, &[40, 24]);
        check("neighbour advertisement", NEIGHBOR_ADVERTISEMENT, &[40, 24, 8]);
        check("proxy solicitation", PROXY_SOLICITATION, &[40, 8, 16, 16]);
        check("proxy advertisement", PROXY_ADVERTISEMENT, &[40, 8, 16, 16, 16, 24, 24]);
        check("handover initiate", HANDOVER_INITIATE, &[40, 10, 9, 1, 20, 4, 20]);
        check("handover acknowledge", HANDOVER_ACKNOWLEDGE, &[40, 10, 6]);
        check("fast update", FAST_UPDATE, &[40, 12, 2, 18, 2, 18, 4]);
        check("the same afterwards", FAST_UPDATE_AFTERWARDS, &[40, 24, 12, 2, 18]);
        check("fast acknowledgement", FAST_ACKNOWLEDGEMENT, &[40, 12, 2, 18]);
    }
}
