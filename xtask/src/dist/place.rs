//! Where the files of a package belong.

use std::env::consts::ARCH;

use super::VERSION;

/// What a package is made for. All paths are relative to the root of the package.
pub(super) enum Place {
    /// A tarball, unpacked into any prefix: `/usr/local`, `~/.local`.
    Prefix,
    /// A system of Debian's family.
    Debian {
        /// Its name for the processor.
        architecture: &'static str,
    },
}

impl Place {
    /// A name for its directory while it is packed.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Place::Prefix => "prefix",
            Place::Debian { .. } => "debian",
        }
    }

    /// The file name of the package.
    pub(super) fn archive(&self) -> String {
        match self {
            Place::Prefix => format!("{}.tar.gz", self.directory()),
            Place::Debian { architecture } => format!("abide_{VERSION}_{architecture}.deb"),
        }
    }

    /// The one directory that the tarball unpacks to.
    pub(super) fn directory(&self) -> String {
        format!("abide-{VERSION}-{ARCH}-linux")
    }

    /// Everything is below this.
    pub(super) fn prefix(&self) -> &'static str {
        match self {
            Place::Prefix => "",
            Place::Debian { .. } => "usr/",
        }
    }

    /// Where the program will be, for the systemd unit. A tarball is for `/usr/local`; elsewhere
    /// `abide service install` writes a unit that fits.
    pub(super) fn program(&self) -> &'static str {
        match self {
            Place::Prefix => "/usr/local/bin/abide",
            Place::Debian { .. } => "/usr/bin/abide",
        }
    }

    /// The path of zsh's completions. Debian keeps `site-functions` for the administrator.
    pub(super) fn zsh_completions(&self) -> &'static str {
        match self {
            Place::Prefix => "share/zsh/site-functions/_abide",
            Place::Debian { .. } => "share/zsh/vendor-completions/_abide",
        }
    }
}

/// Debian's name for the processor of this machine, if we know it.
pub(super) fn debian_architecture() -> Option<&'static str> {
    match ARCH {
        "x86_64" => Some("amd64"),
        "aarch64" => Some("arm64"),
        _ => None,
    }
}

/// The path of bash's completions, below the prefix.
pub(super) const BASH_COMPLETIONS: &str = "share/bash-completion/completions/abide";

/// The path of fish's completions, below the prefix.
pub(super) const FISH_COMPLETIONS: &str = "share/fish/vendor_completions.d/abide.fish";

/// The directory of manual pages, below the prefix.
pub(super) const MANUALS: &str = "share/man/man1";

/// The path of the systemd user unit of the server, below the prefix.
pub(super) const SERVICE: &str = "lib/systemd/user/abide.service";

/// The path of the systemd user unit of its port, below the prefix.
pub(super) const SOCKET: &str = "lib/systemd/user/abide.socket";

/// The directory of documents, below the prefix.
pub(super) const DOCUMENTS: &str = "share/doc/abide";
