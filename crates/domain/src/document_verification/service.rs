//! The front of document verification: passes each call on to the part that carries it out ([`super::wiring`]).

use super::{
    CapturedMedia, CreateDocumentSession, DocumentSessionError, DocumentSessionOutcome,
    DocumentVerificationSettings, DocumentWireFormat, FrameReceipt, IdempotentCall, MediaDownload,
    NewDocument, ReadDocument, RequestedExtraction, ResourceCaller, RunVerificationChecks,
    SweepDocumentSessions, UnsealedDocumentSession,
    extraction::max_open_media,
    fraud_list::{FraudListEntry, FraudListPage, NewFraudListEntry, PreparedFraudListEntry},
    identity_sources::IdentitySources,
    outcome,
    report::VerificationReport,
    request::DocumentSessionRequest,
    review_evidence::CheckEvidence,
    reviews::{CheckDecision, CheckReview},
    sandbox_agent::{SandboxPlayOptions, SandboxPlayOutcome},
    session::{DocumentSession, SessionMedia, SuppliedResource},
    types::{LivenessType, NotificationTopic, ResourceKind},
    wiring::DocumentVerificationParts,
};
use crate::{
    DeviceMetadata,
    delivery::Outbox,
    image_analysis::ImageAnalyser,
    tenancy::limits::{LimitError, LimitSettings},
    vault::Vault,
    violation::Violation,
};
use base::{
    AppId, CaseId, DocumentSessionId, Environment, FraudListEntryId, MediaId, ResourceId, SignedDuration,
    UploadId, Uuid, VerificationCheckId,
};
use db::{Db, DbError, ReadTx, WriteTx};
use jobs::{JobError, JobOutcome, Lane, Worker};
use media::blobs::BlobStore;
use serde_json::Value;
use std::{ops::Range, sync::Arc};

/// Runs document verification sessions; cheap to clone.
#[derive(Clone, Debug)]
pub struct DocumentVerificationService(Arc<DocumentVerificationParts>);

impl DocumentVerificationService {
    #[expect(clippy::too_many_arguments, reason = "each is a part of the server, and there is one call")]
    pub fn new(
        db: Db,
        env: Arc<dyn Environment>,
        vault: Vault,
        outbox: Outbox,
        blobs: BlobStore,
        analyser: ImageAnalyser,
        settings: DocumentVerificationSettings,
        limits: LimitSettings,
        format: Arc<dyn DocumentWireFormat>,
        sources: IdentitySources,
    ) -> Self {
        let parts = DocumentVerificationParts::new(
            db, env, vault, outbox, blobs, analyser, settings, limits, format, sources,
        );
        Self(Arc::new(parts))
    }

    /// Everything that is wrong with a request for a session, by the paths of the interface; empty if nothing is. A sandbox
    /// asks no sources, so it needs none.
    pub fn violations(&self, request: &DocumentSessionRequest, sandbox: bool) -> Vec<Violation> {
        request.violations(self.0.env.now(), &self.0.outbox, (!sandbox).then_some(&*self.0.sources))
    }

    /// Where webhooks are queued.
    pub fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    pub fn settings(&self) -> &DocumentVerificationSettings {
        &self.0.settings
    }

    /// Adds the jobs of sessions to a worker.
    #[must_use]
    pub fn register_jobs(&self, worker: Worker) -> Worker {
        let (reading, checking, sweeping) = (self.clone(), self.clone(), self.clone());
        worker
            .slots(Lane::Documents, max_open_media())
            .register(move |job: ReadDocument, lease| {
                let service = reading.clone();
                async move { service.0.read_document.run(&job, &lease).await }
            })
            .register(move |job: RunVerificationChecks, lease| {
                let service = checking.clone();
                async move { service.0.run_checks.run(&job, &lease).await }
            })
            .register(move |_: SweepDocumentSessions, _| {
                let service = sweeping.clone();
                async move { service.sweep().await }
            })
    }
}

/// The list of documents and faces that are used for fraud.
impl DocumentVerificationService {
    /// Validates an entry and finds the face of a picture. Nothing is written.
    pub async fn prepare_fraud_list_entry(
        &self,
        app: AppId,
        entry: NewFraudListEntry,
    ) -> Result<PreparedFraudListEntry, DocumentSessionError> {
        self.0.fraud_list.prepare(app, entry).await
    }

    pub async fn add_to_fraud_list(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        entry: PreparedFraudListEntry,
    ) -> Result<FraudListEntry, DocumentSessionError> {
        self.0.fraud_list.insert(tx, app, entry).await
    }

    /// A page of an application's list, from 1; the newest first.
    pub async fn list_fraud_list(
        &self,
        view: &mut ReadTx,
        app: AppId,
        page: u32,
    ) -> Result<FraudListPage, DbError> {
        self.0.fraud_list.list(view, app, page).await
    }

    /// Removes an entry, of one application or of any; returns whether there was one.
    pub async fn remove_from_fraud_list(
        &self,
        app: Option<AppId>,
        id: FraudListEntryId,
    ) -> Result<bool, DbError> {
        self.0.fraud_list.remove(app, id).await
    }
}

/// Creating and finding sessions.
impl DocumentVerificationService {
    pub async fn create(
        &self,
        tx: &mut WriteTx,
        command: CreateDocumentSession,
    ) -> Result<DocumentSession, LimitError> {
        self.0.creator.create(tx, command).await
    }

    /// The address of the page on which the end user goes through a session; it contains their token.
    pub fn page_url(&self, sandbox: bool, session: DocumentSessionId, token: Uuid) -> String {
        self.0.creator.page_url(sandbox, session, token)
    }

    /// A session of an application.
    pub async fn find(
        &self,
        db: &mut ReadTx,
        app: AppId,
        id: DocumentSessionId,
    ) -> Result<Option<UnsealedDocumentSession>, DbError> {
        self.0.store.find(db, app, id).await
    }

    /// A session of a relying party's application. Sandbox and production do not see each other's sessions, and in production
    /// a relying party does not see those that serve its age sessions.
    pub async fn find_for_relying_party(
        &self,
        app: AppId,
        id: DocumentSessionId,
        sandbox: bool,
    ) -> Result<UnsealedDocumentSession, DocumentSessionError> {
        self.0.access.find_for_relying_party(app, id, sandbox).await
    }

    /// The session that an end user's token belongs to, which must be the one that they named. `None` if the token is
    /// unknown, or void because the end user has finished.
    pub async fn authenticate_end_user(
        &self,
        session: DocumentSessionId,
        token: &Uuid,
    ) -> Result<Option<UnsealedDocumentSession>, DocumentSessionError> {
        self.0.access.authenticate_end_user(session, token).await
    }

    /// Addresses of the relying party of the session that an end user's token belongs to, whether or not it is open. Pages of
    /// their origins may show the session in a frame.
    pub async fn embedder_addresses(
        &self,
        session: DocumentSessionId,
        token: &Uuid,
    ) -> Result<Vec<String>, DbError> {
        self.0.access.embedder_addresses(session, token).await
    }

    pub async fn outcome(
        &self,
        stored: &UnsealedDocumentSession,
    ) -> Result<DocumentSessionOutcome, DocumentSessionError> {
        outcome::outcome(&self.0.media, stored, self.0.env.now()).await
    }
}

/// Supplying resources.
impl DocumentVerificationService {
    /// Creates a document without pages.
    pub async fn add_document(
        &self,
        id: DocumentSessionId,
        kind: ResourceKind,
        new: NewDocument,
        call: &IdempotentCall,
        device: Option<DeviceMetadata>,
    ) -> Result<SuppliedResource, DocumentSessionError> {
        self.0.documents.add_document(id, kind, new, call, device).await
    }

    /// Puts a page of a document in its place; a page with the same number is replaced.
    pub async fn put_page(
        &self,
        stored: &UnsealedDocumentSession,
        kind: ResourceKind,
        resource: ResourceId,
        number: u32,
        upload: CapturedMedia,
        device: Option<DeviceMetadata>,
    ) -> Result<SessionMedia, DocumentSessionError> {
        self.0.documents.put_page(stored, kind, resource, number, upload, device).await
    }

    /// Puts the file of a supplementary document in its place; a file that was there is replaced.
    pub async fn put_file(
        &self,
        stored: &UnsealedDocumentSession,
        resource: ResourceId,
        upload: CapturedMedia,
        device: Option<DeviceMetadata>,
    ) -> Result<SessionMedia, DocumentSessionError> {
        self.0.documents.put_file(stored, resource, upload, device).await
    }

    /// Asks for a document to be read, and waits for the task to end, up to the configured time; a person who would
    /// wait for longer is told so at once.
    pub async fn request_extraction(
        &self,
        id: DocumentSessionId,
        kind: ResourceKind,
        resource: ResourceId,
        device: Option<DeviceMetadata>,
    ) -> Result<RequestedExtraction, DocumentSessionError> {
        self.0.documents.request_extraction(id, kind, resource, device).await
    }

    /// Creates a liveness resource without frames.
    pub async fn add_liveness(
        &self,
        id: DocumentSessionId,
        liveness: LivenessType,
        requirement: Option<&str>,
        call: &IdempotentCall,
        device: Option<DeviceMetadata>,
    ) -> Result<ResourceId, DocumentSessionError> {
        self.0.liveness.add_liveness(id, liveness, requirement, call, device).await
    }

    /// Puts a frame of a live face in its place; a frame with the same number is replaced. The last frame of a capture has it
    /// judged.
    pub async fn put_frame(
        &self,
        stored: &UnsealedDocumentSession,
        liveness: LivenessType,
        resource: ResourceId,
        number: u32,
        upload: CapturedMedia,
        device: Option<DeviceMetadata>,
    ) -> Result<FrameReceipt, DocumentSessionError> {
        self.0.liveness.put_frame(stored, liveness, resource, number, upload, device).await
    }

    /// Stores the shape of the face that a client measured itself.
    pub async fn put_facemap(
        &self,
        stored: &UnsealedDocumentSession,
        resource: ResourceId,
        bytes: Vec<u8>,
    ) -> Result<SessionMedia, DocumentSessionError> {
        self.0.liveness.put_facemap(stored, resource, bytes).await
    }

    /// Creates a resource for the picture of a face, without the picture.
    pub async fn add_face(
        &self,
        id: DocumentSessionId,
        caller: ResourceCaller,
        requirement: Option<&str>,
        call: &IdempotentCall,
        device: Option<DeviceMetadata>,
    ) -> Result<ResourceId, DocumentSessionError> {
        self.0.faces.add_face(id, caller, requirement, call, device).await
    }

    /// Puts the picture of a face in its place. It must show exactly one face.
    pub async fn put_face(
        &self,
        stored: &UnsealedDocumentSession,
        caller: ResourceCaller,
        resource: ResourceId,
        upload: CapturedMedia,
        device: Option<DeviceMetadata>,
    ) -> Result<SessionMedia, DocumentSessionError> {
        self.0.faces.put_face(stored, caller, resource, upload, device).await
    }

    /// Begins a resumable upload of `length` bytes.
    pub async fn begin_upload(
        &self,
        id: DocumentSessionId,
        length: u64,
    ) -> Result<UploadId, DocumentSessionError> {
        self.0.uploads.begin(id, length).await
    }

    /// Adds the bytes that follow the first `offset` bytes of an upload; returns how many have arrived then.
    pub async fn append_to_upload(
        &self,
        stored: &UnsealedDocumentSession,
        upload: UploadId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<u64, DocumentSessionError> {
        self.0.uploads.append(stored, upload, offset, bytes).await
    }

    /// The bytes of an upload that is complete.
    pub async fn read_upload(
        &self,
        stored: &UnsealedDocumentSession,
        upload: UploadId,
    ) -> Result<Vec<u8>, DocumentSessionError> {
        self.0.uploads.read(stored, upload).await
    }
}

/// What else an end user does.
impl DocumentVerificationService {
    /// Records that the end user reads the configuration for the first time, and with which device, if the client describes
    /// it. Does nothing if it was read before.
    pub async fn record_first_load(
        &self,
        session: &DocumentSession,
        device: Option<DeviceMetadata>,
    ) -> Result<(), DocumentSessionError> {
        if session.is_open(self.0.env.now()) {
            self.0.store.record_page_opened(session).await?;
        }
        match device {
            Some(device) if !session.has_device_event(super::finish::CONFIGURATION_LOADED) => {
                self.0.end_user.record_first_load(session.id, device).await
            }
            _ => Ok(()),
        }
    }

    /// Records that the end user consents to the use of biometric data.
    pub async fn record_biometric_consent(
        &self,
        id: DocumentSessionId,
        device: Option<DeviceMetadata>,
    ) -> Result<(), DocumentSessionError> {
        self.0.end_user.record_biometric_consent(id, device).await
    }

    /// Notifies the relying party that the end user wants a mail.
    pub async fn request_email(
        &self,
        id: DocumentSessionId,
        topic: NotificationTopic,
    ) -> Result<(), DocumentSessionError> {
        self.0.end_user.request_email(id, topic).await
    }

    /// Ends the end user's part: their token is void from now on, and the checks begin.
    pub async fn finish(
        &self,
        id: DocumentSessionId,
        device: Option<DeviceMetadata>,
    ) -> Result<(), DocumentSessionError> {
        self.0.end_user.finish(id, device).await
    }
}

/// Media, deletion and retention.
impl DocumentVerificationService {
    /// A media's bytes: all of them, or those from `range.start` up to and without `range.end`.
    pub async fn download_media(
        &self,
        stored: &UnsealedDocumentSession,
        id: MediaId,
        range: Option<Range<u64>>,
    ) -> Result<MediaDownload, DocumentSessionError> {
        self.0.media_access.download(stored, id, range).await
    }

    /// Deletes a media's bytes for good. Refuses until the session has ended.
    pub async fn redact_media(
        &self,
        id: DocumentSessionId,
        media: MediaId,
        device: Option<DeviceMetadata>,
    ) -> Result<(), DocumentSessionError> {
        self.0.media_access.redact(id, media, device).await
    }

    /// Deletes a media's bytes again, after a backup brought them back; returns whether they were there.
    pub(crate) async fn redact_media_again(
        &self,
        id: DocumentSessionId,
        media: MediaId,
    ) -> Result<bool, DocumentSessionError> {
        self.0.media_access.redact_again(id, media).await
    }

    /// Deletes a session of a relying party. Refuses while its checks run.
    pub async fn delete(
        &self,
        app: AppId,
        id: DocumentSessionId,
        sandbox: bool,
    ) -> Result<(), DocumentSessionError> {
        self.0.retention.delete(app, id, sandbox).await
    }

    /// Erases a session in whatever state, for the operator; returns whether there was one.
    pub async fn erase(&self, id: DocumentSessionId) -> Result<bool, DocumentSessionError> {
        self.0.retention.erase(id).await
    }

    /// Erases a session in the caller's transaction. Refuses while its checks run. After the commit the caller deletes what
    /// lies outside of the database ([`Self::delete_files`]).
    pub async fn erase_in(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        id: DocumentSessionId,
    ) -> Result<(), DocumentSessionError> {
        self.0.retention.erase_in(tx, app, id).await
    }

    /// Deletes the files of a session that was erased. Those that remain after a crash are deleted by a job.
    pub async fn delete_files(&self, id: DocumentSessionId) {
        self.0.retention.delete_files(id).await;
    }

    /// Puts the clock of a session of the sandbox forward, in the caller's transaction. Returns whether there is such a session.
    pub async fn advance_clock(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        id: DocumentSessionId,
        by: SignedDuration,
    ) -> Result<bool, DbError> {
        self.0.store.advance_clock(tx, app, id, by).await
    }

    /// Ends the end user's time at once, as if it were over. `actor` is who asks for it, as the audit trail says. Refuses if
    /// they have finished.
    pub async fn cancel(
        &self,
        actor: String,
        app: AppId,
        id: DocumentSessionId,
    ) -> Result<(), DocumentSessionError> {
        self.0.retention.cancel(actor, app, id).await
    }

    /// Forgets which devices were used.
    pub async fn clear_device_events(&self, id: DocumentSessionId) -> Result<(), DocumentSessionError> {
        self.0.retention.clear_device_events(id).await
    }

    /// Runs [`SweepDocumentSessions`]: expires, destroys and erases everything that is due.
    pub async fn sweep(&self) -> Result<JobOutcome, JobError> {
        self.0.retention.sweep().await
    }
}

/// Reviews.
impl DocumentVerificationService {
    /// Up to 200 reviews that are open (or decided), the longest waiting first; of one application, if given.
    pub async fn list_reviews(
        &self,
        db: &mut ReadTx,
        app: Option<AppId>,
        decided: bool,
    ) -> Result<Vec<CheckReview>, DbError> {
        self.0.reviews.list(db, app, decided).await
    }

    /// A review, with the automatic report, or, once it is decided, the final one; of one application, if given.
    pub async fn find_review(
        &self,
        app: Option<AppId>,
        check: VerificationCheckId,
    ) -> Result<Option<(CheckReview, Option<VerificationReport>)>, DbError> {
        self.0.reviews.find(app, check).await
    }

    /// Ends a check by a reviewer's decision.
    pub async fn decide_review(
        &self,
        app: Option<AppId>,
        check: VerificationCheckId,
        decision: &CheckDecision,
    ) -> Result<(), DocumentSessionError> {
        self.0.reviews.decide(app, check, decision).await
    }

    /// [`Self::decide_review`] in a transaction of the caller, by what was decided about a case. `false`: the check was decided
    /// meanwhile, or is gone.
    pub(crate) async fn settle_review(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        check: VerificationCheckId,
        decision: &CheckDecision,
        case: CaseId,
    ) -> Result<bool, DbError> {
        match self.0.reviews.decide_in(tx, Some(app), check, decision, Some(case)).await {
            Ok(()) => Ok(true),
            Err(DocumentSessionError::Db(error)) => Err(error),
            // Whatever else is refused: there is nothing left to decide.
            Err(refused) => {
                tracing::info!(check.id = %check, reason = %refused, "a decision came too late");
                Ok(false)
            }
        }
    }

    /// What a reviewer judges a check by.
    pub async fn review_evidence(
        &self,
        app: AppId,
        check: VerificationCheckId,
    ) -> Result<Option<CheckEvidence>, DbError> {
        self.0.reviews.evidence(app, check).await
    }

    /// A picture of a session, for its reviewer. `None` if it is not there any more, or is withheld.
    pub async fn review_picture(
        &self,
        app: AppId,
        check: VerificationCheckId,
        media: MediaId,
    ) -> Result<Option<Vec<u8>>, DocumentSessionError> {
        let Some((session, _)) = self.0.reviews.session_of(app, check).await? else { return Ok(None) };
        self.0.media_access.picture(&session, media).await
    }
}

/// The sandbox.
impl DocumentVerificationService {
    /// Acts for the end user of a sandbox session.
    pub async fn run_sandbox_agent(
        &self,
        id: DocumentSessionId,
        options: &SandboxPlayOptions,
    ) -> Result<SandboxPlayOutcome, DocumentSessionError> {
        self.0.sandbox_agent.run(id, options).await
    }

    /// The response configuration of an application, as it was sent.
    pub async fn app_response_config(&self, db: &mut ReadTx, app: AppId) -> Result<Option<Value>, DbError> {
        self.0.sandbox_responses.for_application(db, app).await
    }

    /// Stores a response configuration of an application, as it was sent.
    pub async fn set_app_response_config(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        sent: &Value,
    ) -> Result<(), DbError> {
        self.0.sandbox_responses.set_for_application(tx, app, sent).await
    }

    /// Stores a response configuration of a session, as it was sent.
    pub async fn set_session_response_config(
        &self,
        id: DocumentSessionId,
        sent: Value,
    ) -> Result<(), DocumentSessionError> {
        self.0.sandbox_responses.set_for_session(id, sent).await
    }
}
