//! Words that tell what a name or a value is about. The lists are sorted, since they are searched.

/// Ends of names that say something about a secret and are none: how many, where, when, of which kind.
#[rustfmt::skip]
pub(super) const ABOUT: &[&str] = &[
    "age", "algorithm", "arn", "at", "audience", "backend", "bucket", "budget", "by", "callback", "class", "cmd",
    "color", "colour", "command", "cost", "count", "counts", "date", "description", "dir", "enabled",
    "endpoint", "env", "error", "example", "expiration", "expires", "expiry", "field", "file", "format",
    "handler", "hash_algorithm", "header", "help", "hint", "id", "ids", "index", "input", "interval", "issuer",
    "kind", "label", "left", "len", "length", "lifetime", "limit", "limits", "manager", "max", "message",
    "method", "min", "mode", "name", "names", "output", "param", "path", "pattern", "placeholder", "policy",
    "prefix", "price", "prompt", "provider", "rate", "ref", "regex", "region", "remaining", "required",
    "reset", "s", "scope", "scopes", "size", "source", "state", "status", "storage", "store", "strength",
    "text", "time", "timeout", "title", "total", "ttl", "type", "types", "uri", "url", "usage", "used", "var",
    "version",
];

/// Words that stand for a value, or report on one.
#[rustfmt::skip]
pub(super) const ORDINARY: &[&str] = &[
    "accepted", "any", "argument", "array", "async", "authentication", "await", "bool", "boolean", "buffer",
    "byte", "bytearray", "bytes", "cannot", "change", "changed", "changeme", "char", "column", "confirmed",
    "const", "created", "credentials", "default", "deleted", "denied", "disabled", "done", "double", "empty",
    "enabled", "enter", "env", "erforderlich", "example", "expired", "failed", "falsch", "false", "field", "file",
    "flag", "float", "forgot", "form", "found", "from", "function", "generated", "here", "hidden", "ignored",
    "include", "incorrect", "incorrecta", "incorrecte", "incorrecto", "inherit", "input", "instead", "int",
    "integer", "invalid", "invalide", "invalido", "key", "link", "list", "long", "masked", "missing", "must",
    "never", "nil", "no", "nobody", "none", "not", "nothing", "null", "nullable", "number", "object",
    "obligatoire", "ok", "ontbreekt", "option", "optional", "output", "passwd", "password", "passwords",
    "permission", "placeholder", "please", "prompt", "prompted", "protected", "record", "redacted", "rejected",
    "required", "requis", "reset", "return", "revoked", "rotated", "secret", "secrets", "self", "set", "should",
    "stdin", "str", "string", "success", "successful", "symbol", "text", "the", "this", "todo", "token", "tokens",
    "true", "undefined", "unknown", "unset", "updated", "user", "username", "valid", "value", "values", "varchar",
    "vergessen", "void", "when", "which", "with", "wrong", "yes", "your",
];

/// Words that sentences have and passphrases seldom.
#[rustfmt::skip]
pub(super) const PROSE: &[&str] = &[
    "a", "an", "and", "are", "at", "be", "enter", "for", "has", "in", "is", "must", "no", "not", "of", "or",
    "please", "that", "the", "this", "to", "was", "with", "your",
];

/// Whether a word is in a list, in capitals or small letters.
pub(super) fn is_in(list: &[&str], word: &[u8]) -> bool {
    let mut small = [0; 16];
    let Some(small) = small.get_mut(..word.len()) else { return false };
    small.copy_from_slice(word);
    small.make_ascii_lowercase();
    list.binary_search_by(|known| known.as_bytes().cmp(small)).is_ok()
}

/// Letters alone, with marks inside words.
pub(super) fn is_word(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_alphabetic() || b"-_' /".contains(byte))
}

/// A sentence: several words, one of which only sentences have.
pub(super) fn is_prose(text: &[u8]) -> bool {
    let mut words = text.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    text.contains(&b' ') && words.any(|word| is_in(PROSE, word))
}

/// The last part of a name: after an underscore or a dash, or from a capital on.
pub(super) fn last_part(name: &[u8]) -> &[u8] {
    let capital = |at: usize| name[at].is_ascii_uppercase() && name[at - 1].is_ascii_lowercase();
    let last = (1..name.len()).rev().find(|&at| matches!(name[at - 1], b'_' | b'-') || capital(at));
    &name[last.unwrap_or(0)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_as_searching_them_needs() {
        for list in [ABOUT, ORDINARY, PROSE] {
            assert!(list.is_sorted());
            assert!(list.iter().all(|word| word.len() <= 16 && *word == word.to_ascii_lowercase()));
        }
    }
}
