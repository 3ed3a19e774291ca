//! Reading a document while the end user waits: as a job, so that it survives a crash, and short, so that it is worth
//! waiting for.
//!
//! [`extractor`] reads documents, with readers from [`reader_pool`]; [`job`] runs `read-document`; [`task`] writes its
//! result into the session; [`portrait`] cuts out the face; [`reading_queue`] tells how long a crowd waits.

mod extractor;
mod job;
mod portrait;
mod reader_pool;
mod reading_queue;
mod task;

pub(super) use extractor::DocumentExtractor;
pub(super) use job::ReadDocumentRunner;
pub(super) use reader_pool::ReaderPool;
pub(super) use reading_queue::ReadingQueue;
pub use reading_queue::max_open_media;
