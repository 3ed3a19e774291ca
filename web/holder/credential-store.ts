// What the browser keeps: credentials beside their keys, each to be shown once, and the invitation for more.

import type { Bytes } from "../shared/bytes";
import { openDatabase, requestResult, transactionDone } from "../shared/indexed-db";
import { KEY_ALGORITHM } from "./presentation";

/** A credential and the only key that can present it. The key cannot be exported. */
export interface StoredCredential {
  credential: Bytes;
  key: CryptoKey;
  /** Seconds of the Unix epoch. */
  expires: number;
  /** Thresholds in years, highest first. */
  ages: number[];
}

/** The invitation, and what is known of the server and its time. */
export interface InvitationState {
  /** The code that credentials are asked for with. */
  code?: string;
  /** A newer code, which replaces the other and its credentials once it has given some. */
  offered?: string;
  /** Whether the server said that `code` gives nothing more. */
  spent?: boolean;
  /** Milliseconds added to the machine's clock, and the latest moment that it told. */
  offset?: number;
  seen?: number;
}

/** The invitation that credentials come from, or will come from. */
export function currentInvitation(notes: InvitationState): string | undefined {
  return notes.offered ?? notes.code;
}

/** What is left to show. */
export interface RemainingCredentials {
  count: number;
  /** When the last of them expires, in seconds; 0 where there is none. */
  until: number;
}

const DATABASE_NAME = "assay-holder";
const CREDENTIALS_STORE = "held";
const EXPIRES_INDEX = "expires";
const STATE_STORE = "notes";
const TRIAL_KEY = "trial";

export class CredentialStore {
  readonly #database: IDBDatabase;

  private constructor(database: IDBDatabase) {
    this.#database = database;
  }

  /** Opens it; fails where the browser keeps nothing, as in some private windows. */
  static async open(): Promise<CredentialStore> {
    const database = await openDatabase(DATABASE_NAME, (fresh) => {
      fresh.createObjectStore(CREDENTIALS_STORE, { autoIncrement: true }).createIndex(EXPIRES_INDEX, EXPIRES_INDEX);
      fresh.createObjectStore(STATE_STORE);
    });
    await checkKeyStorage(database);
    return new CredentialStore(database);
  }

  async state(): Promise<InvitationState> {
    return readState(this.#database.transaction(STATE_STORE).objectStore(STATE_STORE));
  }

  /**
   * Changes the notes in one step, so that two tabs lose nothing to each other. Without an invitation nothing is kept:
   * the holder may have removed it in another tab just now.
   */
  async updateState(change: (notes: InvitationState) => InvitationState): Promise<InvitationState> {
    const transaction = this.#database.transaction(STATE_STORE, "readwrite");
    const store = transaction.objectStore(STATE_STORE);
    const notes = change(await readState(store));
    if (currentInvitation(notes) !== undefined) {
      store.put(notes, STATE_STORE);
    }
    await transactionDone(transaction);
    return notes;
  }

  /**
   * Adds a batch that `invitation` gave, at a moment that the server has just told: what expired before `now` is deleted, and
   * everything that came from another invitation. All in one step with the notes, and only while that invitation is still the
   * one to ask with: the holder may have removed it, or opened another, in the meantime. Answers the notes as they are then, and
   * whether the batch replaced others.
   */
  async addBatch(
    invitation: string,
    batch: StoredCredential[],
    now: number,
    change: InvitationState,
  ): Promise<{ notes: InvitationState; replaced: boolean }> {
    const transaction = this.#database.transaction([CREDENTIALS_STORE, STATE_STORE], "readwrite");
    const [held, state] = [transaction.objectStore(CREDENTIALS_STORE), transaction.objectStore(STATE_STORE)];
    let notes = await readState(state);
    let replaced = false;
    if (currentInvitation(notes) === invitation) {
      replaced = notes.code !== invitation;
      if (replaced) {
        held.clear();
      }
      for (const expired of await requestResult(held.index(EXPIRES_INDEX).getAllKeys(IDBKeyRange.upperBound(now)))) {
        held.delete(expired);
      }
      for (const credential of batch) {
        held.add(credential);
      }
      const { offered: _, ...others } = notes;
      notes = { ...others, code: invitation, ...change };
      state.put(notes, STATE_STORE);
    }
    await transactionDone(transaction);
    return { notes, replaced };
  }

  /** Takes the credential out that expires first but not before `from`. Nobody else gets it, whatever happens to it. */
  async take(from: number): Promise<StoredCredential | undefined> {
    const transaction = this.#database.transaction(CREDENTIALS_STORE, "readwrite");
    const index = transaction.objectStore(CREDENTIALS_STORE).index(EXPIRES_INDEX);
    const cursor = await requestResult(index.openCursor(IDBKeyRange.lowerBound(from)));
    const held: StoredCredential | undefined = cursor?.value;
    cursor?.delete();
    await transactionDone(transaction);
    return held;
  }

  /** What is left that does not expire before `from`. */
  async remaining(from: number): Promise<RemainingCredentials> {
    const index = this.#database.transaction(CREDENTIALS_STORE).objectStore(CREDENTIALS_STORE).index(EXPIRES_INDEX);
    const alive = IDBKeyRange.lowerBound(from);
    const [count, last] = await Promise.all([
      requestResult(index.count(alive)),
      requestResult(index.openKeyCursor(alive, "prev")),
    ]);
    return { count, until: typeof last?.key === "number" ? last.key : 0 };
  }

  /** Deletes everything. */
  async clear(): Promise<void> {
    const transaction = this.#database.transaction([CREDENTIALS_STORE, STATE_STORE], "readwrite");
    transaction.objectStore(CREDENTIALS_STORE).clear();
    transaction.objectStore(STATE_STORE).clear();
    await transactionDone(transaction);
  }
}

async function readState(store: IDBObjectStore): Promise<InvitationState> {
  return (await requestResult<InvitationState | undefined>(store.get(STATE_STORE))) ?? {};
}

/** Fails where keys cannot be kept, before an invitation is spent on keys that would be lost. */
async function checkKeyStorage(database: IDBDatabase): Promise<void> {
  const pair = await crypto.subtle.generateKey(KEY_ALGORITHM, false, ["sign"]);
  const transaction = database.transaction(STATE_STORE, "readwrite");
  const store = transaction.objectStore(STATE_STORE);
  store.put(pair.privateKey, TRIAL_KEY);
  store.delete(TRIAL_KEY);
  await transactionDone(transaction);
}
