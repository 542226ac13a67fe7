//! The instruction sets that LibTorch and the MKL in it chose. Neither tells it through `tch`, so
//! their own functions are looked up by name in what the loader brought; one that is not there
//! leaves it unknown.

#[cfg(all(feature = "libtorch", target_os = "linux"))]
use nix::libc;
#[cfg(all(feature = "libtorch", target_os = "linux"))]
use std::ffi::{CStr, c_char, c_int, c_void};

/// What LibTorch's own operations use: `DEFAULT`, `AVX2`, `AVX512`.
pub fn libtorch_instructions() -> Option<String> {
    #[cfg(all(feature = "libtorch", target_os = "linux"))]
    {
        /// A `std::string` of libstdc++.
        #[repr(C)]
        struct Text {
            data: *const c_char,
            length: usize,
            short: [u8; 16],
        }
        type Ask = unsafe extern "C" fn() -> Text;
        let found = look_up(c"_ZN2at18get_cpu_capabilityB5cxx11Ev")?;
        // SAFETY: this name is `std::string at::get_cpu_capability()`, whose result is returned
        // through a pointer to room for it, as `Text` is because of its size.
        let text = unsafe { std::mem::transmute::<*mut c_void, Ask>(found)() };
        // Names are short, and a short text is inside the string itself, which owns nothing then.
        // Its pointer to that is stale, as the string moved.
        let bytes = text.short.get(..text.length).filter(|bytes| bytes.len() < 16)?;
        std::str::from_utf8(bytes).ok().map(str::to_owned)
    }
    #[cfg(not(all(feature = "libtorch", target_os = "linux")))]
    {
        None
    }
}

/// What MKL's matrix products use, in its own words.
pub fn mkl_instructions() -> Option<String> {
    #[cfg(all(feature = "libtorch", target_os = "linux"))]
    {
        /// `MKLVersion` of `mkl_types.h`.
        #[repr(C)]
        struct Version {
            numbers: [c_int; 3],
            status: *const c_char,
            build: *const c_char,
            processor: *const c_char,
            platform: *const c_char,
        }
        type Ask = unsafe extern "C" fn(*mut Version);
        let found = look_up(c"mkl_serv_get_version")?;
        let null = std::ptr::null();
        let mut version =
            Version { numbers: [0; 3], status: null, build: null, processor: null, platform: null };
        // SAFETY: this name is `void mkl_get_version(MKLVersion*)`, which fills in static texts.
        let text = unsafe {
            std::mem::transmute::<*mut c_void, Ask>(found)(&mut version);
            (!version.processor.is_null()).then(|| CStr::from_ptr(version.processor))
        };
        text.map(|text| text.to_string_lossy().trim().to_owned())
    }
    #[cfg(not(all(feature = "libtorch", target_os = "linux")))]
    {
        None
    }
}

/// A function of a library that this process has loaded.
#[cfg(all(feature = "libtorch", target_os = "linux"))]
fn look_up(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name ends with a zero.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}
