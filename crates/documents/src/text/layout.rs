//! Positions of lines relative to each other, and lines made from the words of a file.

use super::{TextLine, point_distance};
use crate::picture::homography::Point;

/// A word of a file's text layer; y points downwards.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutWord {
    pub text: String,
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

/// Words of a page that are read, at most.
const MAX_WORDS: usize = 5000;
/// Space between words of a line, in heights; wider spaces separate columns.
const MAX_WORD_GAP_HEIGHTS: f32 = 0.9;

/// Joins words into lines, in reading order. Columns in the same row are separate lines.
pub fn lines_of_words(words: &[LayoutWord]) -> Vec<TextLine> {
    let words: Vec<&LayoutWord> = words
        .iter()
        .filter(|word| {
            [word.left, word.top, word.right, word.bottom].iter().all(|side| side.is_finite())
                && !word.text.trim().is_empty()
        })
        .take(MAX_WORDS)
        .collect();
    let boxes: Vec<[Point; 4]> = words
        .iter()
        .map(|word| {
            let LayoutWord { left, top, right, bottom, .. } = **word;
            [[left, top], [right, top], [right, bottom], [left, bottom]]
        })
        .collect();
    let mut out: Vec<(TextLine, [f32; 4])> = Vec::new();
    for at in reading_order(&boxes) {
        let word = words[at];
        let own = [word.left, word.top, word.right, word.bottom];
        if let Some((line, last)) = out.last_mut() {
            let height = (last[3] - last[1]).max(own[3] - own[1]);
            let shared = last[3].min(own[3]) - last[1].max(own[1]);
            let gap = own[0] - last[2];
            if shared > 0.4 * height && gap > -0.5 * height && gap < MAX_WORD_GAP_HEIGHTS * height {
                line.text.push(' ');
                line.text.push_str(word.text.trim());
                *last = [last[0], last[1].min(own[1]), own[2], last[3].max(own[3])];
                line.corners = TextLine::printed("", *last).corners;
                continue;
            }
        }
        out.push((TextLine::printed(word.text.trim(), own), own));
    }
    out.into_iter().map(|(line, _)| line).collect()
}

/// Indices in reading order: rows from the top, each from the left. Corners begin with the top left one as the text is
/// read; the page may be rotated.
pub(crate) fn reading_order(lines: &[[Point; 4]]) -> Vec<usize> {
    let frame = LevelFrame::of(lines);
    let mut boxes: Vec<(usize, [f32; 4])> =
        lines.iter().map(|corners| frame.bounds(corners)).enumerate().collect();
    boxes.sort_by(|a, b| middle(&a.1).total_cmp(&middle(&b.1)));
    let mut out = Vec::with_capacity(boxes.len());
    let mut rest = boxes.as_slice();
    while let Some((_, first)) = rest.first() {
        let lower = middle(first) + 0.5 * (first[3] - first[1]);
        let row = rest.iter().take_while(|(_, other)| middle(other) < lower).count().max(1);
        let mut members = rest[..row].to_vec();
        members.sort_by(|a, b| a.1[0].total_cmp(&b.1[0]));
        out.extend(members.into_iter().map(|(at, _)| at));
        rest = &rest[row..];
    }
    out
}

fn middle(place: &[f32; 4]) -> f32 {
    f32::midpoint(place[1], place[3])
}

/// The direction of a page's lines, as a frame in which they are level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LevelFrame {
    along: Point,
}

impl LevelFrame {
    /// The mean direction of lines, weighted by their lengths.
    pub(crate) fn of(lines: &[[Point; 4]]) -> Self {
        let mut sum = [0.0_f32; 2];
        for [a, b, c, d] in lines {
            sum[0] += b[0] - a[0] + c[0] - d[0];
            sum[1] += b[1] - a[1] + c[1] - d[1];
        }
        let length = sum[0].hypot(sum[1]);
        let sound = length.is_finite() && length > 0.0;
        Self { along: if sound { sum.map(|part| part / length) } else { [1.0, 0.0] } }
    }

    /// Left, top, right and bottom in this frame.
    pub(crate) fn bounds(self, corners: &[Point; 4]) -> [f32; 4] {
        let [u, v] = self.along;
        let [a, b, c, d] = corners.map(|[x, y]| [x * u + y * v, y * u - x * v]);
        [
            f32::midpoint(a[0], d[0]),
            f32::midpoint(a[1], b[1]),
            f32::midpoint(b[0], c[0]),
            f32::midpoint(c[1], d[1]),
        ]
    }
}

/// A line in the frame of its page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LevelLine<'a> {
    pub(crate) line: &'a TextLine,
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) right: f32,
    pub(crate) bottom: f32,
}

impl LevelLine<'_> {
    pub(crate) fn height(&self) -> f32 {
        self.bottom - self.top
    }

    /// Whether both lines are in the same row.
    pub(crate) fn is_in_row_of(&self, other: &Self) -> bool {
        let shared = self.bottom.min(other.bottom) - self.top.max(other.top);
        shared > 0.5 * self.height().min(other.height())
    }

    /// The share of the narrower line's width that overlaps with the other, at most 1; negative where they are apart.
    pub(crate) fn column_overlap(&self, other: &Self) -> f32 {
        let shared = self.right.min(other.right) - self.left.max(other.left);
        shared / (self.right - self.left).min(other.right - other.left).max(f32::MIN_POSITIVE)
    }
}

/// Converts lines into the frame of their page. Lines with invalid corners are left out.
pub(crate) fn level_lines(lines: &[TextLine]) -> Vec<LevelLine<'_>> {
    let sound = |line: &&TextLine| line.corners.iter().flatten().all(|value| value.abs() < 1e6);
    let frame = LevelFrame::of(&lines.iter().filter(sound).map(|line| line.corners).collect::<Vec<_>>());
    let placed = lines.iter().filter(sound).map(|line| {
        let [left, top, right, bottom] = frame.bounds(&line.corners);
        LevelLine { line, left, top, right, bottom }
    });
    placed
        .filter(|placed| {
            placed.height() > 0.0 && point_distance(placed.line.corners[0], placed.line.corners[1]) > 0.0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, left: f32, top: f32, right: f32) -> LayoutWord {
        LayoutWord { text: text.to_owned(), left, top, right, bottom: top + 10.0 }
    }

    #[test]
    fn words_of_a_row_join_and_columns_do_not() {
        let words = [
            word("Lane", 38.0, 31.0, 60.0),
            word("Bill", 200.0, 30.0, 215.0),
            word("14", 10.0, 30.0, 20.0),
            word("Nowhere", 23.0, 30.0, 36.0),
            word("date", 218.0, 30.0, 240.0),
            word("Zenith", 10.0, 45.0, 50.0),
        ];
        let texts: Vec<String> = lines_of_words(&words).into_iter().map(|line| line.text).collect();
        assert_eq!(texts, ["14 Nowhere Lane", "Bill date", "Zenith"]);
        assert!(lines_of_words(&[LayoutWord { left: f32::NAN, ..words[0].clone() }]).is_empty());
    }

    #[test]
    fn a_turned_page_is_read_in_its_own_direction() {
        // Text that runs down the picture, so that the first row is on the right.
        let column =
            |x: f32, from: f32| [[x, from], [x, from + 50.0], [x - 10.0, from + 50.0], [x - 10.0, from]];
        let lines = [column(30.0, 0.0), column(90.0, 70.0), column(90.0, 0.0)];
        assert_eq!(reading_order(&lines), [2, 1, 0]);
    }
}
