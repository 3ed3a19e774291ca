// A table of what the server listed: moved through with the arrow keys or J and K, opened with Enter, sorted by its headings
// where it can be. On a narrow screen each row becomes a card.

import {
  createSortedRowModel,
  rowSortingFeature,
  type SortingState,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Cell, Column, Row, Table, TableBody, TableHeader } from "react-aria-components/Table";
import { useShortcuts } from "../keys/shortcuts";
import { fill, useTexts } from "../texts";
import { BusyButton } from "./busy-button";
import { Icon } from "./icon";

export interface DataColumn<T> {
  id: string;
  heading: string;
  cell(row: T): ReactNode;
  /** What rows are sorted by; without it the column is not sorted. */
  sortBy?(row: T): string | number;
}

interface DataTableProps<T> {
  label: string;
  /** The first names the row. */
  columns: readonly DataColumn<T>[];
  rows: readonly T[];
  /** Which of the rows are drawn, once they are sorted; without it, all. */
  range?: readonly [from: number, to: number];
  idOf(row: T): string;
  /** Opens a row. */
  onOpen?(row: T): void;
  /** Where what is chosen is shown beside the table: moving through the rows chooses. */
  selected?: string | undefined;
  onSelect?(row: T): void;
  /** Where the server sorts: by which column, and which way. */
  sorting?: SortingState;
  onSort?(sorting: SortingState): void;
  empty: string;
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric },
});

const UNSORTED: SortingState = [];

export function DataTable<T extends object>(props: DataTableProps<T>) {
  const { label, columns, rows, idOf, onOpen, selected, onSelect, sorting, onSort, empty } = props;
  const { range = [0, rows.length] } = props;
  const texts = useTexts();
  const frame = useRef<HTMLDivElement>(null);
  const [ownSorting, setOwnSorting] = useState(UNSORTED);
  const isServerSorted = sorting !== undefined;
  const data = useMemo(() => [...rows], [rows]);
  const definitions = useMemo(
    () =>
      columns.map(({ id, heading, sortBy }) => ({
        id,
        header: heading,
        accessorFn: (row: T) => sortBy?.(row) ?? "",
        enableSorting: sortBy !== undefined,
        sortFn: "alphanumeric" as const,
      })),
    [columns],
  );
  const table = useTable({
    features,
    columns: definitions,
    data,
    getRowId: idOf,
    state: { sorting: sorting ?? ownSorting },
    manualSorting: isServerSorted,
    onSortingChange: (change) => {
      const next = typeof change === "function" ? change(sorting ?? ownSorting) : change;
      (onSort ?? setOwnSorting)(next);
    },
  });

  const moveBy = (step: 1 | -1) => {
    const all = [...(frame.current?.querySelectorAll<HTMLElement>("[role=rowgroup]:last-child > [role=row]") ?? [])];
    const at = all.findIndex(
      (row) => row.contains(document.activeElement) || row.getAttribute("aria-selected") === "true",
    );
    const next = all[at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + step))];
    next?.focus();
    const row = next && rows.find((one) => idOf(one) === next.dataset.key);
    if (row) {
      onSelect?.(row);
    }
  };
  const hasRows = rows.length > 0;
  useShortcuts(
    hasRows
      ? [
          { keys: "j", label: texts.keys.next, scope: "here", run: () => moveBy(1) },
          { keys: "k", label: texts.keys.previous, scope: "here", run: () => moveBy(-1) },
        ]
      : [],
  );
  const [sorted] = table.state.sorting;
  const visible = table.getRowModel().rows.slice(...range);
  const find = (key: unknown) => rows.find((one) => idOf(one) === key);
  return (
    <>
      {/* It is there all the time, so that it is heard when nothing is found. */}
      <div className="table-status" role="status">
        {!hasRows && <p className="empty">{empty}</p>}
      </div>
      {hasRows && (
        <div className="table-frame" ref={frame}>
          <Table
            className="table"
            aria-label={label}
            selectionMode={onSelect ? "single" : "none"}
            selectionBehavior="replace"
            disallowEmptySelection
            selectedKeys={selected ? [selected] : []}
            onSelectionChange={(keys) => {
              const row = keys === "all" ? undefined : find([...keys][0]);
              if (row) {
                onSelect?.(row);
              }
            }}
            {...(onOpen
              ? {
                  onRowAction: (key) => {
                    const row = find(key);
                    if (row) {
                      onOpen(row);
                    }
                  },
                }
              : {})}
            {...(sorted
              ? { sortDescriptor: { column: sorted.id, direction: sorted.desc ? "descending" : "ascending" } as const }
              : {})}
            onSortChange={({ column, direction }) =>
              table.setSorting([{ id: `${column}`, desc: direction === "descending" }])
            }
          >
            <TableHeader>
              {table.getFlatHeaders().map(({ column }, at) => (
                <Column
                  key={column.id}
                  id={column.id}
                  isRowHeader={at === 0}
                  allowsSorting={column.getCanSort()}
                  className="column"
                >
                  {({ sortDirection }) => (
                    <>
                      {columns[at]?.heading}
                      {column.getCanSort() && (
                        <span className="sort" data-direction={sortDirection ?? "none"}>
                          <Icon name={sortDirection === "descending" ? "down" : "up"} />
                        </span>
                      )}
                    </>
                  )}
                </Column>
              ))}
            </TableHeader>
            <TableBody>
              {visible.map((row) => (
                <Row key={row.id} id={row.id} className="row" data-opens={Boolean(onOpen ?? onSelect)}>
                  {columns.map(({ id, heading, cell }) => (
                    <Cell key={id} className="cell" data-label={heading} textValue={heading}>
                      {cell(row.original)}
                    </Cell>
                  ))}
                </Row>
              ))}
            </TableBody>
          </Table>
        </div>
      )}
    </>
  );
}

interface OlderProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };
}

/** Fetches what is further back, where there is more. It keeps the focus meanwhile. */
export function OlderButton({ query }: OlderProps) {
  const { table } = useTexts();
  return query.hasNextPage ? (
    <BusyButton isBusy={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
      {table.older}
    </BusyButton>
  ) : null;
}

interface PagerProps {
  page: number;
  total: number;
  pageSize: number;
  onTurn(page: number): void;
  /** Whether headings sort what is on the page: where there are other pages, that is said. */
  isSorted?: boolean;
}

/** Leads to the pages before and after, where there are several. */
export function Pager({ page, total, pageSize, onTurn, isSorted = false }: PagerProps) {
  const { table } = useTexts();
  const pages = Math.max(1, Math.ceil(total / pageSize));
  if (pages <= 1) {
    return null;
  }
  return (
    <div className="pager">
      {isSorted && <p className="pager-note soft">{table.sortsPage}</p>}
      <Button className="button" isDisabled={page <= 1} onPress={() => onTurn(page - 1)}>
        <Icon name="back" /> {table.newer}
      </Button>
      <p>{fill(table.page, { page, pages })}</p>
      <Button className="button" isDisabled={page >= pages} onPress={() => onTurn(page + 1)}>
        {table.older} <Icon name="forward" />
      </Button>
    </div>
  );
}
