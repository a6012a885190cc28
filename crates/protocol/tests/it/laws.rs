//! Laws that hold for every message and every stream.

use proptest::collection::vec;
use proptest::prelude::*;
use protocol::{Decoder, HostMessage, ViewerMessage};

use crate::fuzz::frames;
use crate::messages::{host_message, viewer_message};

proptest! {
    #[test]
    fn every_host_message_comes_back(messages in vec(host_message(), 1..6)) {
        let bytes: Vec<u8> = messages.iter().flat_map(HostMessage::to_bytes).collect();
        let mut decoder = Decoder::default();
        decoder.push(&bytes);
        for message in messages {
            let frame = decoder.next_frame().unwrap().unwrap();
            prop_assert_eq!(HostMessage::read(frame).unwrap(), Some(message));
        }
        prop_assert_eq!(decoder.unfinished(), b"");
    }

    #[test]
    fn every_viewer_message_comes_back(messages in vec(viewer_message(), 1..6)) {
        let bytes: Vec<u8> = messages.iter().flat_map(ViewerMessage::to_bytes).collect();
        let mut decoder = Decoder::default();
        decoder.push(&bytes);
        for message in messages {
            let frame = decoder.next_frame().unwrap().unwrap();
            prop_assert_eq!(ViewerMessage::read(frame).unwrap(), Some(message));
        }
        prop_assert_eq!(decoder.unfinished(), b"");
    }

    #[test]
    fn the_two_directions_share_no_number(host in host_message(), viewer in viewer_message()) {
        let (host, viewer) = (host.to_bytes(), viewer.to_bytes());
        let read_by_viewer = frames(&host, usize::MAX).0;
        let read_by_host = frames(&viewer, usize::MAX).0;
        prop_assert!(ViewerMessage::read(read_by_viewer[0].as_frame()).unwrap().is_none());
        prop_assert!(HostMessage::read(read_by_host[0].as_frame()).unwrap().is_none());
    }

    #[test]
    fn any_split_of_a_stream_gives_the_same_frames(
        messages in vec(host_message(), 0..8),
        torn in 0_usize..40,
        cuts in vec(1_usize..200, 1..40),
    ) {
        let mut bytes: Vec<u8> = messages.iter().flat_map(HostMessage::to_bytes).collect();
        bytes.truncate(bytes.len().saturating_sub(torn));
        let whole = frames(&bytes, usize::MAX);

        let mut decoder = Decoder::default();
        let (mut found, mut rest) = (Vec::new(), &bytes[..]);
        for cut in cuts.iter().cycle() {
            let (now, later) = rest.split_at(rest.len().min(*cut));
            decoder.push(now);
            rest = later;
            while let Some(frame) = decoder.next_frame().unwrap() {
                found.push(frame.into());
            }
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!((found, Ok(decoder.unfinished().to_vec())), whole);
    }
}

#[test]
fn a_stream_cut_into_single_bytes_gives_the_same_frames() {
    let bytes = [ViewerMessage::Ping(7).to_bytes(), ViewerMessage::Input(vec![0; 300]).to_bytes()].concat();
    assert_eq!(frames(&bytes, 1), frames(&bytes, usize::MAX));
}
