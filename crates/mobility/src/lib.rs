//! Mobiles on the move: three words for three things.
//!
//! * [`motion`]: where a mobile is;
//! * [`handover`]: which access point it uses;
//! * [`binding`]: by which address it is reached, and who knows.

pub mod binding;
pub mod handover;
pub mod motion;
