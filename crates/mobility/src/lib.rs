//! Mobility: motion, handover and binding.
//!
//! * [`motion`]: where a mobile is;
//! * [`handover`]: which access point it uses;
//! * [`binding`]: by which address it is reached, and which peers know.

pub mod binding;
pub mod handover;
pub mod motion;
