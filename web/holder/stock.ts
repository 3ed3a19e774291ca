// What the browser keeps: credentials beside their keys, each to be shown once, and the invitation for more.

import type { Bytes } from "../shared/bytes";
import { answer, open, stored } from "../shared/database";
import { KEY } from "./presentation";

/** A credential and the only key that can present it. The key cannot be exported. */
export interface Held {
  credential: Bytes;
  key: CryptoKey;
  /** Seconds of the Unix epoch. */
  expires: number;
  /** Thresholds in years, highest first. */
  ages: number[];
}

/** The invitation, and what is known of the server and its time. */
export interface Notes {
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
export interface Left {
  count: number;
  /** When the last of them expires, in seconds; 0 where there is none. */
  until: number;
}

const NAME = "assay-holder";
const HELD = "held";
const EXPIRES = "expires";
const NOTES = "notes";
const TRIAL = "trial";

export class Stock {
  readonly #database: IDBDatabase;

  private constructor(database: IDBDatabase) {
    this.#database = database;
  }

  /** Opens it; fails where the browser keeps nothing, as in some private windows. */
  static async open(): Promise<Stock> {
    const database = await open(NAME, (fresh) => {
      fresh.createObjectStore(HELD, { autoIncrement: true }).createIndex(EXPIRES, EXPIRES);
      fresh.createObjectStore(NOTES);
    });
    await tryOut(database);
    return new Stock(database);
  }

  async notes(): Promise<Notes> {
    const store = this.#database.transaction(NOTES).objectStore(NOTES);
    return (await answer<Notes | undefined>(store.get(NOTES))) ?? {};
  }

  /**
   * Changes the notes in one step, so that two tabs lose nothing to each other. Without an invitation nothing is kept:
   * the holder may have removed it in another tab just now.
   */
  async note(change: (notes: Notes) => Notes): Promise<Notes> {
    const transaction = this.#database.transaction(NOTES, "readwrite");
    const store = transaction.objectStore(NOTES);
    const notes = change((await answer<Notes | undefined>(store.get(NOTES))) ?? {});
    if (notes.code ?? notes.offered) {
      store.put(notes, NOTES);
    }
    await stored(transaction);
    return notes;
  }

  /**
   * Adds a batch, at a moment that the server has just told: what expired before `now` is deleted. `replacing` drops
   * everything that was there, since it came from another invitation.
   */
  async add(batch: Held[], now: number, replacing: boolean): Promise<void> {
    const transaction = this.#database.transaction(HELD, "readwrite");
    const store = transaction.objectStore(HELD);
    if (replacing) {
      store.clear();
    }
    for (const expired of await answer(store.index(EXPIRES).getAllKeys(IDBKeyRange.upperBound(now)))) {
      store.delete(expired);
    }
    for (const held of batch) {
      store.add(held);
    }
    await stored(transaction);
  }

  /** Takes the credential out that expires first but not before `from`. Nobody else gets it, whatever happens to it. */
  async take(from: number): Promise<Held | undefined> {
    const transaction = this.#database.transaction(HELD, "readwrite");
    const index = transaction.objectStore(HELD).index(EXPIRES);
    const cursor = await answer(index.openCursor(IDBKeyRange.lowerBound(from)));
    const held: Held | undefined = cursor?.value;
    cursor?.delete();
    await stored(transaction);
    return held;
  }

  /** What is left that does not expire before `from`. */
  async left(from: number): Promise<Left> {
    const index = this.#database.transaction(HELD).objectStore(HELD).index(EXPIRES);
    const alive = IDBKeyRange.lowerBound(from);
    const [count, last] = await Promise.all([answer(index.count(alive)), answer(index.openKeyCursor(alive, "prev"))]);
    return { count, until: typeof last?.key === "number" ? last.key : 0 };
  }

  /** Deletes everything. */
  async clear(): Promise<void> {
    const transaction = this.#database.transaction([HELD, NOTES], "readwrite");
    transaction.objectStore(HELD).clear();
    transaction.objectStore(NOTES).clear();
    await stored(transaction);
  }
}

/** Fails where keys cannot be kept, before an invitation is spent on keys that would be lost. */
async function tryOut(database: IDBDatabase): Promise<void> {
  const pair = await crypto.subtle.generateKey(KEY, false, ["sign"]);
  const transaction = database.transaction(NOTES, "readwrite");
  const store = transaction.objectStore(NOTES);
  store.put(pair.privateKey, TRIAL);
  store.delete(TRIAL);
  await stored(transaction);
}
