// The reasons of a queue as somebody types them: one to a line.

import type { ReasonCode } from "../api/cases";

/** Reasons as lines: the code, what reviewers read, and after a bar the comment that it begins with. */
export function writeReasons(reasons: readonly ReasonCode[]): string {
  return reasons.map(({ code, label, comment }) => `${code} ${label}${comment ? ` | ${comment}` : ""}`).join("\n");
}

export function readReasons(lines: string): ReasonCode[] {
  return lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [first = "", ...rest] = line.split("|");
      const [, code = "", label = ""] = /^\s*(\S+)\s*(.*?)\s*$/.exec(first) ?? [];
      const comment = rest.join("|").trim();
      return { code, label: label === "" ? code : label, ...(comment === "" ? {} : { comment }) };
    });
}
