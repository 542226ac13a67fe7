//! Files that a command writes for its user: whole or not at all, and never over another one unless
//! asked to.

use super::{CliError, Exit};
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Whether a file may be written here; told before any work is done for it.
pub fn check_free(path: &Path, force: bool) -> Result<(), CliError> {
    match path.symlink_metadata() {
        Ok(data) if data.is_dir() => {
            let message = format!("{} is a folder: name a file in it", path.display());
            Err(CliError::new(Exit::Invalid, message))
        }
        Ok(_) if !force => Err(in_the_way(path)),
        _ => Ok(()),
    }
}

fn in_the_way(path: &Path) -> CliError {
    let message = format!(
        "{} is there already and was left as it is; `--force` writes over it",
        path.display()
    );
    CliError::new(Exit::Invalid, message)
}

/// Writes a file beside its place and moves it there when it is whole and on disk.
pub fn write_file(
    path: &Path,
    force: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CliError> {
    check_free(path, force)?;
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let failed = |error: io::Error| {
        CliError::new(Exit::Invalid, format!("cannot write {}: {error}", path.display()))
    };
    fs::create_dir_all(&folder).map_err(failed)?;
    // What a temporary file is made with else would keep it from everybody but its owner.
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix(".tmp-").permissions(Permissions::from_mode(0o666));
    let mut temporary = builder.tempfile_in(&folder).map_err(failed)?;
    let mut writer = BufWriter::with_capacity(1 << 16, temporary.as_file_mut());
    write(&mut writer).and_then(|()| writer.flush()).map_err(failed)?;
    drop(writer);
    temporary.as_file().sync_all().map_err(failed)?;
    match force {
        true => temporary.persist(path).map(drop).map_err(|error| failed(error.error))?,
        false => temporary.persist_noclobber(path).map(drop).map_err(|error| {
            match error.error.kind() {
                // It came in between.
                io::ErrorKind::AlreadyExists => in_the_way(path),
                _ => failed(error.error),
            }
        })?,
    }
    File::open(&folder).and_then(|folder| folder.sync_all()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_is_written_whole_and_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/out.txt");
        let write = |force, text: &str| write_file(&path, force, |w| w.write_all(text.as_bytes()));
        write(false, "one").unwrap();
        let error = write(false, "two").unwrap_err();
        assert!(error.message.contains("--force") && error.exit == Exit::Invalid);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        write(true, "three").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "three");
        assert_eq!(names(path.parent().unwrap()), ["out.txt"]);
        let other = folder.path().join("other");
        fs::write(&other, "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&other), "as readable as any file");
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        let error = write_file(&path, false, |w| {
            w.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(error.unwrap_err().message.ends_with("out.txt: no more"));
        assert!(names(folder.path()).is_empty());
        assert!(check_free(folder.path(), true).is_err(), "a folder");
    }
}
