//! How an SVG picture is to look.

use std::time::Duration;

use clap::{Args, ValueEnum};
use export::{Motion, Picture, Theme};

use super::duration;

/// How an SVG picture is to look.
#[derive(Args)]
pub(super) struct PictureArguments {
    /// In SVG: draw one screen that does not move, the last one or the one at `--until`
    #[arg(long, conflicts_with_all = ["speed", "idle_limit"])]
    still: bool,
    /// In SVG: draw a window bar with the worker's name above the screen
    #[arg(long)]
    frame: bool,
    /// In SVG: the colours; by default dark
    #[arg(long, value_enum, value_name = "THEME")]
    theme: Option<ThemeName>,
    /// In SVG: the playing speed, from 0.1 to 100
    #[arg(long, value_name = "FACTOR", value_parser = speed)]
    speed: Option<f64>,
    /// In SVG and asciicast: shorten longer pauses to this; by default 2s
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    idle_limit: Option<u64>,
}

/// The colours of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ThemeName {
    /// Light text on dark
    Dark,
    /// Dark text on light
    Light,
    /// The one that the reader's system prefers
    Auto,
}

fn speed(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor| (0.1..=100.0).contains(factor));
    factor.ok_or_else(|| format!("`{}` is not a number from 0.1 to 100", model::display_safe(text)))
}

impl PictureArguments {
    /// The first option that was given and that only a picture has.
    pub(super) fn given(&self) -> Option<&'static str> {
        [
            (self.still, "--still"),
            (self.frame, "--frame"),
            (self.theme.is_some(), "--theme"),
            (self.speed.is_some(), "--speed"),
        ]
        .into_iter()
        .find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// What longer pauses are shortened to, if that was said.
    pub(super) fn idle_limit(&self) -> Option<Duration> {
        self.idle_limit.map(Duration::from_micros)
    }

    pub(super) fn picture(&self, idle_limit: Duration) -> Picture {
        let theme = match self.theme {
            None | Some(ThemeName::Dark) => Theme::Dark,
            Some(ThemeName::Light) => Theme::Light,
            Some(ThemeName::Auto) => Theme::Auto,
        };
        let speed = self.speed.unwrap_or(1.0);
        let motion = if self.still { Motion::Still } else { Motion::Plays { idle_limit, speed } };
        Picture { theme, title_bar: self.frame, motion }
    }
}
