//! The second age model, with another input, crop and decoding: it is selected by the manifest alone.

use crate::support::{best_face, edited_pack, faces, load, model};
use serde_json::json;
use vision::{AgeEstimate, VisionError, VisionModels};

fn estimates(vision: &mut VisionModels) -> Vec<AgeEstimate> {
    let estimate = |picture| {
        let face = best_face(vision, picture);
        vision.estimate_age(picture, &face).unwrap()
    };
    faces().iter().map(estimate).collect()
}

#[test]
fn the_second_age_model_is_selected_by_the_manifest_alone() {
    let folder = edited_pack(|manifest| manifest["use"]["age"] = json!("faceres-age"));
    let mut second = VisionModels::load(folder.path()).unwrap();
    assert_eq!(second.models()[1].id, "faceres-age");
    let (ages, others) = (estimates(&mut second), estimates(&mut load()));
    // The photos show adults, none of them old; both models agree on that, but differ in the years.
    for (age, other) in ages.iter().zip(&others) {
        assert!(
            (15.0..60.0).contains(&age.years) && (15.0..60.0).contains(&other.years),
            "{age:?} {other:?}"
        );
        assert_eq!((age.st_dev, age.spread), (9.0, 0.0), "one crop has no spread");
        assert!((age.years - other.years).abs() < 25.0, "{age:?} {other:?}");
    }
    let mean = |ages: &[AgeEstimate]| ages.iter().map(|age| age.years).sum::<f32>() / ages.len() as f32;
    assert!((mean(&ages) - mean(&others)).abs() < 8.0, "{} {}", mean(&ages), mean(&others));
    assert_ne!(ages, others);
}

#[test]
fn the_first_age_shifts_every_estimate() {
    let with = |first_age: f32| {
        let folder = edited_pack(|manifest| {
            manifest["use"]["age"] = json!("faceres-age");
            model(manifest, "faceres-age")["output"]["first_age"] = json!(first_age);
        });
        estimates(&mut VisionModels::load(folder.path()).unwrap())
    };
    for (zero, three) in with(0.0).iter().zip(with(3.0)) {
        assert!((three.years - zero.years - 3.0).abs() < 1e-3, "{zero:?} {three:?}");
    }
}

#[test]
fn several_crops_of_the_second_model_have_a_spread() {
    let folder = edited_pack(|manifest| {
        manifest["use"]["age"] = json!("faceres-age");
        model(manifest, "faceres-age")["input"]["crop"]["scales"] = json!([1.0, 1.2, 1.5]);
    });
    for age in estimates(&mut VisionModels::load(folder.path()).unwrap()) {
        assert!(age.spread > 0.0, "{age:?}");
        assert!((age.st_dev - 9.0_f32.hypot(age.spread)).abs() < 1e-3, "{age:?}");
    }
}

/// A decoding that does not fit the net must not yield numbers.
#[test]
fn a_decode_that_does_not_fit_the_net_is_an_error_and_no_age() {
    let answer = |id: &'static str, edit: fn(&mut serde_json::Value)| {
        let folder = edited_pack(|manifest| {
            manifest["use"]["age"] = json!(id);
            edit(&mut model(manifest, id)["output"]);
        });
        let mut vision = VisionModels::load(folder.path()).unwrap();
        let face = best_face(&mut vision, &faces()[0]);
        vision.estimate_age(&faces()[0], &face)
    };
    // A hundred probabilities instead of one age.
    let scalar = answer("faceres-age", |output| {
        output["decode"] = json!("age_scalar");
        output.as_object_mut().unwrap().remove("first_age");
    });
    // One age instead of a distribution.
    let softmax = answer("face-api-age", |output| {
        output["decode"] = json!("age_softmax");
        output["first_age"] = json!(0.0);
    });
    // A missing tensor.
    let tensor = answer("face-api-age", |output| output["tensor"] = json!("years"));
    for answer in [scalar, softmax, tensor] {
        assert!(matches!(answer, Err(VisionError::Unusable { .. })), "{answer:?}");
    }
}
