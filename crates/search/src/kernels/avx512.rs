//! The loops for processors with AVX-512 and its instructions for products of bytes (VNNI).
#![expect(unsafe_code, reason = "vectors are loaded through pointers, and the functions need a feature")]

use super::{Kernels, ROWS_PER_SKETCH_BLOCK, SketchSums, avx2, check_near, check_sketch};
use std::arch::x86_64::{
    __m512i, _MM_HINT_T0, _mm_add_epi32, _mm_loadu_si128, _mm_prefetch, _mm_storeu_si128, _mm256_add_epi32,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_loadu_si256, _mm512_add_epi8, _mm512_add_epi16,
    _mm512_add_epi32, _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_castsi256_si512,
    _mm512_castsi512_si256, _mm512_dpbusd_epi32, _mm512_extracti64x4_epi64, _mm512_inserti64x4,
    _mm512_maskz_loadu_epi8, _mm512_permutex2var_epi64, _mm512_set_epi64, _mm512_set1_epi8,
    _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_slli_epi16, _mm512_srli_epi16, _mm512_storeu_si512,
    _mm512_sub_epi16, _mm512_unpackhi_epi16, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64,
    _mm512_unpacklo_epi16, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
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

fn sketch(tables: &[&[u8]], blocks: &[u8], out: &mut [SketchSums]) {
    check_sketch(tables, blocks, out);
    for (tables, out) in tables.chunks(MAX_QUERIES_AT_ONCE).zip(out.chunks_mut(MAX_QUERIES_AT_ONCE)) {
        // SAFETY: this function is reachable only through `kernels`, which checked for the features.
        unsafe {
            match *tables {
                [a] => sketch_avx512([a], blocks, out),
                [a, b] => sketch_avx512([a, b], blocks, out),
                [a, b, c] => sketch_avx512([a, b, c], blocks, out),
                [a, b, c, d] => sketch_avx512([a, b, c, d], blocks, out),
                [a, b, c, d, e] => sketch_avx512([a, b, c, d, e], blocks, out),
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
        // which is fastest in sequence; with five queries, more rows would not fit the registers.
        let sums = match QUERIES {
            1 => four_rows::<QUERIES, 1>(queries, four),
            2..=4 => four_rows::<QUERIES, 4>(queries, four),
            _ => four_rows::<QUERIES, 2>(queries, four),
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

/// For each query and each of four rows the dot product, as sixteen partial sums. So many rows are read together.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn four_rows<const QUERIES: usize, const TOGETHER: usize>(
    queries: [&[i8]; QUERIES],
    rows: &[u8],
) -> [[__m512i; 4]; QUERIES] {
    let mut all = [[_mm512_setzero_si512(); 4]; QUERIES];
    for (at, rows) in rows.chunks_exact(rows.len() / 4 * TOGETHER).enumerate() {
        for (all, sums) in all.iter_mut().zip(products_of::<QUERIES, TOGETHER>(queries, rows)) {
            all[at * TOGETHER..(at + 1) * TOGETHER].copy_from_slice(&sums);
        }
    }
    all
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
        let (mut lows, mut highs) = ([_mm512_setzero_si512(); ROWS], [_mm512_setzero_si512(); ROWS]);
        for row in 0..ROWS {
            // The address may lie beyond the end of the rows; prefetching it is harmless.
            let ahead =
                rows.as_ptr().wrapping_add(ROWS * from + row * VECTOR_BYTES + PREFETCH_DISTANCE_BYTES);
            _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
            // SAFETY: there are `ROWS` rows of `width` bytes, and the mask has a bit for each that is left of this one.
            let both = unsafe { _mm512_maskz_loadu_epi8(mask, rows.as_ptr().add(row * width + from).cast()) };
            lows[row] = _mm512_and_si512(both, half);
            highs[row] = _mm512_and_si512(_mm512_srli_epi16::<4>(both), half);
        }
        for (query, sums) in queries.iter().zip(&mut sums) {
            // SAFETY: a query has twice as many numbers as a row has bytes, and the mask is as above.
            let low = unsafe { _mm512_maskz_loadu_epi8(mask, query.as_ptr().add(from)) };
            // SAFETY: as above.
            let high = unsafe { _mm512_maskz_loadu_epi8(mask, query.as_ptr().add(width + from)) };
            for row in 0..ROWS {
                sums[row] = _mm512_dpbusd_epi32(sums[row], lows[row], low);
                sums[row] = _mm512_dpbusd_epi32(sums[row], highs[row], high);
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

/// Loads 16 bytes into every quarter.
#[target_feature(enable = "avx512f")]
#[inline]
fn table(from: &[u8]) -> __m512i {
    assert!(from.len() >= 16, "16 bytes are there");
    // SAFETY: 16 bytes are there, as was just checked, and the load asks for no alignment.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(from.as_ptr().cast()) })
}

/// Loads the bytes of 32 rows of one block, and of 32 rows of another.
#[target_feature(enable = "avx512f")]
#[inline]
fn join(first: &[u8], second: &[u8]) -> __m512i {
    assert!(first.len().min(second.len()) >= ROWS_PER_SKETCH_BLOCK, "32 bytes are there");
    // SAFETY: 32 bytes are there, as was just checked, and the load asks for no alignment.
    let low = unsafe { _mm256_loadu_si256(first.as_ptr().cast()) };
    // SAFETY: as above.
    let high = unsafe { _mm256_loadu_si256(second.as_ptr().cast()) };
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

/// The sums of a few queries for 64 rows.
#[target_feature(enable = "avx512f,avx512bw")]
fn sketch_avx512<const QUERIES: usize>(tables: [&[u8]; QUERIES], blocks: &[u8], out: &mut [SketchSums]) {
    let half = _mm512_set1_epi8(15);
    let (first, second) = blocks.split_at(blocks.len() / 2);
    // Of two neighbouring rows, `pairs` sums the first and 256 times the second, modulo 2^16, and `odds` the second.
    let mut pairs = [_mm512_setzero_si512(); QUERIES];
    let mut odds = [_mm512_setzero_si512(); QUERIES];
    let bytes =
        first.chunks_exact(ROWS_PER_SKETCH_BLOCK).zip(second.chunks_exact(ROWS_PER_SKETCH_BLOCK)).enumerate();
    for (at, (first, second)) in bytes {
        // The address may lie beyond the end of the blocks; prefetching it is harmless.
        let ahead = blocks.as_ptr().wrapping_add(2 * ROWS_PER_SKETCH_BLOCK * at + PREFETCH_DISTANCE_BYTES);
        _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
        let both = join(first, second);
        let low = _mm512_and_si512(both, half);
        let high = _mm512_and_si512(_mm512_srli_epi16::<4>(both), half);
        for ((tables, pairs), odds) in tables.iter().zip(&mut pairs).zip(&mut odds) {
            let tables = &tables[32 * at..][..32];
            let one = _mm512_shuffle_epi8(table(&tables[..16]), low);
            let sum = _mm512_add_epi8(one, _mm512_shuffle_epi8(table(&tables[16..]), high));
            *pairs = _mm512_add_epi16(*pairs, sum);
            *odds = _mm512_add_epi16(*odds, _mm512_srli_epi16::<8>(sum));
        }
    }
    let (front, back) =
        (_mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0), _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4));
    for ((pairs, odds), out) in pairs.into_iter().zip(odds).zip(out) {
        let evens = _mm512_sub_epi16(pairs, _mm512_slli_epi16::<8>(odds));
        let (low, high) = (_mm512_unpacklo_epi16(evens, odds), _mm512_unpackhi_epi16(evens, odds));
        let (first, second) = out.split_at_mut(ROWS_PER_SKETCH_BLOCK);
        // SAFETY: the half has 64 bytes, and the store asks for no alignment.
        unsafe { _mm512_storeu_si512(first.as_mut_ptr().cast(), _mm512_permutex2var_epi64(low, front, high)) }
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(second.as_mut_ptr().cast(), _mm512_permutex2var_epi64(low, back, high)) }
    }
}
