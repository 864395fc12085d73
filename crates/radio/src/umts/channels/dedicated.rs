//! The dedicated physical channels of one UE (TS 25.211 §5).

use std::fmt;

use base::{Direction, Rate};

use super::{SpreadingError, SpreadingFactor, SpreadingTable};

/// The DPDCHs of one UE in one direction, under one DPCCH.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DedicatedChannels {
    table: SpreadingTable,
    direction: Direction,
    sf: SpreadingFactor,
    dpdchs: u32,
}

impl DedicatedChannels {
    /// `dpdchs` parallel channels of factor `sf`: one to six uplink, several of them with factor 4
    /// alone (TS 25.211 §5.2.1); one to eight downlink, all of one factor (§5.3.2, and TS 25.331
    /// §10.3.10, maxDPCH-DLchan).
    ///
    /// # Errors
    /// If the standard has no such channels.
    pub(crate) fn new(
        table: SpreadingTable,
        direction: Direction,
        sf: SpreadingFactor,
        dpdchs: u32,
    ) -> Result<Self, DedicatedError> {
        sf.allowed(direction).map_err(DedicatedError::Spreading)?;
        let most = match direction {
            Direction::Uplink if sf > SpreadingFactor::MIN => 1,
            Direction::Uplink => 6,
            Direction::Downlink => 8,
        };
        if !(1..=most).contains(&dpdchs) {
            return Err(DedicatedError::Count { direction, sf, dpdchs, most });
        }
        Ok(Self { table, direction, sf, dpdchs })
    }

    /// Their user rates together. The DPCCH carries no user data: uplink it has a code of its own
    /// (factor 256), downlink a part of the first channel's slots, which the others leave empty.
    ///
    /// # Panics
    /// Never: the factor was checked.
    pub(crate) fn rate(self) -> Rate {
        let one = self.table.rate_of(self.direction, self.sf).expect("checked in new");
        Rate::from_bps(one.as_bps() * u64::from(self.dpdchs))
    }
}

/// Why there are no such dedicated channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DedicatedError {
    /// The factor.
    Spreading(SpreadingError),
    /// None, or too many.
    Count {
        /// Of the channels.
        direction: Direction,
        /// Of each.
        sf: SpreadingFactor,
        /// How many were asked.
        dpdchs: u32,
        /// How many there can be.
        most: u32,
    },
}

impl fmt::Display for DedicatedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spreading(error) => error.fmt(f),
            Self::Count { direction: Direction::Uplink, sf, dpdchs, most: 1 } => write!(
                f,
                "{dpdchs} DPDCHs of spreading factor {sf} uplink: must be 1; only factor 4 goes \
                 over several, 6 at most (TS 25.211 §5.2.1)"
            ),
            Self::Count { direction, sf, dpdchs, most } => {
                let name = direction.name();
                write!(f, "{dpdchs} DPDCHs of spreading factor {sf} {name}: must be 1 to {most}")
            }
        }
    }
}

impl std::error::Error for DedicatedError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn channels(
        direction: Direction,
        chips: u32,
        dpdchs: u32,
    ) -> Result<DedicatedChannels, DedicatedError> {
        let sf = SpreadingFactor::new(chips, Direction::Downlink).expect("a factor");
        DedicatedChannels::new(SpreadingTable::Module, direction, sf, dpdchs)
    }

    #[test]
    fn rates_add_up_under_one_dpcch() {
        let kbps = |direction, chips, dpdchs| {
            channels(direction, chips, dpdchs).map(|channels| channels.rate().as_bps() / 1000)
        };
        assert_eq!(kbps(Direction::Uplink, 4, 6), Ok(2880), "Holma and Toskala: 2.8 Mbit/s");
        assert_eq!(kbps(Direction::Uplink, 8, 1), Ok(240));
        assert_eq!(kbps(Direction::Downlink, 8, 3), Ok(1440));
    }

    #[test]
    fn only_so_many_as_the_standard_has() {
        let error =
            |direction, chips, dpdchs| channels(direction, chips, dpdchs).unwrap_err().to_string();
        assert_eq!(
            error(Direction::Uplink, 8, 2),
            "2 DPDCHs of spreading factor 8 uplink: must be 1; only factor 4 goes over several, \
             6 at most (TS 25.211 §5.2.1)"
        );
        assert_eq!(
            error(Direction::Uplink, 4, 7),
            "7 DPDCHs of spreading factor 4 uplink: must be 1 to 6"
        );
        assert_eq!(
            error(Direction::Downlink, 16, 0),
            "0 DPDCHs of spreading factor 16 downlink: must be 1 to 8"
        );
        assert!(error(Direction::Uplink, 512, 1).contains("only the downlink has 512"));
    }
}
