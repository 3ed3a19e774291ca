//! The report of what was measured, as text and as JSON.

use anyhow::Context as _;
use measure::{machine::Machine, percentile};
use serde::{Deserialize, Serialize};
use std::{
    fmt::{Arguments, Display, Formatter},
    io::Write as _,
    path::Path,
};

/// Everything measured so far.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct BenchReport {
    machine: String,
    /// Whether the program was built for speed or for tests: figures of one say nothing about the other.
    pub(crate) optimised: bool,
    pub(crate) rows: Vec<ReportRow>,
}

/// One measurement.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct ReportRow {
    pub(crate) name: String,
    pub(crate) ours: MeasuredFigure,
    pub(crate) peer: Option<PeerFigure>,
    /// Our figure divided by the peer's.
    pub(crate) ratio: Option<f64>,
    goal: Option<String>,
    met: Option<bool>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct PeerFigure {
    pub(crate) name: String,
    pub(crate) figure: MeasuredFigure,
}

/// A number with its unit: the typical value, and the best one seen.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(crate) struct MeasuredFigure {
    pub(crate) typical: f64,
    pub(crate) best: f64,
    pub(crate) unit: MeasuredUnit,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) enum MeasuredUnit {
    #[serde(rename = "ms")]
    Milliseconds,
    #[serde(rename = "1/s")]
    PerSecond,
    #[serde(rename = "MB")]
    Megabytes,
    #[serde(rename = "kB")]
    Kilobytes,
}

/// What a row should reach.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// Limit on our figure divided by the peer's.
    RatioAtMost(f64),
    /// Upper limit in the row's unit.
    AtMost(f64),
    /// Lower limit in the row's unit.
    AtLeast(f64),
}

impl MeasuredFigure {
    /// Median and minimum of times in milliseconds.
    pub(crate) fn times(samples: &[f64]) -> Self {
        Self {
            typical: percentile(samples, 0.5),
            best: percentile(samples, 0.0),
            unit: MeasuredUnit::Milliseconds,
        }
    }

    /// Median and maximum of rates.
    pub(crate) fn rates(samples: &[f64]) -> Self {
        Self {
            typical: percentile(samples, 0.5),
            best: percentile(samples, 1.0),
            unit: MeasuredUnit::PerSecond,
        }
    }

    /// A single time, in milliseconds.
    pub(crate) fn time(value: f64) -> Self {
        Self::times(&[value])
    }

    /// Median and minimum of sizes.
    pub(crate) fn kilobytes(samples: &[f64]) -> Self {
        Self { unit: MeasuredUnit::Kilobytes, ..Self::times(samples) }
    }

    /// Median and minimum of sizes.
    pub(crate) fn megabytes(samples: &[f64]) -> Self {
        Self { unit: MeasuredUnit::Megabytes, ..Self::times(samples) }
    }
}

impl Display for MeasuredFigure {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let (unit, digits) = match self.unit {
            MeasuredUnit::Milliseconds if self.typical < 10.0 => ("ms", 2),
            MeasuredUnit::Milliseconds => ("ms", 1),
            MeasuredUnit::PerSecond => ("/s", 0),
            MeasuredUnit::Megabytes => ("MB", 0),
            MeasuredUnit::Kilobytes => ("kB", 1),
        };
        write!(f, "{:.digits$} {unit}", self.typical)?;
        if (self.best - self.typical).abs() > f64::EPSILON {
            write!(f, " (best {:.digits$})", self.best)?;
        }
        Ok(())
    }
}

/// Prints a line. It is no error if the reader has gone away.
pub(crate) fn line(text: Arguments<'_>) {
    let _gone = writeln!(std::io::stdout(), "{text}");
}

impl BenchReport {
    /// An empty report about this machine; prints the heading.
    pub(crate) fn new() -> Self {
        let machine = Machine::of_this_moment().to_string();
        line(format_args!("{machine}\n\nname | ours | peer | ours / peer | goal"));
        Self { machine, optimised: !cfg!(debug_assertions), rows: Vec::new() }
    }

    /// Adds and prints a row. `ratio` overrides the ratio of the medians where the two were compared in another way.
    pub(crate) fn add(
        &mut self,
        name: &str,
        ours: MeasuredFigure,
        peer: Option<(&str, MeasuredFigure)>,
        ratio: Option<f64>,
        goal: Option<Goal>,
    ) {
        let ratio = ratio.or(peer.map(|(_, peer)| ours.typical / peer.typical));
        let judged = goal.map(|goal| match goal {
            Goal::RatioAtMost(most) => (format!("ratio at most {most}"), ratio.is_some_and(|it| it <= most)),
            Goal::AtMost(most) => (format!("at most {most}"), ours.typical <= most),
            Goal::AtLeast(least) => (format!("at least {least}"), ours.typical >= least),
        });
        let (goal, met) = judged.unzip();
        let peer = peer.map(|(name, figure)| PeerFigure { name: name.to_owned(), figure });
        let row = ReportRow { name: name.to_owned(), ours, peer, ratio, goal, met };
        line(format_args!("{row}"));
        self.rows.push(row);
    }

    /// Adds the median of times in milliseconds, and the one that 99 % of them do not exceed.
    pub(crate) fn add_latencies(&mut self, name: &str, latencies: &[f64]) {
        for (part, share) in [("p50", 0.5), ("p99", 0.99)] {
            let figure = MeasuredFigure::time(percentile(latencies, share));
            self.add(&format!("{name}: {part}"), figure, None, None, None);
        }
    }

    /// Reads what [`Self::write`] wrote.
    pub(crate) fn read(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("{} is not a report", file.display()))
    }

    pub(crate) fn write(&self, file: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))
    }
}

impl Display for ReportRow {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} | {} | ", self.name, self.ours)?;
        match &self.peer {
            Some(PeerFigure { name, figure }) => write!(f, "{name}: {figure} | ")?,
            None => write!(f, "- | ")?,
        }
        match self.ratio {
            Some(ratio) => write!(f, "{ratio:.2} | ")?,
            None => write!(f, "- | ")?,
        }
        match (&self.goal, self.met) {
            (Some(goal), Some(met)) => write!(f, "{goal}: {}", if met { "met" } else { "MISSED" }),
            _ => write!(f, "-"),
        }
    }
}
