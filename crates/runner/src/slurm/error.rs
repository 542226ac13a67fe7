//! Why nothing was handed to Slurm.

use thiserror::Error;

/// Why a submission could not be made.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SlurmError {
    #[error(
        "there is no sbatch here: submit from a machine of a Slurm cluster, or install Slurm (Debian: \
         `apt-get install slurm-wlm`); `--dry-run` shows the script, and `tailgrid run --shard` with \
         `tailgrid merge` serves other schedulers (docs/cluster.md)"
    )]
    NoSbatch,
    #[error("sbatch gave no answer within {seconds} s: see with `sinfo` whether Slurm is up")]
    Silent { seconds: u64 },
    #[error("Slurm does not take {script}:\n{said}\nnothing was submitted")]
    Refused { script: String, said: String },
    #[error(
        "sbatch printed no number of a job: `{said}`; see with `squeue` whether it was submitted"
    )]
    Unclear { said: String },
    #[error(
        "{what} `{value}` cannot be written into a script for Slurm: it has a line break, a \" or a \\ in it"
    )]
    Unquotable { what: &'static str, value: String },
    #[error("{what} `{value}` is not UTF-8, which a script for Slurm has to be")]
    NotText { what: &'static str, value: String },
}
