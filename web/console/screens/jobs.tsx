// What the server has to do: how each lane is, and jobs, above all those that failed too often, with their errors.

import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { discardJob, JOB_STATES, type Job, listJobs, listLanes, retryJob } from "../api/work";
import { Confirm } from "../components/confirm";
import { type DataColumn, DataTable, OlderButton } from "../components/data-table";
import { Choice } from "../components/field";
import { Answer, Badge, Card, Fact, Facts, Moment, Screen } from "../components/screen";
import { AccountLink, ApplicationLink } from "../components/tenant-links";
import { useShortcuts } from "../keys/shortcuts";
import { useOneAtATime } from "../one-at-a-time";
import { oneOf, placeHref, replaceRoute } from "../router";
import { useMarkedRows, useOpenRow } from "../rows";
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
  const rows = answer.data?.pages.flatMap(({ jobs }) => jobs) ?? [];
  const [open, choose] = useOpenRow(rows, idOf);
  const { isMarked, marked, meant: meantJobs, toggle: mark, clear } = useMarkedRows(rows, idOf, open);
  const meant = meantJobs.map(idOf);
  const change = useOneAtATime(async (ids: readonly string[], todo: (id: string) => Promise<void>, done: string) => {
    const count = format.number(ids.length);
    await act(
      async () => {
        for (const id of ids) {
          await todo(id);
        }
      },
      fill(done, { count }),
    );
    clear();
    await Promise.all(["jobs", "lanes"].map((kind) => client.invalidateQueries({ queryKey: [kind] })));
  });
  const mayChange = state !== "RUNNING" && meant.length > 0;
  useShortcuts(
    mayChange
      ? [
          { keys: "x", label: words.mark, scope: "here", run: mark },
          { keys: "r", label: words.retry, scope: "here", run: () => change(meant, retryJob, words.retried) },
        ]
      : [],
  );
  const columns: DataColumn<Job>[] = [
    {
      id: "kind",
      heading: words.kind,
      cell: (job) => (
        <span className="strong">
          {job.kind}
          {isMarked(job) && ` (${words.isMarked})`}
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
      <Answer query={answer}>
        {() => (
          <div className="split" data-beside={open !== undefined}>
            <div className="part">
              <DataTable
                label={texts.nav.jobs}
                columns={columns}
                rows={rows}
                idOf={idOf}
                empty={words.none}
                selected={open?.id}
                onSelect={choose}
              />
              <OlderButton query={answer} />
            </div>
            {open && (
              <div className="split-detail">
                <JobCard
                  key={open.id}
                  job={open}
                  marked={marked.length}
                  meant={mayChange ? meant : []}
                  onRetry={() => change(meant, retryJob, words.retried)}
                  onDiscard={(ids) => change(ids, discardJob, words.discarded)}
                />
              </div>
            )}
          </div>
        )}
      </Answer>
    </Screen>
  );
}

function idOf({ id }: Job): string {
  return id;
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
  /** What can be retried or discarded now. */
  meant: readonly string[];
  onRetry(): void;
  onDiscard(ids: readonly string[]): void;
}

function JobCard({ job, marked, meant, onRetry, onDiscard }: JobCardProps) {
  const texts = useTexts();
  const { jobs: words } = texts;
  const format = useFormat();
  /** What somebody is asked about: the list is fetched anew meanwhile. */
  const [asked, setAsked] = useState<readonly string[]>();
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
      {meant.length > 0 && (
        <div className="answers">
          <Button className="button primary" onPress={onRetry}>
            {words.retry} <kbd>R</kbd>
          </Button>
          <Button className="button danger" onPress={() => setAsked(meant)}>
            {words.discard}
          </Button>
        </div>
      )}
      <Confirm
        question={words.discardQuestion}
        meaning={words.discardMeans}
        yes={words.discard}
        isOpen={asked !== undefined}
        onAnswer={(yes) => {
          setAsked(undefined);
          if (yes && asked) {
            onDiscard(asked);
          }
        }}
      />
    </Card>
  );
}
