//! `tailgrid serve GRID`, and `tailgrid run GRID --serve ADDRESS`: the page of a grid's results on
//! a port of this machine, made anew as jobs finish.

use super::grid::{self, GridArgs, Opened};
use super::{CliError, Common, Exit, report};
use crate::cli::output::message;
use ::report::{self as reports, Extras};
use ::serve::{Server, Site};
use nix::sys::signal::{SigSet, SigmaskHow};
use runner::events::Event;
use spec::Grid;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::thread;
use std::time::{Duration, Instant};
use store::Folder;
use sweep::{GridSource, tuning};
use ui::{self, Style};

/// Serves the page of a grid's results on this machine, kept up to date while jobs finish
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
    /// Where to listen; port 0 is any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = address)]
    pub listen: SocketAddr,
}

/// How often the results are looked at while somebody looks at the page.
const LOOK: Duration = Duration::from_secs(1);
/// The shortest time between two reports, and how many times longer than making one.
const PAUSE: Duration = Duration::from_secs(3);
const PAUSE_FACTOR: u32 = 5;
/// Nobody looks at the page any more who has not asked for so long.
const IDLE: Duration = Duration::from_secs(30);
/// A browser that looks asks at least this often; at the end of a run it is waited for.
const LAST_LOOK: Duration = Duration::from_secs(4);

/// But not for ever.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// Serves until it is stopped.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let Opened { grid: alone, args: grid_args, common } = args.grid.open_alone(common)?;
    let source = grid_args.source(&common);
    // Bars are for runs.
    let style = match Style::choose(common.json, common.quiet) {
        Style::Bars => Style::Lines,
        style => style,
    };
    let mut show = ui::progress(style);
    let _page = LivePage::start(args.listen, &alone, &source, &common, &mut *show)?;
    loop {
        thread::park();
    }
}

/// An address to listen at: with a port alone, on this machine.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let loopback = |port: &str| Some(SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse().ok()?)));
    let known = match text.strip_prefix("localhost:") {
        Some(port) => loopback(port),
        None => text.parse().ok().or_else(|| loopback(text)),
    };
    known.ok_or_else(|| {
        "an address and a port, as 127.0.0.1:8080; port 0 is any free one".to_owned()
    })
}

/// A page that follows the results of a grid for as long as this program lives.
pub struct LivePage {
    server: Server,
    source: Source,
}

impl LivePage {
    /// Serves the results as they are and follows them; says where.
    pub fn start(
        at: SocketAddr,
        alone: &Grid,
        source: &GridSource,
        common: &Common,
        show: &mut dyn FnMut(&Event),
    ) -> Result<Self, CliError> {
        let (alone, source, common) = (alone.clone(), source.clone(), common.clone());
        let source = Source { alone, source, common };
        let (site, took) = source.site()?;
        let failed = |error: std::io::Error| {
            let message = format!("cannot serve the page on {at}: {error}");
            CliError::new(Exit::Invalid, message)
        };
        let page = without_signals(|| {
            let page = Self { server: Server::start(at, site)?, source };
            let (server, source) = (page.server.clone(), page.source.clone());
            thread::Builder::new().spawn(move || follow(&server, &source, took))?;
            Ok(page)
        })
        .map_err(failed)?;
        if !page.server.address().ip().is_loopback() {
            show(&Event::Warning { message: open_to_others(at.ip()) });
        }
        show(&Event::PageServed { address: format!("http://{}/", page.server.address()) });
        Ok(page)
    }

    /// Shows the last results to whoever is looking, before this program ends.
    pub fn finish(&self) {
        let start = Instant::now();
        let looking = || self.server.idle().is_some_and(|idle| idle < LAST_LOOK);
        if looking()
            && let Ok((site, _)) = self.source.site()
        {
            self.server.publish(site);
            while looking() && !self.server.is_taken() && start.elapsed() < LONGEST_WAIT {
                thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

fn open_to_others(ip: IpAddr) -> String {
    format!(
        "the page is served on {ip}, where other machines can read it, corpus text included, without a \
         password: 127.0.0.1 keeps it on this one"
    )
}

/// Starts threads that take no signal: those are for the thread that waits for them.
fn without_signals<T>(start: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    let before = SigSet::all().thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let started = start();
    before.thread_set_mask()?;
    started
}

/// Makes the report anew when records have changed and somebody looks at it.
fn follow(server: &Server, source: &Source, mut took: Duration) {
    let mut made = Instant::now();
    let mut told = String::new();
    loop {
        thread::sleep(LOOK);
        let somebody = server.idle().is_some_and(|idle| idle < IDLE);
        let due = made.elapsed() >= PAUSE.max(took * PAUSE_FACTOR);
        if !somebody || !due || source.version().is_ok_and(|now| now == server.version()) {
            continue;
        }
        match source.site() {
            Ok((site, time)) => {
                server.publish(site);
                took = time;
            }
            // The page stays as it was; whatever it is, once is enough to hear of it.
            Err(error) if error.message != told => {
                message!("warning: the page could not be brought up to date: {}", error.message);
                told = error.message;
            }
            Err(_) => {}
        }
        made = Instant::now();
    }
}

/// What a page is made of.
#[derive(Clone)]
struct Source {
    /// Without what searches chose.
    alone: Grid,
    source: GridSource,
    common: Common,
}

impl Source {
    fn folder(&self) -> Result<Folder, CliError> {
        grid::folder(&self.alone, &self.common)
    }

    /// Changes whenever a record does.
    fn version(&self) -> Result<String, CliError> {
        Ok(self.folder()?.stamp()?)
    }

    /// The report as the records are now, and how long it took.
    fn site(&self) -> Result<(Site, Duration), CliError> {
        let start = Instant::now();
        // Taken first: what comes in between makes another one.
        let version = self.version()?;
        let mut grid = self.alone.clone();
        let folder = self.folder()?;
        if grid.is_without_files {
            self.source.adopt_records(&mut grid)?;
        }
        tuning::settle_recorded(&mut grid, &folder)?;
        let (view, results) = grid::view(&grid, &self.common)?;
        let errors = report::errors(&view, &results, &folder)?;
        let extras = Extras { errors, live: Some(version.clone()) };
        let report = reports::render_with(&view, &results, &extras)
            .map_err(|error| CliError::new(Exit::Internal, error))?;
        Ok((Site::new(report, &version), start.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_what_is_none_teaches() {
        let shown = |text: &str| address(text).map(|address| address.to_string());
        assert_eq!(shown("127.0.0.1:0"), Ok("127.0.0.1:0".to_owned()));
        assert_eq!(shown("8080"), Ok("127.0.0.1:8080".to_owned()));
        assert_eq!(shown("localhost:80"), Ok("127.0.0.1:80".to_owned()));
        assert_eq!(shown("[::1]:80"), Ok("[::1]:80".to_owned()));
        for wrong in ["", "here", "127.0.0.1", "1.2.3.4:99999", "localhost", "localhost:x"] {
            assert!(shown(wrong).unwrap_err().contains("127.0.0.1:8080"), "{wrong}");
        }
    }
}
