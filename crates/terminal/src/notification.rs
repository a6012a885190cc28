//! Notifications for the person: OSC 9, OSC 777 and the kitty protocol, OSC 99.

use crate::signal::{Notification, Progress};

/// Longer texts are cut.
const MAX_TEXT: usize = 4096;

/// What `OSC 9` says: progress in ConEmu's way, or a text to show.
pub(crate) enum Osc9 {
    Progress(Progress),
    Cwd(String),
    Text(Notification),
}

impl Osc9 {
    pub(crate) fn parse(data: &str) -> Option<Osc9> {
        if data == "4" || data.starts_with("4;") {
            return parse_progress(data.get(2..).unwrap_or("")).map(Osc9::Progress);
        }
        if let Some(path) = data.strip_prefix("9;") {
            return Some(Osc9::Cwd(path.to_owned()));
        }
        // The other numbers are ConEmu's too, and none of them is a text for a person.
        let number = data.split(';').next().unwrap_or("");
        let conemu = data.contains(';') && number.parse().is_ok_and(|n: u32| (1..=12).contains(&n));
        (!conemu && !data.is_empty())
            .then(|| Osc9::Text(Notification { title: String::new(), body: capped(data) }))
    }
}

fn parse_progress(data: &str) -> Option<Progress> {
    let mut numbers = data.split(';').map(str::parse::<u32>);
    let state = numbers.next()?.unwrap_or(0);
    let percent = numbers.next().and_then(Result::ok).unwrap_or(0).min(100) as u8;
    Some(match state {
        0 => Progress::None,
        1 => Progress::Normal(percent),
        2 => Progress::Error(percent),
        3 => Progress::Busy,
        4 => Progress::Paused(percent),
        _ => return None,
    })
}

/// What `OSC 777` says, if it is a notification.
pub(crate) fn parse_777(data: &str) -> Option<Notification> {
    let (title, body) = data.strip_prefix("notify;")?.split_once(';').unwrap_or((&data[7..], ""));
    Some(Notification { title: capped(title), body: capped(body) })
}

/// A kitty notification, which may come in parts.
#[derive(Default)]
pub(crate) struct Kitty99 {
    id: String,
    title: String,
    body: String,
}

impl Kitty99 {
    /// Takes in one part; a notification comes out with the last one.
    pub(crate) fn add(&mut self, data: &str) -> Option<Notification> {
        let (metadata, payload) = data.split_once(';')?;
        let (mut id, mut done, mut part, mut encoded) = ("", true, "title", false);
        for field in metadata.split(':') {
            match field.split_once('=') {
                Some(("i", value)) => id = value,
                Some(("d", value)) => done = value != "0",
                Some(("p", value)) => part = value,
                Some(("e", value)) => encoded = value == "1",
                _ => {}
            }
        }
        if self.id != id {
            *self = Kitty99 { id: capped(id), ..Kitty99::default() };
        }
        let text = match encoded {
            true => String::from_utf8(crate::base64::decode(payload)?).ok()?,
            false => payload.to_owned(),
        };
        let target = match part {
            "title" => &mut self.title,
            "body" => &mut self.body,
            // Buttons, icons, queries: nothing to show.
            _ => return None,
        };
        *target = capped(&format!("{target}{text}"));
        if !done {
            return None;
        }
        let Kitty99 { title, body, .. } = std::mem::take(self);
        (!title.is_empty() || !body.is_empty()).then_some(Notification { title, body })
    }
}

fn capped(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control()).collect();
    let mut end = clean.len().min(MAX_TEXT);
    while !clean.is_char_boundary(end) {
        end -= 1;
    }
    clean[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kitty_notifications_come_in_parts() {
        let mut parts = Kitty99::default();
        assert_eq!(parts.add("i=1:d=0;Build "), None);
        assert_eq!(parts.add("i=1:d=0;done"), None);
        let shown = parts.add("i=1:p=body:e=1;YWxsIGdyZWVu");
        assert_eq!(shown, Some(Notification { title: "Build done".into(), body: "all green".into() }));
        assert_eq!(parts.add("i=2:p=?;"), None);
    }

    #[test]
    fn osc_9_is_progress_or_text() {
        assert!(matches!(Osc9::parse("4;1;250"), Some(Osc9::Progress(Progress::Normal(100)))));
        assert!(matches!(Osc9::parse("4;0"), Some(Osc9::Progress(Progress::None))));
        assert!(Osc9::parse("5;wait").is_none());
        assert!(matches!(Osc9::parse("tests passed"), Some(Osc9::Text(_))));
    }

    #[test]
    fn osc_777_needs_no_body() {
        assert_eq!(parse_777("notify;t").map(|n| n.title), Some("t".into()));
        assert_eq!(parse_777("notify;t;b;c").map(|n| n.body), Some("b;c".into()));
        assert_eq!(parse_777("other;t"), None);
    }
}
