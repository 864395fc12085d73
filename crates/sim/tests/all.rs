//! All integration tests of this crate, as one program: to link each alone takes minutes.

mod aggregates;
mod anything;
mod applications;
mod bbr_marks;
mod bearers;
mod boxes;
mod careful_resume;
mod cells;
mod classic_fallback;
mod copa;
mod datagrams;
mod energy;
mod fairness;
mod golden;
mod gprs;
mod hosts;
mod links;
mod marks;
mod mobile;
mod others;
mod parts;
mod path_mtu;
mod queues;
mod senders;
mod shared_air;
mod unequal_mobiles;
