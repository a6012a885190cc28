//! How much memory something takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what each thread allocates; a program that measures names it as its `#[global_allocator]`.
pub struct CountingAllocator;

/// What a piece of work took from the heap, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heap {
    /// What its result still holds.
    pub live: usize,
    /// What it held at most.
    pub peak: usize,
}

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Measures a piece of work that stays on this thread, in a program with a [`CountingAllocator`].
pub fn heap_of<T>(work: impl FnOnce() -> T) -> (T, Heap) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = work();
    let bytes = |count: isize| usize::try_from(count - before).unwrap_or(0);
    (result, Heap { live: bytes(LIVE.get()), peak: bytes(PEAK.get()) })
}

fn count(bytes: isize) {
    // A thread that is ending has no counter any more.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        PEAK.set(PEAK.get().max(live.get()));
    });
}

#[expect(
    unsafe_code,
    reason = "allocators are unsafe by trait; this one counts and hands on to the system's"
)]
// SAFETY: every call goes to the system's allocator as it came, and counting does not allocate.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps the promises of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller keeps the promises of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller keeps the promises of `realloc`.
        unsafe { System.realloc(memory, layout, size) }
    }
}
