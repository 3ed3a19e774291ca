//! The wire enums of document verification, as the interface and the database spell them. Requests may spell them in
//! upper or lower case; the interface normalises that.

use crate::wire_enum::wire_enum;
use documents::catalogue::DocumentType;

wire_enum! {
    pub enum SessionState {
        /// The end user may act, or the checks run.
        Ongoing => "ONGOING",
        /// Every check has ended.
        Completed => "COMPLETED",
        /// The end user did not finish in time.
        Expired => "EXPIRED",
    }
}

wire_enum! {
    pub enum ResourceKind {
        /// A document that proves an identity.
        IdDocument => "ID_DOCUMENT",
        /// A document that proves something else, an address for example.
        SupplementaryDocument => "SUPPLEMENTARY_DOCUMENT",
        /// A live face.
        Liveness => "LIVENESS",
        /// A picture of a face to compare the live one with.
        FaceCapture => "FACE_CAPTURE",
    }
}

wire_enum! {
    /// Who supplies a resource.
    pub enum ResourceSource {
        EndUser => "END_USER",
        /// The business that created the session.
        RelyingParty => "RELYING_BUSINESS",
    }
}

wire_enum! {
    /// The source of a picture.
    pub enum CaptureMethod {
        /// A camera, at the moment of the capture.
        Camera => "CAMERA",
        /// A file.
        Upload => "UPLOAD",
    }
}

wire_enum! {
    /// The sources of pictures that a session accepts.
    pub enum CaptureMethods {
        CameraAndUpload => "CAMERA_AND_UPLOAD",
        Camera => "CAMERA",
    }
}

wire_enum! {
    pub enum MediaType {
        /// JPEG or PNG.
        Image => "IMAGE",
        Json => "JSON",
        /// Bytes of another kind, a face map for example.
        Binary => "BINARY",
        Pdf => "PDF",
    }
}

wire_enum! {
    /// How a face is shown.
    pub enum LivenessType {
        /// In one frame.
        Static => "STATIC",
        /// In several frames, coming nearer.
        Zoom => "ZOOM",
    }
}

wire_enum! {
    /// What is done with a resource while the end user waits.
    pub enum TaskType {
        /// Reads an identity document.
        IdDocument => "ID_DOCUMENT_TEXT_DATA_EXTRACTION",
        /// Reads a supplementary document.
        SupplementaryDocument => "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION",
    }
}

impl TaskType {
    /// The task that is done with resources of a kind.
    pub fn of(kind: ResourceKind) -> Option<Self> {
        match kind {
            ResourceKind::IdDocument => Some(Self::IdDocument),
            ResourceKind::SupplementaryDocument => Some(Self::SupplementaryDocument),
            ResourceKind::Liveness | ResourceKind::FaceCapture => None,
        }
    }
}

wire_enum! {
    pub enum TaskState {
        /// Something to read has arrived.
        Created => "CREATED",
        /// The client asked for it, and the document is being read.
        Pending => "PENDING",
        Done => "DONE",
        /// It failed through a fault of this server.
        Failed => "FAILED",
    }
}

wire_enum! {
    pub enum VerificationCheckType {
        /// Whether a document is what it seems.
        Authenticity => "ID_DOCUMENT_AUTHENTICITY",
        /// Whether what was read of an identity document can be relied on.
        TextData => "ID_DOCUMENT_TEXT_DATA_CHECK",
        /// Whether what was read of a supplementary document can be relied on.
        SupplementaryTextData => "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_CHECK",
        /// Whether a face is live.
        Liveness => "LIVENESS",
        /// The document's portrait against the live face.
        FaceMatch => "ID_DOCUMENT_FACE_MATCH",
        /// The business's picture against the live face.
        FaceComparison => "FACE_COMPARISON",
        /// Two documents against each other.
        Comparison => "ID_DOCUMENT_COMPARISON",
        /// Whether the holder of a document is on a watchlist.
        Watchlist => "WATCHLIST_SCREENING",
        /// Whether a third party knows a person of the name, birthday and address on the documents.
        ThirdPartyIdentity => "THIRD_PARTY_IDENTITY",
    }
}

wire_enum! {
    /// A check that can be requested; the others are created by tasks.
    pub enum RequestableCheckType {
        /// Whether a document is what it seems.
        Authenticity => "ID_DOCUMENT_AUTHENTICITY",
        /// Whether a face is live.
        Liveness => "LIVENESS",
        /// The document's portrait against the live face.
        FaceMatch => "ID_DOCUMENT_FACE_MATCH",
        /// The business's picture against the live face.
        FaceComparison => "FACE_COMPARISON",
        /// Two documents against each other.
        Comparison => "ID_DOCUMENT_COMPARISON",
        /// Whether the holder of a document is on a watchlist.
        Watchlist => "WATCHLIST_SCREENING",
        /// Whether a third party knows a person of the name, birthday and address on the documents.
        ThirdPartyIdentity => "THIRD_PARTY_IDENTITY",
    }
}

impl From<RequestableCheckType> for VerificationCheckType {
    fn from(kind: RequestableCheckType) -> Self {
        match kind {
            RequestableCheckType::Authenticity => Self::Authenticity,
            RequestableCheckType::Liveness => Self::Liveness,
            RequestableCheckType::FaceMatch => Self::FaceMatch,
            RequestableCheckType::FaceComparison => Self::FaceComparison,
            RequestableCheckType::Comparison => Self::Comparison,
            RequestableCheckType::Watchlist => Self::Watchlist,
            RequestableCheckType::ThirdPartyIdentity => Self::ThirdPartyIdentity,
        }
    }
}

wire_enum! {
    /// What a watchlist is about.
    pub enum WatchlistCategory {
        /// People whom a state or an organisation of states has sanctioned.
        Sanctions => "SANCTIONS",
        /// People with a prominent public function, and those close to them.
        PoliticallyExposed => "PEP",
        /// People of whom media report crimes.
        AdverseMedia => "ADVERSE-MEDIA",
    }
}

impl WatchlistCategory {
    /// Every category: what a check without a choice is about.
    pub const ALL: [Self; 3] = [Self::Sanctions, Self::PoliticallyExposed, Self::AdverseMedia];
}

wire_enum! {
    /// A kind of document that can be requested.
    pub enum RequiredDocumentType {
        /// A document that proves an identity.
        IdDocument => "ID_DOCUMENT",
        /// A document that proves something else, an address for example.
        SupplementaryDocument => "SUPPLEMENTARY_DOCUMENT",
    }
}

impl From<RequiredDocumentType> for ResourceKind {
    fn from(kind: RequiredDocumentType) -> Self {
        match kind {
            RequiredDocumentType::IdDocument => Self::IdDocument,
            RequiredDocumentType::SupplementaryDocument => Self::SupplementaryDocument,
        }
    }
}

wire_enum! {
    pub enum IdDocumentType {
        Passport => "PASSPORT",
        /// An identity card.
        NationalId => "NATIONAL_ID",
        /// A card that permits its holder to reside in the country.
        ResidencePermit => "RESIDENCE_PERMIT",
        DrivingLicence => "DRIVING_LICENCE",
    }
}

impl From<DocumentType> for IdDocumentType {
    fn from(kind: DocumentType) -> Self {
        match kind {
            DocumentType::Passport => Self::Passport,
            DocumentType::NationalId => Self::NationalId,
            DocumentType::ResidencePermit => Self::ResidencePermit,
            DocumentType::DrivingLicence => Self::DrivingLicence,
        }
    }
}

impl From<IdDocumentType> for DocumentType {
    fn from(kind: IdDocumentType) -> Self {
        match kind {
            IdDocumentType::Passport => Self::Passport,
            IdDocumentType::NationalId => Self::NationalId,
            IdDocumentType::ResidencePermit => Self::ResidencePermit,
            IdDocumentType::DrivingLicence => Self::DrivingLicence,
        }
    }
}

wire_enum! {
    /// The framework whose rules a scheme follows.
    pub enum TrustFramework {
        /// The United Kingdom's framework for digital identities and attributes.
        UkTfida => "UK_TFIDA",
    }
}

wire_enum! {
    /// The purpose of a scheme.
    pub enum SchemeType {
        /// Proof of the right to work.
        RightToWork => "RTW",
        /// Proof of the right to rent.
        RightToRent => "RTR",
    }
}

wire_enum! {
    pub enum CheckState {
        /// A task created it; the end user has not finished yet.
        Created => "CREATED",
        /// It waits for the job.
        Ready => "READY",
        /// It is running, or waits for a reviewer.
        Pending => "PENDING",
        /// It has its report.
        Done => "DONE",
        /// It failed through a fault of this server.
        InternalError => "INTERNAL_ERROR",
    }
}

wire_enum! {
    /// What a report recommends.
    pub enum CheckAdvice {
        /// Nothing speaks against it.
        Approve => "APPROVE",
        /// Something speaks against it.
        Reject => "REJECT",
        /// There is no result.
        NotAvailable => "NOT_AVAILABLE",
        /// Something might speak against it.
        Consider => "CONSIDER",
    }
}

wire_enum! {
    pub enum SubCheckResult {
        Pass => "PASS",
        Fail => "FAIL",
    }
}

wire_enum! {
    /// Who made a sub-check.
    pub enum SubCheckProcess {
        /// This server.
        Automated => "AUTOMATED",
        /// A reviewer.
        ExpertReview => "EXPERT_REVIEW",
    }
}

wire_enum! {
    /// When a reviewer decides about a check.
    pub enum ManualCheck {
        Never => "NEVER",
        /// When the automatic report is neither `APPROVE` nor `REJECT`.
        Fallback => "FALLBACK",
        Always => "ALWAYS",
    }
}

wire_enum! {
    /// What is read of a document's chip.
    pub enum ChipData {
        /// Nothing.
        Ignore => "IGNORE",
    }
}

wire_enum! {
    /// Whether resources are supplied in a branch of the relying party's.
    pub enum IbvSupport {
        /// They are not.
        NotAllowed => "NOT_ALLOWED",
    }
}

wire_enum! {
    /// What a supplementary document is to prove.
    pub enum SupplementaryObjective {
        /// Where a person lives.
        ProofOfAddress => "PROOF_OF_ADDRESS",
    }
}

wire_enum! {
    /// When the page asks for consent to the use of biometric data.
    pub enum BiometricConsentFlow {
        /// On its first screen.
        Early => "EARLY",
        /// Before a face is captured.
        JustInTime => "JUST_IN_TIME",
    }
}

wire_enum! {
    /// Whether the page is dark.
    pub enum DarkMode {
        On => "ON",
        Off => "OFF",
        /// As the end user's device is set.
        Auto => "AUTO",
    }
}

wire_enum! {
    /// Why a document has to be supplied again.
    pub enum RetryCategory {
        /// It turned out to be another document than the end user said, or one that is not accepted.
        Reclassification => "RECLASSIFICATION",
        /// Anything else.
        Generic => "GENERIC",
    }
}

wire_enum! {
    /// What the relying party can be notified of.
    pub enum NotificationTopic {
        /// A resource was created or changed.
        ResourceUpdate => "RESOURCE_UPDATE",
        /// A task ended.
        TaskCompletion => "TASK_COMPLETION",
        /// A check ended.
        CheckCompletion => "CHECK_COMPLETION",
        /// The session is completed: every check has ended.
        SessionCompletion => "SESSION_COMPLETION",
        /// A PDF file was uploaded.
        NewPdfSupplied => "NEW_PDF_SUPPLIED",
        /// The end user wants instructions by mail.
        InstructionsEmailRequested => "INSTRUCTIONS_EMAIL_REQUESTED",
        /// The end user has finished.
        ClientSessionTokenDeleted => "CLIENT_SESSION_TOKEN_DELETED",
        /// The end user wants a confirmation by mail.
        ThankYouEmailRequested => "THANK_YOU_EMAIL_REQUESTED",
    }
}

wire_enum! {
    /// The scheme of `Authorization` in notifications.
    pub enum NotificationAuthType {
        /// `Basic`, with the token in base64.
        Basic => "BASIC",
        /// `Bearer`, with the token as it is.
        Bearer => "BEARER",
    }
}

wire_enum! {
    /// What the end user should do after a task.
    pub enum TaskAdvice {
        /// Go on.
        Progress => "PROGRESS",
        /// A better picture would help.
        ShouldTryAgain => "SHOULD_TRY_AGAIN",
        /// The document cannot be used as it is.
        MustTryAgain => "MUST_TRY_AGAIN",
    }
}

wire_enum! {
    /// What is at fault when the end user should try again.
    pub enum TaskAdviceReason {
        /// The quality of the picture.
        Quality => "QUALITY",
        /// What the picture shows.
        UserError => "USER_ERROR",
        /// This server.
        Error => "ERROR",
    }
}

wire_enum! {
    /// [`Inclusion`] as requests may spell it: with today's words or with their predecessors.
    pub enum InclusionWord {
        /// What is listed is allowed.
        Include => "INCLUDE",
        /// What is listed is not allowed.
        Exclude => "EXCLUDE",
        /// The same as `INCLUDE`.
        Whitelist => "WHITELIST",
        /// The same as `EXCLUDE`.
        Blacklist => "BLACKLIST",
    }
}

impl From<InclusionWord> for Inclusion {
    fn from(word: InclusionWord) -> Self {
        match word {
            InclusionWord::Include | InclusionWord::Whitelist => Self::Include,
            InclusionWord::Exclude | InclusionWord::Blacklist => Self::Exclude,
        }
    }
}

wire_enum! {
    /// How the restrictions of a filter are combined.
    pub enum FilterType {
        /// Restrictions of countries and of types, which apply at once.
        OrthogonalRestrictions => "ORTHOGONAL_RESTRICTIONS",
        /// A list of combinations of countries and types.
        DocumentRestrictions => "DOCUMENT_RESTRICTIONS",
    }
}

wire_enum! {
    /// A ready-made result of a sandbox.
    pub enum ResultTemplate {
        /// Everything passes.
        Success => "SUCCESS",
    }
}

wire_enum! {
    /// Whether a list names what is allowed or what is not.
    pub enum Inclusion {
        Include => "INCLUDE",
        Exclude => "EXCLUDE",
    }
}

wire_enum! {
    pub enum RequirementState {
        /// Nothing has been supplied, or what was supplied was declined.
        Required => "REQUIRED",
        /// Something has been supplied and is not complete, or not accepted yet.
        InProgress => "IN_PROGRESS",
        Fulfilled => "FULFILLED",
    }
}
