//! The blocks of methods, in requests and in records.

use crate::http::json;
use domain::age_verification::{
    request::AgeMethodTerms,
    session::AgeSession,
    session_config::AgeMethodConfig,
    types::{AttestationRequirement, AuthenticityLevel, LivenessLevel, SignalAssurance},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Declares the block of a method for requests and for records: the members that all have, then those of this block
/// alone.
macro_rules! method_blocks {
    ($($(#[$doc:meta])* $block:ident, $record:ident: $least:tt to $most:tt, $genuine:tt {
        $($(#[$member_attribute:meta])* $member:ident: $type:ty),* $(,)?
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, Deserialize, ToSchema)]
        pub(crate) struct $block {
            /// Whether the method may be used.
            #[schema(default = true)]
            allowed: Option<bool>,
            /// The age that is asked for, years.
            #[schema(minimum = $least, maximum = $most, default = 18)]
            threshold: Option<i64>,
            /// How the method checks that a live person is in front of the camera: not at all, from the picture, or by
            /// asking for movements as well. For `age_estimation` and `doc_scan`, and for `digital_id` with `age_estimation_allowed`;
            /// elsewhere, anything but `NONE` is refused.
            #[serde(default, deserialize_with = "json::enum_value")]
            #[schema(default = "NONE")]
            level: Option<LivenessLevel>,
            /// How the genuineness of a document is checked. For `doc_scan`; with `age_estimation` it has no effect, and in other
            /// blocks, anything but `OFF` is refused.
            #[serde(default, deserialize_with = "json::enum_value")]
            #[schema(default = $genuine)]
            authenticity: Option<AuthenticityLevel>,
            /// Whether it may be tried again. Default: the session's.
            retry_enabled: Option<bool>,
            /// The number of attempts, if it may be tried again.
            #[schema(minimum = 1, maximum = 10, default = 3)]
            retry_limit: Option<i64>,
            $($(#[$member_attribute])* $member: $type,)*
        }

        impl From<&$block> for AgeMethodTerms {
            fn from(block: &$block) -> Self {
                Self {
                    allowed: block.allowed,
                    threshold: block.threshold,
                    level: block.level,
                    authenticity: block.authenticity,
                    retry_enabled: block.retry_enabled,
                    retry_limit: block.retry_limit,
                    $($member: block.$member.clone(),)*
                    ..Self::default()
                }
            }
        }

        $(#[$doc])*
        #[derive(Clone, Debug, Serialize, ToSchema)]
        pub(crate) struct $record {
            /// Whether the method may be used.
            allowed: bool,
            /// The age that is asked for, years.
            #[schema(minimum = $least, maximum = $most)]
            threshold: i64,
            /// How the method checks that a live person is in front of the camera.
            level: LivenessLevel,
            /// How the genuineness of a document is checked.
            authenticity: AuthenticityLevel,
            /// Whether it may be tried again.
            retry_enabled: bool,
            /// The number of attempts, if it may be tried again.
            #[schema(minimum = 1, maximum = 10)]
            retry_limit: i64,
            /// Attempts that ended.
            #[schema(minimum = 0)]
            attempts: i64,
            /// Attempts that are left; there is only one if it may not be tried again.
            #[schema(minimum = 0)]
            attempts_remaining: i64,
            $($(#[$member_attribute])* #[serde(skip_serializing_if = "Option::is_none")] $member: $type,)*
        }

        impl $record {
            pub(super) fn of(session: &AgeSession, block: &AgeMethodConfig) -> Self {
                Self {
                    allowed: block.allowed,
                    threshold: block.threshold,
                    level: block.level,
                    authenticity: block.authenticity,
                    retry_enabled: block.retry_enabled,
                    retry_limit: block.effective_retry_limit(),
                    attempts: session.attempts_made(block.method),
                    attempts_remaining: session.attempts_remaining(block),
                    $($member: block.$member.clone(),)*
                }
            }
        }
    )*};
}

method_blocks! {
    /// A method and how it may be used. A credit card attests an age of 18 years, and no higher one.
    MethodBlock, MethodRecord: 1 to 120, "OFF" {}

    /// A photo of the face.
    AgeEstimationBlock, AgeEstimationRecord: 1 to 120, "OFF" {
        /// How probable it must be that the age is as asked (to pass) or is not (to fail), given the estimate and its
        /// deviation; in between, the attempt is undecided (`AGE_UNCERTAIN`). Default: the operator's, which is none unless
        /// they set it; then the estimate is compared with `threshold`. Not for the type AGE.
        #[schema(minimum = 0.5, maximum = 0.999)]
        confidence: Option<f64>,
    }

    /// A wallet.
    DigitalIdBlock, DigitalIdRecord: 1 to 120, "OFF" {
        /// Whether age estimation is accepted if the wallet gives no age.
        #[schema(default = false)]
        age_estimation_allowed: Option<bool>,
        /// The age that an estimate must show, years: not below `threshold` with `OVER`, not above it with `UNDER`.
        /// Default: `threshold`.
        #[schema(minimum = 1, maximum = 120)]
        age_estimation_threshold: Option<i64>,
        /// As `confidence` of `age_estimation`.
        #[schema(minimum = 0.5, maximum = 0.999)]
        age_estimation_confidence: Option<f64>,
    }

    /// An identity document.
    DocScanBlock, DocScanRecord: 1 to 120, "AUTO" {
        /// The country that the page preselects, ISO 3166-1 alpha-3.
        #[schema(min_length = 3, max_length = 3, example = "GBR")]
        preset_issuing_country: Option<String>,
        /// Whether the page does not offer to continue on a phone.
        #[schema(default = false)]
        disable_mobile_hand_off: Option<bool>,
        /// Whether the end user waits until the checks have a result. The session's `synchronous_checks` has the same
        /// effect.
        #[schema(default = false)]
        synchronous_checks: Option<bool>,
        /// An extension: whether documents are accepted that are not printed in Latin letters only. Without it, those are that
        /// have a machine readable zone, from which this server reads them.
        allow_non_latin_documents: Option<bool>,
    }

    /// An electronic identity.
    ElectronicIdBlock, ElectronicIdRecord: 1 to 120, "OFF" {
        /// The ids of the providers to offer, out of those that are configured. Default: all.
        #[serde(default, deserialize_with = "json::string_list")]
        #[schema(max_items = 300)]
        sub_methods: Option<Vec<String>>,
    }

    /// A result that is stored under a passkey of the end user.
    KeyBlock, KeyRecord: 1 to 120, "OFF" {
        /// With `true` the method is shown to the person, who must use their passkey. With `false` it is not shown beside
        /// other methods: the page asks for the passkey by itself when it opens, if a result was kept in this browser.
        #[schema(default = false)]
        authentication: Option<bool>,
    }

    /// A blind token.
    DoubleAnonymityBlock, DoubleAnonymityRecord: 6 to 100, "OFF" {}

    /// What a phone's system states about the age.
    DeviceSignalBlock, DeviceSignalRecord: 1 to 120, "OFF" {
        /// Who must at least stand behind the statement: the person, a parent or guardian, or the platform, which says that it
        /// was checked.
        #[serde(default, deserialize_with = "json::enum_value")]
        #[schema(default = "CHECKED")]
        assurance: Option<SignalAssurance>,
        /// Whether the platform must vouch for the app (Play Integrity, App Attest). An attestation that is sent must be right
        /// either way.
        #[serde(default, deserialize_with = "json::enum_value")]
        #[schema(default = "REQUIRED")]
        attestation: Option<AttestationRequirement>,
    }
}
