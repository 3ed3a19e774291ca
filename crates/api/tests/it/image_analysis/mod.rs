//! `/ai/v1`: the operations of image analysis on a real face with the real models.

mod age;
mod age_antispoofing;
mod age_antispoofing_verify;
mod age_verify;
mod analysis;
mod antispoofing;
mod error_table;
mod explain;
mod image_error_table;
pub(crate) mod secure_token;
mod self_checkout;

use serde_json::Value;
use testkit::{SignedCall, face_base64};

/// A signed call with a picture of a face.
fn call(path: &str, mut body: Value) -> SignedCall {
    body["img"] = face_base64().into();
    SignedCall::post(path).json(&body)
}

/// Asserts an age with its deviation; returns the age.
#[track_caller]
fn assert_adult_age(age: &Value) -> f64 {
    let years = age["age"].as_f64().unwrap();
    assert!((16.0..80.0).contains(&years), "the sample photos show adults, not {years}");
    let st_dev = age["st_dev"].as_f64().unwrap();
    assert!((1.0..20.0).contains(&st_dev), "{st_dev}");
    years
}

/// Asserts the names of all members, in alphabetical order.
#[track_caller]
fn assert_members(value: &Value, expected: &[&str]) {
    let mut found: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}
