//! Charts of reports, as SVG: within the HTML file, or each as a file of its own. Each has words for those who do not see it,
//! and tells its series apart by shape as well as by colour.
//!
//! Coordinates are whole units of the figure, and nothing depends on time or place, so the same input gives the same bytes.

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
    element::{Circle, Cross, PathElement, Rectangle, Text, TriangleMarker},
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
/// Room for the half of the last mark of an axis that is beyond its end.
const RIGHT_MARGIN: u32 = 28;

const INK: RGBColor = RGBColor(31, 36, 48);
const FAINT: RGBColor = RGBColor(212, 217, 226);
/// Colours that can be told apart without seeing red or green (Okabe and Ito, 2008).
const SERIES_COLOURS: [RGBColor; MAX_SERIES] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 134, 98),
    RGBColor(170, 70, 130),
    RGBColor(120, 94, 0),
    RGBColor(31, 36, 48),
    RGBColor(150, 20, 40),
    RGBColor(100, 100, 210),
];
/// Most lines of a chart that can be told apart.
pub(crate) const MAX_SERIES: usize = 8;

/// Words around a figure.
pub(crate) struct ChartArea<'a> {
    /// What its file is called, without the kind of evaluation and the extension. Names of columns may be part of it.
    pub(crate) name: &'a str,
    /// Its heading.
    pub(crate) title: &'a str,
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
    /// Powers of ten, for rates that differ by orders of magnitude. A share of 0 has no place on it and is moved to its end.
    Logarithmic,
}

/// An axis: its title and the values at its ends.
#[derive(Clone, Copy)]
pub(crate) struct Axis<'a> {
    title: &'a str,
    from: f64,
    to: f64,
    scale: Scale,
    unit: AxisUnit,
    /// Names of the values 0, 1, 2 and so on, where they are steps and no numbers; empty otherwise.
    steps: &'a [String],
}

#[derive(Clone, Copy)]
enum AxisUnit {
    Plain,
    Share,
}

/// Ends and marks of axes for error rates.
const RATE_AXIS_ENDS: [f64; 2] = [0.000_5, 0.9];
/// Bounds of the lower end of a logarithmic axis for error rates.
const LOG_RATE_ENDS: [f64; 2] = [1e-6, 0.01];
const RATE_AXIS_MARKS: [f64; 10] = [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9];

impl<'a> Axis<'a> {
    /// Numbers with a unit that the title names.
    pub(crate) fn linear(title: &'a str, from: f64, to: f64) -> Self {
        let to = to.max(from + 1e-6);
        Self { title, from, to, scale: Scale::Linear, unit: AxisUnit::Plain, steps: &[] }
    }

    /// Steps with names, at 0, 1, 2 and so on.
    pub(crate) fn steps(title: &'a str, steps: &'a [String]) -> Self {
        Self { steps, ..Self::linear(title, 0.0, steps.len().saturating_sub(1) as f64) }
    }

    /// Shares, shown in percent.
    pub(crate) fn share(title: &'a str, from: f64, to: f64) -> Self {
        Self { unit: AxisUnit::Share, ..Self::linear(title, from, to) }
    }

    /// Error rates, in percent, along the distances of the normal distribution.
    pub(crate) fn error_rate(title: &'a str) -> Self {
        let [from, to] = RATE_AXIS_ENDS;
        Self { scale: Scale::NormalDeviate, ..Self::share(title, from, to) }
    }

    /// Error rates, in percent, along powers of ten down to what `count` comparisons can show.
    pub(crate) fn log_rate(title: &'a str, count: usize) -> Self {
        let smallest = 1.0 / count.max(1) as f64;
        let from = 10_f64.powf(smallest.log10().floor()).clamp(LOG_RATE_ENDS[0], LOG_RATE_ENDS[1]);
        Self { scale: Scale::Logarithmic, ..Self::share(title, from, 1.0) }
    }

    /// The same axis with another upper end.
    pub(crate) fn up_to(self, to: f64) -> Self {
        Self { to, ..self }
    }

    /// Where a value lies.
    fn place(&self, value: f64) -> f64 {
        let within = value.clamp(self.from, self.to);
        match self.scale {
            Scale::Linear => within,
            Scale::NormalDeviate => normal_deviate(within),
            Scale::Logarithmic => within.log10(),
        }
    }

    fn coordinates(&self) -> AxisCoordinates {
        let marks = match self.scale {
            Scale::NormalDeviate => RATE_AXIS_MARKS.map(normal_deviate).to_vec(),
            Scale::Linear => (0..self.steps.len()).map(|step| step as f64).collect(),
            Scale::Logarithmic => {
                let [first, last] = [self.from, self.to].map(|end| end.log10().round() as i32);
                (first..=last).map(f64::from).collect()
            }
        };
        AxisCoordinates { from: self.place(self.from), to: self.place(self.to), marks }
    }

    fn format(&self, place: f64) -> String {
        if let Some(name) = self.steps.get(place.round() as usize) {
            return name.clone();
        }
        let value = match self.scale {
            Scale::Linear => place,
            Scale::NormalDeviate => share_at_deviate(place),
            Scale::Logarithmic => 10_f64.powf(place),
        };
        let decimals = if matches!(self.scale, Scale::Logarithmic) { 4 } else { 2 };
        match self.unit {
            AxisUnit::Plain => trim_number(value, decimals),
            AxisUnit::Share => format!("{} %", trim_number(value * 100.0, decimals)),
        }
    }
}

/// At most so many decimals (one at least), and no more than are needed.
fn trim_number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
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
type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<AxisCoordinates, AxisCoordinates>>;

/// A figure that was drawn: it is shown in a report, or is a file of its own.
pub(crate) struct Chart {
    name: String,
    title: String,
    caption: String,
    words: String,
    size: (u32, u32),
    svg: String,
    /// Whether single people are points of it. Such a figure stays in the report.
    individuals: bool,
}

/// Heights in a file of its own: of a line of the heading, of the room below it, of a line of the caption, and of the room
/// below the last line.
const HEADING_LINE_HEIGHT: u32 = 22;
const HEADING_MARGIN: u32 = 12;
const CAPTION_LINE_HEIGHT: u32 = 18;
const CAPTION_MARGIN: u32 = 12;
/// Most characters of a line of the heading and of the caption, which fill the width in the widest of usual sans-serif fonts.
const HEADING_LINE_CHARACTERS: usize = 60;
const CAPTION_LINE_CHARACTERS: usize = 90;

impl Chart {
    /// Within a report.
    pub(crate) fn figure(&self) -> Markup {
        html! {
            figure {
                div role="img" aria-label=(self.words) { (PreEscaped(&self.svg)) }
                figcaption { strong { (self.title) "." } " " (self.caption) }
            }
        }
    }

    /// Name of the file, without the kind of evaluation and the extension; `None` where single people are points of the
    /// figure, which is no file for everybody.
    pub(crate) fn file_name(&self) -> Option<String> {
        (!self.individuals).then(|| slug(&self.name))
    }

    /// A file of its own, with heading, caption, and `source`, which says what was measured. Its background is white, so that
    /// it can be read on dark pages, too.
    pub(crate) fn standalone(&self, source: &str) -> String {
        let (width, height) = self.size;
        let heading = wrap(&self.title, HEADING_LINE_CHARACTERS);
        let caption: Vec<String> = [self.caption.as_str(), source]
            .iter()
            .flat_map(|text| wrap(text, CAPTION_LINE_CHARACTERS))
            .collect();
        let top = HEADING_LINE_HEIGHT * heading.len() as u32 + HEADING_MARGIN;
        let below = top + height;
        let full = below + CAPTION_LINE_HEIGHT * caption.len() as u32 + CAPTION_MARGIN;
        // The figure itself is an element within, moved below the heading.
        let figure = self.svg.replacen("<svg ", &format!("<svg y=\"{top}\" "), 1);
        let lines = |lines: &[String], size: u32, weight: &str, first: u32, height: u32| {
            html! {
                @for (line, number) in lines.iter().zip(0..) {
                    text x="16" y=(first + number * height) font-size=(size) font-weight=(weight) fill="#1f2430" { (line) }
                }
            }
        };
        let file = html! {
            svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(full) viewBox=(format!("0 0 {width} {full}"))
                role="img" aria-labelledby="title description" font-family="sans-serif" {
                title id="title" { (self.title) }
                desc id="description" { (self.words) ". " (self.caption) " " (source) }
                rect width=(width) height=(full) fill="#ffffff" {}
                (lines(&heading, 17, "bold", HEADING_LINE_HEIGHT + 4, HEADING_LINE_HEIGHT))
                (PreEscaped(figure.trim_end()))
                (lines(&caption, 13, "normal", below + CAPTION_LINE_HEIGHT - 4, CAPTION_LINE_HEIGHT))
            }
        };
        format!("{}\n", file.into_string())
    }

    /// Says that single people are points of the figure.
    fn of_individuals(self) -> Self {
        Self { individuals: true, ..self }
    }
}

/// Lower-case letters and digits with hyphens between them, for the name of a file.
fn slug(text: &str) -> String {
    let words: Vec<String> = text
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    words.join("-")
}

/// Divides a text into lines of at most so many characters, unless a word has more.
fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = Vec::<String>::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Draws a figure of this size.
fn draw(
    around: &ChartArea<'_>,
    size: (u32, u32),
    paint: impl FnOnce(&Canvas<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Chart> {
    let mut svg = String::new();
    {
        let canvas = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        canvas.fill(&WHITE)?;
        paint(&canvas)?;
        canvas.present()?;
    }
    // The library writes out what is so without it.
    let svg = svg.replace(" opacity=\"1\"", "");
    Ok(Chart {
        name: around.name.to_owned(),
        title: around.title.to_owned(),
        caption: around.caption.to_owned(),
        words: around.words.to_owned(),
        size,
        svg,
        individuals: false,
    })
}

/// Axes, grid and titles.
fn axes<'a, 'b>(canvas: &'a Canvas<'b>, x: Axis<'_>, y: Axis<'_>) -> anyhow::Result<Plot<'a, 'b>> {
    let mut chart = ChartBuilder::on(canvas)
        .margin(14)
        .margin_right(RIGHT_MARGIN)
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
    /// Marks without a line between them.
    Marks,
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

    pub(crate) fn marks(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { shape: SeriesShape::Marks, ..Self::line(name, points) }
    }
}

/// Marks of a line lie at least this share of the axes apart, so that the line is seen.
const MARK_DISTANCE: f64 = 0.06;

/// The points of a line that have a mark.
fn marked(points: &[(f64, f64)], (x, y): (Axis<'_>, Axis<'_>)) -> Vec<(f64, f64)> {
    let [width, height] = [x, y].map(|axis| axis.place(axis.to) - axis.place(axis.from));
    let mut marks = Vec::<(f64, f64)>::new();
    for &(left, top) in points {
        let apart = |&(before, above): &(f64, f64)| {
            ((left - before) / width).hypot((top - above) / height) >= MARK_DISTANCE
        };
        if marks.last().is_none_or(apart) {
            marks.push((left, top));
        }
    }
    marks
}

/// Colour and strokes of a series by its number.
fn series_style(at: usize, shape: SeriesShape) -> ShapeStyle {
    let colour =
        if shape == SeriesShape::Reference { INK } else { SERIES_COLOURS[at % SERIES_COLOURS.len()] };
    ShapeStyle { color: colour.to_rgba(), filled: true, stroke_width: 2 }
}

fn draw_series(
    chart: &mut Plot<'_, '_>,
    (x, y): (Axis<'_>, Axis<'_>),
    at: usize,
    series: &LabelledSeries,
) -> anyhow::Result<()> {
    let style = series_style(at, series.shape);
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
    if series.shape == SeriesShape::Line {
        chart.draw_series(LineSeries::new(points.clone(), style))?;
    }
    for (&(left, _), &(low, high)) in points.iter().zip(&series.intervals) {
        let thin = ShapeStyle { stroke_width: 1, ..style };
        chart.draw_series([PathElement::new([(left, y.place(low)), (left, y.place(high))], thin)])?;
    }
    let marks = if series.shape == SeriesShape::Line { marked(&points, (x, y)) } else { points };
    let marks = marks.into_iter();
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

fn draw_legend<'a, 'b: 'a>(chart: &mut Plot<'a, 'b>, position: SeriesLabelPosition) -> anyhow::Result<()> {
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

/// The corner of a chart that its curves leave free.
#[derive(Clone, Copy)]
pub(crate) enum FreeCorner {
    /// Of curves that fall, such as those of error rates.
    UpperRight,
    /// Of curves that rise late.
    UpperLeft,
    /// Of curves that rise early.
    LowerRight,
}

/// Most series whose names find room within a chart. More stand beside it.
const MAX_NAMES_WITHIN: usize = 4;
/// Width of what is beside a chart with more series.
const NAMES_WIDTH: u32 = 220;

/// Draws the names of series below each other, each with its mark.
fn draw_names(canvas: &Canvas<'_>, series: &[LabelledSeries]) -> anyhow::Result<()> {
    let font = ("sans-serif", 14).into_font().color(&INK);
    for ((at, series), top) in series.iter().enumerate().zip((24..).step_by(24)) {
        let style = series_style(at, series.shape);
        if series.shape == SeriesShape::Reference {
            canvas.draw(&PathElement::new([(0, top), (16, top)], ShapeStyle { stroke_width: 1, ..style }))?;
        } else {
            match at % 3 {
                0 => canvas.draw(&Circle::new((8, top), 4, style))?,
                1 => canvas.draw(&TriangleMarker::new((8, top), 5, style))?,
                _ => canvas.draw(&Cross::new((8, top), 4, style))?,
            }
        }
        canvas.draw(&Text::new(shorten(&series.name), (22, top - 7), font.clone()))?;
    }
    Ok(())
}

/// Lines over the same axes; the names of several stand in `free`, or beside the chart where they are many.
pub(crate) fn line_chart(
    around: &ChartArea<'_>,
    (x, y): (Axis<'_>, Axis<'_>),
    series: &[LabelledSeries],
    free: FreeCorner,
) -> anyhow::Result<Chart> {
    if series.len() > MAX_NAMES_WITHIN {
        let (width, height) = FIGURE_SIZE;
        return draw(around, (width + NAMES_WIDTH, height), |canvas| {
            let (plot, names) = canvas.split_horizontally(width);
            let mut chart = axes(&plot, x, y)?;
            for (at, series) in series.iter().enumerate() {
                draw_series(&mut chart, (x, y), at, series)?;
            }
            draw_names(&names, series)
        });
    }
    draw(around, FIGURE_SIZE, |canvas| {
        let mut chart = axes(canvas, x, y)?;
        for (at, series) in series.iter().enumerate() {
            draw_series(&mut chart, (x, y), at, series)?;
        }
        let position = match free {
            FreeCorner::UpperRight => SeriesLabelPosition::UpperRight,
            FreeCorner::UpperLeft => SeriesLabelPosition::UpperLeft,
            FreeCorner::LowerRight => SeriesLabelPosition::LowerRight,
        };
        if series.len() > 1 { draw_legend(&mut chart, position) } else { Ok(()) }
    })
}

/// A dot for each pair of values, with lines of reference. Each dot is somebody, so this is no file of its own.
pub(crate) fn scatter_chart(
    around: &ChartArea<'_>,
    x: Axis<'_>,
    y: Axis<'_>,
    points: &[(f64, f64)],
    references: &[LabelledSeries],
) -> anyhow::Result<Chart> {
    let chart = draw(around, (FIGURE_SIZE.0, FIGURE_SIZE.0), |canvas| {
        let mut chart = axes(canvas, x, y)?;
        let dot = ShapeStyle { color: SERIES_COLOURS[0].mix(0.45), filled: true, stroke_width: 0 };
        let placed = points.iter().map(|&(left, top)| Circle::new((x.place(left), y.place(top)), 3, dot));
        chart.draw_series(placed)?;
        for (at, reference) in references.iter().enumerate() {
            draw_series(&mut chart, (x, y), at, reference)?;
        }
        draw_legend(&mut chart, SeriesLabelPosition::UpperLeft)
    })?;
    Ok(chart.of_individuals())
}

/// Counts of two kinds of values in bins of the same width, each as a share of its kind.
pub(crate) fn histogram(
    around: &ChartArea<'_>,
    x: Axis<'_>,
    kinds: &[(&str, &[f64])],
    marks: &[(String, f64)],
) -> anyhow::Result<Chart> {
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
    // Room above the bars for the legend.
    let y = Axis::share("Share of each", 0.0, highest * 1.6);
    draw(around, FIGURE_SIZE, |canvas| {
        let mut chart = axes(canvas, x, y)?;
        for (at, ((name, _), counts)) in kinds.iter().zip(&counted).enumerate() {
            let colour = SERIES_COLOURS[at % SERIES_COLOURS.len()];
            let fill = ShapeStyle { color: colour.mix(0.4), filled: true, stroke_width: 0 };
            let bars = counts.iter().enumerate().filter(|&(_, &count)| count > 0.0).map(|(bin, &count)| {
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
) -> anyhow::Result<Chart> {
    let height = DOT_CHART_MARGIN + DOT_ROW_HEIGHT * u32::try_from(rows.len())?;
    draw(around, (FIGURE_SIZE.0, height), |canvas| {
        let labels: Vec<String> = rows.iter().map(|row| shorten(&row.label)).collect();
        let last = i32::try_from(rows.len().saturating_sub(1))?;
        let mut chart = ChartBuilder::on(canvas)
            .margin(10)
            .margin_right(RIGHT_MARGIN)
            .set_label_area_size(LabelAreaPosition::Left, 220)
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
    const MAX_LABEL_CHARACTERS: usize = 30;
    if label.chars().count() <= MAX_LABEL_CHARACTERS {
        return label.to_owned();
    }
    let kept: String = label.chars().take(MAX_LABEL_CHARACTERS - 1).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    const AROUND: ChartArea<'_> =
        ChartArea { name: "lines-by-age band", title: "Lines & ages", caption: "Below", words: "Two lines" };

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
        let axes = (Axis::error_rate("FMR"), Axis::error_rate("FNMR"));
        let figure = line_chart(&AROUND, axes, &lines, FreeCorner::UpperRight).unwrap().figure();
        let figure = figure.into_string();
        assert!(
            figure.contains("aria-label=\"Two lines\"")
                && figure.contains("<figcaption><strong>Lines &amp; ages.</strong> Below"),
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
        let figure = dot_chart(&AROUND, Axis::share("Share", 0.0, 1.0), &rows, Some(0.3)).unwrap();
        let figure = figure.figure().into_string();
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
        let axes = (Axis::linear("x", 0.0, 0.0), Axis::linear("y", 0.0, 0.0));
        assert!(line_chart(&AROUND, axes, &[], FreeCorner::LowerRight).is_ok());
        assert!(dot_chart(&AROUND, Axis::share("x", 0.0, 1.0), &[], None).is_ok());
        assert!(histogram(&AROUND, Axis::linear("x", 0.0, 1.0), &[("none", &[])], &[]).is_ok());
        assert!(
            scatter_chart(&AROUND, Axis::linear("x", 0.0, 1.0), Axis::linear("y", 0.0, 1.0), &[], &[])
                .is_ok()
        );
    }

    #[test]
    fn numbers_have_no_more_decimals_than_they_need() {
        assert_eq!(
            [0.0, -0.001, 2.5, 10.0, 0.126].map(|value| trim_number(value, 2)),
            ["0", "0", "2.5", "10", "0.13"]
        );
        let axis = Axis::log_rate("FMR", 30_000);
        assert_eq!(
            axis.coordinates().marks.iter().map(|place| axis.format(*place)).collect::<Vec<_>>(),
            ["0.001 %", "0.01 %", "0.1 %", "1 %", "10 %", "100 %"]
        );
        assert_eq!(axis.place(0.0), -5.0, "a rate of 0 lies at the end of the axis");
    }

    #[test]
    fn a_file_of_its_own_is_whole_and_always_the_same() {
        let draw = || {
            let lines = [LabelledSeries::line("a <b> & c", vec![(0.0, 0.1), (0.004, 0.02), (0.2, 0.0)])];
            let axes = (Axis::log_rate("FMR", 2000), Axis::log_rate("FNMR", 300));
            line_chart(&AROUND, axes, &lines, FreeCorner::UpperRight).unwrap()
        };
        let chart = draw();
        assert_eq!(chart.file_name().as_deref(), Some("lines-by-age-band"));
        let file = chart.standalone("Measured: 7 pairs.");
        assert_eq!(file, draw().standalone("Measured: 7 pairs."));
        for part in [
            "<title id=\"title\">Lines &amp; ages</title>",
            "<desc id=\"description\">Two lines. Below Measured: 7 pairs.</desc>",
            "fill=\"#ffffff\"",
            "font-family=\"sans-serif\"",
            ">Measured: 7 pairs.</text>",
        ] {
            assert!(file.contains(part), "{part}: {file}");
        }
    }

    #[test]
    fn a_figure_in_which_somebody_is_a_dot_is_no_file() {
        let axis = Axis::linear("years", 0.0, 90.0);
        assert_eq!(scatter_chart(&AROUND, axis, axis, &[(30.0, 28.0)], &[]).unwrap().file_name(), None);
    }

    #[test]
    fn captions_are_divided_between_words() {
        assert_eq!(wrap("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrap("immeasurable", 4), ["immeasurable"]);
        assert!(wrap("", 4).is_empty());
    }
}
