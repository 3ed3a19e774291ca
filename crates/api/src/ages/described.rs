//! What the interface takes and gives, for its document alone: payloads are read, and records made, member by member.

use base::Uuid;
use domain::ages::words;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, Type},
};

/// Closed sets of words: the document has those that the rules have.
macro_rules! sets {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                one_of(words::$name::WORDS)
            }
        }

        impl ToSchema for $name {}
    )*};
}

sets! {
    /// What a session is to tell.
    Kind,
    /// How far a session is.
    State,
    /// A way to show an age.
    Method,
    /// How it is made sure that a live person is in front of the camera.
    Level,
    /// How it is made sure that a document is genuine.
    Authenticity,
}

fn one_of(words: &'static [&'static str]) -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words.iter().copied())).into()
}

/// The blocks of methods: what all have, and what is a block's own.
macro_rules! blocks {
    ($($(#[$doc:meta])* $name:ident: $least:tt to $most:tt, $genuine:tt { $($own:tt)* })*) => {$(
        $(#[$doc])*
        #[derive(ToSchema)]
        #[expect(dead_code, reason = "describes a member, which is read and made by itself")]
        pub(crate) struct $name {
            /// Whether the method may be used.
            #[schema(default = true)]
            allowed: Option<bool>,
            /// The age that is asked for, years.
            #[schema(minimum = $least, maximum = $most, default = 18)]
            threshold: Option<i64>,
            /// How it is made sure that a live person is in front of the camera: not at all, by looking at the picture, or by
            /// asking for moves as well. Of methods that use a camera.
            #[schema(default = "NONE")]
            level: Option<Level>,
            /// How it is made sure that a document is genuine. Of documents.
            #[schema(default = $genuine)]
            authenticity: Option<Authenticity>,
            /// Whether it may be tried again. Default: the session's.
            retry_enabled: Option<bool>,
            /// Attempts where it may be tried again.
            #[schema(minimum = 1, maximum = 10, default = 3)]
            retry_limit: Option<i64>,
            /// Attempts that ended; in records.
            #[schema(read_only)]
            attempts: Option<i64>,
            /// Attempts that are left: of one where it may not be tried again; in records.
            #[schema(read_only)]
            attempts_remaining: Option<i64>,
            $($own)*
        }
    )*};
}

blocks! {
    /// A method and how it may be used. A credit card shows 18 years and no more.
    MethodBlock: 1 to 120, "OFF" {}

    /// A wallet.
    DigitalIdBlock: 1 to 120, "OFF" {
        /// Whether an estimated age will do where the wallet tells none.
        #[schema(default = false)]
        age_estimation_allowed: Option<bool>,
        /// The age that an estimate must show, years: not below `threshold` with `OVER`, not above it with `UNDER`. Default:
        /// `threshold`.
        #[schema(minimum = 1, maximum = 120)]
        age_estimation_threshold: Option<i64>,
    }

    /// An identity document.
    DocScanBlock: 1 to 120, "AUTO" {
        /// The country that the page begins with, ISO 3166-1 alpha-3.
        #[schema(min_length = 3, max_length = 3, example = "GBR")]
        preset_issuing_country: Option<String>,
        /// Whether the page offers no phone to go on with.
        #[schema(default = false)]
        disable_mobile_hand_off: Option<bool>,
        /// Whether the person waits until the checks have a result. The session's `synchronous_checks` does as well.
        #[schema(default = false)]
        synchronous_checks: Option<bool>,
    }

    /// An e-mail address.
    EmailBlock: 1 to 120, "OFF" {
        /// An address that the business has verified: it is judged at once, and in no record.
        data: Option<VerifiedEmail>,
    }

    /// An electronic identity.
    ElectronicIdBlock: 1 to 120, "OFF" {
        /// The ids of the providers that are offered, out of those that are set up. Default: all.
        sub_methods: Option<Vec<String>>,
    }

    /// A result that is kept under a key of the person's.
    KeyBlock: 1 to 120, "OFF" {
        /// Whether a person who has such a key must use it.
        #[schema(default = false)]
        authentication: Option<bool>,
    }

    /// A blind token.
    DoubleAnonymityBlock: 6 to 100, "OFF" {}
}

/// An address that the business has verified.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes a member, which is read by itself")]
pub(crate) struct VerifiedEmail {
    /// The address.
    #[schema(max_length = 254)]
    verified_email: String,
    /// Where its holder is, ISO 3166-1 alpha-2.
    #[schema(min_length = 2, max_length = 2, example = "GB")]
    country_code: Option<String>,
    /// The address of his device on the network.
    ip_address: Option<String>,
}

/// Where the person goes afterwards.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes a member, which is read and made by itself")]
pub(crate) struct CallbackTo {
    /// The address; the session's id is added to its query as `sessionId`.
    url: Option<String>,
    /// Whether he goes there without pressing a button.
    #[schema(default = false)]
    auto: Option<bool>,
}

/// What is asked for. A block of its own for each method; without any, every method that is set up. They are offered in the
/// order of the members.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what domain::ages::wanted reads, which knows no HTTP")]
pub(crate) struct CreatePayload {
    /// Whether the age is told, or whether it is reached, or whether it is not.
    #[schema(default = "OVER")]
    r#type: Option<Kind>,
    /// A photo of the face.
    age_estimation: Option<MethodBlock>,
    /// A wallet.
    digital_id: Option<DigitalIdBlock>,
    /// An identity document.
    doc_scan: Option<DocScanBlock>,
    /// A credit card.
    credit_card: Option<MethodBlock>,
    /// A mobile network's word.
    mobile: Option<MethodBlock>,
    /// An e-mail address.
    email: Option<EmailBlock>,
    /// An electronic identity.
    electronic_id: Option<ElectronicIdBlock>,
    /// Louisiana's wallet.
    la_wallet: Option<MethodBlock>,
    /// A social security number of the United States.
    social_security_number: Option<MethodBlock>,
    /// What Florida's law HB 3 asks for.
    us_florida_hb3: Option<MethodBlock>,
    /// Singapore's identity.
    singpass: Option<MethodBlock>,
    /// A Brazilian taxpayer number.
    cpf: Option<MethodBlock>,
    /// A result under a key.
    svc_key: Option<KeyBlock>,
    /// A blind token.
    double_anonymity: Option<DoubleAnonymityBlock>,
    /// Seconds that the session is valid; of a rule, the greatest age of a result.
    #[schema(minimum = 60, maximum = 2_592_000, default = 900)]
    ttl: Option<i64>,
    /// Given back unchanged; nothing personal.
    reference_id: Option<String>,
    /// Where the person goes afterwards.
    callback: Option<CallbackTo>,
    /// The same in short, without `auto`; `callback` goes before it.
    callback_url: Option<String>,
    /// Receives the result of each attempt, https.
    #[schema(pattern = "^https:.*")]
    notification_url: Option<String>,
    /// Do not ask for consent to the use of biometric data: the business has it.
    #[schema(default = false)]
    block_biometric_consent: Option<bool>,
    /// The rule that a kept result must satisfy.
    rule_id: Option<Uuid>,
    /// Where the person goes who calls it off.
    cancel_url: Option<String>,
    /// The business's own page on what it does with data.
    privacy_policy: Option<String>,
    /// The business's terms.
    terms_and_conditions: Option<String>,
    /// Whether methods may be tried again.
    #[schema(default = false)]
    retry_enabled: Option<bool>,
    /// Whether it may go on after FAIL or ERROR.
    #[schema(default = false)]
    resume_enabled: Option<bool>,
    /// From where it may not be used: ISO 3166-1 (alpha-2 or alpha-3) and ISO 3166-2, at most 300.
    blocked_locations: Option<Vec<String>>,
    /// The page in whose frame the session runs; it is told of each change.
    #[schema(pattern = "^http[s]?:.*")]
    target_origin_url: Option<String>,
    /// Whether the person waits until every check has a result.
    #[schema(default = false)]
    synchronous_checks: Option<bool>,
    /// The business's own word for the person.
    #[schema(max_length = 100)]
    account_id: Option<String>,
    /// Whether nothing but `double_anonymity` is offered, whichever blocks there are: for the age of its own block, or else
    /// for the highest that a block asks for.
    #[schema(default = false)]
    double_blind: Option<bool>,
}

/// A session: what was asked for, and how far it is. It has the blocks that the payload had; without any, those of the methods
/// that are set up.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer, which is made member by member")]
#[expect(clippy::struct_excessive_bools, reason = "the members are the interface's")]
pub(crate) struct Record {
    id: Uuid,
    sdk_id: Uuid,
    r#type: Kind,
    status: State,
    #[schema(format = DateTime)]
    expires_at: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
    /// Whether consent to the use of biometric data is asked for.
    biometric_consent_required: bool,
    /// When the person gave it.
    #[schema(format = DateTime)]
    biometric_consent_given_at: Option<String>,
    /// Whether methods may be tried again.
    retry_enabled: bool,
    /// Whether it may go on after FAIL or ERROR.
    resume_enabled: bool,
    /// Whether the person waits until every check has a result.
    synchronous_checks: bool,
    /// Whether nothing but a blind token answers it.
    double_blind: bool,
    /// Where the person goes afterwards.
    callback: Option<CallbackTo>,
    /// The same in short.
    callback_url: Option<String>,
    /// Receives the result of each attempt.
    notification_url: Option<String>,
    /// Where the person goes who calls it off.
    cancel_url: Option<String>,
    /// The business's own page on what it does with data.
    privacy_policy: Option<String>,
    /// The business's terms.
    terms_and_conditions: Option<String>,
    /// The business's own word for the session.
    reference_id: Option<String>,
    /// The business's own word for the person.
    account_id: Option<String>,
    /// The rule that a kept result must satisfy.
    rule_id: Option<Uuid>,
    /// From where it may not be used, as it was written, in capitals.
    blocked_locations: Vec<String>,
    /// The page in whose frame the session runs.
    target_origin_url: Option<String>,
    age_estimation: Option<MethodBlock>,
    digital_id: Option<DigitalIdBlock>,
    doc_scan: Option<DocScanBlock>,
    credit_card: Option<MethodBlock>,
    mobile: Option<MethodBlock>,
    email: Option<EmailBlock>,
    electronic_id: Option<ElectronicIdBlock>,
    la_wallet: Option<MethodBlock>,
    social_security_number: Option<MethodBlock>,
    us_florida_hb3: Option<MethodBlock>,
    singpass: Option<MethodBlock>,
    cpf: Option<MethodBlock>,
    svc_key: Option<KeyBlock>,
    double_anonymity: Option<DoubleAnonymityBlock>,
    /// After an attempt: the age where the type is AGE, else the threshold.
    age: Option<i64>,
    /// After an attempt: at which method.
    method: Option<Method>,
    /// After an attempt: under what the method knows its evidence, where it has a name for it.
    evidence_id: Option<String>,
}
