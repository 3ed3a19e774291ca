//! The parts of document verification, and how they are wired.

use super::{
    DocumentVerificationSettings, DocumentWireFormat,
    access::DocumentSessionAccess,
    capture::{DocumentCaptureService, FaceCaptureService, LivenessCaptureService, ResumableUploadService},
    checks::{CheckRunner, EvidenceLoader, FaceAnalyser, Registers},
    create::DocumentSessionCreator,
    extraction::{DocumentExtractor, ReadDocumentRunner, ReaderPool, ReadingQueue},
    finish::EndUserActions,
    fraud_list::FraudList,
    identity_sources::IdentitySources,
    media_access::MediaAccess,
    notifications::DocumentNotifier,
    prefetch::PrefetchCache,
    retention::DocumentSessionRetention,
    reviews::CheckReviewService,
    sandbox_agent::SandboxAgent,
    sandbox_responses::SandboxResponseStore,
    store::{DocumentSessionStore, SessionMediaStore},
    traces::TraceStore,
    unit_of_work::DocumentUnitOfWork,
    vision_runner::VisionRunner,
};
use crate::{
    delivery::Outbox, image_analysis::ImageAnalyser, sealed_texts::SealedTexts,
    tenancy::limits::LimitSettings, vault::Vault,
};
use base::Environment;
use db::Db;
use media::blobs::BlobStore;
use std::sync::Arc;

/// One of each part; [`super::DocumentVerificationService`] passes calls on to them.
#[derive(Debug)]
pub(super) struct DocumentVerificationParts {
    pub(super) env: Arc<dyn Environment>,
    pub(super) outbox: Outbox,
    pub(super) settings: DocumentVerificationSettings,
    pub(super) sources: Arc<IdentitySources>,
    pub(super) fraud_list: FraudList,
    pub(super) store: DocumentSessionStore,
    pub(super) media: SessionMediaStore,
    pub(super) creator: DocumentSessionCreator,
    pub(super) access: DocumentSessionAccess,
    pub(super) documents: DocumentCaptureService,
    pub(super) liveness: LivenessCaptureService,
    pub(super) faces: FaceCaptureService,
    pub(super) uploads: ResumableUploadService,
    pub(super) end_user: EndUserActions,
    pub(super) media_access: MediaAccess,
    pub(super) retention: DocumentSessionRetention,
    pub(super) reviews: CheckReviewService,
    pub(super) sandbox_agent: SandboxAgent,
    pub(super) sandbox_responses: SandboxResponseStore,
    pub(super) read_document: ReadDocumentRunner,
    pub(super) run_checks: CheckRunner,
}

impl DocumentVerificationParts {
    #[expect(clippy::too_many_arguments, reason = "each is a part of the server, and there is one call")]
    #[expect(clippy::too_many_lines, reason = "wires all parts, once")]
    pub(super) fn new(
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
        let sources = Arc::new(sources);
        let prefetched = PrefetchCache::default();
        let store =
            DocumentSessionStore::new(db.clone(), env.clone(), vault.clone(), settings.session_retention);
        let media = SessionMediaStore::new(env.clone(), blobs, prefetched.clone());
        let notifier = DocumentNotifier::new(env.clone(), outbox.clone(), format.clone());
        let traces = TraceStore::new(
            db.clone(),
            env.clone(),
            vault.clone(),
            settings.duplicate_retention,
            settings.duplicate_faces,
        );
        let unit_of_work = DocumentUnitOfWork::new(
            db.clone(),
            env.clone(),
            store.clone(),
            media.clone(),
            notifier,
            traces.clone(),
            limits,
        );
        let texts = SealedTexts::new(vault.clone(), env.clone());
        let sandbox_responses = SandboxResponseStore::new(
            db.clone(),
            env.clone(),
            vault.clone(),
            store.clone(),
            unit_of_work.clone(),
            format,
        );

        let vision = VisionRunner::new(analyser);
        let reading_queue = ReadingQueue::new(db.clone());
        let readers = ReaderPool::new(settings.models_dir.clone());
        let extractor =
            DocumentExtractor::new(env.clone(), media.clone(), vision.clone(), readers, prefetched);
        let face_analyser = FaceAnalyser::new(media.clone(), vision.clone());
        let evidence = EvidenceLoader::new(extractor.clone(), face_analyser.clone());

        let fraud_list = FraudList::new(db.clone(), env.clone(), vault, vision.clone());
        let registers = Registers::new(fraud_list.clone(), traces, vision.clone());

        let documents = DocumentCaptureService::new(
            unit_of_work.clone(),
            store.clone(),
            media.clone(),
            extractor.clone(),
            reading_queue.clone(),
            settings.task_wait_timeout,
        );
        let liveness = LivenessCaptureService::new(unit_of_work.clone(), media.clone(), face_analyser);
        let faces = FaceCaptureService::new(env.clone(), unit_of_work.clone(), media.clone(), vision);
        let end_user = EndUserActions::new(unit_of_work.clone(), sandbox_responses.clone());

        Self {
            creator: DocumentSessionCreator::new(
                env.clone(),
                store.clone(),
                settings.public_url.clone(),
                limits,
            ),
            access: DocumentSessionAccess::new(db.clone(), env.clone(), store.clone()),
            uploads: ResumableUploadService::new(env.clone(), unit_of_work.clone(), media.clone()),
            media_access: MediaAccess::new(
                db.clone(),
                env.clone(),
                store.clone(),
                media.clone(),
                settings.withheld_countries.clone(),
            ),
            retention: DocumentSessionRetention::new(
                db.clone(),
                env.clone(),
                unit_of_work.clone(),
                store.clone(),
                media.clone(),
            ),
            reviews: CheckReviewService::new(db, env.clone(), store.clone(), unit_of_work.clone(), texts),
            sandbox_agent: SandboxAgent::new(
                store.clone(),
                end_user.clone(),
                documents.clone(),
                liveness.clone(),
                faces.clone(),
            ),
            read_document: ReadDocumentRunner::new(
                unit_of_work.clone(),
                store.clone(),
                media.clone(),
                extractor,
                sandbox_responses.clone(),
                reading_queue.clone(),
            ),
            run_checks: CheckRunner::new(
                env.clone(),
                unit_of_work,
                store.clone(),
                media.clone(),
                evidence,
                sources.clone(),
                registers,
                sandbox_responses.clone(),
                reading_queue,
            ),
            env,
            outbox,
            settings,
            sources,
            fraud_list,
            store,
            media,
            documents,
            liveness,
            faces,
            end_user,
            sandbox_responses,
        }
    }
}
