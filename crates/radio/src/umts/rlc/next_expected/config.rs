//! The parameters.

use base::Duration;

use crate::umts::rlc::config::{check_payload, check_times};
use crate::umts::rlc::segmentation::Segmentation;
use crate::umts::rlc::{Concatenation, ConfigError, Header};

/// The parameters of one entity; both ends have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Bytes of a PDU: data of one SDU, the rest padding.
    pub pdu_payload: u32,
    /// What stands in front of them. It tells where an SDU ends: there are no length indicators.
    pub header: Header,
    /// How long the receiver waits for a PDU that it asked for before it asks again, and for the
    /// next PDU of an SDU before it takes it for lost.
    pub recovery_timeout: Duration,
    /// Whether SDUs are delivered in sequence.
    pub in_order: bool,
    /// How often a PDU is asked for before its SDU is given up; `None` is for ever.
    pub max_retransmissions: Option<u32>,
    /// What is sent first.
    pub retransmissions: Retransmissions,
}

/// The place of retransmissions among data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retransmissions {
    /// Before all data.
    First,
    /// Behind the data that RLC has already: what is left of the SDU that is being sent.
    Behind,
}

impl Config {
    /// Refuses what no entity can work with.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        check_payload(self.pdu_payload)?;
        check_times(&[("recovery time-out", Some(self.recovery_timeout))])
    }

    /// How SDUs are cut and delivered.
    pub(crate) const fn segmentation(&self) -> Segmentation {
        Segmentation {
            payload: self.pdu_payload,
            length_indicator: 0,
            concatenation: Concatenation::Forbidden,
            max_ends: 1,
            in_order: self.in_order,
        }
    }
}
