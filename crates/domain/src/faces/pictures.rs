//! Pictures of faces, from which another model can embed them later: blobs, each sealed with a key of its own. That key is
//! in the row of the face, sealed with the key of the profile: once the profile is deleted, copies of the blob are noise.
//!
//! Pictures that are older than these keys are sealed with the key of the installation, until [`FacePictures::seal_again`]
//! has reached them.

use super::FaceIndexError;
use crate::{
    accounts,
    erasure_keys::{ErasureKeys, KeyOwner},
    keyring::{KEY_BYTES, take_secret},
    vault::Vault,
};
use base::{AccountId, Environment, FaceId, ProfileId, Secret};
use db::{Db, FromRow, sql};
use media::blobs::{BlobError, BlobKey, BlobKeySegment, BlobStore};
use std::sync::Arc;

const FACE_BLOB_SEGMENT: BlobKeySegment = BlobKeySegment::literal("face");

/// The name of a face's picture in the blob store.
pub(super) fn blob_key(account: AccountId, face: FaceId) -> BlobKey {
    BlobKey::new(account, FACE_BLOB_SEGMENT, face)
}

/// How many pictures [`FacePictures::seal_again`] looks at in one call.
const PICTURES_PER_ROUND: i64 = 200;

/// Stores, reads and seals again; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct FacePictures {
    pub(super) db: Db,
    pub(super) environment: Arc<dyn Environment>,
    pub(super) blobs: BlobStore,
    pub(super) keys: ErasureKeys,
}

/// Whose picture it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct PictureOwner {
    pub(super) account: AccountId,
    pub(super) profile: ProfileId,
    pub(super) face: FaceId,
}

impl PictureOwner {
    fn aad(&self) -> Vec<u8> {
        format!("picture of face {} of {}", self.face, self.profile).into_bytes()
    }
}

/// What the row of a face says of the key of its picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct PictureKey<'a> {
    /// Sealed with the key of the profile. `None`: the installation's key is the picture's.
    pub(super) sealed: Option<&'a [u8]>,
    /// Whether no other key can be the picture's.
    pub(super) is_used: bool,
}

#[derive(FromRow)]
struct OldPictureRow {
    id: FaceId,
    account_id: AccountId,
    profile_id: ProfileId,
    key: Option<Vec<u8>>,
    picture_key: Option<Vec<u8>>,
}

impl FacePictures {
    /// Stores the picture of a face, and returns its key, which nothing else has.
    pub(super) async fn put(
        &self,
        account: AccountId,
        face: FaceId,
        bytes: &[u8],
    ) -> Result<Secret<[u8; KEY_BYTES]>, BlobError> {
        let key = self.new_key();
        self.blobs.with_data_key(key.clone()).put(&blob_key(account, face), bytes).await?;
        Ok(key)
    }

    /// Seals the key of a picture with the vault of its profile.
    pub(super) fn seal_key(
        &self,
        vault: &Vault,
        owner: &PictureOwner,
        key: &Secret<[u8; KEY_BYTES]>,
    ) -> Vec<u8> {
        vault.seal(&*self.environment, &owner.aad(), key.expose())
    }

    /// Reads a picture.
    pub(super) async fn get(
        &self,
        vault: &Vault,
        owner: &PictureOwner,
        key: PictureKey<'_>,
    ) -> Result<Vec<u8>, FaceIndexError> {
        let name = blob_key(owner.account, owner.face);
        let Some(sealed) = key.sealed else { return Ok(self.blobs.get(&name).await?) };
        let opened = open_key(vault, owner, sealed)?;
        match self.blobs.with_data_key(opened).get(&name).await {
            Err(BlobError::Damaged) if !key.is_used => Ok(self.blobs.get(&name).await?),
            read => Ok(read?),
        }
    }

    /// Seals up to 200 pictures with keys of their own that have none. Returns how many it sealed: 0 once all have one.
    ///
    /// The key is in the row before the picture is sealed with it, and the row says so afterwards: whenever this is
    /// interrupted, one of two keys opens the picture, and the next call goes on.
    pub(super) async fn seal_again(&self) -> Result<usize, FaceIndexError> {
        let rows: Vec<OldPictureRow> = self
            .db
            .read_once()
            .await?
            .fetch_all(sql!(
                "SELECT f.id, f.account_id, f.profile_id, k.sealed AS key, f.picture_key
                   FROM faces f LEFT JOIN erasure_keys k ON k.owner_id = f.profile_id
                  WHERE f.image AND NOT f.picture_key_used ORDER BY f.id LIMIT $1",
                PICTURES_PER_ROUND,
            ))
            .await?;
        let mut done = 0;
        for row in rows {
            let face = row.id;
            match self.seal_one_again(row).await {
                Ok(()) => done += 1,
                // One that does not open is no reason to leave the others.
                Err(FaceIndexError::Sealed(error)) => tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    face.id = %face,
                    "the key of a picture does not open"
                ),
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    async fn seal_one_again(&self, row: OldPictureRow) -> Result<(), FaceIndexError> {
        let OldPictureRow { id: face, account_id: account, profile_id: profile, key, picture_key } = row;
        let owner = PictureOwner { account, profile, face };
        let vault = self.keys.vault_of(KeyOwner::Profile(profile), key.as_deref());
        let picture_key = if let Some(sealed) = picture_key {
            open_key(&vault, &owner, &sealed)?
        } else {
            let key = self.new_key();
            let mut tx = self.db.write().await?;
            if !accounts::lock_shared(&mut tx, account).await? {
                return Ok(());
            }
            let rows = tx
                .execute(sql!(
                    "UPDATE faces SET picture_key = $2 WHERE id = $1 AND picture_key IS NULL",
                    face,
                    self.seal_key(&vault, &owner, &key),
                ))
                .await?;
            tx.commit().await?;
            if rows == 0 {
                // It was deleted meanwhile, or another process is at it.
                return Ok(());
            }
            key
        };
        let (name, own) = (blob_key(account, face), self.blobs.with_data_key(picture_key));
        match own.get(&name).await {
            Ok(_) => {}
            Err(BlobError::Damaged) => match self.blobs.get(&name).await {
                Ok(bytes) => own.put(&name, &bytes).await?,
                Err(BlobError::Damaged | BlobError::Missing) => {
                    tracing::warn!(face.id = %face, "the picture of a face is damaged");
                }
                Err(error) => return Err(error.into()),
            },
            Err(BlobError::Missing) => tracing::warn!(face.id = %face, "the picture of a face is lost"),
            Err(error) => return Err(error.into()),
        }
        let mut tx = self.db.write().await?;
        let rows = tx.execute(sql!("UPDATE faces SET picture_key_used = TRUE WHERE id = $1", face)).await?;
        tx.commit().await?;
        if rows == 0 {
            // The face was deleted meanwhile, maybe before the picture was written.
            self.blobs.delete(&name).await?;
        }
        Ok(())
    }

    fn new_key(&self) -> Secret<[u8; KEY_BYTES]> {
        let mut key = [0; KEY_BYTES];
        self.environment.fill_random(&mut key);
        take_secret(&mut key)
    }
}

fn open_key(
    vault: &Vault,
    owner: &PictureOwner,
    sealed: &[u8],
) -> Result<Secret<[u8; KEY_BYTES]>, FaceIndexError> {
    let bytes = vault.open(&owner.aad(), sealed)?;
    let mut key = <[u8; KEY_BYTES]>::try_from(bytes).map_err(|_| crate::vault::UnsealError)?;
    Ok(take_secret(&mut key))
}
