//! Packages by their registry's own client, which knows where the registry is and how to reach it.
//!
//! A client only downloads: nothing of a package is installed, built or run.

use super::FetchError;
use domain::{Client, Package};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Lines of a failed client's words that are shown.
const LINES: usize = 4;

/// The command that downloads a package into the folder it runs in.
pub(super) fn command(package: &Package) -> Vec<String> {
    let (name, version) = (package.name(), package.version());
    let (words, spec): (&[&str], String) = match package.client() {
        Client::Npm => (&["npm", "pack", "--ignore-scripts"], format!("{name}@{version}")),
        // A wheel is only unpacked; to download anything else, pip runs the package's own code.
        Client::Pip => (
            &["pip", "download", "--no-deps", "--only-binary=:all:", "--no-input"],
            format!("{name}=={version}"),
        ),
    };
    words.iter().map(|word| (*word).to_owned()).chain([spec]).collect()
}

/// Downloads a package into an empty folder and gives its archive.
pub(super) fn download(package: &Package, folder: &Path) -> Result<PathBuf, FetchError> {
    let command = command(package);
    let failed = |said: String| FetchError::Client { command: command.join(" "), said };
    let output = run(package, &command, folder)?;
    if !output.status.success() {
        let said = last_words(&output.stderr).or_else(|| last_words(&output.stdout));
        return Err(failed(said.unwrap_or_else(|| output.status.to_string())));
    }
    match archives_in(folder, ending(package.client()))?.as_slice() {
        [archive] => Ok(archive.clone()),
        [] => Err(failed("it ended well, but downloaded nothing".to_owned())),
        several => Err(failed(format!("it downloaded {} archives, not one", several.len()))),
    }
}

/// Runs the first of the client's names that there is.
fn run(package: &Package, command: &[String], folder: &Path) -> Result<Output, FetchError> {
    let programs: &[&[&str]] = match package.client() {
        Client::Npm => &[&["npm"]],
        Client::Pip => &[&["pip"], &["pip3"], &["python3", "-m", "pip"]],
    };
    for words in programs {
        let mut client = Command::new(words[0]);
        client.args(&words[1..]).args(&command[1..]).current_dir(folder).stdin(Stdio::null());
        match client.output() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                let said = format!("it cannot be started: {error}");
                return Err(FetchError::Client { command: command.join(" "), said });
            }
            Ok(output) => return Ok(output),
        }
    }
    let (program, provider) = match package.client() {
        Client::Npm => ("npm", "Node.js"),
        Client::Pip => ("pip", "Python"),
    };
    let package = format!("{} {}", package.name(), package.version());
    Err(FetchError::ClientMissing { program, package, provider })
}

fn ending(client: Client) -> &'static str {
    match client {
        Client::Npm => "tgz",
        Client::Pip => "whl",
    }
}

fn archives_in(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, FetchError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(FetchError::io("read", folder))? {
        let path = entry.map_err(FetchError::io("read", folder))?.path();
        let is_file = path.symlink_metadata().is_ok_and(|data| data.is_file());
        if is_file && path.extension().is_some_and(|e| e == ending) {
            found.push(path);
        }
    }
    Ok(found)
}

/// The end of what a program said, on one line that no terminal obeys.
fn last_words(said: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(said);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(LINES)..].join("; ");
    let plain: String = last.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Some(plain).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_told_to_download_one_version_and_run_nothing() {
        let npm = Package::new(Client::Npm, "some-vectors", "1.1.0").unwrap();
        assert_eq!(command(&npm).join(" "), "npm pack --ignore-scripts some-vectors@1.1.0");
        let pip = Package::new(Client::Pip, "some-model", "0.1.0").unwrap();
        let words = command(&pip).join(" ");
        assert!(words.starts_with("pip download --no-deps --only-binary=:all:"), "{words}");
        assert!(words.ends_with(" some-model==0.1.0"), "{words}");
    }

    #[test]
    fn the_last_words_are_short_and_harmless() {
        let said = last_words(b"1\n2\n\n3\n4\n\x1b[31m5\n").unwrap();
        assert_eq!(said, "2; 3; 4;  [31m5");
        assert_eq!(last_words(b" \n"), None);
    }

    #[test]
    fn only_files_of_the_right_kind_are_archives() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a.tgz")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("b.tgz")).unwrap();
        for name in ["c.whl", "d.tgz"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(archives_in(folder.path(), "tgz").unwrap(), [folder.path().join("d.tgz")]);
    }
}
