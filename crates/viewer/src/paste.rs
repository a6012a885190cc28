//! Pasted text, as bytes that a child reads.

const OPEN: &[u8] = b"\x1b[200~";
const CLOSE: &[u8] = b"\x1b[201~";

/// Text as a terminal pastes it: line breaks are what Enter sends, and controls other than tabs are left out, so that
/// it can neither end its own bracket nor press keys. With `bracketed` it stands in the brackets that a program may
/// ask for (mode 2004).
pub fn paste(text: &[u8], bracketed: bool) -> Vec<u8> {
    let (open, close) = if bracketed { (OPEN, CLOSE) } else { (&[][..], &[][..]) };
    let mut bytes = open.to_vec();
    let mut after_return = false;
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' if after_return => {}
                '\r' | '\n' => bytes.push(b'\r'),
                '\t' => bytes.push(b'\t'),
                c if c.is_control() => {}
                c => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
            after_return = c == '\r';
        }
        // Text in an old encoding: what would be a control there is left out as well.
        bytes.extend(chunk.invalid().iter().filter(|byte| !(0x80..0xa0).contains(*byte)));
        after_return &= chunk.invalid().is_empty();
    }
    bytes.extend_from_slice(close);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn line_breaks_become_what_enter_sends() {
        assert_eq!(paste(b"a\nb\r\nc\rd\n\ne", false), b"a\rb\rc\rd\r\re");
        assert_eq!(paste("\tgrün\n".as_bytes(), true), "\x1b[200~\tgrün\r\x1b[201~".as_bytes());
        assert_eq!(paste(b"gr\xfcn", false), b"gr\xfcn");
    }

    #[test]
    fn s28_pasted_text_cannot_end_its_own_bracket() {
        for text in ["\x1b[201~rm -rf /\n", "\u{9b}201~rm -rf /\n", "\x1b\x1b[201~\x1b[201~rm -rf /\n"] {
            let pasted = paste(text.as_bytes(), true);
            let inside = &pasted[OPEN.len()..pasted.len() - CLOSE.len()];
            assert!(!inside.contains(&0x1b) && !inside.contains(&0x9b), "{pasted:x?}");
        }
        assert_eq!(paste(b"a\x9b201~b", true), b"\x1b[200~a201~b\x1b[201~");
        assert_eq!(paste(b"\x03\x04\x1a\x7f\x08x", false), b"x");
    }

    proptest! {
        #[test]
        fn s28_no_pasted_byte_is_a_control(text: Vec<u8>, bracketed: bool) {
            let pasted = paste(&text, bracketed);
            let brackets = if bracketed { OPEN.len() } else { 0 };
            let inside = &pasted[brackets..pasted.len() - brackets];
            let mut text = String::from_utf8_lossy(inside).into_owned();
            text.retain(|c| c != '\r' && c != '\t');
            prop_assert!(!text.chars().any(char::is_control), "{inside:x?}");
            // Nor where bytes of an old encoding are read as such.
            let lone = inside.utf8_chunks().flat_map(|chunk| chunk.invalid()).any(|b| (0x80..0xa0).contains(b));
            prop_assert!(!lone, "{inside:x?}");
        }
    }
}
