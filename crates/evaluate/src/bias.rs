//! The bias table: the same figures for every group of people or pictures, the worst and the best group, the spread
//! between them, and how often a spread that large arises by chance (a permutation test).

use super::statistics::{SeededRng, round, wilson_interval};
use crate::{
    html_report::{self, Axis, Chart, ChartArea, DotRow, HtmlReport, dot_chart},
    output,
};
use anyhow::bail;
use maud::{Markup, html};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

/// Options for grouping.
#[derive(clap::Args)]
pub(super) struct GroupArgs {
    /// Group by these columns. Default: every further column with few values.
    #[arg(long, value_name = "COLUMN", num_args = 1.., value_delimiter = ',')]
    groups: Vec<String>,
    /// Print Markdown instead of a table.
    #[arg(long, conflicts_with = "json")]
    pub(super) markdown: bool,
}

/// The columns of one subject: name to value.
pub(super) type SubjectColumns = BTreeMap<String, String>;

/// A figure that is computed for every group of subjects `S`.
pub(super) struct GroupFigure<S> {
    /// Name in JSON.
    pub(super) key: &'static str,
    /// Heading in tables.
    pub(super) title: &'static str,
    /// Heading of a chart, in words that need no text around them.
    pub(super) heading: &'static str,
    pub(super) unit: FigureUnit,
    pub(super) rank: FigureRanking,
    /// The value that it should have, drawn as a line across all groups.
    pub(super) reference: Option<f64>,
    /// Computes the value, and the number of subjects that it rests on; 0 where it is undefined. Of a single subject that is 1 if
    /// the value rests on it.
    pub(super) compute: fn(&[&S]) -> (f64, usize),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum FigureUnit {
    Years,
    /// Years with a sign.
    Off,
    /// A share, shown in percent.
    Share,
    Distance,
    Count,
}

/// Which group is the worst.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum FigureRanking {
    /// None: the figure is only shown.
    Unranked,
    /// That with the greatest value.
    LowestIsBest,
    /// That with the value farthest from 0.
    NearestToZeroIsBest,
}

/// The groups of one column.
#[derive(Serialize)]
pub(super) struct GroupColumn {
    column: String,
    groups: Vec<GroupRow>,
    /// By figure: the comparison of the groups that are large enough for it.
    compared: BTreeMap<&'static str, GroupComparison>,
}

#[derive(Serialize)]
struct GroupRow {
    value: String,
    n: usize,
    #[serde(flatten)]
    figures: BTreeMap<&'static str, Option<f64>>,
    /// The ends of the 95 % confidence interval, by figure; for figures that have one and groups that are large enough.
    intervals: BTreeMap<&'static str, [f64; 2]>,
    /// The number of subjects that each figure rests on, which may be a part of the group.
    #[serde(skip)]
    counts: BTreeMap<&'static str, usize>,
}

#[derive(Serialize)]
struct GroupComparison {
    worst: String,
    at: f64,
    best: String,
    /// Difference between the greatest and the lowest value.
    spread: f64,
    /// Share of random groups of the same sizes whose spread is at least as large.
    by_chance: f64,
}

/// Fewest subjects of a group for a comparison.
pub(super) const MIN_GROUP_SIZE: usize = 5;

/// Most samples that the bootstrap draws for an interval, and most subjects that it draws for it in all.
const MAX_BOOTSTRAP_SAMPLES: usize = 400;
const MAX_DRAWN_SUBJECTS: usize = 4_000_000;

/// Most permutations for a comparison, and most subjects that are permuted for it in all.
const MAX_PERMUTATIONS: usize = 999;
const MAX_PERMUTED_SUBJECTS: usize = 20_000_000;

impl GroupArgs {
    /// The columns to group by: the chosen ones, or by default `computed` (columns that the command adds itself) and
    /// those with few values. An error where a chosen column does not exist.
    pub(super) fn columns<'a>(
        &self,
        rows: impl Iterator<Item = &'a SubjectColumns>,
        computed: &[&str],
    ) -> anyhow::Result<Vec<String>> {
        let rows: Vec<&SubjectColumns> = rows.collect();
        let given = rows.first().into_iter().flat_map(|row| row.keys());
        let computed = computed.iter().map(|&name| name.to_owned());
        if self.groups.is_empty() {
            return Ok(computed.chain(given.filter(|column| has_groups(column, &rows)).cloned()).collect());
        }
        let known: Vec<String> = computed.chain(given.cloned()).collect();
        if let Some(name) = self.groups.iter().find(|name| !known.contains(name)) {
            bail!("there is no column `{name}` to group by; there are: {}", known.join(", "));
        }
        Ok(self.groups.clone())
    }
}

/// Columns with more values are not grouped by, because they identify people rather than groups.
const MAX_GROUPS_PER_COLUMN: usize = 20;

/// Whether a column divides the rows into groups: at least two values, and few.
fn has_groups(column: &str, rows: &[&SubjectColumns]) -> bool {
    let values: BTreeSet<&String> = rows.iter().filter_map(|row| row.get(column)).collect();
    (2..=MAX_GROUPS_PER_COLUMN).contains(&values.len()) && values.len() * 2 <= rows.len()
}

/// Computes the figures of every group of every column.
pub(super) fn table<S>(
    subjects: &[(SubjectColumns, S)],
    columns: &[String],
    figures: &[GroupFigure<S>],
) -> Vec<GroupColumn> {
    columns.iter().map(|column| one_column(subjects, column, figures)).collect()
}

fn one_column<S>(subjects: &[(SubjectColumns, S)], column: &str, figures: &[GroupFigure<S>]) -> GroupColumn {
    let mut members = BTreeMap::<&str, Vec<&S>>::new();
    for (columns, subject) in subjects {
        // Subjects without a value belong to no group.
        if let Some(value) = columns.get(column).filter(|value| !value.is_empty()) {
            members.entry(value).or_default().push(subject);
        }
    }
    let value_of = |figure: &GroupFigure<S>, members: &[&S]| {
        let (value, count) = (figure.compute)(members);
        (count > 0 && value.is_finite()).then_some(value)
    };
    let groups = members.iter().map(|(value, members)| GroupRow {
        value: (*value).to_owned(),
        n: members.len(),
        figures: figures.iter().map(|figure| (figure.key, value_of(figure, members).map(round))).collect(),
        intervals: figures
            .iter()
            .filter_map(|figure| Some((figure.key, confidence_interval(figure, members)?.map(round))))
            .collect(),
        counts: figures.iter().map(|figure| (figure.key, (figure.compute)(members).1)).collect(),
    });
    let compared = figures.iter().filter(|figure| figure.rank != FigureRanking::Unranked);
    let compared = compared.filter_map(|figure| Some((figure.key, compare(figure, &members)?)));
    GroupColumn { column: column.to_owned(), groups: groups.collect(), compared: compared.collect() }
}

/// The 95 % confidence interval of a figure: Wilson's for a share, and the percentiles of the bootstrap for a mean. `None`
/// for counts, and for groups that are too small.
fn confidence_interval<S>(figure: &GroupFigure<S>, members: &[&S]) -> Option<[f64; 2]> {
    let (value, count) = (figure.compute)(members);
    if count < MIN_GROUP_SIZE || !value.is_finite() || figure.unit == FigureUnit::Count {
        return None;
    }
    if figure.unit == FigureUnit::Share {
        let interval = wilson_interval((value * count as f64).round() as usize, count);
        return Some([interval.low, interval.high]);
    }
    let samples = (MAX_DRAWN_SUBJECTS / members.len()).clamp(99, MAX_BOOTSTRAP_SAMPLES);
    let mut rng = SeededRng::new(members.len() as u64);
    let mut values: Vec<f64> = (0..samples)
        .filter_map(|_| {
            let drawn: Vec<&S> =
                members.iter().map(|_| members[(rng.share() * members.len() as f64) as usize]).collect();
            let (value, count) = (figure.compute)(&drawn);
            (count > 0).then_some(value)
        })
        .collect();
    values.sort_by(f64::total_cmp);
    let at =
        |share: f64| values.get((share * (values.len().saturating_sub(1)) as f64).round() as usize).copied();
    Some([at(0.025)?, at(0.975)?])
}

/// Compares the groups by a figure; `None` where fewer than two are large enough.
fn compare<S>(figure: &GroupFigure<S>, members: &BTreeMap<&str, Vec<&S>>) -> Option<GroupComparison> {
    let compared: Vec<(&str, f64, Vec<&S>)> = members
        .iter()
        .filter_map(|(value, members)| {
            // Only those that the figure rests on: shuffled with the others, they would make groups of other sizes.
            let counted: Vec<&S> =
                members.iter().copied().filter(|&member| (figure.compute)(&[member]).1 > 0).collect();
            let (at, count) = (figure.compute)(&counted);
            (count >= MIN_GROUP_SIZE).then_some((*value, at, counted))
        })
        .collect();
    if compared.len() < 2 {
        return None;
    }
    let badness = |at: f64| if figure.rank == FigureRanking::NearestToZeroIsBest { at.abs() } else { at };
    let worst = compared.iter().max_by(|a, b| badness(a.1).total_cmp(&badness(b.1)))?;
    let best = compared.iter().min_by(|a, b| badness(a.1).total_cmp(&badness(b.1)))?;
    let spread = |values: &[f64]| {
        let (low, high) = (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max));
        high.zip(low).map_or(0.0, |(high, low)| high - low)
    };
    let found = spread(&compared.iter().map(|(_, at, _)| *at).collect::<Vec<_>>());

    // Permutation test: these subjects are shuffled and divided into groups of the same sizes.
    let sizes: Vec<usize> = compared.iter().map(|(.., members)| members.len()).collect();
    let mut pool: Vec<&S> = compared.iter().flat_map(|(.., members)| members.iter().copied()).collect();
    let permutations = (MAX_PERMUTED_SUBJECTS / pool.len()).clamp(99, MAX_PERMUTATIONS);
    let mut rng = SeededRng::new(pool.len() as u64);
    let mut as_large = 0;
    for _ in 0..permutations {
        rng.shuffle(&mut pool);
        let mut rest = pool.as_slice();
        let values: Vec<f64> = sizes
            .iter()
            .filter_map(|&size| {
                let (group, others) = rest.split_at(size);
                rest = others;
                let (at, count) = (figure.compute)(group);
                (count > 0).then_some(at)
            })
            .collect();
        as_large += usize::from(spread(&values) >= found - 1e-12);
    }
    Some(GroupComparison {
        worst: worst.0.to_owned(),
        at: round(worst.1),
        best: best.0.to_owned(),
        spread: round(found),
        by_chance: round((1 + as_large) as f64 / (1 + permutations) as f64),
    })
}

/// Formats a value in its unit; `-` where there is none.
pub(super) fn format_figure(value: Option<f64>, unit: FigureUnit) -> String {
    let Some(value) = value else { return "-".to_owned() };
    match unit {
        FigureUnit::Years => format!("{value:.1}"),
        FigureUnit::Off => format!("{value:+.1}"),
        FigureUnit::Share => format!("{:.1} %", value * 100.0),
        FigureUnit::Distance => format!("{value:.3}"),
        FigureUnit::Count => format!("{value:.0}"),
    }
}

/// Prints a table for each column.
pub(super) fn print<S>(columns: &[GroupColumn], figures: &[GroupFigure<S>], markdown: bool) {
    for column in columns {
        let text = if markdown { markdown_table(column, figures) } else { text_table(column, figures) };
        output::line(format_args!("\n{text}"));
    }
}

fn text_table<S>(column: &GroupColumn, figures: &[GroupFigure<S>]) -> String {
    let mut text = format!("{:<24} {:>6}", column.column, "n");
    for figure in figures {
        write!(text, " {:>14}", figure.title).expect("a text grows");
    }
    for GroupRow { value, n, figures: found, .. } in &column.groups {
        write!(text, "\n{value:<24} {n:>6}").expect("a text grows");
        for figure in figures {
            let cell = format_figure(found.get(figure.key).copied().flatten(), figure.unit);
            write!(text, " {cell:>14}").expect("a text grows");
        }
    }
    write_comparisons(&mut text, column, figures, "");
    text
}

fn markdown_table<S>(column: &GroupColumn, figures: &[GroupFigure<S>]) -> String {
    let titles = figures.iter().map(|figure| figure.title);
    let titles: Vec<&str> = [column.column.as_str(), "n"].into_iter().chain(titles).collect();
    let mut text = markdown_head(&titles);
    for GroupRow { value, n, figures: found, .. } in &column.groups {
        write!(text, "\n| {} | {n} |", escape_cell(value)).expect("a text grows");
        for figure in figures {
            let shown = format_figure(found.get(figure.key).copied().flatten(), figure.unit);
            write!(text, " {shown} |").expect("a text grows");
        }
    }
    text.push('\n');
    write_comparisons(&mut text, column, figures, "- ");
    text
}

/// The head of a Markdown table with a column of text followed by columns of numbers.
pub(super) fn markdown_head(titles: &[&str]) -> String {
    let titles: Vec<String> = titles.iter().map(|title| escape_cell(title)).collect();
    format!("| {} |\n|---|{}", titles.join(" | "), "---:|".repeat(titles.len().saturating_sub(1)))
}

/// Escapes a text for a cell of a Markdown table.
fn escape_cell(text: &str) -> String {
    text.replace(['\n', '\r'], " ").replace('|', "\\|")
}

/// A line for each compared figure.
fn comparisons<S>(column: &GroupColumn, figures: &[GroupFigure<S>]) -> Vec<String> {
    let compared = figures.iter().filter_map(|figure| Some((figure, column.compared.get(figure.key)?)));
    let words = compared.map(|(figure, found)| {
        let unit = if figure.unit == FigureUnit::Off { FigureUnit::Years } else { figure.unit };
        format!(
            "{}: worst {} ({}), best {}, spread {}; random groups of the same sizes differ this much in {:.1} % of trials",
            figure.title,
            found.worst,
            format_figure(Some(found.at), figure.unit),
            found.best,
            format_figure(Some(found.spread), unit),
            found.by_chance * 100.0
        )
    });
    words.collect()
}

/// Appends a line for each compared figure.
fn write_comparisons<S>(text: &mut String, column: &GroupColumn, figures: &[GroupFigure<S>], bullet: &str) {
    for line in comparisons(column, figures) {
        write!(text, "\n{bullet}{line}").expect("a text grows");
    }
}

/// The groups of each column as a table and as figures with intervals, which `report` takes.
pub(super) fn markup<S>(
    report: &mut HtmlReport,
    columns: &[GroupColumn],
    figures: &[GroupFigure<S>],
) -> anyhow::Result<Markup> {
    let mut parts = Vec::new();
    for column in columns {
        let titles = figures.iter().map(|figure| figure.title);
        let titles: Vec<&str> = [column.column.as_str(), "n"].into_iter().chain(titles).collect();
        let rows = column.groups.iter().map(|group| {
            let cells = figures
                .iter()
                .map(|figure| format_figure(group.figures.get(figure.key).copied().flatten(), figure.unit));
            [group.value.clone(), group.n.to_string()].into_iter().chain(cells).collect()
        });
        let table = html_report::table(&titles, rows);
        let charts: Vec<Chart> = figures
            .iter()
            .filter_map(|figure| column.chart(figure).transpose())
            .collect::<anyhow::Result<_>>()?;
        let charts = report.charts(charts);
        parts.push(html! {
            h3 { "By " (column.column) }
            (charts)
            (table)
            ul { @for line in comparisons(column, figures) { li { (line) } } }
        });
    }
    Ok(html! { @for part in parts { (part) } })
}

impl GroupColumn {
    /// A figure of the groups that have an interval for it; `None` where fewer than two have.
    fn chart<S>(&self, figure: &GroupFigure<S>) -> anyhow::Result<Option<Chart>> {
        let rows: Vec<DotRow> = self
            .groups
            .iter()
            .filter_map(|group| {
                let value = group.figures.get(figure.key).copied().flatten()?;
                let [low, high] = *group.intervals.get(figure.key)?;
                let label = format!("{} (n = {})", group.value, group.counts.get(figure.key)?);
                Some(DotRow { label, value, interval: Some((low, high)), stated: None })
            })
            .collect();
        if rows.len() < 2 {
            return Ok(None);
        }
        let ends = rows.iter().flat_map(|row| {
            [row.value]
                .into_iter()
                .chain(row.interval.map(|(low, _)| low))
                .chain(row.interval.map(|(_, high)| high))
                .chain(figure.reference)
        });
        let (low, high) = ends.fold((0.0_f64, 0.0_f64), |(low, high), end| (low.min(end), high.max(end)));
        let room = (high - low) * 0.06;
        let axis = match figure.unit {
            FigureUnit::Share => Axis::share(figure.title, 0.0, (high + room).min(1.0)),
            FigureUnit::Off => Axis::linear(figure.title, low - room, high + room),
            FigureUnit::Years | FigureUnit::Distance | FigureUnit::Count => {
                Axis::linear(figure.title, 0.0, high + room)
            }
        };
        let title = format!("{}, by {}", figure.heading, self.column);
        let shown = |value| format_figure(Some(value), figure.unit);
        let values = rows.iter().map(|row| match row.interval {
            Some((low, high)) => {
                format!("{}: {} ({} to {})", row.label, shown(row.value), shown(low), shown(high))
            }
            None => format!("{}: {}", row.label, shown(row.value)),
        });
        let words = format!("{title}: {}", values.collect::<Vec<_>>().join("; "));
        let mut caption = format!("Groups of {MIN_GROUP_SIZE} and more, with 95 % intervals.");
        if figure.reference.is_some() {
            caption.push_str(" The thin line is where it should be.");
        }
        let name = format!("{}-by-{}", figure.key, self.column);
        let around = ChartArea { name: &name, title: &title, caption: &caption, words: &words };
        Ok(Some(dot_chart(&around, axis, &rows, figure.reference)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::mean;

    const FIGURES: [GroupFigure<f64>; 1] = [GroupFigure {
        key: "error",
        title: "error",
        heading: "Error",
        unit: FigureUnit::Off,
        rank: FigureRanking::NearestToZeroIsBest,
        reference: Some(0.0),
        compute: |members| (mean(members.iter().map(|&&error| error)), members.len()),
    }];

    fn subjects(errors: impl Fn(usize) -> f64) -> Vec<(SubjectColumns, f64)> {
        let group =
            |at: usize| SubjectColumns::from([("side".to_owned(), ["left", "right"][at % 2].to_owned())]);
        (0..40).map(|at| (group(at), errors(at))).collect()
    }

    #[test]
    fn groups_that_differ_are_distinguished_from_groups_that_do_not() {
        let columns = ["side".to_owned()];
        let apart = table(&subjects(|at| if at % 2 == 0 { -6.0 } else { 1.0 }), &columns, &FIGURES);
        let found = &apart[0].compared["error"];
        assert_eq!((found.worst.as_str(), found.at, found.best.as_str()), ("left", -6.0, "right"));
        assert_eq!(found.spread, 7.0);
        assert!(found.by_chance < 0.01, "{}", found.by_chance);
        let alike = table(&subjects(|at| (at / 2 % 5) as f64), &columns, &FIGURES);
        assert!(alike[0].compared["error"].by_chance > 0.5);
    }

    #[test]
    fn a_figure_of_a_part_of_the_groups_is_compared_among_that_part() {
        // Whether a genuine pair was missed; `None` for impostor pairs, on which the figure does not rest.
        const MISSED: [GroupFigure<Option<bool>>; 1] = [GroupFigure {
            key: "missed",
            title: "missed",
            heading: "Missed",
            unit: FigureUnit::Share,
            rank: FigureRanking::LowestIsBest,
            reference: None,
            compute: |pairs| {
                let genuine: Vec<f64> = pairs.iter().filter_map(|pair| pair.map(f64::from)).collect();
                (mean(genuine.iter().copied()), genuine.len())
            },
        }];
        let group = |value: &str, genuine: usize, missed: usize, impostor: usize| {
            let columns = SubjectColumns::from([("side".to_owned(), value.to_owned())]);
            let pairs = (0..genuine).map(move |at| Some(at < missed));
            let pairs = pairs.chain(std::iter::repeat_n(None, impostor));
            pairs.map(|pair| (columns.clone(), pair)).collect::<Vec<_>>()
        };
        let pairs = [group("left", 10, 3, 990), group("right", 490, 49, 510)].concat();
        let found = table(&pairs, &["side".to_owned()], &MISSED).remove(0);
        let missed = &found.compared["missed"];
        assert_eq!((missed.worst.as_str(), missed.spread), ("left", 0.2));
        // One in ten is missed: three of ten and more come about in some 7 % of trials.
        assert!(missed.by_chance > 0.03, "{}", missed.by_chance);
        assert_eq!(found.groups.iter().map(|group| group.counts["missed"]).collect::<Vec<_>>(), [10, 490]);
        let mut report = HtmlReport::headless("missed");
        markup(&mut report, &[found], &MISSED).unwrap();
        let figures = report.written_figures();
        assert!(figures.values().any(|figure| figure.contains("left (n = 10)")), "{figures:?}");
    }

    #[test]
    fn intervals_hold_the_value_and_shrink_with_the_group() {
        let interval = |of: usize| {
            let all: Vec<f64> = (0..of).map(|at| (at % 10) as f64).collect();
            let members: Vec<&f64> = all.iter().collect();
            confidence_interval(&FIGURES[0], &members).unwrap()
        };
        let ([low, high], [inner_low, inner_high]) = (interval(20), interval(2000));
        assert!(low < inner_low && inner_low < 4.5 && 4.5 < inner_high && inner_high < high, "{low} {high}");
        // The standard error of the mean of 2,000 draws from 0 to 9 is 0.064.
        assert!((inner_high - inner_low - 4.0 * 0.064).abs() < 0.06, "{inner_low} {inner_high}");
        assert!(confidence_interval(&FIGURES[0], &[&1.0, &2.0]).is_none(), "too few");
    }

    #[test]
    fn small_groups_are_shown_and_not_compared() {
        let few = &subjects(|at| at as f64)[..7];
        let found = table(few, &["side".to_owned()], &FIGURES);
        assert_eq!(found[0].groups.iter().map(|group| group.n).collect::<Vec<_>>(), [4, 3]);
        assert!(found[0].compared.is_empty());
    }

    #[test]
    fn subjects_without_a_group_are_left_out() {
        let mut all = subjects(|_| 1.0);
        all[0].0.insert("side".to_owned(), String::new());
        all[1].0.clear();
        let found = table(&all, &["side".to_owned()], &FIGURES);
        assert_eq!(found[0].groups.iter().map(|group| group.n).sum::<usize>(), 38);
    }

    #[test]
    fn a_value_cannot_break_the_table() {
        let one = (SubjectColumns::from([("side".to_owned(), "a|b\nc".to_owned())]), 1.0);
        let found = table(&[one], &["side".to_owned()], &FIGURES);
        assert!(markdown_table(&found[0], &FIGURES).contains("\n| a\\|b c | 1 | +1.0 |"));
    }
}
