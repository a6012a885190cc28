//! Writing several parts as one.

use std::io::{self, IoSlice};

/// Writes all parts, with one call of `write` unless that writes less or is interrupted.
pub(crate) fn write_all(
    mut parts: &mut [IoSlice<'_>],
    mut write: impl FnMut(&[IoSlice<'_>]) -> io::Result<usize>,
) -> io::Result<()> {
    // Empty parts at the front would look like something left to write.
    IoSlice::advance_slices(&mut parts, 0);
    while !parts.is_empty() {
        match write(parts) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut parts, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes `parts` into a file that takes what `take` says, call by call, and says what the file then holds.
    fn check(parts: &[&[u8]], mut take: impl FnMut() -> io::Result<usize>) -> io::Result<Vec<u8>> {
        let mut file = Vec::new();
        let mut slices: Vec<_> = parts.iter().map(|part| IoSlice::new(part)).collect();
        write_all(&mut slices, |parts| {
            let taken: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).take(take()?).collect();
            file.extend(&taken);
            Ok(taken.len())
        })?;
        Ok(file)
    }

    #[test]
    fn short_writes_go_on_where_they_stopped() {
        let parts: [&[u8]; 5] = [b"", b"head", b"", b"payload", b"sum"];
        for most in 1..20 {
            assert_eq!(check(&parts, || Ok(most)).unwrap(), b"headpayloadsum");
        }
    }

    #[test]
    fn an_interrupted_write_is_done_again() {
        let mut calls = 0;
        let written = check(&[b"head", b"payload"], || {
            calls += 1;
            if calls % 2 == 1 { Err(io::ErrorKind::Interrupted.into()) } else { Ok(3) }
        });
        assert_eq!(written.unwrap(), b"headpayload");
    }

    #[test]
    fn a_write_that_takes_nothing_is_an_error() {
        let error = check(&[b"head"], || Ok(0)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    }
}
