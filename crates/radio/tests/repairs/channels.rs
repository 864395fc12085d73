//! Repairs of the channels.

use base::{Direction, Rate};
use radio::umts::channels::{SpreadingError, SpreadingFactor, SpreadingTable};

/// Modification 1: the original gave a dedicated channel uplink a spreading factor of 512, which
/// the standard does not have. A small flow now gets 256, and 512 is refused by name.
#[test]
fn no_spreading_factor_512_uplink() {
    let refused = SpreadingFactor::new(512, Direction::Uplink);
    assert_eq!(refused, Err(SpreadingError::Uplink512));
    assert!(SpreadingFactor::new(512, Direction::Downlink).is_ok());
    for table in [SpreadingTable::Module, SpreadingTable::Standard] {
        assert!(table.rate_of(Direction::Uplink, SpreadingFactor::MAX).is_err());
        for bps in (1..=480_000).step_by(500) {
            let sf = table.least_for(Direction::Uplink, Rate::from_bps(bps)).expect("carried");
            assert!(sf.chips() <= 256, "{bps} bit/s");
        }
    }
}
