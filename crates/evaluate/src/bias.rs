//! The bias table: the same figures for every group of people or pictures, the worst and the best group, the spread
//! between them, and how often a spread that large arises by chance (a permutation test).

use super::statistics::{SeededRng, round};
use crate::output;
use anyhow::bail;
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
    pub(super) unit: FigureUnit,
    pub(super) rank: FigureRanking,
    /// Computes the value, and the number of subjects that it rests on; 0 where it is undefined.
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
    });
    let compared = figures.iter().filter(|figure| figure.rank != FigureRanking::Unranked);
    let compared = compared.filter_map(|figure| Some((figure.key, compare(figure, &members)?)));
    GroupColumn { column: column.to_owned(), groups: groups.collect(), compared: compared.collect() }
}

/// Compares the groups by a figure; `None` where fewer than two are large enough.
fn compare<S>(figure: &GroupFigure<S>, members: &BTreeMap<&str, Vec<&S>>) -> Option<GroupComparison> {
    let compared: Vec<(&str, f64, &[&S])> = members
        .iter()
        .filter_map(|(value, members)| {
            let (at, count) = (figure.compute)(members);
            (count >= MIN_GROUP_SIZE).then_some((*value, at, members.as_slice()))
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

    // Permutation test: all subjects are shuffled and divided into groups of the same sizes.
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
    for GroupRow { value, n, figures: found } in &column.groups {
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
    for GroupRow { value, n, figures: found } in &column.groups {
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

/// Appends a line for each compared figure.
fn write_comparisons<S>(text: &mut String, column: &GroupColumn, figures: &[GroupFigure<S>], bullet: &str) {
    for figure in figures {
        let Some(found) = column.compared.get(figure.key) else { continue };
        let unit = if figure.unit == FigureUnit::Off { FigureUnit::Years } else { figure.unit };
        write!(
            text,
            "\n{bullet}{}: worst {} ({}), best {}, spread {}; random groups of the same sizes differ this much in {:.1} % of trials",
            figure.title,
            found.worst,
            format_figure(Some(found.at), figure.unit),
            found.best,
            format_figure(Some(found.spread), unit),
            found.by_chance * 100.0
        )
        .expect("a text grows");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::mean;

    const FIGURES: [GroupFigure<f64>; 1] = [GroupFigure {
        key: "error",
        title: "error",
        unit: FigureUnit::Off,
        rank: FigureRanking::NearestToZeroIsBest,
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
