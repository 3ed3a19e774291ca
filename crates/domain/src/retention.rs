//! How long everything that is known of people is kept, in one table: [`RetentionSettings::rules`].
//!
//! [`PurgeExpired`] deletes what is over, except for what has a job of its own. Files outside the database are deleted together with
//! their rows: by [`SweepDocumentSessions`](crate::document_verification::SweepDocumentSessions), also traces and the list of fraud;
//! by `sweep-content-uploads` and `sweep-finding-pictures`. `sweep-faces` deletes what left the face indexes, `purge-nonces`
//! nonces, and `purge-audit-trail` records of the audit trail.

use crate::{
    accounts::sign_in,
    age_verification, audit, authentication, console, content_moderation, delivery, idempotency, operators,
    proof_of_age,
    request_log::{self, RequestLogSettings},
    session_steps,
    tenancy::{limits, tokens},
};
use base::{Environment, SignedDuration};
use db::{Db, DbError};
use jobs::{Job, JobError, JobOutcome, Lane, RetryPolicy};
use serde::{Deserialize, Serialize};

/// What can be set of the table.
#[derive(Clone, Copy, Debug)]
pub struct RetentionSettings {
    /// `delivery.keep_days`
    pub deliveries: SignedDuration,
    /// `identity.keep_days`
    pub document_sessions: SignedDuration,
    /// `identity.duplicate_days`
    pub document_traces: SignedDuration,
    /// `ages.keep_days`
    pub age_sessions: SignedDuration,
    /// `ages.key_days`
    pub stored_age_results: SignedDuration,
    /// `moderation.keep_embeddings_days`
    pub found_embeddings: SignedDuration,
    /// `moderation.keep_pictures_days`
    pub found_pictures: SignedDuration,
    /// `audit.keep_days`
    pub audit_records: SignedDuration,
    /// `request_log`
    pub request_log: RequestLogSettings,
    /// `console.session_days`
    pub member_sessions: SignedDuration,
}

/// How long something is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetentionPeriod {
    /// For a time after an event.
    After(SignedDuration, &'static str),
    /// Until an event.
    Until(&'static str),
    /// For as long as there is the installation.
    ForGood,
}

impl std::fmt::Display for RetentionPeriod {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ForGood => f.write_str("for good"),
            Self::Until(event) => write!(f, "until {event}"),
            Self::After(duration, event) if *duration == SignedDuration::ZERO => write!(f, "until {event}"),
            Self::After(duration, event) => {
                let (number, unit) = match duration.as_hours() {
                    0 => (duration.as_mins(), "minute"),
                    hours if hours % 24 == 0 => (hours / 24, "day"),
                    hours => (hours, "hour"),
                };
                let plural = if number == 1 { "" } else { "s" };
                write!(f, "{number} {unit}{plural} after {event}")
            }
        }
    }
}

/// A kind of personal data, where it is, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionRule {
    /// What it is.
    pub kind: &'static str,
    /// The tables that hold it.
    pub tables: &'static [&'static str],
    /// What holds it outside the database.
    pub elsewhere: Option<&'static str>,
    pub period: RetentionPeriod,
    /// The setting, if there is one.
    pub setting: Option<&'static str>,
}

/// Tables without personal data: what the operator sets up, and what is known of requests and keys.
#[cfg(test)]
const IMPERSONAL_TABLES: &[&str] = &[
    "age_issuer_keys",
    "age_rules",
    "applications",
    "call_windows",
    "case_queues",
    "data_keys",
    "deletion_counts",
    "erasure_progress",
    "face_accounts",
    "installation",
    "issuer_documents",
    "issuing_keys",
    "master_key_holders",
    "notification_lists",
    "member_roles",
    "operator_roles",
    "organisations",
    "public_keys",
    "request_days",
    "schema_versions",
    "stored_files",
    "webhook_keys",
    "webhook_secrets",
];

impl RetentionSettings {
    /// The table.
    #[expect(clippy::too_many_lines, reason = "it is one table")]
    pub fn rules(&self) -> Vec<RetentionRule> {
        use RetentionPeriod::{After, ForGood, Until};
        let rule =
            |kind, tables, period| RetentionRule { kind, tables, elsewhere: None, period, setting: None };
        vec![
            RetentionRule {
                kind: "Images sent for analysis, frames of videos",
                tables: &[],
                elsewhere: Some("memory"),
                period: Until("the request is answered, or the moderation has looked at them"),
                setting: None,
            },
            RetentionRule {
                kind: "Document verification: pictures, videos, what was read, what was typed",
                tables: &["identity_sessions", "identity_leavings", "erasure_keys"],
                elsewhere: Some("file store"),
                period: Until("the time is over that the session was created with (`resources_ttl`)"),
                setting: None,
            },
            RetentionRule {
                kind: "Document verification: the session's state and its reports, reviews of its checks",
                tables: &["identity_sessions", "identity_reviews"],
                elsewhere: None,
                period: After(self.document_sessions, "its resources are destroyed"),
                setting: Some("identity.keep_days"),
            },
            RetentionRule {
                kind: "Document verification: what later sessions are compared with (number as a keyed hash; name, birthday and face sealed)",
                tables: &["document_traces", "erasure_keys"],
                elsewhere: None,
                period: After(
                    self.document_traces,
                    "the checks of the session, and never longer than the session",
                ),
                setting: Some("identity.duplicate_days"),
            },
            RetentionRule {
                kind: "Document verification: the list of documents and faces used for fraud",
                tables: &["fraud_list_entries", "erasure_keys"],
                elsewhere: None,
                period: Until("the entry expires, or is removed"),
                setting: None,
            },
            RetentionRule {
                kind: "Age verification: what was asked, tried and found out",
                tables: &["age_sessions", "erasure_keys"],
                elsewhere: None,
                period: After(
                    self.age_sessions,
                    "the session expires, and up to two days longer while a webhook about it waits",
                ),
                setting: Some("ages.keep_days"),
            },
            rule(
                "Both kinds of sessions: when which step began and how it ended, as codes; by which references they are found (keyed hashes)",
                &["session_steps", "session_references"],
                After(
                    session_steps::STEP_RETENTION,
                    "a step began, if its session is deleted: then it names no session any more; references go with the session",
                ),
            ),
            rule(
                "Age verification: appeals, with what the person says (sealed)",
                &["age_appeals", "erasure_keys"],
                Until("the session is deleted, which is 30 days after the appeal at the earliest"),
            ),
            rule(
                "Age verification: the picture that an application adds to an appeal (sealed)",
                &["age_appeal_pictures", "erasure_keys"],
                After(
                    age_verification::APPEAL_RETENTION,
                    "the appeal, or until it is decided or the session deleted",
                ),
            ),
            RetentionRule {
                kind: "Age verification: results that people keep under a passkey",
                tables: &["age_tokens"],
                elsewhere: None,
                period: After(self.stored_age_results, "it was stored"),
                setting: Some("ages.key_days"),
            },
            rule(
                "Blind tokens that were redeemed (a number, of nobody)",
                &["age_tokens_spent"],
                Until("their key expires"),
            ),
            RetentionRule {
                kind: "Profiles: texts, pictures of faces, embeddings, groups, faces that reviewers said are not theirs",
                tables: &[
                    "profiles",
                    "faces",
                    "negative_labels",
                    "profile_groups",
                    "group_profiles",
                    "erasure_keys",
                ],
                elsewhere: Some("file store, index files"),
                period: Until("the profile is deleted, or its account"),
                setting: None,
            },
            rule(
                "Which faces and dismissals left the indexes (ids)",
                &["face_removals", "face_leavings", "negative_label_removals"],
                After(SignedDuration::from_hours(7 * 24), "the removal"),
            ),
            RetentionRule {
                kind: "Pictures of what was found in contents, for reviewers",
                tables: &["finding_pictures", "erasure_keys"],
                elsewhere: Some("file store"),
                period: After(
                    self.found_pictures,
                    "they were taken, and never longer than the moderation, or the profile that the face matches",
                ),
                setting: Some("moderation.keep_pictures_days"),
            },
            RetentionRule {
                kind: "Embeddings of faces found in contents",
                tables: &["findings", "erasure_keys"],
                elsewhere: None,
                period: After(
                    self.found_embeddings,
                    "the moderation ended, and never longer than the profile that they match",
                ),
                setting: Some("moderation.keep_embeddings_days"),
            },
            rule(
                "Contents, moderations, what they found (place, age group, profile), notifications and their reviews",
                &[
                    "contents",
                    "content_profiles",
                    "content_reports",
                    "moderations",
                    "findings",
                    "notifications",
                    "notification_places",
                    "reviews",
                ],
                Until("the content is deleted, or the moderation, or the account"),
            ),
            RetentionRule {
                kind: "Files of contents that were uploaded",
                tables: &["content_uploads", "erasure_keys"],
                elsewhere: Some("file store"),
                period: Until(
                    "the content is deleted, or the account; of a file that no content has, a day after it was uploaded",
                ),
                setting: None,
            },
            rule(
                "Proofs of age: the verdict and its record",
                &["proofs"],
                After(proof_of_age::RESULT_RETENTION, "the proof was scanned"),
            ),
            rule(
                "Proofs of age: which presentations were used (hashes)",
                &["used_presentations"],
                Until(
                    "the presentation could not be shown again, and for a day where its issuer was asked first; of one without the holder's signature, until a signed one could not",
                ),
            ),
            rule("Invitations to fetch a proof of age", &["holder_grants"], Until("they expire")),
            RetentionRule {
                kind: "Messages to the applications' own servers, with results about people",
                tables: &["deliveries", "delivery_subjects"],
                elsewhere: None,
                period: After(self.deliveries, "they were delivered or given up"),
                setting: Some("delivery.keep_days"),
            },
            rule(
                "Answers that are repeated for the same `Idempotency-Key`",
                &["idempotent_answers"],
                After(idempotency::ANSWER_RETENTION, "the first answer"),
            ),
            rule(
                "Work that is queued, with mail addresses where it is a mail",
                &["jobs"],
                Until("it is done; work that was given up, until the operator discards it"),
            ),
            rule(
                "Cases of the console, what reviewers decided, and which pictures they looked at for how long",
                &["cases", "case_opinions", "case_views"],
                Until("the notification or the session is deleted that the case is about"),
            ),
            RetentionRule {
                kind: "Decision records of image analysis (`audit.decisions`): the answer, never the image",
                tables: &["decisions"],
                elsewhere: None,
                period: After(self.audit_records, "the decision"),
                setting: Some("audit.keep_days"),
            },
            RetentionRule {
                kind: "The audit trail: who did what, by ids",
                tables: &["audit_records", "audit_chain"],
                elsewhere: None,
                period: After(self.audit_records, "the record was written"),
                setting: Some("audit.keep_days"),
            },
            RetentionRule {
                kind: "Members and operators, their sessions (method, family of the browser, network without its last part)",
                tables: &["members", "operators", "console_sessions"],
                elsewhere: None,
                period: After(
                    self.member_sessions,
                    "sign-in (sessions); members, until they are removed or their account is deleted; operators, for good",
                ),
                setting: Some("console.session_days"),
            },
            rule(
                "What members and operators sign in with: passkeys, passwords, secrets of authenticator apps (sealed), ids at identity providers",
                &["passkeys", "passwords", "totp_secrets", "oidc_subjects"],
                Until("they are removed, or their member or account is"),
            ),
            rule(
                "What operators asked their colleagues to approve (ids, names and scopes; address and name of who would be invited as an operator)",
                &["approvals"],
                Until("a month after it was asked for"),
            ),
            rule(
                "Wrong passwords and codes in a row (keyed hashes: of whom, only this installation can tell), challenges that were answered",
                &["sign_in_failures", "used_sign_in_challenges"],
                Until("a day after the last one"),
            ),
            rule(
                "Counters of codes and cards (keyed hashes: of whom, only this installation can tell), tokens of captures",
                &["usage_counters", "used_capture_tokens"],
                Until("a day after the first use"),
            ),
            rule(
                "Invitations and sign-in links",
                &["invitations", "sign_in_links", "operator_invitations", "operator_sign_in_links"],
                Until("they expire"),
            ),
            rule(
                "Access tokens, nonces and assertions of applications",
                &["access_tokens", "used_nonces", "used_assertions"],
                Until("they expire"),
            ),
            RetentionRule {
                kind: "Which requests an application made (operation, status, time; no content, and nobody's id)",
                tables: &["request_log"],
                elsewhere: None,
                period: After(
                    self.request_log.retention,
                    "the request; of one application no more than `request_log.requests_per_application`",
                ),
                setting: Some("request_log.days"),
            },
            rule(
                "Accounts, API keys, sandbox answers",
                &["accounts", "api_keys", "identity_responses"],
                Until("they are deleted"),
            ),
            rule("Receipts of deleted accounts: ids and numbers", &["deletion_receipts"], ForGood),
        ]
    }

    /// Deletes everything whose time is over, batch by batch. Also fails moderations whose job was dead-lettered.
    pub async fn enforce(&self, db: &Db, env: &dyn Environment) -> Result<(), DbError> {
        while tokens::purge(db, env).await? > 0 {}
        while limits::purge(db, env).await? > 0 {}
        while idempotency::purge(db, env).await? > 0 {}
        while delivery::purge(db, env, self.deliveries).await? > 0 {}
        while proof_of_age::purge(db, env).await? > 0 {}
        while age_verification::purge(db, env.now()).await? > 0 {}
        while session_steps::purge(db, env).await? > 0 {}
        while request_log::purge(db, env, &self.request_log).await? > 0 {}
        while sign_in::purge_expired(db, env).await? > 0 {}
        while authentication::purge_expired(db, env).await? > 0 {}
        while operators::invitations::purge_expired(db, env).await? > 0 {}
        while console::approvals::purge_expired(db, env).await? > 0 {}
        while audit::purge_decisions(db, env.now() - self.audit_records).await? > 0 {}
        while content_moderation::purge_embeddings(db, env.now(), self.found_embeddings).await? > 0 {}
        Ok(())
    }
}

/// Deletes what has expired: tokens, assertions, idempotent answers, deliveries, proofs, invitations, sessions,
/// embeddings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurgeExpired {}

impl Job for PurgeExpired {
    const KIND: &'static str = "purge-expired";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = RetryPolicy::RECURRING;
}

impl PurgeExpired {
    const INTERVAL: SignedDuration = SignedDuration::from_mins(5);

    /// Runs the job.
    pub async fn run(
        self,
        db: &Db,
        env: &dyn Environment,
        settings: &RetentionSettings,
    ) -> Result<JobOutcome, JobError> {
        settings.enforce(db, env).await?;
        Ok(JobOutcome::Again(env.now() + Self::INTERVAL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use db::{FromRow, sql, testing::TestDb};

    fn settings() -> RetentionSettings {
        let days = |days: i64| SignedDuration::from_hours(24 * days);
        RetentionSettings {
            audit_records: days(400),
            deliveries: days(30),
            document_sessions: days(1),
            document_traces: days(0),
            age_sessions: days(30),
            stored_age_results: days(30),
            found_embeddings: days(0),
            found_pictures: days(30),
            request_log: RequestLogSettings::default(),
            member_sessions: days(7),
        }
    }

    /// A table that is added to the schema must be in the table of retention, or said to hold nothing of people.
    #[tokio::test]
    async fn every_table_of_the_schema_has_a_rule() {
        #[derive(FromRow)]
        struct Table {
            place: String,
        }
        let test = TestDb::open().await;
        let mut view = test.db.read().await.unwrap();
        let tables: Vec<Table> = view
            .fetch_all(sql!(
                sqlite: "SELECT name AS place FROM sqlite_master
                          WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> '_sqlx_migrations' ORDER BY name",
                postgres: "SELECT CAST(table_name AS TEXT) AS place FROM information_schema.tables
                            WHERE table_schema = current_schema() AND table_name <> '_sqlx_migrations' ORDER BY place",
            ))
            .await
            .unwrap();
        let rules = settings().rules();
        let ruled: std::collections::BTreeSet<&str> =
            rules.iter().flat_map(|rule| rule.tables).copied().collect();
        for Table { place } in &tables {
            let impersonal = IMPERSONAL_TABLES.contains(&&**place);
            assert!(
                ruled.contains(&**place) != impersonal,
                "{place} has no rule of retention, or one too many"
            );
        }
        for table in ruled.iter().chain(IMPERSONAL_TABLES) {
            assert!(tables.iter().any(|known| known.place == **table), "there is no table {table}");
        }
    }

    #[test]
    fn periods_are_said_in_whole_units() {
        let after = |hours| RetentionPeriod::After(SignedDuration::from_hours(hours), "the end").to_string();
        assert_eq!(after(24), "1 day after the end");
        assert_eq!(after(720), "30 days after the end");
        assert_eq!(after(25), "25 hours after the end");
        assert_eq!(after(0), "until the end");
        assert_eq!(RetentionPeriod::ForGood.to_string(), "for good");
    }

    /// A row that an older version queued must still be readable.
    #[test]
    fn old_payloads_still_parse() {
        assert_eq!(serde_json::from_str::<PurgeExpired>("{}").unwrap(), PurgeExpired {});
    }
}
