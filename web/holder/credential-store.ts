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
    const store = this.#database.transaction(STATE_STORE).objectStore(STATE_STORE);
    return (await requestResult<InvitationState | undefined>(store.get(STATE_STORE))) ?? {};
  }

  /**
   * Changes the notes in one step, so that two tabs lose nothing to each other. Without an invitation nothing is kept:
   * the holder may have removed it in another tab just now.
   */
  async updateState(change: (notes: InvitationState) => InvitationState): Promise<InvitationState> {
    const transaction = this.#database.transaction(STATE_STORE, "readwrite");
    const store = transaction.objectStore(STATE_STORE);
    const notes = change((await requestResult<InvitationState | undefined>(store.get(STATE_STORE))) ?? {});
    if (notes.code ?? notes.offered) {
      store.put(notes, STATE_STORE);
    }
    await transactionDone(transaction);
    return notes;
  }

  /**
   * Adds a batch, at a moment that the server has just told: what expired before `now` is deleted. `replacing` drops
   * everything that was there, since it came from another invitation.
   */
  async add(batch: StoredCredential[], now: number, replacing: boolean): Promise<void> {
    const transaction = this.#database.transaction(CREDENTIALS_STORE, "readwrite");
    const store = transaction.objectStore(CREDENTIALS_STORE);
    if (replacing) {
      store.clear();
    }
    for (const expired of await requestResult(store.index(EXPIRES_INDEX).getAllKeys(IDBKeyRange.upperBound(now)))) {
      store.delete(expired);
    }
    for (const held of batch) {
      store.add(held);
    }
    await transactionDone(transaction);
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

/** Fails where keys cannot be kept, before an invitation is spent on keys that would be lost. */
async function checkKeyStorage(database: IDBDatabase): Promise<void> {
  const pair = await crypto.subtle.generateKey(KEY_ALGORITHM, false, ["sign"]);
  const transaction = database.transaction(STATE_STORE, "readwrite");
  const store = transaction.objectStore(STATE_STORE);
  store.put(pair.privateKey, TRIAL_KEY);
  store.delete(TRIAL_KEY);
  await transactionDone(transaction);
}
