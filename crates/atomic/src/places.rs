//! Where things are that were not put into this folder by hand.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The folder of all corpora where no option names one.
pub fn corpora() -> PathBuf {
    corpora_from(env::var_os("TAILGRID_CORPORA"))
}

fn corpora_from(variable: Option<OsString>) -> PathBuf {
    given(variable).unwrap_or_else(|| PathBuf::from("data"))
}

/// The user's cache of this program, as the XDG base directories have it; `None` without a home.
pub fn cache() -> Option<PathBuf> {
    cache_from(env::var_os("XDG_CACHE_HOME"), env::var_os("HOME"))
}

fn cache_from(cache: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    // A relative path is invalid there and to be ignored, says the specification.
    let cache = given(cache).filter(|path| path.is_absolute());
    let cache = cache.or_else(|| given(home).map(|home| home.join(".cache")));
    cache.map(|cache| cache.join("tailgrid"))
}

/// A variable that is set to nothing is not set.
fn given(variable: Option<OsString>) -> Option<PathBuf> {
    variable.filter(|value| !value.is_empty()).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corpora_are_where_the_variable_says_or_in_data() {
        assert_eq!(corpora_from(Some("/c".into())), PathBuf::from("/c"));
        assert_eq!(corpora_from(Some("".into())), PathBuf::from("data"));
        assert_eq!(corpora_from(None), PathBuf::from("data"));
    }

    #[test]
    fn the_cache_is_the_users() {
        let of = |cache: &str, home: Option<&str>| {
            cache_from(Some(cache.into()), home.map(OsString::from))
        };
        assert_eq!(of("/c", Some("/h")), Some("/c/tailgrid".into()));
        assert_eq!(of("", Some("/h")), Some("/h/.cache/tailgrid".into()));
        assert_eq!(of("relative", Some("/h")), Some("/h/.cache/tailgrid".into()));
        assert_eq!(of("", None), None);
    }
}
