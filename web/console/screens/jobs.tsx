// What the server has to do: how each lane is, and jobs, above all those that failed too often, with their errors.

import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { discardJob, JOB_STATES, type Job, listJobs, listLanes, retryJob } from "../api/work";
import { Confirm } from "../components/confirm";
import { type DataColumn, DataTable } from "../components/data-table";
import { Choice } from "../components/field";
import { Answer, Badge, Card, Fact, Facts, Failure, Loading, Moment, Screen } from "../components/screen";
import { AccountLink, ApplicationLink } from "../components/tenant-links";
import { useShortcuts } from "../keys/shortcuts";
import { oneOf, placeHref, replaceRoute } from "../router";
import { useAction } from "../session-context";
import { fill, useFormat, useTexts } from "../texts";
import type { ScreenProps } from ".";

const REFRESH_MS = 10_000;

export function JobsScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { jobs: words } = texts;
  const format = useFormat();
  const act = useAction();
  const client = useQueryClient();
  const state = oneOf(JOB_STATES, query.get("state"), "PARKED");
  const answer = useInfiniteQuery({
    queryKey: ["jobs", state],
    queryFn: ({ pageParam }) => listJobs(state, pageParam),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: REFRESH_MS,
  });
  const [chosen, setChosen] = useState<string>();
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const rows = answer.data?.pages.flatMap(({ jobs }) => jobs) ?? [];
  const open = rows.find(({ id }) => id === chosen) ?? rows[0];
  const mark = () => {
    if (open) {
      const rest = [...marked].filter((id) => id !== open.id);
      setMarked(new Set(marked.has(open.id) ? rest : [...rest, open.id]));
    }
  };
  // What is marked, or else the open one.
  const meant = rows.filter(({ id }) => (marked.size > 0 ? marked.has(id) : id === open?.id));
  const change = async (todo: (id: string) => Promise<void>, done: string) => {
    const count = format.number(meant.length);
    await act(
      async () => {
        for (const { id } of meant) {
          await todo(id);
        }
      },
      fill(done, { count }),
    );
    setMarked(new Set());
    await Promise.all(["jobs", "lanes"].map((kind) => client.invalidateQueries({ queryKey: [kind] })));
  };
  const mayChange = state !== "RUNNING" && meant.length > 0;
  useShortcuts(
    mayChange
      ? [
          { keys: "x", label: words.mark, scope: "here", run: mark },
          { keys: "r", label: words.retry, scope: "here", run: () => void change(retryJob, words.retried) },
        ]
      : [],
  );
  const columns: DataColumn<Job>[] = [
    {
      id: "kind",
      heading: words.kind,
      cell: ({ id, kind }) => (
        <span className="strong">
          {kind}
          {marked.has(id) && ` (${words.isMarked})`}
        </span>
      ),
    },
    { id: "error", heading: words.error, cell: ({ last_error }) => last_error },
    { id: "attempts", heading: words.attempts, cell: ({ attempts }) => format.number(attempts) },
    { id: "created", heading: texts.tenants.created, cell: ({ created_at }) => <Moment at={created_at} /> },
  ];
  return (
    <Screen heading={texts.nav.jobs} wide>
      <Lanes />
      <div className="filters">
        <Choice
          label={texts.tenants.status}
          value={state}
          options={JOB_STATES.map((one) => [one, words.states[one]] as const)}
          onChange={(to) => replaceRoute(placeHref("jobs", { state: to }))}
        />
      </div>
      {answer.data ? (
        <div className="split" data-beside={open !== undefined}>
          <div className="part">
            <DataTable
              label={texts.nav.jobs}
              columns={columns}
              rows={rows}
              idOf={({ id }) => id}
              empty={words.none}
              selected={open?.id}
              onSelect={({ id }) => setChosen(id)}
            />
            {answer.hasNextPage && (
              <Button className="button" isDisabled={answer.isFetching} onPress={() => void answer.fetchNextPage()}>
                {texts.table.older}
              </Button>
            )}
          </div>
          {open && (
            <div className="split-detail">
              <JobCard
                job={open}
                marked={marked.size}
                mayChange={mayChange}
                onRetry={() => void change(retryJob, words.retried)}
                onDiscard={() => void change(discardJob, words.discarded)}
              />
            </div>
          )}
        </div>
      ) : answer.error ? (
        <Failure error={answer.error} retry={() => void answer.refetch()} />
      ) : (
        <Loading />
      )}
    </Screen>
  );
}

function Lanes() {
  const { jobs: words } = useTexts();
  const format = useFormat();
  const answer = useQuery({ queryKey: ["lanes"], queryFn: listLanes, refetchInterval: REFRESH_MS });
  return (
    <Answer query={answer}>
      {(lanes) => (
        <div className="lanes" id="lanes">
          {lanes.map(({ lane, due, running, scheduled, parked }) => (
            <Card key={lane} heading={words.lanes[lane]}>
              <Facts>
                <Fact term={words.running}>{format.number(running)}</Fact>
                <Fact term={words.due}>{format.number(due)}</Fact>
                <Fact term={words.scheduled}>{format.number(scheduled)}</Fact>
                <Fact term={words.states.PARKED}>
                  {parked > 0 ? <Badge tone="bad">{format.number(parked)}</Badge> : format.number(parked)}
                </Fact>
              </Facts>
            </Card>
          ))}
        </div>
      )}
    </Answer>
  );
}

interface JobCardProps {
  job: Job;
  marked: number;
  mayChange: boolean;
  onRetry(): void;
  onDiscard(): void;
}

function JobCard({ job, marked, mayChange, onRetry, onDiscard }: JobCardProps) {
  const texts = useTexts();
  const { jobs: words } = texts;
  const format = useFormat();
  const [asked, setAsked] = useState(false);
  return (
    <Card heading={job.kind} id="job">
      <Facts>
        <Fact term={words.error}>{job.last_error}</Fact>
        <Fact term={words.attempts}>{format.number(job.attempts)}</Fact>
        <Fact term={words.runsAt}>
          <Moment at={job.run_at} />
        </Fact>
        {job.application_id && (
          <Fact term={texts.tenants.application}>
            <ApplicationLink id={job.application_id} />
          </Fact>
        )}
        {job.account_id && (
          <Fact term={texts.tenants.account}>
            <AccountLink id={job.account_id} />
          </Fact>
        )}
        <Fact term={texts.copy.id}>
          <code>{job.id}</code>
        </Fact>
      </Facts>
      {marked > 0 && <p className="note">{fill(words.markedCount, { count: format.number(marked) })}</p>}
      {mayChange && (
        <div className="answers">
          <Button className="button primary" onPress={onRetry}>
            {words.retry} <kbd>R</kbd>
          </Button>
          <Button className="button danger" onPress={() => setAsked(true)}>
            {words.discard}
          </Button>
        </div>
      )}
      <Confirm
        question={words.discardQuestion}
        meaning={words.discardMeans}
        yes={words.discard}
        isOpen={asked}
        onAnswer={(yes) => {
          setAsked(false);
          if (yes) {
            onDiscard();
          }
        }}
      />
    </Card>
  );
}
