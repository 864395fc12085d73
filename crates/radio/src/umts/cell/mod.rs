//! A network of cells: base stations and RNCs with the UEs that share them.
//!
//! ```text
//!            Cell ─ look at places ─ handover, interference
//!              ├─ UE: Bearer ─ rrc ─ place
//!              └─ cell: code tree ─ FACH and RACH (mac multiplexer)
//! ```
//!
//! * `machine`: the network, and the actions of connections;
//! * `movement`: positions, handover and loss of coverage;
//! * `codes`: admission, and the codes of each cell;
//! * `common`: the channels that a cell's UEs share;
//! * `ue`: the state of each UE.
//!
//! Simplifications are listed in `docs/models/umts-cell.md`.

mod codes;
mod common;
mod config;
mod keys;
mod machine;
mod movement;
mod ue;

pub use config::{CellConfig, Fach, Rach, UeConfig};
pub use keys::{CellKeys, NodeB, Ue};
pub use machine::UmtsCells;
