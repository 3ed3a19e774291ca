//! The portrait on a document: whether there is one, whose face it is, and the age that it shows.

use super::{
    AuthenticityCheck, AuthenticityMeasure, AuthenticityVerdict, DocumentEvidence, dates::surest_date,
};
use crate::{field::FieldName, limit::Limit};
use base::Picture;
use jiff::civil::Date;
use vision::{AgeEstimate, EmbeddingSpace, Face, VisionError, VisionModels, embedding_distance};

/// Least detection score of a face that counts.
const MIN_FACE_SCORE: f32 = 0.5;
/// Most standard deviations by which an age estimate may be off. A portrait is small, printed and years old.
const MAX_AGE_DEVIATIONS: f32 = 3.0;
/// Tolerance on the possible range of ages, in both directions: the portrait may be older than the document, or younger
/// than expected.
const PORTRAIT_AGE_TOLERANCE_YEARS: f32 = 1.0;
/// The share of strangers who may be mistaken for the holder. The distance follows from the table of the model.
const FALSE_MATCH_RATE: f64 = 1e-3;
/// Smallest face that is searched, as a share of the page's width.
const MIN_FACE_WIDTH_SHARE: f32 = 0.05;

#[derive(Clone, Debug, PartialEq)]
pub struct Portrait {
    /// Index of the side that it is on, from 0.
    pub side: usize,
    /// Position in pixels of the side's page.
    pub face: Face,
    /// Embedding in the space of the pack's model; `None` if it was not asked for.
    pub embedding: Option<Vec<f32>>,
    pub age: AgeEstimate,
}

/// The comparison of a portrait with a live face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortraitComparison {
    /// Euclidean distance of the embeddings.
    pub distance: f32,
    /// The distance at which one stranger in a thousand is mistaken for the holder.
    pub limit: f32,
}

impl Portrait {
    /// Finds the largest face of a page. It is embedded only if `embed` says so: an embedding tells people apart.
    pub fn find(
        vision: &mut VisionModels,
        page: &Picture,
        side: usize,
        embed: bool,
    ) -> Result<Option<Self>, VisionError> {
        let faces = vision.detect_tiled(page, page.width() as f32 * MIN_FACE_WIDTH_SHARE)?;
        // Cards print a second, small and pale portrait; the largest face is the main one.
        let Some(face) = faces.into_iter().max_by(|a, b| a.width().total_cmp(&b.width())) else {
            return Ok(None);
        };
        let embedding = if embed { Some(vision.embed(page, &face)?) } else { None };
        let age = vision.estimate_age(page, &face)?;
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
            measures.push(self.age(born, issued, expires, evidence.today.utc));
        }
        measures
    }

    /// The apparent age of the portrait against the holder's age on the date of issue. Where that date is unknown, any
    /// date in the ten years before the expiry is possible, because most documents are valid for at most ten years.
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

    /// Compares the portrait with the embedding of a live face. `None` where it has none, the embeddings differ in length,
    /// or the table of the space lacks the false match rate.
    pub fn compare(&self, live: &[f32], space: &EmbeddingSpace) -> Option<PortraitComparison> {
        let limit = space.distance_at(FALSE_MATCH_RATE)?;
        let embedding = self.embedding.as_ref().filter(|embedding| embedding.len() == live.len())?;
        Some(PortraitComparison { distance: embedding_distance(embedding, live), limit })
    }
}

impl PortraitComparison {
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

/// The apparent age of a live face against the date of birth.
pub fn measure_live_age(estimate: &AgeEstimate, born: Date, today: Date) -> AuthenticityMeasure {
    let years = born.until(today).map_or(0.0, |span| span.get_days() as f32 / 365.25);
    let off = (estimate.years - years).abs() / estimate.st_dev;
    let reason = describe_age_gap(estimate.years, years, years, off);
    let limit = Limit::AtMost(MAX_AGE_DEVIATIONS, "standard deviations off");
    AuthenticityMeasure::new(AuthenticityCheck::SelfieAge, off, limit, AuthenticityVerdict::Doubt, reason)
}

/// Describes how an estimate lies outside the possible range of ages `low` to `high`, in years; `off` is the deviation
/// in standard deviations.
fn describe_age_gap(estimate: f32, low: f32, high: f32, off: f32) -> String {
    let years = (low - estimate).max(estimate - high);
    if years < 1.0 {
        return "the face looks as old as its holder was".to_owned();
    }
    let which = if estimate < low { "young" } else { "old" };
    let within = if off <= MAX_AGE_DEVIATIONS { ", which an estimate may err by" } else { "" };
    format!("the face looks {years:.0} years too {which}{within}")
}
