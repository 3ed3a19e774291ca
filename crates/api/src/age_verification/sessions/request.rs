//! The request for a session, or for a rule for stored results.

use super::methods::{
    AgeEstimationBlock, DeviceSignalBlock, DigitalIdBlock, DocScanBlock, DoubleAnonymityBlock,
    ElectronicIdBlock, KeyBlock, MethodBlock,
};
use crate::http::json::{self, JsonError};
use base::Uuid;
use domain::{
    Violation,
    age_verification::{
        Location, UnknownLocationError,
        request::{AgeMethodRequest, AgeMethodTerms, AgeSessionRequest, CallbackRequest, EmailRequest},
        types::{AgeMethod, AgeSessionType, AuthenticityLevel, LivenessLevel},
    },
};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

/// What is asked for. Each method has a block of its own; without any block, every configured method is offered.
/// Methods are offered in the order of their blocks.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct CreateAgeSessionRequest {
    /// What is asked about the age: the age itself, whether it is reached, or whether it is not.
    #[serde(default, rename = "type", deserialize_with = "json::enum_value")]
    #[schema(default = "OVER")]
    kind: Option<AgeSessionType>,
    /// A photo of the face.
    #[serde(default, deserialize_with = "json::object")]
    age_estimation: Option<AgeEstimationBlock>,
    /// A wallet.
    #[serde(default, deserialize_with = "json::object")]
    digital_id: Option<DigitalIdBlock>,
    /// An identity document.
    #[serde(default, deserialize_with = "json::object")]
    doc_scan: Option<DocScanBlock>,
    /// A credit card.
    #[serde(default, deserialize_with = "json::object")]
    credit_card: Option<MethodBlock>,
    /// A mobile network's data.
    #[serde(default, deserialize_with = "json::object")]
    mobile: Option<MethodBlock>,
    /// An e-mail address.
    #[serde(default, deserialize_with = "json::object")]
    email: Option<EmailBlock>,
    /// An electronic identity.
    #[serde(default, deserialize_with = "json::object")]
    electronic_id: Option<ElectronicIdBlock>,
    /// Louisiana's wallet.
    #[serde(default, deserialize_with = "json::object")]
    la_wallet: Option<MethodBlock>,
    /// A social security number of the United States.
    #[serde(default, deserialize_with = "json::object")]
    social_security_number: Option<MethodBlock>,
    /// What Florida's law HB 3 asks for.
    #[serde(default, deserialize_with = "json::object")]
    us_florida_hb3: Option<MethodBlock>,
    /// Singapore's digital identity.
    #[serde(default, deserialize_with = "json::object")]
    singpass: Option<MethodBlock>,
    /// A Brazilian taxpayer number.
    #[serde(default, deserialize_with = "json::object")]
    cpf: Option<MethodBlock>,
    /// A result under a passkey.
    #[serde(default, deserialize_with = "json::object")]
    svc_key: Option<KeyBlock>,
    /// A blind token.
    #[serde(default, deserialize_with = "json::object")]
    double_anonymity: Option<DoubleAnonymityBlock>,
    /// What a phone's system states about the age; sent by the relying party's app, through its server.
    #[serde(default, deserialize_with = "json::object")]
    device_signal: Option<DeviceSignalBlock>,
    /// A policy of `GET /api/v1/policies`, by name (`gb`) or name and version (`gb@1`): it says which methods are accepted, in
    /// which order and with which thresholds. Beside it, blocks may take methods away (`allowed: false`) and say how a method is
    /// used (`retry_enabled`, `retry_limit`, `preset_issuing_country`, `disable_mobile_hand_off`, `synchronous_checks`,
    /// `sub_methods`, `email.data`); any other member of a block, another `type` and other methods are refused.
    #[schema(max_length = 64, example = "gb")]
    policy: Option<String>,
    /// How long the session is valid, seconds; in a rule, the maximum age of a result.
    #[schema(minimum = 60, maximum = 2_592_000, default = 900)]
    ttl: Option<i64>,
    /// Returned unchanged; must not contain personal data.
    #[schema(max_length = 2048)]
    reference_id: Option<String>,
    /// Where the end user goes afterwards.
    #[serde(default, deserialize_with = "json::object")]
    callback: Option<CallbackBlock>,
    /// A short form of `callback` without `auto`; `callback` takes precedence.
    #[schema(max_length = 2048)]
    callback_url: Option<String>,
    /// Receives the result of each attempt, https.
    #[schema(max_length = 2048, pattern = "^https:.*")]
    notification_url: Option<String>,
    /// Do not ask for consent to the use of biometric data: the relying party has it.
    #[schema(default = false)]
    block_biometric_consent: Option<bool>,
    /// The rule that a stored result must satisfy.
    #[schema(format = Uuid)]
    rule_id: Option<String>,
    /// Where the end user goes after cancelling.
    #[schema(max_length = 2048)]
    cancel_url: Option<String>,
    /// The address of the relying party's privacy policy.
    #[schema(max_length = 2048)]
    privacy_policy: Option<String>,
    /// The address of the relying party's terms and conditions.
    #[schema(max_length = 2048)]
    terms_and_conditions: Option<String>,
    /// Whether methods may be tried again.
    #[schema(default = false)]
    retry_enabled: Option<bool>,
    /// Whether the session may continue after FAIL or ERROR.
    #[schema(default = false)]
    resume_enabled: Option<bool>,
    /// Locations where the session may not be used: ISO 3166-1 (alpha-2 or alpha-3) and ISO 3166-2.
    #[serde(default, deserialize_with = "json::string_list")]
    #[schema(max_items = 300)]
    blocked_locations: Option<Vec<String>>,
    /// The origin of the page that shows the session in a frame; that page is sent a message at each change.
    #[schema(max_length = 2048, pattern = "^http[s]?:.*")]
    target_origin_url: Option<String>,
    /// Whether the end user waits until every check has a result.
    #[schema(default = false)]
    synchronous_checks: Option<bool>,
    /// The relying party's own reference for the end user: it is returned in records, and nothing else is done with it.
    #[schema(max_length = 100)]
    account_id: Option<String>,
    /// Whether only `double_anonymity` is offered, whatever other blocks there are: for the age of its own block, or
    /// else for the highest that any block asks for.
    #[schema(default = false)]
    double_blind: Option<bool>,
}

/// An e-mail address.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub(crate) struct EmailBlock {
    /// Whether the method may be used.
    #[schema(default = true)]
    allowed: Option<bool>,
    /// The age that is asked for, years.
    #[schema(minimum = 1, maximum = 120, default = 18)]
    threshold: Option<i64>,
    /// How the method checks that a live person is in front of the camera; here `NONE`.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "NONE")]
    level: Option<LivenessLevel>,
    /// How the genuineness of a document is checked; here `OFF`.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "OFF")]
    authenticity: Option<AuthenticityLevel>,
    /// Whether it may be tried again. Default: the session's.
    retry_enabled: Option<bool>,
    /// The number of attempts, if it may be tried again.
    #[schema(minimum = 1, maximum = 10, default = 3)]
    retry_limit: Option<i64>,
    /// An address that the relying party has verified: it is judged at once, and appears in no record.
    #[serde(default, deserialize_with = "json::object")]
    data: Option<VerifiedEmail>,
}

/// An address that the relying party has verified.
#[derive(Clone, Deserialize, ToSchema)]
pub(crate) struct VerifiedEmail {
    /// The address.
    #[schema(value_type = String, max_length = 254, format = Email, example = "ada@example.com")]
    verified_email: Option<String>,
    /// The country of its holder, ISO 3166-1 alpha-2.
    #[schema(min_length = 2, max_length = 2, example = "GB")]
    country_code: Option<String>,
    /// The IP address of their device.
    ip_address: Option<String>,
}

// Keeps the address out of logs.
impl std::fmt::Debug for VerifiedEmail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VerifiedEmail")
    }
}

/// Where the end user goes afterwards.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub(crate) struct CallbackBlock {
    /// The address; the session's id is added to its query as `sessionId`.
    #[schema(max_length = 2048)]
    url: Option<String>,
    /// Whether the page sends them there without a button.
    #[schema(default = false)]
    auto: Option<bool>,
}

impl From<&EmailBlock> for AgeMethodTerms {
    fn from(block: &EmailBlock) -> Self {
        Self {
            allowed: block.allowed,
            threshold: block.threshold,
            level: block.level,
            authenticity: block.authenticity,
            retry_enabled: block.retry_enabled,
            retry_limit: block.retry_limit,
            ..Self::default()
        }
    }
}

impl CreateAgeSessionRequest {
    /// Reads a body as far as it can be read, and returns what could not be read. `brand` is that of this server in
    /// lower case; the block `svc_key` may be named after it.
    pub(crate) fn read(body: &[u8], brand: &str) -> Result<(AgeSessionRequest, Vec<Violation>), JsonError> {
        let own = AgeMethod::SvcKey.block_name();
        let branded = AgeMethod::SvcKey.branded_block_name(brand);
        let mut members = json::parse_value(body)?;
        let is_renamed = rename_member(&mut members, &branded, own);
        let (payload, mut unread) = json::read_lenient::<Self>(members)?;
        if is_renamed {
            for violation in &mut unread {
                if let Some(rest) = violation.path.strip_prefix(own) {
                    violation.path = format!("{branded}{rest}").into();
                }
            }
        }
        let names = json::member_names(body)?;
        let (request, unusable) = payload.into_request(&names, brand);
        unread.extend(unusable);
        Ok((request, unread))
    }

    /// The request, and the violations of members whose form is wrong. `names` are those of the body's members, in
    /// order.
    fn into_request(self, names: &[String], brand: &str) -> (AgeSessionRequest, Vec<Violation>) {
        let mut unusable = Vec::new();
        let methods = names.iter().filter_map(|name| {
            let method = AgeMethod::from_block_name(name, brand)?;
            Some(AgeMethodRequest { method, name: name.clone(), terms: self.terms(method)? })
        });
        let methods = methods.collect();
        let rule_id = self.rule_id.as_deref().and_then(|id| {
            let id = Uuid::try_parse(id);
            id.map_err(|_| unusable.push(Violation::new("rule_id", "it is not a UUID"))).ok()
        });
        let blocked = self.blocked_locations.unwrap_or_default().into_iter().enumerate();
        let blocked_locations = blocked.filter_map(|(at, code)| {
            let wrong = |wrong: UnknownLocationError| {
                unusable.push(Violation::new(format!("blocked_locations[{at}]"), wrong.to_string()));
            };
            Location::parse_known(&code).map_err(wrong).ok()
        });
        let request = AgeSessionRequest {
            kind: self.kind,
            methods,
            ttl: self.ttl,
            reference_id: self.reference_id,
            callback: self.callback.map(|CallbackBlock { url, auto }| CallbackRequest { url, auto }),
            callback_url: self.callback_url,
            notification_url: self.notification_url,
            block_biometric_consent: self.block_biometric_consent,
            rule_id,
            cancel_url: self.cancel_url,
            privacy_policy: self.privacy_policy,
            terms_and_conditions: self.terms_and_conditions,
            retry_enabled: self.retry_enabled,
            resume_enabled: self.resume_enabled,
            blocked_locations: blocked_locations.collect(),
            target_origin_url: self.target_origin_url,
            synchronous_checks: self.synchronous_checks,
            account_id: self.account_id,
            double_blind: self.double_blind,
            policy: self.policy,
            email: self.email.and_then(|email| email.data).map(|data| EmailRequest {
                address: data.verified_email,
                country: data.country_code,
                ip: data.ip_address,
            }),
        };
        (request, unusable)
    }

    /// The terms of a method; `None` if it has no block.
    fn terms(&self, method: AgeMethod) -> Option<AgeMethodTerms> {
        fn of<'a, B>(block: Option<&'a B>) -> Option<AgeMethodTerms>
        where
            AgeMethodTerms: From<&'a B>,
        {
            block.map(AgeMethodTerms::from)
        }
        match method {
            AgeMethod::AgeEstimation => of(self.age_estimation.as_ref()),
            AgeMethod::DigitalId => of(self.digital_id.as_ref()),
            AgeMethod::DocScan => of(self.doc_scan.as_ref()),
            AgeMethod::CreditCard => of(self.credit_card.as_ref()),
            AgeMethod::Mobile => of(self.mobile.as_ref()),
            AgeMethod::Email => of(self.email.as_ref()),
            AgeMethod::ElectronicId => of(self.electronic_id.as_ref()),
            AgeMethod::LaWallet => of(self.la_wallet.as_ref()),
            AgeMethod::SocialSecurityNumber => of(self.social_security_number.as_ref()),
            AgeMethod::UsFloridaHb3 => of(self.us_florida_hb3.as_ref()),
            AgeMethod::Singpass => of(self.singpass.as_ref()),
            AgeMethod::Cpf => of(self.cpf.as_ref()),
            AgeMethod::SvcKey => of(self.svc_key.as_ref()),
            AgeMethod::DoubleAnonymity => of(self.double_anonymity.as_ref()),
            AgeMethod::DeviceSignal => of(self.device_signal.as_ref()),
        }
    }
}

/// Renames a member of a body; returns whether it did. The body stays as it is if it has no such member, or already has one of
/// the new name.
fn rename_member(body: &mut Value, from: &str, to: &str) -> bool {
    let Value::Object(members) = body else { return false };
    if members.contains_key(to) {
        return false;
    }
    let Some(value) = members.remove(from) else { return false };
    members.insert(to.to_owned(), value);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str, brand: &str) -> (AgeSessionRequest, Vec<String>) {
        let (request, unread) = CreateAgeSessionRequest::read(body.as_bytes(), brand).unwrap();
        (request, unread.iter().map(|violation| violation.path.to_string()).collect())
    }

    #[test]
    fn every_member_that_cannot_be_read_is_told_and_the_rest_is_read() {
        let body = r#"{"type": "EXACT", "ttl": 60.5, "rule_id": "1", "blocked_locations": ["GB", "US-UT", "Utah", 4],
            "age_estimation": {"allowed": "yes", "level": "HIGH", "threshold": 21}, "callback": [], "account_id": "a-1"}"#;
        let (request, mut unread) = read(body, "svc");
        unread.sort();
        assert_eq!(
            unread,
            [
                "age_estimation.allowed",
                "age_estimation.level",
                "blocked_locations[2]",
                "blocked_locations[3]",
                "callback",
                "rule_id",
                "ttl",
                "type",
            ]
        );
        assert_eq!(request.methods[0].terms.threshold, Some(21));
        assert_eq!(request.account_id.as_deref(), Some("a-1"));
    }

    #[test]
    fn a_place_where_nobody_can_be_is_refused() {
        let body = br#"{"blocked_locations": ["gbr", "UK", "XK", "ZZ-1"]}"#;
        let (request, unread) = CreateAgeSessionRequest::read(body, "svc").unwrap();
        assert_eq!(
            unread.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "blocked_locations[1]: in ISO 3166-1 this country is GB",
                "blocked_locations[3]: ISO 3166-1 has no such country",
            ]
        );
        assert_eq!(
            request.blocked_locations.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["GBR", "XK"]
        );
    }

    #[test]
    fn methods_are_asked_for_in_the_order_of_their_blocks_and_once_each() {
        let methods = |body: &str, brand: &str| {
            let methods = read(body, brand).0.methods;
            methods.into_iter().map(|asked| (asked.name, asked.terms.threshold)).collect::<Vec<_>>()
        };
        let named = |name: &str, threshold| (name.to_owned(), threshold);
        assert_eq!(
            methods(r#"{"mobile": {}, "ttl": 60, "cpf": null, "doc_scan": {"threshold": 20}}"#, "svc"),
            [named("mobile", None), named("doc_scan", Some(20))]
        );
        assert_eq!(
            methods(r#"{"mobile": {"threshold": 7}, "acme_key": {"threshold": 8}}"#, "acme"),
            [named("mobile", Some(7)), named("acme_key", Some(8))]
        );
        // Duplicates are kept here: the rules refuse them.
        assert_eq!(methods(r#"{"acme_key": {}, "svc_key": {}}"#, "acme").len(), 2);
        assert_eq!(methods(r#"{"mobile": {}, "mobile": {}}"#, "svc").len(), 2);
        assert_eq!(methods(r#"{"other_key": {}}"#, "acme"), []);
        assert_eq!(read(r#"{"acme_key": {"threshold": "x"}}"#, "acme").1, ["acme_key.threshold"]);
        assert_eq!(read(r#"{"svc_key": {"threshold": "x"}}"#, "acme").1, ["svc_key.threshold"]);
    }
}
