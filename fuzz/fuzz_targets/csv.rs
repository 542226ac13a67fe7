#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    corpus::formats::fuzzing::read("csv", input);
});
