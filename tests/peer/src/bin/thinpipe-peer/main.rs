//! `thinpipe-peer`: one of our TCP endpoints talks to a kernel's through a TUN device.

mod options;

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;

use bytes::Bytes;
use options::{Failure, Options, USAGE};
use os::{Clock, Scheduling, Tun, Waker, run, within};
use peer::{Application, Captures, Peer, Report};
use tcp::State;

fn main() -> ExitCode {
    match Options::from_command_line().and_then(|options| options.map(|it| talk(&it)).transpose()) {
        Ok(None) => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Ok(Some(report)) => {
            eprintln!("{}", report.json());
            let is_closed = report.states.last() == Some(&State::Closed);
            if is_closed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(failure) => {
            eprintln!("thinpipe-peer: {failure}");
            ExitCode::from(2)
        }
    }
}

fn talk(options: &Options) -> Result<Report, Failure> {
    let ends = options.ends()?;
    let (tun, config) = (options.tun(&ends)?, options.config()?);
    let sink = sink(options.receive.as_deref())?;
    let application = Application::new(sink, options.pause, options.close);
    let data = data(options.send.as_deref())?;
    let mut peer = Peer::new(options.opening, &config, &ends, application, data, options.seed)?
        .impaired(&options.impairments, options.seed)
        .limited(options.limit);
    if let Some(directory) = &options.capture {
        peer = peer.captured(Captures::within(directory)?);
    }
    let tun = within(options.namespace.as_deref(), || Tun::open(&tun))?;
    run(&Clock::start(), &[&tun], &Waker::new()?, Scheduling::Normal, &mut peer)?;
    Ok(peer.finish()?)
}

#[expect(clippy::disallowed_methods, reason = "what to send is a file; this is a program")]
fn data(file: Option<&str>) -> io::Result<Bytes> {
    let mut data = Vec::new();
    match file {
        None => {}
        Some("-") => drop(io::stdin().read_to_end(&mut data)?),
        Some(file) => data = std::fs::read(file)?,
    }
    Ok(data.into())
}

#[expect(clippy::disallowed_methods, reason = "what arrives may go to a file; this is a program")]
fn sink(file: Option<&str>) -> io::Result<Box<dyn Write>> {
    Ok(match file {
        None => Box::new(io::sink()),
        Some("-") => Box::new(BufWriter::new(io::stdout())),
        Some(file) => Box::new(BufWriter::new(File::create(file)?)),
    })
}
