//! Reading what a worker says, which is never trusted: lines have a bound, numbers a range.

use domain::{Failure, Processor, WorkerEvent};
use std::io::{self, BufRead, Read};
use store::without_absolute_paths;

/// Room for thousands of epochs and hundreds of types, far from what would hurt this process.
const LONGEST_LINE: u64 = 8 << 20;

/// The next event, `None` at the end of the output; anything else that comes is a failure.
pub(super) fn next_event(output: &mut impl BufRead) -> Result<Option<WorkerEvent>, Failure> {
    let protocol = |message: String| Failure::Protocol { message };
    let Some(line) = bounded_line(output, LONGEST_LINE).map_err(|e| protocol(e.to_string()))?
    else {
        return Ok(None);
    };
    let event = serde_json::from_slice(&line)
        .map_err(|error| protocol(format!("{error}, in `{}`", excerpt(&line))))?;
    match event {
        WorkerEvent::Finished { outcome } => match outcome.implausible() {
            Some(what) => Err(protocol(format!("its outcome cannot be right: {what}"))),
            None => Ok(Some(WorkerEvent::Finished { outcome })),
        },
        WorkerEvent::Failed { failure } => {
            Ok(Some(WorkerEvent::Failed { failure: clean(failure) }))
        }
        WorkerEvent::Warning { message } => {
            let message = without_absolute_paths(&message).into_owned();
            Ok(Some(WorkerEvent::Warning { message }))
        }
        WorkerEvent::Processor { processor } => match is_short(&processor) {
            true => Ok(Some(WorkerEvent::Processor { processor })),
            false => Err(protocol("its processor has too long a name".to_owned())),
        },
        // Epochs of a job whose time is over are kept, so they must be as good as those of an
        // outcome.
        WorkerEvent::Epoch { epoch, .. } if !epoch.is_plausible() => {
            Err(protocol("the numbers of an epoch are out of range".to_owned()))
        }
        event @ WorkerEvent::Epoch { .. } => Ok(Some(event)),
    }
}

/// Whether the words for a processor are no longer than such words are: every record holds them.
fn is_short(processor: &Processor) -> bool {
    let Processor { name, vendor, instructions, .. } = processor;
    let named = instructions.iter().flat_map(|(library, chosen)| [library, chosen]);
    let mut texts = [name].into_iter().chain(vendor).chain(named);
    instructions.len() <= 16 && texts.all(|text| text.len() <= 300)
}

/// A line without its end. A last line without an end is cut off, not a line.
fn bounded_line(input: &mut impl BufRead, bound: u64) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    input.by_ref().take(bound).read_until(b'\n', &mut line)?;
    match line.pop() {
        None => Ok(None),
        Some(b'\n') => Ok(Some(line)),
        Some(_) if line.len() as u64 + 1 == bound => {
            Err(io::Error::other(format!("a line is longer than {bound} bytes")))
        }
        Some(_) => Err(io::Error::other("the last line is cut off")),
    }
}

fn excerpt(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(400)]).into_owned();
    without_absolute_paths(&text).chars().take(80).collect::<String>().escape_debug().to_string()
}

/// The failure with no absolute path in its words.
fn clean(failure: Failure) -> Failure {
    let clean = |message: String| without_absolute_paths(&message).into_owned();
    match failure {
        Failure::Panic { message } => Failure::Panic { message: clean(message) },
        Failure::Protocol { message } => Failure::Protocol { message: clean(message) },
        Failure::Input { message } => Failure::Input { message: clean(message) },
        Failure::Backend { message } => Failure::Backend { message: clean(message) },
        Failure::Io { message } => Failure::Io { message: clean(message) },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Epoch;
    use store::testing;

    fn read(text: &str) -> Result<Option<WorkerEvent>, Failure> {
        next_event(&mut text.as_bytes())
    }

    fn line(event: &WorkerEvent) -> String {
        serde_json::to_string(event).unwrap() + "\n"
    }

    #[test]
    fn events_come_through_and_the_end_is_quiet() {
        let finished = WorkerEvent::Finished { outcome: Box::new(testing::outcome()) };
        assert_eq!(read(&line(&finished)).unwrap(), Some(finished));
        assert_eq!(read("").unwrap(), None);
    }

    #[test]
    fn nonsense_is_a_protocol_failure() {
        let cut = line(&WorkerEvent::Finished { outcome: Box::new(testing::outcome()) });
        for text in ["\n", "hello\n", "{}\n", "{\"event\":\"dance\"}\n", cut.trim_end()] {
            let failure = read(text).unwrap_err();
            assert!(matches!(failure, Failure::Protocol { .. }), "{failure}");
        }
    }

    #[test]
    fn a_line_without_end_stops_at_the_bound() {
        let mut endless = io::BufReader::new(io::repeat(b'x'));
        let error = bounded_line(&mut endless, 1000).unwrap_err().to_string();
        assert_eq!(error, "a line is longer than 1000 bytes");
    }

    #[test]
    fn outcomes_and_epochs_that_cannot_be_are_refused() {
        let mut outcome = testing::outcome();
        outcome.dev.span.micro.f1 = 7.5;
        let told = line(&WorkerEvent::Finished { outcome: Box::new(outcome) });
        assert!(read(&told).unwrap_err().to_string().contains("the span scores of dev"));
        let epoch = |dev_micro_f1, loss| WorkerEvent::Epoch {
            epoch: Epoch { loss, dev_micro_f1, ..testing::outcome().epochs[0].clone() },
            epochs: 2,
        };
        assert!(read(&line(&epoch(0.5, 3.0))).is_ok());
        for wrong in [epoch(7.5, 3.0), epoch(0.5, 1e300)] {
            assert!(read(&line(&wrong)).unwrap_err().to_string().contains("out of range"));
        }
    }

    #[test]
    fn failures_lose_their_absolute_paths() {
        let failure = Failure::Input { message: "cannot read /home/me/train.txt".into() };
        let read = read(&line(&WorkerEvent::Failed { failure })).unwrap();
        let failure = Failure::Input { message: "cannot read …/me/train.txt".into() };
        assert_eq!(read, Some(WorkerEvent::Failed { failure }));
    }
}
