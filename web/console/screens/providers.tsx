// The services of others that the settings name, and mail and storage: each is really asked when somebody tests it.

import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { listProviders, type Provider, type ProviderTestOutcome, testProvider } from "../api/installation";
import { isOperator } from "../api/session";
import { BusyButton } from "../components/busy-button";
import { type DataColumn, DataTable } from "../components/data-table";
import { Answer, Badge, Card, Fact, Facts, Moment, Screen } from "../components/screen";
import { useShortcuts } from "../keys/shortcuts";
import { useOpenRow } from "../rows";
import { useAction, useConsole } from "../session-context";
import { fill, useFormat, useTexts } from "../texts";

/** What tests showed, as long as the console is open: the server keeps none of it. */
const OUTCOMES = ["provider-tests"];
type Outcomes = Readonly<Record<string, ProviderTestOutcome>>;

export function ProvidersScreen() {
  const texts = useTexts();
  const { providers: words } = texts;
  const format = useFormat();
  const act = useAction();
  const client = useQueryClient();
  const answer = useQuery({ queryKey: ["providers"], queryFn: listProviders });
  const tested = useQuery<Outcomes>({ queryKey: OUTCOMES, queryFn: skipToken, gcTime: Number.POSITIVE_INFINITY });
  const outcomes = tested.data ?? {};
  const [open, choose] = useOpenRow(answer.data ?? [], ({ name }) => name);
  const [asked, setAsked] = useState<string>();
  const test = async ({ name }: Provider) => {
    setAsked(name);
    await act(async () => {
      const outcome = await testProvider(name);
      client.setQueryData<Outcomes>(OUTCOMES, (others) => ({ ...others, [name]: outcome }));
    });
    setAsked(undefined);
  };
  const isIdle = asked === undefined;
  useShortcuts(open && isIdle ? [{ keys: "t", label: words.test, scope: "here", run: () => void test(open) }] : []);
  const columns: DataColumn<Provider>[] = [
    {
      id: "name",
      heading: words.provider,
      cell: ({ name, host }) => (
        <>
          <code className="strong">{name}</code> {host && <span className="soft">{host}</span>}
        </>
      ),
    },
    { id: "kind", heading: words.what, cell: ({ test: kind }) => words.kinds[kind] },
    {
      id: "outcome",
      heading: words.lastTest,
      cell: ({ name }) => {
        const outcome = outcomes[name];
        return outcome ? (
          <>
            <OutcomeBadge outcome={outcome} /> <span className="soft">{format.duration(outcome.took_ms / 1000)}</span>
          </>
        ) : (
          <span className="soft">{asked === name ? words.testing : words.untested}</span>
        );
      },
    },
  ];
  return (
    <Screen heading={texts.nav.providers} wide>
      <p className="soft">{words.means}</p>
      <Answer query={answer}>
        {(providers) => (
          <div className="split" data-beside={open !== undefined}>
            <DataTable
              label={texts.nav.providers}
              columns={columns}
              rows={providers}
              idOf={({ name }) => name}
              empty={words.none}
              selected={open?.name}
              onSelect={choose}
            />
            {open && (
              <div className="split-detail">
                <ProviderCard
                  provider={open}
                  outcome={outcomes[open.name]}
                  isAsked={asked === open.name}
                  isIdle={isIdle}
                  onTest={() => void test(open)}
                />
              </div>
            )}
          </div>
        )}
      </Answer>
    </Screen>
  );
}

function OutcomeBadge({ outcome: { succeeded } }: { outcome: ProviderTestOutcome }) {
  const { providers: words } = useTexts();
  return (
    <Badge tone={succeeded ? "good" : "bad"} icon={succeeded ? "check" : "warning"}>
      {succeeded ? words.succeeded : words.failed}
    </Badge>
  );
}

interface ProviderCardProps {
  provider: Provider;
  outcome: ProviderTestOutcome | undefined;
  isAsked: boolean;
  /** Whether no other test is under way. */
  isIdle: boolean;
  onTest(): void;
}

function ProviderCard({ provider, outcome, isAsked, isIdle, onTest }: ProviderCardProps) {
  const { providers: words } = useTexts();
  const format = useFormat();
  const { session } = useConsole();
  const email = isOperator(session) ? session.operator.email : "";
  return (
    <Card heading={provider.name} id="provider">
      <p>{fill(words.meanings[provider.test], { host: provider.host ?? "", email })}</p>
      <div className="answers">
        <BusyButton isPrimary isBusy={isAsked} isDisabled={!isIdle && !isAsked} onPress={onTest}>
          {isAsked ? words.testing : words.test} <kbd>T</kbd>
        </BusyButton>
      </div>
      <div role="status">
        {outcome && !isAsked && (
          <Facts>
            <Fact term={words.lastTest}>
              <OutcomeBadge outcome={outcome} />
            </Fact>
            <Fact term={words.happened}>{outcome.message}</Fact>
            <Fact term={words.took}>{format.duration(outcome.took_ms / 1000)}</Fact>
            <Fact term={words.testedAt}>
              <Moment at={outcome.tested_at} />
            </Fact>
          </Facts>
        )}
      </div>
    </Card>
  );
}
