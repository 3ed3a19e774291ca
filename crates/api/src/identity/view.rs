//! How sessions look on the wire.

use base::{MediaId, Timestamp};
use domain::identity::{
    filter::type_word,
    session::{Check, Requirement, Resource, Session, Task},
    words::{ResourceKind, SessionState, SourceType, Standing, TaskType},
};
use serde_json::{Map, Value, json};

/// `{id, type}` of a media; null where it is gone.
fn media(session: &Session, id: MediaId) -> Value {
    session.media(id).map_or(Value::Null, |media| json!({ "id": media.id, "type": media.kind }))
}

/// `{media: …}`.
fn holder(session: &Session, id: Option<MediaId>) -> Value {
    json!({ "media": id.map_or(Value::Null, |id| media(session, id)) })
}

/// The state as it is at a moment, whether or not anybody has looked since the person's time ended.
pub(super) fn state(session: &Session, now: Timestamp) -> SessionState {
    let over = session.state == SessionState::Ongoing
        && session.triggered_at.is_none()
        && now >= session.wanted.until;
    if over { SessionState::Expired } else { session.state }
}

/// A session, for its business.
pub(super) fn session(session: &Session, now: Timestamp) -> Value {
    let mut out = Map::new();
    let mut add = |name: &str, value: Value| out.insert(name.to_owned(), value);
    add("sessionId", json!(session.id));
    add("session_id", json!(session.id));
    add("client_session_token_ttl", session.seconds_left(now).into());
    // It is no more once the person is through.
    if session.triggered_at.is_none() {
        add("client_session_token", json!(session.token));
    }
    if let Some(id) = &session.wanted.user_tracking_id {
        add("user_tracking_id", id.as_str().into());
    }
    if let Some(at) = session.biometric_consent {
        add("biometric_consent", json!(at));
    }
    add("state", json!(state(session, now)));
    add("created_at", json!(session.created_at));
    let of = |kind: ResourceKind, view: fn(&Session, &Resource) -> Value| -> Value {
        session
            .resources
            .iter()
            .filter(|resource| resource.kind == kind)
            .map(|one| view(session, one))
            .collect()
    };
    add(
        "resources",
        json!({
            "id_documents": of(ResourceKind::IdDocument, document),
            "supplementary_documents": of(ResourceKind::SupplementaryDocument, document),
            "liveness_capture": of(ResourceKind::Liveness, liveness),
            "face_capture": of(ResourceKind::FaceCapture, face),
        }),
    );
    add("checks", session.checks.iter().map(|one| check(session, one)).collect());
    out.into()
}

/// What every resource has.
fn resource(session: &Session, resource: &Resource) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("id".to_owned(), json!(resource.id));
    out.insert("source".to_owned(), json!({ "type": resource.source }));
    out.insert("created_at".to_owned(), json!(resource.created_at));
    out.insert("last_updated".to_owned(), json!(resource.last_updated));
    out.insert("tasks".to_owned(), resource.tasks.iter().map(|one| task(session, one)).collect());
    out
}

/// A document.
pub(super) fn document(session: &Session, one: &Resource) -> Value {
    let mut out = resource(session, one);
    let kind = one.document_type.map(|kind| type_word(kind).to_owned()).or_else(|| one.other_type.clone());
    out.insert("document_type".to_owned(), json!(kind));
    out.insert("issuing_country".to_owned(), json!(one.issuing_country));
    let pages = one.pages.iter().map(|page| {
        json!({
            "capture_method": page.capture_method,
            "media": page.media.map_or(Value::Null, |id| media(session, id)),
            "frames": [],
        })
    });
    out.insert("pages".to_owned(), pages.collect());
    if one.document_fields.is_some() {
        out.insert("document_fields".to_owned(), holder(session, one.document_fields));
    }
    if one.kind == ResourceKind::IdDocument {
        if one.id_photo.is_some() {
            out.insert("document_id_photo".to_owned(), holder(session, one.id_photo));
        }
    } else if one.file.is_some() {
        out.insert("file".to_owned(), holder(session, one.file));
    }
    out.into()
}

fn liveness(session: &Session, one: &Resource) -> Value {
    let mut out = resource(session, one);
    out.insert("liveness_type".to_owned(), json!(one.liveness_type));
    if one.facemap.is_some() {
        out.insert("facemap".to_owned(), holder(session, one.facemap));
    }
    if one.image.is_some() {
        out.insert("image".to_owned(), holder(session, one.image));
    }
    let frames = one.pages.iter().map(|page| holder(session, page.media));
    out.insert("frames".to_owned(), frames.collect());
    out.into()
}

fn face(session: &Session, one: &Resource) -> Value {
    let mut out = resource(session, one);
    out.insert("image".to_owned(), holder(session, one.image));
    out.into()
}

/// A task.
pub(super) fn task(session: &Session, task: &Task) -> Value {
    let checks = task.generated_checks.iter().filter_map(|id| {
        let check = session.checks.iter().find(|check| check.id == *id)?;
        Some(json!({ "id": check.id, "type": check.kind }))
    });
    let made = task.generated_media.iter().map(|id| media(session, *id)).filter(|media| !media.is_null());
    let mut out = json!({
        "id": task.id,
        "type": task.kind,
        "state": task.state,
        "created": task.created,
        "last_updated": task.last_updated,
        "generated_media": made.collect::<Vec<_>>(),
        "generated_checks": checks.collect::<Vec<_>>(),
    });
    if let Some(next) = &task.recommendation {
        out["recommendation"] = json!(next);
    }
    out
}

fn check(session: &Session, check: &Check) -> Value {
    let made = check.generated_media.iter().map(|id| media(session, *id)).filter(|media| !media.is_null());
    let mut out = json!({
        "id": check.id,
        "type": check.kind,
        "state": check.state,
        "resources_used": check.resources_used,
        "generated_media": made.collect::<Vec<_>>(),
        "created": check.created,
        "last_updated": check.last_updated,
    });
    if let Some(report) = &check.report {
        out["report"] = json!(report);
    }
    out
}

/// What the page needs to know (decisions, section 4).
pub(super) fn configuration(session: &Session, now: Timestamp) -> Value {
    let mut checks: Vec<&str> = session.wanted.checks.iter().map(|check| check.kind.as_str()).collect();
    checks.dedup();
    let consent = match (session.wanted.block_biometric_consent, session.biometric_consent) {
        (true, _) => "NOT_ALLOWED",
        (false, Some(_)) => "GIVEN",
        (false, None) => "REQUIRED",
    };
    json!({
        "session_id": session.id,
        "client_session_token_ttl": session.seconds_left(now),
        "requested_checks": checks,
        "capture": {
            "biometric_consent": consent,
            "required_resources":
                session.requirements.iter().map(|one| requirement(session, one)).collect::<Vec<_>>(),
        },
        "sdk_config": session.wanted.sdk_config,
        "emails": emails(session),
    })
}

/// The mails that the business wants to be asked for, as the path of the call has them.
fn emails(session: &Session) -> Vec<&'static str> {
    let topics = session.wanted.notifications.as_ref().map(|whom| whom.topics.as_slice()).unwrap_or_default();
    super::mails::MAILS.iter().filter(|(_, topic)| topics.contains(topic)).map(|&(word, _)| word).collect()
}

fn requirement(session: &Session, one: &Requirement) -> Value {
    let resource = one.resource.and_then(|id| session.resources.iter().find(|known| known.id == id));
    let mut out = json!({
        "id": one.id,
        "type": one.kind,
        "state": one.standing,
        "allowed_sources": [{ "type": one.source }],
        "attempts_remaining": one.attempts_remaining(),
    });
    if let Some(resource) = resource {
        out["resource_id"] = json!(resource.id);
    }
    let task_kind = match one.kind {
        ResourceKind::IdDocument => Some(TaskType::IdDocument),
        ResourceKind::SupplementaryDocument => Some(TaskType::SupplementaryDocument),
        ResourceKind::Liveness | ResourceKind::FaceCapture => None,
    };
    if let Some(kind) = task_kind {
        let wanted = session.wanted.task(kind);
        let tasks = wanted.map(|wanted| {
            let last = resource.and_then(|resource| resource.tasks.last());
            let mut task = json!({ "type": wanted.kind, "state": last.map(|task| task.state) });
            if let Some(last) = last {
                task["id"] = json!(last.id);
                if let Some(next) = &last.recommendation {
                    task["recommendation"] = json!(next);
                }
            }
            task
        });
        out["requested_tasks"] = tasks.into_iter().collect();
        let methods = session.wanted.sdk_config.allowed_capture_methods;
        out["allowed_capture_methods"] =
            json!(methods.map_or("CAMERA_AND_UPLOAD", |methods| methods.as_str()));
    }
    if one.kind == ResourceKind::IdDocument {
        let countries = one.filter.allowed().map(|(code, documents)| {
            let documents: Vec<_> =
                documents.iter().map(|document| json!({ "type": type_word(document.kind) })).collect();
            json!({ "code": code, "supported_documents": documents })
        });
        out["supported_countries"] = countries.collect();
    }
    if let Some(kind) = one.liveness_type {
        out["liveness_type"] = json!(kind);
    }
    if one.source == SourceType::EndUser && one.standing == Standing::Required && one.used > 0 {
        out["retry"] = true.into();
    }
    out
}

/// The create payload, described for the document; it is read member by member, so that each wrong one is told.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes what domain::identity::wanted reads, which knows no HTTP")]
pub(crate) struct CreatePayload {
    /// Seconds that the person has, 60 to 2592000. Default: 600.
    client_session_token_ttl: Option<i64>,
    /// When the person must be through, RFC 3339; not together with `client_session_token_ttl`.
    session_deadline: Option<String>,
    /// Seconds that resources are kept, 86700 to 31536000. Default: 87000.
    resources_ttl: Option<i64>,
    /// Seconds that an import token is kept.
    ttl: Option<i64>,
    /// Names one person over sessions; no personal data.
    user_tracking_id: Option<String>,
    /// Whether no biometric consent may be collected.
    block_biometric_consent: Option<bool>,
    /// `{support: MANDATORY | NOT_ALLOWED, guidance_url}`.
    ibv_options: Option<Value>,
    /// `{endpoint, topics, auth_token, auth_type: BASIC | BEARER}`.
    notifications: Option<Value>,
    /// `{type: ID_DOCUMENT_AUTHENTICITY | LIVENESS | ID_DOCUMENT_FACE_MATCH | FACE_COMPARISON | ID_DOCUMENT_COMPARISON,
    /// config: {manual_check: NEVER | FALLBACK | ALWAYS, issuing_authority_sub_check: {requested}, liveness_type: STATIC |
    /// ZOOM, max_retries}, filter}`.
    requested_checks: Option<Vec<Value>>,
    /// `{type: ID_DOCUMENT_TEXT_DATA_EXTRACTION | SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION, config: {manual_check,
    /// chip_data: DESIRED | IGNORE}}`.
    requested_tasks: Option<Vec<Value>>,
    /// `{type: ID_DOCUMENT | SUPPLEMENTARY_DOCUMENT, filter: {type: ORTHOGONAL_RESTRICTIONS, allow_non_latin_documents,
    /// allow_expired_documents, country_restriction: {inclusion, country_codes}, type_restriction: {inclusion,
    /// document_types}}}`.
    required_documents: Option<Vec<Value>>,
    /// A scheme instead of the three lists: `{trust_framework: UK_TFIDA, scheme: {type: RTW | RTR}}`.
    identity_profile_requirements: Option<Value>,
    /// `{allowed_capture_methods: CAMERA_AND_UPLOAD | CAMERA, primary_colour, secondary_colour, font_colour, locale,
    /// preset_issuing_country, success_url, error_url, privacy_policy_url, attempts_configuration, allow_handoff,
    /// suppressed_screens}`.
    sdk_config: Option<Value>,
}
