//! One direction of a call: frames of voice at even intervals in RTP (RFC 3550), and the E-model
//! that rates what its receiver hears.

mod codec;
mod e_model;

use base::Duration;
use settings::{Always, Fault, OfTime, Or, Table, Within, Word, absent, as_key, section};
use tcp::Length;

use super::flow::{NewFlow, Traffic};
use super::udp::Udp;
use crate::{Body, MachineId};

pub use codec::Codec;
pub use e_model::{DelaySensitivity, EModel, Rating, mos};

absent! {
    Best = "best",
}

section! {
    /// `[flow.voip]`: one direction of a call, without silence suppression.
    #[derive(Copy)]
    pub struct Voip {
        /// Coding of the voice: how much is sent, and how it bears loss. Default: the codec that
        /// every endpoint of WebRTC has (RFC 7874 §3).
        pub codec: Codec as Word<Codec> = Codec::G711;
        /// Voice in a packet: a whole number of the codec's frames (0.125 ms with G.711, 10 ms with
        /// G.729A, 30 ms with G.723.1, 20 ms with AMR). RTP's header of 12 B (RFC 3550 §5.1),
        /// UDP's of 8 B and that of IP come on top. Default and limit: RFC 3551 §4.2.
        pub interval: Duration as OfTime<1, 200_000_000> = Duration::from_millis(20);
        /// Time for which the receiver's de-jitter buffer holds the fastest packet: one that takes
        /// longer than the fastest one and this together comes too late. Or `best`: the time at
        /// which the call is rated highest, as a buffer that adapts tries to find.
        pub buffer: Option<Duration> as Or<Best, OfTime> = None;
        /// Delay from mouth to ear besides that of a packet's voice, look-ahead, network and
        /// buffer: of terminals, or of a network beyond. Default: none.
        pub added_delay: Duration as OfTime = Duration::ZERO;
        /// Equipment impairment factor (Ie). By codec: ITU-T G.113 Appendix I.
        pub ie: Option<f64> as Or<as_key::Codec, Within<0, 40>> = None;
        /// Packet-loss robustness factor (Bpl). By codec: ITU-T G.113 Appendix I.
        pub bpl: Option<f64> as Or<as_key::Codec, Within<1, 40>> = None;
        /// `[flow.voip.e_model]`: the telephones and lines that the E-model has at both ends.
        pub e_model: EModel as Always<EModel> = EModel::default();
    }
    check(Self::frames_fit)
}

/// Header of RTP without contributing sources (RFC 3550 §5.1).
const RTP_HEADER_BYTES: u32 = 12;

impl Voip {
    /// Port that calls are received at unless another is given: RTP's (RFC 3551 §8).
    pub const PORT: u16 = 5004;
}

impl Traffic for Voip {
    const PORT: u16 = Self::PORT;

    fn bytes(&self, _: Option<u64>) -> Option<u64> {
        None
    }

    fn add<B: Body<Payload = Length>>(&self, flow: NewFlow<'_, B>) -> [MachineId; 2] {
        let udp = Udp { payload: self.payload(), ..Udp::default() };
        udp.send(NewFlow { bytes: None, ..flow }, Self::PORT, Some(self.interval))
    }
}

impl Voip {
    /// The codec's frames in a packet.
    fn frames(&self) -> u64 {
        self.interval.whole(self.codec.coding().frame)
    }

    /// Payload of each datagram, in bytes.
    pub fn payload(&self) -> u32 {
        let coding = self.codec.coding();
        let voice = (coding.head + coding.bits * self.frames()).div_ceil(8);
        RTP_HEADER_BYTES + voice as u32
    }

    /// Delay from mouth to ear besides that of the network and the de-jitter buffer: the first
    /// sample of a packet waits for the last (G.114 Annex A).
    pub fn delay_at_ends(&self) -> Duration {
        self.interval + self.codec.coding().look_ahead + self.added_delay
    }

    /// The rating of what is heard.
    pub fn rating(&self) -> Rating {
        let coding = self.codec.coding();
        Rating::new(self.e_model, self.ie.unwrap_or(coding.ie), self.bpl.unwrap_or(coding.bpl))
    }

    /// Checks that a packet has whole frames.
    fn frames_fit(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        let frame = self.codec.coding().frame;
        if self.frames() > 0 && frame * self.frames() == self.interval {
            return Ok(());
        }
        let message = format!(
            "{at}.interval must be a multiple of {} ms, the frame of {}",
            frame.as_secs_f64() * 1e3,
            self.codec.name(),
        );
        tree.clash_at(at, &["interval", "codec"], message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Payload as RFC 3551 (table 1 and §4.5) and RFC 4867 (§4.3.5.1) have it, after RTP's header.
    #[test]
    fn payload_is_that_of_rtp() {
        let check = |codec, millis, bytes| {
            let interval = Duration::from_millis(millis);
            let voip = Voip { codec, interval, ..Voip::default() };
            assert_eq!(voip.payload() - RTP_HEADER_BYTES, bytes, "{codec:?}, {millis} ms");
        };
        check(Codec::G711, 20, 160);
        check(Codec::G711WithoutPlc, 10, 80);
        check(Codec::G729a, 20, 20);
        check(Codec::G7231, 30, 24);
        check(Codec::Amr122, 20, 32);
        check(Codec::Amr122, 40, 63);
    }
}
