//! What runs once a sentence must not allocate: scoring a large file would be all allocation. The
//! allocator of this test program counts.

use domain::{Tag, TypeId};
use score::buckets::{Buckets, Training, Words};
use score::matching::Matcher;
use score::{Mode, Scorer};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is ending has no counter any more, and is nobody's measurement.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often a piece of work allocates.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn the_allocator_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1u8; 100]))), 1);
}

#[test]
fn a_sentence_is_scored_without_an_allocation() {
    let (a, b) = (TypeId(0), TypeId(1));
    let gold = [Tag::Begin(a), Tag::Inside(a), Tag::Outside, Tag::Begin(b), Tag::Inside(a)];
    let predicted = [Tag::Begin(a), Tag::Inside(b), Tag::Inside(b), Tag::Begin(b), Tag::Outside];
    let words = Words::new("New\nYork\nby\nAda\nB.\n", &[3, 8, 11, 15, 18]);
    let mut training = Training::new(Mode::Conlleval);
    training.add(&gold, words);
    let mut scorer = Scorer::new(Mode::Conlleval);
    let mut matcher = Matcher::new(Mode::Conlleval);
    let mut buckets = Buckets::new(Mode::Conlleval, Some(&training));
    let mut score = || {
        scorer.add(&gold, &predicted);
        matcher.add(&gold, &predicted);
        buckets.add(&gold, &predicted, words);
    };
    assert!(allocations(&mut score) > 0, "the first sentence makes room");
    assert_eq!(allocations(|| (0..100).for_each(|_| score())), 0);
}
