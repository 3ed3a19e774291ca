// What somebody has typed or chosen and not sent. When their session ends by itself it is kept, in the memory of this page alone,
// until they are signed in again: they are where they were then, with what they had typed. Nobody else who signs in finds it.

import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from "react";
import { personOf, type Session } from "./api/session";
import { changesOf } from "./changes";

interface Held {
  readonly value: unknown;
}

export class UnsentInput {
  /** What stands in the fields that are shown, as far as it is not what they were given. */
  readonly #shown = new Map<string, Held>();
  /** What stood in them when a session ended by itself, until they are shown again. */
  readonly #kept = new Map<string, Held>();
  /** Whose it is that is kept. */
  #owner: string | undefined;
  /** What they had open. */
  #hash: string | undefined;

  /** A field has this, until what it answers is called. */
  show(name: string, value: unknown): () => void {
    const held = { value };
    this.#shown.set(name, held);
    return () => {
      if (this.#shown.get(name) === held) {
        this.#shown.delete(name);
      }
    };
  }

  /** Whether anything is kept until somebody is signed in again. */
  get isKeeping(): boolean {
    return this.#kept.size > 0;
  }

  isKept(name: string): boolean {
    return this.#kept.has(name);
  }

  /** What is kept of a field, or else something other. */
  keptOr<T>(name: string, other: T): T {
    const held = this.#kept.get(name);
    // A name belongs to one field, whose values are of one type.
    return held ? (held.value as T) : other;
  }

  /** The field has it again. */
  drop(name: string): void {
    this.#kept.delete(name);
  }

  /** A session ended by itself while this was open. Answers whether anything is kept. */
  keep(session: Session, hash: string): boolean {
    this.dropOthers(session);
    this.#owner = personOf(session);
    this.#hash ??= hash;
    for (const [name, held] of this.#shown) {
      this.#kept.set(name, held);
    }
    return this.isKeeping;
  }

  /** Forgets what is not of who is there now. */
  dropOthers(session: Session): void {
    if (this.#owner !== personOf(session)) {
      this.clear();
    }
  }

  /** Somebody is signed in. Answers what they had open when their session ended by itself, once. */
  comeBack(session: Session): string | undefined {
    this.dropOthers(session);
    const hash = this.#hash;
    this.#hash = undefined;
    return hash;
  }

  clear(): void {
    this.#owner = undefined;
    this.#hash = undefined;
    this.#kept.clear();
  }
}

/** What this page keeps. */
export const unsent = new UnsentInput();

/**
 * The state of something that somebody types or chooses, under a name that nothing else has. It begins with what is kept of it, or
 * else with `begun`, and is kept as long as it is not what the field was given.
 */
export function useUnsent<T>(name: string, given: T, begun: T = given): [T, Dispatch<SetStateAction<T>>] {
  const blank = useRef(given);
  const [value, setValue] = useState(() => unsent.keptOr(name, begun));
  useEffect(() => {
    unsent.drop(name);
    return value === blank.current ? undefined : unsent.show(name, value);
  }, [name, value]);
  return [value, setValue];
}

/** What stands for no change, so that it can be told from others. */
const NO_CHANGES = {};

/**
 * The same for values that another form or person may change meanwhile. What nobody has touched is as it is `given` now; what somebody
 * has changed stays so, until it is given like that.
 */
export function useUnsentChanges<T extends object>(name: string, given: T): [T, (now: T) => void] {
  const [changes, setChanges] = useUnsent<Partial<T>>(name, NO_CHANGES);
  const now = { ...given, ...changes };
  const change = (now: T) => {
    const left = changesOf(now, given);
    setChanges(Object.keys(left).length === 0 ? NO_CHANGES : left);
  };
  if (Object.keys(changesOf(now, given)).length < Object.keys(changes).length) {
    change(now);
  }
  return [now, change];
}
