//! The tasks of array jobs as Slurm sees them, and what that means together with what they wrote.

use serde::Serialize;
use std::collections::HashMap;
use store::{TaskEnd, TaskId};

/// How a task stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskState {
    Pending,
    Running,
    /// Came to its end by itself.
    Ended,
    /// Came to its end before everything was done: its time was over, or somebody stopped it.
    Stopped,
    /// Gone without an end of its own; Slurm's word for it, where it has one.
    Lost(Option<String>),
}

/// States of Slurm in which a task is still to start, also for the second time.
const PENDING: [&str; 7] = [
    "PENDING",
    "CONFIGURING",
    "REQUEUED",
    "REQUEUE_FED",
    "REQUEUE_HOLD",
    "RESV_DEL_HOLD",
    "SPECIAL_EXIT",
];
/// States in which it is there.
const RUNNING: [&str; 7] =
    ["RUNNING", "COMPLETING", "RESIZING", "SIGNALING", "STAGE_OUT", "STOPPED", "SUSPENDED"];

/// What Slurm says of tasks; of those that it has forgotten, nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tasks {
    states: HashMap<TaskId, String>,
}

impl Tasks {
    /// Takes in lines of a task, a separator and a state; other lines are headings. What is known
    /// already stands.
    pub(super) fn read(&mut self, lines: &str, separator: char) {
        for (task, state) in lines.lines().filter_map(|line| line.split_once(separator)) {
            // `CANCELLED by 1000`
            let word = state.split_whitespace().next();
            if let (Ok(task), Some(word)) = (task.trim().parse(), word) {
                self.states.entry(task).or_insert_with(|| word.to_owned());
            }
        }
    }

    /// How a task stands, given how it says it ended.
    pub fn state(&self, task: TaskId, end: Option<&TaskEnd>) -> TaskState {
        let known = self.states.get(&task).map(String::as_str);
        match (known, end) {
            (Some(word), _) if PENDING.contains(&word) => TaskState::Pending,
            (Some(word), _) if RUNNING.contains(&word) => TaskState::Running,
            (_, Some(TaskEnd { interrupted: true, .. })) => TaskState::Stopped,
            (_, Some(_)) => TaskState::Ended,
            (word, None) => TaskState::Lost(word.map(|word| word.to_lowercase().replace('_', " "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slurms_word_counts_for_live_tasks_and_their_own_for_the_others() {
        let mut tasks = Tasks::default();
        tasks.read("CLUSTER: east\n1_0 PENDING\n1_1 RUNNING\n1_2 CANCELLED\n1_N/A RUNNING\n", ' ');
        tasks.read("1_1|NODE_FAIL\n1_3|OUT_OF_MEMORY\n1_4|CANCELLED by 1000\n1|RUNNING\n", '|');
        let (ended, stopped) = (TaskEnd::new(false), TaskEnd::new(true));
        let state = |task, end| tasks.state(TaskId { array: 1, task }, end);
        let lost = |word: &str| TaskState::Lost(Some(word.to_owned()));
        // One that was put back into the queue has ended before.
        assert_eq!(state(0, Some(&stopped)), TaskState::Pending);
        assert_eq!(state(1, None), TaskState::Running);
        assert_eq!(state(2, None), lost("cancelled"));
        assert_eq!(state(2, Some(&stopped)), TaskState::Stopped);
        assert_eq!(state(3, None), lost("out of memory"));
        assert_eq!(state(4, None), lost("cancelled"));
        assert_eq!(state(5, None), TaskState::Lost(None));
        assert_eq!(state(5, Some(&ended)), TaskState::Ended);
    }
}
