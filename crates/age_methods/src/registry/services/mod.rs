//! Services with an interface of their own, each as its documentation describes it (docs/PROVIDERS.md). Each answers some
//! of the methods of registries.

mod age_checker;
mod didit;
mod ip_quality_score;
mod serpro;
mod trustfull;

pub use age_checker::AgeCheckerSettings;
pub use didit::DiditSettings;
pub use ip_quality_score::IpQualityScoreSettings;
pub use serpro::SerproSettings;
pub use trustfull::TrustfullSettings;

pub(super) use age_checker::AgeCheckerClient;
pub(super) use didit::DiditClient;
pub(super) use ip_quality_score::IpQualityScoreClient;
pub(super) use serpro::SerproClient;
pub(super) use trustfull::TrustfullClient;

use super::RegistrySubject;
use crate::AgeMethodError;
use base::Environment;
use media::fetch::Fetcher;
use std::sync::Arc;

/// What a client of a service works with.
#[derive(Clone, Debug)]
struct ServiceContext {
    fetcher: Fetcher,
    environment: Arc<dyn Environment>,
}

/// A subject of another method than the service answers. Settings that would lead here are refused at the start.
fn not_answered(subject: &RegistrySubject) -> AgeMethodError {
    AgeMethodError::unavailable(format!("the service does not answer {}", subject.method()))
}

/// The first and the last word of a name.
fn first_and_last(full_name: &str) -> (&str, &str) {
    let mut words = full_name.split_whitespace();
    let first = words.next().unwrap_or_default();
    (first, words.next_back().unwrap_or(first))
}
