// A whole list that the server gave at once: searched by what a row is called, and shown page by page.

import { useState } from "react";
import { useTexts } from "../texts";
import { type DataColumn, DataTable, Pager } from "./data-table";
import { Field } from "./field";

/** Rows on a page: as many as are drawn without a wait. */
const ROWS_PER_PAGE = 50;
/** With so many rows a list can be searched. */
const MIN_SEARCHED_ROWS = 8;

interface ResourceTableProps<T> {
  label: string;
  /** The first names the row. */
  columns: readonly DataColumn<T>[];
  rows: readonly T[];
  idOf(row: T): string;
  /** What a row is found by. */
  textOf(row: T): string;
  onOpen?(row: T): void;
  selected?: string | undefined;
  onSelect?(row: T): void;
  empty: string;
}

export function ResourceTable<T extends object>({ rows, textOf, empty, ...table }: ResourceTableProps<T>) {
  const { table: words } = useTexts();
  const [sought, setSought] = useState("");
  const [page, setPage] = useState(1);
  const wanted = sought.trim().toLowerCase();
  const found = wanted === "" ? rows : rows.filter((row) => textOf(row).toLowerCase().includes(wanted));
  const shown = Math.min(page, Math.max(1, Math.ceil(found.length / ROWS_PER_PAGE)));
  return (
    <>
      {rows.length >= MIN_SEARCHED_ROWS && (
        <div className="filters">
          <Field label={words.search} type="search" value={sought} onChange={setSought} />
        </div>
      )}
      <DataTable
        {...table}
        rows={found}
        range={[ROWS_PER_PAGE * (shown - 1), ROWS_PER_PAGE * shown]}
        empty={wanted === "" ? empty : words.nothingFound}
      />
      <Pager page={shown} total={found.length} pageSize={ROWS_PER_PAGE} onTurn={setPage} />
    </>
  );
}
