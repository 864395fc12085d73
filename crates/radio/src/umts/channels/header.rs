//! The MAC header: which UE a block belongs to on a shared channel (TS 25.321 §9.2.1, FDD).
//!
//! ```text
//!   TCTF 2 or 8 | UE-Id type 2 | UE-Id 16 or 32 | C/T 4 | RLC PDU
//! ```
//!
//! Each field is there only where the transport channel leaves the question open.

use std::fmt;

use base::Direction;

use super::{IllegalMapping, LogicalChannel, Scope, TransportChannel};

/// A UE's identity on common channels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum UeId {
    /// C-RNTI, of a UE in a cell.
    Cell(u16),
    /// U-RNTI, of a UE in the whole network: downlink and on DCCH alone, while a cell has given it
    /// no C-RNTI yet.
    Utran(u32),
    /// DSCH-RNTI, of a UE on a DSCH.
    Dsch(u16),
}

impl UeId {
    /// Bits of its value, without those of its type.
    pub const fn bits(self) -> u32 {
        self.value().bits
    }

    /// TS 25.321 §9.2.1: C-RNTI and DSCH-RNTI share a type, as no channel has both.
    const fn kind(self) -> Field {
        match self {
            Self::Utran(_) => Field::new(0b00, 2),
            Self::Cell(_) | Self::Dsch(_) => Field::new(0b01, 2),
        }
    }

    const fn value(self) -> Field {
        match self {
            Self::Cell(value) | Self::Dsch(value) => Field::new(value as u64, 16),
            Self::Utran(value) => Field::new(value as u64, 32),
        }
    }
}

/// Which of several logical channels of one UE, 0 to 14: the C/T field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Multiplexed(u8);

impl Multiplexed {
    /// Logical channel `number`, counted from 0; `None` beyond 14 (TS 25.321 §9.2.1).
    pub const fn new(number: u8) -> Option<Self> {
        if number < 15 { Some(Self(number)) } else { None }
    }
}

/// The header of a transport block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MacHeader {
    kind: Option<Field>,
    ue: Option<UeId>,
    multiplexed: Option<Multiplexed>,
}

impl MacHeader {
    /// The header of a block of `channel` over `over`. A dedicated logical channel on a common
    /// transport channel needs the identity of its UE; `multiplexed` is given where several logical
    /// channels of the UE share the transport channel.
    ///
    /// # Errors
    /// If that channel cannot be carried there, or an identity is missing or out of place.
    pub fn new(
        channel: LogicalChannel,
        over: TransportChannel,
        direction: Direction,
        ue: Option<UeId>,
        multiplexed: Option<Multiplexed>,
    ) -> Result<Self, HeaderError> {
        channel.carried_by(over, direction).map_err(HeaderError::Mapping)?;
        let dedicated = channel.scope() == Scope::Dedicated;
        let shared = over.scope() == Scope::Common;
        let fits = match ue {
            None => !(dedicated && shared),
            Some(UeId::Dsch(_)) => over == TransportChannel::Dsch,
            Some(UeId::Utran(_)) => {
                over == TransportChannel::Fach && channel == LogicalChannel::Dcch
            }
            Some(UeId::Cell(_)) => dedicated && shared && over != TransportChannel::Dsch,
        };
        if !fits {
            return Err(HeaderError::Identity { channel, over });
        }
        // On RACH and FACH the field is always there; its first value stands for the only channel.
        let always = matches!(over, TransportChannel::Rach | TransportChannel::Fach);
        let multiplexed = match multiplexed {
            None if dedicated && always => Some(Multiplexed(0)),
            some_or_none => some_or_none.filter(|_| dedicated),
        };
        Ok(Self { kind: target(channel, over), ue, multiplexed })
    }

    /// Its length. The RLC PDU has what is left of the transport block.
    pub fn bits(&self) -> u32 {
        self.fields().map(|field| field.bits).sum()
    }

    /// Whose block it is; `None` on a channel that identifies the UE by itself.
    pub const fn ue(&self) -> Option<UeId> {
        self.ue
    }

    /// As it is sent: the first bit is the highest of `bits()`.
    pub fn encode(&self) -> u64 {
        self.fields().fold(0, |coded, field| coded << field.bits | field.value)
    }

    fn fields(&self) -> impl Iterator<Item = Field> {
        let ue = self.ue.map(|ue| [ue.kind(), ue.value()]);
        let channel = self.multiplexed.map(|Multiplexed(number)| Field::new(number.into(), 4));
        self.kind.into_iter().chain(ue.into_iter().flatten()).chain(channel)
    }
}

/// The target channel type field (TS 25.321 §9.2.1).
const fn target(channel: LogicalChannel, over: TransportChannel) -> Option<Field> {
    use LogicalChannel::{Bcch, Ccch, Ctch, Dcch, Dtch, Pcch};
    use TransportChannel::{Bch, Cpch, Dch, Dsch, Fach, Pch, Rach};
    let (value, bits) = match (over, channel) {
        (Fach, Bcch) | (Rach, Ccch) => (0b00, 2),
        (Fach, Ccch) => (0b0100_0000, 8),
        (Fach, Ctch) => (0b1000_0000, 8),
        (Fach, Dcch | Dtch) => (0b11, 2),
        (Rach, Dcch | Dtch) => (0b01, 2),
        (Fach, Pcch) | (Rach, Bcch | Pcch | Ctch) | (Bch | Pch | Cpch | Dsch | Dch, _) => {
            return None;
        }
    };
    Some(Field::new(value, bits))
}

/// A value and the bits that it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Field {
    value: u64,
    bits: u32,
}

impl Field {
    const fn new(value: u64, bits: u32) -> Self {
        Self { value, bits }
    }
}

/// Why a block cannot have a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeaderError {
    /// It cannot be carried there.
    Mapping(IllegalMapping),
    /// The identity of the UE is missing, or of a kind that is not used there.
    Identity {
        /// The logical channel.
        channel: LogicalChannel,
        /// Over this.
        over: TransportChannel,
    },
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Scope::{Common, Dedicated};
        use TransportChannel::{Bch, Cpch, Dch, Dsch, Fach, Pch, Rach};
        match self {
            Self::Mapping(error) => error.fmt(f),
            Self::Identity { channel, over } => {
                let kind = match (channel.scope(), *over) {
                    (Common, _) | (Dedicated, Dch) => "none",
                    (Dedicated, Dsch) => "a DSCH-RNTI",
                    (Dedicated, Fach) if *channel == LogicalChannel::Dcch => "a C-RNTI or a U-RNTI",
                    (Dedicated, Bch | Pch | Rach | Cpch | Fach) => "a C-RNTI",
                };
                write!(f, "identity of the UE of {channel} over {over}: must be {kind}")
            }
        }
    }
}

impl std::error::Error for HeaderError {}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: Option<UeId> = Some(UeId::Cell(0xABCD));
    const UTRAN: Option<UeId> = Some(UeId::Utran(0x0123_4567));

    fn header(
        channel: LogicalChannel,
        over: TransportChannel,
        ue: Option<UeId>,
        multiplexed: Option<u8>,
    ) -> Result<MacHeader, HeaderError> {
        let downlink = over.directions().include(Direction::Downlink);
        let direction = if downlink { Direction::Downlink } else { Direction::Uplink };
        MacHeader::new(channel, over, direction, ue, multiplexed.and_then(Multiplexed::new))
    }

    /// TS 25.321 §9.2.1.1 to §9.2.1.5.
    #[test]
    fn only_what_the_transport_channel_leaves_open() {
        use LogicalChannel::{Bcch, Ccch, Ctch, Dcch, Dtch, Pcch};
        use TransportChannel::{Bch, Cpch, Dch, Dsch, Fach, Pch, Rach};
        let check = |channel, over, ue, multiplexed, bits, coded| {
            let header = header(channel, over, ue, multiplexed).expect("a header");
            assert_eq!((header.bits(), header.encode()), (bits, coded), "{channel} over {over}");
            assert_eq!(header.ue(), ue);
        };
        check(Bcch, Bch, None, None, 0, 0);
        check(Bcch, Fach, None, None, 2, 0b00);
        check(Pcch, Pch, None, None, 0, 0);
        check(Ccch, Rach, None, None, 2, 0b00);
        check(Ccch, Fach, None, None, 8, 0x40);
        check(Ctch, Fach, None, None, 8, 0x80);
        check(Dtch, Dch, None, None, 0, 0);
        check(Dtch, Dch, None, Some(3), 4, 3);
        check(Dtch, Rach, CELL, None, 24, 0b0101 << 20 | 0xABCD << 4);
        check(Dtch, Rach, CELL, Some(2), 24, 0b0101 << 20 | 0xABCD << 4 | 2);
        check(Dtch, Fach, CELL, Some(2), 24, 0b1101 << 20 | 0xABCD << 4 | 2);
        check(Dcch, Fach, UTRAN, Some(1), 40, 0b1100 << 36 | 0x0123_4567 << 4 | 1);
        check(Dtch, Cpch, CELL, None, 18, 0b01 << 16 | 0xABCD);
        check(Dtch, Dsch, Some(UeId::Dsch(7)), None, 18, 0b01 << 16 | 7);
        check(Dtch, Dsch, Some(UeId::Dsch(7)), Some(1), 22, 0b01 << 20 | 7 << 4 | 1);
    }

    #[test]
    fn an_identity_is_of_the_kind_used_there() {
        use LogicalChannel::{Ccch, Dcch, Dtch};
        use TransportChannel::{Bch, Dch, Dsch, Fach, Rach};
        let check = |channel, over, ue, expected: &str| {
            assert_eq!(header(channel, over, ue, None).unwrap_err().to_string(), expected);
        };
        let start = "identity of the UE of";
        check(Dtch, Fach, None, &format!("{start} DTCH over FACH: must be a C-RNTI"));
        check(Dtch, Fach, UTRAN, &format!("{start} DTCH over FACH: must be a C-RNTI"));
        check(Dcch, Fach, None, &format!("{start} DCCH over FACH: must be a C-RNTI or a U-RNTI"));
        check(Dcch, Rach, UTRAN, &format!("{start} DCCH over RACH: must be a C-RNTI"));
        check(Dtch, Dsch, CELL, &format!("{start} DTCH over DSCH: must be a DSCH-RNTI"));
        check(Dtch, Dch, CELL, &format!("{start} DTCH over DCH: must be none"));
        check(Ccch, Fach, CELL, &format!("{start} CCCH over FACH: must be none"));
        assert!(matches!(header(Dtch, Bch, None, None), Err(HeaderError::Mapping(_))));
        assert_eq!(Multiplexed::new(15), None);
    }
}
