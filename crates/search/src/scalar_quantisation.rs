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
    kernels::{
        DIMENSIONS_PER_GROUP, DIMENSIONS_PER_SKETCH_SEGMENT, SketchSums, in_plane_order, with_cpu_features,
    },
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
/// What single-precision arithmetic and the rounding of the rotation may lose of a sum of squares where sketches rule out
/// rows, as a share of its terms.
const SKETCH_ROUNDING_SHARE: f32 = 1e-4;
/// Steps in the unit of [`SketchFilter::tables`]: so few that eight entries of its surplus tables, which are smaller, add up
/// to less than 256.
const FINE_STEPS: u16 = 32;
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
/// the directions orthogonal to `y`. The area of a spherical cap bounds how often a coordinate exceeds the share `tail`
/// of the length: [`MAX_MISS_PROBABILITY`].
///
/// If `y` is within `t` of `q`, then `<q, y>` is at least `p = (|q|² + |y|² - t²) / 2`. If that is positive, the square
/// of the distance of `q` from the line is at most `|q|² - p² / |y|²`; in any case it is at most `|q|²` and `t²`.
pub(crate) struct SketchFilter {
    /// 16 bytes per four dimensions: for each combination of signs what it adds to the sum, in units of
    /// [`FINE_STEPS`] steps, rounded up.
    pub(crate) tables: Vec<u8>,
    /// By how many steps these entries are too large.
    pub(crate) surplus_tables: Vec<u8>,
    /// `<q, s>` is at most `offset + step * (FINE_STEPS * sum - surplus)`, with the kernel's sums over both tables.
    step: f32,
    offset: f32,
    square: f32,
    dimension: f32,
    /// The square of twice the tail.
    tail_square: f32,
}

/// What a query's sums are compared with in some blocks of rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SketchThreshold {
    /// A row whose kernel's sum is less is farther away than the limit, except with the stated probability.
    pub(crate) min_sum: u16,
    /// `|q|² - t²`, where the former is reduced by [`SKETCH_ROUNDING_SHARE`].
    query: f32,
    /// Bound on the square of twice `tail` times the distance of the query from the line through a row.
    across: f32,
}

/// Bounds on the numbers of the rows of a block, other than empty ones; see [`CodeScales`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SketchBlockBounds {
    min_square: f32,
    max_square: f32,
    max_flatness: f32,
    /// Bound on `d * c² - |y|²`, as in [`SketchFilter`].
    max_error_square: f32,
}

impl Default for SketchBlockBounds {
    /// Of no rows.
    fn default() -> Self {
        Self {
            min_square: f32::INFINITY,
            max_square: f32::NEG_INFINITY,
            max_flatness: 0.0,
            max_error_square: 0.0,
        }
    }
}

impl SketchBlockBounds {
    /// Widens the bounds to a row, unless that is empty.
    pub(crate) fn include(&mut self, square: f32, flatness: f32, padded_dimension: usize) {
        if square < f32::INFINITY {
            self.min_square = self.min_square.min(square);
            self.max_square = self.max_square.max(square);
            self.max_flatness = self.max_flatness.max(flatness);
            let error_square = flatness * flatness * padded_dimension as f32 - square;
            self.max_error_square = self.max_error_square.max(error_square);
        }
    }

    /// Bounds on the rows of these blocks.
    pub(crate) fn of_blocks(blocks: &[Self]) -> Self {
        blocks.iter().fold(Self::default(), |all, it| Self {
            min_square: all.min_square.min(it.min_square),
            max_square: all.max_square.max(it.max_square),
            max_flatness: all.max_flatness.max(it.max_flatness),
            max_error_square: all.max_error_square.max(it.max_error_square),
        })
    }
}

impl SketchFilter {
    /// With fewer dimensions the rotation of sparse vectors has longer tails than a random one (measured).
    pub(crate) const MIN_DIMENSIONS: usize = 128;

    /// Builds the tables of a rotated query. `dimension` is without padding.
    pub(crate) fn of(y: &[f32], dimension: usize) -> Self {
        let segments = y.chunks_exact(DIMENSIONS_PER_SKETCH_SEGMENT);
        let widest = segments.map(|it| it.iter().map(|it| it.abs()).sum::<f32>()).fold(0.0, f32::max);
        // Of the 255 that the eight largest entries may add up to, rounding up takes a little more than one each.
        let step = (widest / (246.0 * f32::from(FINE_STEPS))).max(f32::MIN_POSITIVE);
        let inverse = step.recip();
        let (mut tables, mut surplus_tables) =
            (Vec::with_capacity(y.len() * 4), Vec::with_capacity(y.len() * 4));
        let mut lowest = 0.0_f64;
        for four in y.chunks_exact(4) {
            let low: f32 = four.iter().map(|it| it.min(0.0)).sum();
            lowest += f64::from(low);
            let mut positive = [0.0_f32; 16];
            for signs in 0..16_usize {
                if signs > 0 {
                    let first = signs.trailing_zeros() as usize;
                    positive[signs] = positive[signs & (signs - 1)] + four[first];
                }
                // Rounded up, and a little more, so that the sum is never too small.
                let steps = ((positive[signs] - low) * inverse + 1.01) as u16;
                let entry = steps.div_ceil(FINE_STEPS);
                tables.push(entry as u8);
                surplus_tables.push((entry * FINE_STEPS - steps) as u8);
            }
        }
        let sum: f64 = y.iter().map(|it| f64::from(*it)).sum();
        let square: f64 = y.iter().map(|it| f64::from(*it).powi(2)).sum();
        // The share of a unit sphere in n dimensions with a coordinate beyond t is at most (1 - t²)^((n - 1) / 2).
        let across = dimension as f64 - 1.0;
        let tail_square = 1.0 - MAX_MISS_PROBABILITY.powf(2.0 / (across - 1.0));
        Self {
            tables,
            surplus_tables,
            step: 2.0 * step,
            offset: (2.0 * lowest - sum) as f32,
            square: square as f32,
            dimension: dimension as f32,
            tail_square: (4.0 * tail_square) as f32,
        }
    }

    /// What to compare rows with that have these bounds, to find those that may be within `limit`.
    pub(crate) fn threshold(&self, bounds: SketchBlockBounds, limit: f64) -> SketchThreshold {
        let limit = limit.min(1e15) as f32 * 1.000_01;
        let query = self.square * (1.0 - SKETCH_ROUNDING_SHARE) - limit * limit;
        let SketchBlockBounds { min_square, max_square, max_flatness, max_error_square } = bounds;
        let twice_product = |square: f32| square * (1.0 - SKETCH_ROUNDING_SHARE) + query;
        let across = if twice_product(min_square) > 0.0 {
            // The length, squared, for which the bound is the largest.
            let square = (query / (1.0 - SKETCH_ROUNDING_SHARE)).max(min_square).min(max_square);
            (self.square - 0.25 * twice_product(square).powi(2) / square).max(0.0)
        } else {
            self.square.min(limit * limit)
        };
        let mut threshold = SketchThreshold { min_sum: 0, query, across: self.tail_square * across };
        let min_product = threshold.min_product(min_square, max_error_square);
        // If not, a product may be negative, or a row has a square of -∞, for which nothing is ruled out.
        if min_product > 0.0 {
            let step = f32::from(FINE_STEPS) * self.step;
            let sum = (min_product / (2.0 * max_flatness) - self.offset) / step;
            threshold.min_sum = sum as u16;
        }
        threshold
    }

    /// Computes the excess of the rows of a block: positive only for those that are farther away than the limit, except
    /// with the stated probability. `sums` and `surplus` are the kernel's, over both tables; without surplus, fewer rows
    /// are ruled out. Returns how many are not.
    pub(crate) fn measure_excess(
        &self,
        threshold: SketchThreshold,
        (sums, surplus): (&SketchSums, &SketchSums),
        (squares, flatness): (&[f32], &[f32]),
        excess: &mut [f32],
    ) -> usize {
        with_cpu_features(|| {
            let sums = sums.iter().zip(surplus).zip(squares.iter().zip(flatness));
            for (excess, ((sum, surplus), (square, flatness))) in excess.iter_mut().zip(sums) {
                let steps = f32::from(*sum) * f32::from(FINE_STEPS) - f32::from(*surplus);
                let product = steps * self.step + self.offset;
                // Finite, so that it is nothing times nothing.
                let error_square = (flatness * flatness * self.dimension - square).clamp(0.0, f32::MAX);
                *excess = threshold.min_product(*square, error_square) - 2.0 * flatness * product;
            }
            excess.iter().map(|it| u32::from(*it <= 0.0)).sum::<u32>() as usize
        })
    }
}

impl SketchThreshold {
    /// What `2 * c * <q, s>` of a row within the limit is at least, from the square of its length and that of the factor of
    /// its sketch's error.
    #[expect(clippy::inline_always, reason = "compiled for the features of the processor")]
    #[inline(always)]
    fn min_product(&self, square: f32, error_square: f32) -> f32 {
        square * (1.0 - SKETCH_ROUNDING_SHARE) + self.query - (error_square * self.across).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::ROWS_PER_SKETCH_BLOCK;

    const DIMENSION: usize = 512;

    /// About normal, out of a seed.
    fn draw(state: &mut u64) -> f32 {
        let mut uniform = || {
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            (*state >> 40) as f32 / (1 << 24) as f32 - 0.5
        };
        (0..6).map(|_| uniform()).sum::<f32>() * 1.414
    }

    fn unit(state: &mut u64) -> Vec<f32> {
        let vector: Vec<_> = (0..DIMENSION).map(|_| draw(state)).collect();
        let length = vector.iter().map(|it| it * it).sum::<f32>().sqrt();
        vector.iter().map(|it| it / length).collect()
    }

    /// What the kernel adds up for a row of these signs.
    fn sum_of(tables: &[u8], signs: &[u8]) -> u16 {
        let tables = tables.as_chunks::<16>().0.as_chunks::<2>().0;
        let entries = signs.iter().zip(tables).map(|(eight, [first, second])| {
            u16::from(first[usize::from(eight & 15)]) + u16::from(second[usize::from(eight >> 4)])
        });
        entries.sum()
    }

    #[test]
    fn tables_bound_every_product_closely_and_add_up_to_a_byte_in_each_segment() {
        let mut state = 3;
        let random = unit(&mut state);
        let only = |range: std::ops::Range<usize>| {
            let mut vector = vec![0.0; DIMENSION];
            vector[range.clone()].copy_from_slice(&random[range]);
            vector
        };
        let scaled = |scale: f32| random.iter().map(|it| it * scale).collect();
        let queries: [Vec<f32>; 8] = [
            random.clone(),
            only(77..78),
            only(64..96),
            scaled(2e7),
            scaled(1e-30),
            vec![-1.0; DIMENSION],
            vec![0.25; DIMENSION],
            vec![0.0; DIMENSION],
        ];
        for query in &queries {
            let filter = SketchFilter::of(query, DIMENSION);
            for tables in [&filter.tables, &filter.surplus_tables] {
                for segment in tables.chunks_exact(16 * DIMENSIONS_PER_SKETCH_SEGMENT / 4) {
                    let largest = segment.chunks_exact(16).map(|it| it.iter().max().copied().unwrap_or(0));
                    assert!(largest.map(u32::from).sum::<u32>() <= 255);
                }
            }
            let total: f64 = query.iter().map(|it| f64::from(it.abs())).sum();
            let steps = f64::from(filter.step);
            let mut code = VectorCode::default();
            for at in 0..200 {
                // The first is the row with the largest product of all.
                let row = if at == 0 { query.clone() } else { unit(&mut state) };
                code.encode(&row);
                let signs = row.iter().map(|it| if *it >= 0.0 { 1.0 } else { -1.0 });
                let product: f64 = signs.zip(query).map(|(sign, it)| sign * f64::from(*it)).sum();
                let coarse = f64::from(sum_of(&filter.tables, &code.signs)) * f64::from(FINE_STEPS);
                let fine = coarse - f64::from(sum_of(&filter.surplus_tables, &code.signs));
                let slack = [coarse, fine].map(|it| f64::from(filter.offset) + steps * it - product);
                let lost = 1e-6 * total;
                let tables = (DIMENSION / 4) as f64;
                assert!(slack[1] >= -lost && slack[1] <= 1.1 * tables * steps + lost, "{slack:?}");
                assert!(
                    slack[0] >= slack[1] && slack[0] <= f64::from(FINE_STEPS) * tables * steps,
                    "{slack:?}"
                );
            }
        }
    }

    #[test]
    fn a_threshold_keeps_all_rows_within_the_limit_and_few_others() {
        let mut state = 5;
        // Of the 640 rows that may be anywhere, how many must be ruled out by the kernel's sums alone. In the last case a
        // product may be negative, and all are within the limit.
        let cases = [(1.0, 1.0, 450), (1.0, 0.5, 600), (3.0, 2.6, 600), (1000.0, 900.0, 600), (0.4, 1.1, 0)];
        for (scale, limit, least) in cases {
            let query: Vec<_> = unit(&mut state).iter().map(|it| it * scale).collect();
            let filter = SketchFilter::of(&query, DIMENSION);
            let (mut excluded, mut within) = ([0, 0], 0);
            for _ in 0..20 {
                // Every other row is about as far away as the limit; the lengths of the others vary.
                let rows: Vec<Vec<f32>> = (0..ROWS_PER_SKETCH_BLOCK)
                    .map(|at| {
                        let row = unit(&mut state);
                        if at % 2 == 0 {
                            let away = limit * (0.9 + 0.002 * at as f32);
                            return row.iter().zip(&query).map(|(row, it)| it + away * row).collect();
                        }
                        row.iter().map(|it| it * scale * (0.9 + 0.003 * at as f32)).collect()
                    })
                    .collect();
                let mut halves = [SketchBlockBounds::default(); 2];
                let (mut sums, mut surplus) = ([0; ROWS_PER_SKETCH_BLOCK], [0; ROWS_PER_SKETCH_BLOCK]);
                let (mut squares, mut flatness) = (Vec::new(), Vec::new());
                for (at, row) in rows.iter().enumerate() {
                    let mut code = VectorCode::default();
                    code.encode(row);
                    sums[at] = sum_of(&filter.tables, &code.signs);
                    surplus[at] = sum_of(&filter.surplus_tables, &code.signs);
                    squares.push(code.scales.square);
                    flatness.push(code.scales.flatness);
                    let half = &mut halves[2 * at / ROWS_PER_SKETCH_BLOCK];
                    half.include(code.scales.square, code.scales.flatness, DIMENSION);
                }
                let bounds = SketchBlockBounds::of_blocks(&halves);
                let threshold = filter.threshold(bounds, f64::from(limit));
                let mut excess = [0.0; ROWS_PER_SKETCH_BLOCK];
                let terms = (&squares[..], &flatness[..]);
                let kept = filter.measure_excess(threshold, (&sums, &surplus), terms, &mut excess);
                assert_eq!(kept, excess.iter().filter(|it| **it <= 0.0).count());
                let mut reversed = SketchBlockBounds::default();
                for (square, flatness) in squares.iter().zip(&flatness).rev() {
                    reversed.include(*square, *flatness, DIMENSION);
                    let mut own = SketchBlockBounds::default();
                    own.include(*square, *flatness, DIMENSION);
                    let own = filter.threshold(own, f64::from(limit));
                    assert!(
                        own.min_sum.saturating_add(1) >= threshold.min_sum,
                        "{own:?} alone, {threshold:?} with others"
                    );
                }
                assert_eq!(bounds, reversed);
                for ((row, sum), excess) in rows.iter().zip(&sums).zip(&excess) {
                    let square = row.iter().zip(&query).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
                    let below = *sum < threshold.min_sum;
                    if square.sqrt() <= f64::from(limit) {
                        within += 1;
                        assert!(
                            !below && *excess <= 0.0,
                            "{scale}, {limit}: {sum} in {threshold:?}, {excess}"
                        );
                    }
                    excluded[0] += usize::from(below);
                    excluded[1] += usize::from(*excess > 0.0);
                }
            }
            assert!(within > 500, "{scale}, {limit}: {within}");
            assert!(excluded[0] >= least && excluded[1] >= excluded[0], "{scale}, {limit}: {excluded:?}");
        }
    }

    #[test]
    fn a_row_without_information_is_never_ruled_out_and_an_empty_one_always() {
        let query = unit(&mut 9);
        let filter = SketchFilter::of(&query, DIMENSION);
        let rows = [(f32::NEG_INFINITY, 0.05), (f32::INFINITY, 0.0), (1.0, 0.055)];
        let (squares, flatness): (Vec<f32>, Vec<f32>) = rows.into_iter().unzip();
        let (mut bounds, mut excess) = (SketchBlockBounds::default(), [0.0; 3]);
        bounds.include(f32::INFINITY, 0.0, DIMENSION);
        assert_eq!(filter.threshold(bounds, 1.0).min_sum, u16::MAX);
        for (square, flatness) in rows {
            bounds.include(square, flatness, DIMENSION);
        }
        for limit in [0.0, 1.0, 1e6] {
            let threshold = filter.threshold(bounds, limit);
            assert_eq!(threshold.min_sum, 0);
            let sums = [0; ROWS_PER_SKETCH_BLOCK];
            filter.measure_excess(threshold, (&sums, &sums), (&squares, &flatness), &mut excess);
            assert!(excess[0] <= 0.0 && excess[1] > 0.0, "{limit}: {excess:?}");
        }
    }
}
