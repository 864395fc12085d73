//! Congestion control and loss recovery, by name: the pairs that have one name, and which half each
//! endpoint has.

use cc::{Algorithm, CongestionControl, Custom};
use settings::words;

use crate::{Config, RecoveryKind};

/// Names pairs, a line for each: congestion control and loss recovery.
macro_rules! pairs {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident = $word:literal: $algorithm:ident, $recovery:ident;
    )*) => {
        words! {
            /// A named pair of congestion control and loss recovery.
            pub enum Variant {
                $($(#[doc = $doc])* $name = $word,)*
            }
        }

        impl Variant {
            /// Its congestion control and its loss recovery.
            pub const fn halves(self) -> (Algorithm, RecoveryKind) {
                match self {
                    $(Self::$name => (Algorithm::$algorithm, RecoveryKind::$recovery),)*
                }
            }
        }
    };
}

pairs! {
    /// Jacobson 1988.
    Tahoe = "tahoe": Tahoe, Tahoe;
    /// RFC 5681.
    Reno = "reno": Reno, Reno;
    /// RFC 6582.
    NewReno = "newreno": Reno, NewReno;
    /// RFC 6675.
    Sack = "sack": Reno, Sack;
    /// Mathis and Mahdavi 1996.
    Fack = "fack": Reno, Fack;
    /// Brakmo and Peterson 1995.
    Vegas = "vegas": Vegas, Vegas;
    /// Westwood+: Grieco and Mascolo 2004.
    Westwood = "westwood": Westwood, NewReno;
    /// RFC 9438.
    Cubic = "cubic": Cubic, Sack;
    /// draft-ietf-ccwg-bbr.
    Bbr = "bbr": Bbr, Rack;
    /// Sinha et al. 1999, reconstructed.
    Wtcp = "wtcp": Wtcp, Rack;
    /// RFC 8257.
    Dctcp = "dctcp": Dctcp, Sack;
    /// draft-briscoe-iccrg-prague-congestion-control.
    Prague = "prague": Prague, Rack;
    /// Arun and Balakrishnan 2018.
    Copa = "copa": Copa, Rack;
}

impl Config {
    /// Its congestion control.
    pub fn algorithm(&self) -> CongestionControl {
        let paired = || CongestionControl::Shipped(self.variant.halves().0);
        self.congestion_control.clone().unwrap_or_else(paired)
    }

    /// Whether its congestion control is this one.
    pub(crate) fn is_controlled_by(&self, algorithm: Algorithm) -> bool {
        match &self.congestion_control {
            Some(chosen) => *chosen == CongestionControl::Shipped(algorithm),
            None => self.variant.halves().0 == algorithm,
        }
    }

    /// Its loss recovery.
    pub fn recovery_kind(&self) -> RecoveryKind {
        self.recovery.unwrap_or(self.variant.halves().1)
    }

    /// Its congestion control, if it is a custom one.
    pub const fn custom(&self) -> Option<&Custom> {
        match &self.congestion_control {
            Some(CongestionControl::Custom(custom)) => Some(custom),
            Some(CongestionControl::Shipped(_)) | None => None,
        }
    }

    /// What results call it: the name of the pair, or both names with a plus, as in
    /// `cubic+newreno`.
    pub fn variant_name(&self) -> String {
        let (algorithm, recovery) = (self.algorithm(), self.recovery_kind());
        let is_pair = |variant: &&Variant| {
            let (shipped, paired) = variant.halves();
            algorithm == CongestionControl::Shipped(shipped) && recovery == paired
        };
        Variant::ALL.iter().find(is_pair).map_or_else(
            || format!("{}+{}", algorithm.name(), recovery.name()),
            |variant| variant.name().to_owned(),
        )
    }
}
