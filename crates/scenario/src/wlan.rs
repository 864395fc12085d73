//! How the mobiles of `[wlan]` move.

use mobility::motion::Motion;

use crate::Scenario;

/// What results call the wireless access.
pub(crate) const ACCESS: &str = "WLAN";

impl Scenario {
    /// The names of the mobiles of `[wlan]`, and where each is when.
    pub fn motions(&self) -> Vec<(String, Motion)> {
        let (Some(wlan), Some(mobile_ip)) = (&self.wlan, &self.mobile_ip) else {
            return Vec::new();
        };
        wlan.stations(&mobile_ip.home_agent, self.seed)
    }
}
