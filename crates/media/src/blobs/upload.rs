//! Storing blobs while they arrive.

use super::{BlobError, BlobKey, BlobStore, encryption::CHUNK_BYTES};
use object_store::{MultipartUpload, ObjectStoreExt as _, PutPayload};
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Bytes of a part. S3 takes at most 10,000 parts of 5 MiB to 5 GiB each, and some servers require parts of equal size.
/// A blob can therefore have at most 78 GiB.
const UPLOAD_PART_BYTES: usize = 8 << 20;

impl BlobStore {
    /// Stores what a reader supplies, at most `limit` bytes; returns the number of bytes. Buffers one part of 8 MiB. If
    /// it fails or its future is dropped, nothing is stored, and a blob that was there stays.
    pub async fn put_stream(
        &self,
        key: &BlobKey,
        mut from: impl AsyncRead + Unpin + Send,
        limit: u64,
    ) -> Result<u64, BlobError> {
        let mut upload = PendingUpload(None);
        let stored = self.stream(key, &mut from, limit, &mut upload).await;
        upload.abandon().await;
        stored
    }

    async fn stream(
        &self,
        key: &BlobKey,
        from: &mut (impl AsyncRead + Unpin + Send),
        limit: u64,
        upload: &mut PendingUpload,
    ) -> Result<u64, BlobError> {
        let mut sealer = self.sealer(key);
        let mut total = 0;
        let mut chunk = read_chunk(from, &mut total, limit).await?;
        loop {
            // A chunk is known to be the last when nothing follows it.
            let next =
                if chunk.len() == CHUNK_BYTES { read_chunk(from, &mut total, limit).await? } else { vec![] };
            let last = next.is_empty();
            sealer.seal(&chunk, last);
            if last {
                break;
            }
            chunk = next;
            if sealer.sealed.len() >= UPLOAD_PART_BYTES {
                let rest = sealer.sealed.split_off(UPLOAD_PART_BYTES);
                let part = std::mem::replace(&mut sealer.sealed, rest);
                upload.part(self, key, part).await?;
            }
        }
        // What fits into one part is stored in a single request.
        if upload.0.is_none() {
            self.put_sealed(key, sealer.sealed).await?;
            return Ok(total);
        }
        let mut rest = sealer.sealed;
        while !rest.is_empty() {
            let after = rest.split_off(rest.len().min(UPLOAD_PART_BYTES));
            upload.part(self, key, std::mem::replace(&mut rest, after)).await?;
        }
        upload.complete().await?;
        Ok(total)
    }
}

/// Reads a whole chunk; fewer bytes, or none, only at the end.
async fn read_chunk(
    from: &mut (impl AsyncRead + Unpin + Send),
    total: &mut u64,
    limit: u64,
) -> Result<Vec<u8>, BlobError> {
    let mut chunk = Vec::new();
    from.take(CHUNK_BYTES as u64).read_to_end(&mut chunk).await.map_err(BlobError::BrokeOff)?;
    *total += chunk.len() as u64;
    if *total > limit { Err(BlobError::TooLarge { limit }) } else { Ok(chunk) }
}

/// A multipart upload that has been started and not completed.
struct PendingUpload(Option<Box<dyn MultipartUpload>>);

impl PendingUpload {
    async fn part(&mut self, blobs: &BlobStore, key: &BlobKey, part: Vec<u8>) -> Result<(), BlobError> {
        let upload = match &mut self.0 {
            Some(upload) => upload,
            none => {
                let begun = blobs.store().put_multipart(&blobs.path(key)).await;
                none.insert(begun.map_err(BlobError::writing)?)
            }
        };
        upload.put_part(PutPayload::from(part)).await.map_err(BlobError::writing)
    }

    async fn complete(&mut self) -> Result<(), BlobError> {
        if let Some(upload) = &mut self.0 {
            upload.complete().await.map_err(BlobError::writing)?;
        }
        self.0 = None;
        Ok(())
    }

    /// Aborts the upload unless it is complete.
    async fn abandon(&mut self) {
        if let Some(upload) = self.0.take() {
            abort(upload).await;
        }
    }
}

impl Drop for PendingUpload {
    // A cancelled caller drops the future; the parts would stay in the bucket, unlisted.
    fn drop(&mut self) {
        if let (Some(upload), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(abort(upload));
        }
    }
}

async fn abort(mut upload: Box<dyn MultipartUpload>) {
    if let Err(error) = upload.abort().await {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "an upload that failed could not be taken back"
        );
    }
}
