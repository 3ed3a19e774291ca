//! The vocabulary of moderations: states, checks, reasons, age groups, and what a moderation is to do.

use crate::wire_enum::wire_enum;
use base::{GroupId, MemberId, ModerationCheckId, ProfileId};
use serde::{Deserialize, Serialize};

wire_enum! {
    /// The states of a moderation.
    pub enum ModerationState {
        /// It waits for a worker.
        Queued => "QUEUED",
        /// Its content is being processed.
        Running => "RUNNING",
        /// It is to stop, and its run has not noticed yet.
        Stopping => "STOPPING",
        /// Its content was processed to the end.
        Done => "DONE",
        /// It was stopped on request.
        Stopped => "STOPPED",
        /// It could not be completed; its error says why.
        Failed => "FAILED",
    }
}

wire_enum! {
    /// The checks of a moderation.
    pub enum ModerationCheckType {
        /// Reports faces that match no known profile.
        UnknownFace => "UNKNOWN_FACE",
        /// Reports unknown faces that look younger than a given age.
        AgeEstimation => "AGE_ESTIMATION",
        /// Reports faces of banned profiles.
        BannedProfile => "BANNED_PROFILE",
        /// Recognises certain profiles only: all others count as unknown.
        KnownFace => "KNOWN_FACE",
    }
}

wire_enum! {
    /// What a notification reports.
    pub enum NotificationReason {
        /// A face of a banned profile.
        BannedProfile => "BANNED_PROFILE",
        /// An unknown face that looks younger than the moderation's age.
        AgeEstimation => "AGE_ESTIMATION",
        /// A face that matches no known profile.
        UnknownFace => "UNKNOWN_FACE",
        /// A live video waits: this server watches as many as it can.
        Waiting => "WAITING",
        /// A live video is being watched from now on.
        Started => "STARTED",
        /// A live video is not watched any more, or somebody stopped the moderation.
        Stopped => "STOPPED",
        /// The content was looked at to its end.
        Done => "DONE",
        /// The content could not be looked at to its end; the notification says why.
        Failed => "FAILED",
    }
}

/// The numbers behind what is said of a face. The members' names are those of the stored row: add members with defaults.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FaceMeasurements {
    /// The distance to the nearest face of the profile that it matches.
    pub distance: Option<f32>,
    /// The greatest distance at which it would have matched a profile.
    pub max_distance: f32,
    /// SHA-256 of the model that computed the embedding, hexadecimal.
    pub model: String,
    /// The estimated age, years; in a video the median of its clearest pictures.
    pub years: Option<f32>,
    /// The lower and the upper end of the age's 80 % interval, years.
    pub years_interval: Option<(f32, f32)>,
    /// How clear the face is in its best picture, 0 to 1.
    pub quality: f32,
    /// How sure the detector is that it is one, 0 to 1.
    pub score: f32,
    /// Width and height of the picture that it is in, in pixels of the content; older versions did not note it.
    pub picture_size: Option<(u32, u32)>,
    /// Whether it matched somebody who was deleted before it was written: then the distance is not kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_deleted: bool,
}

wire_enum! {
    /// How old a face looks (docs/adr/0007-content-moderation.md).
    pub enum AgeGroup {
        /// At least the moderation's age; used only when the moderation asks for nothing but an age.
        ThresholdMet => "threshold_met",
        /// The profile is known to be an adult's.
        NotRequired => "not_required",
        /// No estimate was possible.
        Unknown => "unknown",
        /// Under 13.
        Child => "child",
        /// 13 to 15.
        TeenagerYoung => "teenager_young",
        /// 16 and 17.
        TeenagerOld => "teenager_old",
        /// 18 to 24.
        AdultYoung => "adult_young",
        /// 25 and over.
        Adult => "adult",
    }
}

impl AgeGroup {
    /// The group of an estimated age, in years.
    pub fn of(years: f32) -> Self {
        match years {
            _ if years < 13.0 => Self::Child,
            _ if years < 16.0 => Self::TeenagerYoung,
            _ if years < 18.0 => Self::TeenagerOld,
            _ if years < 25.0 => Self::AdultYoung,
            _ => Self::Adult,
        }
    }
}

/// One check of a moderation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModerationCheck {
    pub id: ModerationCheckId,
    pub check_type: ModerationCheckType,
}

/// What a moderation is to do. Stored as JSON that older builds wrote: add members with defaults only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModerationParameters {
    pub checks: Vec<ModerationCheck>,
    /// Unknown faces that look younger are reported: years, 0 to 100.
    pub age: Option<u8>,
    /// Whether faces that match no known profile are reported.
    pub unknown_faces: bool,
    /// The profiles that count as known. If neither profiles nor groups are named, here or by the content, all do; an empty
    /// group knows nobody.
    pub profiles: Vec<ProfileId>,
    /// Groups whose profiles count as known.
    pub groups: Vec<GroupId>,
    /// The member in whose inbox the notifications are put.
    pub member: Option<MemberId>,
    /// How similar a face must be to a profile's to match it, 0 to 1; the server's own limit, if `None`.
    #[serde(default)]
    pub min_similarity: Option<f64>,
    /// Whether somebody whom the content named was deleted before the moderation ended: then profiles are named, though the
    /// content may have none left. The deletion writes it.
    #[serde(default)]
    pub named_profile_deleted: bool,
}

/// Where notifications are sent, besides a member's inbox. Stored sealed, because the addresses contain secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotificationDestinations {
    /// Addresses of the application's own servers, https.
    pub web: Vec<String>,
    /// Addresses of incoming webhooks of Slack, https.
    pub slack: Vec<String>,
}
