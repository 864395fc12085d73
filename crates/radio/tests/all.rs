//! All integration tests of this crate, as one program: to link each alone takes minutes.

mod cells;
mod channels;
mod energy;
mod gprs;
mod hspa;
mod laws;
mod modes;
mod nbiot;
mod nr;
mod repairs;
mod satellite;
mod scheduled;
mod support;
mod transfer;
mod wlan;
