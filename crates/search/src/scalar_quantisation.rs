//! The codes of vectors in memory, and how a query is compared with them.
//!
//! The index's centre is subtracted from a vector, and the result is rotated ([`crate::hadamard_rotation`]); call that
//! `y`. Its code has eight bits per dimension, `y ≈ step * (code - 128)`, split into two planes of four bits; the high
//! plane alone represents `h = step * (16 * high - 120.5)`.
//!
//! Whole codes: the length of the error is measured, and by the triangle inequality the distance to `y` differs by no
//! more than that from the distance to the vector that the code represents.
//!
//! High plane: let `h = g * y + e` with `e` orthogonal to `y`. For a query `q`, `<q, h> = g * <q, y> + <q, e>`, and
//! `<q, e>` is at most `|e|` times the length of `q`, and also at most `|e|` times the distance of `q` from the line
//! through `y`. That distance is no more than the distance of `q` from `y`. So if the latter is at most `t`, then
//!
//! `|q|² + |y|² - 2 * (<q, h> + min(|q|, t) * |e|) / g ≤ t²`.
//!
//! A row for which this does not hold is farther away than `t`. The bound holds for any vectors, and is tighter than
//! the triangle inequality, in particular for different persons, who are farther from each other than from the centre.
//!
//! Signs: the same with the signs of `y` in place of `h`, but with a bound on `<q, e>` that holds only with a certain
//! probability. Only the prefilter uses them, see [`SketchFilter`].

use crate::{
    hadamard_rotation::{HadamardRotation, ROTATION_ROUNDING_SHARE},
    kernels::{DIMENSIONS_PER_GROUP, in_plane_order, with_cpu_features},
};

/// What single-precision arithmetic and the rounding of the rotation may lose of a sum of squares where rows are ruled
/// out, as a share of its terms: a dozen roundings of 2^-24, and twice [`ROTATION_ROUNDING_SHARE`].
const SIFTING_ROUNDING_SHARE: f64 = 3e-5;
/// What rounding may lose where the sums of a code are computed: 8 products are summed in single precision, the rest in
/// double.
const CODE_SUM_ROUNDING_SHARE: f64 = 4e-6;
/// What rounding may lose of the square of a distance between whole codes, as a share of its terms, which are exact
/// except for a few roundings of 2^-53.
const FULL_CODE_ROUNDING_SHARE: f64 = 1e-14;
/// Codes are clipped at this multiple of the root mean square: what lies beyond costs less than a longer step would.
const CLIP_RMS_MULTIPLE: f32 = 3.5;
/// Added to error bounds to cover results that become subnormal; its square is negligible.
const NEGLIGIBLE_DISTANCE: f64 = 1e-15;
/// The largest value in a query's code for whole codes: sums of 2048 products with 255 fit 32 bits.
const MAX_FULL_QUERY_CODE: f64 = 4095.0;
/// The probability that the prefilter misses a face within the distance, at most.
const MAX_MISS_PROBABILITY: f64 = 1e-9;

/// Subtracts the centre and rotates. The result has the padded dimension.
pub(crate) fn centre_and_rotate(
    rotation: &HadamardRotation,
    centre: &[f32],
    vector: &[f32],
    padded: usize,
    into: &mut Vec<f32>,
) {
    into.clear();
    into.extend(vector.iter().zip(centre).map(|(it, centre)| it - centre));
    with_cpu_features(|| rotation.apply(into));
    into.resize(padded, 0.0);
}

/// The numbers that belong to a vector's code; the names are those of the module's documentation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CodeScales {
    /// `step / g`.
    pub(crate) near_step: f32,
    /// `|e| / g`, rounded up.
    pub(crate) near_error: f32,
    /// `|y|²`, less [`SIFTING_ROUNDING_SHARE`].
    pub(crate) square: f32,
    /// `|y|² / Σ|yᵢ|`.
    pub(crate) flatness: f32,
    /// The step of the whole code.
    pub(crate) step: f32,
    /// The squared length of the whole code, in units of `step²`.
    pub(crate) full_square: u32,
    /// Bound on the distance between `y` and what the whole code represents.
    pub(crate) full_error: f32,
}

/// A vector's code.
#[derive(Debug, Default)]
pub(crate) struct VectorCode {
    pub(crate) scales: CodeScales,
    pub(crate) high: Vec<u8>,
    pub(crate) low: Vec<u8>,
    /// One byte per eight dimensions: their signs, the first in the lowest bit, 1 for what is not negative.
    pub(crate) signs: Vec<u8>,
}

impl VectorCode {
    /// Encodes a rotated vector, reusing the buffers.
    pub(crate) fn encode(&mut self, y: &[f32]) {
        with_cpu_features(|| self.encode_inline(y));
    }

    #[expect(clippy::inline_always, reason = "compiled for the features of the processor")]
    #[inline(always)]
    fn encode_inline(&mut self, y: &[f32]) {
        let sum = lanes(y, f32::abs, |a, b| a + b);
        let square: f64 = groups(y).map(squares).sum();
        let largest =
            lanes(y, f32::abs, f32::max).min(CLIP_RMS_MULTIPLE * (square / y.len() as f64).sqrt() as f32);
        let step = largest / 127.0;
        let inverse = if step > f32::MIN_POSITIVE { step.recip() } else { 0.0 };
        self.high.clear();
        self.low.clear();
        self.signs.clear();
        let (mut along, mut error) = (0.0_f64, 0.0_f64);
        let (mut near_square, mut full_square) = (0_u32, 0_u32);
        for group in groups(y) {
            let mut codes = [128_u8; DIMENSIONS_PER_GROUP];
            let (mut products, mut errors) =
                ([0.0_f32; DIMENSIONS_PER_GROUP], [0.0_f32; DIMENSIONS_PER_GROUP]);
            for (at, it) in group.iter().enumerate() {
                let code = (it * inverse).clamp(-127.0, 127.0) + 128.5;
                let code = code as i32;
                codes[at] = code as u8;
                products[at] = it * ((code >> 4) * 32 - 241) as f32;
                errors[at] = it - (code - 128) as f32 * step;
                near_square += ((code >> 4) * 32 - 241).pow(2) as u32;
                full_square += (code - 128).pow(2) as u32;
            }
            along += halves(&products);
            error += squares(&errors);
            let (first, second) = codes.split_at(DIMENSIONS_PER_GROUP / 2);
            self.high.extend(first.iter().zip(second).map(|(a, b)| a >> 4 | b & 0xf0));
            self.low.extend(first.iter().zip(second).map(|(a, b)| a & 15 | b << 4));
            self.signs.extend(group.as_chunks::<8>().0.iter().map(|eight| {
                eight.iter().enumerate().fold(0, |byte, (at, it)| byte | u8::from(*it >= 0.0) << at)
            }));
        }
        // So far in units of half a step.
        let half = f64::from(step) / 2.0;
        let (along, near_square) = (along * half, f64::from(near_square) * half * half);
        let g = if square > 0.0 { along / square } else { 0.0 };
        let near_error = (near_square - g * along).max(0.0) + CODE_SUM_ROUNDING_SHARE * near_square;
        self.scales = CodeScales {
            near_step: 0.0,
            near_error: 0.0,
            square: (square * (1.0 - SIFTING_ROUNDING_SHARE)) as f32,
            flatness: if sum > 0.0 { square as f32 / sum } else { 0.0 },
            step,
            full_square,
            full_error: ((error.sqrt() + ROTATION_ROUNDING_SHARE * square.sqrt()) * 1.000_01
                + NEGLIGIBLE_DISTANCE) as f32,
        };
        if g > 0.01 {
            self.scales.near_step = (f64::from(step) / g) as f32;
            self.scales.near_error = (near_error.sqrt() / g * 1.000_01) as f32;
        } else if square > 0.0 {
            // The high plane carries no information: every search compares the whole code.
            self.scales.square = f32::NEG_INFINITY;
        }
    }
}

#[expect(clippy::inline_always, reason = "compiled for the features of the processor")]
#[inline(always)]
fn groups(y: &[f32]) -> impl Iterator<Item = &[f32; DIMENSIONS_PER_GROUP]> {
    y.as_chunks::<DIMENSIONS_PER_GROUP>().0.iter()
}

/// A sum: eight partial sums in single precision, added in double.
#[expect(clippy::inline_always, reason = "compiled for the features of the processor")]
#[inline(always)]
fn halves(values: &[f32; DIMENSIONS_PER_GROUP]) -> f64 {
    let mut parts = [0.0_f32; 8];
    for eight in values.as_chunks::<8>().0 {
        for (part, it) in parts.iter_mut().zip(eight) {
            *part += it;
        }
    }
    parts.iter().map(|it| f64::from(*it)).sum()
}

/// The sum of squares, as [`halves`] adds.
#[expect(clippy::inline_always, reason = "compiled for the features of the processor")]
#[inline(always)]
fn squares(values: &[f32; DIMENSIONS_PER_GROUP]) -> f64 {
    halves(&values.map(|it| it * it))
}

/// Folds in eight lanes, which compilers vectorise.
#[expect(clippy::inline_always, reason = "compiled for the features of the processor")]
#[inline(always)]
fn lanes(values: &[f32], map: impl Fn(f32) -> f32, fold: impl Fn(f32, f32) -> f32) -> f32 {
    let mut parts = [0.0_f32; 8];
    for eight in values.chunks_exact(8) {
        for (part, it) in parts.iter_mut().zip(eight) {
            *part = fold(*part, map(*it));
        }
    }
    parts.into_iter().fold(0.0, fold)
}

/// A query in the form that is compared with codes.
pub(crate) struct EncodedQuery {
    /// Its code for comparison with planes, in their order.
    pub(crate) near: Vec<i8>,
    near_step: f32,
    near_sum: i32,
    near_error: f32,
    /// The squared length of what that code represents.
    near_square: f64,
    /// Bound on the distance between the query and what that code represents.
    near_distance: f64,
    length: f64,
    square: f32,
    /// Its code for comparison with whole codes.
    pub(crate) full: Vec<i16>,
    full_step: f64,
    full_sum: i64,
    full_square: f64,
    full_error: f64,
    /// Present if the prefilter is wanted and applies.
    pub(crate) sketch_filter: Option<SketchFilter>,
}

impl EncodedQuery {
    /// Encodes a rotated query.
    pub(crate) fn of(y: &[f32]) -> Self {
        let largest = lanes(y, f32::abs, f32::max);
        let length = y.iter().map(|it| f64::from(*it).powi(2)).sum::<f64>().sqrt();
        let (near_step, near, near_error) = quantise(y, largest, 127.0);
        let (full_step, full, full_error) = quantise(y, largest, MAX_FULL_QUERY_CODE);
        let square = |codes: &[i16], step: f64| {
            codes.iter().map(|it| i64::from(*it).pow(2)).sum::<i64>() as f64 * step * step
        };
        Self {
            near_step: near_step as f32,
            near_sum: near.iter().map(|it| i32::from(*it)).sum(),
            near_error: (2.000_01 * near_error) as f32,
            near_square: square(&near, near_step),
            near_distance: near_error + ROTATION_ROUNDING_SHARE * length + NEGLIGIBLE_DISTANCE,
            near: in_plane_order(&near.iter().map(|it| *it as i8).collect::<Vec<_>>()),
            length,
            square: (length * length * (1.0 - SIFTING_ROUNDING_SHARE)) as f32,
            full_step,
            full_sum: full.iter().map(|it| i64::from(*it)).sum(),
            full_square: square(&full, full_step),
            full_error: full_error + ROTATION_ROUNDING_SHARE * length + NEGLIGIBLE_DISTANCE,
            full,
            sketch_filter: None,
        }
    }

    /// The bound for [`EncodedQuery::excess`] that asks whether a row may be within `limit`.
    pub(crate) fn distance_bound(&self, limit: f64) -> DistanceBound {
        let limit = (limit + ROTATION_ROUNDING_SHARE * self.length + NEGLIGIBLE_DISTANCE).min(1e15);
        DistanceBound {
            square: (limit * limit * (1.0 + SIFTING_ROUNDING_SHARE)) as f32,
            error: (2.000_1 * limit.min(self.length)) as f32,
        }
    }

    /// Positive only if the vector is farther away than the limit that `bound` was made for. `sum` is the kernel's, and
    /// `row` is what belongs to it.
    #[expect(clippy::inline_always, reason = "compiled for the features of the processor")]
    #[inline(always)]
    pub(crate) fn excess(&self, sum: i32, row: RowTerms, bound: DistanceBound) -> f32 {
        let RowTerms { step, error, square, length } = row;
        // In integers, because the two terms are large and nearly cancel.
        let product = (32 * sum - 241 * self.near_sum) as f32 * (self.near_step * step);
        // The error of the query's own code, times the length of `h / g`.
        let own = self.near_error * length;
        self.square + square - product - own - error * bound.error - bound.square
    }

    /// Whether the vector may be within `limit`, from the kernel's sums over both planes. Less fine than
    /// [`EncodedQuery::bounds`], but with the query's code of eight bits, which is several times as fast to compare.
    pub(crate) fn may_be_within(
        &self,
        limit: f64,
        high_sum: i32,
        low_sum: i32,
        terms: FullCodeTerms,
    ) -> bool {
        let step = f64::from(terms.step);
        let sum = 16 * high_sum + low_sum - 128 * self.near_sum;
        let squares = self.near_square + step * step * f64::from(terms.full_square);
        let square = squares - 2.0 * f64::from(sum) * (f64::from(self.near_step) * step);
        let reach = limit + self.near_distance + f64::from(terms.full_error);
        square - FULL_CODE_ROUNDING_SHARE * squares <= reach * reach
    }

    /// Lower and upper bound on the distance, from the kernel's sum over the whole code.
    pub(crate) fn bounds(&self, sum: i32, terms: FullCodeTerms) -> (f64, f64) {
        let FullCodeTerms { step, full_square, full_error, .. } = terms;
        let step = f64::from(step);
        let product = (i64::from(sum) - 128 * self.full_sum) as f64 * (self.full_step * step);
        let square = self.full_square + step * step * f64::from(full_square) - 2.0 * product;
        let lost = FULL_CODE_ROUNDING_SHARE * (self.full_square + step * step * f64::from(full_square));
        let error = self.full_error + f64::from(full_error);
        ((square - lost).max(0.0).sqrt() - error, (square + lost).max(0.0).sqrt() + error)
    }
}

/// What comparing the high plane of a row needs beside the plane; see [`CodeScales`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowTerms {
    /// `near_step`.
    pub(crate) step: f32,
    /// `near_error`.
    pub(crate) error: f32,
    pub(crate) square: f32,
    /// The length of `h / g`.
    pub(crate) length: f32,
}

/// What comparing a whole code needs beside its planes; see [`CodeScales`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FullCodeTerms {
    pub(crate) step: f32,
    pub(crate) full_square: u32,
    pub(crate) full_error: f32,
    /// Counts the changes of the row, so that a later look can tell whether it is still the same.
    pub(crate) version: u32,
}

/// A distance limit in the form that rows are compared with.
#[derive(Clone, Copy)]
pub(crate) struct DistanceBound {
    /// The limit, squared.
    square: f32,
    /// The factor for a row's error.
    error: f32,
}

/// Quantises a query to integers of at most `max` in magnitude. Returns the step, the integers, and the length of the
/// error.
fn quantise(y: &[f32], largest: f32, max: f64) -> (f64, Vec<i16>, f64) {
    // Rounded to single precision, in which it is used.
    let step = f64::from((f64::from(largest) / max) as f32);
    let inverse = if step > f64::from(f32::MIN_POSITIVE) { step.recip() } else { 0.0 };
    let codes: Vec<i16> =
        y.iter().map(|it| (f64::from(*it) * inverse).round().clamp(-max, max) as i16).collect();
    let error = y.iter().zip(&codes).map(|(it, code)| (f64::from(*it) - f64::from(*code) * step).powi(2));
    let error = error.sum::<f64>().sqrt() * (1.0 + 1e-9);
    (step, codes, error)
}

/// A query in the form that is compared with sketches.
///
/// With the signs `s` of `y` and `c = |y|² / Σ|yᵢ|`, the product `<q, y>` is `c * <q, s>`, less an error that is `√(d *
/// c² - |y|²)` times one coordinate of a vector whose length is the distance of `q` from the line through `y` (the
/// estimate of Gao and Long, `RaBitQ`, 2024). Because the rotation is random, that vector's direction is uniform among
/// the directions orthogonal to `y`; and if `y` is within `limit` of `q`, so is the line. The area of a spherical cap
/// bounds how often a coordinate exceeds the share `tail` of the length: [`MAX_MISS_PROBABILITY`].
pub(crate) struct SketchFilter {
    /// 16 bytes per four dimensions: for each combination of signs what it adds to the sum, in steps.
    pub(crate) tables: Vec<u8>,
    /// `<q, s>` is at most `offset + step *` the kernel's sum.
    step: f32,
    offset: f32,
    square: f32,
    length: f32,
    dimension: f32,
    tail: f32,
}

impl SketchFilter {
    /// With fewer dimensions the rotation of sparse vectors has longer tails than a random one (measured).
    pub(crate) const MIN_DIMENSIONS: usize = 128;

    /// Builds the tables of a rotated query. `dimension` is without padding.
    pub(crate) fn of(y: &[f32], dimension: usize) -> Self {
        let widest =
            y.chunks_exact(4).map(|it| it.iter().map(|it| it.abs()).sum::<f32>()).fold(0.0, f32::max);
        let step = (widest / 126.0).max(f32::MIN_POSITIVE);
        let mut tables = Vec::with_capacity(y.len() * 4);
        let mut lowest = 0.0_f64;
        for four in y.chunks_exact(4) {
            let low: f32 = four.iter().map(|it| it.min(0.0)).sum();
            lowest += f64::from(low);
            tables.extend((0..16_u8).map(|signs| {
                let positive = four.iter().enumerate().filter(|(at, _)| signs >> at & 1 == 1);
                // Rounded up, so that the sum is never too small.
                ((positive.map(|(_, it)| it).sum::<f32>() - low) / step + 0.001).ceil().min(127.0) as u8
            }));
        }
        let sum: f64 = y.iter().map(|it| f64::from(*it)).sum();
        let square: f64 = y.iter().map(|it| f64::from(*it).powi(2)).sum();
        // The share of a unit sphere in n dimensions with a coordinate beyond t is at most (1 - t²)^((n - 1) / 2).
        let across = dimension as f64 - 1.0;
        let tail = (1.0 - MAX_MISS_PROBABILITY.powf(2.0 / (across - 1.0))).sqrt();
        Self {
            tables,
            step: 2.0 * step,
            offset: (2.0 * lowest - sum) as f32,
            square: square as f32,
            length: square.sqrt() as f32,
            dimension: dimension as f32,
            tail: tail as f32,
        }
    }

    /// The bound for [`SketchFilter::excess`] that asks whether a row may be within `limit`.
    pub(crate) fn distance_bound(&self, limit: f64) -> DistanceBound {
        let limit = limit.min(1e15) as f32 * 1.000_01;
        DistanceBound { square: limit * limit, error: 2.0 * self.tail * self.length.min(limit) }
    }

    /// Bound on the share of the error that a row's sketch has, before the query's length and tail count.
    #[expect(clippy::inline_always, reason = "compiled for the features of the processor")]
    #[inline(always)]
    pub(crate) fn row_error(&self, square: f32, flatness: f32) -> f32 {
        (flatness * flatness * self.dimension - square).max(0.0).sqrt()
    }

    /// Positive only if the vector is farther away than the limit that `bound` was made for, except with the stated
    /// probability. `error` is [`SketchFilter::row_error`].
    #[expect(clippy::inline_always, reason = "compiled for the features of the processor")]
    #[inline(always)]
    pub(crate) fn excess(
        &self,
        sum: u16,
        square: f32,
        flatness: f32,
        error: f32,
        bound: DistanceBound,
    ) -> f32 {
        let product = f32::from(sum) * self.step + self.offset;
        (self.square + square) * (1.0 - 1e-4) - 2.0 * flatness * product - error * bound.error - bound.square
    }
}
