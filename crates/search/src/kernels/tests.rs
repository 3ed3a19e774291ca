use super::*;

#[test]
fn every_set_that_runs_here_agrees_with_the_scalar_one() {
    for kernels in Kernels::all() {
        assert!(kernels.agrees(), "{}", kernels.name);
    }
    assert!(Kernels::all().iter().any(|it| it.name == Kernels::best().name));
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
