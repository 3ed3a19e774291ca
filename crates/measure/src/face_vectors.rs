//! Faces as vectors with random directions, which give an index no structure to exploit: the worst case.

use search::Uuid;

/// The id of the face with this number.
pub fn face(at: usize) -> Uuid {
    Uuid::from_u128(at as u128 + 1)
}

/// A random number generator with a seed.
#[derive(Debug)]
pub struct SeededRng(pub u64);

impl SeededRng {
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    /// Approximately normal: the sum of eight uniform numbers.
    fn next_normal(&mut self) -> f32 {
        [self.next_u64(), self.next_u64()]
            .iter()
            .flat_map(|it| [0, 16, 32, 48].map(|at| ((it >> at) & 0xffff) as f32 / 65536.0 - 0.5))
            .sum()
    }

    /// A vector of length one in any direction.
    pub fn direction(&mut self, dimension: usize) -> Vec<f32> {
        let mut vector: Vec<_> = (0..dimension).map(|_| self.next_normal()).collect();
        scale(&mut vector);
        vector
    }

    /// A direction at this distance from another.
    pub fn direction_at_distance(&mut self, from: &[f32], distance: f32) -> Vec<f32> {
        let mut across = self.direction(from.len());
        let along: f32 = across.iter().zip(from).map(|(a, b)| a * b).sum();
        for (it, from) in across.iter_mut().zip(from) {
            *it -= along * from;
        }
        scale(&mut across);
        let cosine = 1.0 - distance * distance / 2.0;
        let sine = (1.0 - cosine * cosine).sqrt();
        from.iter().zip(&across).map(|(from, across)| cosine * from + sine * across).collect()
    }
}

fn scale(vector: &mut [f32]) {
    let length = vector.iter().map(|it| it * it).sum::<f32>().sqrt();
    for it in vector {
        *it /= length;
    }
}
