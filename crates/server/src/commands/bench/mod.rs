//! `assay bench`: what this machine does with each of the interfaces, so that an operator knows how many they need.
//!
//! It starts a server of its own on an empty folder and measures it from outside, as clients would; only proofs, faces and
//! storage are measured in this process. Its pictures are drawn ([`measure::drawing`]).

mod documents;
mod images;
mod moderation;
mod primitives;
mod report;
mod sessions;
mod stage;

use crate::{config::Config, lifecycle::shutdown_signal, out};
use anyhow::{Context as _, bail};
use clap::ValueEnum;
use report::SizingReport;
use stage::Stage;
use std::time::Duration;

/// Measure what this machine does with each interface, on a server and a database of its own, in about a minute.
///
/// It touches nothing of this installation: of its settings, only the models and the number of their workers are used.
/// Measure on an idle machine; what else ran is told by its load.
#[derive(clap::Args)]
pub(crate) struct BenchArgs {
    /// What to measure (repeatable). Default: everything.
    #[arg(long = "only", value_enum, value_name = "PART")]
    only: Vec<BenchPart>,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// A PostgreSQL server to measure with instead of SQLite: a schema is created on it, and dropped at the end.
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,
    /// Faces that are searched.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    faces: u32,
    /// Seconds that each measurement of many calls takes.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
}

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BenchPart {
    /// Signed calls that need no model: authentication and its database.
    Calls,
    /// Image analysis.
    Images,
    /// Proofs of age.
    Proofs,
    /// Pages of documents.
    Documents,
    /// Age verification sessions.
    Ages,
    /// Images in content moderation.
    Moderation,
    /// Stored video in content moderation.
    Video,
    /// Searches through faces.
    Faces,
    /// Commits of the database, and files.
    Storage,
}

impl BenchPart {
    /// Whether it needs the server.
    fn needs_server(self) -> bool {
        !matches!(self, Self::Proofs | Self::Faces | Self::Storage)
    }
}

impl BenchArgs {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let mut stage = Stage::new(config, self.postgres.as_deref()).await?;
        let mut report = SizingReport::new(config, &stage);
        if !self.json {
            report.print_heading();
        }
        let stopped = tokio::select! {
            measured = self.measure(&mut stage, &mut report) => measured.err(),
            () = shutdown_signal() => Some(anyhow::anyhow!("stopped before everything was measured")),
        };
        stage.close().await?;
        // What was measured until then is true all the same.
        if self.json {
            out::json(&report)?;
        } else {
            report.print();
        }
        if let Some(error) = stopped {
            return Err(error);
        }
        if report.is_empty() {
            bail!("nothing could be measured");
        }
        Ok(())
    }

    async fn measure(&self, stage: &mut Stage, report: &mut SizingReport) -> anyhow::Result<()> {
        let mut parts = BenchPart::value_variants().to_vec();
        parts.retain(|part| self.only.is_empty() || self.only.contains(part));
        if parts.iter().any(|part| part.needs_server()) {
            stage.start_server().await.context("the server that is to be measured does not start")?;
        }
        let during = Duration::from_secs(self.seconds);
        for part in parts {
            if !self.json {
                out::remark(format_args!("measuring: {}", part_name(part)));
            }
            let measured = match part {
                BenchPart::Calls => images::calls(stage, report, during).await,
                BenchPart::Images => images::analysis(stage, report, during).await,
                BenchPart::Proofs => primitives::proofs(report, during),
                BenchPart::Documents => documents::measure(stage, report, during).await,
                BenchPart::Ages => sessions::measure(stage, report, during).await,
                BenchPart::Moderation => moderation::images(stage, report, during).await,
                BenchPart::Video => moderation::video(stage, report).await,
                BenchPart::Faces => primitives::faces(stage, report, self.faces as usize),
                BenchPart::Storage => primitives::storage(stage, report).await,
            };
            if let Err(error) = measured {
                report.leave_out(&part_name(part), &format!("{error:#}"));
            }
        }
        report.finish(stage);
        Ok(())
    }
}

fn part_name(part: BenchPart) -> String {
    part.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use ::documents::reading::{DocumentClaim, DocumentReader, SideSource};
    use measure::drawing::{self, ZONE_LINES};

    #[test]
    fn the_models_take_what_is_drawn_for_a_face_and_a_document() {
        let mut vision = vision::VisionModels::load(&testkit::pack()).expect("the models load");
        let face = drawing::face();
        let faces = vision.detect(&face).expect("the model answers");
        assert_eq!(faces.len(), 1, "{faces:?}");
        assert!(faces[0].width() > 200.0 && vision.is_confident(&faces[0]), "{faces:?}");

        let mut reader = DocumentReader::load(&testkit::pack()).expect("the reader loads");
        let page = drawing::document();
        let today = jiff::civil::date(2026, 11, 21);
        let read = reader.read(&mut vision, &[SideSource::Photo(&page)], DocumentClaim::default(), today);
        let read = read.expect("it is read");
        assert!(read.sides[0].located.is_some(), "the page is found");
        let lines = read.zone.expect("a zone is found").lines;
        // Its letters are no OCR-B: most are read, and the work is that of any page.
        let drawn = ZONE_LINES.concat();
        let same = lines.concat().bytes().zip(drawn.bytes()).filter(|(read, drawn)| read == drawn).count();
        assert!(lines.len() == 2 && same > 70, "{same} letters are read: {lines:?}");
    }
}
