//! `thinpiped`: the proxy daemon, for machines without Python.

mod options;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use daemon::{Gravity, Question, Summary};
use options::{Errand, Failure, Style, Subject, USAGE};

fn main() -> ExitCode {
    match Errand::from_command_line().and_then(|errand| run(&errand)) {
        Ok(status) => status,
        Err(failure) => {
            eprintln!("thinpiped: {failure}");
            ExitCode::from(2)
        }
    }
}

fn run(errand: &Errand) -> Result<ExitCode, Failure> {
    match errand {
        Errand::Help => say(USAGE)?,
        Errand::Version => say(&format!("thinpiped {}\n", env!("CARGO_PKG_VERSION")))?,
        Errand::Serve(file) => daemon::serve(file)?,
        Errand::Check(file) => return check(file),
        Errand::Status { file, subject, style } => status(file, *subject, *style)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn check(file: &Path) -> Result<ExitCode, Failure> {
    let findings = daemon::check(&daemon::configuration(file)?);
    for finding in &findings {
        say(&format!("{finding}\n"))?;
    }
    let is_grave = findings.iter().any(|finding| finding.gravity == Gravity::Error);
    Ok(if is_grave { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

fn status(file: &Path, subject: Subject, style: Style) -> Result<(), Failure> {
    let question = match subject {
        Subject::Daemon => Question::Status,
        Subject::Mobiles => Question::Mobiles,
    };
    let answer = daemon::status(&daemon::configuration(file)?, question)?;
    say(&match style {
        Style::Programs => answer,
        Style::People => Summary::of(&answer)?.to_string(),
    })
}

/// Whoever reads only the beginning, such as `head`, has read what it wants.
fn say(text: &str) -> Result<(), Failure> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => Ok(outcome?),
    }
}
