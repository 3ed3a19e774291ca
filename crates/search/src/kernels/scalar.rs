//! The loops in plain Rust: the reference that the others must agree with.

use super::{
    DIMENSIONS_PER_GROUP, Kernels, ROWS_PER_SKETCH_BLOCK, SketchSums, check_full, check_near, check_sketch,
};

pub(super) const SCALAR_KERNELS: Kernels = Kernels { name: "scalar", near, full, sketch };

fn near(queries: &[&[i8]], rows: &[u8], out: &mut [i32]) {
    check_near(queries, rows, out);
    for (at, query) in queries.iter().enumerate() {
        let (lows, highs) = query.split_at(query.len() / 2);
        let count = rows.len() / lows.len();
        for (row, out) in rows.chunks_exact(lows.len()).zip(&mut out[at * count..]) {
            let products = lows.iter().zip(highs).zip(row).map(|((low, high), byte)| {
                i32::from(*low) * i32::from(byte & 15) + i32::from(*high) * i32::from(byte >> 4)
            });
            *out = products.sum();
        }
    }
}

fn full(query: &[i16], high: &[u8], low: &[u8]) -> i32 {
    check_full(query, high, low);
    let planes = high.chunks_exact(DIMENSIONS_PER_GROUP / 2).zip(low.chunks_exact(DIMENSIONS_PER_GROUP / 2));
    query
        .chunks_exact(DIMENSIONS_PER_GROUP)
        .zip(planes)
        .map(|(q, (high, low))| {
            let (first, second) = q.split_at(DIMENSIONS_PER_GROUP / 2);
            first
                .iter()
                .zip(second)
                .zip(high.iter().zip(low))
                .map(|((a, b), (high, low))| {
                    let one = (high & 15) << 4 | (low & 15);
                    let two = (high & 0xf0) | low >> 4;
                    i32::from(*a) * i32::from(one) + i32::from(*b) * i32::from(two)
                })
                .sum::<i32>()
        })
        .sum()
}

fn sketch(tables: &[&[u8]], block: &[u8], out: &mut [SketchSums]) {
    check_sketch(tables, block, out);
    for (tables, out) in tables.iter().zip(out) {
        *out = [0; ROWS_PER_SKETCH_BLOCK];
        for (tables, bytes) in tables.chunks_exact(32).zip(block.chunks_exact(ROWS_PER_SKETCH_BLOCK)) {
            for (out, byte) in out.iter_mut().zip(bytes) {
                let sum = tables[usize::from(byte & 15)] + tables[16 + usize::from(byte >> 4)];
                *out += u16::from(sum);
            }
        }
    }
}
