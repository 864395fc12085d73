//! Boxes that follow connections without splitting them.

mod connections;
mod delayed_dupacks;
mod fda;
mod m_tcp;
mod script;
mod snoop;
mod table;
mod w_tcp;
