//! The outcome of many cases.

use std::collections::BTreeMap;

use crate::VOID_ONE_IN;
use crate::case::Case;
use crate::server::Oracle;

/// Failures of one class that are printed; the rest is counted.
const SHOWN_OF_A_CLASS: usize = 3;

/// Counts what the oracle said, and remembers what it did not like.
#[derive(Default)]
pub(crate) struct Tally {
    /// Whether to say what each case gave.
    pub(crate) loud: bool,
    judged: usize,
    failed: usize,
    voids: Vec<String>,
    classes: BTreeMap<String, Vec<String>>,
}

impl Tally {
    /// Judges one case.
    pub(crate) fn judge(&mut self, oracle: &mut Oracle, case: &Case) {
        let verdict = case.judge(oracle);
        self.judged += 1;
        if self.loud {
            println!("{case}: {} differences, void: {:?}", verdict.differences.len(), verdict.void);
        }
        if let Some(fault) = verdict.void {
            return self.voids.push(format!("{case}: {fault}"));
        }
        self.failed += usize::from(!verdict.differences.is_empty());
        for difference in verdict.differences {
            self.classes
                .entry(difference.class())
                .or_default()
                .push(format!("{case}\n      {}", difference.first));
        }
    }

    /// Fails unless every case was exact, and says how to look closer.
    pub(crate) fn assert_exact(&self) {
        let Tally { judged, failed, .. } = self;
        println!("{judged} cases, {failed} differ, {} void by xterm.js's own faults", self.voids.len());
        for (class, cases) in &self.classes {
            println!("  {class}: {} cases", cases.len());
            cases.iter().take(SHOWN_OF_A_CLASS).for_each(|case| println!("    {case}"));
        }
        assert!(*judged > 0, "nothing was judged");
        assert!(
            *failed == 0,
            "{failed} of {judged} snapshots differ from the whole stream. Shrink one with\n  \
             ABIDE_ORACLE_CASE='…' cargo test -p terminal --test oracle minimise -- --ignored --nocapture"
        );
        assert!(self.voids.len() * VOID_ONE_IN <= *judged, "too many cases prove nothing: {:#?}", self.voids);
    }
}
