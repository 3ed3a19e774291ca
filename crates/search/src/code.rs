//! What of a vector lies in memory, and how a query is compared with it.
//!
//! A vector `x` is moved by the index's centre, turned ([`crate::turn`]), and called `y` then. Its code has eight bits a
//! dimension, `y ≈ step * (code - 128)`, cut into two planes of four bits: the high one alone stands for
//! `step * (16 * high - 120.5)`. The length of the error is measured for both, so by the triangle inequality
//!
//! `|q - ŷ| - error ≤ |q - y| ≤ |q - ŷ| + error`
//!
//! holds whatever the vectors are. The signs of `y` are its sketch, used by the prefilter alone; see [`Sieve`].

use crate::{
    kernels::GROUP,
    turn::{SLACK, Turn},
};

/// What single-precision arithmetic may lose of a sum of squares where rows are sifted, as a share of its terms.
const ROUNDING: f64 = 2e-6;
/// So small that squares of it are nothing; covers what becomes subnormal on the way.
const NOTHING: f64 = 1e-15;
/// The largest number of a whole query's code: sums of 2048 products with 255 fit 32 bits.
const WIDE: f64 = 4095.0;
/// The chance that the prefilter misses one face within the distance, at most.
const MISS: f64 = 1e-9;

/// Moves and turns a vector; what comes out is as long as the padded dimension.
pub(crate) fn turned(turn: &Turn, centre: &[f32], vector: &[f32], padded: usize, into: &mut Vec<f32>) {
    into.clear();
    into.extend(vector.iter().zip(centre).map(|(it, centre)| it - centre));
    turn.apply(into);
    into.resize(padded, 0.0);
}

/// The numbers of one vector's code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scales {
    /// What one step of the code is worth.
    pub(crate) step: f32,
    /// The squared length of what the high plane stands for, less [`ROUNDING`].
    pub(crate) near_square: f32,
    /// A bound on how far the high plane is from the truth.
    pub(crate) near_error: f32,
    /// The squared length of the whole code, in steps.
    pub(crate) full_square: u32,
    /// A bound on how far the whole code is from the truth.
    pub(crate) full_error: f32,
    /// The squared length.
    pub(crate) square: f32,
    /// The squared length by the sum of absolute values.
    pub(crate) flatness: f32,
}

/// A vector's code.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) scales: Scales,
    pub(crate) high: Vec<u8>,
    pub(crate) low: Vec<u8>,
    /// A byte for each eight dimensions: their signs, the first in the lowest bit, 1 for what is not negative.
    pub(crate) signs: Vec<u8>,
}

impl Code {
    /// Codes a vector that was turned. In place, so that memory is not asked for anew.
    pub(crate) fn set(&mut self, y: &[f32]) {
        let largest = lanes(y, |it| it.abs(), f32::max);
        let step = largest / 127.0;
        let inverse = if step > f32::MIN_POSITIVE { step.recip() } else { 0.0 };
        self.high.clear();
        self.low.clear();
        self.signs.clear();
        let (mut near_error, mut full_error) = (Sum::default(), Sum::default());
        let (mut near_square, mut full_square) = (0_u32, 0_u32);
        for group in y.chunks_exact(GROUP) {
            let mut codes = [128_u8; GROUP];
            for (code, it) in codes.iter_mut().zip(group) {
                *code = (it * inverse + 128.5) as u8;
            }
            let mut errors = [[0.0_f32; GROUP]; 2];
            for (at, (code, it)) in codes.iter().zip(group).enumerate() {
                let (full, near) = (f32::from(*code) - 128.0, f32::from(code >> 4) * 16.0 - 120.5);
                errors[0][at] = it - near * step;
                errors[1][at] = it - full * step;
            }
            near_error.add(&errors[0]);
            full_error.add(&errors[1]);
            for code in codes {
                near_square += (i32::from(code >> 4) * 32 - 241).pow(2) as u32;
                full_square += (i32::from(code) - 128).pow(2) as u32;
            }
            let (first, second) = codes.split_at(GROUP / 2);
            self.high.extend(first.iter().zip(second).map(|(a, b)| a >> 4 | b & 0xf0));
            self.low.extend(first.iter().zip(second).map(|(a, b)| a & 15 | b << 4));
            let signs = group.chunks_exact(8).map(|eight| {
                eight.iter().enumerate().fold(0, |byte, (at, it)| byte | u8::from(*it >= 0.0) << at)
            });
            self.signs.extend(signs);
        }
        let square = lanes(y, |it| it * it, |a, b| a + b);
        let sum = lanes(y, f32::abs, |a, b| a + b);
        let slack = 1.01 * SLACK * f64::from(square).sqrt() + NOTHING;
        let step_square = f64::from(step).powi(2);
        self.scales = Scales {
            step,
            near_square: (step_square * f64::from(near_square) / 4.0 * (1.0 - ROUNDING)) as f32,
            near_error: (near_error.root() + slack) as f32 * 1.000_001,
            full_square,
            full_error: (full_error.root() + slack) as f32 * 1.000_001,
            square,
            flatness: if sum > 0.0 { square / sum } else { 0.0 },
        };
    }
}

/// The sum of squares, in eight parts, of which each loses little.
#[derive(Default)]
struct Sum([f32; 8]);

impl Sum {
    fn add(&mut self, values: &[f32; GROUP]) {
        for eight in values.chunks_exact(8) {
            for (sum, it) in self.0.iter_mut().zip(eight) {
                *sum += it * it;
            }
        }
    }

    /// A bound on the root: 256 terms lose less than 2^-15 of each part.
    fn root(&self) -> f64 {
        self.0.iter().map(|it| f64::from(*it)).sum::<f64>().sqrt() * 1.0001
    }
}

/// Folds in eight parts, as processors like it.
fn lanes(values: &[f32], map: impl Fn(f32) -> f32, fold: impl Fn(f32, f32) -> f32) -> f32 {
    let mut parts = [0.0_f32; 8];
    for eight in values.chunks_exact(8) {
        for (part, it) in parts.iter_mut().zip(eight) {
            *part = fold(*part, map(*it));
        }
    }
    parts.into_iter().fold(0.0, fold)
}

/// A query, ready to be compared with codes.
pub(crate) struct Query {
    /// Its code for the high plane.
    pub(crate) near: Vec<i8>,
    near_step: f32,
    near_sum: i32,
    near_square: f32,
    near_error: f64,
    /// Its code for whole codes.
    pub(crate) full: Vec<i16>,
    full_step: f64,
    full_sum: i64,
    full_square: f64,
    full_error: f64,
    /// Present where the prefilter is asked for and of use.
    pub(crate) sieve: Option<Sieve>,
}

impl Query {
    /// Codes a query that was turned.
    pub(crate) fn of(y: &[f32]) -> Self {
        let largest = lanes(y, f32::abs, f32::max);
        let length = y.iter().map(|it| f64::from(*it).powi(2)).sum::<f64>().sqrt();
        let slack = SLACK * length + NOTHING;
        let (near_step, near, near_error) = coded(y, largest, 127.0);
        let (full_step, full, full_error) = coded(y, largest, WIDE);
        let square = |codes: &[i16], step: f64| {
            codes.iter().map(|it| i64::from(*it).pow(2)).sum::<i64>() as f64 * step * step
        };
        Self {
            near_step: near_step as f32,
            near_sum: near.iter().map(|it| i32::from(*it)).sum(),
            near_square: (square(&near, near_step) * (1.0 - ROUNDING)) as f32,
            near_error: (near_error + slack) * 1.000_001,
            near: near.iter().map(|it| *it as i8).collect(),
            full_step,
            full_sum: full.iter().map(|it| i64::from(*it)).sum(),
            full_square: square(&full, full_step),
            full_error: full_error + slack,
            full,
            sieve: None,
        }
    }

    /// What a row must be within, by [`Query::excess`], so that it may be as near as `limit`.
    pub(crate) fn reach(&self, limit: f64) -> f32 {
        (((limit + self.near_error) * 1.000_001).min(1e15)) as f32
    }

    /// Above zero only where the vector is farther than what `reach` was made for. `sum` is the kernel's.
    #[inline]
    pub(crate) fn excess(&self, sum: i32, step: f32, near_square: f32, near_error: f32, reach: f32) -> f32 {
        // In integers: the two terms are large and nearly cancel.
        let product = (32 * sum - 241 * self.near_sum) as f32 * (self.near_step * step);
        let reach = reach + near_error;
        self.near_square + near_square - product - reach * reach
    }

    /// Bounds on the distance, from the sum over the whole code.
    pub(crate) fn bounds(&self, sum: i32, step: f32, full_square: u32, full_error: f32) -> (f64, f64) {
        let step = f64::from(step);
        let product = (i64::from(sum) - 128 * self.full_sum) as f64 * (self.full_step * step);
        let square = self.full_square + step * step * f64::from(full_square) - 2.0 * product;
        // The terms are exact but for a few roundings of 2^-53, of which the root may be far more.
        let lost = 1e-14 * (self.full_square + step * step * f64::from(full_square));
        let error = self.full_error + f64::from(full_error);
        ((square - lost).max(0.0).sqrt() - error, (square + lost).max(0.0).sqrt() + error)
    }
}

/// A query in integers up to `most`: their step, they themselves, and how far they are from the truth.
fn coded(y: &[f32], largest: f32, most: f64) -> (f64, Vec<i16>, f64) {
    // As it is used: in single precision.
    let step = f64::from((f64::from(largest) / most) as f32);
    let inverse = if step > f64::from(f32::MIN_POSITIVE) { step.recip() } else { 0.0 };
    let codes: Vec<i16> =
        y.iter().map(|it| (f64::from(*it) * inverse).round().clamp(-most, most) as i16).collect();
    let error = y.iter().zip(&codes).map(|(it, code)| (f64::from(*it) - f64::from(*code) * step).powi(2));
    let error = error.sum::<f64>().sqrt() * (1.0 + 1e-9);
    (step, codes, error)
}

/// A query, ready to be compared with sketches.
///
/// With the signs `s` of `y` and `c = |y|² / Σ|yᵢ|`, the product `<q, y>` is `c * <q, s>`, less an error that is
/// `√(d * c² - |y|²)` times one coordinate of a vector as long as `q` is far from the line through `y` (Gao and Long,
/// RaBitQ, 2024, has this estimate). That vector's direction is even over all directions across `y`, because the
/// rotation is random, and whoever is as near as `limit` has a line that is as near. The share of a sphere that lies
/// beyond a cap bounds how often a coordinate exceeds `tail` of the length: [`MISS`].
pub(crate) struct Sieve {
    /// 16 bytes for each four dimensions: what their signs add to the sum, in steps.
    pub(crate) tables: Vec<u8>,
    /// What the sum is: `offset + step * what the kernel adds up`, rounded up.
    step: f32,
    offset: f32,
    square: f32,
    length: f32,
    dimension: f32,
    tail: f32,
}

impl Sieve {
    /// The fewest dimensions for which there are rotations enough that chance means something.
    pub(crate) const LEAST: usize = 64;

    /// Prepares the tables of a query that was turned. `dimension` is without padding.
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
                // Rounded up, so that what is added up is never too small.
                ((positive.map(|(_, it)| it).sum::<f32>() - low) / step + 0.001).ceil().min(127.0) as u8
            }));
        }
        let sum: f64 = y.iter().map(|it| f64::from(*it)).sum();
        let square: f64 = y.iter().map(|it| f64::from(*it).powi(2)).sum();
        // The share of a sphere in n dimensions beyond t is at most (1 - t²)^((n - 1) / 2).
        let across = dimension as f64 - 1.0;
        let tail = (1.0 - MISS.powf(2.0 / (across - 1.0))).sqrt();
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

    /// What a row must be within, by [`Sieve::excess`]: the squared limit, and how much an error counts.
    pub(crate) fn reach(&self, limit: f64) -> (f32, f32) {
        let limit = limit.min(1e15) as f32 * 1.000_01;
        (limit * limit, 2.0 * self.tail * self.length.min(limit))
    }

    /// Above zero only where the vector is, with the chance stated, farther than what `reach` was made for.
    #[inline]
    pub(crate) fn excess(&self, sum: u16, square: f32, flatness: f32, reach: (f32, f32)) -> f32 {
        let product = f32::from(sum) * self.step + self.offset;
        let error = (flatness * flatness * self.dimension - square).max(0.0).sqrt();
        (self.square + square) * (1.0 - 1e-4) - 2.0 * flatness * product - error * reach.1 - reach.0
    }
}
