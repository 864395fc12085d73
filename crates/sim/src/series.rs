//! Series of bounded length.

use base::Stream;

/// Rows that a series holds at most, unless all are asked for: of so many samples the 99th
/// percentile has a standard error of 0.02 percentage points.
const MOST_ROWS: usize = 1 << 18;

/// Rows that the series of a run hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// A random share of those that would be too many.
    Sample,
    /// All.
    All,
}

/// Rows in order of time.
#[derive(Clone, Debug)]
pub struct Series<T> {
    /// All rows, or a random share of many.
    sample: Vec<T>,
    /// All rows, where they are asked for.
    all: Option<Vec<T>>,
    /// The chance of a row to be in the sample is one in 2^`halvings`.
    halvings: u32,
    chance: Stream,
}

impl<T: Copy> Series<T> {
    /// No rows yet.
    pub fn new(keep: Keep) -> Self {
        let all = (keep == Keep::All).then(Vec::new);
        Self {
            sample: Vec::new(),
            all,
            halvings: 0,
            chance: Stream::named(0, "sample of a series"),
        }
    }

    /// The rows that are held.
    pub fn rows(&self) -> &[T] {
        self.all.as_ref().unwrap_or(&self.sample)
    }

    /// All rows if they are few, a random share of many, whatever is held: figures come from these,
    /// so that they are those of any run of the scenario.
    pub fn sample(&self) -> &[T] {
        &self.sample
    }

    /// Adds a row, which is no earlier than the last.
    #[inline]
    pub fn push(&mut self, row: T) {
        if let Some(all) = &mut self.all {
            all.push(row);
        }
        if self.halvings == 0 && self.sample.len() < MOST_ROWS {
            self.sample.push(row);
        } else {
            self.push_share(row);
        }
    }

    /// As [`Self::push`], of too many rows.
    #[inline(never)]
    fn push_share(&mut self, row: T) {
        if self.sample.len() == MOST_ROWS {
            self.halvings += 1;
            let chance = &mut self.chance;
            self.sample.retain(|_| chance.next_u32() & 1 == 0);
        }
        if self.chance.next_u32() >> (u32::BITS - self.halvings.min(u32::BITS)) == 0 {
            self.sample.push(row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A series of any length holds few rows, a share of each part of it, in order.
    #[test]
    fn many_rows_leave_a_fair_sample() {
        let count = 20 * MOST_ROWS as u32;
        let mut series = Series::new(Keep::Sample);
        let mut whole = Series::new(Keep::All);
        for row in 0..count {
            series.push(row);
            whole.push(row);
        }
        assert_eq!(whole.rows().len(), count as usize);
        assert_eq!(whole.sample(), series.rows(), "figures do not depend on what is held");
        assert!(series.rows().is_sorted());
        let held = series.rows().len();
        assert!((MOST_ROWS / 2 - 2_000..MOST_ROWS).contains(&held), "{held}");
        for tenth in 0..10 {
            let within = |row: &&u32| **row / (count / 10) == tenth;
            let share = series.rows().iter().filter(within).count() as f64 / held as f64;
            assert!((share - 0.1).abs() < 0.005, "{share}");
        }
        let odd = series.rows().iter().filter(|row| **row % 2 == 1).count() as f64 / held as f64;
        assert!((odd - 0.5).abs() < 0.005, "{odd}");
    }

    #[test]
    fn few_rows_are_all_there() {
        let mut series = Series::new(Keep::Sample);
        (0..MOST_ROWS).for_each(|row| series.push(row));
        assert_eq!(series.rows().len(), MOST_ROWS);
    }
}
