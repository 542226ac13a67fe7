//! What the page may do: the content security policy, with the hash of the one script that may run.
//!
//! No text from data can become a script: nothing inline runs but what has this hash.

use sha2::{Digest, Sha256};

/// The one script.
pub const SCRIPT: &str = include_str!("script.js");

/// The policy of a page; one that is served may ask its server what is new.
pub fn policy(is_live: bool) -> String {
    let connect = if is_live { "; connect-src 'self'" } else { "" };
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; img-src data:{connect}; \
         base-uri 'none'; form-action 'none'",
        base64(&Sha256::digest(SCRIPT))
    )
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - three.len()));
        for place in 0..4 {
            match place <= three.len() {
                true => out.push(LETTERS[(bits >> (18 - 6 * place) & 63) as usize] as char),
                false => out.push('='),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_rfc_4648() {
        let cases = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let coded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(cases.map(|case| base64(case.as_bytes())), coded);
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }

    #[test]
    fn the_script_can_stand_in_a_page_and_makes_no_markup_of_text() {
        let script = SCRIPT.to_lowercase();
        assert!(!script.contains("</") && !script.contains("<!--"));
        for sink in ["innerhtml", "outerhtml", "insertadjacent", "document.write", "eval("] {
            assert!(!script.contains(sink), "{sink}");
        }
    }

    #[test]
    fn only_a_served_page_may_connect() {
        assert!(policy(true).contains("connect-src 'self'"));
        assert!(!policy(false).contains("connect-src"));
        let scripts = policy(true);
        let scripts = scripts.split(';').find(|part| part.contains("script-src")).unwrap();
        assert!(!scripts.contains("unsafe"), "{scripts}");
    }
}
