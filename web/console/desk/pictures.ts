// Pictures of cases, fetched ahead and kept as addresses of this page until their case has left the desk.

import { useEffect, useState } from "react";
import { fetchPicture } from "../api/client";

type Fetch = (path: string, signal: AbortSignal) => Promise<Blob>;

interface Kept {
  url: Promise<string>;
  cancel: AbortController;
}

export class PictureStore {
  readonly #cases = new Map<string, Map<string, Kept>>();

  constructor(private readonly fetchBytes: Fetch = fetchPicture) {}

  /** The address of a picture in this page; it is fetched once. */
  load(caseId: string, name: string): Promise<string> {
    const pictures = this.#cases.get(caseId) ?? new Map<string, Kept>();
    this.#cases.set(caseId, pictures);
    const known = pictures.get(name);
    if (known) {
      return known.url;
    }
    const cancel = new AbortController();
    const path = `/console/cases/${encodeURIComponent(caseId)}/pictures/${encodeURIComponent(name)}`;
    const url = this.fetchBytes(path, cancel.signal).then((bytes) => {
      if (cancel.signal.aborted) {
        throw new DOMException("the case has left the desk", "AbortError");
      }
      return URL.createObjectURL(bytes);
    });
    // Whoever shows the picture hears of a failure, and may try again.
    url.catch(() => pictures.delete(name));
    pictures.set(name, { url, cancel });
    return url;
  }

  /** Forgets the pictures of a case. */
  forget(caseId: string): void {
    for (const { url, cancel } of this.#cases.get(caseId)?.values() ?? []) {
      cancel.abort();
      void url.then((made) => URL.revokeObjectURL(made)).catch(() => undefined);
    }
    this.#cases.delete(caseId);
  }

  /** Forgets the pictures of all cases but these. */
  keepOnly(caseIds: readonly string[]): void {
    for (const id of [...this.#cases.keys()].filter((id) => !caseIds.includes(id))) {
      this.forget(id);
    }
  }
}

export type PictureState = { url: string } | { error: unknown; retry(): void } | undefined;

/** The address of a picture, once it is there. */
export function usePicture(store: PictureStore, caseId: string, name: string | undefined): PictureState {
  const [state, setState] = useState<PictureState>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt asks again.
  useEffect(() => {
    setState(undefined);
    if (name === undefined) {
      return;
    }
    let isWanted = true;
    store.load(caseId, name).then(
      (url) => isWanted && setState({ url }),
      (error: unknown) => isWanted && setState({ error, retry: () => setAttempt((before) => before + 1) }),
    );
    return () => {
      isWanted = false;
    };
  }, [store, caseId, name, attempt]);
  return state;
}
