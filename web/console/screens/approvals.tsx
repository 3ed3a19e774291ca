// What operators asked for that needs another one: approved, or refused, by somebody who did not ask for it.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { isOperator } from "../api/session";
import { type Approval, approveRequest, listApprovals, refuseRequest } from "../api/tenants";
import { Confirm } from "../components/confirm";
import type { DataColumn } from "../components/data-table";
import { Choice } from "../components/field";
import { roleName, scopesOfRole, useOperatorRoles } from "../components/operator-grant";
import { ReceiptButton } from "../components/receipt-button";
import { ResourceTable } from "../components/resource-table";
import { Answer, Badge, Card, catchFocus, Empty, Fact, Facts, Moment, Screen, type Tone } from "../components/screen";
import { AccountLink, ApplicationLink, OperatorLink } from "../components/tenant-links";
import { useShortcuts } from "../keys/shortcuts";
import { useOneAtATime } from "../one-at-a-time";
import { detailHref, oneOf, placeHref, replaceRoute } from "../router";
import { useOpenRow } from "../rows";
import { useAction, useConsole } from "../session-context";
import { lookup, useTexts } from "../texts";
import type { ScreenProps } from ".";

const SHOWN = ["pending", "all"] as const;
const REFRESH_MS = 20_000;

type State = Approval["state"] | "EXPIRED";

/** One that nobody decided about in time is neither. */
function stateOf({ state, expires_at }: Approval): State {
  return state === "PENDING" && Date.parse(expires_at) <= Date.now() ? "EXPIRED" : state;
}

export function ApprovalsScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { approvals: words } = texts;
  const show = oneOf(SHOWN, query.get("show"), "pending");
  const answer = useQuery({ queryKey: ["approvals"], queryFn: listApprovals, refetchInterval: REFRESH_MS });
  const rows = (answer.data ?? []).filter((one) => show === "all" || stateOf(one) === "PENDING");
  const [open, choose] = useOpenRow(rows, ({ id }) => id);
  const columns: DataColumn<Approval>[] = [
    {
      id: "action",
      heading: words.what,
      cell: ({ action }) => <span className="strong">{words.actions[action]}</span>,
      sortBy: ({ action }) => words.actions[action],
    },
    {
      id: "state",
      heading: texts.tenants.status,
      cell: (approval) => <StateBadge state={stateOf(approval)} />,
      sortBy: stateOf,
    },
    { id: "by", heading: words.by, cell: (approval) => <Requester approval={approval} /> },
    {
      id: "at",
      heading: words.at,
      cell: ({ requested_at }) => <Moment at={requested_at} />,
      sortBy: ({ requested_at }) => requested_at,
    },
  ];
  return (
    <Screen heading={texts.nav.approvals} wide>
      <p className="soft">{words.about}</p>
      <div className="filters">
        <Choice<(typeof SHOWN)[number]>
          label={texts.inbox.show}
          value={show}
          options={[
            ["pending", words.pending],
            ["all", words.all],
          ]}
          onChange={(to) => replaceRoute(placeHref("approvals", { show: to === "pending" ? "" : to }))}
        />
      </div>
      <Answer query={answer}>
        {() => (
          <div className="split" data-beside={open !== undefined}>
            <div>
              <ResourceTable
                label={texts.nav.approvals}
                columns={columns}
                rows={rows}
                idOf={({ id }) => id}
                textOf={(approval) => `${words.actions[approval.action]} ${JSON.stringify(approval)}`}
                empty={show === "all" ? words.none : words.nonePending}
                selected={open?.id}
                onSelect={choose}
              />
            </div>
            {open && (
              <div className="split-detail">
                <ApprovalCard key={open.id} approval={open} />
              </div>
            )}
          </div>
        )}
      </Answer>
    </Screen>
  );
}

function Requester({ approval }: { approval: Approval }) {
  const texts = useTexts();
  const { session } = useConsole();
  const isOwn = isOperator(session) && session.operator.id === approval.requested_by;
  return isOwn ? texts.you : <OperatorLink id={approval.requested_by} />;
}

const TONES: Readonly<Record<State, Tone>> = { PENDING: "warn", APPROVED: "good", REFUSED: "bad", EXPIRED: "plain" };

function StateBadge({ state }: { state: State }) {
  const { approvals: words } = useTexts();
  return <Badge tone={TONES[state]}>{words.states[state]}</Badge>;
}

/** What it concerns, with the way there. */
function SubjectFacts({ approval }: { approval: Approval }) {
  const texts = useTexts();
  const { tenants, operators, members } = texts;
  const roles = useOperatorRoles().data;
  const { account_id, application_id, session_id, key_id, operator_id, member_id, email, role, name } = approval;
  const isOfKey = approval.action.startsWith("api-key.");
  const scopes = approval.scopes ?? [];
  // Whoever approves a role sees what comes with it.
  const isGiven = role && !member_id && approval.action !== "operator-role.change";
  const ofRole = roles && isGiven ? scopesOfRole(roles, role) : [];
  const scopeTexts = member_id ? members.consoleScopes : operators.scopes;
  const scopeWords = [...ofRole, ...scopes].map((scope) => lookup(scopeTexts, scope) ?? scope);
  return (
    <>
      {account_id && (
        <Fact term={tenants.account}>
          <AccountLink id={account_id} />
        </Fact>
      )}
      {application_id && (
        <Fact term={tenants.application}>
          <ApplicationLink id={application_id} />
        </Fact>
      )}
      {session_id && (
        <Fact term={texts.nav.session}>
          <a href={detailHref("session", session_id)}>
            <code>{session_id}</code>
          </a>
        </Fact>
      )}
      {isOfKey && <Fact term={tenants.key}>{name ?? (key_id && <code>{key_id}</code>)}</Fact>}
      {approval.action === "api-key.create" && (
        <Fact term={tenants.keyScopes}>{scopes.join(", ") || tenants.everything}</Fact>
      )}
      {operator_id && (
        <Fact term={operators.operator}>
          <OperatorLink id={operator_id} />
        </Fact>
      )}
      {member_id && (
        <Fact term={texts.audit.actors.member}>
          <code>{member_id}</code>
        </Fact>
      )}
      {!isOfKey && <Fact term={tenants.name}>{name}</Fact>}
      <Fact term={members.email}>{email && <bdi>{email}</bdi>}</Fact>
      {role && <Fact term={operators.role}>{roleName(texts, roles, role)}</Fact>}
      {!isOfKey && <Fact term={members.permissions}>{scopeWords.join(", ")}</Fact>}
    </>
  );
}

function ApprovalCard({ approval }: { approval: Approval }) {
  const texts = useTexts();
  const { approvals: words } = texts;
  const { session, may } = useConsole();
  const act = useAction();
  const client = useQueryClient();
  const [asked, setAsked] = useState<"approve" | "refuse">();
  const state = stateOf(approval);
  const isOwn = isOperator(session) && session.operator.id === approval.requested_by;
  const mayDecide = state === "PENDING" && !isOwn && may("deletions:approve");
  useShortcuts(
    mayDecide
      ? [
          { keys: "a", label: words.approve, scope: "here", run: () => setAsked("approve") },
          { keys: "d", label: words.refuse, scope: "here", run: () => setAsked("refuse") },
        ]
      : [],
  );
  const decide = useOneAtATime(async (isApproved: boolean) => {
    const done = await act(
      () => (isApproved ? approveRequest(approval.id) : refuseRequest(approval.id)),
      isApproved ? words.approved : words.refused,
    );
    if (done) {
      await Promise.all(
        ["approvals", "accounts", "keys", "operators", "operator-invitations", "operator-roles"].map((kind) =>
          client.invalidateQueries({ queryKey: [kind] }),
        ),
      );
      catchFocus();
    }
  });
  return (
    <Card heading={words.actions[approval.action]} id="approval">
      <div>
        <StateBadge state={state} />
      </div>
      <Facts>
        <SubjectFacts approval={approval} />
        <Fact term={words.by}>
          <Requester approval={approval} />
        </Fact>
        <Fact term={words.at}>
          <Moment at={approval.requested_at} />
        </Fact>
        {state === "PENDING" && (
          <Fact term={texts.tenants.expires}>
            <Moment at={approval.expires_at} />
          </Fact>
        )}
        {approval.decided_by && (
          <Fact term={words.decidedBy}>
            <OperatorLink id={approval.decided_by} />
          </Fact>
        )}
        {approval.decided_at && (
          <Fact term={words.decidedAt}>
            <Moment at={approval.decided_at} />
          </Fact>
        )}
      </Facts>
      {mayDecide && (
        <div className="answers">
          <Button className="button primary" onPress={() => setAsked("approve")}>
            {words.approve} <kbd>A</kbd>
          </Button>
          <Button className="button danger" onPress={() => setAsked("refuse")}>
            {words.refuse} <kbd>D</kbd>
          </Button>
        </div>
      )}
      {state === "APPROVED" && approval.action === "account.delete" && may("audit:view") && approval.account_id && (
        <ReceiptButton account={approval.account_id} />
      )}
      {state === "PENDING" && isOwn && <p className="note">{words.own}</p>}
      {state === "PENDING" && !isOwn && !may("deletions:approve") && <Empty>{words.notAllowed}</Empty>}
      <Confirm
        question={asked === "refuse" ? words.refuseQuestion : words.approveQuestion}
        meaning={asked === "refuse" ? words.refuseMeans : words.meanings[approval.action]}
        yes={asked === "refuse" ? words.refuse : words.approve}
        isOpen={asked !== undefined}
        onAnswer={(yes) => {
          setAsked(undefined);
          if (yes) {
            decide(asked === "approve");
          }
        }}
      />
    </Card>
  );
}
