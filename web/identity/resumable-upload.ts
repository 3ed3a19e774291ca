// Files that are uploaded by tus (https://tus.io/protocols/resumable-upload, version 1.0): what a connection brought before
// it broke is not sent again.

import { DetailedError, Upload } from "tus-js-client";
import { InterruptedError, type OnProgress, parseObject, RETRY_DELAYS_MS, RefusedError } from "../shared/network";

/** An upload that does not move for so long is begun again where it stands. */
const STALLED_MS = 25_000;

/** The addresses of uploads that may be gone on with, as long as the page is open. */
const uploadUrls = new WeakMap<Blob, string>();

/** Sends all of a blob that is not there yet; answers the upload's id. */
export async function uploadResumably(
  blob: Blob,
  endpoint: string,
  headers: Record<string, string>,
  progress: OnProgress,
): Promise<string> {
  const known = uploadUrls.get(blob);
  try {
    return await send(blob, known, endpoint, headers, progress);
  } catch (error) {
    if (known === undefined || !(error instanceof RefusedError) || error.status !== 404) {
      throw error;
    }
    // It was too old to be gone on with.
    uploadUrls.delete(blob);
    return send(blob, undefined, endpoint, headers, progress);
  }
}

function send(
  blob: Blob,
  known: string | undefined,
  endpoint: string,
  headers: Record<string, string>,
  progress: OnProgress,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let farthest = 0;
    let stalls = 0;
    let stalling: ReturnType<typeof setTimeout>;
    const watch = () => {
      clearTimeout(stalling);
      stalling = setTimeout(restart, STALLED_MS);
    };
    const restart = () => {
      stalls += 1;
      const aborted = upload.abort();
      if (stalls > RETRY_DELAYS_MS.length) {
        reject(new InterruptedError("network"));
      } else {
        watch();
        aborted.then(() => upload.start(), reject);
      }
    };
    const upload = new Upload(blob, {
      ...(known === undefined ? { endpoint: new URL(endpoint, location.href).href } : { uploadUrl: known }),
      headers,
      retryDelays: [...RETRY_DELAYS_MS],
      storeFingerprintForResuming: false,
      onUploadUrlAvailable: () => {
        if (upload.url) {
          uploadUrls.set(blob, upload.url);
          // Without it tus asks where an upload stands until it is told, and begins no other where a server is busy.
          upload.options.endpoint = null;
        }
      },
      onProgress: (sent, of) => {
        if (sent > farthest) {
          farthest = sent;
          // As long as bytes arrive it is worth while.
          stalls = 0;
          watch();
        }
        progress(sent / of);
      },
      onShouldRetry: (error) => isTransient(statusOf(error)) && navigator.onLine,
      onError: (error) => {
        clearTimeout(stalling);
        reject(failureOf(error));
      },
      onSuccess: () => {
        clearTimeout(stalling);
        progress(1);
        resolve(upload.url?.split("/").at(-1) ?? "");
      },
    });
    watch();
    upload.start();
  });
}

/** Whether an answer may be another one soon: none, a busy server's, or that bytes do not follow what is there. */
function isTransient(status: number): boolean {
  return status < 400 || status >= 500 || status === 409 || status === 423 || status === 429;
}

function statusOf(error: Error | DetailedError): number {
  return (error instanceof DetailedError && error.originalResponse?.getStatus()) || 0;
}

function failureOf(error: Error | DetailedError): Error {
  const status = statusOf(error);
  if (status === 0) {
    return error instanceof DetailedError ? new InterruptedError("network") : error;
  }
  if (isTransient(status)) {
    return new InterruptedError("serviceDown");
  }
  const answer = error instanceof DetailedError ? error.originalResponse?.getBody() : undefined;
  return new RefusedError(status, parseObject<{ code?: string }>(answer ?? "")?.code ?? "");
}
