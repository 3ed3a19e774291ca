// Which keys do what: each screen declares its shortcuts once, and both the handler and the list of them come from here.

/** A key, or two that follow one another: "a", "?", "g i", "mod+k"; `mod` is Ctrl, on a Mac Command. */
export interface Shortcut {
  keys: string;
  /** What it does, in the reader's words. */
  label: string;
  /** Where it stands in the list. */
  scope: "everywhere" | "here";
  run(): void;
  /** For a key that acts as long as it is held: called when it is let go. */
  release?(): void;
}

/** What a handler needs to know of a pressed key. */
export interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** So long a first key waits for its second one. */
export const SEQUENCE_MS = 1200;

/** The name of a pressed key as shortcuts spell it; nothing for those that no shortcut has. */
export function nameOf({ key, ctrlKey, metaKey, altKey }: Press): string | undefined {
  if (altKey || ["Control", "Meta", "Alt", "Shift", "Dead", "Process"].includes(key)) {
    return undefined;
  }
  const name = key === " " ? "space" : key.toLowerCase();
  return ctrlKey || metaKey ? `mod+${name}` : name;
}

/** All shortcuts that count at the moment; of two with the same keys the one that was declared last. */
export class ShortcutRegistry {
  readonly #declared = new Map<symbol, readonly Shortcut[]>();
  #first: { name: string; at: number } | undefined;
  #suspensions = 0;

  /** Whether no shortcut acts at the moment. */
  get isSuspended(): boolean {
    return this.#suspensions > 0;
  }

  /** Has no shortcut act until what it answers is called: something is being opened that letters are meant for. */
  suspend(): () => void {
    this.#suspensions += 1;
    return () => {
      this.#suspensions -= 1;
    };
  }

  /** Declares shortcuts until what it answers is called. */
  declare(shortcuts: readonly Shortcut[]): () => void {
    const token = Symbol();
    this.#declared.set(token, shortcuts);
    return () => this.#declared.delete(token);
  }

  /** Each once, those of the open screen first. */
  list(): Shortcut[] {
    const byKeys = new Map([...this.#declared.values()].flat().map((one) => [one.keys, one]));
    const all = [...byKeys.values()];
    return [...all.filter(({ scope }) => scope === "here"), ...all.filter(({ scope }) => scope === "everywhere")];
  }

  /** What a pressed key means now, at a moment in milliseconds; a first key of two is remembered. */
  resolve(press: Press, at: number): Shortcut | "pending" | undefined {
    const name = nameOf(press);
    if (!name) {
      return undefined;
    }
    const first = this.#first && at - this.#first.at <= SEQUENCE_MS ? this.#first.name : undefined;
    this.#first = undefined;
    const all = this.list();
    const found =
      (first && all.find(({ keys }) => keys === `${first} ${name}`)) || all.find(({ keys }) => keys === name);
    if (found) {
      return found;
    }
    if (all.some(({ keys }) => keys.startsWith(`${name} `))) {
      this.#first = { name, at };
      return "pending";
    }
    return undefined;
  }
}
