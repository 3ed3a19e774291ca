//! The loops for 64-bit ARM with NEON.
#![expect(unsafe_code, reason = "vectors are loaded through pointers")]

use super::{
    DIMENSIONS_PER_GROUP, Kernels, ROWS_PER_SKETCH_BLOCK, SKETCH_SEGMENT_BYTES, SKETCH_SEGMENT_TABLE_BYTES,
    SketchSums, check_full, check_near, check_sketch,
};
use std::arch::aarch64::{
    int16x8_t, int32x4_t, uint8x16_t, vaddq_s32, vaddq_u8, vaddvq_s32, vaddw_high_u8, vaddw_u8, vandq_u8,
    vbicq_u8, vdupq_n_s16, vdupq_n_s32, vdupq_n_u8, vdupq_n_u16, vget_low_s8, vget_low_s16, vget_low_u8,
    vld1q_s8, vld1q_s16, vld1q_u8, vmlal_high_s8, vmlal_high_s16, vmlal_s8, vmlal_s16, vmovl_high_u8,
    vmovl_u8, vorrq_u8, vpadalq_s16, vqtbl1q_u8, vreinterpretq_s8_u8, vreinterpretq_s16_u16, vshlq_n_u8,
    vshrq_n_u8, vst1q_u16,
};

/// Bytes of a NEON vector.
const VECTOR_BYTES: usize = 16;
/// Queries that are compared together, as with the other sets.
const MAX_QUERIES_AT_ONCE: usize = 5;

/// The set, if the processor has the feature.
pub(super) fn kernels() -> Option<Kernels> {
    std::arch::is_aarch64_feature_detected!("neon").then_some(Kernels { name: "neon", near, full, sketch })
}

fn near(queries: &[&[i8]], rows: &[u8], out: &mut [i32]) {
    check_near(queries, rows, out);
    let count = out.len() / queries.len().max(1);
    for (queries, out) in
        queries.chunks(MAX_QUERIES_AT_ONCE).zip(out.chunks_mut((MAX_QUERIES_AT_ONCE * count).max(1)))
    {
        // SAFETY: this function is reachable only through `kernels`, which checked for the feature.
        unsafe {
            match *queries {
                [a] => near_neon([a], rows, out),
                [a, b] => near_neon([a, b], rows, out),
                [a, b, c] => near_neon([a, b, c], rows, out),
                [a, b, c, d] => near_neon([a, b, c, d], rows, out),
                [a, b, c, d, e] => near_neon([a, b, c, d, e], rows, out),
                _ => unreachable!("chunks are of one to five queries"),
            }
        }
    }
}

fn full(query: &[i16], high: &[u8], low: &[u8]) -> i32 {
    check_full(query, high, low);
    // SAFETY: this function is reachable only through `kernels`, which checked for the feature.
    unsafe { full_neon(query, high, low) }
}

fn sketch(tables: &[&[u8]], block: &[u8], out: &mut [SketchSums]) {
    check_sketch(tables, block, out);
    for (tables, out) in tables.chunks(MAX_QUERIES_AT_ONCE).zip(out.chunks_mut(MAX_QUERIES_AT_ONCE)) {
        // SAFETY: this function is reachable only through `kernels`, which checked for the feature.
        unsafe {
            match *tables {
                [a] => sketch_neon([a], block, out),
                [a, b] => sketch_neon([a, b], block, out),
                [a, b, c] => sketch_neon([a, b, c], block, out),
                [a, b, c, d] => sketch_neon([a, b, c, d], block, out),
                [a, b, c, d, e] => sketch_neon([a, b, c, d, e], block, out),
                _ => unreachable!("chunks are of one to five queries"),
            }
        }
    }
}

/// Loads the first 16 bytes of a slice.
#[target_feature(enable = "neon")]
#[inline]
fn load(from: &[u8]) -> uint8x16_t {
    assert!(from.len() >= VECTOR_BYTES, "16 bytes are there");
    // SAFETY: 16 bytes are there, as was just checked, and the load asks for no alignment.
    unsafe { vld1q_u8(from.as_ptr()) }
}

/// Adds the products of 16 four-bit codes and 16 query numbers to eight sums.
#[target_feature(enable = "neon")]
#[inline]
fn add_products(sums: int16x8_t, codes: uint8x16_t, query: &[i8]) -> int16x8_t {
    assert!(query.len() >= VECTOR_BYTES, "16 numbers are there");
    // SAFETY: 16 numbers are there, as was just checked, and the load asks for no alignment.
    let query = unsafe { vld1q_s8(query.as_ptr()) };
    let codes = vreinterpretq_s8_u8(codes);
    let sums = vmlal_s8(sums, vget_low_s8(codes), vget_low_s8(query));
    vmlal_high_s8(sums, codes, query)
}

/// The dot products of a few queries with many rows, of which each is taken apart once.
#[target_feature(enable = "neon")]
fn near_neon<const QUERIES: usize>(queries: [&[i8]; QUERIES], rows: &[u8], out: &mut [i32]) {
    let nibble = vdupq_n_u8(15);
    let width = queries[0].len() / 2;
    let (group, count) = (DIMENSIONS_PER_GROUP / 2, rows.len() / width);
    for (at, row) in rows.chunks_exact(width).enumerate() {
        let mut sums = [vdupq_n_s32(0); QUERIES];
        for (number, bytes) in row.chunks_exact(group).enumerate() {
            // Eight products of at most 15 * 127 = 1905 fit 16 bits.
            let mut narrow = [vdupq_n_s16(0); QUERIES];
            for (part, bytes) in bytes.chunks_exact(VECTOR_BYTES).enumerate() {
                let both = load(bytes);
                let (low, high) = (vandq_u8(both, nibble), vshrq_n_u8::<4>(both));
                let from = number * group + part * VECTOR_BYTES;
                for (query, narrow) in queries.iter().zip(&mut narrow) {
                    *narrow = add_products(*narrow, low, &query[from..]);
                    *narrow = add_products(*narrow, high, &query[width + from..]);
                }
            }
            for (sums, narrow) in sums.iter_mut().zip(narrow) {
                *sums = vpadalq_s16(*sums, narrow);
            }
        }
        for (query, sums) in sums.into_iter().enumerate() {
            out[query * count + at] = vaddvq_s32(sums);
        }
    }
}

/// Adds the products of 16 whole codes and 16 query numbers to four sums.
#[target_feature(enable = "neon")]
#[inline]
fn add_wide(sums: int32x4_t, codes: uint8x16_t, query: &[i16]) -> int32x4_t {
    assert!(query.len() >= VECTOR_BYTES, "16 numbers are there");
    // SAFETY: 16 numbers are there, as was just checked, and the load asks for no alignment.
    let one = unsafe { vld1q_s16(query.as_ptr()) };
    // SAFETY: as above; eight of them follow the first eight.
    let two = unsafe { vld1q_s16(query.as_ptr().add(VECTOR_BYTES / 2)) };
    let low = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(codes)));
    let high = vreinterpretq_s16_u16(vmovl_high_u8(codes));
    let sums = vmlal_high_s16(vmlal_s16(sums, vget_low_s16(low), vget_low_s16(one)), low, one);
    vmlal_high_s16(vmlal_s16(sums, vget_low_s16(high), vget_low_s16(two)), high, two)
}

#[target_feature(enable = "neon")]
fn full_neon(query: &[i16], high: &[u8], low: &[u8]) -> i32 {
    let nibble = vdupq_n_u8(15);
    let (mut low_sums, mut high_sums) = (vdupq_n_s32(0), vdupq_n_s32(0));
    let planes = high.chunks_exact(DIMENSIONS_PER_GROUP / 2).zip(low.chunks_exact(DIMENSIONS_PER_GROUP / 2));
    for (q, (high, low)) in query.chunks_exact(DIMENSIONS_PER_GROUP).zip(planes) {
        let (a, b) = q.split_at(DIMENSIONS_PER_GROUP / 2);
        let bytes = high.chunks_exact(VECTOR_BYTES).zip(low.chunks_exact(VECTOR_BYTES));
        for ((a, b), (high, low)) in a.chunks_exact(VECTOR_BYTES).zip(b.chunks_exact(VECTOR_BYTES)).zip(bytes)
        {
            let (high, low) = (load(high), load(low));
            low_sums = add_wide(low_sums, vorrq_u8(vshlq_n_u8::<4>(high), vandq_u8(low, nibble)), a);
            high_sums = add_wide(high_sums, vorrq_u8(vbicq_u8(high, nibble), vshrq_n_u8::<4>(low)), b);
        }
    }
    vaddvq_s32(vaddq_s32(low_sums, high_sums))
}

/// The sums of a few queries for the 64 rows of a block.
#[target_feature(enable = "neon")]
fn sketch_neon<const QUERIES: usize>(tables: [&[u8]; QUERIES], block: &[u8], out: &mut [SketchSums]) {
    let nibble = vdupq_n_u8(15);
    for part in (0..ROWS_PER_SKETCH_BLOCK).step_by(VECTOR_BYTES) {
        let (mut low, mut high) = ([vdupq_n_u16(0); QUERIES], [vdupq_n_u16(0); QUERIES]);
        for (at, segment) in block.as_chunks::<SKETCH_SEGMENT_BYTES>().0.iter().enumerate() {
            let mut sums = [vdupq_n_u8(0); QUERIES];
            for (eight, bytes) in segment.as_chunks::<ROWS_PER_SKETCH_BLOCK>().0.iter().enumerate() {
                let both = load(&bytes[part..]);
                let (first, second) = (vandq_u8(both, nibble), vshrq_n_u8::<4>(both));
                for (tables, sum) in tables.iter().zip(&mut sums) {
                    let tables = &tables[at * SKETCH_SEGMENT_TABLE_BYTES + 32 * eight..][..32];
                    let one = vqtbl1q_u8(load(tables), first);
                    let two = vqtbl1q_u8(load(&tables[VECTOR_BYTES..]), second);
                    *sum = vaddq_u8(*sum, vaddq_u8(one, two));
                }
            }
            for ((sum, low), high) in sums.iter().zip(&mut low).zip(&mut high) {
                *low = vaddw_u8(*low, vget_low_u8(*sum));
                *high = vaddw_high_u8(*high, *sum);
            }
        }
        for ((low, high), out) in low.into_iter().zip(high).zip(out.iter_mut()) {
            let out = &mut out[part..][..VECTOR_BYTES];
            let (first, second) = out.split_at_mut(VECTOR_BYTES / 2);
            // SAFETY: each half has eight numbers of 16 bits, and the store asks for no alignment.
            unsafe { vst1q_u16(first.as_mut_ptr(), low) }
            // SAFETY: as above.
            unsafe { vst1q_u16(second.as_mut_ptr(), high) }
        }
    }
}
