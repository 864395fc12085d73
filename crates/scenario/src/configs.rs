//! From the tables of a scenario to the configurations of the machines.

use radio::umts::rlc::next_expected::{self, Retransmissions};
use radio::umts::rlc::{self, Concatenation, Header, am, tm, um};

use crate::{Arq, Limit, Mode, Poll, Repetition, Rlc, Status};

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
