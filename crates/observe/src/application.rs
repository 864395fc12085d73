//! What applications report to observers.

use base::Duration;

/// What was typed has come back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EchoFact {
    /// From the keystroke to the last byte of its echo.
    pub response: Duration,
}

/// An application opened one more connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectionFact {
    /// The number of the application's machine.
    pub application: u32,
    /// The endpoint from which the data will come. Its number may be reused from an earlier
    /// connection of the application.
    pub sender: u32,
    /// The endpoint to which they go, likewise.
    pub receiver: u32,
    /// How many bytes that will be.
    pub bytes: u64,
}
