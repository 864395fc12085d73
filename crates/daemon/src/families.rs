//! Families of metrics, with what they mean (`OpenMetrics` 1.0).

use std::fmt::Error;

use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;
use proxy::Histogram;

/// Name and value of each label.
pub(super) type Labels<'a> = Vec<(&'static str, &'a str)>;

/// One line of a family, or several for a histogram.
pub(super) enum Value<'a> {
    /// Only goes up.
    Counter(u64),
    /// A time that only goes up, in seconds.
    Elapsed(f64),
    /// Goes up and down.
    Gauge(u64),
    /// A time that goes up and down, in seconds.
    Seconds(f64),
    /// A histogram of times.
    Times(&'a Histogram),
    /// A text in a label.
    Info(&'static str, &'a str),
}

/// Where families are written.
pub(super) struct Families<'e>(pub(super) DescriptorEncoder<'e>);

impl Families<'_> {
    /// Writes a family without labels.
    pub(super) fn single(
        &mut self,
        name: &str,
        unit: Option<&Unit>,
        help: &str,
        value: Value<'_>,
    ) -> Result<(), Error> {
        self.write(name, unit, help, [(Vec::new(), value)])
    }

    /// Writes a family; one without values is left out.
    pub(super) fn write<'a>(
        &mut self,
        name: &str,
        unit: Option<&Unit>,
        help: &str,
        values: impl IntoIterator<Item = (Labels<'a>, Value<'a>)>,
    ) -> Result<(), Error> {
        let mut values = values.into_iter().peekable();
        let Some((_, first)) = values.peek() else { return Ok(()) };
        let mut family = self.0.encode_descriptor(name, help, unit, first.kind())?;
        for (labels, value) in values {
            if labels.is_empty() {
                value.write(&mut family)?;
            } else {
                value.write(&mut family.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }
}

impl Value<'_> {
    fn kind(&self) -> MetricType {
        match self {
            Self::Counter(_) | Self::Elapsed(_) => MetricType::Counter,
            Self::Gauge(_) | Self::Seconds(_) => MetricType::Gauge,
            Self::Times(_) => MetricType::Histogram,
            Self::Info(..) => MetricType::Info,
        }
    }

    fn write(&self, encoder: &mut MetricEncoder<'_>) -> Result<(), Error> {
        match *self {
            Self::Counter(count) => encoder.encode_counter::<NoLabelSet, _, u64>(&count, None),
            Self::Elapsed(seconds) => encoder.encode_counter::<NoLabelSet, _, f64>(&seconds, None),
            Self::Gauge(value) => encoder.encode_gauge(&value),
            Self::Seconds(seconds) => encoder.encode_gauge(&seconds),
            Self::Times(histogram) => {
                let bounds = Histogram::BOUNDS_MS.map(|ms| ms as f64 / 1000.0);
                let bounds = bounds.into_iter().chain([f64::INFINITY]);
                let buckets: Vec<_> = bounds.zip(histogram.counts).collect();
                let sum = histogram.sum_ns as f64 / 1e9;
                encoder.encode_histogram::<NoLabelSet>(sum, histogram.count(), &buckets, None)
            }
            Self::Info(label, text) => encoder.encode_info(&[(label, text)]),
        }
    }
}
