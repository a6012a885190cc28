//! Damaged and invalid bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use protocol::{
    Decoder, Frame, FrameError, HEADER_BYTES, HostMessage, MAX_PAYLOAD_BYTES, MessageError, ViewerMessage,
};
use testkit::{CountingAllocator, Random, damaged, heap_of};

use crate::fuzz;
use crate::messages::{host_message, viewer_message};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// So many streams are damaged: less than a second of a development build.
const STREAMS: u64 = 4_000;

/// A stream of messages, now and then with a frame of any kind, and with some of its bytes flipped, lost or moved.
fn damaged_stream<M>(
    messages: &impl Strategy<Value = M>,
    to_bytes: impl Fn(&M) -> Vec<u8>,
    check: impl Fn(&[u8]),
) {
    let mut runner = TestRunner::deterministic();
    for seed in 0..STREAMS {
        let mut random = Random::new(seed);
        let mut bytes = Vec::new();
        for _ in 0..random.between(1, 4) {
            let message = messages.new_tree(&mut runner).expect("a message").current();
            let message = to_bytes(&message);
            if random.percent(20) {
                Frame { kind: random.number() as u8, payload: &message[HEADER_BYTES..] }.write(&mut bytes);
            } else {
                bytes.extend(message);
            }
        }
        if random.percent(80) {
            bytes = damaged(bytes, &mut random);
        }
        bytes.insert(0, random.number() as u8);
        check(&bytes);
    }
}

#[test]
fn v3_damaged_frames_of_a_host_cause_no_panic() {
    damaged_stream(&host_message(), HostMessage::to_bytes, fuzz::host_frames);
}

#[test]
fn v3_damaged_frames_of_a_viewer_cause_no_panic() {
    damaged_stream(&viewer_message(), ViewerMessage::to_bytes, fuzz::viewer_frames);
}

proptest! {
    #[test]
    fn v3_no_bytes_cause_a_panic(bytes in vec(any::<u8>(), 0..200)) {
        fuzz::host_frames(&bytes);
        fuzz::viewer_frames(&bytes);
    }

    #[test]
    fn v3_any_payload_is_a_message_or_an_error(kind: u8, payload in vec(any::<u8>(), 0..60)) {
        let frame = Frame { kind, payload: &payload };
        let _ = HostMessage::read(frame);
        let _ = ViewerMessage::read(frame);
    }

    #[test]
    fn half_a_message_is_not_returned(message in host_message(), at in any::<prop::sample::Index>()) {
        let bytes = message.to_bytes();
        let mut decoder = Decoder::default();
        decoder.push(&bytes[..at.index(bytes.len())]);
        prop_assert_eq!(decoder.next_frame(), Ok(None));
    }
}

#[test]
fn s12_a_length_over_the_limit_is_refused_before_anything_is_allocated() {
    for length in [MAX_PAYLOAD_BYTES as u32 + 1, u32::MAX] {
        let header = [&[0x10][..], &length.to_le_bytes()].concat();
        let (refused, heap) = heap_of(|| {
            let mut decoder = Decoder::default();
            decoder.push(&header);
            decoder.next_frame().map(drop)
        });
        assert_eq!(refused, Err(FrameError::TooLong { kind: 0x10, length }));
        assert!(heap.peak < 64, "{} bytes for a header of five", heap.peak);
    }
}

#[test]
fn a_length_is_believed_only_as_far_as_bytes_come() {
    let header = [&[0x10][..], &(MAX_PAYLOAD_BYTES as u32).to_le_bytes(), b"a few"].concat();
    let (decoder, heap) = heap_of(|| {
        let mut decoder = Decoder::default();
        decoder.push(&header);
        assert_eq!(decoder.next_frame(), Ok(None));
        decoder
    });
    assert!(heap.peak < 64, "{} bytes for {}", heap.peak, decoder.unfinished().len());
}

#[test]
fn the_longest_payload_is_taken() {
    let message = ViewerMessage::Input(vec![b'x'; MAX_PAYLOAD_BYTES]);
    let mut decoder = Decoder::default();
    decoder.push(&message.to_bytes());
    let frame = decoder.next_frame().unwrap().unwrap();
    assert_eq!(ViewerMessage::read(frame).unwrap(), Some(message));
}

#[test]
fn a_long_frame_leaves_no_large_buffer_behind() {
    let long = ViewerMessage::Input(vec![b'x'; MAX_PAYLOAD_BYTES]).to_bytes();
    let (_decoder, heap) = heap_of(|| {
        let mut decoder = Decoder::default();
        decoder.push(&long);
        decoder.next_frame().unwrap().unwrap();
        decoder.push(b"\x12");
        decoder
    });
    assert!(heap.live < 1024, "{} bytes are kept", heap.live);
}

#[test]
fn a_frame_too_short_for_its_kind_says_so() {
    for (kind, least) in [(0x01, 9), (0x02, 8), (0x03, 4)] {
        for length in 0..least {
            let read = HostMessage::read(Frame { kind, payload: &[0; 9][..length] });
            assert!(matches!(read, Err(MessageError::Short { .. })), "{kind} {length}: {read:?}");
        }
    }
    let read = ViewerMessage::read(Frame { kind: 0x11, payload: &[80, 0, 24] });
    assert_eq!(read.unwrap_err().to_string(), "a frame of type 0x11 with 3 bytes is too short");
}
