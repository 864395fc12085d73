//! The TUN device that packets are led to.

use proxy::Config;

use super::host::{Legs, no_device};
use os::{SetupError, Tun};

/// Makes it, down, in the namespace of the calling thread.
///
/// # Errors
/// One line: what is in the way.
pub(super) fn device(config: &Config, legs: &Legs) -> Result<Tun, SetupError> {
    let routing = &config.routing;
    Tun::open_down(&routing.device, legs.largest(), routing.queue)
        .map_err(|error| no_device(&routing.device, &error))
}
