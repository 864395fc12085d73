//! Captures of both ends of a disturbed wire.

#![expect(
    clippy::disallowed_methods,
    reason = "captures are files; this module talks to the system"
)]

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use base::Time;
use bytes::Bytes;
use tcp::Segment;
use wire::{Addresses, Capture, Payload};

/// `endpoint.pcapng`, what our endpoint sent and saw, and `kernel.pcapng`, what went over the
/// device: whatever befalls packets lies between the two.
#[derive(Default)]
pub struct Captures {
    files: Option<Files>,
}

struct Files {
    endpoint: Capture<BufWriter<File>>,
    kernel: Capture<BufWriter<File>>,
}

impl Captures {
    /// Begins both in `directory`.
    ///
    /// # Errors
    /// The directory does not exist or may not be written to.
    pub fn within(directory: &Path) -> io::Result<Self> {
        let begin = |name: &str| {
            let file = File::create(directory.join(name).with_extension("pcapng"))?;
            Capture::new(BufWriter::new(file), name)
        };
        Ok(Self { files: Some(Files { endpoint: begin("endpoint")?, kernel: begin("kernel")? }) })
    }

    pub(crate) fn at_endpoint(
        &mut self,
        now: Time,
        segment: &Segment<Bytes>,
        addresses: &Addresses,
    ) -> io::Result<()> {
        let Some(files) = &mut self.files else { return Ok(()) };
        let payload = Payload::Bytes(&segment.payload);
        files.endpoint.write(now, &segment.header, segment.ecn, addresses, payload)
    }

    pub(crate) fn at_kernel(&mut self, now: Time, packet: &[u8]) -> io::Result<()> {
        self.files.as_mut().map_or(Ok(()), |files| files.kernel.write_packet(now, packet))
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        let Some(files) = self.files else { return Ok(()) };
        files.endpoint.finish()?;
        files.kernel.finish().map(drop)
    }
}

impl fmt::Debug for Captures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Captures").field("on", &self.files.is_some()).finish()
    }
}
