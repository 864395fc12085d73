//! All integration tests of this crate, as one program: to link each alone takes minutes.

mod atcp;
mod exposure;
mod fat_pipes;
mod following;
mod harness;
mod limits;
mod path_mtu;
mod rate_steps;
mod slow_radio;
mod split;
mod split_corners;
mod split_forged;
mod split_fuzz;
mod split_losses;
mod strangers;
mod subscriber;
mod support;
mod uplink;
