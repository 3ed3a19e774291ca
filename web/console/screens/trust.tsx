// Whom this server trusts, and the lives of its own keys.

import { useQuery } from "@tanstack/react-query";
import {
  type DataKey,
  getTrustList,
  type KeyLives,
  listKeyLives,
  type ServerProcess,
  type SigningKey,
  type TrustedIssuer,
  type TrustList,
} from "../api/installation";
import type { DataColumn } from "../components/data-table";
import { LifeBadge, LifeBars, type LifeState, lifeState } from "../components/life-bars";
import { ResourceTable } from "../components/resource-table";
import { Answer, Badge, Card, Fact, Facts, Moment, Screen, type Tone } from "../components/screen";
import { useOpenRow } from "../rows";
import { fill, useFormat, useTexts } from "../texts";

export function TrustScreen() {
  const texts = useTexts();
  const { trust: words } = texts;
  const list = useQuery({ queryKey: ["trust-list"], queryFn: getTrustList });
  const keys = useQuery({ queryKey: ["key-lives"], queryFn: listKeyLives });
  return (
    <Screen heading={texts.nav.trust} wide>
      <section className="part" aria-labelledby="issuers">
        <h2 id="issuers">{words.issuers}</h2>
        <Answer query={list}>{(found) => <Issuers list={found} now={list.dataUpdatedAt} />}</Answer>
      </section>
      <section className="part" aria-labelledby="own-keys">
        <h2 id="own-keys">{words.ownKeys}</h2>
        <Answer query={keys}>{(found) => <OwnKeys keys={found} now={keys.dataUpdatedAt} />}</Answer>
      </section>
    </Screen>
  );
}

/** The life of an entry and of its keys, as one word: without a key that counts now, its proofs are refused. */
function issuerState({ valid_from, valid_until, keys }: TrustedIssuer, now: number): LifeState {
  const own = lifeState({ from: valid_from, until: valid_until }, now);
  const states = keys.map((key) => lifeState({ from: key.valid_from, until: key.valid_until }, now));
  if (own === "over" || own === "future") {
    return own;
  }
  if (states.length > 0 && states.every((one) => one === "over" || one === "future")) {
    return states.includes("future") ? "future" : "over";
  }
  return own === "soon" || states.includes("soon") ? "soon" : "fine";
}

const ISSUER_TONES: Readonly<Record<LifeState, Tone>> = { future: "plain", over: "bad", soon: "warn", fine: "good" };

function Issuers({ list, now }: { list: TrustList; now: number }) {
  const texts = useTexts();
  const { trust: words } = texts;
  const { issuers, expires_at } = list;
  const [open, choose] = useOpenRow(issuers, ({ id }) => id);
  const life = { until: expires_at };
  const columns: DataColumn<TrustedIssuer>[] = [
    { id: "id", heading: words.issuer, cell: ({ id }) => <span className="strong">{id}</span> },
    { id: "provider", heading: words.provider, cell: ({ provider }) => <code>{provider}</code> },
    {
      id: "state",
      heading: texts.tenants.status,
      cell: (issuer) => {
        const state = issuerState(issuer, now);
        return <Badge tone={ISSUER_TONES[state]}>{words.issuerStates[state]}</Badge>;
      },
    },
  ];
  return (
    <>
      <p id="list-expiry">
        {expires_at ? (
          <>
            {words.listExpires} <Moment at={expires_at} />{" "}
            <LifeBadge life={life} state={lifeState(life, now)} now={now} />
          </>
        ) : (
          words.listNeverExpires
        )}
      </p>
      <div className="split" data-beside={open !== undefined}>
        <div className="part">
          <ResourceTable
            label={words.issuers}
            columns={columns}
            rows={issuers}
            idOf={({ id }) => id}
            textOf={({ id, provider }) => `${id} ${provider}`}
            empty={words.noIssuers}
            selected={open?.id}
            onSelect={choose}
          />
        </div>
        {open && (
          <div className="split-detail">
            <IssuerCard issuer={open} now={now} />
          </div>
        )}
      </div>
    </>
  );
}

function IssuerCard({ issuer, now }: { issuer: TrustedIssuer; now: number }) {
  const { trust: words } = useTexts();
  const entry = {
    id: "entry",
    name: <span className="strong">{words.entry}</span>,
    words: words.entry,
    life: { from: issuer.valid_from, until: issuer.valid_until },
  };
  const keys = issuer.keys.map(({ kind, id, valid_from, valid_until }, at) => ({
    id: `${at} ${id ?? ""}`,
    name: <span className="strong">{words.keyKinds[kind]}</span>,
    words: `${words.keyKinds[kind]} ${id ?? ""}`.trim(),
    detail: id && <code>{id}</code>,
    life: { from: valid_from, until: valid_until },
  }));
  return (
    <Card heading={issuer.id} id="issuer">
      <Facts>
        <Fact term={words.provider}>
          <code>{issuer.provider}</code>
        </Fact>
        <Fact term={words.formats}>{issuer.formats.join(", ")}</Fact>
        <Fact term={words.keySet}>{issuer.key_set_url}</Fact>
      </Facts>
      <LifeBars rows={[entry, ...keys]} now={now} />
      {keys.length === 0 && <p className="soft">{words.noKeys}</p>}
    </Card>
  );
}

function OwnKeys({ keys: { signing_keys, data_keys, processes }, now }: { keys: KeyLives; now: number }) {
  const { trust: words } = useTexts();
  const current = data_keys.find(({ state }) => state === "CURRENT")?.master_key;
  return (
    <div className="columns">
      <Card heading={words.signingKeys} id="signing-keys">
        {signing_keys.length === 0 ? (
          <p className="soft">{words.noSigningKeys}</p>
        ) : (
          <SigningKeys keys={signing_keys} now={now} />
        )}
      </Card>
      <Card heading={words.masterKeys} id="master-keys">
        <p className="soft">{words.masterKeysMean}</p>
        <DataKeys keys={data_keys} now={now} />
      </Card>
      <Card heading={words.processes} id="processes">
        <Processes processes={processes} current={current} />
      </Card>
    </div>
  );
}

function SigningKeys({ keys, now }: { keys: readonly SigningKey[]; now: number }) {
  const { trust: words } = useTexts();
  const format = useFormat();
  const rows = keys.map(({ purpose, id, state, created_at, until, years, sandbox }) => {
    const of = years === null || years === undefined ? "" : ` ${fill(words.ofYears, { years: format.number(years) })}`;
    const name = `${words.purposes[purpose]}${of}${sandbox ? ` (${words.sandbox})` : ""}`;
    return {
      id: `${purpose} ${id}`,
      name: <span className="strong">{name}</span>,
      words: `${name} ${id}`,
      detail: (
        <>
          {words.keyStates[state]} · <code>{id}</code>
        </>
      ),
      life: { from: created_at, until },
      // Others follow them by the calendar, and a former one lasts as long as what it signed.
      isReplaced: true,
    };
  });
  return <LifeBars rows={rows} now={now} />;
}

function DataKeys({ keys, now }: { keys: readonly DataKey[]; now: number }) {
  const { trust: words } = useTexts();
  const rows = keys.map(({ id, master_key, state, created_at, retired_at }) => ({
    id,
    name: <code className="strong">{master_key}</code>,
    words: master_key,
    detail: words.masterStates[state],
    life: { from: created_at, until: retired_at },
    isReplaced: true,
  }));
  return <LifeBars rows={rows} now={now} />;
}

function Processes({ processes, current }: { processes: readonly ServerProcess[]; current: string | undefined }) {
  const { trust: words } = useTexts();
  if (processes.length === 0) {
    return <p className="soft">{words.noProcesses}</p>;
  }
  return (
    <ul className="lines">
      {processes.map(({ name, master_key, seen_at }) => (
        <li key={name}>
          <span className="line">
            <span className="strong">{name}</span>{" "}
            {master_key && master_key === current ? (
              <Badge tone="good">{words.hasCurrent}</Badge>
            ) : (
              <Badge tone={master_key ? "warn" : "bad"} icon="warning">
                {master_key ? words.hasFormer : words.hasNone}
              </Badge>
            )}
          </span>
          <span className="soft detail">
            {master_key && <code>{master_key}</code>} {words.seen} <Moment at={seen_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
