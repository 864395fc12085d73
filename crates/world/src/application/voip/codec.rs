//! Codecs of voice: what they send, and how they bear loss.

use base::Duration;
use settings::words;

words! {
    /// Coding of voice.
    pub enum Codec {
        /// G.711 at 64 kbit/s, whose receiver conceals lost packets (G.711 Appendix I).
        G711 = "g711",
        /// G.711, whose receiver plays silence instead.
        G711WithoutPlc = "g711-without-plc",
        /// G.729 Annex A at 8 kbit/s.
        G729a = "g729a",
        /// G.723.1 at 6.3 kbit/s.
        G7231 = "g723.1",
        /// AMR at 12.2 kbit/s, whose bits are those of GSM EFR (TS 26.071 §5).
        Amr122 = "amr-12.2",
    }
}

/// A codec as packets and listeners see it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Coding {
    /// Voice in one of its frames.
    pub(super) frame: Duration,
    /// Bits of such a frame in the payload of RTP.
    pub(super) bits: u64,
    /// Bits that each payload has besides.
    pub(super) head: u64,
    /// Voice beyond the frame that it waits for.
    pub(super) look_ahead: Duration,
    /// Equipment impairment factor (Ie).
    pub(super) ie: f64,
    /// Packet-loss robustness factor (Bpl).
    pub(super) bpl: f64,
}

impl Codec {
    /// Frames by RFC 3551 §4.5, those of AMR bandwidth-efficient by RFC 4867 §4.3: a mode request
    /// of 4 bits, then 6 bits of contents and 244 of voice for each. Ie and Bpl by ITU-T G.113
    /// (11/2007) Appendix I, tables I.1 and I.4: of G.729A and G.723.1 with silence suppression,
    /// of AMR 12.2 that of GSM EFR. It measured them with one of these frames a packet, with two of
    /// G.729A, and with 10 ms of G.711.
    pub(super) const fn coding(self) -> Coding {
        let g711 = Coding {
            frame: Duration::from_micros(125),
            bits: 8,
            head: 0,
            look_ahead: Duration::ZERO,
            ie: 0.0,
            bpl: 25.1,
        };
        match self {
            Self::G711 => g711,
            Self::G711WithoutPlc => Coding { bpl: 4.3, ..g711 },
            Self::G729a => Coding {
                frame: Duration::from_millis(10),
                bits: 80,
                head: 0,
                look_ahead: Duration::from_millis(5), // G.729 §2.2
                ie: 11.0,
                bpl: 19.0,
            },
            Self::G7231 => Coding {
                frame: Duration::from_millis(30),
                bits: 192,
                head: 0,
                look_ahead: Duration::from_micros(7500), // G.723.1 §2.1
                ie: 15.0,
                bpl: 16.1,
            },
            Self::Amr122 => Coding {
                frame: Duration::from_millis(20),
                bits: 250,
                head: 4,
                // TS 26.090: unused in this mode, but there, so that modes can change.
                look_ahead: Duration::from_millis(5),
                ie: 5.0,
                bpl: 10.0,
            },
        }
    }
}
