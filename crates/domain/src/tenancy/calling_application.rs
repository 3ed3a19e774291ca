//! Everything about an application that a signed request is checked against, read in one statement.

use super::{
    ApplicationState, Feature, OrganisationStatus,
    application_status::ApplicationStatus,
    limits::ApplicationLimits,
    public_keys::{self, InvalidPublicKeyError},
    signed_request::UnclockedPeriod,
};
use aws_lc_rs::signature::ParsedPublicKey;
use base::{AppId, OrgId, Timestamp, Uuid};
use db::{Db, DbError, DbTimestamp, FromRow, ReadTx, ids_json, sql};
use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicUsize},
};
use tokio::sync::{mpsc, oneshot};

/// Applications that are read together, at most.
const MAX_APPLICATIONS_PER_READ: usize = 256;
/// Requests that may wait for a read; further ones are refused with [`CallingApplicationError::Unavailable`].
const MAX_PENDING_READS: usize = 4096;
/// Keys that are kept parsed, of all applications.
const MAX_PARSED_KEYS: usize = 10_000;

/// An application that passed all checks that come before its signature.
#[derive(Clone, Debug)]
pub struct CallingApplication {
    pub app: AppId,
    /// Its public keys, at least one, newest first. Whether they are usable matters only when a signature is verified.
    pub keys: Vec<Arc<ApplicationKey>>,
    pub organisation: OrgId,
    pub org_status: OrganisationStatus,
    pub features: Vec<Feature>,
    /// Set if its timestamps need not be wall clock time; see [`super::applications::set_unclocked`].
    pub unclocked: Option<UnclockedPeriod>,
    /// The limits that an operator has set.
    pub limits: ApplicationLimits,
}

/// A public key of an application.
#[derive(Debug)]
pub struct ApplicationKey {
    pub der: Vec<u8>,
    /// The key for requests, or why it cannot be one.
    pub(super) rsa: Result<ParsedPublicKey, InvalidPublicKeyError>,
    /// Bytes of its signatures, if they are known without one.
    pub(super) signature_bytes: Option<usize>,
    /// How many segments its holder leaves out at the beginning of a path that they sign, as of the last signature that
    /// verified. It depends on the base address that their client was configured with, and saves hashes.
    pub(super) omitted_segments: AtomicUsize,
}

impl ApplicationKey {
    pub fn parse(der: Vec<u8>) -> Self {
        let rsa = public_keys::parse_rsa_key(&der);
        let signature_bytes = public_keys::modulus_bytes(&der);
        Self { der, rsa, signature_bytes, omitted_segments: AtomicUsize::new(0) }
    }
}

/// Why an application may not call, in the order of the checks.
#[derive(Debug, thiserror::Error)]
pub enum CallingApplicationError {
    #[error("the application id is missing or not a UUID")]
    NotAnId,
    /// The id is the nil UUID.
    #[error("the application id is empty")]
    EmptyId,
    #[error("there is no such application")]
    NotFound,
    #[error("the application is not enabled")]
    Disabled,
    /// It has no public key, or all were revoked.
    #[error("the application has no public key")]
    NoKey,
    #[error("the application belongs to no organisation")]
    NoOrganisationId,
    #[error("the application has no billing source")]
    NoBillingSource,
    /// Its organisation was deleted.
    #[error("the application's organisation does not exist")]
    NoOrganisation,
    /// Nothing is known about it, because the database does not answer or too many requests wait for it.
    #[error("the applications cannot be read")]
    Unavailable,
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Identifies the applications of requests. What arrives while the database is being read is read together next, so a
/// request costs no statement of its own, and none is answered from before it arrived: a revoked key is refused at once.
/// Keys stay parsed. Cheap to clone.
#[derive(Clone, Debug)]
pub struct CallingApplicationReader(mpsc::Sender<PendingRead>);

#[derive(Debug)]
struct PendingRead {
    app: AppId,
    reply: oneshot::Sender<Result<CallingApplication, CallingApplicationError>>,
}

impl CallingApplicationReader {
    /// Starts the reading task; it ends when the last clone is dropped.
    pub fn start(db: Db) -> Self {
        let (sender, receiver) = mpsc::channel(MAX_PENDING_READS);
        tokio::spawn(run_reader(db, receiver));
        Self(sender)
    }

    /// The application with this id, checked as by [`identify`].
    pub async fn identify(&self, id: Option<&str>) -> Result<CallingApplication, CallingApplicationError> {
        let app = parse_id(id)?;
        let (reply, replied) = oneshot::channel();
        self.0.try_send(PendingRead { app, reply }).map_err(|_| CallingApplicationError::Unavailable)?;
        replied.await.map_err(|_| CallingApplicationError::Unavailable)?
    }
}

async fn run_reader(db: Db, mut reads: mpsc::Receiver<PendingRead>) {
    let mut group = Vec::with_capacity(MAX_APPLICATIONS_PER_READ);
    let mut keys = ParsedKeys::default();
    while reads.recv_many(&mut group, MAX_APPLICATIONS_PER_READ).await > 0 {
        let apps: Vec<AppId> = group.iter().map(|read: &PendingRead| read.app).collect();
        let rows = async { self::rows(&mut db.read_once().await?, &apps).await };
        match rows.await {
            Ok(rows) => {
                for PendingRead { app, reply } in group.drain(..) {
                    let rows = rows.get(&app).map_or(&[][..], Vec::as_slice);
                    let _caller_gone = reply.send(check(app, rows, &mut keys));
                }
            }
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "applications cannot be read");
                for PendingRead { reply, .. } in group.drain(..) {
                    let _caller_gone = reply.send(Err(CallingApplicationError::Unavailable));
                }
            }
        }
    }
}

/// Parsed keys by their DER, so that each is parsed once.
#[derive(Debug, Default)]
struct ParsedKeys(HashMap<Vec<u8>, Arc<ApplicationKey>>);

impl ParsedKeys {
    fn get(&mut self, der: &[u8]) -> Arc<ApplicationKey> {
        if let Some(known) = self.0.get(der) {
            return known.clone();
        }
        if self.0.len() >= MAX_PARSED_KEYS {
            self.0.clear();
        }
        let key = Arc::new(ApplicationKey::parse(der.to_vec()));
        self.0.insert(der.to_vec(), key.clone());
        key
    }
}

#[derive(FromRow)]
struct CallingApplicationRow {
    id: AppId,
    #[sqlx(flatten)]
    status: ApplicationStatus,
    organisation_id: Option<OrgId>,
    billing_source_id: Option<String>,
    unclocked: bool,
    unclocked_since: Option<DbTimestamp>,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
    der: Option<Vec<u8>>,
}

/// The application with this id, its state, keys, billing source and organisation checked in that order.
pub async fn identify(
    view: &mut ReadTx,
    id: Option<&str>,
) -> Result<CallingApplication, CallingApplicationError> {
    let app = parse_id(id)?;
    let rows = rows(view, &[app]).await?;
    check(app, rows.get(&app).map_or(&[][..], Vec::as_slice), &mut ParsedKeys::default())
}

fn parse_id(id: Option<&str>) -> Result<AppId, CallingApplicationError> {
    let id = id
        .filter(|text| text.len() == 36)
        .and_then(|text| Uuid::try_parse(text).ok())
        .ok_or(CallingApplicationError::NotAnId)?;
    if id.is_nil() {
        return Err(CallingApplicationError::EmptyId);
    }
    Ok(AppId::from(id))
}

/// The rows of these applications: one for each key that is not revoked, newest first, or one without a key.
async fn rows(
    view: &mut ReadTx,
    apps: &[AppId],
) -> Result<HashMap<AppId, Vec<CallingApplicationRow>>, DbError> {
    let found: Vec<CallingApplicationRow> = view
        .fetch_all(sql!(
            sqlite: "SELECT a.id, a.state, a.organisation_id, a.billing_source_id, a.features, a.unclocked,
                            a.unclocked_since, a.created_at, o.status AS org_status, k.der, a.calls_per_minute,
                            a.burst, a.running_jobs, a.waiting_jobs, a.live_streams, a.stored_bytes
                       FROM applications a
                       LEFT JOIN organisations o ON o.id = a.organisation_id
                       LEFT JOIN public_keys k ON k.app_id = a.id AND k.revoked_at IS NULL
                      WHERE a.id IN (SELECT unhex(value) FROM json_each($1))
                      ORDER BY k.created_at DESC",
            postgres: "SELECT a.id, a.state, a.organisation_id, a.billing_source_id, a.features, a.unclocked,
                              a.unclocked_since, a.created_at, o.status AS org_status, k.der, a.calls_per_minute,
                              a.burst, a.running_jobs, a.waiting_jobs, a.live_streams, a.stored_bytes
                         FROM applications a
                         LEFT JOIN organisations o ON o.id = a.organisation_id
                         LEFT JOIN public_keys k ON k.app_id = a.id AND k.revoked_at IS NULL
                        WHERE a.id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($1))
                        ORDER BY k.created_at DESC",
            ids_json(apps),
        ))
        .await?;
    let mut rows: HashMap<AppId, Vec<CallingApplicationRow>> = HashMap::new();
    for row in found {
        rows.entry(row.id).or_default().push(row);
    }
    Ok(rows)
}

/// Checks what was read about an application.
fn check(
    app: AppId,
    rows: &[CallingApplicationRow],
    parsed: &mut ParsedKeys,
) -> Result<CallingApplication, CallingApplicationError> {
    let row = rows.first().ok_or(CallingApplicationError::NotFound)?;
    if row.status.state != ApplicationState::Enabled {
        return Err(CallingApplicationError::Disabled);
    }
    let keys = rows.iter().filter_map(|row| row.der.as_deref());
    if keys.clone().all(<[u8]>::is_empty) {
        return Err(CallingApplicationError::NoKey);
    }
    let organisation = row.organisation_id.ok_or(CallingApplicationError::NoOrganisationId)?;
    if row.billing_source_id.as_ref().is_none_or(String::is_empty) {
        return Err(CallingApplicationError::NoBillingSource);
    }
    let org_status = row.status.org_status().ok_or(CallingApplicationError::NoOrganisation)?;
    Ok(CallingApplication {
        app,
        keys: keys.map(|der| parsed.get(der)).collect(),
        organisation,
        org_status,
        features: row.status.features.clone(),
        unclocked: row.unclocked.then_some(UnclockedPeriod {
            app_created_at: row.created_at,
            since: row.unclocked_since.map(Timestamp::from),
        }),
        limits: row.status.limits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenancy::{
        applications::{self, NewApplication},
        organisations,
    };
    use base::{Id as _, PublicKeyId, TestEnvironment};
    use db::testing::TestDb;

    /// An application that may call, and its key in DER.
    async fn create(db: &Db, env: &TestEnvironment, name: &str) -> (AppId, PublicKeyId, Vec<u8>) {
        let mut tx = db.write().await.unwrap();
        let organisation = Some(organisations::create(&mut tx, env, name).await.unwrap());
        let new = NewApplication { name, organisation, billing_source: Some("test"), features: &[] };
        let app = applications::create(&mut tx, env, &new).await.unwrap();
        let (_private, der) = public_keys::generate_rsa_key_pair(public_keys::PrivateKeyFormat::Pkcs8);
        let key = public_keys::add(&mut tx, env, app, der.clone()).await.unwrap();
        tx.commit().await.unwrap();
        (app, key, der)
    }

    #[tokio::test]
    async fn what_is_read_together_is_answered_each_by_its_own() {
        let test = TestDb::open().await;
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let apps = [create(&test.db, &env, "one").await, create(&test.db, &env, "two").await];
        let reader = CallingApplicationReader::start(test.db.clone());
        let asked: Vec<_> = (0..600)
            .map(|at| {
                let (app, _, der) = &apps[at % 2];
                let (reader, app, der, unknown) = (reader.clone(), *app, der.clone(), at % 5 == 0);
                let id = if unknown { AppId::new(&env) } else { app };
                tokio::spawn(async move {
                    let found = reader.identify(Some(&id.to_string())).await;
                    match found {
                        Ok(caller) => !unknown && caller.app == app && caller.keys[0].der == der,
                        Err(error) => unknown && matches!(error, CallingApplicationError::NotFound),
                    }
                })
            })
            .collect();
        for asked in asked {
            assert!(asked.await.unwrap());
        }
    }

    #[tokio::test]
    async fn a_key_stays_parsed_and_is_refused_as_soon_as_it_is_revoked() {
        let test = TestDb::open().await;
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let (app, key, _) = create(&test.db, &env, "one").await;
        let reader = CallingApplicationReader::start(test.db.clone());
        let id = app.to_string();
        let [first, second] = [reader.identify(Some(&id)).await, reader.identify(Some(&id)).await];
        assert!(Arc::ptr_eq(&first.unwrap().keys[0], &second.unwrap().keys[0]));

        let mut tx = test.db.write().await.unwrap();
        public_keys::revoke(&mut tx, &env, app, key).await.unwrap();
        tx.commit().await.unwrap();
        assert!(matches!(reader.identify(Some(&id)).await, Err(CallingApplicationError::NoKey)));
    }
}
