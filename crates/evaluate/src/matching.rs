//! `assay evaluate match`: face recognition in the terms of ISO/IEC 19795-1.

mod figures;
#[cfg(test)]
pub(crate) use figures::tests::synthetic_report;

use super::{
    bias::{self, FigureRanking, FigureUnit, GroupArgs, GroupColumn, GroupFigure, SubjectColumns},
    statistics::{
        ConfidenceInterval, auc, equal_error_rate, mean, round, round_to, threshold_at_bpcer, wilson_interval,
    },
};
use crate::{EvaluationSettings, html_report::ReportArgs, output};
use anyhow::{Context as _, bail};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use vision::{EmbeddingSpace, VisionModels};

/// Recognition in the terms of ISO/IEC 19795-1: false matches, false non-matches, and the curve between them.
#[derive(clap::Args)]
pub struct EvaluateMatchArgs {
    /// A CSV file of pairs: `a` and `b` (paths relative to the file), `same` (1/0 or true/false): whether both show the
    /// same person, and further columns, by each of which pairs are grouped.
    #[arg(long, value_name = "FILE")]
    pairs: PathBuf,
    /// Write the whole report with its curve as JSON into this file; without a file, print it instead of the table.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    groups: GroupArgs,
}

/// False match rates at which the true accept rate is reported, where there are enough impostor pairs.
const STATED_FALSE_MATCH_RATES: [f64; 4] = [1e-1, 1e-2, 1e-3, 1e-4];

/// Number of steps of the curve over distances.
const SWEEP_POINTS: u32 = 60;

/// Number of the worst pairs that are listed.
const HARDEST_PAIRS: usize = 5;

struct LabelledPair {
    a: String,
    b: String,
    same: bool,
    /// All columns but `a`, `b` and `same`.
    groups: SubjectColumns,
}

/// A pair in the bias table.
struct JudgedPair {
    same: bool,
    distance: f64,
    /// Whether it matches at [`GROUP_FALSE_MATCH_RATE`]; `None` where the model states no distance with that rate.
    matches: Option<bool>,
    /// Whether it matches at the distance with a measured false match rate of 1 %.
    matches_at_1: bool,
}

/// The stated false match rate at which groups are compared: that of one-to-one comparisons.
const GROUP_FALSE_MATCH_RATE: f64 = 1e-3;

/// Figures of the bias table.
const MATCH_FIGURES: [GroupFigure<JudgedPair>; 7] = [
    GroupFigure {
        key: "genuine",
        title: "one person",
        heading: "Recognition: pairs of one person",
        unit: FigureUnit::Count,
        rank: FigureRanking::Unranked,
        reference: None,
        compute: |pairs| (pairs.iter().filter(|pair| pair.same).count() as f64, pairs.len()),
    },
    GroupFigure {
        key: "impostor",
        title: "two people",
        heading: "Recognition: pairs of two people",
        unit: FigureUnit::Count,
        rank: FigureRanking::Unranked,
        reference: None,
        compute: |pairs| (pairs.iter().filter(|pair| !pair.same).count() as f64, pairs.len()),
    },
    GroupFigure {
        key: "fmr",
        title: "FMR",
        heading: "Recognition: FMR at a stated rate of 0.1 %",
        unit: FigureUnit::Share,
        rank: FigureRanking::LowestIsBest,
        reference: None,
        compute: |pairs| among(pairs, false, |pair| pair.matches.map(f64::from)),
    },
    GroupFigure {
        key: "fmr_at_1",
        title: "FMR@1",
        heading: "Recognition: FMR where it is 1 % over all groups",
        unit: FigureUnit::Share,
        rank: FigureRanking::LowestIsBest,
        reference: None,
        compute: |pairs| among(pairs, false, |pair| Some(pair.matches_at_1.into())),
    },
    GroupFigure {
        key: "fnmr",
        title: "FNMR",
        heading: "Recognition: FNMR at a stated FMR of 0.1 %",
        unit: FigureUnit::Share,
        rank: FigureRanking::LowestIsBest,
        reference: None,
        compute: |pairs| among(pairs, true, |pair| pair.matches.map(|matches| (!matches).into())),
    },
    GroupFigure {
        key: "genuine_distance",
        title: "own distance",
        heading: "Recognition: mean distance of one person",
        unit: FigureUnit::Distance,
        rank: FigureRanking::LowestIsBest,
        reference: None,
        compute: |pairs| among(pairs, true, |pair| Some(pair.distance)),
    },
    GroupFigure {
        key: "impostor_distance",
        title: "other distance",
        heading: "Recognition: mean distance of two people",
        unit: FigureUnit::Distance,
        rank: FigureRanking::Unranked,
        reference: None,
        compute: |pairs| among(pairs, false, |pair| Some(pair.distance)),
    },
];

/// The mean over the genuine (or the impostor) pairs that have a value, and their number.
fn among(pairs: &[&JudgedPair], same: bool, value: impl Fn(&JudgedPair) -> Option<f64>) -> (f64, usize) {
    let values: Vec<f64> =
        pairs.iter().filter(|pair| pair.same == same).filter_map(|pair| value(pair)).collect();
    (mean(values.iter().copied()), values.len())
}

/// A pair with a face in both pictures.
#[derive(Clone, Serialize)]
struct ComparedPair {
    a: String,
    b: String,
    distance: f64,
}

#[derive(Serialize)]
struct MatchReport {
    model: String,
    /// SHA-256 of the embedding space, hexadecimal.
    space: String,
    dimension: usize,
    pairs: usize,
    pictures: usize,
    failure_to_acquire: AcquisitionFailures,
    /// Pictures with more than one confident face, of which the best was taken.
    several_faces: Vec<String>,
    genuine: PairDistances,
    impostor: PairDistances,
    /// Equal error rate.
    eer: f64,
    /// Probability that a genuine pair is closer than an impostor pair.
    auc: f64,
    /// At the distances of the manifest.
    thresholds: Vec<MatchThresholdReport>,
    /// True accept rates at given false match rates.
    true_accept: Vec<FalseMatchRateReport>,
    /// The curve of both error rates over the distance.
    sweep: Vec<SweepPoint>,
    /// For each further column, at the distance with a stated false match rate of one in a thousand.
    groups: Vec<GroupColumn>,
}

#[derive(Serialize)]
struct AcquisitionFailures {
    rate: ConfidenceInterval,
    pictures: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct PairDistances {
    /// Pairs with a face in both pictures.
    pairs: usize,
    mean: f64,
    /// Every distance, ascending.
    distances: Vec<f64>,
    /// The most distant genuine pairs, or the closest impostor pairs.
    hardest: Vec<ComparedPair>,
}

#[derive(Serialize)]
struct MatchThresholdReport {
    /// The false match rate that the manifest states.
    stated_fmr: f64,
    #[serde(serialize_with = "serialize_rounded")]
    distance: f64,
    fmr: ConfidenceInterval,
    fnmr: ConfidenceInterval,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn serialize_rounded<S: serde::Serializer>(distance: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(round_to(*distance, 4))
}

#[derive(Serialize)]
struct FalseMatchRateReport {
    fmr: f64,
    /// Impostor pairs needed to measure this rate.
    impostors_needed: usize,
    /// The largest distance with this rate; absent where there are too few impostor pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tar: Option<ConfidenceInterval>,
}

#[derive(Serialize)]
struct SweepPoint {
    distance: f64,
    fmr: f64,
    fnmr: f64,
}

impl EvaluateMatchArgs {
    pub(super) fn run(self, settings: &EvaluationSettings) -> anyhow::Result<()> {
        let pairs = read_pairs(&self.pairs)?;
        let columns = self.groups.columns(pairs.iter().map(|pair| &pair.groups), &[])?;
        self.report.prepare()?;
        let folder = self.pairs.parent().unwrap_or_else(|| Path::new("."));
        let mut faces = EmbeddingCache::new(folder, VisionModels::load(&settings.models.folder)?);
        let (mut genuine, mut impostor) = (Vec::new(), Vec::new());
        let count = pairs.len();
        let mut judged = Vec::new();
        for LabelledPair { a, b, same, groups } in pairs {
            let (one, other) = (faces.embed(&a)?, faces.embed(&b)?);
            if let (Some(one), Some(other)) = (one, other) {
                let distance = f64::from(vision::embedding_distance(&one, &other));
                judged.push((groups, JudgedPair { same, distance, matches: None, matches_at_1: false }));
                if same { &mut genuine } else { &mut impostor }.push(ComparedPair { a, b, distance });
            }
        }
        let space = faces.vision.embedding_space()?.clone();
        let mut report = faces.report(count, genuine, impostor)?;
        apply_threshold(&mut judged, &space, &report.impostor);
        report.groups = bias::table(&judged, &columns, &MATCH_FIGURES);
        self.report.write(|| figures::report(&self.pairs, settings, &report, &judged, &columns))?;
        let print = |report: &MatchReport| {
            print(report);
            bias::print(&report.groups, &MATCH_FIGURES, self.groups.markdown);
        };
        match self.json {
            None => print(&report),
            Some(file) if file == Path::new("-") => output::json(&report)?,
            Some(file) => {
                let text = serde_json::to_vec_pretty(&report)?;
                std::fs::write(&file, text)
                    .with_context(|| format!("{} cannot be written", file.display()))?;
                print(&report);
            }
        }
        Ok(())
    }
}

/// Determines which pairs match.
fn apply_threshold(
    pairs: &mut [(SubjectColumns, JudgedPair)],
    space: &EmbeddingSpace,
    impostor: &PairDistances,
) {
    let limit = space.distance_at(GROUP_FALSE_MATCH_RATE).map(f64::from);
    let limit_at_1 = threshold_at_bpcer(&impostor.distances, 0.01);
    for (_, pair) in pairs {
        pair.matches = limit.map(|limit| pair.distance <= limit);
        pair.matches_at_1 = pair.distance < limit_at_1;
    }
}

/// Reads the pairs of a CSV file.
fn read_pairs(file: &Path) -> anyhow::Result<Vec<LabelledPair>> {
    let shown = file.display();
    let mut reader = csv::Reader::from_path(file).with_context(|| format!("{shown} cannot be read"))?;
    let columns = reader.headers()?.clone();
    let column = |names: &[&str]| {
        let found = columns.iter().position(|name| names.contains(&name.trim()));
        found.with_context(|| format!("{shown} has no column `{}`", names[0]))
    };
    let (a, b, same) = (column(&["a"])?, column(&["b"])?, column(&["same", "same_person"])?);
    let further: Vec<(usize, &str)> =
        columns.iter().enumerate().filter(|(at, _)| ![a, b, same].contains(at)).collect();
    let mut pairs = Vec::new();
    for (number, row) in reader.records().enumerate() {
        let row = row.with_context(|| format!("{shown} is not CSV"))?;
        let text = |at: usize| row.get(at).unwrap_or_default().trim().to_owned();
        let groups = further.iter().map(|&(at, name)| (name.trim().to_owned(), text(at))).collect();
        let same = match text(same).to_ascii_lowercase().as_str() {
            "1" | "true" => true,
            "0" | "false" => false,
            other => bail!("{shown}, row {}: {other:?} is neither 1 nor 0", number + 1),
        };
        pairs.push(LabelledPair { a: text(a), b: text(b), same, groups });
    }
    Ok(pairs)
}

/// The embeddings of the pictures; each picture is analysed once.
struct EmbeddingCache<'a> {
    folder: &'a Path,
    vision: VisionModels,
    /// By path; `None` where the picture has no face.
    known: BTreeMap<String, Option<Vec<f32>>>,
    /// Why pictures have no embedding, by path.
    failed: BTreeMap<String, String>,
    /// Paths of pictures with several confident faces.
    several: Vec<String>,
}

impl<'a> EmbeddingCache<'a> {
    fn new(folder: &'a Path, vision: VisionModels) -> Self {
        let (known, failed, several) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Self { folder, vision, known, failed, several }
    }

    fn embed(&mut self, name: &str) -> anyhow::Result<Option<Vec<f32>>> {
        if let Some(known) = self.known.get(name) {
            return Ok(known.clone());
        }
        let path = self.folder.join(name);
        let bytes = std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let embedding = match super::decode_leniently(&bytes) {
            None => Err("the picture cannot be decoded".to_owned()),
            Some(picture) => {
                let faces = self.vision.detect(&picture)?;
                if faces.iter().filter(|face| self.vision.is_confident(face)).count() > 1 {
                    self.several.push(name.to_owned());
                }
                match faces.first() {
                    None => Err("no face was found".to_owned()),
                    Some(face) => Ok(self.vision.embed(&picture, face)?),
                }
            }
        };
        let embedding = embedding.map_err(|reason| self.failed.insert(name.to_owned(), reason)).ok();
        self.known.insert(name.to_owned(), embedding.clone());
        Ok(embedding)
    }

    fn report(
        mut self,
        pairs: usize,
        genuine: Vec<ComparedPair>,
        impostor: Vec<ComparedPair>,
    ) -> anyhow::Result<MatchReport> {
        if genuine.is_empty() || impostor.is_empty() {
            bail!(
                "pairs of one person and of two people are needed; compared {} and {} ({} pictures without a face)",
                genuine.len(),
                impostor.len(),
                self.failed.len()
            );
        }
        let space = self.vision.embedding_space()?.clone();
        let EmbeddingSpace { model, dimension, thresholds, .. } = &space;
        let (genuine, impostor) = (PairDistances::new(genuine, true), PairDistances::new(impostor, false));
        let match_rate = |side: &PairDistances, distance: f64| {
            let pairs = side.distances.partition_point(|&other| other <= distance);
            wilson_interval(pairs, side.pairs)
        };
        let fnmr = |distance: f64| {
            let matched = genuine.distances.partition_point(|&other| other <= distance);
            wilson_interval(genuine.pairs - matched, genuine.pairs)
        };
        // Distances are negated, because the statistics take greater scores for better ones.
        let scores =
            |side: &PairDistances| side.distances.iter().map(|distance| -distance).collect::<Vec<_>>();
        let (scores_of_genuine, scores_of_impostor) = (scores(&genuine), scores(&impostor));
        let farthest = genuine.distances.iter().chain(&impostor.distances).copied().fold(0.0, f64::max);
        let sweep = (0..=SWEEP_POINTS).map(|point| {
            let distance = farthest * f64::from(point) / f64::from(SWEEP_POINTS);
            SweepPoint {
                distance: round(distance),
                fmr: round_to(match_rate(&impostor, distance).rate, 6),
                fnmr: round_to(fnmr(distance).rate, 6),
            }
        });
        Ok(MatchReport {
            model: model.clone(),
            space: space.digest(),
            dimension: *dimension,
            pairs,
            pictures: self.known.len(),
            failure_to_acquire: AcquisitionFailures {
                rate: wilson_interval(self.failed.len(), self.known.len()),
                pictures: self.failed,
            },
            several_faces: self.several,
            eer: round_to(equal_error_rate(&scores_of_genuine, &scores_of_impostor), 5),
            auc: round_to(auc(&scores_of_genuine, &scores_of_impostor), 6),
            thresholds: thresholds
                .iter()
                .map(|&(stated_fmr, distance)| MatchThresholdReport {
                    stated_fmr,
                    distance: distance.into(),
                    fmr: match_rate(&impostor, distance.into()),
                    fnmr: fnmr(distance.into()),
                })
                .collect(),
            true_accept: STATED_FALSE_MATCH_RATES
                .iter()
                .map(|&fmr| at_rate(fmr, &genuine, &impostor))
                .collect(),
            sweep: sweep.collect(),
            groups: Vec::new(),
            genuine,
            impostor,
        })
    }
}

fn at_rate(fmr: f64, genuine: &PairDistances, impostor: &PairDistances) -> FalseMatchRateReport {
    // The rule of three: with no false match among n pairs, the rate may still be 3 / n (95 % confidence).
    let impostors_needed = (3.0 / fmr).ceil() as usize;
    let enough = impostor.pairs >= impostors_needed;
    // The distance of the first impostor pair that must not be accepted.
    let limit = threshold_at_bpcer(&impostor.distances, fmr);
    let accepted = genuine.distances.partition_point(|&distance| distance < limit);
    FalseMatchRateReport {
        fmr,
        impostors_needed,
        distance: enough.then(|| round_to(limit, 4)),
        tar: enough.then(|| wilson_interval(accepted, genuine.pairs)),
    }
}

impl PairDistances {
    fn new(mut compared: Vec<ComparedPair>, farthest: bool) -> Self {
        compared.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        let distances: Vec<f64> = compared.iter().map(|pair| pair.distance).collect();
        let rounded =
            |pair: &ComparedPair| ComparedPair { distance: round_to(pair.distance, 4), ..pair.clone() };
        let hardest = if farthest {
            compared.iter().rev().take(HARDEST_PAIRS).map(rounded).collect()
        } else {
            compared.iter().take(HARDEST_PAIRS).map(rounded).collect()
        };
        Self { pairs: compared.len(), mean: round(mean(distances.iter().copied())), distances, hardest }
    }
}

fn print(report: &MatchReport) {
    let percent = |ConfidenceInterval { rate, low, high }: &ConfidenceInterval| {
        format!("{:>6.2} % ({:.2} to {:.2} %)", rate * 100.0, low * 100.0, high * 100.0)
    };
    let MatchReport { genuine, impostor, failure_to_acquire, .. } = report;
    output::line(format_args!("model         {} ({} numbers)", report.model, report.dimension));
    output::line(format_args!(
        "compared      {} pairs of one person, {} of two, from {} pictures",
        genuine.pairs, impostor.pairs, report.pictures
    ));
    output::line(format_args!(
        "no face       {} pictures: failure to acquire {}",
        failure_to_acquire.pictures.len(),
        percent(&failure_to_acquire.rate)
    ));
    for (name, reason) in &failure_to_acquire.pictures {
        output::line(format_args!("  {name}: {reason}"));
    }
    if !report.several_faces.is_empty() {
        let names = report.several_faces.join(", ");
        output::line(format_args!("several faces {names}: the one with the highest score was taken"));
    }
    for (name, side) in [("one person", genuine), ("two people", impostor)] {
        let (first, last) = (side.distances.first(), side.distances.last());
        output::line(format_args!(
            "{name:<13} distance {:.3} on average, {:.3} to {:.3}",
            side.mean,
            first.copied().unwrap_or_default(),
            last.copied().unwrap_or_default()
        ));
    }
    output::line(format_args!(
        "EER           {:.2} % (as many strangers pass as people are refused)",
        report.eer * 100.0
    ));
    output::line(format_args!("AUC           {:.5} (1 is perfect, 0.5 is chance)", report.auc));
    output::line(format_args!(
        "\nat the manifest's distances, with 95 % intervals (Wilson):\n{:<9} {:<11} {:<32} {}",
        "distance", "stated FMR", "FMR: strangers that match", "FNMR: people that do not match themselves"
    ));
    for MatchThresholdReport { stated_fmr, distance, fmr, fnmr } in &report.thresholds {
        output::line(format_args!("{distance:<9.3} {stated_fmr:<11} {:<32} {}", percent(fmr), percent(fnmr)));
    }
    output::line(format_args!(
        "\nTAR: people that match themselves, where at most that share of strangers does:"
    ));
    for FalseMatchRateReport { fmr, impostors_needed, distance, tar } in &report.true_accept {
        match (distance, tar) {
            (Some(distance), Some(tar)) => {
                output::line(format_args!("FMR {fmr:<7} {}  below distance {distance:.3}", percent(tar)));
            }
            _ => output::line(format_args!(
                "FMR {fmr:<7} cannot be measured: it takes {impostors_needed} pairs of two people (rule of three), here are {}",
                impostor.pairs
            )),
        }
    }
    output::line(format_args!("\n{:<9} {:>9} {:>9}", "distance", "FMR", "FNMR"));
    for SweepPoint { distance, fmr, fnmr } in report.sweep.iter().step_by(4) {
        output::line(format_args!("{distance:<9.3} {:>7.2} % {:>7.2} %", fmr * 100.0, fnmr * 100.0));
    }
    for (name, side) in [("farthest of one person", genuine), ("nearest of two people", impostor)] {
        output::line(format_args!("\n{name} (wrongly labelled, or hard):"));
        for ComparedPair { a, b, distance } in &side.hardest {
            output::line(format_args!("  {distance:.3}  {a}  {b}"));
        }
    }
    output::line(format_args!(
        "\nThe intervals take pairs for independent. Where people appear in many pairs they are wider."
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_compared_at_the_exact_distance_of_the_stated_rate_or_not_at_all() {
        let judged = |thresholds: &[(f64, f32)], distance: f64| {
            let space = EmbeddingSpace { thresholds: thresholds.to_vec(), ..EmbeddingSpace::default() };
            let pair = JudgedPair { same: true, distance, matches: None, matches_at_1: false };
            let mut pairs = [(SubjectColumns::new(), pair)];
            apply_threshold(&mut pairs, &space, &PairDistances::new(Vec::new(), false));
            let [(_, pair)] = pairs;
            let fnmr = MATCH_FIGURES.iter().find(|figure| figure.key == "fnmr").unwrap();
            let (_, count) = (fnmr.compute)(&[&pair]);
            assert_eq!(count, usize::from(pair.matches.is_some()), "without a distance there is no rate");
            pair.matches
        };
        assert_eq!(judged(&[(1e-2, 0.6)], 0.1), None, "the table begins above the rate");
        // One in a thousand lies half-way between the two.
        let around = [(1e-4, 0.4), (1e-2, 0.6)];
        let found = [0.45, 0.499, 0.501].map(|distance| judged(&around, distance));
        assert_eq!(found, [Some(true), Some(true), Some(false)]);
        let unrounded = [(1e-3, 0.512_34)];
        let found =
            [0.512_32, f64::from(0.512_34_f32), 0.512_36].map(|distance| judged(&unrounded, distance));
        assert_eq!(found, [Some(true), Some(true), Some(false)]);
    }

    #[test]
    fn distances_are_rounded_only_where_they_are_written() {
        let none = wilson_interval(0, 0);
        let report = MatchThresholdReport { stated_fmr: 1e-3, distance: 0.512_34, fmr: none, fnmr: none };
        assert_eq!(serde_json::to_value(&report).unwrap()["distance"], 0.5123);
    }
}
