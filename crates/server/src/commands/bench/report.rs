//! What was measured, as a table and as JSON.

use super::stage::Stage;
use crate::{config::Config, out};
use measure::{clock, machine::Machine};
use serde::Serialize;

/// The interface that a row belongs to; the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Interface {
    #[serde(rename = "image analysis")]
    ImageAnalysis,
    #[serde(rename = "proof of age")]
    ProofOfAge,
    #[serde(rename = "document verification")]
    DocumentVerification,
    #[serde(rename = "age verification")]
    AgeVerification,
    #[serde(rename = "content moderation")]
    ContentModeration,
    #[serde(rename = "what all share")]
    Shared,
}

impl Interface {
    const ALL: [(Self, &'static str); 6] = [
        (Self::ImageAnalysis, "image analysis"),
        (Self::ProofOfAge, "proof of age"),
        (Self::DocumentVerification, "document verification"),
        (Self::AgeVerification, "age verification"),
        (Self::ContentModeration, "content moderation"),
        (Self::Shared, "what all share"),
    ];
}

/// A figure.
#[derive(Debug, Serialize)]
struct SizingRow {
    interface: Interface,
    what: String,
    value: f64,
    unit: &'static str,
}

/// What could not be measured, and why.
#[derive(Debug, Serialize)]
struct LeftOut {
    part: String,
    why: String,
}

/// Everything that was measured.
#[derive(Debug, Serialize)]
pub(super) struct SizingReport {
    version: &'static str,
    /// Whether the program was built to be fast; what was not says little.
    optimised: bool,
    machine: Machine,
    /// The load when everything was measured, which the measurement itself raised.
    load_at_end: Option<f64>,
    database: &'static str,
    workers: usize,
    models_folder: String,
    /// Ids of the models; empty where there are none.
    models: Vec<String>,
    /// Memory of the server at the end, megabytes; it is not known where no server was needed.
    server_megabytes: Option<f64>,
    rows: Vec<SizingRow>,
    left_out: Vec<LeftOut>,
}

impl SizingReport {
    pub(super) fn new(config: &Config, stage: &Stage) -> Self {
        let settings = config.model_settings();
        let models = vision::VisionModels::check(&settings.folder);
        Self {
            version: env!("CARGO_PKG_VERSION"),
            optimised: !cfg!(debug_assertions),
            machine: Machine::of_this_moment(),
            load_at_end: None,
            database: stage.database(),
            workers: settings.workers,
            models_folder: settings.folder.display().to_string(),
            models: models
                .map(|models| models.into_iter().map(|model| model.id).collect())
                .unwrap_or_default(),
            server_megabytes: None,
            rows: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Adds a figure with its unit: `ms`, `1/s`, `1/min`, `x` (times real time) or `s`.
    pub(super) fn add(
        &mut self,
        interface: Interface,
        what: impl Into<String>,
        value: f64,
        unit: &'static str,
    ) {
        self.rows.push(SizingRow { interface, what: what.into(), value, unit });
    }

    /// The workers of the models.
    pub(super) fn workers(&self) -> usize {
        self.workers
    }

    pub(super) fn leave_out(&mut self, part: &str, why: &str) {
        self.left_out.push(LeftOut { part: part.to_owned(), why: why.to_owned() });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Notes how the machine and the server are at the end.
    pub(super) fn finish(&mut self, stage: &Stage) {
        self.load_at_end = Machine::of_this_moment().load;
        self.server_megabytes =
            stage.server().ok().and_then(|server| clock::resident_megabytes(server.id()).ok());
    }

    /// Says on what is measured, and what makes the figures worth less.
    pub(super) fn print_heading(&self) {
        let Machine { processor, cores, load, simd } = &self.machine;
        out::line(format_args!("assay {} on {processor}, {cores} cores; {simd}", self.version));
        let models = match self.models.len() {
            0 => "no models".to_owned(),
            count => format!("{count} models in {}, {} workers", self.models_folder, self.workers),
        };
        out::line(format_args!("{}; {models}", self.database));
        match load {
            Some(load) if *load > 0.3 * *cores as f64 => out::line(format_args!(
                "BUSY: the load is {load:.1} already, so the figures are too low; measure on an idle machine"
            )),
            Some(load) => out::line(format_args!("the load is {load:.1}")),
            None => out::line(format_args!("the load is not known")),
        }
        if !self.optimised {
            out::line(format_args!("SLOW BUILD: this program was built for tests; build with --release"));
        }
    }

    pub(super) fn print(&self) {
        for (interface, name) in Interface::ALL {
            let mut rows = self.rows.iter().filter(|row| row.interface == interface).peekable();
            if rows.peek().is_some() {
                out::line(format_args!("\n{name}"));
            }
            for SizingRow { what, value, unit, .. } in rows {
                out::line(format_args!("  {what:<64} {}", figure(*value, unit)));
            }
        }
        if let Some(megabytes) = self.server_megabytes {
            out::line(format_args!("\nmemory of the server at the end: {megabytes:.0} MB"));
        }
        for LeftOut { part, why } in &self.left_out {
            out::line(format_args!("\nleft out: {part}: {why}"));
        }
        out::line(format_args!(
            "\nEach was measured alone, with its client on the same machine. Plan for half of a rate: people do not\n\
             come evenly, and the parts share the cores."
        ));
    }
}

/// A figure with three digits that mean something.
fn figure(value: f64, unit: &str) -> String {
    let digits = match value.abs() {
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    let unit = match unit {
        "1/s" => " a second",
        "1/min" => " a minute",
        "x" => " times real time",
        "ms" => " ms",
        other => return format!("{value:>9.digits$} {other}"),
    };
    format!("{value:>9.digits$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_their_unit() {
        assert_eq!(figure(15_793.4, "1/s").trim(), "15793 a second");
        assert_eq!(figure(19.84, "ms").trim(), "19.8 ms");
        assert_eq!(figure(0.428, "ms").trim(), "0.43 ms");
        assert_eq!(figure(10.0, "x").trim(), "10.0 times real time");
        assert_eq!(figure(3.2, "s").trim(), "3.20 s");
    }
}
