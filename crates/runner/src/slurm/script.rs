//! The script of an array job: pure.
//!
//! It is complete in itself, so it can be read, kept and submitted by hand. Whatever goes into it
//! from outside is quoted, for the shell or for Slurm's own reader of `#SBATCH` lines, which knows
//! no escapes inside of quotes.

use super::SlurmError;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// How long before its time limit a task is asked to start nothing more: SIGINT, after which it
/// ends running jobs that are short enough. At the limit itself Slurm sends SIGTERM, and the rest
/// is left to do.
const NOTICE_SECONDS: u32 = 60;

/// What is asked of Slurm.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Array {
    pub tasks: u64,
    pub cpus_per_task: usize,
    /// `--partition`, `--time` and others by their names, as the user gave them.
    pub named: Vec<(&'static str, String)>,
    /// Further options of sbatch, over all others.
    pub further: Vec<String>,
}

/// What the tasks do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    pub grid: String,
    /// Where the tasks' output goes, from the root.
    pub logs: PathBuf,
    /// Where the tasks run, from the root.
    pub folder: PathBuf,
    /// This program, from the root.
    pub program: PathBuf,
    /// Threads of a job.
    pub threads: usize,
    /// Of the program, but for the number of jobs side by side.
    pub arguments: Vec<String>,
}

impl Script {
    /// The script's text.
    pub fn text(&self, array: &Array) -> Result<String, SlurmError> {
        let mut text =
            "#!/bin/sh\n# By `tailgrid submit`. Submitted again, it goes on where it stopped.\n"
                .to_owned();
        for option in self.directives(array)? {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "#SBATCH {option}");
        }
        let folder = for_shell(path_text("the folder", &self.folder)?);
        let program = for_shell(path_text("the path of this program", &self.program)?);
        let arguments: Vec<String> = self.arguments.iter().map(|it| for_shell(it)).collect();
        let (arguments, threads) = (arguments.join(" "), self.threads);
        let cpus = array.cpus_per_task;
        let _ = write!(
            text,
            "\ncd {folder} || exit 1\n\
             # In place of the shell, so that Slurm's signals reach it.\n\
             exec {program} {arguments} --jobs \"$((${{SLURM_CPUS_PER_TASK:-{cpus}}} / {threads}))\"\n"
        );
        Ok(text)
    }

    fn directives(&self, array: &Array) -> Result<Vec<String>, SlurmError> {
        let logs = path_text("the results folder", &self.logs)?.replace('%', "%%");
        let output = option("--output", &format!("{logs}/%A_%a.log"))?;
        let mut lines = vec![
            format!("--job-name=tailgrid-{}", self.grid),
            format!("--array=0-{}", array.tasks.saturating_sub(1)),
            format!("--cpus-per-task={}", array.cpus_per_task),
            output,
            // A task that is put back into the queue goes on in the same log.
            "--open-mode=append".to_owned(),
            format!("--signal=B:INT@{NOTICE_SECONDS}"),
        ];
        for (name, value) in &array.named {
            lines.push(option(name, value)?);
        }
        let further = array.further.iter().map(|it| for_slurm("the option", it));
        let further = further.collect::<Result<Vec<_>, _>>()?;
        lines.extend((!further.is_empty()).then(|| further.join(" ")));
        Ok(lines)
    }
}

fn option(name: &'static str, value: &str) -> Result<String, SlurmError> {
    Ok(format!("{name}={}", for_slurm(name, value)?))
}

fn path_text<'p>(what: &'static str, path: &'p Path) -> Result<&'p str, SlurmError> {
    let value = || path.display().to_string();
    let text = path.to_str().ok_or_else(|| SlurmError::NotText { what, value: value() })?;
    match text.contains(['\n', '\r', '\0']) {
        true => Err(SlurmError::Unquotable { what, value: value() }),
        false => Ok(text),
    }
}

/// A word of an `#SBATCH` line.
fn for_slurm(what: &'static str, value: &str) -> Result<String, SlurmError> {
    if value.contains(['\n', '\r', '\0', '"', '\\']) {
        return Err(SlurmError::Unquotable { what, value: value.to_owned() });
    }
    Ok(if is_plain(value) { value.to_owned() } else { format!("\"{value}\"") })
}

/// A word for the shell.
fn for_shell(value: &str) -> String {
    match is_plain(value) {
        true => value.to_owned(),
        false => format!("'{}'", value.replace('\'', "'\\''")),
    }
}

/// Whether nobody reads anything into the value.
fn is_plain(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+./:=,@%".contains(c);
    !value.is_empty() && value.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(folder: &Path, arguments: &[&str]) -> Script {
        Script {
            grid: "demo".to_owned(),
            logs: folder.to_owned(),
            folder: folder.to_owned(),
            program: "/opt/tail grid/tailgrid".into(),
            threads: 2,
            arguments: arguments.iter().map(|it| (*it).to_owned()).collect(),
        }
    }

    #[test]
    fn everything_that_came_from_outside_is_quoted() {
        let array = Array {
            tasks: 3,
            cpus_per_task: 4,
            named: vec![("--partition", "big one".into()), ("--time", "2:00:00".into())],
            further: vec!["--gres=gpu:1".into(), "--comment=x; y".into()],
        };
        let arguments =
            ["run", "my grid's.yaml", "--only", "method=sc,scr seed=1", "--set", "a=$(b)"];
        let text = script(Path::new("/home/o'hara/100% #1"), &arguments).text(&array).unwrap();
        insta::assert_snapshot!(text, @r##"
        #!/bin/sh
        # By `tailgrid submit`. Submitted again, it goes on where it stopped.
        #SBATCH --job-name=tailgrid-demo
        #SBATCH --array=0-2
        #SBATCH --cpus-per-task=4
        #SBATCH --output="/home/o'hara/100%% #1/%A_%a.log"
        #SBATCH --open-mode=append
        #SBATCH --signal=B:INT@60
        #SBATCH --partition="big one"
        #SBATCH --time=2:00:00
        #SBATCH --gres=gpu:1 "--comment=x; y"

        cd '/home/o'\''hara/100% #1' || exit 1
        # In place of the shell, so that Slurm's signals reach it.
        exec '/opt/tail grid/tailgrid' run 'my grid'\''s.yaml' --only 'method=sc,scr seed=1' --set 'a=$(b)' --jobs "$((${SLURM_CPUS_PER_TASK:-4} / 2))"
        "##);
    }

    #[test]
    fn the_shell_reads_every_word_as_it_was() {
        let odd = "a b\n'\"$HOME`x`\\ *?~#!";
        let out = std::process::Command::new("/bin/sh")
            .args(["-c", &format!("printf %s {}", for_shell(odd))])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(out.stdout).unwrap(), odd);
        assert_eq!(for_shell(""), "''");
    }

    #[test]
    fn what_slurm_cannot_read_is_refused_by_its_name() {
        let array = Array { tasks: 1, cpus_per_task: 1, ..Array::default() };
        for (path, what) in
            [("/a\"b", "--output"), ("/a\\b", "--output"), ("/a\nb", "the results folder")]
        {
            let error = script(Path::new(path), &[]).text(&array).unwrap_err();
            assert!(
                matches!(error, SlurmError::Unquotable { what: w, .. } if w == what),
                "{error}"
            );
        }
        let sly = Array { named: vec![("--account", "x\n#SBATCH --array=0-999".into())], ..array };
        assert!(script(Path::new("/a"), &[]).text(&sly).is_err());
    }
}
