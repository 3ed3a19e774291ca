//! The loops for processors with AVX2.
#![expect(unsafe_code, reason = "vectors are loaded through pointers, and the functions need a feature")]

use super::{
    DIMENSIONS_PER_GROUP, Kernels, ROWS_PER_SKETCH_BLOCK, SKETCH_SEGMENT_BYTES, SKETCH_SEGMENT_TABLE_BYTES,
    SketchSums, check_full, check_near, check_sketch,
};
use std::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_prefetch, _mm_shuffle_epi32,
    _mm_storeu_si128, _mm256_add_epi8, _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256,
    _mm256_andnot_si256, _mm256_broadcastsi128_si256, _mm256_castsi256_si128, _mm256_cvtepu8_epi16,
    _mm256_extracti128_si256, _mm256_hadd_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_or_si256, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_slli_epi16, _mm256_srli_epi16, _mm256_storeu_si256, _mm256_sub_epi16,
};

/// Bytes of a group in a plane: those of one vector.
const GROUP_BYTES: usize = DIMENSIONS_PER_GROUP / 2;
/// Queries that are compared together: more would not fit the registers.
const MAX_QUERIES_AT_ONCE: usize = 5;
/// How far ahead of the read position to prefetch. The hardware prefetcher stops at the end of a page.
const PREFETCH_DISTANCE_BYTES: usize = 4096;

/// The set, if the processor has the feature.
pub(super) fn kernels() -> Option<Kernels> {
    is_x86_feature_detected!("avx2").then_some(Kernels { name: "avx2", near, full, sketch })
}

/// See [`super::with_avx2`].
#[inline]
pub(super) fn with_avx2<R>(code: impl FnOnce() -> R) -> R {
    #[target_feature(enable = "avx2")]
    fn wide<R>(code: impl FnOnce() -> R) -> R {
        code()
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the feature, as was just checked.
        unsafe { wide(code) }
    } else {
        code()
    }
}

/// See [`super::prefetch`].
#[inline]
pub(super) fn prefetch<T>(items: &[T]) {
    for offset in (0..size_of_val(items)).step_by(64) {
        // SAFETY: this needs SSE, which every x86-64 processor has, and any address may be prefetched.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(items.as_ptr().wrapping_byte_add(offset).cast()) }
    }
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
                [a] => near_one(a, rows, out),
                [a, b] => near_several([a, b], rows, out),
                [a, b, c] => near_several([a, b, c], rows, out),
                [a, b, c, d] => near_several([a, b, c, d], rows, out),
                [a, b, c, d, e] => near_several([a, b, c, d, e], rows, out),
                _ => unreachable!("chunks are of one to five queries"),
            }
        }
    }
}

fn full(query: &[i16], high: &[u8], low: &[u8]) -> i32 {
    check_full(query, high, low);
    // SAFETY: this function is reachable only through `kernels`, which checked for the feature.
    unsafe { full_avx2(query, high, low) }
}

fn sketch(tables: &[&[u8]], block: &[u8], out: &mut [SketchSums]) {
    check_sketch(tables, block, out);
    for (tables, out) in tables.chunks(MAX_QUERIES_AT_ONCE).zip(out.chunks_mut(MAX_QUERIES_AT_ONCE)) {
        for half in [0, ROWS_PER_SKETCH_BLOCK / 2] {
            // SAFETY: this function is reachable only through `kernels`, which checked for the feature.
            unsafe {
                match *tables {
                    [a] => sketch_avx2([a], block, half, out),
                    [a, b] => sketch_avx2([a, b], block, half, out),
                    [a, b, c] => sketch_avx2([a, b, c], block, half, out),
                    [a, b, c, d] => sketch_avx2([a, b, c, d], block, half, out),
                    [a, b, c, d, e] => sketch_avx2([a, b, c, d, e], block, half, out),
                    _ => unreachable!("chunks are of one to five queries"),
                }
            }
        }
    }
}

/// Loads the first 32 bytes of a slice.
#[target_feature(enable = "avx2")]
#[inline]
fn load<T: Copy>(from: &[T]) -> __m256i {
    assert!(size_of_val(from) >= 32, "32 bytes are there");
    // SAFETY: 32 bytes are there, as was just checked, and the load asks for no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn total(sums: __m256i) -> i32 {
    let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b0100_1110>(four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b1011_0001>(two)))
}

#[target_feature(enable = "avx2")]
fn near_one(query: &[i8], rows: &[u8], out: &mut [i32]) {
    let width = query.len() / 2;
    // Four rows at a time share the loads of the query and the horizontal additions.
    let (fours, rest) = out.as_chunks_mut::<4>();
    let (many, few) = rows.split_at(fours.len() * 4 * width);
    for (rows, out) in many.chunks_exact(4 * width).zip(fours) {
        let sums = rows_with_one::<4>(query, rows);
        let pairs = [_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3])];
        let sums = _mm256_hadd_epi32(pairs[0], pairs[1]);
        let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        // SAFETY: `out` has 16 bytes, and the store asks for no alignment.
        unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), sums) }
    }
    for (row, out) in few.chunks_exact(width).zip(rest) {
        *out = total(rows_with_one::<1>(query, row)[0]);
    }
}

/// For each of `ROWS` rows the dot product with the query, as eight partial sums.
#[target_feature(enable = "avx2")]
#[inline]
fn rows_with_one<const ROWS: usize>(query: &[i8], rows: &[u8]) -> [__m256i; ROWS] {
    let (lows, highs) = query.split_at(query.len() / 2);
    let width = lows.len();
    assert_eq!(rows.len(), ROWS * width, "these are the rows");
    let (half, ones) = (_mm256_set1_epi8(15), _mm256_set1_epi16(1));
    let mut sums = [_mm256_setzero_si256(); ROWS];
    // The sums of one group are at most 2 * 2 * 15 * 127 = 7620, so those of four groups fit 16 bits.
    let groups = 4 * GROUP_BYTES;
    for (at, (lows, highs)) in lows.chunks(groups).zip(highs.chunks(groups)).enumerate() {
        let mut narrow = [_mm256_setzero_si256(); ROWS];
        let halves = lows.chunks_exact(GROUP_BYTES).zip(highs.chunks_exact(GROUP_BYTES));
        for (group, (a, b)) in halves.enumerate() {
            let (a, b) = (load(a), load(b));
            for (row, narrow) in narrow.iter_mut().enumerate() {
                let from = row * width + (4 * at + group) * GROUP_BYTES;
                // SAFETY: `from` is a multiple of 32 below the length of `rows`, which is one too, as the row is below
                // `ROWS` and the group below those of the query, which has twice as many numbers as a row has bytes.
                let both = unsafe { _mm256_loadu_si256(rows.as_ptr().add(from).cast()) };
                // The address may lie beyond the end of the rows; prefetching it is harmless.
                _mm_prefetch::<_MM_HINT_T0>(
                    rows.as_ptr().wrapping_add(from + PREFETCH_DISTANCE_BYTES).cast(),
                );
                let first = _mm256_maddubs_epi16(_mm256_and_si256(both, half), a);
                let second = _mm256_and_si256(_mm256_srli_epi16::<4>(both), half);
                let sum = _mm256_add_epi16(first, _mm256_maddubs_epi16(second, b));
                *narrow = _mm256_add_epi16(*narrow, sum);
            }
        }
        for (sum, narrow) in sums.iter_mut().zip(narrow) {
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(narrow, ones));
        }
    }
    sums
}

/// The dot products of several queries with many rows, each of which is taken apart once.
#[target_feature(enable = "avx2")]
fn near_several<const QUERIES: usize>(queries: [&[i8]; QUERIES], rows: &[u8], out: &mut [i32]) {
    let width = queries[0].len() / 2;
    let count = rows.len() / width;
    for (at, row) in rows.chunks_exact(width).enumerate() {
        for (query, sums) in row_with_several(queries, row).into_iter().enumerate() {
            out[query * count + at] = total(sums);
        }
    }
}

/// For each query the dot product with a row, as eight partial sums.
#[target_feature(enable = "avx2")]
#[inline]
fn row_with_several<const QUERIES: usize>(queries: [&[i8]; QUERIES], row: &[u8]) -> [__m256i; QUERIES] {
    let width = row.len();
    assert!(queries.iter().all(|it| it.len() == 2 * width), "all queries have the dimensions of the row");
    let (half, ones) = (_mm256_set1_epi8(15), _mm256_set1_epi16(1));
    let mut sums = [_mm256_setzero_si256(); QUERIES];
    // As above: those of four groups fit 16 bits.
    for (four, groups) in row.chunks(4 * GROUP_BYTES).enumerate() {
        let mut narrow = [_mm256_setzero_si256(); QUERIES];
        for (group, bytes) in groups.chunks_exact(GROUP_BYTES).enumerate() {
            let from = (4 * four + group) * GROUP_BYTES;
            let both = load(bytes);
            // The address may lie beyond the end of the rows; prefetching it is harmless.
            _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(PREFETCH_DISTANCE_BYTES).cast());
            let low = _mm256_and_si256(both, half);
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(both), half);
            for (query, narrow) in queries.iter().zip(&mut narrow) {
                // SAFETY: a query has twice as many numbers as a row has bytes, and 32 and more of each half are left.
                let (a, b) = unsafe {
                    let numbers = query.as_ptr().add(from);
                    (_mm256_loadu_si256(numbers.cast()), _mm256_loadu_si256(numbers.add(width).cast()))
                };
                let sum = _mm256_add_epi16(_mm256_maddubs_epi16(low, a), _mm256_maddubs_epi16(high, b));
                *narrow = _mm256_add_epi16(*narrow, sum);
            }
        }
        for (sum, narrow) in sums.iter_mut().zip(narrow) {
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(narrow, ones));
        }
    }
    sums
}

/// The dot product of 32 codes and 32 query numbers, as eight partial sums.
#[target_feature(enable = "avx2")]
#[inline]
fn products(codes: __m256i, query: &[i16]) -> __m256i {
    let (a, b) = query.split_at(DIMENSIONS_PER_GROUP / 4);
    let one = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(codes));
    let two = _mm256_cvtepu8_epi16(_mm256_extracti128_si256::<1>(codes));
    _mm256_add_epi32(_mm256_madd_epi16(one, load(a)), _mm256_madd_epi16(two, load(b)))
}

#[target_feature(enable = "avx2")]
fn full_avx2(query: &[i16], high: &[u8], low: &[u8]) -> i32 {
    let half = _mm256_set1_epi8(15);
    let mut sums = _mm256_setzero_si256();
    let planes = high.chunks_exact(DIMENSIONS_PER_GROUP / 2).zip(low.chunks_exact(DIMENSIONS_PER_GROUP / 2));
    for (q, (high, low)) in query.chunks_exact(DIMENSIONS_PER_GROUP).zip(planes) {
        let (high, low) = (load(high), load(low));
        let upper = _mm256_slli_epi16::<4>(_mm256_and_si256(high, half));
        let first = _mm256_or_si256(upper, _mm256_and_si256(low, half));
        let lower = _mm256_and_si256(_mm256_srli_epi16::<4>(low), half);
        let second = _mm256_or_si256(_mm256_andnot_si256(half, high), lower);
        let (a, b) = q.split_at(DIMENSIONS_PER_GROUP / 2);
        sums = _mm256_add_epi32(sums, _mm256_add_epi32(products(first, a), products(second, b)));
    }
    total(sums)
}

/// The sums of a few queries for the 32 rows of a block that begin with this one.
#[target_feature(enable = "avx2")]
fn sketch_avx2<const QUERIES: usize>(
    tables: [&[u8]; QUERIES],
    block: &[u8],
    first_row: usize,
    out: &mut [SketchSums],
) {
    assert!(tables.iter().all(|it| 2 * it.len() == block.len()), "each eight dimensions have two tables");
    let half = _mm256_set1_epi8(15);
    // Of two neighbouring rows, `pairs` sums the first and 256 times the second, modulo 2^16, and `odds` the second.
    let (mut pairs, mut odds) = ([_mm256_setzero_si256(); QUERIES], [_mm256_setzero_si256(); QUERIES]);
    for (at, segment) in block.as_chunks::<SKETCH_SEGMENT_BYTES>().0.iter().enumerate() {
        let mut sums = [_mm256_setzero_si256(); QUERIES];
        for (eight, bytes) in segment.as_chunks::<ROWS_PER_SKETCH_BLOCK>().0.iter().enumerate() {
            let both = load(&bytes[first_row..]);
            // The address may lie beyond the end of the block; prefetching it is harmless.
            _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(PREFETCH_DISTANCE_BYTES).cast());
            let first = _mm256_and_si256(both, half);
            let second = _mm256_and_si256(_mm256_srli_epi16::<4>(both), half);
            for (tables, sum) in tables.iter().zip(&mut sums) {
                let from = at * SKETCH_SEGMENT_TABLE_BYTES + 32 * eight;
                // SAFETY: a query has half as many bytes of tables as the block has, as was checked, and these are the
                // 32 that belong to `bytes`.
                let (one, two) = unsafe {
                    let tables = tables.as_ptr().add(from);
                    (_mm_loadu_si128(tables.cast()), _mm_loadu_si128(tables.add(16).cast()))
                };
                let one = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(one), first);
                let two = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(two), second);
                *sum = _mm256_add_epi8(*sum, _mm256_add_epi8(one, two));
            }
        }
        for ((sum, pairs), odds) in sums.iter().zip(&mut pairs).zip(&mut odds) {
            *pairs = _mm256_add_epi16(*pairs, *sum);
            *odds = _mm256_add_epi16(*odds, _mm256_srli_epi16::<8>(*sum));
        }
    }
    for ((pairs, odds), out) in pairs.into_iter().zip(odds).zip(out) {
        let evens = _mm256_sub_epi16(pairs, _mm256_slli_epi16::<8>(odds));
        let mut halves = [[0_u16; ROWS_PER_SKETCH_BLOCK / 4]; 2];
        for (into, sums) in halves.iter_mut().zip([evens, odds]) {
            // SAFETY: the array has 32 bytes, and the store asks for no alignment.
            unsafe { _mm256_storeu_si256(into.as_mut_ptr().cast(), sums) }
        }
        let out = &mut out[first_row..][..ROWS_PER_SKETCH_BLOCK / 2];
        for (row, out) in out.iter_mut().enumerate() {
            *out = halves[row % 2][row / 2];
        }
    }
}
