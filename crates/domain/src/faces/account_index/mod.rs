//! The indexes of accounts: one for each account, in a folder of its own on this machine. They are caches of the database;
//! every process keeps its own up to date.
//!
//! `cache` keeps some of them open, `catch_up` brings one up to date, `files` opens their files.

mod cache;
mod catch_up;
mod files;

pub(super) use catch_up::AccountIndex;
pub(super) use files::run_blocking;

use super::{FaceIndexError, FaceIndexStorage, embedding_vault::EmbeddingVault, face_model::FaceModel};
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use base::{AccountId, Secret, Uuid};
use cache::IndexCache;
use db::{Db, sql};
use files::{file_names, open_index_file};
use std::{path::PathBuf, sync::Arc};

/// The indexes of this process.
#[derive(Debug)]
pub(super) struct AccountIndexes {
    db: Db,
    embeddings: EmbeddingVault,
    model: Arc<FaceModel>,
    /// The folder that has a folder for each account.
    folder: PathBuf,
    /// The key that the keys of the indexes are derived from.
    key: Secret<[u8; 32]>,
    cache: IndexCache,
}

struct HkdfLength32;
impl KeyType for HkdfLength32 {
    fn len(&self) -> usize {
        32
    }
}

impl AccountIndexes {
    /// Nothing is opened yet.
    pub(super) fn new(
        db: Db,
        embeddings: EmbeddingVault,
        model: Arc<FaceModel>,
        storage: FaceIndexStorage,
        open_indexes: usize,
    ) -> Self {
        Self {
            db,
            embeddings,
            model,
            folder: storage.folder,
            key: storage.key,
            cache: IndexCache::new(open_indexes.max(1)),
        }
    }

    /// The index of an account, open and up to date.
    pub(super) async fn get(&self, account: AccountId) -> Result<Arc<AccountIndex>, FaceIndexError> {
        let slot = self.cache.slot(account);
        let index = slot.get_or_try_init(|| self.open(account)).await?.clone();
        index.catch_up(&self.db, &self.embeddings).await?;
        Ok(index)
    }

    /// Whether the index of an account is open, or being opened.
    pub(super) fn is_open(&self, account: AccountId) -> bool {
        self.cache.contains(account)
    }

    async fn open(&self, account: AccountId) -> Result<Arc<AccountIndex>, FaceIndexError> {
        let space = self.model.space().await?;
        let space = search::IndexSpace { model: space.sha256, dimension: space.dimension };
        let folder = self.account_folder(account);
        let key = self.index_key(account);
        let faces = run_blocking(move || open_index_file(&folder, &space, &key)).await?;
        Ok(Arc::new(AccountIndex::new(account, space.model, faces)))
    }

    fn account_folder(&self, account: AccountId) -> PathBuf {
        self.folder.join(account.to_string())
    }

    fn index_key(&self, account: AccountId) -> Secret<[u8; 32]> {
        let mut key = [0; 32];
        Salt::new(HKDF_SHA256, b"assay/faces/1")
            .extract(self.key.expose())
            .expand(&[Uuid::from(account).as_bytes()], HkdfLength32)
            .and_then(|okm| okm.fill(&mut key))
            .expect("32 bytes are far below HKDF's limit of 8160");
        Secret::new(key)
    }

    /// Brings every open index up to date and writes it to disk, and deletes the folders of deleted accounts. For processes
    /// that nobody sends searches to. Returns how many folders were deleted.
    pub(super) async fn maintain(&self) -> Result<u64, FaceIndexError> {
        for account in self.cache.accounts() {
            if self.account_exists(account).await? {
                let index = self.get(account).await?;
                run_blocking(move || Ok(index.faces.sync()?)).await?;
            }
        }
        let mut deleted = 0;
        for name in self.folders().await? {
            let Ok(account) = name.parse() else { continue };
            if !self.account_exists(account).await? {
                self.erase(account).await?;
                deleted += 1;
            }
        }
        Ok(deleted)
    }

    async fn account_exists(&self, account: AccountId) -> Result<bool, FaceIndexError> {
        let mut view = self.db.read().await?;
        Ok(view.count(sql!("SELECT count(*) FROM accounts WHERE id = $1", account)).await? == 1)
    }

    /// How many files an account's indexes have on this machine: two each.
    pub(super) async fn count_files(&self, account: AccountId) -> Result<u64, FaceIndexError> {
        let folder = self.account_folder(account);
        run_blocking(move || Ok(file_names(&folder)?.len() as u64)).await
    }

    /// The names of the accounts' folders: their ids.
    pub(super) async fn folders(&self) -> Result<Vec<String>, FaceIndexError> {
        let folder = self.folder.clone();
        run_blocking(move || file_names(&folder)).await
    }

    /// Deletes the indexes of an account on this machine; returns how many files there were.
    pub(super) async fn erase(&self, account: AccountId) -> Result<u64, FaceIndexError> {
        self.cache.remove(account);
        let folder = self.account_folder(account);
        run_blocking(move || {
            let files = file_names(&folder)?.len() as u64;
            match std::fs::remove_dir_all(&folder) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
                _ => Ok(files),
            }
        })
        .await
    }
}
