//! The report on robustness as a file.

use super::{DegradationReport, DegradedEstimate, RobustnessReport, SamplePicture, degradation::Degradation};
use crate::{
    EvaluationSettings,
    html_report::{
        Axis, Chart, ChartArea, FreeCorner, HtmlReport, LabelledSeries, line_chart, table, thumbnail, tiles,
    },
};
use base::Picture;
use maud::{Markup, html};
use std::{collections::BTreeMap, path::Path};
use vision::model_manifest::ModelTask;

/// Longer side of a picture in a strip, pixels.
const STRIP_PICTURE_SIDE: u32 = 128;

/// One person's picture in all degrees of all degradations.
pub(super) struct DegradationStrip {
    /// Estimated age of the picture as it is, years.
    undegraded_years: f64,
    /// By degradation: a picture for each degree, with what became of it in words.
    rows: Vec<(&'static str, Vec<Markup>)>,
}

impl DegradationStrip {
    pub(super) fn new(sample: &SamplePicture) -> Self {
        let years = sample.undegraded.age.map_or(f64::NAN, |age| age.years.into());
        Self { undegraded_years: years, rows: Vec::new() }
    }

    /// Adds a degree. `refused` are the reasons for which the gate refused it.
    pub(super) fn add(
        &mut self,
        degradation: &Degradation,
        degree: f32,
        degraded: &Picture,
        estimate: Option<&DegradedEstimate>,
        refused: &BTreeMap<String, usize>,
    ) -> anyhow::Result<()> {
        let outcome = estimate.map_or_else(
            || refused.keys().cloned().collect::<Vec<_>>().join(", "),
            |estimate| format!("{:.0} ± {:.0} years", estimate.years, estimate.st_dev),
        );
        let words = format!("{} {degree} {}: {outcome}", degradation.name, degradation.unit);
        let figure = html! {
            figure {
                (thumbnail(degraded, STRIP_PICTURE_SIDE, &words)?)
                figcaption { (degree) br; (outcome) }
            }
        };
        match self.rows.last_mut() {
            Some((name, figures)) if *name == degradation.name => figures.push(figure),
            _ => self.rows.push((degradation.name, vec![figure])),
        }
        Ok(())
    }

    fn markup(&self) -> Markup {
        html! {
            p { "As it is, this face is estimated at " (format!("{:.0}", self.undegraded_years)) " years." }
            @for (name, figures) in &self.rows {
                h3 { (name) }
                div.strip { @for figure in figures { (figure) } }
            }
        }
    }
}

pub(super) fn report(
    folder: &Path,
    settings: &EvaluationSettings,
    report: &RobustnessReport,
    strips: &[DegradationStrip],
) -> anyhow::Result<HtmlReport> {
    let labels = folder.join("labels.csv");
    let tasks = [ModelTask::Detect, ModelTask::Age];
    let mut file = HtmlReport::new(
        ("robustness", "Robustness of age estimation"),
        format!("{} faces, degraded by simulation", report.faces_found),
        &labels,
        settings,
        &tasks,
    )?;
    file.fact("Pictures", &report.pictures);
    file.fact("Faces measured", &report.faces_found);
    for (reason, count) in &report.refused {
        file.fact("Refused", &format!("{count}: {reason}"));
    }
    let mut numbers =
        vec![("Mean stated error, as they are", format!("{:.1} years", report.unharmed.st_dev))];
    if let Some(errors) = &report.unharmed.errors {
        numbers.push(("Mean absolute error, as they are", format!("{:.2} years", errors.mae)));
    }
    file.section(
        "Degrees of harm",
        "Good pictures were made worse on purpose. A picture that says less should be refused, or its answer should state a \
         larger error; an age that moves much with no larger stated error is the worst that can happen. This shows how the \
         models react, not how often such pictures occur.",
        &html! { (tiles(&numbers)) },
    );
    for harm in &report.harms {
        let charts = file.charts(charts(report, harm)?);
        file.section(harm.harm, "", &html! { (charts) (degrees(harm)) });
    }
    for strip in strips {
        file.section("One person in all degrees", "", &strip.markup());
    }
    Ok(file)
}

/// How far the estimate moves and the stated error by degree, and how many pictures are refused.
fn charts(report: &RobustnessReport, harm: &DegradationReport) -> anyhow::Result<Vec<Chart>> {
    let place = |at: usize| at as f64;
    let passed: Vec<(usize, _)> = harm.rows.iter().enumerate().filter(|(_, row)| row.refused < 1.0).collect();
    let mut moved = vec![(0.0, 0.0)];
    moved.extend(passed.iter().map(|(at, row)| (place(at + 1), row.moved_by)));
    let mut stated = vec![(0.0, report.unharmed.st_dev)];
    stated.extend(passed.iter().map(|(at, row)| (place(at + 1), row.st_dev)));
    let refused: Vec<(f64, f64)> = std::iter::once((0.0, 0.0))
        .chain(harm.rows.iter().enumerate().map(|(at, row)| (place(at + 1), row.refused)))
        .collect();
    // Room above the lines for their names.
    let highest = moved.iter().chain(&stated).map(|&(_, years)| years).fold(5.0, f64::max) * 1.35;
    let steps: Vec<String> = std::iter::once("as it is".to_owned())
        .chain(harm.rows.iter().map(|row| row.degree.to_string()))
        .collect();
    let axis = format!("Degree: {}", harm.unit);
    let at = |series: &[(f64, f64)]| -> String {
        series.iter().map(|(_, years)| format!("{years:.1}")).collect::<Vec<_>>().join(", ")
    };
    let words = format!(
        "{}, from the picture as it is to the worst degree that passes: the estimate moved by {} years; the stated error is {} years",
        harm.harm,
        at(&moved),
        at(&stated)
    );
    let (name, title) = (format!("{}-age", harm.harm), format!("Robustness: estimated age, {}", harm.harm));
    let years = line_chart(
        &ChartArea {
            name: &name,
            title: &title,
            caption: "Of pictures that were not refused.",
            words: &words,
        },
        (Axis::steps(&axis, &steps), Axis::linear("Years", 0.0, highest)),
        &[
            LabelledSeries::line("estimate moved by", moved),
            LabelledSeries::line("stated error (st_dev)", stated),
        ],
        FreeCorner::UpperLeft,
    )?;
    let shares: Vec<String> = refused.iter().map(|(_, share)| format!("{:.0} %", share * 100.0)).collect();
    let words =
        format!("{}: refused by degree, from the picture as it is on: {}", harm.harm, shares.join(", "));
    let (name, title) =
        (format!("{}-refused", harm.harm), format!("Robustness: pictures refused, {}", harm.harm));
    let gate = line_chart(
        &ChartArea {
            name: &name,
            title: &title,
            caption: "Share of pictures that were refused.",
            words: &words,
        },
        (Axis::steps(&axis, &steps), Axis::share("Refused", 0.0, 1.0)),
        &[LabelledSeries::line("refused", refused)],
        FreeCorner::UpperLeft,
    )?;
    Ok(vec![years, gate])
}

/// The table of a harm.
fn degrees(harm: &DegradationReport) -> Markup {
    let rows = harm.rows.iter().map(|row| {
        let reasons: Vec<String> =
            row.reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        let passed = |text: String| if row.refused < 1.0 { text } else { "-".to_owned() };
        vec![
            format!("{} {}", row.degree, harm.unit),
            row.n.to_string(),
            format!("{:.0} %", row.refused * 100.0),
            passed(format!("{:+.1}", row.moved)),
            passed(format!("{:.1}", row.moved_by)),
            passed(format!("{:.1}", row.st_dev)),
            reasons.join(", "),
        ]
    });
    let columns = ["Degree", "n", "Refused", "Moved, years", "Moved by, years", "Stated error", "Reasons"];
    table(&columns, rows)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::robustness::{DegreeReport, degradation::SIMULATED_DEGRADATIONS, row};

    /// The figures of every harm, as if each degree moved the estimate by two years.
    pub(crate) fn synthetic_report() -> HtmlReport {
        let at_degree = |degree: f32, moved_by: f64| DegreeReport {
            moved_by,
            st_dev: 7.0 + moved_by / 4.0,
            refused: moved_by / 40.0,
            ..row(degree, 30, &[], BTreeMap::new())
        };
        let harms = SIMULATED_DEGRADATIONS.iter().map(|degradation| DegradationReport {
            harm: degradation.name,
            unit: degradation.unit,
            rows: degradation
                .degrees
                .iter()
                .zip(1..)
                .map(|(&degree, at)| at_degree(degree, 2.0 * f64::from(at)))
                .collect(),
        });
        let report = RobustnessReport {
            pictures: 30,
            faces_found: 30,
            refused: BTreeMap::new(),
            unharmed: at_degree(0.0, 0.0),
            harms: harms.collect(),
        };
        let mut file = HtmlReport::headless("robustness");
        for harm in &report.harms {
            file.charts(charts(&report, harm).unwrap());
        }
        file
    }
}
