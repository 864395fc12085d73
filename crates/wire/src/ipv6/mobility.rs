//! Mobility headers (RFC 6275 §6.1) with those of fast handovers (RFC 5568 §6.2).

use std::net::Ipv6Addr;

use super::{LinkLayerAddress, NO_NEXT_HEADER, PAD_N};

/// What a mobility header says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MobilityMessage<'a> {
    /// A home test init or a care-of test init (RFC 6275 §6.1.3, §6.1.4).
    TestInit {
        /// Which of the two.
        of: Test,
        /// Identifies the answer.
        cookie: u64,
    },
    /// A home test or a care-of test (RFC 6275 §6.1.5, §6.1.6).
    Test {
        /// Which of the two.
        of: Test,
        /// Which nonce the token is made from.
        index: u16,
        /// Of the question.
        cookie: u64,
        /// The token.
        token: u64,
    },
    /// A binding update (RFC 6275 §6.1.7), fast if it is for an access router (RFC 5568 §6.2.2).
    Update {
        /// For whom.
        to: Keeper,
        /// Its number.
        sequence: u16,
        /// For how long, in units of 4 s.
        lifetime: u16,
        /// What else it says.
        options: &'a [MobilityOption],
    },
    /// The answer (RFC 6275 §6.1.8, RFC 5568 §6.2.3).
    Acknowledgement {
        /// Of whom.
        of: Keeper,
        /// The status of the update.
        status: u8,
        /// Its number.
        sequence: u16,
        /// For how long, in units of 4 s.
        lifetime: u16,
        /// What else it says.
        options: &'a [MobilityOption],
    },
    /// A binding error (RFC 6275 §6.1.9).
    Error {
        /// What is wrong.
        status: u8,
        /// Whose binding is not there.
        home: Ipv6Addr,
    },
    /// A handover initiate (RFC 5568 §6.2.1.1), which asks the next router to hold packets.
    HandoverInitiate {
        /// Its number.
        sequence: u16,
        /// 0 if the mobile announced itself from its old address, 1 from the new one.
        code: u8,
        /// What else it says.
        options: &'a [MobilityOption],
    },
    /// A handover acknowledge (RFC 5568 §6.2.1.2).
    HandoverAcknowledge {
        /// Of the question.
        sequence: u16,
        /// The answer.
        code: u8,
    },
}

/// Which path is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// By way of the home agent.
    Home,
    /// Directly.
    CareOf,
}

/// Who keeps a binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeper {
    /// A home agent.
    HomeAgent,
    /// A MAP (RFC 5380).
    Map,
    /// A correspondent.
    Correspondent,
    /// An access router, for a fast handover.
    AccessRouter,
}

impl Keeper {
    /// Acknowledge, home registration and MAP registration (RFC 6275 §6.1.7, RFC 5380 §5.1; RFC
    /// 5568 §6.2.2: both the former).
    const fn flags(self) -> u16 {
        const ACKNOWLEDGE: u16 = 1 << 15;
        const HOME: u16 = 1 << 14;
        const MAP: u16 = 1 << 11;
        match self {
            Self::HomeAgent | Self::AccessRouter => ACKNOWLEDGE | HOME,
            Self::Map => ACKNOWLEDGE | MAP,
            Self::Correspondent => ACKNOWLEDGE,
        }
    }
}

/// A mobility option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MobilityOption {
    /// The care-of address where it is not the source (RFC 6275 §6.2.5).
    AlternateCareOf(Ipv6Addr),
    /// Which nonces the tokens were made from (RFC 6275 §6.2.6).
    NonceIndices {
        /// That of the home token.
        home: u16,
        /// That of the care-of token; 0 for none.
        care_of: u16,
    },
    /// Binding authorization data of 96 bits (RFC 6275 §6.2.7); zeros here, as there are no keys.
    Authorization,
    /// The same of fast handovers, with an SPI (RFC 5568 §6.4.5).
    FastAuthorization,
    /// A mobile's link-layer address (RFC 5568 §6.4.4).
    LinkLayer(LinkLayerAddress),
    /// A mobile's old care-of address (RFC 5568 §6.4.2).
    OldCareOf(Ipv6Addr),
    /// Its new one.
    NewCareOf(Ipv6Addr),
}

impl MobilityMessage<'_> {
    /// All of it, with zero for its checksum.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = vec![NO_NEXT_HEADER, 0, self.kind(), 0, 0, 0];
        match *self {
            Self::TestInit { cookie, .. } => {
                out.extend([0; 2]);
                out.extend(cookie.to_be_bytes());
            }
            Self::Test { index, cookie, token, .. } => {
                out.extend(index.to_be_bytes());
                out.extend(cookie.to_be_bytes());
                out.extend(token.to_be_bytes());
            }
            Self::Update { to, sequence, lifetime, .. } => {
                for field in [sequence, to.flags(), lifetime] {
                    out.extend(field.to_be_bytes());
                }
            }
            Self::Acknowledgement { status, sequence, lifetime, .. } => {
                out.extend([status, 0]);
                out.extend(sequence.to_be_bytes());
                out.extend(lifetime.to_be_bytes());
            }
            Self::Error { status, home } => {
                out.extend([status, 0]);
                out.extend(home.octets());
            }
            Self::HandoverInitiate { sequence, code, .. } => {
                let hold = 0x40;
                out.extend(sequence.to_be_bytes());
                out.extend([hold, code]);
            }
            Self::HandoverAcknowledge { sequence, code } => {
                out.extend(sequence.to_be_bytes());
                out.extend([0, code]);
            }
        }
        for option in self.options() {
            option.put(&mut out);
        }
        pad(&mut out, 8, 0);
        // In units of 8 bytes, without the first.
        out[1] = (out.len() / 8 - 1) as u8;
        out
    }

    const fn kind(&self) -> u8 {
        match self {
            Self::TestInit { of: Test::Home, .. } => 1,
            Self::TestInit { of: Test::CareOf, .. } => 2,
            Self::Test { of: Test::Home, .. } => 3,
            Self::Test { of: Test::CareOf, .. } => 4,
            Self::Update { to: Keeper::AccessRouter, .. } => 8,
            Self::Update { .. } => 5,
            Self::Acknowledgement { of: Keeper::AccessRouter, .. } => 9,
            Self::Acknowledgement { .. } => 6,
            Self::Error { .. } => 7,
            Self::HandoverInitiate { .. } => 14,
            Self::HandoverAcknowledge { .. } => 15,
        }
    }

    const fn options(&self) -> &[MobilityOption] {
        match self {
            Self::Update { options, .. }
            | Self::Acknowledgement { options, .. }
            | Self::HandoverInitiate { options, .. } => options,
            Self::TestInit { .. }
            | Self::Test { .. }
            | Self::Error { .. }
            | Self::HandoverAcknowledge { .. } => &[],
        }
    }
}

impl MobilityOption {
    /// Its alignment: where it must begin after a multiple of a unit.
    const fn place(&self) -> (usize, usize) {
        match self {
            Self::AlternateCareOf(_) => (8, 6),
            Self::NonceIndices { .. } => (2, 0),
            Self::Authorization => (8, 2),
            Self::FastAuthorization => (4, 2),
            Self::LinkLayer(_) => (1, 0),
            Self::OldCareOf(_) | Self::NewCareOf(_) => (8, 4),
        }
    }

    fn put(&self, out: &mut Vec<u8>) {
        let (unit, after) = self.place();
        pad(out, unit, after);
        match *self {
            Self::AlternateCareOf(address) => {
                out.extend([3, 16]);
                out.extend(address.octets());
            }
            Self::NonceIndices { home, care_of } => {
                out.extend([4, 4]);
                out.extend(home.to_be_bytes());
                out.extend(care_of.to_be_bytes());
            }
            Self::Authorization => {
                out.extend([5, 12]);
                out.extend([0; 12]);
            }
            Self::FastAuthorization => {
                out.extend([21, 16]);
                out.extend([0; 16]);
            }
            Self::LinkLayer(LinkLayerAddress(address)) => {
                let of_mobile = 2;
                out.extend([7, 7, of_mobile]);
                out.extend(address);
            }
            Self::OldCareOf(address) => put_address(1, address, out),
            Self::NewCareOf(address) => put_address(2, address, out),
        }
    }
}

/// RFC 5568 §6.4.2, with the whole address.
fn put_address(code: u8, address: Ipv6Addr, out: &mut Vec<u8>) {
    out.extend([17, 18, code, 128]);
    out.extend(address.octets());
}

/// Pad1 or `PadN` up to the next offset that is `after` past a multiple of `unit` (RFC 6275 §6.2.2,
/// §6.2.3).
fn pad(out: &mut Vec<u8>, unit: usize, after: usize) {
    match (after + unit - out.len() % unit) % unit {
        0 => {}
        1 => out.push(0),
        gap => {
            out.extend([PAD_N, gap as u8 - 2]);
            out.resize(out.len() + gap - 2, 0);
        }
    }
}
