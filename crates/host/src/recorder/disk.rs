//! Where the recording goes, and whether it gets there.

use std::mem;

use recording::Writer;

/// Where the recording goes. Tests have another kind of segment.
#[derive(Debug)]
pub(super) enum Disk<S = Writer> {
    /// To this segment.
    Writing(S),
    /// To this segment, which did not take the last that it was given. It is tried again.
    Refusing { segment: S, why: String },
    /// Nowhere: the disk does not take the first segment, which begins with this screen. It is tried again.
    Unopened { screen: Vec<u8>, why: String },
    /// Nowhere: there is no segment, and the next one begins with a screen that the model has yet to draw. Nothing was
    /// refused if another process took the segment away.
    Lost { why: Option<String> },
}

impl<S> Disk<S> {
    pub(super) fn segment(&mut self) -> Option<&mut S> {
        match self {
            Disk::Writing(segment) | Disk::Refusing { segment, .. } => Some(segment),
            Disk::Unopened { .. } | Disk::Lost { .. } => None,
        }
    }

    /// Why the last was not recorded, if it was not.
    pub(super) fn trouble(&self) -> Option<&str> {
        match self {
            Disk::Writing(_) => None,
            Disk::Refusing { why, .. } | Disk::Unopened { why, .. } => Some(why),
            Disk::Lost { why } => why.as_deref(),
        }
    }

    /// The disk did not take something.
    pub(super) fn refuse(&mut self, now: String) {
        *self = match self.take() {
            Disk::Writing(segment) | Disk::Refusing { segment, .. } => Disk::Refusing { segment, why: now },
            Disk::Unopened { screen, .. } => Disk::Unopened { screen, why: now },
            Disk::Lost { .. } => Disk::Lost { why: Some(now) },
        };
    }

    /// A segment was begun where there was none. Trouble is over when it has taken output.
    pub(super) fn begin(&mut self, segment: S) {
        *self = match self.take() {
            Disk::Unopened { why, .. } | Disk::Refusing { why, .. } | Disk::Lost { why: Some(why) } => {
                Disk::Refusing { segment, why }
            }
            Disk::Writing(_) | Disk::Lost { why: None } => Disk::Writing(segment),
        };
    }

    /// The segment took output. True if that ends trouble.
    pub(super) fn took(&mut self) -> bool {
        match self.take() {
            Disk::Refusing { segment, .. } => {
                *self = Disk::Writing(segment);
                true
            }
            other => {
                *self = other;
                false
            }
        }
    }

    /// The segment is gone, or the screen for the first one is too old.
    pub(super) fn lose(&mut self) {
        let why = self.trouble().map(str::to_owned);
        *self = Disk::Lost { why };
    }

    fn take(&mut self) -> Disk<S> {
        mem::replace(self, Disk::Lost { why: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_lasts_until_a_segment_accepts_output() {
        let mut disk = Disk::Writing(1);
        assert!(!disk.took());
        disk.refuse("full".into());
        assert_eq!(disk.trouble(), Some("full"));
        assert_eq!(disk.segment(), Some(&mut 1), "it is tried again");
        disk.refuse("gone".into());
        disk.lose();
        assert_eq!((disk.trouble().map(str::to_owned), disk.segment()), (Some("gone".into()), None));
        disk.begin(2);
        assert_eq!(disk.trouble(), Some("gone"), "a segment that was begun has taken nothing yet");
        assert!(disk.took());
        assert_eq!((disk.trouble().map(str::to_owned), disk.segment()), (None, Some(&mut 2)));
    }

    #[test]
    fn the_first_screen_waits_for_a_disk_that_refuses_it() {
        let mut disk: Disk<()> = Disk::Unopened { screen: vec![1], why: "full".into() };
        disk.refuse("still full".into());
        assert!(matches!(&disk, Disk::Unopened { screen, why } if *screen == [1] && why == "still full"));
        assert!(!disk.took());
        disk.begin(());
        assert!(disk.took());
    }

    #[test]
    fn a_segment_that_was_taken_away_is_no_trouble() {
        let mut disk = Disk::Writing(1);
        disk.lose();
        assert_eq!((disk.trouble().map(str::to_owned), disk.segment()), (None, None));
        disk.begin(2);
        assert!(!disk.took(), "there was none");
    }
}
