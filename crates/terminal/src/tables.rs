//! Side tables of the live screens: what does not fit into a cell.

use std::collections::HashMap;
use std::sync::Arc;

use crate::cell::{Cell, Glyph};
use crate::hash::FastHash;
use crate::style::{LinkId, Style, StyleId, Styles};

/// A hyperlink (OSC 8).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Link {
    /// The `id` a program gave, so that parts of one link are known as one.
    pub id: String,
    /// Where it leads, as the program wrote it.
    pub uri: String,
}

impl Link {
    /// Memory that it takes, roughly.
    pub(crate) fn bytes(&self) -> usize {
        2 * size_of::<Link>() + self.id.len() + self.uri.len()
    }
}

/// Tables are swept once they have grown past this many bytes.
const FIRST_SWEEP: usize = 256 << 10;

/// Styles, clusters and links that cells refer to by number.
pub(crate) struct Tables {
    pub(crate) styles: Styles,
    clusters: Vec<Arc<str>>,
    cluster_ids: HashMap<Arc<str>, u32, FastHash>,
    links: Vec<Arc<Link>>,
    link_ids: HashMap<Arc<Link>, u32, FastHash>,
    /// What clusters and links say, in bytes.
    text_bytes: usize,
    sweep_at: usize,
}

impl Default for Tables {
    fn default() -> Tables {
        Tables {
            styles: Styles::default(),
            clusters: Vec::new(),
            cluster_ids: HashMap::default(),
            links: Vec::new(),
            link_ids: HashMap::default(),
            text_bytes: 0,
            sweep_at: FIRST_SWEEP,
        }
    }
}

impl Tables {
    pub(crate) fn cluster(&self, index: u32) -> &str {
        self.clusters.get(index as usize).map_or("", |text| text)
    }

    pub(crate) fn add_cluster(&mut self, text: &str) -> u32 {
        if let Some(&index) = self.cluster_ids.get(text) {
            return index;
        }
        let text: Arc<str> = text.into();
        let index = self.clusters.len() as u32;
        self.text_bytes += 4 * size_of::<Arc<str>>() + text.len();
        self.clusters.push(text.clone());
        self.cluster_ids.insert(text, index);
        index
    }

    pub(crate) fn link(&self, id: LinkId) -> Option<&Arc<Link>> {
        self.links.get((id.0 as usize).checked_sub(1)?)
    }

    pub(crate) fn add_link(&mut self, link: Arc<Link>) -> LinkId {
        if let Some(&index) = self.link_ids.get(&link) {
            return LinkId(index);
        }
        self.text_bytes += link.bytes();
        self.links.push(link.clone());
        let index = self.links.len() as u32;
        self.link_ids.insert(link, index);
        LinkId(index)
    }

    /// True when so much has gathered that [`Sweep`] should look for what is still in use.
    #[inline]
    pub(crate) fn want_sweep(&self) -> bool {
        self.bytes() > self.sweep_at
    }

    #[inline]
    fn bytes(&self) -> usize {
        self.text_bytes + self.styles.len() * 3 * size_of::<Style>()
    }
}

/// Moves what is still in use from old tables to new ones.
pub(crate) struct Sweep {
    old: Tables,
    new: Tables,
}

impl Sweep {
    pub(crate) fn new(old: Tables) -> Sweep {
        Sweep { old, new: Tables::default() }
    }

    pub(crate) fn link(&mut self, id: LinkId) -> LinkId {
        match self.old.link(id) {
            Some(link) => self.new.add_link(link.clone()),
            None => LinkId::NONE,
        }
    }

    pub(crate) fn style(&mut self, id: StyleId) -> StyleId {
        let style = self.old.styles.get(id);
        let link = self.link(style.link);
        self.new.styles.id(&Style { link, ..style })
    }

    pub(crate) fn cell(&mut self, cell: &mut Cell) {
        let style = self.style(cell.style());
        *cell = match cell.glyph() {
            Glyph::Cluster(index) => {
                Cell::cluster(self.new.add_cluster(self.old.cluster(index)), cell.width(), style)
            }
            _ => cell.with_style(style),
        };
    }

    /// The new tables, to be swept again when twice as much has gathered as is in use now.
    pub(crate) fn finish(mut self) -> Tables {
        self.new.sweep_at = FIRST_SWEEP.max(2 * self.new.bytes());
        self.new
    }
}
