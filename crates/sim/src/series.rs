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

/// Rows in the order in which they came.
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

    /// The chance of a row to be in the sample is one in 2 to that.
    pub const fn halvings(&self) -> u32 {
        self.halvings
    }

    /// Adds a row.
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
            self.halve();
        }
        if self.chance.next_u32() >> (u32::BITS - self.halvings.min(u32::BITS)) == 0 {
            self.sample.push(row);
        }
    }

    /// Every other row of the sample stays, by chance.
    fn halve(&mut self) {
        self.halvings += 1;
        let chance = &mut self.chance;
        self.sample.retain(|_| chance.next_u32() & 1 == 0);
    }

    /// Adds the rows of another series: each row of either has the same chance to stay.
    pub(crate) fn append(&mut self, mut other: Self) {
        while self.halvings < other.halvings {
            self.halve();
        }
        while other.halvings < self.halvings {
            other.halve();
        }
        self.sample.append(&mut other.sample);
        while self.sample.len() > MOST_ROWS {
            self.halve();
        }
        if let (Some(all), Some(others)) = (&mut self.all, &mut other.all) {
            all.append(others);
        }
    }

    /// Changes each row that is held.
    pub(crate) fn change_each(&mut self, change: impl FnMut(&mut T)) {
        let held = self.all.iter_mut().flatten();
        held.chain(&mut self.sample).for_each(change);
    }

    /// Changes the row whose `number` is `of`, if it is held, where rows have come in the order of
    /// their numbers, from 0: while all are held, a row's number is its place.
    #[inline]
    pub(crate) fn change(&mut self, of: u64, number: impl Fn(&T) -> u64, change: impl Fn(&mut T)) {
        for rows in self.all.iter_mut().chain([&mut self.sample]) {
            let place = of as usize;
            let place = if rows.get(place).is_some_and(|row| number(row) == of) {
                Ok(place)
            } else {
                rows.binary_search_by_key(&of, &number)
            };
            if let Ok(row) = place {
                change(&mut rows[row]);
            }
        }
    }

    /// Puts rows in the order of a key; those that share one stay in their order.
    pub(crate) fn sort_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        for rows in self.all.iter_mut().chain([&mut self.sample]) {
            rows.sort_by_key(&key);
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

    /// Of two series that become one a row stays by the same chance, whichever it comes from.
    #[test]
    fn rows_of_two_series_are_a_fair_sample_of_both() {
        let (few, many) = (MOST_ROWS as u32, 9 * MOST_ROWS as u32);
        for [first, second] in [[few, many], [many, few]] {
            let mut series = [Series::new(Keep::All), Series::new(Keep::All)];
            (0..first).for_each(|row| series[0].push(row));
            (first..first + second).for_each(|row| series[1].push(row));
            let [mut whole, other] = series;
            whole.append(other);
            assert_eq!(whole.rows().len(), (first + second) as usize);
            assert!(whole.rows().is_sorted() && whole.sample().is_sorted());
            let held = whole.sample().len();
            assert!((MOST_ROWS / 4..=MOST_ROWS).contains(&held), "{held}");
            let of_first = whole.sample().iter().filter(|row| **row < first).count();
            let (share, expect) =
                (of_first as f64 / held as f64, f64::from(first) / f64::from(few + many));
            assert!((share - expect).abs() < 0.005, "{share}, {expect}");
        }
    }

    #[test]
    fn a_row_is_found_by_its_key_and_changed_where_it_is_held() {
        let mut series = Series::new(Keep::All);
        let count = 3 * MOST_ROWS as u64;
        (0..count).for_each(|row| series.push((row, false)));
        for row in 0..count {
            series.change(row, |row| row.0, |row| row.1 = row.0 % 3 == 0);
        }
        for rows in [series.rows(), series.sample()] {
            assert!(rows.iter().all(|row| row.1 == (row.0 % 3 == 0)));
            assert!(rows.iter().any(|row| row.1));
        }
    }

    #[test]
    fn few_rows_are_all_there() {
        let mut series = Series::new(Keep::Sample);
        (0..MOST_ROWS).for_each(|row| series.push(row));
        assert_eq!(series.rows().len(), MOST_ROWS);
    }
}
