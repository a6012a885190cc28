//! What termbench measured: samples by measure and system.

use std::collections::HashMap;

use anyhow::{Context, Result};

/// Samples of every measure and system, one or more for each round.
pub(super) struct Samples(HashMap<(String, String), Vec<f64>>);

impl Samples {
    /// Reads lines of a measure, a system and its samples, with tabs between them.
    pub(super) fn read(text: &str) -> Result<Samples> {
        let line = |line: &str| -> Result<_> {
            let mut fields = line.split('\t').map(str::to_owned);
            let key = fields.next().zip(fields.next());
            let key = key.with_context(|| format!("`{line}` names no measure and system"))?;
            Ok((key, fields.map(|field| field.parse()).collect::<Result<Vec<f64>, _>>()?))
        };
        Ok(Samples(text.lines().map(line).collect::<Result<_>>()?))
    }

    /// All samples of a measure on a system; none if it was not measured.
    pub(super) fn of(&self, measure: &str, system: &str) -> &[f64] {
        self.0.get(&(measure.to_owned(), system.to_owned())).map_or(&[], Vec::as_slice)
    }
}

/// The median.
pub(super) fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

/// The ratio of each sample to the other of the same round; of their medians, if there is not one for each.
pub(super) fn ratios(samples: &[f64], others: &[f64]) -> Vec<f64> {
    if samples.len() == others.len() {
        samples.iter().zip(others).map(|(sample, other)| sample / other).collect()
    } else {
        median(samples).zip(median(others)).map(|(sample, other)| sample / other).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_found_by_measure_and_system() {
        let samples = Samples::read("echo p50 us\traw\t2.5\t3\necho p50 us\ttmux\t9\n").unwrap();
        assert_eq!(samples.of("echo p50 us", "raw"), [2.5, 3.0]);
        assert!(samples.of("echo p50 us", "abide").is_empty());
        assert!(Samples::read("echo\n").is_err());
        assert!(Samples::read("echo\traw\tfast\n").is_err());
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_two() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn ratios_are_taken_round_by_round_where_rounds_match() {
        assert_eq!(ratios(&[1.0, 9.0], &[2.0, 3.0]), [0.5, 3.0]);
        assert_eq!(ratios(&[1.0, 3.0, 2.0], &[4.0]), [0.5]);
        assert!(ratios(&[1.0], &[]).is_empty());
    }
}
