//! All integration tests of this crate, as one program: to link each alone takes minutes.

mod adversary;
mod draw;
mod flight;
mod golden;
mod halves;
mod marks;
mod path_mtu;
mod repair;
mod script;
mod scripts;
mod spike;
mod streams;
