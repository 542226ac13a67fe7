#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    tailgrid::corpus::formats::fuzzing::read("tags", input);
});
