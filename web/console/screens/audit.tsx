// The audit trail: who did what, newest first. Operators see all of it, members what concerns their account.

import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  type AuditEntry,
  type AuditRecord,
  type AuditVerification,
  exportAuditRecords,
  listAuditRecords,
  verifyAuditTrail,
} from "../api/audit";
import { isOperator } from "../api/session";
import { type AuditAsked, AuditFilters, auditAskedIn, auditFilter } from "../components/audit-filter";
import { Actor, detailOf, IdLink, targetOf } from "../components/audit-links";
import { BusyButton } from "../components/busy-button";
import { type DataColumn, DataTable, OlderButton } from "../components/data-table";
import { DeletionReceipts } from "../components/deletion-receipts";
import { saveFile } from "../components/save-file";
import { Answer, Badge, Card, Fact, Facts, Moment, Screen } from "../components/screen";
import { BreakableCode } from "../components/short-id";
import { placeHref } from "../router";
import { useOpenRow } from "../rows";
import { useAction, useConsole } from "../session-context";
import { useFormat, useTexts } from "../texts";
import type { ScreenProps } from ".";

const EXPORT_NAME = "audit-records.ndjson";

export function AuditScreen({ query }: ScreenProps) {
  const { session } = useConsole();
  // A member sees no other account's end, and their own ends with them.
  return isOperator(session) && query.get("show") === "receipts" ? (
    <DeletionReceipts />
  ) : (
    <Trail given={auditAskedIn(query)} />
  );
}

function Trail({ given }: { given: AuditAsked }) {
  const texts = useTexts();
  const { audit: words } = texts;
  const { session } = useConsole();
  const filter = auditFilter(given);
  const answer = useInfiniteQuery({
    queryKey: ["audit-records", filter],
    queryFn: ({ pageParam }) => listAuditRecords(filter, pageParam),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next_before }) => next_before ?? undefined,
  });
  const [verified, setVerified] = useState<AuditVerification>();
  const rows = answer.data?.pages.flatMap(({ records }) => records) ?? [];
  const [open, choose] = useOpenRow(rows, idOf);
  const columns: DataColumn<AuditRecord>[] = [
    {
      id: "action",
      heading: words.action,
      cell: ({ entry }) => (
        <span className="strong">{entry ? <BreakableCode code={entry.action} /> : words.noRecord}</span>
      ),
    },
    { id: "actor", heading: words.actor, cell: ({ entry }) => entry && <Actor actor={entry.actor} isShort /> },
    {
      id: "target",
      heading: words.target,
      cell: ({ entry }) => entry?.target && <IdLink named={targetOf(entry)} id={entry.target} isShort />,
    },
    { id: "at", heading: words.at, cell: ({ entry }) => entry && <Moment at={entry.at} /> },
  ];
  // One call looks through a part of the trail: that a page is empty does not mean that nothing is further back.
  const nothing = answer.hasNextPage ? words.noneSoFar : Object.keys(filter).length > 0 ? words.noneMatch : words.none;
  return (
    <Screen
      heading={texts.nav.audit}
      wide
      actions={
        <>
          <ExportButton given={given} />
          {isOperator(session) && <VerifyButton onVerified={setVerified} />}
          {isOperator(session) && (
            <a className="button" href={placeHref("audit", { show: "receipts" })}>
              {words.receipts}
            </a>
          )}
        </>
      }
    >
      {verified && <Verification verified={verified} />}
      <AuditFilters given={given} />
      <Answer query={answer}>
        {() => (
          <div className="split" data-beside={open !== undefined}>
            <div className="part">
              <DataTable
                label={texts.nav.audit}
                columns={columns}
                rows={rows}
                idOf={idOf}
                empty={nothing}
                selected={open && idOf(open)}
                onSelect={choose}
              />
              <OlderButton query={answer} />
            </div>
            {open && (
              <div className="split-detail">
                <RecordCard key={open.seq} record={open} />
              </div>
            )}
          </div>
        )}
      </Answer>
    </Screen>
  );
}

function idOf({ seq }: AuditRecord): string {
  return `${seq}`;
}

function ExportButton({ given }: { given: AuditAsked }) {
  const { audit: words } = useTexts();
  const act = useAction();
  const [isBusy, setIsBusy] = useState(false);
  const download = async () => {
    setIsBusy(true);
    await act(async () => saveFile(await exportAuditRecords(auditFilter(given)), EXPORT_NAME), words.saved);
    setIsBusy(false);
  };
  return (
    <BusyButton isBusy={isBusy} onPress={() => void download()}>
      {words.export}
    </BusyButton>
  );
}

function VerifyButton({ onVerified }: { onVerified(verified: AuditVerification): void }) {
  const { audit: words } = useTexts();
  const act = useAction();
  const [isBusy, setIsBusy] = useState(false);
  const verify = async () => {
    setIsBusy(true);
    await act(async () => onVerified(await verifyAuditTrail()));
    setIsBusy(false);
  };
  return (
    <BusyButton isBusy={isBusy} onPress={() => void verify()}>
      {words.verify}
    </BusyButton>
  );
}

function Verification({ verified }: { verified: AuditVerification }) {
  const { audit: words } = useTexts();
  const format = useFormat();
  const { is_whole, error, records, end, verified_at } = verified;
  return (
    <div role="status">
      <Card heading={words.verification} id="verification">
        <Facts>
          <Fact term={words.result}>
            <Badge tone={is_whole ? "good" : "bad"}>{is_whole ? words.isWhole : words.isBroken}</Badge>
          </Fact>
          <Fact term={words.fault}>{error}</Fact>
          <Fact term={words.records}>{records !== null && records !== undefined && format.number(records)}</Fact>
          <Fact term={words.end}>
            {end && (
              <>
                {`${end.seq} `}
                <code className="address">{end.hash}</code>
              </>
            )}
          </Fact>
          <Fact term={words.verifiedAt}>
            <Moment at={verified_at} />
          </Fact>
        </Facts>
        {is_whole && <p className="soft">{words.endMeans}</p>}
      </Card>
    </div>
  );
}

function RecordCard({ record }: { record: AuditRecord }) {
  const { audit: words } = useTexts();
  const { entry, seq, hash } = record;
  return (
    <Card heading={entry?.action ?? words.noRecord} id="record">
      {entry ? <EntryFacts entry={entry} /> : <p className="note">{words.noRecordMeans}</p>}
      <Facts>
        <Fact term={words.number}>{`${seq}`}</Fact>
        <Fact term={words.hash}>
          <code className="address">{hash}</code>
        </Fact>
      </Facts>
      {entry && <MoreOfThis entry={entry} />}
    </Card>
  );
}

function EntryFacts({ entry }: { entry: AuditEntry }) {
  const texts = useTexts();
  const { audit: words } = texts;
  const { actor, application_id, account_id, target, at, details } = entry;
  return (
    <Facts>
      <Fact term={words.actor}>
        <Actor actor={actor} />
      </Fact>
      <Fact term={words.at}>
        <Moment at={at} />
      </Fact>
      <Fact term={words.target}>{target && <IdLink named={targetOf(entry)} id={target} />}</Fact>
      {application_id && (
        <Fact term={texts.tenants.application}>
          <IdLink named="application" id={application_id} />
        </Fact>
      )}
      {account_id && (
        <Fact term={texts.tenants.account}>
          <IdLink named="account" id={account_id} />
        </Fact>
      )}
      {Object.entries(details).map(([name, value]) => (
        <Fact key={name} term={name}>
          {typeof value === "string" ? (
            <IdLink named={detailOf(entry, name)} id={value} />
          ) : (
            <code>{JSON.stringify(value)}</code>
          )}
        </Fact>
      ))}
    </Facts>
  );
}

/** What else was done by the same actor, to the same thing, or in the same way. */
function MoreOfThis({ entry: { actor, target, action } }: { entry: AuditEntry }) {
  const { audit: words } = useTexts();
  return (
    <ul className="lines">
      <li>
        <a href={placeHref("audit", { actor })}>{words.sameActor}</a>
      </li>
      {target && (
        <li>
          <a href={placeHref("audit", { target })}>{words.sameTarget}</a>
        </li>
      )}
      <li>
        <a href={placeHref("audit", { action })}>{words.sameAction}</a>
      </li>
    </ul>
  );
}
