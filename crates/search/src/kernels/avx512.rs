//! The loops for processors with AVX-512 and its instructions for products of bytes (VNNI).
#![expect(unsafe_code, reason = "vectors are loaded through pointers, and the functions need a feature")]

use super::{
    Kernels, ROWS_PER_SKETCH_BLOCK, SKETCH_SEGMENT_BYTES, SKETCH_SEGMENT_TABLE_BYTES, SketchSums, avx2,
    check_near, check_sketch,
};
use std::arch::x86_64::{
    __m512i, _MM_HINT_T0, _mm_add_epi32, _mm_loadu_si128, _mm_prefetch, _mm_storeu_si128, _mm256_add_epi32,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm512_add_epi8, _mm512_add_epi16, _mm512_add_epi32,
    _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_castsi512_si256, _mm512_dpbusd_epi32,
    _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_maskz_loadu_epi8, _mm512_permutex2var_epi64,
    _mm512_set_epi64, _mm512_set1_epi8, _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_slli_epi16,
    _mm512_srli_epi16, _mm512_storeu_si512, _mm512_sub_epi16, _mm512_unpackhi_epi16, _mm512_unpackhi_epi32,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi16, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
};

/// Bytes of a vector.
const VECTOR_BYTES: usize = 64;
/// Queries that are compared together: more would not fit the registers.
const MAX_QUERIES_AT_ONCE: usize = 5;
/// How far ahead of the read position to prefetch.
const PREFETCH_DISTANCE_BYTES: usize = 4096;

/// The set, if the processor has the features. Whole codes are read so rarely that the AVX2 loop is kept for them.
pub(super) fn kernels() -> Option<Kernels> {
    let available = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vnni");
    let avx2 = avx2::kernels()?;
    available.then_some(Kernels { name: "avx512", near, sketch, ..avx2 })
}

fn near(queries: &[&[i8]], rows: &[u8], out: &mut [i32]) {
    check_near(queries, rows, out);
    let count = out.len() / queries.len().max(1);
    for (queries, out) in
        queries.chunks(MAX_QUERIES_AT_ONCE).zip(out.chunks_mut((MAX_QUERIES_AT_ONCE * count).max(1)))
    {
        // SAFETY: this function is reachable only through `kernels`, which checked for the features.
        unsafe {
            match *queries {
                [a] => near_avx512([a], rows, out),
                [a, b] => near_avx512([a, b], rows, out),
                [a, b, c] => near_avx512([a, b, c], rows, out),
                [a, b, c, d] => near_avx512([a, b, c, d], rows, out),
                [a, b, c, d, e] => near_avx512([a, b, c, d, e], rows, out),
                _ => unreachable!("chunks are of one to five queries"),
            }
        }
    }
}

fn sketch(tables: &[&[u8]], block: &[u8], out: &mut [SketchSums]) {
    check_sketch(tables, block, out);
    for (tables, out) in tables.chunks(MAX_QUERIES_AT_ONCE).zip(out.chunks_mut(MAX_QUERIES_AT_ONCE)) {
        // SAFETY: this function is reachable only through `kernels`, which checked for the features.
        unsafe {
            match *tables {
                [a] => sketch_avx512([a], block, out),
                [a, b] => sketch_avx512([a, b], block, out),
                [a, b, c] => sketch_avx512([a, b, c], block, out),
                [a, b, c, d] => sketch_avx512([a, b, c, d], block, out),
                [a, b, c, d, e] => sketch_avx512([a, b, c, d, e], block, out),
                _ => unreachable!("chunks are of one to five queries"),
            }
        }
    }
}

/// The dot products of a few queries with many rows.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn near_avx512<const QUERIES: usize>(queries: [&[i8]; QUERIES], rows: &[u8], out: &mut [i32]) {
    let width = queries[0].len() / 2;
    let count = rows.len() / width;
    let fours = rows.chunks_exact(4 * width);
    let rest = fours.remainder();
    for (at, four) in fours.enumerate() {
        // Rows that are read together share the loads of the queries. One query is so fast that memory is what counts,
        // which is fastest in sequence.
        let sums = if QUERIES == 1 {
            let mut sums = [[_mm512_setzero_si512(); 4]; QUERIES];
            for (at, row) in four.chunks_exact(width).enumerate() {
                [sums[0][at]] = products_of::<QUERIES, 1>(queries, row)[0];
            }
            sums
        } else {
            products_of::<QUERIES, 4>(queries, four)
        };
        for (query, sums) in sums.into_iter().enumerate() {
            out[query * count + 4 * at..][..4].copy_from_slice(&totals(sums));
        }
    }
    for (at, row) in (count / 4 * 4..).zip(rest.chunks_exact(width)) {
        for (query, [sum]) in products_of::<QUERIES, 1>(queries, row).into_iter().enumerate() {
            let zero = _mm512_setzero_si512();
            out[query * count + at] = totals([sum, zero, zero, zero])[0];
        }
    }
}

/// For each query and each row the dot product, as sixteen partial sums.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn products_of<const QUERIES: usize, const ROWS: usize>(
    queries: [&[i8]; QUERIES],
    rows: &[u8],
) -> [[__m512i; ROWS]; QUERIES] {
    let width = queries[0].len() / 2;
    assert_eq!(rows.len(), ROWS * width, "these are the rows");
    assert!(queries.iter().all(|it| it.len() == 2 * width), "all queries have the same dimensions");
    let half = _mm512_set1_epi8(15);
    let mut sums = [[_mm512_setzero_si512(); ROWS]; QUERIES];
    for from in (0..width).step_by(VECTOR_BYTES) {
        let mask = if width - from >= VECTOR_BYTES { u64::MAX } else { (1 << (width - from)) - 1 };
        let (mut both, mut halves) = ([_mm512_setzero_si512(); ROWS], [_mm512_setzero_si512(); ROWS]);
        for row in 0..ROWS {
            // The address may lie beyond the end of the rows; prefetching it is harmless.
            let ahead =
                rows.as_ptr().wrapping_add(ROWS * from + row * VECTOR_BYTES + PREFETCH_DISTANCE_BYTES);
            _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
            // SAFETY: there are `ROWS` rows of `width` bytes, and the mask has a bit for each that is left of this one.
            both[row] =
                unsafe { _mm512_maskz_loadu_epi8(mask, rows.as_ptr().add(row * width + from).cast()) };
            halves[row] = _mm512_and_si512(both[row], half);
        }
        for (query, sums) in queries.iter().zip(&mut sums) {
            // SAFETY: a query has twice as many numbers as a row has bytes, and the mask is as above.
            let low = unsafe { _mm512_maskz_loadu_epi8(mask, query.as_ptr().add(from)) };
            for row in 0..ROWS {
                sums[row] = _mm512_dpbusd_epi32(sums[row], halves[row], low);
            }
        }
        // The other halves take the registers of the first: with both, five queries would not fit.
        for row in 0..ROWS {
            halves[row] = _mm512_and_si512(_mm512_srli_epi16::<4>(both[row]), half);
        }
        for (query, sums) in queries.iter().zip(&mut sums) {
            // SAFETY: as above.
            let high = unsafe { _mm512_maskz_loadu_epi8(mask, query.as_ptr().add(width + from)) };
            for row in 0..ROWS {
                sums[row] = _mm512_dpbusd_epi32(sums[row], halves[row], high);
            }
        }
    }
    sums
}

/// The totals of four vectors of sixteen numbers.
#[target_feature(enable = "avx512f")]
#[inline]
fn totals([a, b, c, d]: [__m512i; 4]) -> [i32; 4] {
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    // Each quarter has one number of each.
    let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
    let quarter = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
    let mut totals = [0; 4];
    // SAFETY: the array has 16 bytes, and the store asks for no alignment.
    unsafe { _mm_storeu_si128(totals.as_mut_ptr().cast(), quarter) }
    totals
}

/// The sums of a few queries for the 64 rows of a block.
#[target_feature(enable = "avx512f,avx512bw")]
fn sketch_avx512<const QUERIES: usize>(tables: [&[u8]; QUERIES], block: &[u8], out: &mut [SketchSums]) {
    assert!(tables.iter().all(|it| 2 * it.len() == block.len()), "each eight dimensions have two tables");
    let half = _mm512_set1_epi8(15);
    // Of two neighbouring rows, `pairs` sums the first and 256 times the second, modulo 2^16, and `odds` the second.
    let mut pairs = [_mm512_setzero_si512(); QUERIES];
    let mut odds = [_mm512_setzero_si512(); QUERIES];
    for (at, bytes) in block.as_chunks::<SKETCH_SEGMENT_BYTES>().0.iter().enumerate() {
        // By table, the bits that select its entries.
        let mut signs = [_mm512_setzero_si512(); 8];
        for (eight, bytes) in bytes.as_chunks::<VECTOR_BYTES>().0.iter().enumerate() {
            // The address may lie beyond the end of the block; prefetching it is harmless.
            _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(PREFETCH_DISTANCE_BYTES).cast());
            // SAFETY: there are 64 bytes, and the load asks for no alignment.
            let both = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
            signs[2 * eight] = _mm512_and_si512(both, half);
            signs[2 * eight + 1] = _mm512_and_si512(_mm512_srli_epi16::<4>(both), half);
        }
        for ((tables, pairs), odds) in tables.iter().zip(&mut pairs).zip(&mut odds) {
            let mut sum = _mm512_setzero_si512();
            for (table, signs) in signs.into_iter().enumerate() {
                let from = at * SKETCH_SEGMENT_TABLE_BYTES + 16 * table;
                // SAFETY: the block has half as many segments as the tables of a query have times 64 bytes, as was
                // checked, and `at` is one of them.
                let entries = unsafe { _mm_loadu_si128(tables.as_ptr().add(from).cast()) };
                sum = _mm512_add_epi8(sum, _mm512_shuffle_epi8(_mm512_broadcast_i32x4(entries), signs));
            }
            *pairs = _mm512_add_epi16(*pairs, sum);
            *odds = _mm512_add_epi16(*odds, _mm512_srli_epi16::<8>(sum));
        }
    }
    let (front, back) =
        (_mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0), _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4));
    for ((pairs, odds), out) in pairs.into_iter().zip(odds).zip(out) {
        let evens = _mm512_sub_epi16(pairs, _mm512_slli_epi16::<8>(odds));
        let (low, high) = (_mm512_unpacklo_epi16(evens, odds), _mm512_unpackhi_epi16(evens, odds));
        let (first, second) = out.split_at_mut(ROWS_PER_SKETCH_BLOCK / 2);
        // SAFETY: the half has 64 bytes, and the store asks for no alignment.
        unsafe { _mm512_storeu_si512(first.as_mut_ptr().cast(), _mm512_permutex2var_epi64(low, front, high)) }
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(second.as_mut_ptr().cast(), _mm512_permutex2var_epi64(low, back, high)) }
    }
}
