//! The face on a document: whether there is one, whose, and how old it looks.

use super::{
    AuthenticityCheck, AuthenticityMeasure, AuthenticityVerdict, DocumentEvidence, dates::surest_date,
};
use crate::{field::FieldName, limit::Limit};
use base::Picture;
use jiff::civil::Date;
use vision::{AgeEstimate, EmbeddingSpace, Face, VisionError, VisionModels, embedding_distance};

/// A face that the detector is this sure of counts.
const MIN_FACE_SCORE: f32 = 0.5;
/// Standard deviations that an estimate may lie off: a portrait is small, printed and years old.
const MAX_AGE_DEVIATIONS: f32 = 3.0;
/// Years that a portrait may be older than the document, or younger than thought.
const PORTRAIT_AGE_TOLERANCE_YEARS: f32 = 1.0;
/// The share of strangers that may be taken for the holder, from the model's own table.
const FALSE_MATCH_RATE: f64 = 1e-3;
/// A face takes at least this much of the page's width.
const MIN_FACE_WIDTH_SHARE: f32 = 0.05;

/// The face on a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Portrait {
    /// Which side it is on, counted from 0.
    pub side: usize,
    /// Where it is, in pixels of the side's page.
    pub face: Face,
    /// Who it is, in the space of the pack's model.
    pub embedding: Vec<f32>,
    /// How old it looks.
    pub age: AgeEstimate,
}

/// How a portrait compares with a live face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortraitComparison {
    /// The distance of the embeddings, in their space.
    pub distance: f32,
    /// The distance at which one stranger in a thousand is taken for the holder.
    pub limit: f32,
}

impl Portrait {
    /// The largest face of a page.
    pub fn find(vision: &mut VisionModels, page: &Picture, side: usize) -> Result<Option<Self>, VisionError> {
        let faces = vision.detect_tiled(page, page.width() as f32 * MIN_FACE_WIDTH_SHARE)?;
        // Cards print the portrait again, small and pale: the largest is the portrait.
        let Some(face) = faces.into_iter().max_by(|a, b| a.width().total_cmp(&b.width())) else {
            return Ok(None);
        };
        let (embedding, age) = (vision.embed(page, &face)?, vision.estimate_age(page, &face)?);
        Ok(Some(Self { side, face, embedding, age }))
    }

    pub(super) fn measure(&self, evidence: &DocumentEvidence<'_>) -> Vec<AuthenticityMeasure> {
        let limit = Limit::AtLeast(MIN_FACE_SCORE, "of 1, how sure the detector is");
        let reason = "the largest face of the page";
        let mut measures = vec![AuthenticityMeasure::new(
            AuthenticityCheck::PortraitPresent,
            self.face.score,
            limit,
            AuthenticityVerdict::Doubt,
            reason,
        )];
        if let Some((born, _)) = surest_date(evidence.fields, FieldName::DateOfBirth) {
            let issued = surest_date(evidence.fields, FieldName::DateOfIssue).map(|(date, _)| date);
            let expires = surest_date(evidence.fields, FieldName::ExpirationDate).map(|(date, _)| date);
            measures.push(self.age(born, issued, expires, evidence.today));
        }
        measures
    }

    /// The portrait's age against the holder's on the day of issue. Where that is not printed, documents are good for at
    /// most ten years, mostly, and any day of those would do.
    fn age(
        &self,
        born: Date,
        issued: Option<Date>,
        expires: Option<Date>,
        today: Date,
    ) -> AuthenticityMeasure {
        let years = |at: Date| born.until(at).map_or(0.0, |span| span.get_days() as f32 / 365.25);
        let first =
            issued.or_else(|| expires.map(|expires| expires.saturating_sub(jiff::Span::new().years(10))));
        let (first, last) = (first.unwrap_or(born).max(born).min(today), issued.unwrap_or(today).min(today));
        let (low, high) =
            (years(first) - PORTRAIT_AGE_TOLERANCE_YEARS, years(last) + PORTRAIT_AGE_TOLERANCE_YEARS);
        let off = (low - self.age.years).max(self.age.years - high).max(0.0) / self.age.st_dev;
        let reason = describe_age_gap(self.age.years, low, high, off);
        let limit = Limit::AtMost(MAX_AGE_DEVIATIONS, "standard deviations off");
        AuthenticityMeasure::new(
            AuthenticityCheck::PortraitAge,
            off,
            limit,
            AuthenticityVerdict::Doubt,
            reason,
        )
    }

    /// Against a live face's embedding.
    pub fn compare(&self, live: &[f32], space: &EmbeddingSpace) -> Option<PortraitComparison> {
        let limit = space.distance_at(FALSE_MATCH_RATE)?;
        (live.len() == self.embedding.len())
            .then(|| PortraitComparison { distance: embedding_distance(&self.embedding, live), limit })
    }
}

impl PortraitComparison {
    /// As a measure.
    pub fn measure(&self) -> AuthenticityMeasure {
        let near = self.distance <= self.limit;
        let reason = if near { "the same person, most likely" } else { "another person, most likely" };
        let limit = Limit::AtMost(self.limit, "distance of the faces");
        AuthenticityMeasure::new(
            AuthenticityCheck::PortraitMatch,
            self.distance,
            limit,
            AuthenticityVerdict::Fail,
            reason,
        )
    }
}

/// The age that a live face seems to have against the date of birth.
pub fn measure_live_age(estimate: &AgeEstimate, born: Date, today: Date) -> AuthenticityMeasure {
    let years = born.until(today).map_or(0.0, |span| span.get_days() as f32 / 365.25);
    let off = (estimate.years - years).abs() / estimate.st_dev;
    let reason = describe_age_gap(estimate.years, years, years, off);
    let limit = Limit::AtMost(MAX_AGE_DEVIATIONS, "standard deviations off");
    AuthenticityMeasure::new(AuthenticityCheck::SelfieAge, off, limit, AuthenticityVerdict::Doubt, reason)
}

/// How an estimate lies to the years between which it should be; `off` in standard deviations of it.
fn describe_age_gap(estimate: f32, low: f32, high: f32, off: f32) -> String {
    let years = (low - estimate).max(estimate - high);
    if years < 1.0 {
        return "the face looks as old as its holder was".to_owned();
    }
    let which = if estimate < low { "young" } else { "old" };
    let within = if off <= MAX_AGE_DEVIATIONS { ", which an estimate may err by" } else { "" };
    format!("the face looks {years:.0} years too {which}{within}")
}
