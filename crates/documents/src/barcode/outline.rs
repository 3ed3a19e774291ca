//! The outline of a PDF417 in a crop in which its bars are roughly upright: four lines, so that perspective can be
//! corrected.

use crate::picture::{homography::Point, plane::Plane};

/// Number of rows on which each edge of the code is searched.
const EDGE_STRIPS: usize = 24;

/// The corners of the code, clockwise from the top left; `None` where one of the four edges is not found.
pub(super) fn find(upright: &Plane) -> Option<[Point; 4]> {
    let (across, _) = upright.gradients();
    // The density of bars, averaged over about the width of a bar.
    let edges = across.map(f32::abs).box_mean(4);
    let strong = edges.quantile(0.75) * 0.35;
    if strong < 1.0 {
        return None;
    }
    let by_columns = edges.transpose();
    let (top, bottom) = (find_edge(&by_columns, strong, false)?, find_edge(&by_columns, strong, true)?);
    let (left, right) = (find_edge(&edges, strong, false)?, find_edge(&edges, strong, true)?);
    let corner = |side: OutlineEdge, level: OutlineEdge| {
        // Solves x = side.0 + side.1 y, y = level.0 + level.1 x.
        let below = 1.0 - side.1 * level.1;
        let x = (side.0 + side.1 * level.0) / below;
        (below.abs() > 0.1).then_some([x, level.0 + level.1 * x])
    };
    let corners = [corner(left, top)?, corner(right, top)?, corner(right, bottom)?, corner(left, bottom)?];
    let inside = |[x, y]: &Point| {
        (-20.0..upright.width() as f32 + 20.0).contains(x)
            && (-20.0..upright.height() as f32 + 20.0).contains(y)
    };
    corners.iter().all(inside).then_some(corners)
}

/// A line as offset and slope: the position along a row as a function of the row.
type OutlineEdge = (f32, f32);

/// The line along which the first (or last) strong values of the rows lie. Rows of the middle three fifths count.
fn find_edge(plane: &Plane, strong: f32, last: bool) -> Option<OutlineEdge> {
    let (height, width) = (plane.height(), plane.width());
    let mut points = Vec::with_capacity(EDGE_STRIPS);
    for strip in 0..EDGE_STRIPS {
        let y = height / 5 + strip * (height * 3 / 5) / EDGE_STRIPS;
        let row = plane.row(y);
        // A single strong value may be dirt. The code begins with a run of strong values of about a twelfth of the row.
        let run = (width / 12).max(4);
        let mut seen = 0;
        let mut places = (0..width).map(|x| if last { width - 1 - x } else { x });
        let begins = places.find(|&x| {
            seen = if row[x] > strong { seen + 1 } else { seen - seen.min(3) };
            seen >= run
        });
        if let Some(x) = begins {
            let x = if last { (x + run - 1).min(width - 1) } else { (x + 1).saturating_sub(run) };
            points.push((y as f32, x as f32));
        }
    }
    fit_theil_sen(&points)
}

/// The Theil-Sen estimator: the median of the slopes of all pairs, which a third of outliers moves only a little.
fn fit_theil_sen(points: &[(f32, f32)]) -> Option<OutlineEdge> {
    if points.len() < EDGE_STRIPS / 3 {
        return None;
    }
    let mut slopes = Vec::new();
    for (at, one) in points.iter().enumerate() {
        for other in &points[at + 1..] {
            if other.0 - one.0 > 1.0 {
                slopes.push((other.1 - one.1) / (other.0 - one.0));
            }
        }
    }
    let slope = median(&mut slopes)?;
    let mut offsets: Vec<f32> = points.iter().map(|(y, x)| x - slope * y).collect();
    Some((median(&mut offsets)?, slope))
}

fn median(values: &mut [f32]) -> Option<f32> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f32::total_cmp).1)
}
