// Which row of a list is open beside it, and which are marked.

import { useState } from "react";

interface OpenRow {
  id: string;
  /** Whether the reader chose it: then it is opened again after a list that has nothing. */
  isChosen: boolean;
}

/** The row that is shown beside a list: the chosen one, or else the first. It stays when others come in above it, so that the
 * next key is not about another one than the reader has before them. */
export function useOpenRow<T>(
  rows: readonly T[],
  idOf: (row: T) => string,
): readonly [open: T | undefined, choose: (row: T) => void] {
  const [kept, setKept] = useState<OpenRow>();
  const open = rows.find((row) => idOf(row) === kept?.id) ?? rows[0];
  const id = open === undefined ? undefined : idOf(open);
  if (id !== kept?.id && (id !== undefined || !kept?.isChosen)) {
    setKept(id === undefined ? undefined : { id, isChosen: false });
  }
  return [open, (row) => setKept({ id: idOf(row), isChosen: true })];
}

interface MarkedRows<T> {
  isMarked(row: T): boolean;
  /** Those that are marked and still listed. */
  marked: readonly T[];
  /** What is done is done with these: the marked ones, or else the open one. */
  meant: readonly T[];
  /** Marks the open row, or takes its mark away. */
  toggle(): void;
  clear(): void;
}

export function useMarkedRows<T>(rows: readonly T[], idOf: (row: T) => string, open: T | undefined): MarkedRows<T> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const isMarked = (row: T) => ids.has(idOf(row));
  const marked = rows.filter(isMarked);
  const meant = marked.length > 0 ? marked : rows.filter((row) => row === open);
  const toggle = () => {
    if (open !== undefined) {
      const id = idOf(open);
      const others = [...ids].filter((one) => one !== id);
      setIds(new Set(ids.has(id) ? others : [...others, id]));
    }
  };
  return { isMarked, marked, meant, toggle, clear: () => setIds(new Set()) };
}
