//! Sources that the checks of documents ask: issuing authorities, watchlists, lists of fraud, and services that know
//! names and addresses. They speak the signed protocol of registries (docs/PROVIDERS.md). A question names the
//! sub-checks that it wants, and an answer has each of them.

use crate::{
    AgeMethodError, InvalidSettingError,
    registry::{SignedProtocolClient, SignedProtocolSettings},
    sandbox::SandboxAnswer,
};
use base::Environment;
use media::fetch::Fetcher;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use zeroize::Zeroize;

/// Details of a sub-check, at most.
const MAX_DETAILS: usize = 20;
/// The longest name of a detail, in bytes.
const MAX_DETAIL_NAME_BYTES: usize = 64;
/// The longest value of a detail, in bytes.
const MAX_DETAIL_VALUE_BYTES: usize = 200;
/// The longest reference of an answer, in bytes.
const MAX_EVIDENCE_ID_BYTES: usize = 200;

/// What a source knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdentitySourceKind {
    /// Whether an authority has issued a document, with these data.
    IssuingAuthority,
    /// Who is sanctioned, holds a public office, or is reported on.
    Watchlist,
    /// Which documents are known to be used for fraud.
    FraudList,
    /// Whether a person of this name, birthday and address is known.
    ThirdPartyIdentity,
}

impl IdentitySourceKind {
    pub const ALL: [Self; 4] =
        [Self::IssuingAuthority, Self::Watchlist, Self::FraudList, Self::ThirdPartyIdentity];

    /// Its name: `method` of questions, and its section in `[identity]`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::IssuingAuthority => "issuing_authority",
            Self::Watchlist => "watchlist",
            Self::FraudList => "fraud_list",
            Self::ThirdPartyIdentity => "third_party_identity",
        }
    }

    /// Its name in errors.
    const fn label(self) -> &'static str {
        match self {
            Self::IssuingAuthority => "the issuing authority",
            Self::Watchlist => "the watchlist",
            Self::FraudList => "the fraud list",
            Self::ThirdPartyIdentity => "the third party",
        }
    }
}

/// Whom or what a source is asked about: as much as it needs, as it was read of a document.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Zeroize)]
pub struct IdentitySubject {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_names: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family_name: Option<String>,
    /// `YYYY-MM-DD`, like all days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_of_birth: Option<String>,
    /// Three letters (ICAO 9303-3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nationality: Option<String>,
    /// `PASSPORT` for example.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_type: Option<String>,
    /// Three letters (ICAO 9303-3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuing_country: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_of_issue: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration_date: Option<String>,
    /// The whole address, with line breaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
    /// The country of the address, ISO 3166-1 alpha-3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_country: Option<String>,
}

// It is personal data and must not reach a log through `{:?}`.
impl std::fmt::Debug for IdentitySubject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("IdentitySubject")
    }
}

/// A question to a source.
#[derive(Debug, Serialize)]
pub struct IdentityQuestion {
    #[serde(rename = "method", serialize_with = "write_name")]
    pub kind: IdentitySourceKind,
    /// What is to be said, by name.
    pub sub_checks: Vec<&'static str>,
    pub subject: IdentitySubject,
}

// What was read of a person does not outlive the question.
impl Drop for IdentityQuestion {
    fn drop(&mut self) {
        self.subject.zeroize();
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn write_name<S: serde::Serializer>(kind: &IdentitySourceKind, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(kind.name())
}

/// What a source says about one sub-check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum SourceVerdict {
    /// Nothing speaks against it.
    Pass,
    /// Something does.
    Fail,
    /// It cannot say.
    Unknown,
}

/// Why an issuing authority says no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SourceReason {
    /// There is no document of this number.
    DocNumberInvalid,
    /// There is one, with other data.
    DataMismatch,
    /// There is one, and it is void: lost, stolen or withdrawn.
    FraudListMatch,
}

/// What a source found about one sub-check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFinding {
    /// As in the question.
    pub sub_check: &'static str,
    pub verdict: SourceVerdict,
    pub reason: Option<SourceReason>,
    /// Names and values, at most 20: 1 to 64 and at most 200 bytes, without control characters.
    pub details: Vec<(String, String)>,
}

/// The answer of a source: a finding for each sub-check of the question, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceAnswer {
    pub findings: Vec<SourceFinding>,
    /// The source's own reference: 1 to 200 visible ASCII characters.
    pub evidence_id: Option<String>,
}

/// A source cannot be used now. The message is for the log and never contains personal data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SourceUnavailableError(String);

impl SourceUnavailableError {
    /// No source of this kind is set up.
    pub fn not_set_up(kind: IdentitySourceKind) -> Self {
        Self(format!("{} is not set up", kind.label()))
    }
}

impl From<AgeMethodError> for SourceUnavailableError {
    fn from(error: AgeMethodError) -> Self {
        Self(error.to_string())
    }
}

/// Other members of an answer are ignored, so that services can extend it.
#[derive(Deserialize)]
struct WireAnswer {
    sub_checks: Vec<WireFinding>,
    evidence_id: Option<String>,
}

#[derive(Deserialize)]
struct WireFinding {
    sub_check: String,
    result: SourceVerdict,
    reason: Option<SourceReason>,
    #[serde(default)]
    details: Vec<WireDetail>,
}

#[derive(Deserialize)]
struct WireDetail {
    name: String,
    value: String,
}

/// A source, or its sandbox.
#[derive(Debug)]
pub struct IdentitySource {
    kind: IdentitySourceKind,
    backend: Backend,
}

/// Which source is asked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum IdentitySourceSettings {
    /// A service that speaks the signed protocol.
    Signed(SignedProtocolSettings),
    /// Simulated answers; nobody is asked.
    Sandbox {},
}

#[derive(Debug)]
enum Backend {
    Signed(SignedProtocolClient),
    Sandbox,
}

impl IdentitySource {
    /// Reads the secret file.
    pub fn open(
        kind: IdentitySourceKind,
        settings: &IdentitySourceSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let backend = match settings {
            IdentitySourceSettings::Signed(settings) => {
                Backend::Signed(SignedProtocolClient::open(settings, fetcher, environment)?)
            }
            IdentitySourceSettings::Sandbox {} => Backend::Sandbox,
        };
        Ok(Self { kind, backend })
    }

    /// Asks. `id` names the question, so that the source recognises it if it is repeated: visible ASCII.
    pub async fn ask(
        &self,
        id: &str,
        question: &IdentityQuestion,
    ) -> Result<SourceAnswer, SourceUnavailableError> {
        match &self.backend {
            Backend::Signed(signed) => {
                let answer: WireAnswer = signed.exchange(self.kind.label(), id, question).await?;
                answer.into_answer(question).map_err(|problem| {
                    SourceUnavailableError(format!("{}'s answer {problem}", self.kind.label()))
                })
            }
            Backend::Sandbox => simulate(id, question),
        }
    }
}

impl WireAnswer {
    /// The error says what is wrong with it.
    fn into_answer(self, question: &IdentityQuestion) -> Result<SourceAnswer, &'static str> {
        let mut findings = Vec::with_capacity(question.sub_checks.len());
        let mut told = self.sub_checks;
        for sub_check in &question.sub_checks {
            let at = told.iter().position(|finding| finding.sub_check == *sub_check);
            let found = told.swap_remove(at.ok_or("lacks a sub-check that was asked for")?);
            if told.iter().any(|finding| finding.sub_check == *sub_check) {
                return Err("has a sub-check twice");
            }
            if found.details.len() > MAX_DETAILS || !found.details.iter().all(WireDetail::is_plain) {
                return Err("has too many details, too long ones, or such with control characters");
            }
            findings.push(SourceFinding {
                sub_check,
                verdict: found.result,
                reason: found.reason,
                details: found.details.into_iter().map(|detail| (detail.name, detail.value)).collect(),
            });
        }
        let is_plain = |id: &String| {
            (1..=MAX_EVIDENCE_ID_BYTES).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
        };
        Ok(SourceAnswer { findings, evidence_id: self.evidence_id.filter(is_plain) })
    }
}

impl WireDetail {
    fn is_plain(&self) -> bool {
        let has_controls = |text: &str| text.chars().any(char::is_control);
        (1..=MAX_DETAIL_NAME_BYTES).contains(&self.name.len())
            && self.value.len() <= MAX_DETAIL_VALUE_BYTES
            && !has_controls(&self.name)
            && !has_controls(&self.value)
    }
}

/// A simulated answer. docs/PROVIDERS.md lists which input gives which.
fn simulate(id: &str, question: &IdentityQuestion) -> Result<SourceAnswer, SourceUnavailableError> {
    let of_digits = |text: Option<&String>| {
        let digits: String =
            text.map(|text| text.chars().filter(char::is_ascii_digit).collect()).unwrap_or_default();
        SandboxAnswer::of_digits(&digits)
    };
    let subject = &question.subject;
    let names = subject.full_name.as_deref().unwrap_or_default().to_uppercase();
    let named = |word: &str| names.split_whitespace().any(|name| name == word);
    let answer = match question.kind {
        IdentitySourceKind::IssuingAuthority | IdentitySourceKind::FraudList => {
            of_digits(subject.document_number.as_ref())
        }
        IdentitySourceKind::ThirdPartyIdentity => of_digits(subject.address.as_ref()),
        IdentitySourceKind::Watchlist if named("UNAVAILABLE") => SandboxAnswer::Unavailable,
        IdentitySourceKind::Watchlist if named("UNKNOWN") => SandboxAnswer::Unknown,
        IdentitySourceKind::Watchlist => SandboxAnswer::Over,
    };
    let verdict_of = |sub_check: &str| match (answer, question.kind) {
        (SandboxAnswer::Unknown, _) => SourceVerdict::Unknown,
        (SandboxAnswer::Under, IdentitySourceKind::ThirdPartyIdentity) if sub_check != "address_match" => {
            SourceVerdict::Pass
        }
        (SandboxAnswer::Under, _) => SourceVerdict::Fail,
        (_, IdentitySourceKind::Watchlist) => {
            let listed = match sub_check {
                "sanctions" => named("SANCTIONED"),
                "pep" => named("EXPOSED"),
                _ => named("NOTORIOUS"),
            };
            if listed { SourceVerdict::Fail } else { SourceVerdict::Pass }
        }
        _ => SourceVerdict::Pass,
    };
    if answer == SandboxAnswer::Unavailable {
        return Err(SourceUnavailableError("the sandbox is asked to be away".to_owned()));
    }
    let findings = question.sub_checks.iter().map(|sub_check| SourceFinding {
        sub_check,
        verdict: verdict_of(sub_check),
        reason: None,
        details: Vec::new(),
    });
    Ok(SourceAnswer { findings: findings.collect(), evidence_id: Some(format!("sandbox-{id}")) })
}

#[cfg(test)]
mod tests {
    use super::{
        SourceVerdict::{Fail, Pass, Unknown},
        *,
    };

    fn question() -> IdentityQuestion {
        IdentityQuestion {
            kind: IdentitySourceKind::Watchlist,
            sub_checks: vec!["sanctions", "pep"],
            subject: IdentitySubject::default(),
        }
    }

    fn read(text: &str) -> Result<SourceAnswer, &'static str> {
        serde_json::from_str::<WireAnswer>(text).unwrap().into_answer(&question())
    }

    #[test]
    fn an_answer_has_each_sub_check_once() {
        let answer = read(
            r#"{"sub_checks":[{"sub_check":"pep","result":"FAIL","details":[{"name":"list","value":"A"}]},
                {"sub_check":"more","result":"PASS"},{"sub_check":"sanctions","result":"UNKNOWN"}],"evidence_id":"w-1"}"#,
        )
        .unwrap();
        let verdicts: Vec<_> =
            answer.findings.iter().map(|finding| (finding.sub_check, finding.verdict)).collect();
        assert_eq!(verdicts, [("sanctions", SourceVerdict::Unknown), ("pep", SourceVerdict::Fail)]);
        assert_eq!(answer.findings[1].details, [("list".to_owned(), "A".to_owned())]);
        assert_eq!(answer.evidence_id.as_deref(), Some("w-1"));
        for bad in [
            r#"{"sub_checks":[]}"#,
            r#"{"sub_checks":[{"sub_check":"sanctions","result":"PASS"}]}"#,
            r#"{"sub_checks":[{"sub_check":"sanctions","result":"PASS"},{"sub_check":"pep","result":"PASS"},
                {"sub_check":"pep","result":"FAIL"}]}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn details_are_few_short_and_plain() {
        let with = |details: &str| {
            read(&format!(
                r#"{{"sub_checks":[{{"sub_check":"sanctions","result":"PASS","details":[{details}]}},
                    {{"sub_check":"pep","result":"PASS"}}]}}"#
            ))
            .is_ok()
        };
        let detail = |name: &str, value: &str| format!(r#"{{"name":"{name}","value":"{value}"}}"#);
        assert!(with(&detail("list", &"x".repeat(200))));
        assert!(!with(&detail("list", &"x".repeat(201))));
        assert!(!with(&detail("", "x")) && !with(&detail(&"n".repeat(65), "x")));
        assert!(!with(&detail("list", "a\\u0000b")));
        let many = |count: usize| vec![detail("list", "x"); count].join(",");
        assert!(with(&many(20)) && !with(&many(21)));
    }

    #[test]
    fn the_sandbox_answers_as_it_is_documented() {
        let ask = |kind, sub_checks: &[&'static str], subject| {
            let question = IdentityQuestion { kind, sub_checks: sub_checks.to_vec(), subject };
            let answer = simulate("q", &question).ok()?;
            Some(answer.findings.iter().map(|finding| finding.verdict).collect::<Vec<_>>())
        };
        let numbered = |number: &str| IdentitySubject {
            document_number: Some(number.to_owned()),
            ..IdentitySubject::default()
        };
        for kind in [IdentitySourceKind::IssuingAuthority, IdentitySourceKind::FraudList] {
            let of = |number| ask(kind, &["x"], numbered(number));
            assert_eq!(of("C01X00T47"), Some(vec![Pass]));
            assert_eq!(of("C1111X"), Some(vec![Fail]));
            assert_eq!(of("X2222"), Some(vec![Unknown]));
            assert_eq!(of("X3333"), None);
        }
        let named = |name: &str| {
            let subject = IdentitySubject { full_name: Some(name.to_owned()), ..IdentitySubject::default() };
            ask(IdentitySourceKind::Watchlist, &["sanctions", "pep", "adverse_media"], subject)
        };
        assert_eq!(named("Ada Lovelace"), Some(vec![Pass, Pass, Pass]));
        assert_eq!(named("Ada Sanctioned"), Some(vec![Fail, Pass, Pass]));
        assert_eq!(named("Ada Exposed"), Some(vec![Pass, Fail, Pass]));
        assert_eq!(named("Notorious Ada"), Some(vec![Pass, Pass, Fail]));
        assert_eq!(named("Ada Unknown"), Some(vec![Unknown, Unknown, Unknown]));
        assert_eq!(named("Ada Unavailable"), None);
        let at = |address: &str| {
            let subject = IdentitySubject { address: Some(address.to_owned()), ..IdentitySubject::default() };
            ask(
                IdentitySourceKind::ThirdPartyIdentity,
                &["name_match", "dob_match", "address_match"],
                subject,
            )
        };
        assert_eq!(at("1 High Street\nExampleton"), Some(vec![Pass, Pass, Pass]));
        assert_eq!(at("High Street, 1111 Exampleton"), Some(vec![Pass, Pass, Fail]));
        assert_eq!(at("High Street, 2222 Exampleton"), Some(vec![Unknown, Unknown, Unknown]));
        assert_eq!(at("High Street, 3333 Exampleton"), None);
    }
}
