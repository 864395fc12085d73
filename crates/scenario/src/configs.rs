//! From the tables of a scenario to the configurations of the machines.

use radio::umts::rlc::next_expected::{self, Retransmissions};
use radio::umts::rlc::{self, Concatenation, Header, am, tm, um};

use crate::{
    Arq, BackOff, BaseRtt, CongestionControl, Controller, Cubic, Delta, Fack, FackWindow, Growth,
    Halving, Limit, MinimumRtt, Mode, NewReno, Pacing, PartialAckTimer, PartialAckWindow, Poll,
    Recovery, Reno, Repetition, Rlc, RttSampling, SackRule, SlowStart, SpacingRtt,
    SpuriousTimeouts, Status, Tcp, Vegas, VegasRecords, Westwood,
};

impl Tcp {
    /// How an endpoint behaves.
    pub fn config(&self) -> tcp::Config {
        self.config_of(0)
    }

    /// How an endpoint behaves, where `seed` is that of its connection's chance: of several that
    /// share a network, each needs its own.
    pub fn config_of(&self, seed: u64) -> tcp::Config {
        let (controller, recovery) = self.halves();
        let recovery = self.recovery(recovery);
        tcp::Config {
            times_handshake: self.times_handshake(&controller),
            congestion_control: self.algorithm(&controller, seed),
            recovery,
            mss: self.mss,
            min_mss: self.min_mss,
            window: self.window,
            initial_window: self.initial_window(&controller),
            initial_ssthresh: self.initial_ssthresh,
            receive_buffer: self.receive_bytes(),
            window_opening: self.receiver.opening(),
            rto: self.rto(&controller),
            rtt_sampling: match self.rtt_sampling {
                RttSampling::OnePerWindow => tcp::RttSampling::OnePerWindow,
                RttSampling::EverySegment => tcp::RttSampling::EverySegment,
            },
            offers: tcp::Offers {
                sack: self.sack.unwrap_or(recovery.is_selective()),
                timestamps: self.timestamps,
                ecn: self.ecn,
            },
            delayed_ack: self.delayed_ack,
            dsack: self.dsack,
            limited_transmit: self.limited_transmit(recovery),
            slow_start_restart: self.slow_start_restart,
            recover_guard: self.recover_guard,
            proportional_rate_reduction: self.prr,
            spurious_timeouts: match self.spurious_timeouts {
                SpuriousTimeouts::Unseen => tcp::SpuriousTimeouts::Unseen,
                SpuriousTimeouts::FRto => tcp::SpuriousTimeouts::FRto,
                SpuriousTimeouts::Eifel => tcp::SpuriousTimeouts::Eifel,
            },
            pacing: self.pacing().config(),
            pacing_rtt: self.pacing_rtt(),
            nagle: self.nagle,
            freeze: self.freeze.config(),
            share_state: self.share_state.config(),
            time_wait: self.time_wait,
        }
    }

    /// When segments are spread; `validate` has seen that one of the two keys is off.
    const fn pacing(&self) -> Pacing {
        match self.spacing {
            Pacing::Off => self.pacing,
            Pacing::SlowStart | Pacing::Always => self.spacing,
        }
    }

    const fn pacing_rtt(&self) -> tcp::PacingRtt {
        match (self.spacing, self.spacing_rtt) {
            (Pacing::Off, _) => tcp::PacingRtt::Smoothed,
            (Pacing::SlowStart | Pacing::Always, SpacingRtt::Current) => tcp::PacingRtt::Current,
            (Pacing::SlowStart | Pacing::Always, SpacingRtt::Base) => tcp::PacingRtt::Base,
        }
    }

    fn initial_window(&self, controller: &CongestionControl) -> u32 {
        let of_vegas = self.vegas.initial_window.filter(|_| controller.is_vegas());
        of_vegas.unwrap_or(self.initial_window)
    }

    fn limited_transmit(&self, recovery: tcp::RecoveryKind) -> bool {
        let of_vegas = self.vegas.limited_transmit;
        let of_vegas = of_vegas.filter(|_| matches!(recovery, tcp::RecoveryKind::Vegas(_)));
        of_vegas.unwrap_or(self.limited_transmit)
    }

    fn times_handshake(&self, controller: &CongestionControl) -> bool {
        self.vegas.times_handshake || !controller.is_vegas()
    }

    fn algorithm(&self, controller: &CongestionControl, seed: u64) -> cc::Algorithm {
        let controller = match controller {
            CongestionControl::Shipped(controller) => controller,
            CongestionControl::Custom(custom) => return cc::Algorithm::Custom(custom.clone()),
        };
        match controller {
            Controller::Tahoe => cc::Algorithm::Tahoe,
            Controller::Reno => cc::Algorithm::Reno(self.reno.parameters()),
            Controller::Vegas => cc::Algorithm::Vegas(self.vegas.parameters()),
            Controller::Westwood => cc::Algorithm::Westwood(self.westwood.parameters()),
            Controller::Cubic => cc::Algorithm::Cubic(self.cubic.parameters()),
            Controller::Bbr => cc::Algorithm::Bbr(cc::BbrParameters { seed }),
            Controller::Wtcp => cc::Algorithm::Wtcp,
        }
    }

    const fn recovery(&self, recovery: Recovery) -> tcp::RecoveryKind {
        match recovery {
            Recovery::Tahoe => tcp::RecoveryKind::Tahoe,
            Recovery::Reno => tcp::RecoveryKind::Reno,
            Recovery::NewReno => tcp::RecoveryKind::NewReno(self.newreno.config()),
            Recovery::Sack => match self.sack_rule {
                SackRule::Rfc6675 => tcp::RecoveryKind::Sack,
                SackRule::Sack1 => tcp::RecoveryKind::Sack1,
            },
            Recovery::Fack => tcp::RecoveryKind::Fack(self.fack.window()),
            Recovery::Vegas => tcp::RecoveryKind::Vegas(self.vegas.records()),
            Recovery::Rack => tcp::RecoveryKind::Rack,
        }
    }

    fn receive_bytes(&self) -> u32 {
        let own = self.receiver.buffer(self.mss);
        let of_window = || self.window.saturating_mul(self.mss);
        self.receive_buffer.or(own).unwrap_or_else(of_window)
    }

    fn rto(&self, controller: &CongestionControl) -> tcp::RtoConfig {
        let back_off = match self.back_off {
            BackOff::Exponential => tcp::BackOff::Exponential,
            BackOff::Linear => tcp::BackOff::Linear,
            BackOff::Constant => tcp::BackOff::Constant,
        };
        // WTCP probes at even intervals.
        let back_off = if controller.is_wtcp() { tcp::BackOff::Constant } else { back_off };
        tcp::RtoConfig {
            tick: self.tick,
            min: self.min_rto,
            max: self.max_rto,
            initial: self.initial_rto,
            back_off,
            max_retransmissions: self.max_retransmissions,
        }
    }

    /// The most that may be in flight, in bytes.
    pub fn window_bytes(&self) -> u64 {
        u64::from(self.window) * u64::from(self.mss)
    }
}

impl Pacing {
    const fn config(self) -> tcp::Pacing {
        match self {
            Self::Off => tcp::Pacing::Off,
            Self::SlowStart => tcp::Pacing::SlowStart,
            Self::Always => tcp::Pacing::Always,
        }
    }
}

impl Reno {
    const fn parameters(&self) -> cc::RenoParameters {
        cc::RenoParameters {
            halving: match self.halving {
                Halving::WholeSegments => cc::Halving::WholeSegments,
                Halving::Exact => cc::Halving::Exact,
            },
            growth: match self.growth {
                Growth::Acknowledgements => cc::Growth::Acknowledgements,
                Growth::Bytes => cc::Growth::Bytes,
            },
        }
    }
}

impl Fack {
    const fn window(&self) -> tcp::FackWindow {
        match self.window {
            FackWindow::Halves => tcp::FackWindow::Halves,
            FackWindow::Restarts => tcp::FackWindow::Restarts,
        }
    }
}

impl NewReno {
    const fn config(&self) -> tcp::NewReno {
        tcp::NewReno {
            timer: match self.timer {
                PartialAckTimer::Impatient => tcp::PartialAckTimer::Impatient,
                PartialAckTimer::SlowButSteady => tcp::PartialAckTimer::SlowButSteady,
            },
            window: match self.window {
                PartialAckWindow::Deflates => tcp::PartialAckWindow::Deflates,
                PartialAckWindow::Closes => tcp::PartialAckWindow::Closes,
            },
            burst: self.burst,
        }
    }
}

impl Vegas {
    const fn records(&self) -> tcp::VegasRecords {
        match self.records {
            VegasRecords::Exact => tcp::VegasRecords::Exact,
            VegasRecords::Ring => tcp::VegasRecords::Ring,
        }
    }

    const fn parameters(&self) -> cc::VegasParameters {
        cc::VegasParameters {
            inflation: match self.records {
                VegasRecords::Exact => cc::Inflation::Beside,
                VegasRecords::Ring => cc::Inflation::Window,
            },
            alpha: self.alpha,
            beta: self.beta,
            gamma: self.gamma,
            delta: match self.delta {
                Delta::Rounded => cc::Delta::Rounded,
                Delta::Exact => cc::Delta::Exact,
            },
            base_rtt: match self.base_rtt {
                BaseRtt::Kept => cc::BaseRtt::Kept,
                BaseRtt::RenewedAtHandover => cc::BaseRtt::RenewedAtHandover,
            },
        }
    }
}

impl Westwood {
    const fn parameters(&self) -> cc::WestwoodParameters {
        cc::WestwoodParameters {
            alpha: self.alpha,
            minimum_rtt: match self.minimum_rtt {
                MinimumRtt::Ever => cc::MinimumRtt::Ever,
                MinimumRtt::SinceTimeout => cc::MinimumRtt::SinceTimeout,
            },
            shortest_sample: self.shortest_sample,
        }
    }
}

impl Cubic {
    const fn parameters(&self) -> cc::CubicParameters {
        cc::CubicParameters {
            c: self.c,
            beta: self.beta,
            fast_convergence: self.fast_convergence,
            reno_friendly: self.reno_friendly,
            slow_start: match self.slow_start {
                SlowStart::Standard => cc::SlowStart::Standard,
                SlowStart::Hystart => cc::SlowStart::Hystart,
            },
        }
    }
}

impl Rlc {
    /// How both ends of the link control behave.
    pub(crate) fn config(&self) -> rlc::Config {
        match (self.mode, self.arq) {
            (Mode::Tm, _) => tm::Config { pdu_payload: self.pdu_payload }.into(),
            (Mode::Um, _) => {
                let concatenation = self.concatenation();
                um::Config { pdu_payload: self.pdu_payload, header: self.header(), concatenation }
                    .into()
            }
            (Mode::Am, Arq::SelectiveRepeat) => self.selective_repeat().into(),
            (Mode::Am, Arq::NextExpected) => self.next_expected().into(),
        }
    }

    const fn concatenation(&self) -> Concatenation {
        if self.concatenation { Concatenation::Allowed } else { Concatenation::Forbidden }
    }

    const fn header(&self) -> Header {
        match self.header {
            Some(bytes) => Header::Counted(bytes),
            None => Header::Standard,
        }
    }

    const fn next_expected(&self) -> next_expected::Config {
        next_expected::Config {
            pdu_payload: self.pdu_payload,
            header: self.header(),
            recovery_timeout: self.recovery_timeout,
            in_order: self.in_order,
            max_retransmissions: self.max_retransmissions,
            retransmissions: if self.retransmissions_first {
                Retransmissions::First
            } else {
                Retransmissions::Behind
            },
        }
    }

    fn selective_repeat(&self) -> am::Config {
        am::Config {
            pdu_payload: self.pdu_payload,
            window: self.window,
            concatenation: self.concatenation(),
            in_order: self.in_order,
            max_retransmissions: self.max_retransmissions,
            on_limit: match self.on_limit {
                Limit::Reset => am::OnLimit::Reset,
                Limit::Discard => am::OnLimit::Discard,
            },
            discard_timer: self.discard_timer,
            poll: self.poll.config(),
            status: self.status.config(),
            reset: self.reset.config(),
            move_window: self.move_window.config(),
        }
    }
}

impl Poll {
    fn config(&self) -> am::Poll {
        am::Poll {
            last_in_buffer: self.last_in_buffer,
            last_in_retransmission_buffer: self.last_in_retransmission_buffer,
            every_pdus: self.every_pdus,
            every_sdus: self.every_sdus,
            window_utilization: self.window_utilization,
            timer: self.timer,
            prohibit: self.prohibit,
        }
    }
}

impl Status {
    fn config(&self) -> am::Status {
        am::Status {
            missing: self.missing,
            periodic: self.periodic,
            prohibit: self.prohibit,
            estimated_pdu_counter: self.estimated_pdu_counter,
        }
    }
}

impl Repetition {
    fn config(&self) -> am::Repetition {
        am::Repetition { timer: self.timer, max: self.max }
    }
}
