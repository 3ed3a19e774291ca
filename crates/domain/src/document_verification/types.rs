//! The closed sets of words of document sessions. What comes in is read whatever its case; what
//! goes out, and what is kept, is spelt as the interface does.

use crate::wire_enum::wire_enum;
use documents::catalogue::DocumentType;

wire_enum! {
    /// How far a session is.
    pub enum SessionState {
        /// The person is at it, or its checks are.
        Ongoing => "ONGOING",
        /// Every check has ended.
        Completed => "COMPLETED",
        /// The person did not come to an end in time.
        Expired => "EXPIRED",
    }
}

wire_enum! {
    /// What a resource is.
    pub enum ResourceKind {
        /// A document that says who somebody is.
        IdDocument => "ID_DOCUMENT",
        /// A document that says more, an address for example.
        SupplementaryDocument => "SUPPLEMENTARY_DOCUMENT",
        /// A face, live.
        Liveness => "LIVENESS",
        /// A face to compare with.
        FaceCapture => "FACE_CAPTURE",
    }
}

wire_enum! {
    /// Who supplies a resource.
    pub enum ResourceSource {
        /// The person.
        EndUser => "END_USER",
        /// The business that made the session.
        RelyingParty => "RELYING_BUSINESS",
    }
}

wire_enum! {
    /// Where a picture comes from.
    pub enum CaptureMethod {
        /// A camera, at that moment.
        Camera => "CAMERA",
        /// A file.
        Upload => "UPLOAD",
    }
}

wire_enum! {
    /// Which of them the page offers.
    pub enum CaptureMethods {
        /// Both.
        CameraAndUpload => "CAMERA_AND_UPLOAD",
        /// The camera alone.
        Camera => "CAMERA",
    }
}

wire_enum! {
    /// What a media is.
    pub enum MediaType {
        /// JPEG or PNG.
        Image => "IMAGE",
        /// JSON.
        Json => "JSON",
        /// Bytes.
        Binary => "BINARY",
        /// PDF.
        Pdf => "PDF",
    }
}

wire_enum! {
    /// How a face is shown.
    pub enum LivenessType {
        /// In one picture.
        Static => "STATIC",
        /// In several, coming nearer.
        Zoom => "ZOOM",
    }
}

wire_enum! {
    /// What is done with a resource while the person waits.
    pub enum TaskType {
        /// Reads an identity document.
        IdDocument => "ID_DOCUMENT_TEXT_DATA_EXTRACTION",
        /// Reads another document.
        SupplementaryDocument => "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION",
    }
}

wire_enum! {
    /// How far a task is.
    pub enum TaskState {
        /// Something to read has arrived.
        Created => "CREATED",
        /// It is asked for, and being done.
        Pending => "PENDING",
        /// It is done.
        Done => "DONE",
        /// It could not be done.
        Failed => "FAILED",
    }
}

wire_enum! {
    /// What is checked.
    pub enum VerificationCheckType {
        /// Whether a document is what it seems.
        Authenticity => "ID_DOCUMENT_AUTHENTICITY",
        /// Whether what was read of it can be relied on.
        TextData => "ID_DOCUMENT_TEXT_DATA_CHECK",
        /// The same of a supplementary document.
        SupplementaryTextData => "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_CHECK",
        /// Whether a face is live.
        Liveness => "LIVENESS",
        /// The document's portrait against the live face.
        FaceMatch => "ID_DOCUMENT_FACE_MATCH",
        /// The business's picture against the live face.
        FaceComparison => "FACE_COMPARISON",
        /// Two documents against each other.
        Comparison => "ID_DOCUMENT_COMPARISON",
    }
}

wire_enum! {
    /// A check that can be asked for; the others follow from tasks.
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
        }
    }
}

wire_enum! {
    /// A kind of document that can be asked for.
    pub enum RequiredDocumentType {
        /// A document that says who somebody is.
        IdDocument => "ID_DOCUMENT",
        /// A document that says more, an address for example.
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
    /// A type of identity document.
    pub enum IdDocumentType {
        /// A passport.
        Passport => "PASSPORT",
        /// An identity card.
        NationalId => "NATIONAL_ID",
        /// A card that allows its holder to stay.
        ResidencePermit => "RESIDENCE_PERMIT",
        /// A driving licence.
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
    /// By whose rules a scheme checks identities.
    pub enum TrustFramework {
        /// The United Kingdom's framework for digital identities and attributes.
        UkTfida => "UK_TFIDA",
    }
}

wire_enum! {
    /// What a scheme checks identities for.
    pub enum SchemeType {
        /// The right to work.
        RightToWork => "RTW",
        /// The right to rent.
        RightToRent => "RTR",
    }
}

wire_enum! {
    /// How far a check is.
    pub enum CheckState {
        /// A task asked for it; the person is not through yet.
        Created => "CREATED",
        /// It can begin.
        Ready => "READY",
        /// It is being made, or waits for a reviewer.
        Pending => "PENDING",
        /// It has its report.
        Done => "DONE",
        /// It could not be made.
        InternalError => "INTERNAL_ERROR",
    }
}

wire_enum! {
    /// What a report recommends.
    pub enum CheckAdvice {
        /// Nothing speaks against it.
        Approve => "APPROVE",
        /// Something does.
        Reject => "REJECT",
        /// It could not be told.
        NotAvailable => "NOT_AVAILABLE",
        /// Something might speak against it.
        Consider => "CONSIDER",
    }
}

wire_enum! {
    /// How a sub-check ended.
    pub enum SubCheckResult {
        /// As it should be.
        Pass => "PASS",
        /// Not as it should be.
        Fail => "FAIL",
    }
}

wire_enum! {
    /// Who made a sub-check.
    pub enum SubCheckProcess {
        /// This server.
        Automated => "AUTOMATED",
        /// A person.
        ExpertReview => "EXPERT_REVIEW",
    }
}

wire_enum! {
    /// When a reviewer decides.
    pub enum ManualCheck {
        /// Never.
        Never => "NEVER",
        /// Where this server is not sure.
        Fallback => "FALLBACK",
        /// Always.
        Always => "ALWAYS",
    }
}

wire_enum! {
    /// What is read of a chip, where there is one.
    pub enum ChipData {
        /// It is welcome.
        Desired => "DESIRED",
        /// It is not looked at.
        Ignore => "IGNORE",
    }
}

wire_enum! {
    /// Whether resources may be supplied in a branch.
    pub enum IbvSupport {
        /// They must.
        Mandatory => "MANDATORY",
        /// They must not.
        NotAllowed => "NOT_ALLOWED",
    }
}

wire_enum! {
    /// What the business is told of.
    pub enum NotificationTopic {
        /// A resource came, or changed.
        ResourceUpdate => "RESOURCE_UPDATE",
        /// A task ended.
        TaskCompletion => "TASK_COMPLETION",
        /// A check ended.
        CheckCompletion => "CHECK_COMPLETION",
        /// The session is completed.
        SessionCompletion => "SESSION_COMPLETION",
        /// A PDF file came.
        NewPdfSupplied => "NEW_PDF_SUPPLIED",
        /// The person wants instructions by mail.
        InstructionsEmailRequested => "INSTRUCTIONS_EMAIL_REQUESTED",
        /// The person is through.
        ClientSessionTokenDeleted => "CLIENT_SESSION_TOKEN_DELETED",
        /// The person wants a confirmation by mail.
        ThankYouEmailRequested => "THANK_YOU_EMAIL_REQUESTED",
    }
}

wire_enum! {
    /// How notifications are authorised.
    pub enum NotificationAuthType {
        /// `Basic`, and the token in base64.
        Basic => "BASIC",
        /// `Bearer`, and the token as it is.
        Bearer => "BEARER",
    }
}

wire_enum! {
    /// What the person should do after a task.
    pub enum TaskAdvice {
        /// Go on.
        Progress => "PROGRESS",
        /// A better picture would help.
        ShouldTryAgain => "SHOULD_TRY_AGAIN",
        /// This one does not do.
        MustTryAgain => "MUST_TRY_AGAIN",
    }
}

wire_enum! {
    /// Why.
    pub enum TaskAdviceReason {
        /// The picture.
        Quality => "QUALITY",
        /// What it shows.
        UserError => "USER_ERROR",
        /// This server.
        Error => "ERROR",
    }
}

wire_enum! {
    /// How a restriction is written: with the words of today, or with those that these were before.
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
    /// How the restrictions of a filter go together.
    pub enum FilterType {
        /// Each holds by itself.
        OrthogonalRestrictions => "ORTHOGONAL_RESTRICTIONS",
    }
}

wire_enum! {
    /// What a sandbox answers without being told the details.
    pub enum ResultTemplate {
        /// Everything is as it should be.
        Success => "SUCCESS",
    }
}

wire_enum! {
    /// Whether a restriction names what is allowed or what is not.
    pub enum Inclusion {
        /// What is allowed.
        Include => "INCLUDE",
        /// What is not.
        Exclude => "EXCLUDE",
    }
}

wire_enum! {
    /// What a person must still do for a requirement.
    pub enum RequirementState {
        /// Everything.
        Required => "REQUIRED",
        /// Something has come, and it is not enough yet.
        InProgress => "IN_PROGRESS",
        /// Nothing.
        Fulfilled => "FULFILLED",
    }
}
