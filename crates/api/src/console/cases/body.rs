//! What a case looks like: in lists, and with everything that it is judged by.

use super::age_appeal::{AgeAppealBody, CAPTURE_PICTURE};
use crate::{ApiState, content_moderation::ModerationApiError};
use base::{
    CaseId, CaseQueueId, ContentId, DocumentSessionId, MemberId, ModerationId, NotificationId, ProfileId,
    Timestamp, Uuid, VerificationCheckId,
};
use db::ReadTx;
use domain::{
    cases::{
        CaseDecision, CaseKind, CaseQueue, CaseRecord, CaseState, CaseSubject, Exposure, ReasonCode, Reviewer,
    },
    content_moderation::{
        AgeGroup, FACE_PICTURE, FRAME_PICTURE, FindingDetails, FindingHistory, FindingPicture,
        NotificationReason, contents::ContentType,
    },
    document_verification::{
        CheckEvidence, ResourceEvidence,
        types::{CheckAdvice, ResourceKind, VerificationCheckType},
    },
    faces::{EnrolledFace, Profile},
};
use utoipa::ToSchema;

/// What the names of pictures of enrolled faces begin with; the face's id follows.
pub(super) const ENROLLED_PREFIX: &str = "enrolled-";
/// The side of a portrait.
pub(super) const PORTRAIT_SIDE_PIXELS: u32 = 320;

/// A case, without what it is judged by.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = CaseItem)]
pub(in crate::console) struct CaseItemBody {
    #[schema(value_type = Uuid)]
    pub(super) id: CaseId,
    pub(super) kind: CaseKind,
    /// Why it is there: the reason of a notification, or the type of a check.
    reason: String,
    state: CaseState,
    /// Higher comes first.
    priority: i64,
    /// The queue that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<QueueNameBody>,
    /// The language of the person concerned, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    language: Option<String>,
    /// Whether it is an appeal against an earlier decision.
    is_appeal: bool,
    /// Who works on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>, nullable = false)]
    held_by: Option<MemberId>,
    /// Until when it is theirs, unless their page renews it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime, nullable = false)]
    lease_until: Option<Timestamp>,
    /// Whom it was handed to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>, nullable = false)]
    assigned_to: Option<MemberId>,
    /// When it comes back from being on hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime, nullable = false)]
    held_until: Option<Timestamp>,
    /// Why it was put on hold.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    note: String,
    /// When it should be decided.
    #[schema(value_type = String, format = DateTime)]
    due_at: Timestamp,
    /// Whether it is past that.
    is_overdue: bool,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// What was decided, once that is settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    outcome: Option<CaseDecision>,
    /// When it was settled or withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime, nullable = false)]
    closed_at: Option<Timestamp>,
}

/// A queue, by its name.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = QueueName)]
struct QueueNameBody {
    #[schema(value_type = Uuid)]
    id: CaseQueueId,
    name: String,
}

/// A case with everything that it is judged by.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Case)]
pub(in crate::console) struct CaseBody {
    #[serde(flatten)]
    item: CaseItemBody,
    /// The decisions that end it.
    decisions: &'static [CaseDecision],
    /// What the queue wants reviewers to know; empty if there is nothing.
    policy: String,
    /// Reasons that can be given a decision with one key.
    reason_codes: Vec<ReasonCode>,
    /// The pictures, by name; read them at `/console/cases/{caseId}/pictures/{name}`.
    pictures: Vec<CasePictureBody>,
    /// When what it shows is deleted at the latest, where there is such a moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime, nullable = false)]
    deletes_at: Option<Timestamp>,
    /// Of a finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    finding: Option<FindingBody>,
    /// Of a check of a document verification session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    document_check: Option<DocumentCheckBody>,
    /// Of an appeal against the result of an age verification session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    age_appeal: Option<AgeAppealBody>,
}

/// A picture of a case.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = CasePicture)]
struct CasePictureBody {
    /// Its name in this case.
    name: String,
    role: CasePictureRole,
    /// The resource of the session that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>, nullable = false)]
    resource_id: Option<Uuid>,
    /// Pixels; absent where they are not known before the picture is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    height: Option<u32>,
    /// The position in the content, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    time: Option<f64>,
}

/// What a picture shows.
#[derive(Clone, Copy, serde::Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum CasePictureRole {
    /// A page of a document.
    Page,
    /// The portrait on a document.
    Portrait,
    /// A face that was captured live, or a picture of one.
    Selfie,
    /// A face that was found, upright.
    Face,
    /// The picture that it is in.
    Frame,
    /// One of the faces of an appearance over time, upright and small.
    Strip,
    /// An enrolled face of the person, upright and at the same scale.
    Enrolled,
}

/// A finding of a moderation.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Finding)]
struct FindingBody {
    #[schema(value_type = Uuid)]
    notification_id: NotificationId,
    #[schema(value_type = Uuid)]
    moderation_id: ModerationId,
    reason: NotificationReason,
    content: CaseContentBody,
    /// The position of the best picture in the content, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    frame_time: Option<f64>,
    /// When it was observed, seconds since 1970.
    observed_at: f64,
    /// Top, right, bottom and left of the face, in pixels of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Vec<i64>>, min_items = 4, max_items = 4)]
    face_edges: Option<[i64; 4]>,
    /// Width and height of the picture that `face_edges` are in. Absent of findings that older versions made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Vec<u32>>, min_items = 2, max_items = 2)]
    picture_size: Option<[u32; 2]>,
    /// The person that it was matched to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    person: Option<CasePersonBody>,
    /// The distance to the person's nearest face; smaller is more alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    distance: Option<f32>,
    /// The share of strangers who are as near to the person or nearer, 0 to 1, as measured of the model; at the ends of what was
    /// measured, at least or at most this.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    false_match_rate: Option<f64>,
    /// Up to which distance a face matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    max_distance: Option<f32>,
    /// The estimated age.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    age: Option<CaseAgeBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    age_group: Option<AgeGroup>,
    /// How clear the face is, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    quality: Option<f32>,
    /// Earlier findings of the person.
    person_history: CaseHistoryBody,
    /// Earlier findings in other contents of the same uploader.
    uploader_history: CaseHistoryBody,
}

/// The content that a face was found in.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = CaseContent)]
struct CaseContentBody {
    #[schema(value_type = Uuid)]
    id: ContentId,
    r#type: ContentType,
    /// Where it is; absent if it was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    uploader_id: Option<Uuid>,
    /// Whether it was archived or deleted meanwhile.
    is_gone: bool,
}

/// A person.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = CasePerson)]
struct CasePersonBody {
    #[schema(value_type = Uuid)]
    profile_id: ProfileId,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    display_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reference: Option<String>,
    is_banned: bool,
    /// Why they are banned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    ban_reason: Option<String>,
    /// How many faces are enrolled.
    faces: usize,
}

/// An estimated age, in years.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = CaseAge)]
struct CaseAgeBody {
    years: f32,
    /// The ends of the interval in which the age lies in 80 of 100 cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    low: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    high: Option<f32>,
    /// The age that the moderation asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    threshold: Option<u8>,
}

/// What was said about earlier findings; at most the latest 1,000 are counted.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = CaseHistory)]
struct CaseHistoryBody {
    findings: i64,
    confirmed: i64,
    dismissed: i64,
}

/// A check of a document verification session.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = DocumentCheck)]
struct DocumentCheckBody {
    #[schema(value_type = Uuid)]
    check_id: VerificationCheckId,
    #[schema(value_type = Uuid)]
    session_id: DocumentSessionId,
    r#type: VerificationCheckType,
    /// What this server would decide.
    proposed: CheckAdvice,
    /// Why, as a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    proposed_reason: Option<String>,
    /// What was checked, one by one.
    breakdown: Vec<CaseSubCheckBody>,
    /// What was supplied: documents first.
    resources: Vec<CaseResourceBody>,
}

/// One thing that was checked.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = CaseSubCheck)]
struct CaseSubCheckBody {
    sub_check: String,
    passed: bool,
    /// Numbers and reasons, by name.
    details: Vec<CaseDetailBody>,
}

/// A number or reason, by name.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = CaseDetail)]
struct CaseDetailBody {
    name: String,
    value: String,
}

/// A document or a face that was supplied.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = CaseResource)]
struct CaseResourceBody {
    #[schema(value_type = Uuid)]
    id: Uuid,
    kind: ResourceKind,
    /// What the person says the document is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    document_type: Option<String>,
    /// Who the person says issued it, ISO 3166-1 alpha-3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    issuing_country: Option<String>,
    /// What was read, field by field, in each place where it was read.
    fields: Vec<CaseFieldBody>,
    /// The lines of the machine-readable zone.
    zone: Vec<String>,
    /// What was measured.
    measures: Vec<CaseMeasureBody>,
    /// What is wrong with the photos, the worst first.
    faults: Vec<String>,
}

/// A field of a document, as it was read in up to three places.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = CaseField)]
struct CaseFieldBody {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    zone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    barcode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    print: Option<String>,
    /// Whether all places say the same; absent where there is one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    agrees: Option<bool>,
}

/// A measure of a document.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = CaseMeasure)]
struct CaseMeasureBody {
    /// What was measured.
    check: String,
    /// The number, in the unit of the limit.
    value: f32,
    /// The limit, in words.
    limit: String,
    /// `pass`, `doubt` or `fail`.
    verdict: String,
    reason: String,
}

/// How long a reviewer has looked at pictures.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Exposure)]
pub(in crate::console) struct ExposureBody {
    /// Today (UTC), in seconds.
    seconds_today: f64,
    /// As long as they should in a day, in seconds; absent without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    budget_seconds: Option<i64>,
    /// Whether a break is proposed.
    is_break_due: bool,
}

impl From<Exposure> for ExposureBody {
    fn from(exposure: Exposure) -> Self {
        Self {
            seconds_today: exposure.seconds_today,
            budget_seconds: exposure.budget.map(|budget| budget.as_secs()),
            is_break_due: exposure.break_due,
        }
    }
}

impl CaseItemBody {
    /// `queues` has the names, `now` says what is overdue.
    pub(super) fn of(record: CaseRecord, queues: &[CaseQueue], now: Timestamp) -> Self {
        let queue = record.queue.and_then(|id| queues.iter().find(|queue| queue.id == id));
        let (held_by, lease_until) = record.held_by.unzip();
        Self {
            id: record.id,
            kind: record.kind,
            reason: record.reason,
            state: record.state,
            priority: record.priority,
            queue: queue.map(|queue| QueueNameBody { id: queue.id, name: queue.name.clone() }),
            language: record.language,
            is_appeal: record.appeal_of.is_some(),
            held_by,
            lease_until,
            assigned_to: record.assigned_to,
            held_until: record.held_until,
            note: record.note,
            is_overdue: record.closed_at.is_none() && record.due_at < now,
            due_at: record.due_at,
            created_at: record.created_at,
            outcome: record.outcome.and_then(|word| word.parse().ok()),
            closed_at: record.closed_at,
        }
    }
}

impl CaseBody {
    /// Gathers what a case is judged by. `None` if what it is about is gone.
    pub(super) async fn load(
        api: &ApiState,
        view: &mut ReadTx,
        reviewer: &Reviewer,
        case: CaseId,
    ) -> Result<Option<Self>, ModerationApiError> {
        let record = api.cases.find(view, reviewer, case).await?;
        let queues = api.cases.queue_figures(view, reviewer).await?.1;
        let queue = queues.iter().find(|queue| Some(queue.id) == record.queue);
        let (policy, reason_codes) =
            queue.map(|queue| (queue.policy.clone(), queue.reason_codes.clone())).unwrap_or_default();
        let (kind, subject, account) = (record.kind, record.subject, record.account);
        let mut body = Self {
            item: CaseItemBody::of(record, &queues, api.environment.now()),
            decisions: kind.decisions(),
            policy,
            reason_codes,
            pictures: Vec::new(),
            deletes_at: None,
            finding: None,
            document_check: None,
            age_appeal: None,
        };
        match (subject, account) {
            (CaseSubject::Notification(id), Some(account)) => {
                let details = api.content_moderation.finding_details(view, account, id).await?;
                let Some(details) = details else { return Ok(None) };
                let enrolled = details.person.as_ref().map(enrolled_pictures).unwrap_or_default();
                let mut finding = FindingBody::from(details);
                if let Some(distance) = finding.distance {
                    finding.false_match_rate = api.faces.false_match_rate(distance).await?;
                }
                body.finding = Some(finding);
                if let Some((pictures, until)) =
                    api.content_moderation.finding_pictures(view, account, id).await?
                {
                    body.pictures = pictures.into_iter().map(Into::into).collect();
                    body.deletes_at = Some(until);
                }
                body.pictures.extend(enrolled);
            }
            (CaseSubject::Check(check), _) => {
                let evidence = api.document_verification.review_evidence(reviewer.app, check).await?;
                let Some(mut evidence) = evidence else { return Ok(None) };
                // The check of a golden case is decided, but its reviewer is to decide for themselves.
                if body.item.closed_at.is_none() {
                    evidence.leave_out_decision();
                }
                body.pictures = document_pictures(&evidence);
                body.deletes_at = Some(evidence.destroyed_at);
                body.document_check = Some(evidence.into());
            }
            (CaseSubject::AgeSession(session), _) => {
                let appeal = api.age_verification.find_appeal(view, reviewer.app, session).await;
                let Some(appeal) = appeal.map_err(|error| ModerationApiError::unavailable(&error))? else {
                    return Ok(None);
                };
                body.pictures = appeal.picture_until.map(|_| appeal_picture()).into_iter().collect();
                body.deletes_at = Some(appeal.picture_until.unwrap_or(appeal.deleted_at));
                body.age_appeal = Some(appeal.into());
            }
            (CaseSubject::Notification(_), None) => return Ok(None),
        }
        Ok(Some(body))
    }
}

/// The picture that an application has added to an appeal.
fn appeal_picture() -> CasePictureBody {
    CasePictureBody {
        name: CAPTURE_PICTURE.to_owned(),
        role: CasePictureRole::Selfie,
        resource_id: None,
        width: None,
        height: None,
        time: None,
    }
}

/// The enrolled faces of a person; those whose pictures are not stored answer 404.
fn enrolled_pictures(person: &Profile) -> Vec<CasePictureBody> {
    let picture = |face: &EnrolledFace| CasePictureBody {
        name: format!("{ENROLLED_PREFIX}{}", face.id),
        role: CasePictureRole::Enrolled,
        resource_id: None,
        width: Some(PORTRAIT_SIDE_PIXELS),
        height: Some(PORTRAIT_SIDE_PIXELS),
        time: None,
    };
    person.faces.iter().map(picture).collect()
}

impl From<FindingPicture> for CasePictureBody {
    fn from(picture: FindingPicture) -> Self {
        let role = match picture.name.as_str() {
            FACE_PICTURE => CasePictureRole::Face,
            FRAME_PICTURE => CasePictureRole::Frame,
            _ => CasePictureRole::Strip,
        };
        Self {
            name: picture.name,
            role,
            resource_id: None,
            width: Some(picture.width),
            height: Some(picture.height),
            time: Some(picture.time),
        }
    }
}

/// Pictures of a document case are named after their media.
fn document_pictures(evidence: &CheckEvidence) -> Vec<CasePictureBody> {
    let mut pictures = Vec::new();
    for resource in &evidence.resources {
        let role = match resource.kind {
            ResourceKind::IdDocument | ResourceKind::SupplementaryDocument => CasePictureRole::Page,
            ResourceKind::Liveness | ResourceKind::FaceCapture => CasePictureRole::Selfie,
        };
        let pages = resource.pictures.iter().map(|media| (media, role));
        let portrait = resource.portrait.iter().map(|media| (media, CasePictureRole::Portrait));
        pictures.extend(pages.chain(portrait).map(|(media, role)| CasePictureBody {
            name: media.to_string(),
            role,
            resource_id: Some(resource.id.into()),
            width: None,
            height: None,
            time: None,
        }));
    }
    pictures
}

impl From<FindingDetails> for FindingBody {
    fn from(details: FindingDetails) -> Self {
        let FindingDetails {
            notification,
            content,
            measurements,
            age_threshold,
            person,
            person_history,
            uploader_history,
            ..
        } = details;
        let edges = [
            notification.face_top,
            notification.face_right,
            notification.face_bottom,
            notification.face_left,
        ];
        let face_edges = match edges {
            [Some(top), Some(right), Some(bottom), Some(left)] => Some([top, right, bottom, left]),
            _ => None,
        };
        let age = measurements.as_ref().and_then(|measured| {
            let (low, high) = measured.years_interval.unzip();
            Some(CaseAgeBody { years: measured.years?, low, high, threshold: age_threshold })
        });
        Self {
            notification_id: notification.id,
            moderation_id: notification.moderation_id,
            reason: notification.reason,
            age_group: notification.age_group(),
            content: CaseContentBody {
                id: notification.content_id,
                r#type: notification.content_type,
                url: notification.location.url().map(str::to_owned),
                title: content.as_ref().and_then(|content| content.title.clone()),
                uploader_id: content.as_ref().and_then(|content| content.uploader_id),
                is_gone: content.is_none_or(|content| content.archived),
            },
            frame_time: notification.frame_time,
            observed_at: notification.observed_at,
            face_edges,
            picture_size: measurements.as_ref().and_then(|measured| measured.picture_size).map(Into::into),
            person: person.map(|person| CasePersonBody {
                profile_id: person.id,
                display_name: person.details.display_name,
                reference: person.details.reference,
                is_banned: person.banned,
                ban_reason: person.details.ban.filter(|_| person.banned).and_then(|ban| ban.reason),
                faces: person.faces.len(),
            }),
            distance: measurements.as_ref().and_then(|measured| measured.distance),
            false_match_rate: None,
            max_distance: measurements.as_ref().map(|measured| measured.max_distance),
            age,
            quality: measurements.as_ref().map(|measured| measured.quality),
            person_history: person_history.into(),
            uploader_history: uploader_history.into(),
        }
    }
}

impl From<FindingHistory> for CaseHistoryBody {
    fn from(history: FindingHistory) -> Self {
        Self { findings: history.findings, confirmed: history.confirmed, dismissed: history.dismissed }
    }
}

impl From<CheckEvidence> for DocumentCheckBody {
    fn from(evidence: CheckEvidence) -> Self {
        let CheckEvidence { review, proposed_reason, breakdown, resources, .. } = evidence;
        let breakdown = breakdown.into_iter().map(|sub_check| CaseSubCheckBody {
            passed: sub_check.result == domain::document_verification::types::SubCheckResult::Pass,
            sub_check: sub_check.sub_check,
            details: sub_check
                .details
                .into_iter()
                .map(|detail| CaseDetailBody { name: detail.name, value: detail.value })
                .collect(),
        });
        Self {
            check_id: review.check_id,
            session_id: review.session_id,
            r#type: review.kind,
            proposed: review.proposed,
            proposed_reason,
            breakdown: breakdown.collect(),
            resources: resources.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<ResourceEvidence> for CaseResourceBody {
    fn from(resource: ResourceEvidence) -> Self {
        let fields = resource.compared_fields();
        Self {
            id: resource.id.into(),
            kind: resource.kind,
            document_type: resource.document_type_name().map(str::to_owned),
            issuing_country: resource.issuing_country,
            fields: fields
                .into_iter()
                .map(|field| CaseFieldBody {
                    agrees: field.agrees(),
                    name: field.name,
                    zone: field.zone,
                    barcode: field.barcode,
                    print: field.print,
                })
                .collect(),
            zone: resource.zone,
            measures: resource
                .measures
                .into_iter()
                .map(|measure| CaseMeasureBody {
                    check: word_of(&measure.check),
                    value: measure.value,
                    limit: measure.limit,
                    verdict: word_of(&measure.verdict),
                    reason: measure.reason,
                })
                .collect(),
            faults: resource.faults,
        }
    }
}

/// The word of a variant, as it is stored.
fn word_of(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}
