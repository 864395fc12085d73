//! Asks a daemon for its status.

#![expect(clippy::disallowed_types, reason = "the library's sockets take its own durations")]

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use super::control::Question;
use os::{SetupError, setup_error};

/// How long a daemon may take for each step of its answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// The daemon's answer, a JSON object, from the control socket that `config` names.
///
/// # Errors
/// No daemon there, no permission to ask it, or no answer in time.
pub fn status(config: &proxy::Config, question: Question) -> Result<String, SetupError> {
    let path = &config.control.socket;
    let answer = ask(path, question).map_err(|error| silence(path, &error))?;
    let error = serde_json::from_str::<serde_json::Value>(&answer)
        .map_err(|_| setup_error!("{path}: what answers there is no proxy"))?
        .get("error")
        .and_then(|line| line.as_str().map(str::to_owned));
    error.map_or(Ok(answer), |line| Err(setup_error!("{path}: {line}")))
}

fn ask(path: &str, question: Question) -> io::Result<String> {
    let cloexec = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, cloexec, None)?;
    // Set before connecting, which also takes long if nobody accepts.
    set_socket_timeout(&socket, Timeout::Send, Some(PATIENCE))?;
    set_socket_timeout(&socket, Timeout::Recv, Some(PATIENCE))?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    let mut stream = UnixStream::from(socket);
    stream.write_all(format!("{}\n", question.name()).as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn silence(path: &str, error: &io::Error) -> SetupError {
    SetupError::new(match error.kind() {
        ErrorKind::NotFound | ErrorKind::ConnectionRefused => {
            format!("{path}: no proxy runs with this configuration")
        }
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            let seconds = PATIENCE.as_secs();
            format!("{path}: the proxy did not answer within {seconds} s: its log says why")
        }
        ErrorKind::PermissionDenied => {
            format!("{path}: only root and the group of the proxy's user may ask")
        }
        _ => format!("{path}: {error}"),
    })
}
