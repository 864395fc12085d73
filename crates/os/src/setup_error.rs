//! Why the operating system cannot be set up.

use std::error::Error;
use std::fmt;
use std::io;

/// What is missing or refused, and how to allow it, in one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetupError(String);

impl SetupError {
    /// The number that Rust puts behind the system's words for an error says no more than they.
    pub fn new(line: impl Into<String>) -> Self {
        let mut line = line.into();
        if let Some(number) = line.rfind(" (os error ").filter(|_| line.ends_with(')')) {
            line.truncate(number);
        }
        Self(line)
    }

    /// What the system said when it was asked to do `what`.
    pub fn at(what: impl fmt::Display) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::new(format!("cannot {what}: {error}"))
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for SetupError {}

impl From<io::Error> for SetupError {
    fn from(error: io::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// A [`SetupError`] whose line is made as by [`format!`].
#[macro_export]
macro_rules! setup_error {
    ($($line:tt)+) => {
        $crate::SetupError::new(format!($($line)+))
    };
}
