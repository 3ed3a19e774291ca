//! The worker that runs every kind of job.

use crate::{ServiceSettings, Services};
use base::SignedDuration;
use domain::{
    accounts::{deletion::DeleteAccount, sign_in::SendSignInLinks},
    audit_trail::PurgeAuditTrail,
    cases::SettleCaseOpinion,
    content_moderation::ContentModerationSettings,
    data_keys::rotation::RetireMasterKey,
    erasure_keys::CleanFiles,
    mail::SendMail,
    maintenance::PurgeNonces,
    proof_of_age::{RefreshTrust, ResolveProof, SweepProofs},
    retention::PurgeExpired,
    sealed_texts::SealTexts,
};
use jobs::{Lane, Worker};

/// How many jobs run at once, and how long they are leased.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkerSettings {
    lease: SignedDuration,
    heavy_slots: usize,
    live_slots: usize,
    max_running: Option<u64>,
}

impl WorkerSettings {
    pub(crate) fn new(settings: &ServiceSettings) -> Self {
        let (heavy_slots, live_slots) = moderation_slots(&settings.content_moderation);
        let max_running = Some(settings.limits.running_jobs.into()).filter(|limit| *limit > 0);
        Self { lease: settings.lease, heavy_slots, live_slots, max_running }
    }
}

/// How many stored and how many live contents one process moderates at once. Each has one decoder at a time.
pub fn moderation_slots(settings: &ContentModerationSettings) -> (usize, usize) {
    let heavy = settings.max_concurrent_runs.unwrap_or_else(default_heavy_slots);
    (heavy.max(1), settings.max_concurrent_live_runs.max(1))
}

/// Two for each core.
fn default_heavy_slots() -> usize {
    2 * std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether no job of a lane can do its work without models. Of the documents, those of sandbox sessions can.
fn needs_models(lane: Lane) -> bool {
    match lane {
        Lane::Heavy | Lane::Live => true,
        Lane::Documents | Lane::Quick | Lane::Upkeep => false,
    }
}

impl Services {
    /// A worker that knows every kind of job.
    pub fn build_worker(&self) -> Worker {
        let WorkerSettings { lease, heavy_slots, live_slots, max_running } = self.worker_settings;
        let analyser = self.image_analyser.clone();
        let worker = Worker::new(self.db.clone(), self.environment.clone())
            .ready_when(move |lane| !needs_models(lane) || analyser.has_models())
            .lease_duration(lease)
            .slots(Lane::Heavy, heavy_slots)
            .slots(Lane::Live, live_slots)
            .max_running_per_application(max_running);
        let worker = self.register_cases(self.register_proofs(self.register_maintenance(worker)));
        let worker = self.register_accounts_and_mail(worker);
        let worker = self.content_moderation.register_jobs(self.faces.register_jobs(worker));
        self.age_verification.register_jobs(self.document_verification.register_jobs(worker))
    }

    fn register_maintenance(&self, worker: Worker) -> Worker {
        let (nonce_db, nonce_environment) = (self.db.clone(), self.environment.clone());
        let (key_db, key_environment) = (self.db.clone(), self.environment.clone());
        let (db, environment) = (self.db.clone(), self.environment.clone());
        let (cleaned_db, clock) = (self.db.clone(), self.environment.clone());
        let (text_db, text_vault, text_environment) =
            (self.db.clone(), self.vault.clone(), self.environment.clone());
        let retention = self.retention;
        let (audit_db, audit_environment) = (self.db.clone(), self.environment.clone());
        let (audit_trail, audit_retention) = (self.audit_trail.clone(), self.audit_retention);
        worker
            .register(move |job: PurgeAuditTrail, _| {
                let (db, trail) = (audit_db.clone(), audit_trail.clone());
                let environment = audit_environment.clone();
                async move { job.run(&db, &trail, &*environment, audit_retention).await }
            })
            .register(move |job: PurgeNonces, _| {
                let (db, environment) = (nonce_db.clone(), nonce_environment.clone());
                async move { job.run(&db, &environment).await }
            })
            .register(move |job: RetireMasterKey, _| {
                let (db, environment) = (key_db.clone(), key_environment.clone());
                async move { job.run(&db, &*environment).await }
            })
            .register(move |job: PurgeExpired, _| {
                let (db, environment) = (db.clone(), environment.clone());
                async move { job.run(&db, &*environment, &retention).await }
            })
            .register(move |job: SealTexts, _| {
                let (db, vault, environment) =
                    (text_db.clone(), text_vault.clone(), text_environment.clone());
                async move { job.run(&db, &vault, &environment).await }
            })
            .register(move |job: CleanFiles, _| {
                let (db, environment) = (cleaned_db.clone(), clock.clone());
                async move { job.run(&db, &*environment).await }
            })
    }

    fn register_proofs(&self, worker: Worker) -> Worker {
        let [resolver, refresher, sweeper] = std::array::from_fn(|_| self.proof_of_age.clone());
        worker
            .register(move |job: ResolveProof, lease| {
                let proofs = resolver.clone();
                async move { proofs.resolve(&job, &lease).await }
            })
            .register(move |_: RefreshTrust, _| {
                let proofs = refresher.clone();
                async move { proofs.refresh_trust().await }
            })
            .register(move |job: SweepProofs, _| {
                let proofs = sweeper.clone();
                async move { proofs.sweep(job).await }
            })
    }

    fn register_cases(&self, worker: Worker) -> Worker {
        let cases = self.cases.clone();
        worker.register(move |job: SettleCaseOpinion, lease| {
            let cases = cases.clone();
            async move { cases.settle(&job, &lease).await }
        })
    }

    fn register_accounts_and_mail(&self, worker: Worker) -> Worker {
        let (mailer, sign_in, deletion) =
            (self.mailer.clone(), self.sign_in.clone(), self.account_deletion.clone());
        worker
            .register(move |job: SendMail, lease| {
                let mailer = mailer.clone();
                async move { mailer.send(&job, &lease).await }
            })
            .register(move |job: SendSignInLinks, lease| {
                let sign_in = sign_in.clone();
                async move { sign_in.send_sign_in_links(&job, &lease).await }
            })
            .register(move |job: DeleteAccount, lease| {
                let deletion = deletion.clone();
                async move { deletion.resume(&job, &lease).await }
            })
    }
}
