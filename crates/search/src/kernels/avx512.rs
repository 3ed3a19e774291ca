//! The loops for processors with AVX-512 and its instructions for products of bytes (VNNI).
#![expect(unsafe_code, reason = "vectors are loaded through pointers, and the functions need a feature")]

use super::{DIMENSIONS_PER_GROUP, Kernels, ROWS_PER_SKETCH_BLOCK, avx2, check_near, check_sketch};
use std::arch::x86_64::{
    __m256i, __m512i, _MM_HINT_T0, _mm_loadu_si128, _mm_prefetch, _mm256_broadcastsi128_si256,
    _mm256_loadu_si256, _mm512_add_epi8, _mm512_add_epi16, _mm512_and_si512, _mm512_castsi256_si512,
    _mm512_dpbusd_epi32, _mm512_inserti64x4, _mm512_loadu_si512, _mm512_reduce_add_epi32, _mm512_set1_epi8,
    _mm512_set1_epi16, _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_srli_epi16, _mm512_storeu_si512,
    _mm512_zextsi256_si512,
};

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

fn near(query: &[i8], rows: &[u8], out: &mut [i32]) {
    check_near(query, rows, out);
    // SAFETY: this function is reachable only through `kernels`, which checked for the features.
    unsafe { near_avx512(query, rows, out) }
}

fn sketch(tables: &[u8], block: &[u8], out: &mut [u16; ROWS_PER_SKETCH_BLOCK]) {
    check_sketch(tables, block);
    // SAFETY: this function is reachable only through `kernels`, which checked for the features.
    unsafe { sketch_avx512(tables, block, out) }
}

/// Loads the first 64 bytes of a slice.
#[target_feature(enable = "avx512f")]
#[inline]
fn load(from: &[u8]) -> __m512i {
    assert!(from.len() >= 64, "64 bytes are there");
    // SAFETY: 64 bytes are there, as was just checked, and the load asks for no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// Loads the first 32 bytes of a slice.
#[target_feature(enable = "avx512f")]
#[inline]
fn load_half<T: Copy>(from: &[T]) -> __m256i {
    assert!(size_of_val(from) >= 32, "32 bytes are there");
    // SAFETY: 32 bytes are there, as was just checked, and the load asks for no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn join(low: __m256i, high: __m256i) -> __m512i {
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn near_avx512(query: &[i8], rows: &[u8], out: &mut [i32]) {
    let half = _mm512_set1_epi8(15);
    for (row, out) in rows.chunks_exact(query.len() / 2).zip(out) {
        let (mut firsts, mut seconds) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        for (q, bytes) in query.chunks(2 * DIMENSIONS_PER_GROUP).zip(row.chunks(DIMENSIONS_PER_GROUP)) {
            // The address may lie beyond the end of the rows; prefetching it is harmless.
            _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(PREFETCH_DISTANCE_BYTES).cast());
            let (both, a, b) = if q.len() == 2 * DIMENSIONS_PER_GROUP {
                let a = join(load_half(q), load_half(&q[DIMENSIONS_PER_GROUP..]));
                let b = join(
                    load_half(&q[DIMENSIONS_PER_GROUP / 2..]),
                    load_half(&q[3 * DIMENSIONS_PER_GROUP / 2..]),
                );
                (load(bytes), a, b)
            } else {
                let a = _mm512_zextsi256_si512(load_half(q));
                let b = _mm512_zextsi256_si512(load_half(&q[DIMENSIONS_PER_GROUP / 2..]));
                (_mm512_zextsi256_si512(load_half(bytes)), a, b)
            };
            firsts = _mm512_dpbusd_epi32(firsts, _mm512_and_si512(both, half), a);
            let upper = _mm512_and_si512(_mm512_srli_epi16::<4>(both), half);
            seconds = _mm512_dpbusd_epi32(seconds, upper, b);
        }
        *out = _mm512_reduce_add_epi32(firsts) + _mm512_reduce_add_epi32(seconds);
    }
}

/// Loads 16 bytes into both quarters of the low half, and another 16 into both of the high half.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn tables_of(one: &[u8], two: &[u8]) -> __m512i {
    assert!(one.len() >= 16 && two.len() >= 16, "16 bytes are there");
    // SAFETY: 16 bytes are there, as was just checked, and the load asks for no alignment.
    let one = unsafe { _mm_loadu_si128(one.as_ptr().cast()) };
    // SAFETY: as above.
    let two = unsafe { _mm_loadu_si128(two.as_ptr().cast()) };
    join(_mm256_broadcastsi128_si256(one), _mm256_broadcastsi128_si256(two))
}

#[target_feature(enable = "avx512f,avx512bw")]
fn sketch_avx512(tables: &[u8], block: &[u8], out: &mut [u16; ROWS_PER_SKETCH_BLOCK]) {
    let (half, even) = (_mm512_set1_epi8(15), _mm512_set1_epi16(0xff));
    let (mut evens, mut odds) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    for (tables, bytes) in tables.chunks_exact(64).zip(block.chunks_exact(2 * ROWS_PER_SKETCH_BLOCK)) {
        let both = load(bytes);
        _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(PREFETCH_DISTANCE_BYTES).cast());
        let first = _mm512_shuffle_epi8(tables_of(tables, &tables[32..]), _mm512_and_si512(both, half));
        let upper = _mm512_and_si512(_mm512_srli_epi16::<4>(both), half);
        let second = _mm512_shuffle_epi8(tables_of(&tables[16..], &tables[48..]), upper);
        let sum = _mm512_add_epi8(first, second);
        evens = _mm512_add_epi16(evens, _mm512_and_si512(sum, even));
        odds = _mm512_add_epi16(odds, _mm512_srli_epi16::<8>(sum));
    }
    let mut halves = [[0_u16; ROWS_PER_SKETCH_BLOCK]; 2];
    for (into, sums) in halves.iter_mut().zip([evens, odds]) {
        // SAFETY: the array has 64 bytes, and the store asks for no alignment.
        unsafe { _mm512_storeu_si512(into.as_mut_ptr().cast(), sums) }
    }
    for (at, out) in out.iter_mut().enumerate() {
        let sums = &halves[at % 2];
        *out = sums[at / 2] + sums[ROWS_PER_SKETCH_BLOCK / 2 + at / 2];
    }
}
