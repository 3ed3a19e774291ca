//! Figures of reports, as SVG. Each has words for those who do not see it, and tells its series apart by shape as well as
//! by colour.

use maud::{Markup, PreEscaped, html};
use plotters::{
    chart::{ChartBuilder, ChartContext, LabelAreaPosition, SeriesLabelPosition},
    coord::{
        Shift,
        cartesian::Cartesian2d,
        ranged1d::{
            IntoSegmentedCoord as _, KeyPointHint, NoDefaultFormatting, Ranged, SegmentValue, ValueFormatter,
        },
    },
    drawing::{DrawingArea, IntoDrawingArea as _},
    element::{Circle, Cross, PathElement, Rectangle, TriangleMarker},
    series::{DashedLineSeries, LineSeries},
    style::{Color as _, IntoFont as _, RGBColor, ShapeStyle, WHITE},
};
use plotters_svg::SVGBackend;
use statrs::function::erf::erf_inv;

/// Width and height of a figure in units of its own; it is scaled to the page.
const FIGURE_SIZE: (u32, u32) = (640, 400);
/// Height of a line of a chart with dots, and of what is above and below them.
const DOT_ROW_HEIGHT: u32 = 28;
const DOT_CHART_MARGIN: u32 = 64;

const INK: RGBColor = RGBColor(31, 36, 48);
const FAINT: RGBColor = RGBColor(212, 217, 226);
/// Colours that can be told apart without seeing red or green (Okabe and Ito, 2008).
const SERIES_COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 134, 98),
    RGBColor(170, 70, 130),
    RGBColor(120, 94, 0),
    RGBColor(31, 36, 48),
];

/// Words around a figure.
pub(crate) struct ChartArea<'a> {
    /// What stands below it.
    pub(crate) caption: &'a str,
    /// What it shows, for those who do not see it.
    pub(crate) words: &'a str,
}

/// How values lie along an axis.
#[derive(Clone, Copy)]
pub(crate) enum Scale {
    Linear,
    /// The distances of the normal distribution, as error rates are drawn (ISO/IEC 19795-1, DET curve). Shares of 0 and 1
    /// have no place on it and are moved to its ends.
    NormalDeviate,
}

/// An axis: its title and the values at its ends.
#[derive(Clone, Copy)]
pub(crate) struct Axis<'a> {
    title: &'a str,
    from: f64,
    to: f64,
    scale: Scale,
    unit: AxisUnit,
}

#[derive(Clone, Copy)]
enum AxisUnit {
    Plain,
    Share,
}

/// Ends and marks of axes for error rates.
const RATE_AXIS_ENDS: [f64; 2] = [0.000_5, 0.9];
const RATE_AXIS_MARKS: [f64; 10] = [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9];

impl<'a> Axis<'a> {
    /// Numbers with a unit that the title names.
    pub(crate) fn linear(title: &'a str, from: f64, to: f64) -> Self {
        Self { title, from, to: to.max(from + 1e-6), scale: Scale::Linear, unit: AxisUnit::Plain }
    }

    /// Shares, shown in percent.
    pub(crate) fn share(title: &'a str, from: f64, to: f64) -> Self {
        Self { unit: AxisUnit::Share, ..Self::linear(title, from, to) }
    }

    /// Error rates, in percent, along the distances of the normal distribution.
    pub(crate) fn error_rate(title: &'a str) -> Self {
        let [from, to] = RATE_AXIS_ENDS;
        Self { title, from, to, scale: Scale::NormalDeviate, unit: AxisUnit::Share }
    }

    /// Where a value lies.
    fn place(&self, value: f64) -> f64 {
        let within = value.clamp(self.from, self.to);
        match self.scale {
            Scale::Linear => within,
            Scale::NormalDeviate => normal_deviate(within),
        }
    }

    fn coordinates(&self) -> AxisCoordinates {
        let marks = match self.scale {
            Scale::NormalDeviate => RATE_AXIS_MARKS.map(normal_deviate).to_vec(),
            Scale::Linear => Vec::new(),
        };
        AxisCoordinates { from: self.place(self.from), to: self.place(self.to), marks }
    }

    fn format(&self, place: f64) -> String {
        let value = match self.scale {
            Scale::Linear => place,
            Scale::NormalDeviate => share_at_deviate(place),
        };
        match self.unit {
            AxisUnit::Plain => trim_number(value),
            AxisUnit::Share => format!("{} %", trim_number(value * 100.0)),
        }
    }
}

/// At most two decimals, and no more than are needed.
fn trim_number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The quantile of the normal distribution.
fn normal_deviate(share: f64) -> f64 {
    std::f64::consts::SQRT_2 * erf_inv(2.0 * share - 1.0)
}

fn share_at_deviate(deviate: f64) -> f64 {
    f64::midpoint(1.0, statrs::function::erf::erf(deviate / std::f64::consts::SQRT_2))
}

/// An axis as the library asks for it: with marks of its own, where the axis has them.
#[derive(Clone)]
struct AxisCoordinates {
    from: f64,
    to: f64,
    marks: Vec<f64>,
}

impl Ranged for AxisCoordinates {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.from) / (self.to - self.from);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if self.marks.is_empty() {
            let plain: plotters::coord::types::RangedCoordf64 = (self.from..self.to).into();
            return plain.key_points(hint);
        }
        self.marks.clone()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for AxisCoordinates {}

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<AxisCoordinates, AxisCoordinates>>;

/// Draws a figure of this size.
fn draw(
    around: &ChartArea<'_>,
    size: (u32, u32),
    paint: impl FnOnce(&Canvas<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Markup> {
    let mut svg = String::new();
    {
        let canvas = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        canvas.fill(&WHITE)?;
        paint(&canvas)?;
        canvas.present()?;
    }
    Ok(html! {
        figure {
            div role="img" aria-label=(around.words) { (PreEscaped(svg)) }
            figcaption { (around.caption) }
        }
    })
}

/// Axes, grid and titles.
fn axes<'a, 'b>(canvas: &'a Canvas<'b>, x: Axis<'_>, y: Axis<'_>) -> anyhow::Result<Chart<'a, 'b>> {
    let mut chart = ChartBuilder::on(canvas)
        .margin(14)
        .set_label_area_size(LabelAreaPosition::Left, 64)
        .set_label_area_size(LabelAreaPosition::Bottom, 48)
        .build_cartesian_2d(x.coordinates(), y.coordinates())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(FAINT)
        .axis_style(INK)
        .label_style(("sans-serif", 14).into_font().color(&INK))
        .axis_desc_style(("sans-serif", 15).into_font().color(&INK))
        .x_desc(x.title)
        .y_desc(y.title)
        .x_label_formatter(&|place| x.format(*place))
        .y_label_formatter(&|place| y.format(*place))
        .draw()?;
    Ok(chart)
}

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum SeriesShape {
    Line,
    /// A thin broken line: where values would lie if all were as stated.
    Reference,
}

/// Values with a name.
pub(crate) struct LabelledSeries {
    pub(crate) name: String,
    pub(crate) shape: SeriesShape,
    /// (x, y), in order of x.
    pub(crate) points: Vec<(f64, f64)>,
    /// Ends of the interval of each point's y; empty where there are none.
    pub(crate) intervals: Vec<(f64, f64)>,
}

impl LabelledSeries {
    pub(crate) fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), shape: SeriesShape::Line, points, intervals: Vec::new() }
    }

    pub(crate) fn reference(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { shape: SeriesShape::Reference, ..Self::line(name, points) }
    }
}

/// Marks of a series lie at most this many to a line, so that the line is seen.
const MAX_MARKS: usize = 24;

fn draw_series(
    chart: &mut Chart<'_, '_>,
    (x, y): (Axis<'_>, Axis<'_>),
    at: usize,
    series: &LabelledSeries,
) -> anyhow::Result<()> {
    let colour =
        if series.shape == SeriesShape::Reference { INK } else { SERIES_COLOURS[at % SERIES_COLOURS.len()] };
    let style = ShapeStyle { color: colour.to_rgba(), filled: true, stroke_width: 2 };
    let place = |&(horizontal, vertical): &(f64, f64)| (x.place(horizontal), y.place(vertical));
    let points: Vec<(f64, f64)> = series.points.iter().map(place).collect();
    if series.shape == SeriesShape::Reference {
        let thin = ShapeStyle { stroke_width: 1, ..style };
        chart
            .draw_series(DashedLineSeries::new(points, 5, 5, thin))?
            .label(series.name.clone())
            .legend(move |(left, top)| PathElement::new([(left, top), (left + 18, top)], thin));
        return Ok(());
    }
    chart.draw_series(LineSeries::new(points.clone(), style))?;
    for (&(left, _), &(low, high)) in points.iter().zip(&series.intervals) {
        let thin = ShapeStyle { stroke_width: 1, ..style };
        chart.draw_series([PathElement::new([(left, y.place(low)), (left, y.place(high))], thin)])?;
    }
    let marks = points.iter().copied().step_by(points.len().div_ceil(MAX_MARKS).max(1));
    // Each series has another mark.
    match at % 3 {
        0 => chart
            .draw_series(marks.map(|point| Circle::new(point, 4, style)))?
            .label(series.name.clone())
            .legend(move |(left, top)| Circle::new((left + 9, top), 4, style)),
        1 => chart
            .draw_series(marks.map(|point| TriangleMarker::new(point, 5, style)))?
            .label(series.name.clone())
            .legend(move |(left, top)| TriangleMarker::new((left + 9, top), 5, style)),
        _ => chart
            .draw_series(marks.map(|point| Cross::new(point, 4, style)))?
            .label(series.name.clone())
            .legend(move |(left, top)| Cross::new((left + 9, top), 4, style)),
    };
    Ok(())
}

fn draw_legend<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>, position: SeriesLabelPosition) -> anyhow::Result<()> {
    chart
        .configure_series_labels()
        .position(position)
        .margin(12)
        .legend_area_size(24)
        .label_font(("sans-serif", 14).into_font().color(&INK))
        .background_style(WHITE.mix(0.9))
        .border_style(FAINT)
        .draw()?;
    Ok(())
}

/// Lines over the same axes.
pub(crate) fn line_chart(
    around: &ChartArea<'_>,
    x: Axis<'_>,
    y: Axis<'_>,
    series: &[LabelledSeries],
) -> anyhow::Result<Markup> {
    draw(around, FIGURE_SIZE, |canvas| {
        let mut chart = axes(canvas, x, y)?;
        for (at, series) in series.iter().enumerate() {
            draw_series(&mut chart, (x, y), at, series)?;
        }
        // Curves of error rates leave the upper right corner free, those of shares the lower right one.
        let position = match y.scale {
            Scale::NormalDeviate => SeriesLabelPosition::UpperRight,
            Scale::Linear => SeriesLabelPosition::LowerRight,
        };
        if series.len() > 1 { draw_legend(&mut chart, position) } else { Ok(()) }
    })
}

/// A dot for each pair of values, with lines of reference.
pub(crate) fn scatter_chart(
    around: &ChartArea<'_>,
    x: Axis<'_>,
    y: Axis<'_>,
    points: &[(f64, f64)],
    references: &[LabelledSeries],
) -> anyhow::Result<Markup> {
    draw(around, (FIGURE_SIZE.0, FIGURE_SIZE.0), |canvas| {
        let mut chart = axes(canvas, x, y)?;
        let dot = ShapeStyle { color: SERIES_COLOURS[0].mix(0.45), filled: true, stroke_width: 0 };
        let placed = points.iter().map(|&(left, top)| Circle::new((x.place(left), y.place(top)), 3, dot));
        chart.draw_series(placed)?;
        for (at, reference) in references.iter().enumerate() {
            draw_series(&mut chart, (x, y), at, reference)?;
        }
        draw_legend(&mut chart, SeriesLabelPosition::UpperLeft)
    })
}

/// Counts of two kinds of values in bins of the same width, each as a share of its kind.
pub(crate) fn histogram(
    around: &ChartArea<'_>,
    x: Axis<'_>,
    kinds: &[(&str, &[f64])],
    marks: &[(String, f64)],
) -> anyhow::Result<Markup> {
    const BINS: usize = 40;
    let width = (x.to - x.from) / BINS as f64;
    let counted: Vec<Vec<f64>> = kinds
        .iter()
        .map(|(_, values)| {
            let mut counts = vec![0.0; BINS];
            for value in *values {
                let bin = ((value - x.from) / width).clamp(0.0, (BINS - 1) as f64) as usize;
                counts[bin] += 1.0 / values.len().max(1) as f64;
            }
            counts
        })
        .collect();
    let highest = counted.iter().flatten().copied().fold(0.0, f64::max);
    let y = Axis::share("Share of each", 0.0, highest * 1.15);
    draw(around, FIGURE_SIZE, |canvas| {
        let mut chart = axes(canvas, x, y)?;
        for (at, ((name, _), counts)) in kinds.iter().zip(&counted).enumerate() {
            let colour = SERIES_COLOURS[at % SERIES_COLOURS.len()];
            let fill = ShapeStyle { color: colour.mix(0.4), filled: true, stroke_width: 0 };
            let bars = counts.iter().enumerate().map(|(bin, &count)| {
                let left = x.from + bin as f64 * width;
                Rectangle::new([(left, 0.0), (left + width, count)], fill)
            });
            chart.draw_series(bars)?;
            let outline = counts.iter().enumerate().flat_map(|(bin, &count)| {
                let left = x.from + bin as f64 * width;
                [(left, count), (left + width, count)]
            });
            let line = ShapeStyle { color: colour.to_rgba(), filled: false, stroke_width: 2 };
            // The second kind is outlined by a broken line, so that both are told apart without colours.
            let drawn = if at == 0 {
                chart.draw_series(LineSeries::new(outline, line))?
            } else {
                chart.draw_series(DashedLineSeries::new(outline, 6, 4, line))?
            };
            drawn
                .label(*name)
                .legend(move |(left, top)| PathElement::new([(left, top), (left + 18, top)], line));
        }
        for (name, value) in marks {
            let points = vec![(*value, 0.0), (*value, y.to)];
            draw_series(&mut chart, (x, y), 0, &LabelledSeries::reference(name.clone(), points))?;
        }
        draw_legend(&mut chart, SeriesLabelPosition::UpperRight)
    })
}

/// A line of a chart with dots.
pub(crate) struct DotRow {
    pub(crate) label: String,
    pub(crate) value: f64,
    /// Ends of its interval.
    pub(crate) interval: Option<(f64, f64)>,
    /// What was stated before it was measured, drawn as a cross.
    pub(crate) stated: Option<f64>,
}

/// A value with its interval for each of several groups, below each other; `reference` is a line across all.
pub(crate) fn dot_chart(
    around: &ChartArea<'_>,
    x: Axis<'_>,
    rows: &[DotRow],
    reference: Option<f64>,
) -> anyhow::Result<Markup> {
    let height = DOT_CHART_MARGIN + DOT_ROW_HEIGHT * u32::try_from(rows.len())?;
    draw(around, (FIGURE_SIZE.0, height), |canvas| {
        let labels: Vec<String> = rows.iter().map(|row| shorten(&row.label)).collect();
        let last = i32::try_from(rows.len().saturating_sub(1))?;
        let mut chart = ChartBuilder::on(canvas)
            .margin(10)
            .set_label_area_size(LabelAreaPosition::Left, 190)
            .set_label_area_size(LabelAreaPosition::Bottom, 44)
            .build_cartesian_2d(x.coordinates(), (0..last).into_segmented())?;
        // The first row is at the top.
        let row_at = |number: i32| labels.get(usize::try_from(last - number).ok()?).cloned();
        chart
            .configure_mesh()
            .disable_y_mesh()
            .light_line_style(WHITE)
            .bold_line_style(FAINT)
            .axis_style(INK)
            .label_style(("sans-serif", 14).into_font().color(&INK))
            .axis_desc_style(("sans-serif", 15).into_font().color(&INK))
            .x_desc(x.title)
            .y_labels(rows.len())
            .x_label_formatter(&|place| x.format(*place))
            .y_label_formatter(&|row| match row {
                SegmentValue::Exact(number) | SegmentValue::CenterOf(number) => {
                    row_at(*number).unwrap_or_default()
                }
                SegmentValue::Last => String::new(),
            })
            .draw()?;
        let style = ShapeStyle { color: SERIES_COLOURS[0].to_rgba(), filled: true, stroke_width: 2 };
        let cross = ShapeStyle { color: SERIES_COLOURS[1].to_rgba(), filled: false, stroke_width: 2 };
        for (number, row) in (0..=last).rev().zip(rows) {
            let at = |value: f64| (x.place(value), SegmentValue::CenterOf(number));
            if let Some((low, high)) = row.interval {
                chart.draw_series([PathElement::new([at(low), at(high)], style)])?;
            }
            chart.draw_series([Circle::new(at(row.value), 5, style)])?;
            if let Some(stated) = row.stated {
                chart.draw_series([Cross::new(at(stated), 5, cross)])?;
            }
        }
        if let Some(reference) = reference {
            let ends =
                [(x.place(reference), SegmentValue::Exact(0)), (x.place(reference), SegmentValue::Last)];
            let thin = ShapeStyle { color: INK.to_rgba(), filled: false, stroke_width: 1 };
            chart.draw_series([PathElement::new(ends, thin)])?;
        }
        Ok(())
    })
}

/// Labels of groups are whatever the operator's file has: long ones are cut.
fn shorten(label: &str) -> String {
    const MAX_LABEL_CHARACTERS: usize = 26;
    if label.chars().count() <= MAX_LABEL_CHARACTERS {
        return label.to_owned();
    }
    let kept: String = label.chars().take(MAX_LABEL_CHARACTERS - 1).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    const AROUND: ChartArea<'_> = ChartArea { caption: "Below", words: "Two lines" };

    #[test]
    fn rates_lie_at_the_quantiles_of_the_normal_distribution() {
        // Tables of the standard normal distribution.
        for (share, deviate) in [(0.5, 0.0), (0.841_344_746, 1.0), (0.025, -1.959_964), (0.001, -3.090_232)] {
            assert!((normal_deviate(share) - deviate).abs() < 1e-5, "{share}");
            assert!((share_at_deviate(deviate) - share).abs() < 1e-6, "{deviate}");
        }
        let axis = Axis::error_rate("FMR");
        assert_eq!(axis.place(0.0), axis.place(axis.from), "a rate of 0 lies at the end of the axis");
        assert_eq!(axis.format(normal_deviate(0.02)), "2 %");
    }

    #[test]
    fn a_figure_has_words_for_those_who_do_not_see_it() {
        let lines = [
            LabelledSeries::line("first <b>", vec![(0.1, 0.2), (0.3, 0.1)]),
            LabelledSeries::reference("as stated", vec![(0.1, 0.1), (0.3, 0.3)]),
        ];
        let figure = line_chart(&AROUND, Axis::error_rate("FMR"), Axis::error_rate("FNMR"), &lines).unwrap();
        let figure = figure.into_string();
        assert!(
            figure.contains("aria-label=\"Two lines\"") && figure.contains("<figcaption>Below"),
            "{figure}"
        );
        assert!(figure.contains("first &lt;b&gt;") && !figure.contains("first <b>"), "{figure}");
        assert!(!figure.contains("NaN"), "{figure}");
    }

    #[test]
    fn values_outside_an_axis_stay_within_the_figure() {
        let rows = [
            DotRow { label: "a".to_owned(), value: 1e9, interval: Some((-1e9, 1e9)), stated: Some(-5.0) },
            DotRow { label: "b".to_owned(), value: 0.5, interval: None, stated: None },
        ];
        let figure =
            dot_chart(&AROUND, Axis::share("Share", 0.0, 1.0), &rows, Some(0.3)).unwrap().into_string();
        for (_, text) in figure.match_indices("cx=\"") {
            assert!(text.len() < 10);
        }
        let places = figure.split("cx=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        for place in places {
            let place: i32 = place.parse().unwrap();
            assert!((0..=640).contains(&place), "{place}: {figure}");
        }
    }

    #[test]
    fn no_values_make_an_empty_figure_and_no_error() {
        assert!(line_chart(&AROUND, Axis::linear("x", 0.0, 0.0), Axis::linear("y", 0.0, 0.0), &[]).is_ok());
        assert!(dot_chart(&AROUND, Axis::share("x", 0.0, 1.0), &[], None).is_ok());
        assert!(histogram(&AROUND, Axis::linear("x", 0.0, 1.0), &[("none", &[])], &[]).is_ok());
        assert!(
            scatter_chart(&AROUND, Axis::linear("x", 0.0, 1.0), Axis::linear("y", 0.0, 1.0), &[], &[])
                .is_ok()
        );
    }

    #[test]
    fn numbers_have_no_more_decimals_than_they_need() {
        assert_eq!([0.0, -0.001, 2.5, 10.0, 0.126].map(trim_number), ["0", "0", "2.5", "10", "0.13"]);
    }
}
