//! The blocks of methods: what is asked of each, and what a record says of it.

use crate::http::json;
use domain::age_verification::{
    request::AgeMethodTerms,
    session::AgeSession,
    session_config::AgeMethodConfig,
    types::{AuthenticityLevel, LivenessLevel},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Declares the block of a method in requests and in records: what all have, and what is a block's own.
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
            /// How it is made sure that a live person is in front of the camera: not at all, by looking at the picture, or by
            /// asking for moves as well. For methods that use a camera.
            #[serde(default, deserialize_with = "json::enum_value")]
            #[schema(default = "NONE")]
            level: Option<LivenessLevel>,
            /// How it is made sure that a document is genuine. For documents.
            #[serde(default, deserialize_with = "json::enum_value")]
            #[schema(default = $genuine)]
            authenticity: Option<AuthenticityLevel>,
            /// Whether it may be tried again. Default: the session's.
            retry_enabled: Option<bool>,
            /// Attempts where it may be tried again.
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
            /// How it is made sure that a live person is in front of the camera.
            level: LivenessLevel,
            /// How it is made sure that a document is genuine.
            authenticity: AuthenticityLevel,
            /// Whether it may be tried again.
            retry_enabled: bool,
            /// Attempts where it may be tried again.
            #[schema(minimum = 1, maximum = 10)]
            retry_limit: i64,
            /// Attempts that ended.
            #[schema(minimum = 0)]
            attempts: i64,
            /// Attempts that are left: of one where it may not be tried again.
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
    /// A method and how it may be used. A credit card shows 18 years and no more.
    MethodBlock, MethodRecord: 1 to 120, "OFF" {}

    /// A wallet.
    DigitalIdBlock, DigitalIdRecord: 1 to 120, "OFF" {
        /// Whether an estimated age will do where the wallet tells none.
        #[schema(default = false)]
        age_estimation_allowed: Option<bool>,
        /// The age that an estimate must show, years: not below `threshold` with `OVER`, not above it with `UNDER`. Default:
        /// `threshold`.
        #[schema(minimum = 1, maximum = 120)]
        age_estimation_threshold: Option<i64>,
    }

    /// An identity document.
    DocScanBlock, DocScanRecord: 1 to 120, "AUTO" {
        /// The country that the page begins with, ISO 3166-1 alpha-3.
        #[schema(min_length = 3, max_length = 3, example = "GBR")]
        preset_issuing_country: Option<String>,
        /// Whether the page offers no phone to go on with.
        #[schema(default = false)]
        disable_mobile_hand_off: Option<bool>,
        /// Whether the end user waits until the checks have a result. The session's `synchronous_checks` does as well.
        #[schema(default = false)]
        synchronous_checks: Option<bool>,
    }

    /// An electronic identity.
    ElectronicIdBlock, ElectronicIdRecord: 1 to 120, "OFF" {
        /// The ids of the providers that are offered, out of those that are set up. Default: all.
        #[serde(default, deserialize_with = "json::string_list")]
        #[schema(max_items = 300)]
        sub_methods: Option<Vec<String>>,
    }

    /// A result that is kept under a key of the end user's.
    KeyBlock, KeyRecord: 1 to 120, "OFF" {
        /// Whether somebody who has such a key must use it.
        #[schema(default = false)]
        authentication: Option<bool>,
    }

    /// A blind token.
    DoubleAnonymityBlock, DoubleAnonymityRecord: 6 to 100, "OFF" {}
}
