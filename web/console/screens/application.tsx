// One application: what it may use, and its keys, which are shown once.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { type ApiKey, listKeys, type NewApiKey, revokeKey } from "../api/tenants";
import { useApprovable } from "../approvable";
import { ApplicationBadge, featureWords } from "../components/application-table";
import { Confirm } from "../components/confirm";
import { CopyField } from "../components/copy-field";
import type { DataColumn } from "../components/data-table";
import { DialogFrame } from "../components/dialog-frame";
import { KeyDialog } from "../components/key-dialog";
import { isNewAsked, NewButton } from "../components/new-button";
import { ResourceTable } from "../components/resource-table";
import { Answer, Badge, Card, Empty, Fact, Facts, Moment, Screen } from "../components/screen";
import { SecretOnce } from "../components/secret-once";
import { OrganisationLink, useApplications } from "../components/tenant-links";
import { detailHref, placeHref, replaceRoute } from "../router";
import { useConsole } from "../session-context";
import { fill, useTexts } from "../texts";
import type { ScreenProps } from ".";

export function ApplicationScreen({ id, query }: ScreenProps) {
  const texts = useTexts();
  const { tenants: words, copy } = texts;
  const { may } = useConsole();
  const applications = useApplications();
  const application = applications.data?.find((one) => one.id === id);
  const maySee = may("applications:manage");
  const back = maySee ? { back: { href: placeHref("applications"), label: texts.nav.applications } } : {};
  return (
    <Screen
      heading={application?.name ?? words.application}
      {...back}
      wide
      {...(may("keys:manage")
        ? {
            actions: (
              <NewButton
                label={words.newKey}
                onPress={() => replaceRoute(detailHref("application", id, { new: "true" }))}
              />
            ),
          }
        : {})}
    >
      {maySee && (
        <Answer query={applications}>
          {() =>
            application ? (
              <Card heading={words.about}>
                <Facts>
                  <Fact term={words.organisation}>
                    {application.organisation_id ? (
                      <OrganisationLink id={application.organisation_id} />
                    ) : (
                      words.noOrganisation
                    )}
                  </Fact>
                  <Fact term={words.status}>
                    <ApplicationBadge state={application.state} />
                  </Fact>
                  <Fact term={words.features}>
                    {featureWords(application.features, words.featureNames) || texts.none}
                  </Fact>
                  <Fact term={words.billedTo}>{application.billing_source_id ?? words.noBilling}</Fact>
                  <Fact term={words.created}>
                    <Moment at={application.created_at} />
                  </Fact>
                </Facts>
                <CopyField label={words.sdkId} value={id} />
              </Card>
            ) : (
              <Empty>{texts.errors.nothingHere}</Empty>
            )
          }
        </Answer>
      )}
      {!maySee && <CopyField label={copy.id} value={id} />}
      {may("keys:manage") && <Keys application={id} isNew={isNewAsked(query)} />}
    </Screen>
  );
}

/** Whether a key works, in a word and a colour. */
function KeyBadge({ apiKey }: { apiKey: ApiKey }) {
  const { tenants: words } = useTexts();
  const state = apiKey.revoked ? "revoked" : isExpired(apiKey) ? "expired" : "works";
  return <Badge tone={state === "works" ? "good" : "plain"}>{words.keyStates[state]}</Badge>;
}

function isExpired({ expires_at }: ApiKey): boolean {
  return Boolean(expires_at) && Date.parse(expires_at ?? "") <= Date.now();
}

function Keys({ application, isNew }: { application: string; isNew: boolean }) {
  const texts = useTexts();
  const { tenants: words } = texts;
  const client = useQueryClient();
  const answer = useQuery({ queryKey: ["keys", application], queryFn: () => listKeys(application) });
  const [made, setMade] = useState<NewApiKey>();
  const [open, setOpen] = useState<string>();
  const columns: DataColumn<ApiKey>[] = [
    {
      id: "name",
      heading: words.name,
      cell: ({ name }) => <span className="strong">{name}</span>,
      sortBy: ({ name }) => name.toLowerCase(),
    },
    {
      id: "state",
      heading: words.status,
      cell: (key) => <KeyBadge apiKey={key} />,
      sortBy: (key) => (key.revoked ? 2 : isExpired(key) ? 1 : 0),
    },
    {
      id: "scopes",
      heading: words.keyScopes,
      cell: ({ scopes }) => <span className="soft">{scopes.join(", ") || words.everything}</span>,
    },
    {
      id: "used",
      heading: words.lastUsed,
      cell: ({ last_used_at }) => (last_used_at ? <Moment at={last_used_at} /> : words.neverUsed),
      sortBy: ({ last_used_at }) => last_used_at ?? "",
    },
    {
      id: "expires",
      heading: words.expires,
      cell: ({ expires_at }) => (expires_at ? <Moment at={expires_at} /> : words.neverExpires),
      sortBy: ({ expires_at }) => expires_at ?? "9",
    },
    {
      id: "created",
      heading: words.created,
      cell: ({ created_at }) => <Moment at={created_at} />,
      sortBy: ({ created_at }) => created_at,
    },
  ];
  const closeNew = () => replaceRoute(detailHref("application", application));
  return (
    <section className="part" aria-labelledby="keys">
      <h2 id="keys">{words.keys}</h2>
      <Answer query={answer}>
        {(keys) => {
          const opened = keys.find(({ id }) => id === open);
          return (
            <>
              <ResourceTable
                label={words.keys}
                columns={columns}
                rows={keys}
                idOf={({ id }) => id}
                textOf={({ name, id }) => `${name} ${id}`}
                empty={words.noKeys}
                onOpen={({ id }) => setOpen(id)}
              />
              {opened && <KeyDetail application={application} apiKey={opened} close={() => setOpen(undefined)} />}
            </>
          );
        }}
      </Answer>
      {isNew && (
        <KeyDialog
          application={application}
          close={closeNew}
          onCreated={(key) => {
            closeNew();
            setMade(key);
            void client.invalidateQueries({ queryKey: ["keys", application] });
          }}
        />
      )}
      {made && (
        <SecretOnce
          heading={words.keyMade}
          label={words.key}
          secret={made.key}
          note={"approval_id" in made ? words.keyPending : undefined}
          close={() => setMade(undefined)}
        />
      )}
    </section>
  );
}

function KeyDetail({ application, apiKey, close }: { application: string; apiKey: ApiKey; close(): void }) {
  const texts = useTexts();
  const { tenants: words } = texts;
  const revokeApprovably = useApprovable();
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  const { id, name, scopes, created_at, expires_at, last_used_at, revoked } = apiKey;
  const revoke = async (yes: boolean) => {
    setAsked(false);
    if (!yes) {
      return;
    }
    if ((await revokeApprovably(() => revokeKey(application, id), words.keyRevoked)) !== "failed") {
      await client.invalidateQueries({ queryKey: ["keys", application] });
      close();
    }
  };
  return (
    <DialogFrame heading={name} close={close} id="key">
      <Facts>
        <Fact term={words.status}>
          <KeyBadge apiKey={apiKey} />
        </Fact>
        <Fact term={words.keyScopes}>{scopes.join(", ") || words.everything}</Fact>
        <Fact term={words.lastUsed}>{last_used_at ? <Moment at={last_used_at} /> : words.neverUsed}</Fact>
        <Fact term={words.expires}>{expires_at ? <Moment at={expires_at} /> : words.neverExpires}</Fact>
        <Fact term={words.created}>
          <Moment at={created_at} />
        </Fact>
        <Fact term={texts.copy.id}>
          <code>{id}</code>
        </Fact>
      </Facts>
      <p className="soft">{words.keyHidden}</p>
      {!revoked && (
        <div className="answers">
          <Button className="button danger" onPress={() => setAsked(true)}>
            {words.revoke}
          </Button>
        </div>
      )}
      <Confirm
        question={fill(words.revokeQuestion, { name })}
        meaning={words.revokeMeans}
        yes={words.revoke}
        isOpen={asked}
        onAnswer={(yes) => void revoke(yes)}
      />
    </DialogFrame>
  );
}
