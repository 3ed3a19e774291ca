//! A secret rotation of space, which spreads the information evenly over all dimensions.
//!
//! Signs are flipped at random and a Walsh-Hadamard transform is applied, three or four times over. If the dimension is
//! not a power of two, the transforms alternate between a window of the first and one of the last coordinates. Every
//! step is orthogonal, so distances are preserved except for rounding: each of the at most 52 roundings of a coordinate
//! loses 2^-24 of the length, together less than a third of [`ROTATION_ROUNDING_SHARE`].

/// Bound on the rounding error of a vector here and where the centre is subtracted, as a share of its length.
pub(crate) const ROTATION_ROUNDING_SHARE: f64 = 1e-5;
/// How often signs are flipped and a transform is applied, at most.
const MAX_ROTATION_ROUNDS: usize = 4;

/// A rotation of vectors of one dimension.
pub(crate) struct HadamardRotation {
    dimension: usize,
    /// The size of the window: the largest power of two within the dimension.
    span: usize,
    /// 1 or -1 for each round and coordinate.
    signs: Vec<f32>,
}

impl HadamardRotation {
    /// Random bytes that [`HadamardRotation::new`] needs.
    pub(crate) fn seed_bytes(dimension: usize) -> usize {
        (MAX_ROTATION_ROUNDS * dimension).div_ceil(8)
    }

    /// The rotation that is determined by these random bytes.
    pub(crate) fn new(dimension: usize, seed: &[u8]) -> Self {
        let span = 1 << dimension.ilog2();
        let bit = |at: usize| seed.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1);
        let signs = (0..MAX_ROTATION_ROUNDS * dimension).map(|at| if bit(at) { -1.0 } else { 1.0 }).collect();
        Self { dimension, span, signs }
    }

    /// Rotates a vector of the dimension in place.
    #[expect(clippy::inline_always, reason = "compiled for the features of the processor")]
    #[inline(always)]
    pub(crate) fn apply(&self, vector: &mut [f32]) {
        // If the window covers all coordinates, three rounds mix as well as four do otherwise.
        let rounds = if self.span == self.dimension { MAX_ROTATION_ROUNDS - 1 } else { MAX_ROTATION_ROUNDS };
        let scale = (self.span as f32).sqrt().recip();
        for (round, signs) in self.signs.chunks_exact(self.dimension).take(rounds).enumerate() {
            for (it, sign) in vector.iter_mut().zip(signs) {
                *it *= sign;
            }
            let from = if round % 2 == 0 { 0 } else { self.dimension - self.span };
            let window = &mut vector[from..from + self.span];
            walsh_hadamard(window);
            for it in window {
                *it *= scale;
            }
        }
    }
}

/// The unscaled Walsh-Hadamard transform of a power of two of numbers, at least eight.
#[expect(clippy::inline_always, reason = "compiled for the features of the processor")]
#[inline(always)]
fn walsh_hadamard(values: &mut [f32]) {
    for eight in values.chunks_exact_mut(8) {
        if let [a, b, c, d, e, f, g, h] = eight {
            let (a1, b1, c1, d1) = (*a + *e, *b + *f, *c + *g, *d + *h);
            let (e1, f1, g1, h1) = (*a - *e, *b - *f, *c - *g, *d - *h);
            let (a2, b2, c2, d2) = (a1 + c1, b1 + d1, a1 - c1, b1 - d1);
            let (e2, f2, g2, h2) = (e1 + g1, f1 + h1, e1 - g1, f1 - h1);
            (*a, *b, *c, *d) = (a2 + b2, a2 - b2, c2 + d2, c2 - d2);
            (*e, *f, *g, *h) = (e2 + f2, e2 - f2, g2 + h2, g2 - h2);
        }
    }
    let mut step = 8;
    while step < values.len() {
        for pair in values.chunks_exact_mut(2 * step) {
            let (first, second) = pair.split_at_mut(step);
            for (a, b) in first.iter_mut().zip(second) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        step *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(vector: &[f32]) -> f64 {
        vector.iter().map(|it| f64::from(*it).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn lengths_are_preserved_and_one_coordinate_is_spread_over_all() {
        for dimension in [8, 9, 31, 64, 96, 100, 128, 300, 512, 777, 1024, 2047, 2048] {
            let seed: Vec<u8> = (0..HadamardRotation::seed_bytes(dimension))
                .map(|at| (at * at * 31 + at * 7 + 3) as u8)
                .collect();
            let rotation = HadamardRotation::new(dimension, &seed);
            for at in [0, dimension / 2, dimension - 1] {
                let mut vector = vec![0.0_f32; dimension];
                vector[at] = 1.0;
                vector[(at + 1) % dimension] = -0.5;
                let before = length(&vector);
                rotation.apply(&mut vector);
                assert!(
                    (length(&vector) - before).abs() <= ROTATION_ROUNDING_SHARE / 3.0 * before,
                    "{dimension}"
                );
                let largest = vector.iter().fold(0.0_f32, |max, it| max.max(it.abs()));
                assert!(dimension < 64 || largest < 0.6, "{dimension}: {largest}");
            }
        }
    }
}
