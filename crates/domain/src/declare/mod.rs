//! How settings and parts are declared: one declaration gives what lists, documents and checks
//! them, and the typed settings that code reads.

mod capability;
mod entry;
mod macros;
mod setting;

pub use capability::{Capability, Need};
pub use entry::{
    Entry, Parameter, ParameterKind, Preset, check, check_given, check_part, defaults,
    with_defaults,
};
pub use setting::{Column, Declared, Registered, Setting};

#[doc(hidden)]
pub use entry::{flattened, length};
#[doc(hidden)]
pub use setting::{group, value};
