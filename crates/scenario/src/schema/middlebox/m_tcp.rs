//! `[middlebox.m_tcp]`: Brown and Singh 1997.

use base::Duration;
use middlebox::MTcpConfig;

use settings::{OfTime, section};

section! {
    /// `[middlebox.m_tcp]`: senders that are stopped while their mobile is silent.
    pub struct MTcpKeys {
        /// How long a mobile that owes an acknowledgement may be silent. Default: what GPRS takes
        /// at most with nothing waiting, 3 s down and 1.3 s up (Chakravorty et al. 2003, §II), in
        /// whole seconds.
        pub timeout: Duration as OfTime<1> = Duration::from_secs(5);
        /// How long the last byte is held back once nothing more is under way. Default: a usual
        /// delay of acknowledgements, within any sender's retransmission timeout.
        pub release: Duration as OfTime = Duration::from_millis(200);
    }
}

impl MTcpKeys {
    /// The same as the box takes it.
    pub(crate) const fn config(&self) -> MTcpConfig {
        MTcpConfig { timeout: self.timeout, release: self.release }
    }
}
