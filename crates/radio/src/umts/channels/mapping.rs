//! Which channel may carry which: logical channels over transport channels (TS 25.301 §5.3.1.1.2),
//! transport channels over physical channels (TS 25.211 §6.1).

use std::fmt;

use base::Direction;

use super::{Content, LogicalChannel, PhysicalChannel, Scope, TransportChannel};

/// The transport channels over which a logical channel may go (TS 25.301 §5.3.1.1.2). A pair is
/// legal in the directions that both have.
pub const LOGICAL_OVER_TRANSPORT: [(LogicalChannel, &[TransportChannel]); 6] = {
    use LogicalChannel::{Bcch, Ccch, Ctch, Dcch, Dtch, Pcch};
    use TransportChannel::{Bch, Cpch, Dch, Dsch, Fach, Pch, Rach};
    [
        (Bcch, &[Bch, Fach]),
        (Pcch, &[Pch]),
        (Dcch, &[Rach, Cpch, Fach, Dsch, Dch]),
        (Ccch, &[Rach, Fach]),
        (Dtch, &[Rach, Cpch, Fach, Dsch, Dch]),
        (Ctch, &[Fach]),
    ]
};

/// The physical channel over which a transport channel goes (TS 25.211 §6.1).
pub const TRANSPORT_OVER_PHYSICAL: [(TransportChannel, PhysicalChannel); 7] = {
    use PhysicalChannel::{Dpdch, PCcpch, Pcpch, Pdsch, Prach, SCcpch};
    use TransportChannel::{Bch, Cpch, Dch, Dsch, Fach, Pch, Rach};
    [
        (Bch, PCcpch),
        (Pch, SCcpch),
        (Rach, Prach),
        (Cpch, Pcpch),
        (Fach, SCcpch),
        (Dsch, Pdsch),
        (Dch, Dpdch),
    ]
};

impl LogicalChannel {
    /// The transport channels that may carry it in `direction`, none if it does not run there.
    pub fn carriers(self, direction: Direction) -> impl Iterator<Item = TransportChannel> {
        let runs = self.directions().include(direction);
        let (_, over) = LOGICAL_OVER_TRANSPORT[self as usize];
        over.iter().copied().filter(move |over| runs && over.directions().include(direction))
    }

    /// Checks that `over` may carry it in `direction`.
    ///
    /// # Errors
    /// If not, says why.
    pub fn carried_by(
        self,
        over: TransportChannel,
        direction: Direction,
    ) -> Result<(), IllegalMapping> {
        if self.carriers(direction).any(|carrier| carrier == over) {
            return Ok(());
        }
        Err(IllegalMapping::Logical { channel: self, over, direction })
    }
}

impl TransportChannel {
    /// The physical channel that carries it.
    pub fn carrier(self) -> PhysicalChannel {
        TRANSPORT_OVER_PHYSICAL[self as usize].1
    }

    /// Checks that `over` carries it.
    ///
    /// # Errors
    /// If not, says why.
    pub fn carried_by(self, over: PhysicalChannel) -> Result<(), IllegalMapping> {
        if self.carrier() == over {
            return Ok(());
        }
        Err(IllegalMapping::Transport { channel: self, over })
    }
}

/// A channel that another cannot carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IllegalMapping {
    /// A logical channel over a transport channel.
    Logical {
        /// What should be carried.
        channel: LogicalChannel,
        /// Over this.
        over: TransportChannel,
        /// In this direction.
        direction: Direction,
    },
    /// A transport channel over a physical channel.
    Transport {
        /// What should be carried.
        channel: TransportChannel,
        /// Over this.
        over: PhysicalChannel,
    },
}

impl fmt::Display for IllegalMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Logical { channel, over, direction } => {
                let name = direction.name();
                write!(f, "{channel} cannot be carried by {over} {name}: ")?;
                why_not_logical(f, channel, over, direction)?;
                let carriers: Vec<_> =
                    channel.carriers(direction).map(TransportChannel::name).collect();
                match carriers.as_slice() {
                    [] => Ok(()),
                    [only] => write!(f, "; {channel} goes over {only}"),
                    [first @ .., last] => {
                        write!(f, "; {channel} goes over {} or {last} {name}", first.join(", "))
                    }
                }
            }
            Self::Transport { channel, over } => {
                write!(f, "{channel} cannot be carried by {over}: ")?;
                why_not_transport(f, channel, over)?;
                write!(f, "; {channel} goes over {}", channel.carrier())
            }
        }
    }
}

impl std::error::Error for IllegalMapping {}

fn why_not_logical(
    f: &mut fmt::Formatter<'_>,
    channel: LogicalChannel,
    over: TransportChannel,
    direction: Direction,
) -> fmt::Result {
    let (from, to) = (channel.directions(), over.directions());
    if !from.meet(to) {
        write!(f, "{over} is {to}, {channel} is {from}")
    } else if !to.include(direction) {
        write!(f, "{over} is {to}")
    } else if !from.include(direction) {
        write!(f, "{channel} is {from}")
    } else if over.scope() == Scope::Dedicated {
        write!(f, "{over} belongs to one UE, {channel} to all")
    } else {
        let all = LOGICAL_OVER_TRANSPORT.iter().filter(|(_, over_any)| over_any.contains(&over));
        let names: Vec<_> = all.map(|(channel, _)| channel.name()).collect();
        write!(f, "{over} carries {} alone", names.join(" and "))
    }
}

fn why_not_transport(
    f: &mut fmt::Formatter<'_>,
    channel: TransportChannel,
    over: PhysicalChannel,
) -> fmt::Result {
    let (from, to) = (channel.directions(), over.directions());
    if over.content() == Content::Layer1Control {
        write!(f, "{over} carries the physical layer's control alone, beside DPDCH")
    } else if !from.meet(to) {
        write!(f, "{over} is {to}, {channel} is {from}")
    } else {
        let all = TRANSPORT_OVER_PHYSICAL.iter().filter(|(_, carrier)| *carrier == over);
        let names: Vec<_> = all.map(|(channel, _)| channel.name()).collect();
        write!(f, "{over} carries {} alone", names.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use Direction::{Downlink, Uplink};

    use super::*;
    use crate::umts::channels::{Directions, Plane};

    /// Which letters a pair has: `d` downlink, `u` uplink, `b` both, `-` none (TS 25.301 Figures 5
    /// and 6, the UE's side).
    const LOGICAL: [(&str, &str); 6] = [
        // BCH PCH RACH CPCH FACH DSCH DCH
        ("BCCH", "d - - - d - -"),
        ("PCCH", "- d - - - - -"),
        ("DCCH", "- - u u d d b"),
        ("CCCH", "- - u - d - -"),
        ("DTCH", "- - u u d d b"),
        ("CTCH", "- - - - d - -"),
    ];

    /// TS 25.211 Figure 27.
    const TRANSPORT: [(&str, &str); 7] = [
        // P-CCPCH S-CCPCH PRACH DPDCH DPCCH PDSCH PCPCH
        ("BCH", "x - - - - - -"),
        ("PCH", "- x - - - - -"),
        ("RACH", "- - x - - - -"),
        ("CPCH", "- - - - - - x"),
        ("FACH", "- x - - - - -"),
        ("DSCH", "- - - - - x -"),
        ("DCH", "- - - x - - -"),
    ];

    #[test]
    fn every_logical_channel_over_every_transport_channel() {
        for (channel, (name, row)) in LogicalChannel::ALL.into_iter().zip(LOGICAL) {
            assert_eq!(channel.to_string(), name);
            for (over, pair) in TransportChannel::ALL.into_iter().zip(row.split(' ')) {
                for (direction, letters) in [(Downlink, ["d", "b"]), (Uplink, ["u", "b"])] {
                    let legal = channel.carried_by(over, direction);
                    assert_eq!(legal.is_ok(), letters.contains(&pair), "{name} over {over}");
                    if let Err(error) = legal {
                        let start = format!("{name} cannot be carried by {over} ");
                        assert!(error.to_string().starts_with(&start), "{error}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_transport_channel_over_every_physical_channel() {
        for (channel, (name, row)) in TransportChannel::ALL.into_iter().zip(TRANSPORT) {
            assert_eq!(channel.to_string(), name);
            for (over, pair) in PhysicalChannel::ALL.into_iter().zip(row.split(' ')) {
                assert_eq!(channel.carried_by(over).is_ok(), pair == "x", "{name} over {over}");
            }
            let carrier = channel.carrier();
            assert!(channel.directions().meet(carrier.directions()));
            assert_eq!(channel.scope(), carrier.scope());
        }
    }

    #[test]
    fn tables_are_indexed_by_channel() {
        let logical = LOGICAL_OVER_TRANSPORT.map(|(channel, _)| channel);
        assert_eq!(logical, LogicalChannel::ALL);
        let transport = TRANSPORT_OVER_PHYSICAL.map(|(channel, _)| channel);
        assert_eq!(transport, TransportChannel::ALL);
    }

    #[test]
    fn an_illegal_mapping_says_why() {
        use LogicalChannel::{Bcch, Ccch, Ctch, Dtch, Pcch};
        use PhysicalChannel::{Dpcch, SCcpch};
        use TransportChannel::{Bch, Dch, Fach, Pch, Rach};
        let logical = |channel: LogicalChannel, over, direction: Direction, why| {
            let error = channel.carried_by(over, direction).unwrap_err().to_string();
            let direction = direction.name();
            assert_eq!(error, format!("{channel} cannot be carried by {over} {direction}: {why}"));
        };
        logical(Pcch, Rach, Uplink, "RACH is uplink, PCCH is downlink");
        logical(Pcch, Rach, Downlink, "RACH is uplink, PCCH is downlink; PCCH goes over PCH");
        let why = "FACH is downlink; DTCH goes over RACH, CPCH or DCH uplink";
        logical(Dtch, Fach, Uplink, why);
        logical(Bcch, Dch, Uplink, "BCCH is downlink");
        logical(Ccch, Dch, Uplink, "DCH belongs to one UE, CCCH to all; CCCH goes over RACH");
        logical(Ctch, Pch, Downlink, "PCH carries PCCH alone; CTCH goes over FACH");
        let transport = |channel: TransportChannel, over, why| {
            let error = channel.carried_by(over).unwrap_err().to_string();
            assert_eq!(error, format!("{channel} cannot be carried by {over}: {why}"));
        };
        let why = "DPCCH carries the physical layer's control alone, beside DPDCH; \
                   DCH goes over DPDCH";
        transport(Dch, Dpcch, why);
        transport(Rach, SCcpch, "S-CCPCH is downlink, RACH is uplink; RACH goes over PRACH");
        transport(Bch, SCcpch, "S-CCPCH carries PCH and FACH alone; BCH goes over P-CCPCH");
    }

    /// Hynderick and Raes 2004, Table II.2: "specificity" and "recipient".
    #[test]
    fn logical_channels_are_those_of_the_thesis() {
        let thesis = [
            ("BCCH", Plane::Control, Scope::Common),
            ("PCCH", Plane::Control, Scope::Common),
            ("DCCH", Plane::Control, Scope::Dedicated),
            ("CCCH", Plane::Control, Scope::Common),
            ("DTCH", Plane::Traffic, Scope::Dedicated),
            ("CTCH", Plane::Traffic, Scope::Common),
        ];
        for (channel, (name, plane, scope)) in LogicalChannel::ALL.into_iter().zip(thesis) {
            assert_eq!((channel.to_string().as_str(), channel.plane()), (name, plane));
            assert_eq!(channel.scope(), scope, "{name}");
        }
        for downlink in [LogicalChannel::Bcch, LogicalChannel::Pcch, LogicalChannel::Ctch] {
            assert_eq!(downlink.directions(), Directions::Downlink);
        }
    }

    /// Table II.3: "direction" and "utilisation". Its description of DCH says "downlink channel";
    /// its direction column, "downlink or uplink", and the standard do not.
    #[test]
    fn transport_channels_are_those_of_the_thesis() {
        let thesis = [
            ("BCH", Directions::Downlink, Scope::Common),
            ("PCH", Directions::Downlink, Scope::Common),
            ("RACH", Directions::Uplink, Scope::Common),
            ("CPCH", Directions::Uplink, Scope::Common),
            ("FACH", Directions::Downlink, Scope::Common),
            ("DSCH", Directions::Downlink, Scope::Common),
            ("DCH", Directions::Both, Scope::Dedicated),
        ];
        for (channel, (name, directions, scope)) in TransportChannel::ALL.into_iter().zip(thesis) {
            assert_eq!((channel.to_string().as_str(), channel.directions()), (name, directions));
            assert_eq!(channel.scope(), scope, "{name}");
        }
    }

    /// Table II.4, and the text below figure II.7.
    #[test]
    fn mappings_are_those_of_the_thesis_text() {
        let names: Vec<String> = PhysicalChannel::ALL.iter().map(ToString::to_string).collect();
        let thesis = ["P-CCPCH", "S-CCPCH", "PRACH", "DPDCH", "DPCCH", "PDSCH", "PCPCH"];
        assert_eq!(names, thesis);
        for channel in [LogicalChannel::Dcch, LogicalChannel::Dtch] {
            let uplink: Vec<TransportChannel> = channel.carriers(Uplink).collect();
            let thesis = [TransportChannel::Rach, TransportChannel::Cpch, TransportChannel::Dch];
            assert_eq!(uplink, thesis, "\"can be carried by DCH, CPCH or RACH\"");
        }
    }

    /// The tables of the documentation are those above.
    #[test]
    fn the_documented_tables_are_these() {
        let list = |channels: Vec<TransportChannel>| match channels.as_slice() {
            [] => "–".to_owned(),
            some => some.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        };
        let logical = LogicalChannel::ALL.map(|channel| {
            let [downlink, uplink] =
                [Downlink, Uplink].map(|direction| list(channel.carriers(direction).collect()));
            let (plane, scope) = (channel.plane(), channel.scope());
            let words = format!("{plane:?} | {scope:?}").to_lowercase();
            format!("| {channel} | {words} | {downlink} | {uplink} |")
        });
        let transport = TransportChannel::ALL.map(|channel| {
            let scope = format!("{:?}", channel.scope()).to_lowercase();
            format!("| {channel} | {} | {scope} | {} |", channel.directions(), channel.carrier())
        });
        let documentation = include_str!("../../../../../docs/models/umts-channels.md");
        for table in [logical.join("\n"), transport.join("\n")] {
            assert!(documentation.contains(&table), "docs/models/umts-channels.md lacks:\n{table}");
        }
    }
}
