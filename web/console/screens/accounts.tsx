// Accounts of content moderation, of all applications; and the deletion of one, which may need a second operator.

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { type AccountRecord, deleteAccount } from "../api/tenants";
import { useApprovable } from "../approvable";
import { Confirm } from "../components/confirm";
import { CopyField } from "../components/copy-field";
import type { DataColumn } from "../components/data-table";
import { ResourceTable } from "../components/resource-table";
import { Answer, Badge, Card, Empty, Fact, Facts, Moment, Screen } from "../components/screen";
import { ApplicationLink, useAccounts, useApplications } from "../components/tenant-links";
import { useOneAtATime } from "../one-at-a-time";
import { detailHref, navigate, placeHref, useIsShown } from "../router";
import { fill, useFormat, useTexts } from "../texts";
import type { ScreenProps } from ".";

export function AccountsScreen() {
  const texts = useTexts();
  const { tenants: words } = texts;
  const format = useFormat();
  const answer = useAccounts();
  const applications = useApplications().data;
  const applicationOf = ({ application_id }: AccountRecord) =>
    applications?.find(({ id }) => id === application_id)?.name ?? application_id;
  const columns: DataColumn<AccountRecord>[] = [
    {
      id: "name",
      heading: words.name,
      cell: ({ name }) => <span className="strong">{name}</span>,
      sortBy: ({ name }) => name.toLowerCase(),
    },
    { id: "application", heading: words.application, cell: applicationOf, sortBy: applicationOf },
    {
      id: "state",
      heading: words.status,
      cell: ({ state }) => <AccountBadge state={state} />,
      sortBy: ({ state }) => state,
    },
    {
      id: "members",
      heading: texts.nav.members,
      cell: ({ members }) => format.number(members),
      sortBy: ({ members }) => members,
    },
    {
      id: "created",
      heading: words.created,
      cell: ({ created_at }) => <Moment at={created_at} />,
      sortBy: ({ created_at }) => created_at,
    },
  ];
  return (
    <Screen heading={texts.nav.accounts} wide>
      <Answer query={answer}>
        {(accounts) => (
          <ResourceTable
            label={texts.nav.accounts}
            columns={columns}
            rows={accounts}
            idOf={({ id }) => id}
            textOf={(account) => `${account.name} ${account.id} ${applicationOf(account)}`}
            empty={words.noAccounts}
            onOpen={({ id }) => navigate(detailHref("account", id))}
          />
        )}
      </Answer>
    </Screen>
  );
}

/** The interface's document gives the states in words only. */
function AccountBadge({ state }: Pick<AccountRecord, "state">) {
  const { tenants: words } = useTexts();
  return state === "OPEN" ? (
    <Badge tone="good">{words.accountStates.OPEN}</Badge>
  ) : (
    <Badge tone="warn">{words.accountStates.CLOSING}</Badge>
  );
}

export function AccountScreen({ id }: ScreenProps) {
  const texts = useTexts();
  const { tenants: words } = texts;
  const format = useFormat();
  const answer = useAccounts();
  const account = answer.data?.find((one) => one.id === id);
  return (
    <Screen heading={account?.name ?? words.account} back={{ href: placeHref("accounts"), label: texts.nav.accounts }}>
      <Answer query={answer}>
        {() =>
          account ? (
            <>
              <Card heading={words.about}>
                <Facts>
                  <Fact term={words.application}>
                    <ApplicationLink id={account.application_id} />
                  </Fact>
                  <Fact term={words.status}>
                    <AccountBadge state={account.state} />
                  </Fact>
                  <Fact term={texts.nav.members}>{format.number(account.members)}</Fact>
                  <Fact term={words.created}>
                    <Moment at={account.created_at} />
                  </Fact>
                </Facts>
                <CopyField label={texts.copy.id} value={id} />
              </Card>
              {account.state === "OPEN" && <Deletion account={account} />}
            </>
          ) : (
            <Empty>{texts.errors.nothingHere}</Empty>
          )
        }
      </Answer>
    </Screen>
  );
}

function Deletion({ account }: { account: AccountRecord }) {
  const { tenants: words } = useTexts();
  const act = useApprovable();
  const client = useQueryClient();
  const isShown = useIsShown();
  const [asked, setAsked] = useState(false);
  const remove = useOneAtATime(async () => {
    const came = await act(() => deleteAccount(account.id), fill(words.accountDeleted, { name: account.name }));
    if (came === "failed") {
      return;
    }
    // An account that is gone is not shown once the list is there anew.
    const isHere = isShown();
    await client.invalidateQueries({ queryKey: ["accounts"] });
    if (isHere) {
      navigate(placeHref(came === "done" ? "accounts" : "approvals"));
    }
  });
  return (
    <Card heading={words.deletion}>
      <p>{words.deletionMeans}</p>
      <div className="answers">
        <Button className="button danger" onPress={() => setAsked(true)}>
          {words.deleteAccount}
        </Button>
      </div>
      <Confirm
        question={fill(words.deleteQuestion, { name: account.name })}
        meaning={words.deletionMeans}
        yes={words.deleteAccount}
        typed={account.name}
        isOpen={asked}
        onAnswer={(yes) => {
          setAsked(false);
          if (yes) {
            remove();
          }
        }}
      />
    </Card>
  );
}
