use super::{
    audit_trail::{AuditTrail, AuditTrailError},
    holders::{HOLDER_TIMEOUT, HeldKey, HolderRecord},
    rotation::{MasterKeyRotation, RetireMasterKey, RetirementProgress, RotationOutcome},
    *,
};
use crate::{
    master_key::{FileProvider, KeyAdoption, NextKeyRequest},
    proof_of_age::{ProofOfAgeSettings, issuer::ProofIssuer},
    vault::Vault,
};
use base::TestEnvironment;
use db::testing::TestDb;
use jobs::JobOutcome;
use std::path::PathBuf;

/// An installation: a database, and a folder with the master key.
struct Place {
    test: TestDb,
    environment: Arc<TestEnvironment>,
    folder: tempfile::TempDir,
    used_folder: Option<String>,
    dev_organisation: Option<OrgId>,
}

impl Place {
    async fn new() -> Self {
        Self {
            test: TestDb::open().await,
            environment: Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z")),
            folder: tempfile::tempdir().unwrap(),
            used_folder: None,
            dev_organisation: None,
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("master.key")
    }

    fn provider(&self) -> FileProvider {
        FileProvider::new(self.path())
    }

    async fn open_from(
        &self,
        provider: &dyn MasterKeyProvider,
        purpose: InstallationUse,
    ) -> Result<Keyring, DataKeyError> {
        let keys = InstallationKeys {
            db: &self.test.db,
            environment: &*self.environment,
            provider,
            used_folder: self.used_folder.clone(),
            dev_organisation: self.dev_organisation,
        };
        keys.open(purpose).await
    }

    async fn open_as(&self, purpose: InstallationUse) -> Result<Keyring, DataKeyError> {
        self.open_from(&self.provider(), purpose).await
    }

    async fn open(&self) -> Result<Keyring, DataKeyError> {
        self.open_as(InstallationUse::Production).await
    }

    async fn stored(&self) -> Vec<DataKey> {
        list(&mut self.test.db.read().await.unwrap()).await.unwrap()
    }

    /// Writes a key file of these digits.
    fn write_key(&self, digits: &str) {
        let _none = std::fs::remove_file(self.path());
        std::io::Write::write_all(
            &mut crate::keyring::create_private_file(&self.path()).unwrap(),
            digits.repeat(32).as_bytes(),
        )
        .unwrap();
    }

    /// Seals something, as a version without data keys did.
    async fn use_without_data_keys(&self, digits: &str) {
        let keyring = Keyring::parse(&digits.repeat(32)).unwrap();
        let settings = ProofOfAgeSettings::default();
        let (db, vault) = (self.test.db.clone(), Vault::new(&keyring));
        ProofIssuer::new(db, self.environment.clone(), vault, settings).ensure_signing_key().await.unwrap();
    }

    async fn add_organisation(&self) -> OrgId {
        let mut tx = self.test.db.write().await.unwrap();
        let id = crate::tenancy::organisations::create(&mut tx, &*self.environment, "One").await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    async fn rotate_from(
        &self,
        present: &dyn MasterKeyProvider,
        next: &dyn MasterKeyProvider,
    ) -> Result<RotationOutcome, DataKeyError> {
        let (db, environment) = (&self.test.db, self.environment.clone());
        MasterKeyRotation { db, environment, present, next, new_key_file: None }.run().await
    }

    async fn rotate(&self) -> Result<RotationOutcome, DataKeyError> {
        self.rotate_from(&self.provider(), &self.provider()).await
    }
}

fn derived(keyring: &Keyring) -> Secret<[u8; KEY_BYTES]> {
    keyring.derive("a")
}

#[tokio::test]
async fn an_unused_installation_gets_a_key_and_keeps_it() {
    let place = Place::new().await;
    let keyring = place.open().await.unwrap();
    assert_eq!(derived(&place.open().await.unwrap()), derived(&keyring));
    let stored = place.stored().await;
    assert_eq!(
        (stored.len(), stored[0].state, stored[0].origin),
        (1, DataKeyState::Current, DataKeyOrigin::Random)
    );
    let key = std::fs::read_to_string(place.path()).unwrap();
    assert!(
        !place.test.dump().await.iter().any(|row| row.to_lowercase().contains(&key)),
        "no key in the database"
    );
}

/// From then on an audit trail that is as the schema makes it was put back into that state.
#[tokio::test]
async fn the_beginning_of_the_audit_trail_is_signed_with_the_first_key() {
    let place = Place::new().await;
    let other = Keyring::parse(&"01".repeat(32)).unwrap();
    let verify = async |keyring: &Keyring| {
        let mut view = place.test.db.read().await.unwrap();
        AuditTrail::new(keyring, place.environment.clone()).verify(&mut view, None).await
    };
    assert!(matches!(verify(&other).await, Err(AuditTrailError::Reset)));
    let keyring = place.open().await.unwrap();
    assert!(matches!(verify(&keyring).await, Ok(0)));
    assert!(matches!(verify(&other).await, Err(AuditTrailError::Signature)));

    let mut tx = place.test.db.write().await.unwrap();
    tx.execute(sql!("UPDATE audit_chain SET signature = ''")).await.unwrap();
    tx.commit().await.unwrap();
    place.open().await.unwrap();
    assert!(matches!(verify(&keyring).await, Err(AuditTrailError::Reset)), "it is not signed again");
}

#[tokio::test]
async fn a_used_installation_never_gets_another_key_by_itself() {
    let place = Place::new().await;
    place.open().await.unwrap();
    let fingerprint = place.stored().await[0].master_key.clone();
    let key = std::fs::read(place.path()).unwrap();

    std::fs::remove_file(place.path()).unwrap();
    for purpose in [InstallationUse::Production, InstallationUse::Tool] {
        let refused = place.open_as(purpose).await.unwrap_err();
        assert!(matches!(&refused, DataKeyError::Missing { .. }), "{refused}");
        let said = refused.to_string();
        assert!(said.contains(fingerprint.as_str()) && said.contains("master.key"), "{said}");
        assert!(!place.path().exists(), "nothing is made");
    }

    place.write_key("07");
    let refused = place.open().await.unwrap_err();
    assert!(matches!(&refused, DataKeyError::Other { .. }), "{refused}");
    assert!(refused.to_string().contains(fingerprint.as_str()), "{refused}");

    std::fs::write(place.path(), key).unwrap();
    place.open().await.unwrap();
}

#[tokio::test]
async fn a_used_folder_gets_no_key_beside_an_empty_database() {
    let mut place = Place::new().await;
    place.used_folder = Some("blobs".to_owned());
    let refused = place.open().await.unwrap_err();
    assert!(matches!(&refused, DataKeyError::UsedFolder { .. }), "{refused}");
    assert!(!place.path().exists());
    place.write_key("07");
    place.open().await.unwrap();
}

#[tokio::test]
async fn processes_that_start_at_the_same_moment_agree_on_one_data_key() {
    for _ in 0..8 {
        let place = Place::new().await;
        let provider = place.provider();
        let opened = futures_util::future::join_all(
            (0..4).map(|_| place.open_from(&provider, InstallationUse::Production)),
        );
        let keys: Vec<_> = opened.await.into_iter().map(|opened| derived(&opened.unwrap())).collect();
        assert!(keys.iter().all(|key| *key == keys[0]));
        assert_eq!(place.stored().await.len(), 1);
    }
}

#[tokio::test]
async fn of_nodes_with_different_keys_one_is_refused() {
    let place = Place::new().await;
    let elsewhere = tempfile::tempdir().unwrap();
    let other = FileProvider::new(elsewhere.path().join("master.key"));
    let here = place.provider();
    let (one, two) = tokio::join!(
        place.open_from(&here, InstallationUse::Production),
        place.open_from(&other, InstallationUse::Production)
    );
    assert!(one.is_ok() != two.is_ok(), "{one:?} {two:?}");
    let refused = one.err().or(two.err()).unwrap();
    assert!(matches!(refused, DataKeyError::Missing { .. }), "and made no key of its own: {refused}");
}

#[tokio::test]
async fn the_data_key_of_an_older_database_is_its_master_key() {
    let place = Place::new().await;
    place.use_without_data_keys("05").await;
    let refused = place.open().await.unwrap_err();
    assert!(
        matches!(refused, DataKeyError::Missing { expected: ExpectedKey::BeforeFingerprints, .. }),
        "{refused}"
    );
    place.write_key("06");
    let refused = place.open().await.unwrap_err();
    assert!(
        matches!(refused, DataKeyError::Other { expected: ExpectedKey::BeforeFingerprints, .. }),
        "{refused}"
    );
    assert!(place.stored().await.is_empty(), "nothing is recorded until the key has opened something");

    place.write_key("05");
    let keyring = place.open().await.unwrap();
    assert_eq!(derived(&keyring), derived(&Keyring::parse(&"05".repeat(32)).unwrap()));
    assert_eq!(place.stored().await[0].origin, DataKeyOrigin::MasterKey);

    // After a rotation everything still opens.
    let outcome = place.rotate().await.unwrap();
    assert!(outcome.data_key_is_old_master_key);
    assert_eq!(derived(&place.open().await.unwrap()), derived(&keyring));
}

#[tokio::test]
async fn the_database_knows_whether_development_made_it() {
    let place = Place::new().await;
    place.open_as(InstallationUse::Development).await.unwrap();
    place.open_as(InstallationUse::Development).await.unwrap();
    place.open_as(InstallationUse::Tool).await.unwrap();
    let refused = place.open().await.unwrap_err();
    assert!(matches!(refused, DataKeyError::MadeByDev), "{refused}");

    let place = Place::new().await;
    place.open().await.unwrap();
    let refused = place.open_as(InstallationUse::Development).await.unwrap_err();
    assert!(matches!(refused, DataKeyError::NotMadeByDev("database")), "{refused}");
    assert!(refused.to_string().contains("leave --dev out"), "{refused}");
}

#[tokio::test]
async fn development_begins_in_an_empty_place_only() {
    let place = Place::new().await;
    place.add_organisation().await;
    let refused = place.open_as(InstallationUse::Development).await.unwrap_err();
    assert!(matches!(refused, DataKeyError::NotMadeByDev("database")), "{refused}");
    assert!(!place.path().exists(), "no key is made for it");

    let place = Place::new().await;
    place.use_without_data_keys("05").await;
    place.write_key("05");
    let refused = place.open_as(InstallationUse::Development).await.unwrap_err();
    assert!(matches!(refused, DataKeyError::NotMadeByDev("database")), "{refused}");

    let mut place = Place::new().await;
    place.used_folder = Some("blobs".to_owned());
    place.write_key("05");
    let refused = place.open_as(InstallationUse::Development).await.unwrap_err();
    assert!(matches!(refused, DataKeyError::NotMadeByDev("data folder")), "{refused}");
}

#[tokio::test]
async fn an_installation_of_development_of_an_earlier_version_stays_one() {
    let mut place = Place::new().await;
    let organisation = place.add_organisation().await;
    place.use_without_data_keys("05").await;
    place.write_key("05");
    (place.dev_organisation, place.used_folder) =
        (Some(organisation), Some("dev-credentials.json".to_owned()));
    let refused = place.open().await.unwrap_err();
    assert!(matches!(refused, DataKeyError::MadeByDev), "{refused}");
    place.open_as(InstallationUse::Development).await.unwrap();

    // A second organisation is nothing that `--dev` makes.
    let mut place = Place::new().await;
    let organisation = place.add_organisation().await;
    place.add_organisation().await;
    place.dev_organisation = Some(organisation);
    let refused = place.open_as(InstallationUse::Development).await.unwrap_err();
    assert!(matches!(refused, DataKeyError::NotMadeByDev("database")), "{refused}");
}

#[tokio::test]
async fn a_rotation_leaves_the_data_key_as_it_is_and_the_former_key_without_use() {
    let place = Place::new().await;
    let keyring = place.open().await.unwrap();
    let former_file = std::fs::read(place.path()).unwrap();
    let outcome = place.rotate().await.unwrap();
    assert_ne!(outcome.former, outcome.current);
    assert!(matches!(&outcome.progress, RetirementProgress::Retired(key) if *key == outcome.former));
    assert_eq!(derived(&place.open().await.unwrap()), derived(&keyring));
    let stored = place.stored().await;
    let states: Vec<_> = stored.iter().map(|row| (row.state, row.wrapped.is_some())).collect();
    assert_eq!(states, [(DataKeyState::Current, true), (DataKeyState::Retired, false)]);

    // The former key is kept for backups, and is refused with words.
    let KeyAdoption::InPlace(Some(kept)) = outcome.adoption else { panic!("{:?}", outcome.adoption) };
    assert_eq!(std::fs::read(&kept).unwrap(), former_file);
    std::fs::rename(&kept, place.path()).unwrap();
    let refused = place.open().await.unwrap_err();
    assert!(matches!(&refused, DataKeyError::Retired { found, .. } if *found == outcome.former), "{refused}");
    assert!(refused.to_string().contains(outcome.current.as_str()), "{refused}");
}

#[tokio::test]
async fn a_master_key_moves_into_a_file_that_is_not_there_yet() {
    let place = Place::new().await;
    let keyring = place.open().await.unwrap();
    let former_file = std::fs::read(place.path()).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let target = FileProvider::new(elsewhere.path().join("assay.key"));
    // Also if the process dies before the key is there.
    let interrupted = place.rotate_from(&place.provider(), &InterruptedProvider(target)).await;
    assert!(interrupted.is_err());

    let target = FileProvider::new(elsewhere.path().join("assay.key"));
    let outcome = place.rotate_from(&place.provider(), &target).await.unwrap();
    assert!(outcome.resumed);
    assert_eq!(outcome.adoption, KeyAdoption::InPlace(None));
    assert!(matches!(&outcome.progress, RetirementProgress::Retired(key) if *key == outcome.former));
    let opened = place.open_from(&target, InstallationUse::Production).await.unwrap();
    assert_eq!(derived(&opened), derived(&keyring));
    let files = std::fs::read_dir(elsewhere.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(files.collect::<Vec<_>>(), ["assay.key"], "nothing else is left");
    assert_eq!(std::fs::read(place.path()).unwrap(), former_file, "the former key stays where it was");
}

#[tokio::test]
async fn a_master_key_does_not_move_to_where_another_key_is() {
    let place = Place::new().await;
    let keyring = place.open().await.unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let target = FileProvider::new(elsewhere.path().join("assay.key"));
    let foreign = target.create(&*place.environment).unwrap();
    let refused = place.rotate_from(&place.provider(), &target).await.unwrap_err();
    let DataKeyError::MasterKey(MasterKeyError::PlaceTaken { found, .. }) = &refused else {
        panic!("{refused}")
    };
    assert_eq!(found, foreign.fingerprint());
    let stored = place.stored().await;
    assert_eq!((stored.len(), stored[0].state), (1, DataKeyState::Current), "nothing was changed");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    assert_eq!(derived(&place.open().await.unwrap()), derived(&keyring));
}

#[tokio::test]
async fn a_former_key_opens_until_every_process_has_the_new_one() {
    let place = Place::new().await;
    let keyring = place.open().await.unwrap();
    // Another node, with a copy of the key.
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("master.key");
    std::fs::copy(place.path(), &copy).unwrap();
    let other = FileProvider::new(copy.clone());
    let mut holder = HolderRecord::new(&*place.environment, "serve on other".to_owned());
    let refresh = async |holder: &mut HolderRecord| {
        holder.refresh(&place.test.db, &*place.environment, &other).await.unwrap()
    };
    assert!(matches!(refresh(&mut holder).await, HeldKey::Current(_)));

    let outcome = place.rotate().await.unwrap();
    let RetirementProgress::Waiting { former, holders } = &outcome.progress else { panic!("{outcome:?}") };
    assert_eq!((former, holders.len(), holders[0].name.as_str()), (&outcome.former, 1, "serve on other"));
    assert_eq!(refresh(&mut holder).await, HeldKey::Retiring(outcome.former.clone()));
    // Both nodes can start meanwhile.
    for provider in [&other, &place.provider()] {
        let opened = place.open_from(provider, InstallationUse::Production).await.unwrap();
        assert_eq!(derived(&opened), derived(&keyring));
    }
    let run = async || RetireMasterKey {}.run(&place.test.db, &*place.environment).await.unwrap();
    assert!(matches!(run().await, JobOutcome::Again(_)));
    let again = place.rotate().await.unwrap();
    assert!(
        again.resumed && again.current == outcome.current,
        "a second call goes on with the first: {again:?}"
    );

    std::fs::copy(place.path(), &copy).unwrap();
    assert_eq!(refresh(&mut holder).await, HeldKey::Current(outcome.current.clone()));
    assert_eq!(run().await, JobOutcome::Done);
    assert_eq!(place.stored().await[1].state, DataKeyState::Retired);
    assert_eq!(run().await, JobOutcome::Done, "and once more does nothing");
}

#[tokio::test]
async fn a_process_that_is_gone_is_not_waited_for() {
    let place = Place::new().await;
    place.open().await.unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::copy(place.path(), elsewhere.path().join("master.key")).unwrap();
    let other = FileProvider::new(elsewhere.path().join("master.key"));
    let mut holder = HolderRecord::new(&*place.environment, "work on other".to_owned());
    holder.refresh(&place.test.db, &*place.environment, &other).await.unwrap();
    assert!(matches!(place.rotate().await.unwrap().progress, RetirementProgress::Waiting { .. }));
    place.environment.advance(HOLDER_TIMEOUT + base::SignedDuration::from_secs(1));
    assert!(matches!(place.rotate().await.unwrap().progress, RetirementProgress::Retired(_)));

    // And one that says good-bye not even that long.
    let mut holder = HolderRecord::new(&*place.environment, "serve".to_owned());
    let held = holder.refresh(&place.test.db, &*place.environment, &other).await.unwrap();
    assert!(matches!(&held, HeldKey::Unusable(why) if why.contains("retired")), "{held:?}");
    holder.remove(&place.test.db).await.unwrap();
    assert!(matches!(place.rotate().await.unwrap().progress, RetirementProgress::Retired(_)));
}

/// Nobody would queue it anew, and the former key would open the data for ever.
#[tokio::test]
async fn the_job_that_retires_a_former_key_is_never_given_up() {
    let place = Place::new().await;
    place.open().await.unwrap();
    let waiting = async || {
        let jobs = sql!(
            "SELECT count(*) FROM jobs
              WHERE kind = 'retire-master-key' AND unique_key = 'recurring' AND state = 'WAITING'"
        );
        place.test.db.read().await.unwrap().count(jobs).await.unwrap()
    };
    let schedule = async || {
        crate::maintenance::schedule_recurring_jobs(&place.test.db, &*place.environment).await.unwrap();
    };
    schedule().await;
    assert_eq!(waiting().await, 0, "there is no former key");

    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::copy(place.path(), elsewhere.path().join("master.key")).unwrap();
    let other = FileProvider::new(elsewhere.path().join("master.key"));
    let mut holder = HolderRecord::new(&*place.environment, "work on other".to_owned());
    holder.refresh(&place.test.db, &*place.environment, &other).await.unwrap();
    assert!(matches!(place.rotate().await.unwrap().progress, RetirementProgress::Waiting { .. }));
    assert_eq!(waiting().await, 1);

    // As an earlier build left it.
    let give_up = async || {
        let mut tx = place.test.db.write().await.unwrap();
        let parked = sql!(
            "UPDATE jobs SET unique_key = 'master key', state = 'PARKED' WHERE kind = 'retire-master-key'"
        );
        assert_eq!(tx.execute(parked).await.unwrap(), 1);
        tx.commit().await.unwrap();
        assert_eq!(waiting().await, 0);
    };
    give_up().await;
    schedule().await;
    schedule().await;
    assert_eq!(waiting().await, 1, "a process that starts queues it");
    let mut tx = place.test.db.write().await.unwrap();
    tx.execute(sql!("DELETE FROM jobs WHERE kind = 'retire-master-key' AND state = 'PARKED'")).await.unwrap();
    tx.commit().await.unwrap();
    give_up().await;
    assert!(matches!(place.rotate().await.unwrap().progress, RetirementProgress::Waiting { .. }));
    assert_eq!(waiting().await, 1, "and so does whoever goes on with the rotation");
}

/// Wherever a rotation is interrupted, the installation opens and the next call ends it.
#[tokio::test]
async fn a_rotation_can_be_interrupted_anywhere() {
    // After the new file was made.
    let place = Place::new().await;
    let keyring = place.open().await.unwrap();
    let known = [place.stored().await[0].master_key.clone()];
    let request = NextKeyRequest { file: None, former: &known[0], known: &known };
    let prepared = place.provider().prepare_next(&*place.environment, &request).unwrap();
    assert_eq!(derived(&place.open().await.unwrap()), derived(&keyring));
    let outcome = place.rotate().await.unwrap();
    assert_eq!((&outcome.current, outcome.resumed), (prepared.fingerprint(), false));

    // After the database was changed, before the file took its place.
    let place = Place::new().await;
    let keyring = place.open().await.unwrap();
    let interrupted = place.rotate_from(&place.provider(), &InterruptedProvider(place.provider())).await;
    assert!(interrupted.is_err());
    assert_eq!(derived(&place.open().await.unwrap()), derived(&keyring), "the former key opens");
    let stored = place.stored().await;
    assert_eq!((stored[0].state, stored[1].state), (DataKeyState::Current, DataKeyState::Retiring));
    let outcome = place.rotate().await.unwrap();
    assert!(outcome.resumed && outcome.current == stored[0].master_key, "{outcome:?}");
    assert!(matches!(outcome.progress, RetirementProgress::Retired(_)), "{outcome:?}");
    assert_eq!(derived(&place.open().await.unwrap()), derived(&keyring));
}

/// A process that dies before the new key is in place.
#[derive(Debug)]
struct InterruptedProvider(FileProvider);

impl MasterKeyProvider for InterruptedProvider {
    fn place(&self) -> String {
        self.0.place()
    }

    fn load(&self) -> Result<Vec<Arc<dyn MasterKey>>, MasterKeyError> {
        self.0.load()
    }

    fn create(&self, environment: &dyn Environment) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
        self.0.create(environment)
    }

    fn prepare_next(
        &self,
        environment: &dyn Environment,
        request: &NextKeyRequest<'_>,
    ) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
        self.0.prepare_next(environment, request)
    }

    fn adopt_next(&self, _: &KeyFingerprint, _: &KeyFingerprint) -> Result<KeyAdoption, MasterKeyError> {
        Err(MasterKeyError::Token { what: "a test", cause: "interrupted".to_owned() })
    }
}

#[test]
fn old_payloads_still_parse() {
    assert_eq!(serde_json::from_str::<RetireMasterKey>("{}").unwrap(), RetireMasterKey {});
}
