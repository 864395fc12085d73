//! What Hynderick and Raes 2004 §III.B had to repair in their module, a test for each repair.

mod bearer;
mod cell;
mod channels;
mod rlc;
mod rrc;
