//! A network of cells: base stations and RNCs with the UEs that share them.
//!
//! ```text
//!            Cell ─ look at places ─ handover, interference
//!              ├─ UE: Bearer ─ rrc ─ place
//!              └─ cell: code tree ─ FACH and RACH (mac multiplexer)
//! ```
//!
//! * `machine`: the network, and what connections want of it;
//! * `movement`: who is where, handover and loss of coverage;
//! * `codes`: admission, and the codes of each cell;
//! * `common`: the channels that a cell's UEs share;
//! * `ue`: what there is of each UE.
//!
//! What is modelled in a simplified way stands in `docs/models/umts-cell.md`.

mod codes;
mod common;
mod config;
mod keys;
mod machine;
mod movement;
mod ue;

pub use config::{CellConfig, Fach, Rach, UeConfig};
pub use keys::{CellKeys, NodeB, Place, Ue};
pub use machine::Cell;
