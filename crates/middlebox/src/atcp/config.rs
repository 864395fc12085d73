//! What an aggregating proxy is told: `[middlebox.atcp]`. Sections, equations and figures are those
//! of Chakravorty et al. 2003.

use aqm::codel;
use base::{Duration, Rate};
use settings::{
    Bytes, Count, Each, Factor, Fault, Flag, Label, Nothing, OfTime, Off, Or, Positive, Speed,
    Table, Word, as_key, join, named, section, words,
};

section! {
    /// `[middlebox.atcp]`: the aggregating proxy of Chakravorty et al. 2003.
    pub struct AtcpConfig {
        /// Side of the radio where it stands. A subscriber's box, as in a home router, takes part
        /// in no connection: all that goes up, TCP too, waits for its turn ahead of the modem, for
        /// room in the window of `uplink_rate`. Default: Chakravorty et al. 2003, §IV.
        pub role: Role as Word<Role> = Role::Network;
        /// What may be in flight to a mobile; where it is estimated, what it starts with. Default:
        /// Chakravorty et al. 2003, §VI.
        pub clamp: u64 as Bytes<u64, 1, { u32::MAX as u64 }> = 10_000;
        /// What the clamp is afterwards: static, as in the paper; estimated after TCP Westwood, its
        /// future work; or what the radio reports, where one does: to no daemon.
        pub estimator: Estimation as Word<Estimation> = Estimation::Static;
        /// What may be in flight ÷ (rate · round-trip time), where it is estimated. Default:
        /// Chakravorty et al. 2003, §IV.C, "around 30 % larger".
        pub headroom: f64 as Positive = 1.3;
        /// What the radio carries; at less than half of it a stall is suspected. Default:
        /// Chakravorty et al. 2003, §II, three slots.
        pub rate: Rate as Speed = Rate::from_bps(33_200);
        /// The usual round-trip time over the radio. Default: what makes the clamp 1.3 times
        /// rate · round-trip time.
        pub round_trip: Duration as OfTime = Duration::from_millis(1_850);
        /// β: bytes held for a mobile ÷ (rate · round-trip time). Default: Chakravorty et al. 2003,
        /// §IV.D, "more than 50 %".
        pub overprovision: f64 as Positive = 1.5;
        /// Most bytes held for a mobile: waiting, in flight, and allowed to senders. Default:
        /// a segment in a hurry for each of 64 connections, and the clamp.
        pub budget: u64 as Bytes<u64, 10_000, { u32::MAX as u64 }> = 128_000;
        /// a of equation (2), in 1/s. Default: stable up to a wired round-trip time of 6 s.
        pub a: f64 as Positive = 0.25;
        /// b of equation (2), in bytes/s. Default: none.
        pub b: f64 as Factor = 0.0;
        /// c of equation (1), in bytes/s. Default: what makes (b + c) ÷ a, where the queue settles,
        /// overprovision · rate · round-trip time.
        pub c: Option<f64> as Or<as_key::Overprovision, Factor> = None;
        /// Later packets whose arrival makes a packet lost. Default: Chakravorty et al. 2003,
        /// §IV.E.
        pub skip_threshold: u32 as Count<u32, 1, 1_000> = 3;
        /// How much longer a packet may take to be acknowledged than later ones of other flows:
        /// their mobile may delay its acknowledgements. Default: Chakravorty et al. 2003, which
        /// has no such time; about 500 ms helps where that is several segments' time.
        pub patience: Duration as OfTime = Duration::ZERO;
        /// The least retransmission timeout. Default: RFC 2988's first one.
        pub min_rto: Duration as OfTime = Duration::from_secs(3);
        /// Whether all probes of a stall are the same packet, as in Chakravorty et al. 2003, §IV.E.
        /// Default: each is another one, since a mobile may be silent about one connection only.
        pub single_probe: bool as Flag = false;
        /// Whether all of a window is free again after a stall, as in Chakravorty et al. 2003,
        /// §IV.D, and not what is left of it beside the data that wait. Default: the data that
        /// wait keep the radio busy, and the budget is for all flows.
        pub restore_window: bool as Flag = false;
        /// Whether small segments wait to be filled. Default: Chakravorty et al. 2003, §IV.B.
        pub coalescing: bool as Flag = true;
        /// How long they wait at most. Default: a usual delay of acknowledgements.
        pub coalescing_delay: Duration as OfTime = Duration::from_millis(200);
        /// What the first window after an idle time is shaped to. Default: Chakravorty et al. 2003,
        /// §IV.C, not needed for GPRS.
        pub shaping: Option<Rate> as Or<Off, Speed> = None;
        /// What lower priorities may send while a higher one is active ÷ rate. Default: an echo
        /// under a file transfer takes less than 1.2 times what it takes alone and a segment's time
        /// more, for about 5 % of the transfer's rate.
        pub deference: Option<f64> as Or<Off, Positive> = Some(0.9);
        /// Whether room for less than a segment counts: the segment then leaves once what there is
        /// no room for would have drained at rate. Default: Chakravorty et al. 2003, §IV.B, a
        /// segment leaves when there is room for all of it. To a subscriber's box it always counts.
        pub fractions: bool as Flag = false;
        /// What the radio carries from a mobile. Default: unknown, and the uplink is left alone, as
        /// in the paper; also by a subscriber's box, unless the radio reports the rate to it.
        pub uplink_rate: Option<Rate> as Or<Off, Speed> = None;
        /// Most bytes that a mobile's uploads together may have under way over the radio. Default,
        /// where `uplink_rate` is known: headroom times what that carries in `round_trip`, with a
        /// full packet up in place of one down, and a packet more, which a host's delayed
        /// acknowledgement may hold back; for a subscriber's box, what it carries in `round_trip`,
        /// as nobody holds back the answer to an echo request.
        pub uplink_clamp: Option<u32> as Or<as_key::UplinkRate, Bytes<u32, 1, 4_294_967_295>> =
            None;
        /// Segments that a connection sends in a row when it has its turn. Default: Chakravorty et
        /// al. 2003, §IV.B, one; two where mobiles hold an acknowledgement back until the second
        /// segment (RFC 5681 §4.2), or each connection of many would have one that waits for it.
        pub quantum: u32 as Count<u32, 1, 64> = 1;
        /// What becomes of packets that are not TCP, or that nobody can read.
        pub others: Others as Word<Others> = Others::Scheduled;
        /// Whether echo requests follow them, where no connection tells how long they are on their
        /// way: an answer says that all before it has arrived.
        pub echo: bool as Flag = true;
        /// How long they may wait for their turn permanently: the target of `CoDel` (RFC 8289
        /// §4.3). Default: a quarter of `round_trip`, and no less than a packet and a half take.
        pub others_target: Option<Duration> as Or<as_key::RoundTrip, OfTime<1>> = None;
        /// Flows that are not treated as all others.
        pub classes: Vec<Class> as Each<Class> = Vec::new();
    }
    only_with(clamp: role is ["network"])
    only_with(rate: role is ["network"])
    only_with(overprovision: role is ["network"])
    only_with(a: role is ["network"])
    only_with(b: role is ["network"])
    only_with(c: role is ["network"])
    only_with(skip_threshold: role is ["network"])
    only_with(patience: role is ["network"])
    only_with(single_probe: role is ["network"])
    only_with(restore_window: role is ["network"])
    only_with(coalescing: role is ["network"])
    only_with(coalescing_delay: role is ["network"])
    only_with(fractions: role is ["network"])
    only_with(others: role is ["network"])
    only_with(echo: others is ["scheduled"])
    only_with(others_target: others is ["scheduled"])
    check(Self::goes_together)
}

section! {
    /// `[[middlebox.atcp.classes]]`: how flows of a kind are scheduled (§IV.B). The first class
    /// that a flow fits counts; others have priority 0 and one ticket.
    pub struct Class {
        /// Its name in settings (`middlebox.atcp.classes.NAME.tickets`).
        pub name: String as Label = String::new();
        /// The port of either end; beside it, dscp must be none.
        pub port: Option<u16> as Or<Nothing, Count<u16, 0, 65_535>> = None;
        /// The differentiated services code point of the sender's packets.
        pub dscp: Option<u8> as Or<Nothing, Count<u8, 0, 63>> = None;
        /// Nothing of a lower priority is sent while something of a higher one waits. Above 0
        /// small segments never wait to be filled.
        pub priority: u8 as Count<u8, 0, 255> = 0;
        /// Flows of one priority share in proportion to these.
        pub tickets: u32 as Count<u32, 1, 1_000_000> = 1;
    }
}

named!(Class);

impl Class {
    /// Name in metrics of what is in no class.
    pub const NONE: &str = "none";
}

words! {
    /// Side of the radio where a box stands.
    pub enum Role {
        /// The network's: it splits connections, for many mobiles.
        Network = "network",
        /// A mobile's or modem's, for all hosts behind it.
        Subscriber = "subscriber",
    }
}

words! {
    /// Treatment of packets that are not TCP.
    pub enum Others {
        /// They pass around the box.
        Around = "around",
        /// Each flow takes turns with connections, for room in the same window.
        Scheduled = "scheduled",
    }
}

words! {
    /// Where the clamp comes from.
    pub enum Estimation {
        /// It stays.
        Static = "static",
        /// The rate at which packets arrive (Mascolo and others 2001).
        Westwood = "westwood",
        /// What the radio reports.
        Radio = "radio",
    }
}

/// A full packet on a path over Ethernet, in bytes.
pub(super) const PACKET: u64 = 1_500;

impl AtcpConfig {
    /// Times that would be divided by are not zero; what may be in flight is held; a class says in
    /// one way which flows it is for.
    fn goes_together(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.round_trip == Duration::ZERO {
            return tree.clash_at(at, &["round_trip"], "must be above 0 s");
        }
        if self.role == Role::Subscriber {
            self.uplink_goes_together(tree, at)?;
        } else if self.budget < self.clamp {
            let (budget, clamp) = (self.budget, self.clamp);
            let message =
                format!("a budget of {budget} B cannot hold the {clamp} B that may be in flight");
            return tree.clash_at(at, &["budget", "clamp"], message);
        }
        self.classes_go_together(tree, &join(at, "classes"))
    }

    /// A window of a subscriber's box needs a rate, by which packets leave that nobody tells about.
    fn uplink_goes_together(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.uplink_rate.is_none() && self.uplink_clamp.is_some() {
            let message = "a subscriber's box needs uplink_rate beside uplink_clamp";
            return tree.clash_at(at, &["uplink_clamp", "role"], message);
        }
        Ok(())
    }

    fn classes_go_together(&self, tree: &Table, list: &str) -> Result<(), Fault> {
        for (index, class) in self.classes.iter().enumerate() {
            if class.name.is_empty() {
                let message = format!("every [[{list}]] needs a name, as in name = \"mail\"");
                return tree.clash(&[list], message);
            }
            if class.name == Class::NONE {
                let message = format!("{} stands for flows in no class", Class::NONE);
                return tree.clash(&[list], message);
            }
            let earlier = &self.classes[..index];
            if earlier.iter().any(|other| other.name == class.name) {
                let message = format!("two classes have the name {}", class.name);
                return tree.clash(&[list], message);
            }
            let alike = |other: &&Class| (other.port, other.dscp) == (class.port, class.dscp);
            if let Some(other) = earlier.iter().find(alike) {
                let message = format!("{} and {} are for the same flows", other.name, class.name);
                return tree.clash(&[list], message);
            }
        }
        match self.classes.iter().find(|class| class.port.is_some() == class.dscp.is_some()) {
            None => Ok(()),
            Some(Class { name, .. }) => {
                let message = format!("{name} needs a port or a dscp, and not both");
                let of_class = join(list, name);
                tree.clash(&[&join(&of_class, "port"), &of_class], message)
            }
        }
    }

    /// How a flow is scheduled.
    pub(super) fn share(&self, ports: &[u16], dscp: u8) -> Share {
        self.share_of(self.class_of(ports, dscp))
    }

    /// Share of flows of the class at that place in the list, or of those in none.
    pub(super) fn share_of(&self, class: Option<usize>) -> Share {
        class.map_or(Share { priority: 0, tickets: 1 }, |place| {
            let Class { priority, tickets, .. } = self.classes[place];
            Share { priority, tickets }
        })
    }

    /// Place in the list of the class that a flow is in.
    pub fn class_of(&self, ports: &[u16], dscp: u8) -> Option<usize> {
        let fits = |class: &Class| {
            class.port.is_some_and(|port| ports.contains(&port)) || class.dscp == Some(dscp)
        };
        self.classes.iter().position(fits)
    }

    /// Most bytes that a mobile's uploads may have under way over the radio, if it is known.
    #[must_use]
    pub fn uplink_clamp(&self) -> Option<u32> {
        let by_rate = |uplink: Rate| {
            let packet = PACKET as f64;
            let meanwhile = packet * uplink.as_bps() as f64 / self.rate.as_bps() as f64;
            let empty = (uplink.bytes_in(self.round_trip) as f64 - meanwhile).max(0.0);
            (self.headroom * (empty + packet) + packet).min(u32::MAX.into()) as u32
        };
        self.uplink_clamp.or_else(|| self.uplink_rate.map(by_rate))
    }

    /// Configuration for the pipe that it schedules: of a subscriber's box that is the uplink, and
    /// what waits is all that it holds.
    pub(super) fn of_pipe(self) -> Self {
        match self.role {
            Role::Network => self,
            Role::Subscriber => {
                let rate = self.uplink_rate.unwrap_or(self.rate);
                let usual = || rate.bytes_in(self.round_trip);
                let clamp = self.uplink_clamp.map_or_else(usual, u64::from);
                Self { rate, clamp, fractions: true, others: Others::Scheduled, ..self }
            }
        }
    }

    /// True if the rate of a subscriber's pipe is given, or will be reported.
    pub fn learns_its_pipe(&self) -> bool {
        self.uplink_rate.is_some() || self.estimator == Estimation::Radio
    }

    /// Most bytes that an estimate allows in flight: half of the budget, of which the rest is for
    /// what waits; a subscriber's box holds nothing of what is in flight.
    pub(super) const fn widest(&self) -> u64 {
        match self.role {
            Role::Network => self.budget / 2,
            Role::Subscriber => u64::MAX,
        }
    }

    /// c of equation (1), which it calls `μ_c`, in bytes/s: a window grows by c − (a·q − b)·s a
    /// second, where q bytes wait in the aggregate and s is the flow's sending rate in units of its
    /// fair share. The queue settles at (b + c) ÷ a.
    pub(super) fn growth(&self) -> f64 {
        self.c.unwrap_or_else(|| (self.a * self.initial_window() - self.b).max(0.0))
    }

    /// How long less than a full segment may wait for more; `None` sends it at once.
    pub(super) fn coalescing(&self) -> Option<Duration> {
        self.coalescing.then_some(self.coalescing_delay)
    }

    /// §IV.D: `w_init` = RTT·C·β, in bytes.
    pub(super) fn initial_window(&self) -> f64 {
        self.rate.bytes_in(self.round_trip) as f64 * self.overprovision
    }

    /// Parameters of `CoDel` for packets that are not TCP. A shorter queue would run dry each time
    /// their sender halves its window, and the others would take their part; in a lane of its own
    /// nobody else waits for it.
    pub(super) fn codel(&self) -> codel::Config {
        let usual = codel::Config::default();
        let packets = self.transmission(PACKET * 3 / 2);
        let target = self.others_target.unwrap_or(self.round_trip / 4).max(packets);
        let interval = usual.interval.max(self.round_trip) + target;
        codel::Config { target, interval, mtu: PACKET as u32 }
    }

    /// How long the radio needs for `bytes`.
    pub(super) fn transmission(&self, bytes: u64) -> Duration {
        let nanos = u128::from(bytes) * 8_000_000_000 / u128::from(self.rate.as_bps());
        Duration::from_nanos(nanos as u64)
    }

    /// How long the network may need for `clamp` bytes before that is a stall: twice as long as at
    /// the usual rate.
    pub(super) fn drain(&self, clamp: u64) -> Duration {
        self.transmission(2 * clamp)
    }
}

/// How a flow is scheduled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Share {
    pub(super) priority: u8,
    pub(super) tickets: u32,
}
