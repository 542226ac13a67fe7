//! Fonts of this machine, for characters that the bundled one lacks.
//!
//! Looked for only when such a character is met, in the usual folders, in an order that does not
//! depend on how a folder lists its files, bold ones first for bold text. Of a collection the first
//! font is taken, which has the characters of all of them. Such a font draws, and is not asked how
//! wide a text is: the pixels of such characters can differ from machine to machine, nothing else
//! can.

use ab_glyph::{Font, FontArc, FontVec};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Under the root, then under the user's folder.
const FOLDERS: [&str; 4] =
    ["/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts"];
const OWN: [&str; 3] = [".local/share/fonts", ".fonts", "Library/Fonts"];

/// Folders in folders in folders, so many deep.
const DEEPEST: usize = 5;
/// Bytes that are read in search of a character, at most.
const MOST_BYTES: u64 = 256 << 20;

/// What has been read so far.
#[derive(Default)]
struct FontSearch {
    bold: bool,
    /// Not read yet, the next one last; `None` before the folders were listed.
    files: Option<Vec<(PathBuf, u64)>>,
    read: u64,
    fonts: Vec<FontArc>,
    found: HashMap<char, Option<FontArc>>,
}

/// A font of this machine that can draw a character, in the weight that is asked for where there is
/// one.
pub fn with(c: char, bold: bool) -> Option<FontArc> {
    static SEARCHES: [Mutex<Option<FontSearch>>; 2] = [Mutex::new(None), Mutex::new(None)];
    let mut search = SEARCHES[usize::from(bold)].lock().unwrap_or_else(PoisonError::into_inner);
    search.get_or_insert_with(|| FontSearch { bold, ..FontSearch::default() }).font(c)
}

impl FontSearch {
    fn font(&mut self, c: char) -> Option<FontArc> {
        if let Some(known) = self.found.get(&c) {
            return known.clone();
        }
        let mut found = self.fonts.iter().find(|font| draws(font, c)).cloned();
        while found.is_none() {
            let Some(font) = self.next() else { break };
            found = Some(font.clone()).filter(|font| draws(font, c));
            self.fonts.push(font);
        }
        self.found.insert(c, found.clone());
        found
    }

    /// The next font that can be read.
    fn next(&mut self) -> Option<FontArc> {
        let files = self.files.get_or_insert_with(|| files(self.bold));
        while let Some((path, bytes)) = files.pop() {
            self.read += bytes;
            if self.read > MOST_BYTES {
                files.clear();
            }
            let font = fs::read(path).ok().and_then(|bytes| {
                FontVec::try_from_vec_and_index(bytes, 0).ok().map(FontArc::from)
            });
            if font.is_some() {
                return font;
            }
        }
        None
    }
}

/// A font of pictures has a glyph but no outline.
fn draws(font: &FontArc, c: char) -> bool {
    let id = font.glyph_id(c);
    id.0 != 0 && font.outline(id).is_some()
}

/// Font files with their sizes, those to try first at the end.
fn files(bold: bool) -> Vec<(PathBuf, u64)> {
    let own = std::env::var_os("HOME").map(PathBuf::from).into_iter();
    let own = own.flat_map(|home| OWN.map(|folder| home.join(folder)));
    let mut found = Vec::new();
    for folder in FOLDERS.map(PathBuf::from).into_iter().chain(own) {
        list(&folder, DEEPEST, &mut found);
    }
    let order = |path: &Path| (strangeness(path, bold), path.to_owned());
    found.sort_by_cached_key(|(path, _)| std::cmp::Reverse(order(path)));
    found
}

fn list(folder: &Path, deeper: usize, found: &mut Vec<(PathBuf, u64)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, Ok(about)) = (entry.path(), fs::metadata(entry.path())) else { continue };
        let is_font = path.extension().is_some_and(|ending| {
            ["ttf", "otf", "ttc", "otc"].iter().any(|known| ending.eq_ignore_ascii_case(known))
        });
        if about.is_dir() && deeper > 0 {
            list(&path, deeper - 1, found);
        } else if about.is_file() && is_font {
            found.push((path, about.len()));
        }
    }
}

/// How unlike plain or bold text without serifs a font looks, by its name.
fn strangeness(path: &Path, bold: bool) -> usize {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let odd = ["italic", "oblique", "mono", "serif", "condensed", "light", "black", "thin"];
    let plain = usize::from(!(name.contains("sans") || name.contains("gothic")));
    let weight = usize::from(name.contains("bold") != bold);
    plain + 2 * (weight + odd.iter().filter(|word| name.contains(**word)).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_fonts_are_tried_first() {
        let order = |name: &str| strangeness(Path::new(name), false);
        assert!(order("NotoSansCJK-Regular.ttc") < order("NotoSerifCJK-Regular.ttc"));
        assert!(order("DejaVuSans.ttf") < order("DejaVuSans-Bold.ttf"));
        assert!(order("ipagothic.ttf") < order("DejaVuSansMono-Oblique.ttf"));
        let order = |name: &str| strangeness(Path::new(name), true);
        assert!(order("NotoSansCJK-Bold.ttc") < order("NotoSansCJK-Regular.ttc"));
        assert!(order("NotoSansCJK-Regular.ttc") < order("NotoSerifCJK-Regular.ttc"));
    }

    #[test]
    fn a_character_that_no_font_has_is_not_searched_for_twice() {
        let mut search = FontSearch { files: Some(vec![]), ..FontSearch::default() };
        assert!(search.font('\u{10FFFD}').is_none());
        search.files = None;
        assert!(search.font('\u{10FFFD}').is_none() && search.files.is_none());
    }

    #[test]
    fn fonts_are_found_in_folders_and_other_files_are_passed_over() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let deep = folder.path().join("truetype/inter");
        fs::create_dir_all(&deep).expect("made");
        fs::write(deep.join("notes.txt"), "no font").expect("written");
        fs::write(deep.join("broken-sans.ttf"), "no font either").expect("written");
        fs::write(deep.join("Inter.TTF"), super::super::REGULAR).expect("written");
        let mut found = Vec::new();
        list(folder.path(), DEEPEST, &mut found);
        assert_eq!(found.len(), 2);
        let mut search = FontSearch { files: Some(found), ..FontSearch::default() };
        assert!(search.font('ж').is_some() && search.font('日').is_none());
    }
}
