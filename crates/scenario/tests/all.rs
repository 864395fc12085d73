//! All integration tests of this crate, as one program: to link each alone takes minutes.

mod build;
mod cells;
mod drives;
mod errors;
mod flows;
mod gprs;
mod hspa;
mod links;
mod live;
mod lte;
mod middleboxes;
mod mobile;
mod nbiot;
mod nr;
mod radio;
mod rules;
mod satellites;
mod senders;
mod settings;
mod shared_radio;
mod variants;
