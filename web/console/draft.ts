// What somebody types into a filter before they ask for it.

import { type Dispatch, type SetStateAction, useState } from "react";

/** What was typed. It is what the address says again when that changes; fields stay, and so does the focus. */
export function useDraft<T>(given: T, identity: string): [T, Dispatch<SetStateAction<T>>] {
  const [draft, setDraft] = useState(given);
  const [seen, setSeen] = useState(identity);
  if (seen !== identity) {
    setSeen(identity);
    setDraft(given);
  }
  return [draft, setDraft];
}
