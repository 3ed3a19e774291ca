// Which accounts were deleted, with the receipts that say so.

import { useInfiniteQuery } from "@tanstack/react-query";
import { type Deletion, listDeletions } from "../api/audit";
import { placeHref } from "../router";
import { useOpenRow } from "../rows";
import { useTexts } from "../texts";
import { IdLink } from "./audit-links";
import { type DataColumn, DataTable, OlderButton } from "./data-table";
import { ReceiptButton } from "./receipt-button";
import { Answer, Badge, Card, Fact, Facts, Moment, Screen } from "./screen";
import { ShortId } from "./short-id";

export function DeletionReceipts() {
  const texts = useTexts();
  const { audit: words } = texts;
  const answer = useInfiniteQuery({
    queryKey: ["deletions"],
    queryFn: ({ pageParam }) => listDeletions(pageParam),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const rows = answer.data?.pages.flatMap(({ deletions }) => deletions) ?? [];
  const [open, choose] = useOpenRow(rows, ({ receipt_id }) => receipt_id);
  const columns: DataColumn<Deletion>[] = [
    { id: "account", heading: texts.tenants.account, cell: ({ account_id }) => <ShortId id={account_id} /> },
    { id: "state", heading: texts.tenants.status, cell: (one) => <DeletionBadge deletion={one} /> },
    {
      id: "application",
      heading: texts.tenants.application,
      cell: ({ application_id }) => <IdLink named="application" id={application_id} isShort />,
    },
    { id: "requested", heading: words.requested, cell: ({ requested_at }) => <Moment at={requested_at} /> },
  ];
  return (
    <Screen heading={words.receipts} back={{ href: placeHref("audit"), label: texts.nav.audit }} wide>
      <Answer query={answer}>
        {() => (
          <div className="split" data-beside={open !== undefined}>
            <div className="part">
              <DataTable
                label={words.receipts}
                columns={columns}
                rows={rows}
                idOf={({ receipt_id }) => receipt_id}
                empty={words.noReceipts}
                selected={open?.receipt_id}
                onSelect={choose}
              />
              <OlderButton query={answer} />
            </div>
            {open && (
              <div className="split-detail">
                <DeletionCard deletion={open} />
              </div>
            )}
          </div>
        )}
      </Answer>
    </Screen>
  );
}

function DeletionBadge({ deletion }: { deletion: Deletion }) {
  const { audit: words } = useTexts();
  return deletion.completed_at ? (
    <Badge tone="good">{words.deletionDone}</Badge>
  ) : (
    <Badge tone="warn">{words.deletionRuns}</Badge>
  );
}

function DeletionCard({ deletion }: { deletion: Deletion }) {
  const texts = useTexts();
  const { audit: words } = texts;
  const { account_id, application_id, receipt_id, requested_at, completed_at } = deletion;
  return (
    <Card heading={words.deletion} id="deletion">
      <Facts>
        <Fact term={texts.tenants.account}>
          {/* There is nothing to see of one that is gone. */}
          {completed_at ? <code>{account_id}</code> : <IdLink named="account" id={account_id} />}
        </Fact>
        <Fact term={texts.tenants.application}>
          <IdLink named="application" id={application_id} />
        </Fact>
        <Fact term={texts.approvals.by}>
          <Requester by={deletion.requested_by} />
        </Fact>
        <Fact term={words.requested}>
          <Moment at={requested_at} />
        </Fact>
        <Fact term={words.completed}>{completed_at && <Moment at={completed_at} />}</Fact>
        <Fact term={words.receiptId}>{completed_at && <code>{receipt_id}</code>}</Fact>
      </Facts>
      <p>
        <a href={placeHref("audit", { account_id })}>{words.recordsOfAccount}</a>
      </p>
      {completed_at ? <ReceiptButton account={account_id} /> : <p className="note">{words.noReceiptYet}</p>}
    </Card>
  );
}

/** Who asked, as receipts say it: `operator`, `member`, or `api key ID`. */
function Requester({ by }: { by: string }) {
  const { audit: words } = useTexts();
  const [, key] = /^api key (.+)$/.exec(by) ?? [];
  if (key) {
    return (
      <>
        {words.actors["api-key"]} <code>{key}</code>
      </>
    );
  }
  return by === "operator" || by === "member" ? words.actors[by] : by;
}
