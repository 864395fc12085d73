//! Congestion control and loss recovery, by name: each half, and the pairs that have one name.

use crate::schema::Tcp;
use settings::Scalar;
use settings::{Leaf, Word, Words, words};

words! {
    /// A named pair of congestion control and loss recovery.
    pub enum Variant {
        /// Jacobson 1988.
        Tahoe = "tahoe",
        /// RFC 5681.
        Reno = "reno",
        /// RFC 6582.
        NewReno = "newreno",
        /// RFC 6675.
        Sack = "sack",
        /// Mathis and Mahdavi 1996.
        Fack = "fack",
        /// Brakmo and Peterson 1995.
        Vegas = "vegas",
        /// Westwood+: Grieco and Mascolo 2004.
        Westwood = "westwood",
        /// RFC 9438.
        Cubic = "cubic",
        /// draft-ietf-ccwg-bbr.
        Bbr = "bbr",
        /// Sinha et al. 1999, reconstructed.
        Wtcp = "wtcp",
    }
}

words! {
    /// How the window is found.
    pub enum Controller {
        /// Jacobson 1988.
        Tahoe = "tahoe",
        /// RFC 5681.
        Reno = "reno",
        /// Brakmo and Peterson 1995.
        Vegas = "vegas",
        /// Westwood+: Grieco and Mascolo 2004.
        Westwood = "westwood",
        /// RFC 9438.
        Cubic = "cubic",
        /// draft-ietf-ccwg-bbr.
        Bbr = "bbr",
        /// Sinha et al. 1999, reconstructed.
        Wtcp = "wtcp",
    }
}

words! {
    /// How losses are repaired.
    pub enum Recovery {
        /// Jacobson 1988.
        Tahoe = "tahoe",
        /// RFC 5681 §3.2.
        Reno = "reno",
        /// RFC 6582.
        NewReno = "newreno",
        /// RFC 6675.
        Sack = "sack",
        /// Mathis and Mahdavi 1996.
        Fack = "fack",
        /// Brakmo and Peterson 1995 §III-A.
        Vegas = "vegas",
        /// RFC 8985.
        Rack = "rack",
    }
}

/// How the window is found: in a way that ships or in one that was handed in.
#[derive(Clone, PartialEq, Debug)]
pub enum CongestionControl {
    /// One that ships.
    Shipped(Controller),
    /// One that was handed in, by its name.
    Custom(cc::Custom),
}

impl CongestionControl {
    /// As it is written.
    pub fn name(&self) -> &str {
        match self {
            Self::Shipped(controller) => controller.name(),
            Self::Custom(custom) => custom.name(),
        }
    }

    /// True if it is WTCP.
    pub fn is_wtcp(&self) -> bool {
        *self == Self::Shipped(Controller::Wtcp)
    }

    /// True if it is Vegas.
    pub fn is_vegas(&self) -> bool {
        *self == Self::Shipped(Controller::Vegas)
    }
}

/// The form of [`CongestionControl`]. Those that are handed in are found before any is read.
pub(crate) struct Controlled;

impl Leaf for Controlled {
    type Value = CongestionControl;

    fn expected() -> String {
        Word::<Controller>::expected()
    }

    fn parse(scalar: &Scalar) -> Result<CongestionControl, String> {
        Word::<Controller>::parse(scalar).map(CongestionControl::Shipped)
    }

    fn show(value: &CongestionControl) -> String {
        value.name().to_owned()
    }
}

impl Variant {
    /// Its congestion control and its loss recovery.
    pub const fn halves(self) -> (Controller, Recovery) {
        match self {
            Self::Tahoe => (Controller::Tahoe, Recovery::Tahoe),
            Self::Reno => (Controller::Reno, Recovery::Reno),
            Self::NewReno => (Controller::Reno, Recovery::NewReno),
            Self::Sack => (Controller::Reno, Recovery::Sack),
            Self::Fack => (Controller::Reno, Recovery::Fack),
            Self::Vegas => (Controller::Vegas, Recovery::Vegas),
            Self::Westwood => (Controller::Westwood, Recovery::NewReno),
            Self::Cubic => (Controller::Cubic, Recovery::Sack),
            Self::Bbr => (Controller::Bbr, Recovery::Rack),
            Self::Wtcp => (Controller::Wtcp, Recovery::Rack),
        }
    }
}

impl Tcp {
    /// Its congestion control and its loss recovery.
    pub fn halves(&self) -> (CongestionControl, Recovery) {
        let (controller, recovery) = self.variant.halves();
        let controller = CongestionControl::Shipped(controller);
        (self.congestion_control.clone().unwrap_or(controller), self.recovery.unwrap_or(recovery))
    }

    /// True if its loss recovery needs selective acknowledgements.
    pub fn needs_sack(&self) -> bool {
        match self.halves().1 {
            Recovery::Sack | Recovery::Fack | Recovery::Rack => true,
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno | Recovery::Vegas => false,
        }
    }

    /// Its congestion control, if that was handed in.
    pub const fn custom(&self) -> Option<&cc::Custom> {
        match &self.congestion_control {
            Some(CongestionControl::Custom(custom)) => Some(custom),
            Some(CongestionControl::Shipped(_)) | None => None,
        }
    }

    /// What results call it: the name of the pair, or both names with a plus, as in
    /// `cubic+newreno`.
    pub fn variant_name(&self) -> String {
        let (controller, recovery) = self.halves();
        let is_pair = |variant: &&Variant| {
            let (shipped, paired) = variant.halves();
            controller == CongestionControl::Shipped(shipped) && recovery == paired
        };
        Variant::ALL.iter().find(is_pair).map_or_else(
            || format!("{}+{}", controller.name(), recovery.name()),
            |variant| variant.name().to_owned(),
        )
    }
}
