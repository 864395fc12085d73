//! Congestion controllers: facts in, window out. One algorithm, one file.
//!
//! A controller takes acknowledgements and losses, in bytes of a stream, and answers with a window.
//! It knows no TCP: no sequence numbers, no segments on the wire, no timers. Which segment to
//! retransmit is loss recovery, in the crate `tcp`.
//!
//! Inside, the window is a real number of segments, as in ns-2 and the papers. Only `+ - * /` are
//! used on it, so that every platform computes the same run.

mod ack_trains;
mod algorithm;
mod bbr;
mod careful_resume;
mod classic_queue;
mod controller;
mod copa;
mod cube_root;
mod cubic;
mod dctcp;
mod hystart;
mod lowest;
mod marked_share;
mod prague;
mod reno;
mod tahoe;
mod vegas;
mod westwood;
mod window;
mod wtcp;

use settings::Shared;

pub use algorithm::{CongestionControl, Controlled, Custom};
pub use bbr::{Bbr, BbrParameters, MarkAnswer};
pub use careful_resume::{CarefulResume, Retained, SavedPath};
pub use controller::{
    Ack, Clocks, Controller, EcnFeedback, Limits, Loss, LossKind, LostSegment, Marked, RateSample,
};
pub use copa::{Copa, CopaParameters, CurrentRate};
pub use cubic::{Alpha, Cubic, CubicParameters, Reduction, SlowStart};
pub use dctcp::{Dctcp, DctcpParameters};
pub use prague::{Prague, PragueParameters};
pub use reno::{Halving, Reno, RenoParameters};
pub use tahoe::Tahoe;
pub use vegas::{BaseRtt, Delta, Inflation, Unmeasured, Vegas, VegasParameters};
pub use westwood::{MinimumRtt, Westwood, WestwoodParameters};
pub use window::{Growth, WindowRules};
pub use wtcp::Wtcp;

algorithm::algorithms! {
    /// Jacobson 1988.
    Tahoe = "tahoe",
    /// RFC 5681.
    Reno(reno: RenoParameters as Shared<RenoParameters>) = "reno",
    /// Brakmo and Peterson 1995.
    Vegas(vegas: VegasParameters as Shared<VegasParameters>) = "vegas",
    /// Westwood+: Grieco and Mascolo 2004.
    Westwood(westwood: WestwoodParameters as Shared<WestwoodParameters>) = "westwood",
    /// RFC 9438.
    Cubic(cubic: CubicParameters as Shared<CubicParameters>) = "cubic",
    /// draft-ietf-ccwg-bbr: its chance has a seed.
    Bbr(bbr: BbrParameters as Shared<BbrParameters>) = "bbr",
    /// Sinha et al. 1999, reconstructed.
    Wtcp = "wtcp",
    /// RFC 8257.
    Dctcp(dctcp: DctcpParameters as Shared<DctcpParameters>) = "dctcp",
    /// draft-briscoe-iccrg-prague-congestion-control.
    Prague(prague: PragueParameters as Shared<PragueParameters>) = "prague",
    /// Arun and Balakrishnan 2018.
    Copa(copa: CopaParameters as Shared<CopaParameters>) = "copa",
}
