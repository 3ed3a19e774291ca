//! The report on ages as a file.

use super::{
    AGE_BAND_COLUMN, AGE_FIGURES, AgeMeasurement, AgeReport, AgeThresholdReport, RefusalBand, rate_of,
};
use crate::{
    EvaluationSettings,
    bias::{self, MIN_GROUP_SIZE, SubjectColumns},
    html_report::{
        Axis, Chart, ChartArea, DotRow, FreeCorner, HtmlReport, LabelledSeries, MAX_SERIES, dot_chart,
        line_chart, percent, scatter_chart, tiles,
    },
    statistics::{ConfidenceInterval, SeededRng, mean},
};
use maud::{Markup, html};
use std::{collections::BTreeMap, path::Path};
use vision::model_manifest::ModelTask;

/// Most faces that are drawn. More would make the file large and the figure black.
const MAX_DRAWN_FACES: usize = 3000;
/// Width of a bin of true ages in curves, years. A label that is a band of ages is told by its middle, which a bin keeps.
const AGE_BIN_YEARS: f64 = 5.0;
/// The age at which adults must not be refused: that of majority in most laws.
const MAJORITY_AGE: f64 = 18.0;
/// How far below and above a threshold people are looked at, years. Farther away nearly all answers are alike.
const YEARS_AROUND_THRESHOLD: f64 = 15.0;
const YEARS_ABOVE_MAJORITY: f64 = 25.0;
/// Without people as near to the threshold as that, a curve says nothing about it.
const YEARS_NEAR_THRESHOLD: f64 = 10.0;

pub(super) fn report(
    labels: &Path,
    settings: &EvaluationSettings,
    report: &AgeReport,
    faces: &[(SubjectColumns, AgeMeasurement)],
    columns: &[String],
) -> anyhow::Result<HtmlReport> {
    let mut file = HtmlReport::new(
        ("age", "Age estimation"),
        format!("{} faces", report.faces_found),
        labels,
        settings,
        &[ModelTask::Detect, ModelTask::Age],
    )?;
    add_sections(&mut file, report, faces, columns)?;
    Ok(file)
}

/// Everything below the head of the report.
pub(super) fn add_sections(
    file: &mut HtmlReport,
    report: &AgeReport,
    faces: &[(SubjectColumns, AgeMeasurement)],
    columns: &[String],
) -> anyhow::Result<()> {
    file.fact("Pictures", &report.images);
    file.fact("Faces measured", &report.faces_found);
    for (reason, count) in &report.refused {
        file.fact("Refused", &format!("{count}: {reason}"));
    }
    let numbers = tiles(&[
        ("Mean absolute error", format!("{:.2} years", report.mae)),
        ("Bias", format!("{:+.2} years", report.bias)),
        ("90 % of errors up to", format!("{:.1} years", report.error_90)),
        ("Mean stated error", format!("{:.2} years", report.st_dev)),
    ]);
    file.section("In short", "", &numbers);
    let charts = file.charts([scatter(report, faces)?].into_iter().chain(by_true_age(faces)?).collect());
    file.section(
        "Estimates and true ages",
        "Each dot of the first figure is a face. On the line the estimate is right; above it people are taken to be older \
         than they are.",
        &charts,
    );
    let charts = file.charts(vec![coverage(report)?]);
    file.section(
        "Stated intervals",
        "Each answer states how far off it may be. As many people as stated should be inside its intervals.",
        &charts,
    );
    let charts = file.charts(vec![probability(&report.threshold)?]);
    file.section(
        &format!("Whether somebody is at least {}", report.threshold.years),
        "The share of people who are old enough, of those to whom the same probability was given. On the line it is \
         what was stated.",
        &charts,
    );
    let charts = file.charts(pass_curves(&report.threshold, faces, columns)?);
    file.section(
        "Who passes, by true age",
        "An estimate passes from the threshold on. Those who pass on the left of it are too young; those who do not pass on \
         the right of it are refused although they are old enough.",
        &charts,
    );
    let charts = file.charts(vec![buffer(&report.threshold)?]);
    file.section("What a buffer costs", "", &html! { (buffer_rates(&report.threshold)) (charts) });
    let groups = bias::markup(file, &report.groups, &AGE_FIGURES)?;
    file.section(
        "Groups",
        "A dot is a group, a line through it its interval. Where lines do not reach each other, the difference is \
         hardly chance.",
        &groups,
    );
    Ok(())
}

fn scatter(report: &AgeReport, faces: &[(SubjectColumns, AgeMeasurement)]) -> anyhow::Result<Chart> {
    let mut points: Vec<(f64, f64)> = faces.iter().map(|(_, face)| (face.truth, face.years())).collect();
    let all = points.len();
    if all > MAX_DRAWN_FACES {
        SeededRng::new(all as u64).shuffle(&mut points);
        points.truncate(MAX_DRAWN_FACES);
    }
    let oldest = points.iter().flat_map(|&(truth, years)| [truth, years]).fold(40.0, f64::max);
    let end = (oldest / 10.0).ceil() * 10.0;
    let threshold = f64::from(report.threshold.years);
    let references = [
        LabelledSeries::reference("right", vec![(0.0, 0.0), (end, end)]),
        LabelledSeries::reference(format!("estimated {threshold}"), vec![(0.0, threshold), (end, threshold)]),
        LabelledSeries::reference(format!("aged {threshold}"), vec![(threshold, 0.0), (threshold, end)]),
    ];
    let caption = if all > MAX_DRAWN_FACES {
        format!("{MAX_DRAWN_FACES} of {all} faces, drawn by lot.")
    } else {
        format!("{all} faces.")
    };
    let words = format!(
        "Estimated against true age; mean absolute error {:.2} years, bias {:+.2} years",
        report.mae, report.bias
    );
    scatter_chart(
        &ChartArea {
            name: "scatter",
            title: "Age: estimates and true ages",
            caption: &caption,
            words: &words,
        },
        Axis::linear("True age, years", 0.0, end),
        Axis::linear("Estimated age, years", 0.0, end),
        &points,
        &references,
    )
}

/// The middle of the ages in a bin, with which it is drawn.
fn mean_age(faces: &[&AgeMeasurement]) -> f64 {
    mean(faces.iter().map(|face| face.truth))
}

/// Faces by bins of their true age; those with few faces are left out, which are hardly more than single people.
fn age_bins<'a>(faces: impl Iterator<Item = &'a AgeMeasurement>) -> Vec<Vec<&'a AgeMeasurement>> {
    let mut bins = BTreeMap::<usize, Vec<&AgeMeasurement>>::new();
    for face in faces {
        bins.entry((face.truth / AGE_BIN_YEARS) as usize).or_default().push(face);
    }
    bins.into_values().filter(|bin| bin.len() >= MIN_GROUP_SIZE).collect()
}

/// The estimates of each bin of true ages: their mean, and where the middle eight of ten lie. `None` where fewer than two bins
/// have enough faces.
fn by_true_age(faces: &[(SubjectColumns, AgeMeasurement)]) -> anyhow::Result<Option<Chart>> {
    let bins = age_bins(faces.iter().map(|(_, face)| face));
    if bins.len() < 2 {
        return Ok(None);
    }
    let (mut points, mut ranges, mut told) = (Vec::new(), Vec::new(), Vec::new());
    for bin in &bins {
        let mut years: Vec<f64> = bin.iter().map(|face| face.years()).collect();
        years.sort_by(f64::total_cmp);
        let at = |share: f64| years[(share * (years.len() - 1) as f64).round() as usize];
        let (age, estimate) = (mean_age(bin), mean(years.iter().copied()));
        points.push((age, estimate));
        ranges.push((at(0.1), at(0.9)));
        told.push(format!(
            "aged {age:.0}: estimated {estimate:.0} ({:.0} to {:.0}; n = {})",
            at(0.1),
            at(0.9),
            bin.len()
        ));
    }
    let oldest =
        points.iter().map(|&(age, _)| age).chain(ranges.iter().map(|&(_, high)| high)).fold(40.0, f64::max);
    let end = (oldest / 10.0).ceil() * 10.0;
    let mut estimates = LabelledSeries::line("mean estimate", points);
    estimates.intervals = ranges;
    let caption = format!(
        "People in bins of {AGE_BIN_YEARS} years, of {MIN_GROUP_SIZE} and more. Upright lines are where eight of ten estimates lie."
    );
    let chart = line_chart(
        &ChartArea {
            name: "estimate-by-true-age",
            title: "Age: estimates by true age",
            caption: &caption,
            words: &told.join("; "),
        },
        (Axis::linear("True age, years", 0.0, end), Axis::linear("Estimated age, years", 0.0, end)),
        &[estimates, LabelledSeries::reference("right", vec![(0.0, 0.0), (end, end)])],
        FreeCorner::LowerRight,
    )?;
    Ok(Some(chart))
}

/// Which people a curve of shares is about, and what it is called.
struct ShareCurve<'a> {
    name: String,
    title: String,
    caption: &'a str,
    /// True ages, years.
    ages: std::ops::RangeInclusive<f64>,
    /// The threshold, drawn as a line.
    threshold: f64,
    share: &'a str,
    free: FreeCorner,
}

impl ShareCurve<'_> {
    /// A share of the faces of each bin of true ages, with intervals; `None` without two bins, and far from the threshold.
    fn points<'a>(
        &self,
        faces: impl Iterator<Item = &'a AgeMeasurement>,
        holds: impl Fn(&AgeMeasurement) -> bool + Copy,
    ) -> Option<Vec<(f64, ConfidenceInterval)>> {
        let bins = age_bins(faces.filter(|face| self.ages.contains(&face.truth)));
        let points: Vec<_> = bins.iter().map(|bin| (mean_age(bin), rate_of(bin, holds))).collect();
        let near = points.iter().any(|(age, _)| (age - self.threshold).abs() <= YEARS_NEAR_THRESHOLD);
        (near && points.len() >= 2).then_some(points)
    }

    /// Draws the curves of several groups; `None` where there is none.
    fn draw(&self, curves: Vec<(String, Vec<(f64, ConfidenceInterval)>)>) -> anyhow::Result<Option<Chart>> {
        if curves.is_empty() {
            return Ok(None);
        }
        let mut words = Vec::new();
        let mut series = Vec::new();
        let middle = (curves.len() - 1) as f64 / 2.0;
        for (number, (group, points)) in curves.into_iter().enumerate() {
            let told: Vec<String> =
                points.iter().map(|(age, share)| format!("aged {age:.0}: {}", percent(share))).collect();
            words.push(format!("{group}: {}", told.join("; ")));
            // Groups of the same ages lie beside each other, so that their intervals do not hide each other.
            let shift = (number as f64 - middle) * 0.15;
            let mut line = LabelledSeries::line(
                group,
                points.iter().map(|(age, share)| (age + shift, share.rate)).collect(),
            );
            line.intervals = points.iter().map(|(_, share)| (share.low, share.high)).collect();
            series.push(line);
        }
        let at = self.threshold;
        series.push(LabelledSeries::reference(format!("aged {at}"), vec![(at, 0.0), (at, 1.0)]));
        // The first and the last curve are moved a little to the side.
        let (from, to) = (self.ages.start().floor() - 1.0, self.ages.end() + 1.0);
        let chart = line_chart(
            &ChartArea {
                name: &self.name,
                title: &self.title,
                caption: self.caption,
                words: &words.join(". "),
            },
            (Axis::linear("True age, years", from, to), Axis::share(self.share, 0.0, 1.0)),
            &series,
            self.free,
        )?;
        Ok(Some(chart))
    }
}

/// The largest groups of a column, with a name that says how many faces they have.
fn largest_groups<'a>(
    faces: &'a [(SubjectColumns, AgeMeasurement)],
    column: &str,
) -> Vec<(String, Vec<&'a AgeMeasurement>)> {
    let mut groups = BTreeMap::<&str, Vec<&AgeMeasurement>>::new();
    for (columns, face) in faces {
        if let Some(value) = columns.get(column).filter(|value| !value.is_empty()) {
            groups.entry(value).or_default().push(face);
        }
    }
    let mut largest: Vec<_> = groups.into_iter().collect();
    largest.sort_by_key(|(_, faces)| std::cmp::Reverse(faces.len()));
    largest.truncate(MAX_SERIES);
    largest.into_iter().map(|(value, faces)| (format!("{value} (n = {})", faces.len()), faces)).collect()
}

/// Who passes the threshold and who is refused at the age of majority, by true age: everybody, and by group.
fn pass_curves(
    at: &AgeThresholdReport,
    faces: &[(SubjectColumns, AgeMeasurement)],
    columns: &[String],
) -> anyhow::Result<Vec<Chart>> {
    const CAPTION: &str =
        "Upright lines are 95 % intervals. Five years of age with fewer than five people are left out.";
    let (threshold, rate) = (f64::from(at.years), at.buffered.rate);
    let pass = |by: &str, title: &str| ShareCurve {
        name: format!("passes-at-{}{by}", at.years),
        title: format!("Age: who passes at {}{title}", at.years),
        caption: CAPTION,
        ages: (threshold - YEARS_AROUND_THRESHOLD).max(0.0)..=threshold + YEARS_AROUND_THRESHOLD,
        threshold,
        share: "Share that passes",
        free: FreeCorner::UpperLeft,
    };
    let refusal = |by: &str, title: &str| ShareCurve {
        name: format!("refused-at-{MAJORITY_AGE}{by}"),
        title: format!("Age: adults refused at {MAJORITY_AGE}{title}"),
        caption: CAPTION,
        ages: MAJORITY_AGE..=MAJORITY_AGE + YEARS_ABOVE_MAJORITY,
        threshold: MAJORITY_AGE,
        share: "Share that is refused",
        free: FreeCorner::UpperRight,
    };
    let passes = |face: &AgeMeasurement| face.years() >= threshold;
    let refused = |face: &AgeMeasurement| face.years() < MAJORITY_AGE;
    let everybody = || faces.iter().map(|(_, face)| face);
    let buffer = format!("with a buffer for {} %", rate * 100.0);
    let mut charts = Vec::new();

    let shown = pass("", "");
    let compared = shown.points(everybody(), passes).map(|points| ("compared".to_owned(), points));
    let buffered = shown
        .points(everybody(), |face| face.years() >= threshold + face.estimate.buffer(rate))
        .map(|points| (buffer.clone(), points));
    charts.extend(shown.draw(compared.into_iter().chain(buffered).collect())?);

    let shown = refusal("", "");
    let compared = shown.points(everybody(), refused).map(|points| ("compared".to_owned(), points));
    let buffered = shown
        .points(everybody(), |face| face.years() < MAJORITY_AGE + face.estimate.buffer(rate))
        .map(|points| (buffer, points));
    charts.extend(shown.draw(compared.into_iter().chain(buffered).collect())?);

    // Bands of age lie along the axis already.
    for column in columns.iter().filter(|column| *column != AGE_BAND_COLUMN) {
        let groups = largest_groups(faces, column);
        let (by, title) = (format!("-by-{column}"), format!(", by {column}"));
        let curves = |shown: &ShareCurve<'_>, holds: &dyn Fn(&AgeMeasurement) -> bool| {
            let curves = groups.iter().filter_map(|(name, faces)| {
                Some((name.clone(), shown.points(faces.iter().copied(), holds)?))
            });
            curves.collect::<Vec<_>>()
        };
        for (shown, holds) in [
            (pass(&by, &title), &passes as &dyn Fn(&AgeMeasurement) -> bool),
            (refusal(&by, &title), &refused),
        ] {
            let curves = curves(&shown, holds);
            // A single group has nothing to be compared with.
            if curves.len() >= 2 {
                charts.extend(shown.draw(curves)?);
            }
        }
    }
    Ok(charts)
}

fn coverage(report: &AgeReport) -> anyhow::Result<Chart> {
    let rows: Vec<DotRow> = report
        .coverage
        .iter()
        .map(|at| DotRow {
            label: format!("stated {:.0} %", at.stated * 100.0),
            value: at.measured.rate,
            interval: Some((at.measured.low, at.measured.high)),
            stated: Some(at.stated),
        })
        .collect();
    let words: Vec<String> = report
        .coverage
        .iter()
        .map(|at| format!("stated {:.0} %, measured {}", at.stated * 100.0, percent(&at.measured)))
        .collect();
    let around = ChartArea {
        name: "interval-coverage",
        title: "Age: people within the stated intervals",
        caption: "A dot is what was measured, with its 95 % interval, a cross what was stated.",
        words: &words.join("; "),
    };
    dot_chart(&around, Axis::share("Share of people inside", 0.0, 1.0), &rows, None)
}

fn probability(at: &AgeThresholdReport) -> anyhow::Result<Chart> {
    let filled: Vec<_> = at.probability.bins.iter().filter(|bin| bin.n > 0).collect();
    let mut measured =
        LabelledSeries::line("measured", filled.iter().map(|bin| (bin.stated, bin.measured.rate)).collect());
    measured.intervals = filled.iter().map(|bin| (bin.measured.low, bin.measured.high)).collect();
    let series = [measured, LabelledSeries::reference("as stated", vec![(0.0, 0.0), (1.0, 1.0)])];
    let words: Vec<String> = filled
        .iter()
        .map(|bin| format!("stated {:.0} %, measured {}", bin.stated * 100.0, percent(&bin.measured)))
        .collect();
    let caption = format!(
        "Brier score {:.3}: 0 is perfect, 0.25 is guessing. Upright lines are intervals.",
        at.probability.brier
    );
    let name = format!("probability-at-{}", at.years);
    let title = format!("Age: P(age >= {}), stated and measured", at.years);
    line_chart(
        &ChartArea { name: &name, title: &title, caption: &caption, words: &words.join("; ") },
        (Axis::share("Stated probability", 0.0, 1.0), Axis::share("Measured share", 0.0, 1.0)),
        &series,
        FreeCorner::LowerRight,
    )
}

fn buffer(at: &AgeThresholdReport) -> anyhow::Result<Chart> {
    let buffered = &at.buffered;
    let label = |band: &RefusalBand| {
        let years =
            band.below.map_or_else(|| format!("{}+", band.from), |below| format!("{} to {below}", band.from));
        format!("{years} years (n = {})", band.n)
    };
    let rows: Vec<DotRow> = buffered
        .refused_by_years_above
        .iter()
        .filter(|band| band.n > 0)
        .map(|band| DotRow {
            label: label(band),
            value: band.measured.rate,
            interval: Some((band.measured.low, band.measured.high)),
            stated: Some(band.stated),
        })
        .collect();
    let words: Vec<String> = buffered
        .refused_by_years_above
        .iter()
        .map(|band| format!("{} above: {}", label(band), percent(&band.measured)))
        .collect();
    let caption = "People who are old enough and are refused, by how many years above the threshold they are. A cross is \
                   what follows from the stated errors.";
    let name = format!("buffer-at-{}", at.years);
    let title = format!("Age: refused at {} with a buffer for {} %", at.years, buffered.rate * 100.0);
    let around = ChartArea { name: &name, title: &title, caption, words: &words.join("; ") };
    dot_chart(&around, Axis::share("Share refused", 0.0, 1.0), &rows, None)
}

/// What the threshold and the buffer do to all people.
fn buffer_rates(at: &AgeThresholdReport) -> Markup {
    let buffered = &at.buffered;
    let numbers = tiles(&[
        ("Without a buffer, younger people who pass", percent(&at.false_positive_rate)),
        ("others who fail", percent(&at.false_negative_rate)),
        ("Mean buffer", format!("{:.1} years, for {:.1} %", buffered.buffer, buffered.rate * 100.0)),
        ("With it, younger people who pass", percent(&buffered.false_positive_rate)),
        ("others who are refused", percent(&buffered.refused_adults)),
    ]);
    html! {
        p {
            "An estimate passes only where it exceeds the threshold by a buffer, which is larger for faces that are hard \
             to judge. That keeps younger people out, and refuses some who are old enough."
        }
        (numbers)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::age::EvaluateAgeArgs;
    use clap::Parser as _;
    use vision::AgeEstimate;

    #[derive(clap::Parser)]
    struct Command {
        #[command(flatten)]
        age: EvaluateAgeArgs,
    }

    /// 400 people of 15 to 74 years, whose estimates are off by up to six years.
    fn synthetic_faces() -> Vec<(SubjectColumns, AgeMeasurement)> {
        let mut rng = SeededRng::new(5);
        let face = |at: usize| {
            let truth = 15.0 + (at % 60) as f64 + rng.share();
            let years = (truth + rng.share() * 12.0 - 6.0) as f32;
            let estimate =
                AgeEstimate { years, st_dev: 4.0, low80: years - 5.1, high80: years + 5.1, spread: 0.0 };
            let columns = [
                ("sex", ["F", "M"][at % 2]),
                ("ethnicity", ["one", "another", "third"][at % 3]),
                ("half", ["fit", "held-out"][at / 7 % 2]),
                ("gender", ["Female", "Male"][at % 2]),
                ("group", ["Black", "Indian", "White"][at % 3]),
                ("age band", crate::age::age_band(truth)),
            ];
            let columns = columns.map(|(name, value)| (name.to_owned(), value.to_owned()));
            (SubjectColumns::from(columns), AgeMeasurement { truth, estimate })
        };
        (0..400).map(face).collect()
    }

    /// A report on people who are drawn by lot.
    pub(crate) fn synthetic_report(threshold: u8) -> HtmlReport {
        let faces = synthetic_faces();
        let threshold = threshold.to_string();
        let Command { age } = Command::parse_from(["age", "--labels", "none.csv", "--threshold", &threshold]);
        let columns = ["sex", "ethnicity", "age band", "half", "gender", "group"].map(str::to_owned);
        let report = age.report(0.05, faces.len(), BTreeMap::new(), &faces, &columns);
        let mut file = HtmlReport::headless("age");
        add_sections(&mut file, &report, &faces, &columns).unwrap();
        file
    }

    #[test]
    fn shares_by_true_age_are_those_of_the_people() {
        let faces = synthetic_faces();
        let curve = ShareCurve {
            name: String::new(),
            title: String::new(),
            caption: "",
            ages: 18.0..=40.0,
            threshold: 25.0,
            share: "",
            free: FreeCorner::UpperLeft,
        };
        let all = || faces.iter().map(|(_, face)| face);
        let points = curve.points(all(), |face| face.years() >= 25.0).unwrap();
        let ages: Vec<f64> =
            points.iter().map(|(age, _)| (age / AGE_BIN_YEARS).floor() * AGE_BIN_YEARS).collect();
        assert_eq!(ages, [15.0, 20.0, 25.0, 30.0, 35.0], "nobody below 18 or above 40");
        let shares: Vec<f64> = points.iter().map(|(_, share)| share.rate).collect();
        assert!(shares.is_sorted() && shares[1] < 0.5 && shares[2] > 0.5 && shares[4] == 1.0, "{shares:?}");
        let old = ShareCurve { ages: 60.0..=75.0, ..curve };
        assert!(old.points(all(), |_| true).is_none(), "nobody is near the threshold");
    }

    #[test]
    fn bins_of_few_people_are_left_out() {
        let faces = synthetic_faces();
        assert!(age_bins(faces.iter().take(4).map(|(_, face)| face)).is_empty());
        assert_eq!(age_bins(faces.iter().take(5).map(|(_, face)| face)).len(), 1);
    }
}
