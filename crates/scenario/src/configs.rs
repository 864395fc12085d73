//! From the tables of a scenario to the configurations of the machines.

use radio::umts::pdcp::PdcpConfig;
use radio::umts::rlc::am;
use radio::umts::{self, DchConfig};

use crate::{
    Channel, Delta, Limit, Poll, Radio, Repetition, Rlc, RttSampling, Status, Tcp, Variant,
};

impl Tcp {
    /// How an endpoint behaves.
    pub fn config(&self) -> tcp::Config {
        tcp::Config {
            variant: match self.variant {
                Variant::Reno => tcp::Variant::RENO,
                Variant::Vegas => tcp::Variant::vegas(cc::VegasParameters {
                    alpha: self.vegas.alpha,
                    beta: self.vegas.beta,
                    gamma: self.vegas.gamma,
                    delta: match self.vegas.delta {
                        Delta::Rounded => cc::Delta::Rounded,
                        Delta::Exact => cc::Delta::Exact,
                    },
                }),
            },
            mss: self.mss,
            window: self.window,
            initial_window: self.initial_window,
            initial_ssthresh: self.initial_ssthresh,
            receive_buffer: self.receive_buffer.unwrap_or(self.window.saturating_mul(self.mss)),
            rto: tcp::RtoConfig {
                tick: self.tick,
                min: self.min_rto,
                max: self.max_rto,
                initial: self.initial_rto,
                max_retransmissions: self.max_retransmissions,
            },
            rtt_sampling: match self.rtt_sampling {
                RttSampling::OnePerWindow => tcp::RttSampling::OnePerWindow,
                RttSampling::EverySegment => tcp::RttSampling::EverySegment,
            },
            delayed_ack: self.delayed_ack,
            limited_transmit: self.limited_transmit,
            slow_start_restart: self.slow_start_restart,
            recover_guard: self.recover_guard,
            nagle: self.nagle,
            time_wait: self.time_wait,
        }
    }

    /// The most that may be in flight, in bytes.
    pub fn window_bytes(&self) -> u64 {
        u64::from(self.window) * u64::from(self.mss)
    }
}

impl Radio {
    /// How the bearer behaves; `queue_limit` is in SDUs.
    pub fn config(&self, queue_limit: Option<u32>) -> DchConfig {
        let channel = |channel: &Channel| umts::Channel {
            rate: channel.rate,
            tti: channel.tti,
            tbler: self.tbler_of(channel),
        };
        DchConfig {
            downlink: channel(&self.downlink),
            uplink: channel(&self.uplink),
            pdcp: PdcpConfig {
                header_bytes: self.pdcp.header_bytes,
                header_compression: self.pdcp.header_compression,
            },
            rlc: self.rlc.config(),
            queue_limit,
        }
    }
}

impl Rlc {
    fn config(&self) -> am::Config {
        am::Config {
            pdu_payload: self.pdu_payload,
            window: self.window,
            concatenation: if self.concatenation {
                am::Concatenation::Allowed
            } else {
                am::Concatenation::Forbidden
            },
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
