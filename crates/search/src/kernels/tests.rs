use super::*;

#[test]
fn every_set_that_runs_here_agrees_with_the_scalar_one() {
    for kernels in Kernels::all() {
        assert!(kernels.agrees(), "{}", kernels.name);
    }
    assert!(Kernels::all().iter().any(|it| it.name == Kernels::best().name));
}

/// So that the test above cannot pass because a set was left out.
#[test]
fn the_sets_of_this_processor_are_among_those_that_run() {
    #[cfg(target_arch = "x86_64")]
    let expected = [
        ("avx512", is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512bw")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("scalar", true),
    ];
    #[cfg(target_arch = "aarch64")]
    let expected = [("neon", true), ("scalar", true)];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let expected = [("scalar", true)];
    let expected: Vec<_> = expected.into_iter().filter(|it| it.1).map(|it| it.0).collect();
    let found: Vec<_> = Kernels::all().iter().map(|it| it.name).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_set_with_wrong_numbers_is_rejected() {
    let wrong: [Kernels; 3] = [
        Kernels { near: |_, _, _| {}, ..scalar::SCALAR_KERNELS },
        Kernels { full: |_, _, _| 0, ..scalar::SCALAR_KERNELS },
        Kernels { sketch: |_, _, _| {}, ..scalar::SCALAR_KERNELS },
    ];
    assert!(wrong.iter().all(|it| !it.agrees()));
}

proptest::proptest! {
    #[test]
    fn every_set_agrees_on_any_width(groups in 1_usize..33, seed in 1_u64.., extreme: bool) {
        let mut state = seed;
        let mut draw = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u32
        };
        for kernels in Kernels::all() {
            proptest::prop_assert!(kernels.agrees_on(groups * DIMENSIONS_PER_GROUP, extreme, &mut draw), "{}", kernels.name);
        }
    }
}
