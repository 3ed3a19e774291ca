//! Plays the person in a sandbox: supplies what a session asks for, and deletes the token.

use super::{
    Identities,
    change::{NotDone, Upload},
    filter::type_word,
    flow::{NewDocument, Once},
    session::{Requirement, Resource},
    words::{
        CaptureMethod, IdDocumentType, LivenessType, RequirementState, ResourceKind, SourceType, TaskState,
        TaskType,
    },
};
use crate::estimate::sample;
use base::{Picture, SessionId};
use documents::catalogue::DocumentType;

/// How the person is played.
#[derive(Clone, Debug, Default)]
pub struct Play {
    /// The type of identity documents; the first that is taken, where none is named.
    pub document_type: Option<IdDocumentType>,
    /// Their country.
    pub issuing_country: Option<String>,
    /// Whether the person stops before he is through.
    pub leaves: bool,
}

/// How the play ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Played {
    /// The person is through; the checks begin.
    Finished,
    /// He has supplied everything, and has not ended it.
    Left,
    /// He would have to try something again, or wait.
    Stuck,
}

impl Identities {
    /// Plays a person. Only in a sandbox is anybody played.
    pub async fn play(&self, id: SessionId, play: &Play) -> Result<Played, NotDone> {
        let held = self.hold_of_sandbox(id).await?;
        if !held.session.wanted.block_biometric_consent {
            self.consent(id, None).await?;
        }
        let open: Vec<Requirement> = held
            .session
            .requirements
            .iter()
            .filter(|requirement| requirement.standing != RequirementState::Fulfilled)
            .cloned()
            .collect();
        let mut through = true;
        for requirement in open {
            through &= match requirement.kind {
                ResourceKind::IdDocument | ResourceKind::SupplementaryDocument => {
                    self.play_document(id, &requirement, play).await?
                }
                ResourceKind::Liveness => self.play_liveness(id, &requirement).await?,
                ResourceKind::FaceCapture => self.play_face(id, &requirement).await?,
            };
        }
        match (through, play.leaves) {
            (false, _) => Ok(Played::Stuck),
            (true, true) => Ok(Played::Left),
            (true, false) => self.finish(id, None).await.map(|()| Played::Finished),
        }
    }

    async fn hold_of_sandbox(&self, id: SessionId) -> Result<super::Held, NotDone> {
        let mut view = self.0.db.read().await?;
        let held = self.find_any(&mut view, id).await?;
        held.filter(|held| held.session.sandbox).ok_or(NotDone::NoSession)
    }

    async fn play_document(&self, id: SessionId, what: &Requirement, play: &Play) -> Result<bool, NotDone> {
        let mut new = NewDocument { requirement_id: Some(what.id.to_string()), ..NewDocument::default() };
        if what.kind == ResourceKind::IdDocument {
            let asked = play.document_type.map(DocumentType::from);
            let fits = |country: &str, kind| {
                asked.is_none_or(|asked| asked == kind)
                    && play.issuing_country.as_ref().is_none_or(|asked| asked.eq_ignore_ascii_case(country))
            };
            let mut allowed = what.filter.allowed();
            let chosen = allowed.find_map(|(country, documents)| {
                let document = documents.into_iter().find(|document| fits(country, document.kind))?;
                Some((country, document.kind))
            });
            let Some((country, kind)) = chosen else {
                let words = "the session takes no such document of that country";
                return Err(NotDone::wrong("document_type", words));
            };
            new.document_type = Some(type_word(kind).to_owned());
            new.issuing_country = Some(country.to_owned());
        } else {
            new.document_type = Some("UTILITY_BILL".to_owned());
            new.issuing_country.clone_from(&play.issuing_country);
        }
        let resource: Resource = self.add_document(id, what.kind, new, &Once::default(), None).await?;
        let held = self.hold_of_sandbox(id).await?;
        self.put_page(&held, what.kind, resource.id, 0, picture(), None).await?;
        let kind = match what.kind {
            ResourceKind::SupplementaryDocument => TaskType::SupplementaryDocument,
            _ => TaskType::IdDocument,
        };
        if held.session.wanted.task(kind).is_none() {
            return Ok(true);
        }
        let task = self.extract(id, what.kind, resource.id, None).await?;
        let held = self.hold_of_sandbox(id).await?;
        let fulfilled = held.session.requirements.iter().any(|requirement| {
            requirement.id == what.id && requirement.standing == RequirementState::Fulfilled
        });
        Ok(task.state != TaskState::Pending && fulfilled)
    }

    async fn play_liveness(&self, id: SessionId, what: &Requirement) -> Result<bool, NotDone> {
        let kind = what.liveness_type.unwrap_or(LivenessType::Static);
        let resource =
            self.add_liveness(id, kind, Some(&what.id.to_string()), &Once::default(), None).await?;
        let frames = if kind == LivenessType::Zoom { 3 } else { 1 };
        for number in 0..frames {
            let held = self.hold_of_sandbox(id).await?;
            self.put_frame(&held, kind, resource, number, picture(), None).await?;
        }
        Ok(true)
    }

    async fn play_face(&self, id: SessionId, what: &Requirement) -> Result<bool, NotDone> {
        let by: SourceType = what.source;
        let resource = self.add_face(id, by, Some(&what.id.to_string()), &Once::default(), None).await?;
        let held = self.hold_of_sandbox(id).await?;
        self.put_face(&held, by, resource, picture(), None).await?;
        Ok(true)
    }
}

/// A grey card: nobody's document, and nobody's face.
fn picture() -> Upload {
    let (width, height) = (320, 240);
    let rgb = vec![180; width as usize * height as usize * 3];
    let picture = Picture::new(width, height, rgb).expect("as many bytes as pixels");
    Upload { bytes: sample::jpeg(&picture, 80), capture_method: CaptureMethod::Camera }
}
