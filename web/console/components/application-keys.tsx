// The keys of an application: listed, made, revoked.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { type ApiKey, listKeys, revokeKey } from "../api/tenants";
import { useApprovable } from "../approvable";
import { useOneAtATime } from "../one-at-a-time";
import { useIsShown } from "../router";
import { fill, useTexts } from "../texts";
import { Confirm } from "./confirm";
import type { DataColumn } from "./data-table";
import { DialogFrame } from "./dialog-frame";
import { KeyDialog } from "./key-dialog";
import { ResourceTable } from "./resource-table";
import { Answer, Badge, Fact, Facts, Moment } from "./screen";

/** Whether a key works, in a word and a colour. */
function KeyBadge({ apiKey }: { apiKey: ApiKey }) {
  const { tenants: words } = useTexts();
  const state = apiKey.revoked ? "revoked" : isExpired(apiKey) ? "expired" : "works";
  return <Badge tone={state === "works" ? "good" : "plain"}>{words.keyStates[state]}</Badge>;
}

function isExpired({ expires_at }: ApiKey): boolean {
  return Boolean(expires_at) && Date.parse(expires_at ?? "") <= Date.now();
}

interface KeysProps {
  application: string;
  /** Whether the dialog for a new one is open. */
  isNew: boolean;
  closeNew(): void;
}

export function Keys({ application, isNew, closeNew }: KeysProps) {
  const texts = useTexts();
  const { tenants: words } = texts;
  const client = useQueryClient();
  const answer = useQuery({ queryKey: ["keys", application], queryFn: () => listKeys(application) });
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
          onCreated={() => void client.invalidateQueries({ queryKey: ["keys", application] })}
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
  const isShown = useIsShown();
  const [asked, setAsked] = useState(false);
  const { id, name, scopes, created_at, expires_at, last_used_at, revoked } = apiKey;
  const revoke = useOneAtATime(async () => {
    if ((await revokeApprovably(() => revokeKey(application, id), words.keyRevoked)) !== "failed") {
      await client.invalidateQueries({ queryKey: ["keys", application] });
      if (isShown()) {
        close();
      }
    }
  });
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
        onAnswer={(yes) => {
          setAsked(false);
          if (yes) {
            revoke();
          }
        }}
      />
    </DialogFrame>
  );
}
