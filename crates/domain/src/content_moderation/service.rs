//! The public front of content moderation: gives each part what it needs, and passes calls on.

use super::{
    ContentModerationSettings, FindingDetails, FindingMatches, FindingPicture, FindingPictureError,
    FindingSearch, FindingSearchError, ModerationFilter, ModerationInput, ModerationNotification,
    ModerationOverview, ModerationReport, ModerationRequest, ModerationStartError, ModerationSummary,
    ModerationWebhookFormat, NotificationFilter, NotificationPage, PreparedModeration, RunModeration,
    SweepFindingPictures, WatchLiveVideo,
    ban_sweeper::BanSweeper,
    contents::{
        self, ContentError,
        reports::{ContentReport, ReportRecorder},
        uploads::{ContentUploads, SweepContentUploads},
    },
    deletion,
    ending::{ModerationEnder, SweepModerations},
    finding_details,
    finding_pictures::FindingPictureStore,
    finding_search::FindingSearcher,
    input,
    kept_findings::KeptFindings,
    notification_lists,
    notifications::Notifier,
    queries::ModerationQueries,
    reviews::{NotificationReview, ReviewDecision, ReviewError, ReviewRecorder},
    run::ModerationRunner,
    sealed_columns::SealedColumns,
    start::ModerationStarter,
    statement_of_reasons::{StatementDecision, StatementOfReasons, StatementWriter},
};
use crate::{
    delivery::Outbox,
    erasure_keys::ErasureKeys,
    faces::{FaceIndexService, SweepFindingsOfBan},
    fair_slots::FairSlots,
    image_analysis::ImageAnalyser,
    sealed_texts::SealedTexts,
    tenancy::limits::LimitSettings,
    vault::Vault,
    violation::Violation,
};
use base::{
    AccountId, AppId, ContentId, ContentReportId, Environment, MemberId, ModerationId, NotificationId,
    SignedDuration, Timestamp, Uuid,
};
use db::{AuditEvent, Db, DbError, ReadTx, WriteTx};
use jobs::{JobError, JobOutcome, Lease, Worker};
use media::{blobs::BlobStore, video::ContentLoader};
use std::{ops::RangeInclusive, sync::Arc};

/// Content moderation; cheap to clone.
#[derive(Clone, Debug)]
pub struct ContentModerationService(Arc<ContentModerationParts>);

#[derive(Debug)]
struct ContentModerationParts {
    db: Db,
    environment: Arc<dyn Environment>,
    outbox: Outbox,
    faces: FaceIndexService,
    uploads: ContentUploads,
    starter: ModerationStarter,
    queries: ModerationQueries,
    reviews: ReviewRecorder,
    reports: ReportRecorder,
    ender: ModerationEnder,
    runner: Arc<ModerationRunner>,
    searcher: FindingSearcher,
    ban_sweeper: BanSweeper,
    pictures: FindingPictureStore,
}

impl ContentModerationService {
    /// Wires the parts. `videos` fetches contents, `blobs` has those that were uploaded, `webhooks` writes the bodies of messages.
    #[expect(clippy::too_many_arguments, reason = "each is another service, named where it is passed")]
    pub fn new(
        db: Db,
        environment: Arc<dyn Environment>,
        vault: Vault,
        outbox: Outbox,
        faces: FaceIndexService,
        videos: ContentLoader,
        blobs: BlobStore,
        analyser: ImageAnalyser,
        settings: ContentModerationSettings,
        limits: LimitSettings,
        webhooks: Arc<dyn ModerationWebhookFormat>,
    ) -> Self {
        let texts = SealedTexts::new(vault.clone(), environment.clone());
        let keys = ErasureKeys { vault: vault.clone(), environment: environment.clone() };
        let sealed_columns = SealedColumns { keys: keys.clone(), environment: environment.clone() };
        let pictures = FindingPictureStore {
            db: db.clone(),
            environment: environment.clone(),
            blobs: blobs.clone(),
            sealed_columns: sealed_columns.clone(),
            retention: settings.picture_retention,
            rowless_search: Arc::default(),
        };
        let uploads = ContentUploads {
            db: db.clone(),
            environment: environment.clone(),
            blobs,
            keys,
            videos: videos.clone(),
            limits,
            abandoned_files_sought_at: Arc::default(),
        };
        let starter = ModerationStarter {
            db: db.clone(),
            environment: environment.clone(),
            sealed_columns: sealed_columns.clone(),
            faces: faces.clone(),
            uploads: uploads.clone(),
            videos: videos.clone(),
            limits,
        };
        let queries = ModerationQueries { sealed_columns: sealed_columns.clone(), faces: faces.clone() };
        let reviews = ReviewRecorder {
            environment: environment.clone(),
            sealed_columns: sealed_columns.clone(),
            texts: texts.clone(),
            faces: faces.clone(),
            statements: StatementWriter { vault, environment: environment.clone() },
        };
        let reports = ReportRecorder { environment: environment.clone(), texts };
        let notifier = Notifier {
            environment: environment.clone(),
            outbox: outbox.clone(),
            webhooks,
            public_url: settings.public_url.clone(),
        };
        let ender = ModerationEnder {
            environment: environment.clone(),
            sealed_columns: sealed_columns.clone(),
            notifier: Arc::new(notifier),
        };
        let findings = KeptFindings { db: db.clone(), sealed_columns: sealed_columns.clone() };
        let searcher = FindingSearcher {
            faces: faces.clone(),
            findings: findings.clone(),
            slots: FairSlots::new(FindingSearcher::max_concurrent_searches()),
            retention: settings.embedding_retention,
        };
        let ban_sweeper = BanSweeper { db: db.clone(), faces: faces.clone(), findings, ender: ender.clone() };
        let runner = Arc::new(ModerationRunner {
            db: db.clone(),
            environment: environment.clone(),
            sealed_columns,
            faces: faces.clone(),
            uploads: uploads.clone(),
            videos,
            analyser,
            ender: ender.clone(),
            pictures: pictures.clone(),
            settings,
        });
        let parts = ContentModerationParts {
            db,
            environment,
            outbox,
            faces,
            uploads,
            starter,
            queries,
            reviews,
            reports,
            ender,
            runner,
            searcher,
            ban_sweeper,
            pictures,
        };
        Self(Arc::new(parts))
    }

    /// The outbox through which notifications are sent.
    pub fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    /// The face index that appearances are compared with.
    pub fn faces(&self) -> &FaceIndexService {
        &self.0.faces
    }

    /// Files of contents that callers upload.
    pub fn uploads(&self) -> &ContentUploads {
        &self.0.uploads
    }

    /// Deletes the files of contents that were deleted, once that is committed. What fails is left to the sweep.
    pub async fn delete_files(&self, account: AccountId) {
        self.0.uploads.delete_due(account).await;
    }

    /// Registers the jobs of moderations with a worker.
    #[must_use]
    pub fn register_jobs(&self, worker: Worker) -> Worker {
        let (running, watching, sweeping, banning) = (self.clone(), self.clone(), self.clone(), self.clone());
        let (uploads, pictures) = (self.clone(), self.clone());
        worker
            .register(move |job: RunModeration, lease| {
                let moderations = running.clone();
                async move { moderations.run(job.moderation, lease).await }
            })
            .register(move |job: WatchLiveVideo, lease| {
                let moderations = watching.clone();
                async move { moderations.run(job.moderation, lease).await }
            })
            .register(move |job: SweepModerations, _| {
                let moderations = sweeping.clone();
                async move { moderations.sweep(job).await }
            })
            .register(move |job: SweepFindingsOfBan, lease| {
                let moderations = banning.clone();
                async move { moderations.0.ban_sweeper.run(job, lease).await }
            })
            .register(move |job: SweepFindingPictures, _| {
                let moderations = pictures.clone();
                async move { moderations.sweep_pictures(job).await }
            })
            .register(move |job: SweepContentUploads, _| {
                let moderations = uploads.clone();
                async move { moderations.sweep_uploads(job).await }
            })
    }

    /// Where somebody was seen: findings of an account, as far back as their embeddings are kept.
    pub async fn search_findings(
        &self,
        app: AppId,
        account: AccountId,
        search: FindingSearch,
    ) -> Result<FindingMatches, FindingSearchError> {
        self.0.searcher.search(app, account, search).await
    }

    /// How long the embedding of a face is kept after its moderation has ended.
    pub fn embedding_retention(&self) -> SignedDuration {
        self.0.searcher.retention
    }

    /// Ends moderations that nothing runs any more, and tells of live videos that wait for a slot.
    pub async fn sweep(&self, job: SweepModerations) -> Result<JobOutcome, JobError> {
        job.run(&self.0.db, &self.0.ender).await
    }

    /// Deletes uploaded files that no content has, and that nobody may want any more.
    pub async fn sweep_uploads(&self, _: SweepContentUploads) -> Result<JobOutcome, JobError> {
        self.0.uploads.sweep().await
    }

    /// Checks every rule about a moderation that does not depend on what the account has; the error lists all that are
    /// broken.
    pub fn validate(&self, input: ModerationInput) -> Result<ModerationRequest, Vec<Violation>> {
        input.validate(&self.0.outbox, self.similarities())
    }

    /// Refuses a similarity that the operator does not allow.
    pub fn check_similarity(&self, value: f64) -> Result<(), Violation> {
        input::check_similarity(value, &self.similarities())
    }

    fn similarities(&self) -> RangeInclusive<f64> {
        let settings = &self.0.runner.settings;
        settings.least_similarity..=settings.greatest_similarity
    }

    /// Checks that the account has everything that a moderation names, and that the content can be fetched, which takes at
    /// most 30 seconds. Nothing is written yet.
    pub async fn prepare(
        &self,
        account: AccountId,
        new: ModerationRequest,
    ) -> Result<PreparedModeration, ModerationStartError> {
        self.0.starter.prepare(account, new).await
    }

    /// Writes a moderation and its job.
    pub async fn start(
        &self,
        tx: &mut WriteTx,
        prepared: PreparedModeration,
    ) -> Result<ModerationId, ModerationStartError> {
        self.0.starter.start(tx, prepared).await
    }

    /// Stops a moderation; returns whether the account has such a moderation. One that has ended stays as it is.
    pub async fn stop(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ModerationId,
    ) -> Result<bool, DbError> {
        self.0.ender.stop(tx, account, id).await
    }

    /// Deletes a moderation and everything that it found, even while it runs; returns whether the account has such a
    /// moderation.
    pub async fn delete(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ModerationId,
    ) -> Result<bool, DbError> {
        let deleted =
            deletion::delete_moderation(tx, &self.0.faces, account, id, self.0.environment.now()).await?;
        if deleted {
            tx.audit(AuditEvent::new("moderation.delete").account(account).target(id));
        }
        Ok(deleted)
    }

    /// Archives a content: its moderations that wait or run are stopped, and none is begun until it is restored.
    pub async fn archive_content(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        content: ContentId,
    ) -> Result<(), ContentError> {
        contents::set_archived(tx, account, content, true).await?;
        self.0.ender.stop_all_of_content(tx, account, content).await?;
        Ok(())
    }

    /// Deletes a content with its moderations and reports; returns whether the account has such a content.
    pub async fn delete_content(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ContentId,
    ) -> Result<bool, DbError> {
        let deleted =
            deletion::delete_content(tx, &self.0.faces, account, id, self.0.environment.now()).await?;
        if deleted {
            tx.audit(AuditEvent::new("content.delete").account(account).target(id));
        }
        Ok(deleted)
    }

    /// Runs a moderation, from the beginning or from its checkpoint.
    pub async fn run(&self, id: ModerationId, lease: Lease) -> Result<JobOutcome, JobError> {
        self.0.runner.run(id, lease).await
    }

    /// A page of an account's moderations, newest first, of one type of content or of all.
    pub async fn list(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        filter: ModerationFilter,
        (offset, limit): (i64, i64),
    ) -> Result<Vec<ModerationSummary>, DbError> {
        self.0.queries.list(view, account, filter, (offset, limit)).await
    }

    /// A page of a content's moderations, newest first.
    pub async fn list_by_content(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        content: ContentId,
        (offset, limit): (i64, i64),
    ) -> Result<Vec<ModerationSummary>, DbError> {
        self.0.queries.list_by_content(view, account, content, (offset, limit)).await
    }

    /// A moderation of an account.
    pub async fn find(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: ModerationId,
    ) -> Result<Option<ModerationSummary>, DbError> {
        self.0.queries.find(view, account, id).await
    }

    /// A moderation and the people it names.
    pub async fn overview(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: ModerationId,
    ) -> Result<Option<ModerationOverview>, DbError> {
        self.0.queries.overview(view, account, id).await
    }

    /// What a moderation has found so far: of all appearances a summary, and
    /// [`REPORT_FINDINGS_PER_PAGE`](super::REPORT_FINDINGS_PER_PAGE) of them from `offset`.
    pub async fn report(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: ModerationId,
        offset: i64,
    ) -> Result<Option<ModerationReport>, DbError> {
        self.0.queries.report(view, account, id, offset).await
    }

    /// A page of an account's notifications, newest first.
    pub async fn notifications(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        filter: NotificationFilter,
        range: (i64, i64),
    ) -> Result<NotificationPage, DbError> {
        notification_lists::load_page(view, account.into(), filter, range).await
    }

    /// A page of a moderation's notifications, newest first. The caller has checked that the moderation is the account's.
    pub async fn moderation_notifications(
        &self,
        view: &mut ReadTx,
        moderation: ModerationId,
        filter: NotificationFilter,
        range: (i64, i64),
    ) -> Result<NotificationPage, DbError> {
        notification_lists::load_page(view, moderation.into(), filter, range).await
    }

    /// A page of a member's inbox, newest first. The caller has checked that the member is the account's.
    pub async fn inbox_notifications(
        &self,
        view: &mut ReadTx,
        member: MemberId,
        filter: NotificationFilter,
        range: (i64, i64),
    ) -> Result<NotificationPage, DbError> {
        notification_lists::load_page(view, member.into(), filter, range).await
    }

    /// Records a review of a notification by a member or API key; a later one of the same user replaces the earlier one.
    /// `decided` is what the platform says of its decision, for an acceptance.
    pub async fn review(
        &self,
        tx: &mut WriteTx,
        (account, user): (AccountId, Uuid),
        id: NotificationId,
        decision: ReviewDecision,
        comment: &str,
        decided: &StatementDecision,
    ) -> Result<ModerationNotification, ReviewError> {
        self.0.reviews.record(tx, (account, user), id, decision, comment, decided).await
    }

    /// The pictures of a notification's face, and until when they are kept.
    pub async fn finding_pictures(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: NotificationId,
    ) -> Result<Option<(Vec<FindingPicture>, Timestamp)>, DbError> {
        self.0.pictures.list(view, account, id).await
    }

    /// A picture of a notification's face, as JPEG; `None` if it is not there (any more).
    pub async fn finding_picture(
        &self,
        account: AccountId,
        id: NotificationId,
        name: &str,
    ) -> Result<Option<Vec<u8>>, FindingPictureError> {
        self.0.pictures.read(account, id, name).await
    }

    /// Deletes pictures that are not wanted any more.
    pub async fn sweep_pictures(&self, _: SweepFindingPictures) -> Result<JobOutcome, JobError> {
        self.0.pictures.sweep().await
    }

    /// What a reviewer judges a notification about a face by.
    pub async fn finding_details(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: NotificationId,
    ) -> Result<Option<FindingDetails>, DbError> {
        finding_details::load(view, &self.0.faces, account, id).await
    }

    /// The statement of reasons for a notification about a face whose last review accepted it; `None` for any other.
    pub async fn statement_of_reasons(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: NotificationId,
    ) -> Result<Option<StatementOfReasons>, DbError> {
        self.0.reviews.statements.write(view, account, id).await
    }

    /// A page of a notification's reviews, newest first, and how many reviews it has.
    pub async fn reviews(
        &self,
        view: &mut ReadTx,
        (account, notification): (AccountId, NotificationId),
        offset: i64,
        limit: i64,
    ) -> Result<(Vec<NotificationReview>, i64), DbError> {
        self.0.reviews.list(view, (account, notification), offset, limit).await
    }

    /// Reports a content.
    pub async fn report_content(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        content: ContentId,
        reason: &str,
    ) -> Result<ContentReportId, ContentError> {
        self.0.reports.create(tx, account, content, reason).await
    }

    /// Records what was decided about a report; a later decision replaces an earlier one.
    pub async fn resolve_report(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        report: (ContentId, ContentReportId),
        resolution: &str,
    ) -> Result<(), ContentError> {
        self.0.reports.resolve(tx, account, report, resolution).await
    }

    /// A page of a content's reports, newest first, and how many reports the content has.
    pub async fn reports(
        &self,
        view: &mut ReadTx,
        (account, content): (AccountId, ContentId),
        offset: i64,
        limit: i64,
    ) -> Result<(Vec<ContentReport>, i64), DbError> {
        self.0.reports.list(view, (account, content), offset, limit).await
    }
}
