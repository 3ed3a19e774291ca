// The kinds of steps that the page can show.

const ALL = [
  "camera",
  "frames",
  "form",
  "code",
  "choose",
  "redirect",
  "document",
  "wallet",
  "passkey",
  "token",
  "wait",
] as const;

export type StepKind = (typeof ALL)[number];

/** The kind of this name, where the page can show it. */
export function kindOf(name: string): StepKind | undefined {
  return ALL.find((kind) => kind === name);
}
