//! The command line.

use std::error::Error;
use std::path::PathBuf;

use daemon::Question;
use lexopt::{Arg, Parser, ValueExt};

pub(crate) const USAGE: &str = "\
The proxy daemon of thinpipe: TCP of mobiles over long thin radio pipes.

thinpiped --config FILE            serves until SIGTERM; SIGHUP has it read the file again
thinpiped --config FILE --check    looks at the file and at this machine, and changes nothing
thinpiped status --config FILE     asks the daemon that serves by this file how it fares

  --mobiles   with status: the mobiles, too
  --json      with status: as JSON
  --help
  --version

The exit status is 0 if all is well, 2 for an error.
";

pub(crate) type Failure = Box<dyn Error>;

/// What to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    Help,
    Version,
    Serve(PathBuf),
    Check(PathBuf),
    Status { file: PathBuf, question: Question, style: Style },
}

/// The form of the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    People,
    Programs,
}

/// What the command line asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Serve,
    Check,
    Status,
}

impl Command {
    pub(crate) fn from_command_line() -> Result<Self, Failure> {
        Self::read(Parser::from_env())
    }

    fn read(mut parser: Parser) -> Result<Self, Failure> {
        let (mut verb, mut file) = (Verb::Serve, None);
        let usual = (Question::Status, Style::People);
        let (mut question, mut style) = usual;
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("help") | Arg::Short('h') => return Ok(Self::Help),
                Arg::Long("version") | Arg::Short('V') => return Ok(Self::Version),
                Arg::Long("config") => file = Some(PathBuf::from(parser.value()?)),
                Arg::Long("check") if verb == Verb::Serve => verb = Verb::Check,
                Arg::Long("mobiles") => question = Question::Mobiles,
                Arg::Long("json") => style = Style::Programs,
                Arg::Value(word) if verb == Verb::Serve && word == "status" => {
                    verb = Verb::Status;
                }
                Arg::Value(word) => {
                    let word = word.string()?;
                    return Err(format!("\"{word}\": there is no such word; see --help").into());
                }
                Arg::Long(_) | Arg::Short(_) => return Err(argument.unexpected().into()),
            }
        }
        let file = file.ok_or("--config FILE is missing; see --help")?;
        if verb != Verb::Status && (question, style) != usual {
            return Err("--mobiles and --json go with status".into());
        }
        Ok(match verb {
            Verb::Serve => Self::Serve(file),
            Verb::Check => Self::Check(file),
            Verb::Status => Self::Status { file, question, style },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_what_is_none() {
        let check = |words: &str, expected: Result<Command, &str>| {
            let command = Command::read(Parser::from_args(words.split_whitespace()));
            let command = command.map_err(|failure| failure.to_string());
            assert_eq!(command, expected.map_err(str::to_owned));
        };
        let file = || PathBuf::from("p.toml");
        let (question, style) = (Question::Status, Style::People);
        check("--config p.toml", Ok(Command::Serve(file())));
        check("--config=p.toml --check", Ok(Command::Check(file())));
        check("status --config p.toml", Ok(Command::Status { file: file(), question, style }));
        let (question, style) = (Question::Mobiles, Style::Programs);
        let every = "--config p.toml status --json --mobiles";
        check(every, Ok(Command::Status { file: file(), question, style }));
        check("--check --help", Ok(Command::Help));
        check("--version", Ok(Command::Version));
        check("", Err("--config FILE is missing; see --help"));
        check("--config", Err("missing argument for option '--config'"));
        check("stop", Err("\"stop\": there is no such word; see --help"));
        check("--chekc", Err("invalid option '--chekc'"));
        check("status --check", Err("invalid option '--check'"));
        check("--config p.toml --json", Err("--mobiles and --json go with status"));
    }
}
