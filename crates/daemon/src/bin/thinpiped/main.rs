//! `thinpiped`: the proxy daemon, for machines without Python.

mod options;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use daemon::{Question, Severity, Summary};
use options::{Command, Failure, Style, USAGE};

fn main() -> ExitCode {
    match Command::from_command_line().and_then(|command| run(&command)) {
        Ok(status) => status,
        Err(failure) => {
            eprintln!("thinpiped: {failure}");
            ExitCode::from(2)
        }
    }
}

fn run(command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Help => say(USAGE)?,
        Command::Version => say(&format!("thinpiped {}\n", env!("CARGO_PKG_VERSION")))?,
        Command::Serve(file) => daemon::serve(file)?,
        Command::Check(file) => return check(file),
        Command::Status { file, question, style } => status(file, *question, *style)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn check(file: &Path) -> Result<ExitCode, Failure> {
    let findings = daemon::check(file, &daemon::configuration(file)?);
    for finding in &findings {
        say(&format!("{finding}\n"))?;
    }
    let is_error = findings.iter().any(|finding| finding.severity == Severity::Error);
    Ok(if is_error { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

fn status(file: &Path, question: Question, style: Style) -> Result<(), Failure> {
    let answer = daemon::status(&daemon::configuration(file)?, question)?;
    say(&match style {
        Style::Programs => answer,
        Style::People => Summary::of(&answer)?.to_string(),
    })
}

/// A reader of only the beginning, such as `head`, is no error.
fn say(text: &str) -> Result<(), Failure> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => Ok(outcome?),
    }
}
