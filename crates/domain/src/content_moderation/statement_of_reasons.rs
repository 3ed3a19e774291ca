//! Statements of reasons for accepted notifications, as Regulation (EU) 2022/2065, Article 17(3) asks for them. Members that
//! the Commission's DSA Transparency Database has are named and spelt as there.
//!
//! What was found is this server's to say. What was decided, on which ground and for where, is the platform's: it comes with
//! the acceptance ([`StatementDecision`]), and what did not come is listed as missing. A statement names neither the banned
//! person nor a reviewer.

use super::{
    AgeGroup, FaceMeasurements, ModerationNotification, NotificationReason, NotificationType,
    contents::ContentType,
    finding_details::{self, DecisionBasis},
    notifications,
};
use crate::{
    vault::Vault,
    violation::{Violation, check_max_chars, check_max_items, violation},
    wire_enum::wire_enum,
};
use base::{AccountId, Environment, NotificationId, ReviewId, Timestamp};
use db::{DbError, FromRow, ReadTx, sql};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

wire_enum! {
    /// How the visibility of the content is restricted.
    pub enum DecisionVisibility {
        Removed => "DECISION_VISIBILITY_CONTENT_REMOVED",
        Disabled => "DECISION_VISIBILITY_CONTENT_DISABLED",
        Demoted => "DECISION_VISIBILITY_CONTENT_DEMOTED",
        AgeRestricted => "DECISION_VISIBILITY_CONTENT_AGE_RESTRICTED",
        InteractionRestricted => "DECISION_VISIBILITY_CONTENT_INTERACTION_RESTRICTED",
        Labelled => "DECISION_VISIBILITY_CONTENT_LABELLED",
        Other => "DECISION_VISIBILITY_OTHER",
    }
}

wire_enum! {
    /// How payments are restricted.
    pub enum DecisionMonetary {
        Suspension => "DECISION_MONETARY_SUSPENSION",
        Termination => "DECISION_MONETARY_TERMINATION",
        Other => "DECISION_MONETARY_OTHER",
    }
}

wire_enum! {
    /// How the provision of the service is restricted.
    pub enum DecisionProvision {
        PartialSuspension => "DECISION_PROVISION_PARTIAL_SUSPENSION",
        TotalSuspension => "DECISION_PROVISION_TOTAL_SUSPENSION",
        PartialTermination => "DECISION_PROVISION_PARTIAL_TERMINATION",
        TotalTermination => "DECISION_PROVISION_TOTAL_TERMINATION",
    }
}

wire_enum! {
    /// How the account of the recipient is restricted.
    pub enum DecisionAccount {
        Suspended => "DECISION_ACCOUNT_SUSPENDED",
        Terminated => "DECISION_ACCOUNT_TERMINATED",
    }
}

wire_enum! {
    /// Whether the content is against the law, or against the platform's terms.
    pub enum DecisionGround {
        IllegalContent => "DECISION_GROUND_ILLEGAL_CONTENT",
        IncompatibleContent => "DECISION_GROUND_INCOMPATIBLE_CONTENT",
    }
}

wire_enum! {
    /// What led to the content being looked at.
    pub enum StatementSource {
        Article16 => "SOURCE_ARTICLE_16",
        TrustedFlagger => "SOURCE_TRUSTED_FLAGGER",
        OtherNotification => "SOURCE_TYPE_OTHER_NOTIFICATION",
        Voluntary => "SOURCE_VOLUNTARY",
    }
}

wire_enum! {
    /// How far the decision was taken by automated means.
    pub enum AutomatedDecision {
        Fully => "AUTOMATED_DECISION_FULLY",
        Partially => "AUTOMATED_DECISION_PARTIALLY",
        NotAutomated => "AUTOMATED_DECISION_NOT_AUTOMATED",
    }
}

wire_enum! {
    /// Yes or no, as the Transparency Database spells them.
    pub enum YesOrNo {
        Yes => "Yes",
        No => "No",
    }
}

wire_enum! {
    /// The kind of content.
    pub enum StatementContentType {
        Image => "CONTENT_TYPE_IMAGE",
        Video => "CONTENT_TYPE_VIDEO",
    }
}

/// What the platform decided, and why: all that this server cannot know. Its JSON is stored sealed, and older builds wrote
/// it: add members with defaults only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct StatementDecision {
    /// How the visibility of the content is restricted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 7)]
    pub decision_visibility: Vec<DecisionVisibility>,
    /// What `DECISION_VISIBILITY_OTHER` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 500)]
    pub decision_visibility_other: Option<String>,
    /// How payments are restricted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_monetary: Option<DecisionMonetary>,
    /// What `DECISION_MONETARY_OTHER` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 500)]
    pub decision_monetary_other: Option<String>,
    /// How the provision of the service is restricted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_provision: Option<DecisionProvision>,
    /// How the recipient's account is restricted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_account: Option<DecisionAccount>,
    /// Where the restriction holds: ISO 3166-1 codes of two letters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 250, example = json!(["DE", "FR"]))]
    pub territorial_scope: Vec<String>,
    /// The day from which it holds, `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-11-26")]
    pub application_date: Option<String>,
    /// The day on which the restriction of the visibility ends; absent where it has no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_date_visibility_restriction: Option<String>,
    /// The same of payments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_date_monetary_restriction: Option<String>,
    /// The same of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_date_service_restriction: Option<String>,
    /// The same of the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_date_account_restriction: Option<String>,
    /// Whether it is the law or the platform's terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_ground: Option<DecisionGround>,
    /// Where that can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 500)]
    pub decision_ground_reference_url: Option<String>,
    /// The law.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 500)]
    pub illegal_content_legal_ground: Option<String>,
    /// Why the content is against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2000)]
    pub illegal_content_explanation: Option<String>,
    /// The clause of the terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 500)]
    pub incompatible_content_ground: Option<String>,
    /// Why the content is against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2000)]
    pub incompatible_content_explanation: Option<String>,
    /// Whether what is against the terms is held to be illegal, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incompatible_content_illegal: Option<YesOrNo>,
    /// The category of the statement, a word of the Transparency Database.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^STATEMENT_CATEGORY_[A-Z_]{1,80}$",
        example = "STATEMENT_CATEGORY_SCOPE_OF_PLATFORM_SERVICE"
    )]
    pub category: Option<String>,
    /// What led to the content being looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_type: Option<StatementSource>,
    /// The facts in the platform's own words, in place of this server's. No personal data of others belongs here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 5000)]
    pub decision_facts: Option<String>,
    /// How far the decision was taken by automated means. If absent: not, where a member accepted the notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automated_decision: Option<AutomatedDecision>,
    /// What the recipient can do against it: the complaint to the platform, out-of-court settlement, a court.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2000)]
    pub redress: Option<String>,
}

impl StatementDecision {
    /// Everything that is wrong with it; paths begin with `decision`.
    pub fn check(&self) -> Result<(), Vec<Violation>> {
        let texts = [
            ("decision.decision_visibility_other", &self.decision_visibility_other, 500),
            ("decision.decision_monetary_other", &self.decision_monetary_other, 500),
            ("decision.decision_ground_reference_url", &self.decision_ground_reference_url, 500),
            ("decision.illegal_content_legal_ground", &self.illegal_content_legal_ground, 500),
            ("decision.illegal_content_explanation", &self.illegal_content_explanation, 2000),
            ("decision.incompatible_content_ground", &self.incompatible_content_ground, 500),
            ("decision.incompatible_content_explanation", &self.incompatible_content_explanation, 2000),
            ("decision.decision_facts", &self.decision_facts, 5000),
            ("decision.redress", &self.redress, 2000),
        ];
        let mut wrong = Vec::new();
        for (path, text, max) in texts {
            let Some(text) = text else { continue };
            if text.trim().is_empty() {
                wrong.push(violation(path, "it is empty: leave it out"));
            }
            wrong.extend(check_max_chars(path, "it has", text.chars().count(), max, "shorten it").err());
        }
        let dates = [
            ("decision.application_date", &self.application_date),
            ("decision.end_date_visibility_restriction", &self.end_date_visibility_restriction),
            ("decision.end_date_monetary_restriction", &self.end_date_monetary_restriction),
            ("decision.end_date_service_restriction", &self.end_date_service_restriction),
            ("decision.end_date_account_restriction", &self.end_date_account_restriction),
        ];
        for (path, date) in dates {
            if date.as_deref().is_some_and(|date| !is_date(date)) {
                wrong.push(violation(path, "it is a day as YYYY-MM-DD"));
            }
        }
        let others = [
            (
                "decision.decision_visibility_other",
                self.decision_visibility.contains(&DecisionVisibility::Other),
                self.decision_visibility_other.is_some(),
                DecisionVisibility::Other.as_str(),
            ),
            (
                "decision.decision_monetary_other",
                self.decision_monetary == Some(DecisionMonetary::Other),
                self.decision_monetary_other.is_some(),
                DecisionMonetary::Other.as_str(),
            ),
        ];
        for (path, is_other, is_given, word) in others {
            if is_other != is_given {
                wrong.push(violation(path, format!("it is given with {word}, and with nothing else")));
            }
        }
        let path = "decision.territorial_scope";
        let is_country =
            |code: &String| code.len() == 2 && code.bytes().all(|letter| letter.is_ascii_uppercase());
        wrong.extend(check_max_items(path, self.territorial_scope.len(), 250, "name fewer").err());
        if let Some(at) = self.territorial_scope.iter().position(|code| !is_country(code)) {
            wrong.push(violation(format!("{path}[{at}]"), "it is a country's code of two capital letters"));
        }
        let is_category = |word: &str| {
            let rest = word.strip_prefix("STATEMENT_CATEGORY_").unwrap_or_default();
            (1..=80).contains(&rest.len()) && rest.bytes().all(|c| c.is_ascii_uppercase() || c == b'_')
        };
        if self.category.as_deref().is_some_and(|word| !is_category(word)) {
            let words =
                "it is a category of the DSA Transparency Database, such as STATEMENT_CATEGORY_VIOLENCE";
            wrong.push(violation("decision.category", words));
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    /// Which of the members that Article 17(3) and the Transparency Database ask for are not there.
    fn missing(&self) -> Vec<&'static str> {
        let has_restriction = !self.decision_visibility.is_empty()
            || self.decision_monetary.is_some()
            || self.decision_provision.is_some()
            || self.decision_account.is_some();
        let is_ground = |ground| self.decision_ground == Some(ground);
        let (illegal, incompatible) =
            (is_ground(DecisionGround::IllegalContent), is_ground(DecisionGround::IncompatibleContent));
        [
            ("decision_visibility", !has_restriction),
            ("territorial_scope", self.territorial_scope.is_empty()),
            ("application_date", self.application_date.is_none()),
            ("decision_ground", self.decision_ground.is_none()),
            ("illegal_content_legal_ground", illegal && self.illegal_content_legal_ground.is_none()),
            ("illegal_content_explanation", illegal && self.illegal_content_explanation.is_none()),
            ("incompatible_content_ground", incompatible && self.incompatible_content_ground.is_none()),
            (
                "incompatible_content_explanation",
                incompatible && self.incompatible_content_explanation.is_none(),
            ),
            ("category", self.category.is_none()),
            ("source_type", self.source_type.is_none()),
            ("automated_decision", self.automated_decision.is_none()),
            ("redress", self.redress.is_none()),
        ]
        .into_iter()
        .filter_map(|(name, is_missing)| is_missing.then_some(name))
        .collect()
    }
}

/// Whether a text is a day of the calendar, `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    text.len() == 10 && format!("{text}T00:00:00Z").parse::<Timestamp>().is_ok()
}

/// A statement of reasons.
#[derive(Clone, Debug)]
pub struct StatementOfReasons {
    /// What was found.
    pub notification: ModerationNotification,
    /// The numbers behind it; none of builds that did not keep them.
    pub measurements: Option<FaceMeasurements>,
    pub content_type: StatementContentType,
    /// When the notification was accepted.
    pub decided_at: Timestamp,
    /// What the platform said with that. `decision_facts` is always there, and `automated_decision` where it is known.
    pub decision: StatementDecision,
    /// The names of members that nobody gave.
    pub missing: Vec<&'static str>,
}

#[derive(FromRow)]
struct LastReviewRow {
    id: ReviewId,
    score: i64,
    sealed_decision: Option<Vec<u8>>,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
}

/// Seals and opens decisions, and writes statements.
#[derive(Clone, Debug)]
pub(super) struct StatementWriter {
    pub(super) vault: Vault,
    pub(super) environment: Arc<dyn Environment>,
}

impl StatementWriter {
    /// Seals what was said with a review. A member who accepts is a person who decides.
    pub(super) fn seal(&self, review: ReviewId, decision: &StatementDecision, by_member: bool) -> Vec<u8> {
        let mut decision = decision.clone();
        if by_member {
            decision.automated_decision.get_or_insert(AutomatedDecision::NotAutomated);
        }
        let plain = serde_json::to_vec(&decision).expect("texts are JSON");
        self.vault.seal(&*self.environment, &aad(review), &plain)
    }

    /// The decision of a review; an empty one where none was given, or it was sealed under another master key.
    fn open(&self, review: ReviewId, sealed: Option<&[u8]>) -> StatementDecision {
        let plain = sealed.and_then(|sealed| self.vault.open(&aad(review), sealed).ok());
        plain.and_then(|plain| serde_json::from_slice(&plain).ok()).unwrap_or_default()
    }

    /// The statement of reasons for a notification about a face whose last review accepted it; `None` for any other.
    pub(super) async fn write(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: NotificationId,
    ) -> Result<Option<StatementOfReasons>, DbError> {
        let Some(notification) = notifications::find(view, account, id).await? else { return Ok(None) };
        if notification.notification_type != NotificationType::Face {
            return Ok(None);
        }
        let review: Option<LastReviewRow> = view
            .fetch_optional(sql!(
                "SELECT id, score, sealed_decision, created_at FROM reviews
                  WHERE notification_id = $1 AND account_id = $2 ORDER BY created_at DESC, id DESC LIMIT 1",
                id,
                account,
            ))
            .await?;
        let Some(review) = review.filter(|review| review.score > 0) else { return Ok(None) };
        let DecisionBasis { measurements, age_threshold } =
            finding_details::load_basis(view, &notification).await?;
        let mut decision = self.open(review.id, review.sealed_decision.as_deref());
        let facts = describe(&notification, age_threshold);
        decision.decision_facts.get_or_insert(facts);
        Ok(Some(StatementOfReasons {
            measurements,
            content_type: match notification.content_type {
                ContentType::Image => StatementContentType::Image,
                ContentType::Video | ContentType::LiveVideo => StatementContentType::Video,
            },
            decided_at: review.created_at,
            missing: decision.missing(),
            decision,
            notification,
        }))
    }
}

fn aad(review: ReviewId) -> Vec<u8> {
    format!("review {review} decision").into_bytes()
}

/// What was found, in words. They name nobody.
fn describe(notification: &ModerationNotification, age: Option<u8>) -> String {
    let place = match notification.content_type {
        ContentType::Image => "the image",
        ContentType::Video => "the video",
        ContentType::LiveVideo => "the live video",
    };
    match notification.reason {
        NotificationReason::BannedProfile => format!(
            "Automated comparison of faces found that a face in {place} is similar enough to that of a person who is \
             banned from the service to be taken for them."
        ),
        NotificationReason::AgeEstimation => {
            let limit = age.map_or_else(String::new, |age| format!(", which is {age} years"));
            let group = notification.age_group().map_or_else(String::new, |group: AgeGroup| {
                format!(" The age group that it looks like is {group}.")
            });
            format!(
                "Automated estimation of age found that a face in {place} looks younger than the age that was asked \
                 for{limit}.{group}"
            )
        }
        _ => format!(
            "Automated comparison of faces found that a face in {place} matches none of the people who may be seen in it."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_depends_on_the_ground() {
        let mut decision = StatementDecision::default();
        assert_eq!(
            decision.missing(),
            [
                "decision_visibility",
                "territorial_scope",
                "application_date",
                "decision_ground",
                "category",
                "source_type",
                "automated_decision",
                "redress"
            ]
        );
        decision.decision_account = Some(DecisionAccount::Suspended);
        decision.decision_ground = Some(DecisionGround::IllegalContent);
        let missing = decision.missing();
        assert!(
            missing.contains(&"illegal_content_explanation") && !missing.contains(&"decision_visibility")
        );
        assert!(!missing.contains(&"incompatible_content_ground"));
    }

    #[test]
    fn days_are_days_of_the_calendar() {
        assert!(is_date("2028-02-29"));
        for wrong in ["2026-02-29", "2026-13-01", "26-01-01", "2026-01-01T00", "", "today"] {
            assert!(!is_date(wrong), "{wrong}");
        }
    }
}
