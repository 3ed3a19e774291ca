// How the server is: what is wrong now, and the figures of the last hour as charts, as long as somebody looks.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { getHealth, type Health } from "../api/installation";
import { Choice } from "../components/field";
import { Icon } from "../components/icon";
import { type ChartLine, LineChart } from "../components/line-chart";
import { Answer, Badge, Card, Empty, Moment, Screen, type Tone } from "../components/screen";
import {
  failedShare,
  interfacesOf,
  lanesOf,
  type Problem,
  problemsOf,
  requestLines,
  seriesOf,
  type Values,
} from "../health/figures";
import { oneOf, placeHref, replaceRoute } from "../router";
import { useConsole } from "../session-context";
import { type Format, fill, lookup, type Texts, useFormat, useTexts } from "../texts";
import type { ScreenProps } from ".";

/** As often as there are new figures, before it is known how often that is. */
const USUAL_INTERVAL_SECONDS = 15;
const GROUPS = ["requests", "models", "jobs", "messages", "cases", "database", "process"] as const;
type Group = (typeof GROUPS)[number];

export function HealthScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { health: words } = texts;
  const shown = oneOf(["", ...GROUPS], query.get("group"), "");
  const answer = useQuery({
    queryKey: ["health"],
    queryFn: getHealth,
    staleTime: 0,
    // Nobody is asked while the page is not visible.
    refetchInterval: ({ state }) => 1000 * (state.data?.interval_seconds ?? USUAL_INTERVAL_SECONDS),
  });
  return (
    <Screen heading={texts.nav.health} wide>
      <Answer query={answer}>
        {(health) =>
          health.at.length === 0 ? (
            <Empty>{words.noFigures}</Empty>
          ) : (
            <>
              <Problems health={health} at={answer.dataUpdatedAt} />
              <div className="filters">
                <Choice
                  label={words.show}
                  value={shown}
                  options={[["", words.everything] as const, ...GROUPS.map((one) => [one, words.groups[one]] as const)]}
                  onChange={(group) => replaceRoute(placeHref("health", { group }))}
                />
              </div>
              {GROUPS.filter((group) => shown === "" || shown === group).map((group) => (
                <GroupSection key={group} heading={words.groups[group]}>
                  {DRAWN[group]({ health })}
                </GroupSection>
              ))}
            </>
          )
        }
      </Answer>
    </Screen>
  );
}

const DRAWN: Readonly<Record<Group, (props: { health: Health }) => ReactNode>> = {
  requests: (props) => <Requests {...props} />,
  models: (props) => <Models {...props} />,
  jobs: (props) => <Jobs {...props} />,
  messages: (props) => <Messages {...props} />,
  cases: (props) => <Cases {...props} />,
  database: (props) => <Database {...props} />,
  process: (props) => <Process {...props} />,
};

const TONES: Readonly<Record<Problem["kind"], Tone>> = {
  stale: "bad",
  database: "bad",
  failing: "bad",
  parked: "bad",
  lateJobs: "warn",
  lateMessages: "warn",
  undelivered: "warn",
  connections: "warn",
  queued: "warn",
};

function problemWords(texts: Texts, format: Format, problem: Problem, now: number): string {
  const { health: words, jobs } = texts;
  const lane = (name: string) => lookup(jobs.lanes, name) ?? name;
  switch (problem.kind) {
    case "stale":
      return fill(words.problems.stale, { when: format.fromNow(problem.at, now) });
    case "database":
      return words.problems.database;
    case "failing":
      return fill(words.problems.failing, {
        interface: interfaceWords(texts, problem.interface),
        share: format.percent(problem.share),
      });
    case "parked":
      return fill(words.problems.parked, { count: format.number(problem.count), lane: lane(problem.lane) });
    case "lateJobs":
      return fill(words.problems.lateJobs, { lane: lane(problem.lane), time: format.duration(problem.seconds) });
    case "lateMessages":
      return fill(words.problems.lateMessages, { time: format.duration(problem.seconds) });
    case "undelivered":
      return fill(words.problems.undelivered, { share: format.percent(problem.share) });
    case "connections":
      return fill(words.problems.connections, {
        used: format.number(problem.used),
        limit: format.number(problem.limit),
      });
    case "queued":
      return fill(words.problems.queued, { count: format.number(problem.images) });
  }
}

function interfaceWords({ health }: Texts, name: string): string {
  return lookup(health.interfaces, name) ?? name;
}

function Problems({ health, at }: { health: Health; at: number }) {
  const texts = useTexts();
  const { health: words } = texts;
  const format = useFormat();
  const { may } = useConsole();
  const problems = problemsOf(health, at);
  const newest = health.at.at(-1);
  return (
    <Card heading={words.wrongNow} id="problems">
      {problems.length === 0 ? (
        <p>
          <Badge tone="good" icon="check">
            {words.fine}
          </Badge>{" "}
          {words.nothingWrong}
        </p>
      ) : (
        <ul className="lines">
          {problems.map((problem) => {
            const said = problemWords(texts, format, problem, at);
            const leads = ["parked", "lateJobs"].includes(problem.kind) && may("jobs:manage");
            return (
              <li key={said} className="problem">
                <span className="problem-mark" data-tone={TONES[problem.kind]}>
                  <Icon name={TONES[problem.kind] === "bad" ? "warning" : "info"} />
                </span>
                <span>
                  {said} {leads && <a href={placeHref("jobs")}>{texts.nav.jobs}</a>}
                </span>
              </li>
            );
          })}
        </ul>
      )}
      <p className="soft">
        {words.ofProcess} {newest && <Moment at={newest} />}
      </p>
    </Card>
  );
}

function GroupSection({ heading, children }: { heading: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="part" aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      {children}
    </section>
  );
}

/** Charts of one thing. */
function ChartCard({ heading, mark, children }: { heading?: string; mark?: ReactNode; children: ReactNode }) {
  return (
    <Card>
      {heading && (
        <div className="line">
          <h3>{heading}</h3> {mark}
        </div>
      )}
      <div className="charts">{children}</div>
    </Card>
  );
}

/** What nothing happened with in the last hour, in a line. */
function Quiet({ names }: { names: readonly string[] }) {
  const { health: words } = useTexts();
  return names.length === 0 ? null : <p className="soft">{fill(words.quiet, { names: names.join(", ") })}</p>;
}

function valuesOf(health: Health, name: string, labels: Readonly<Record<string, string>> = {}): Values {
  return seriesOf(health, name, labels)[0]?.values ?? health.at.map(() => null);
}

function Requests({ health }: { health: Health }) {
  const texts = useTexts();
  const { health: words } = texts;
  const format = useFormat();
  const { busy, quiet } = interfacesOf(health);
  return (
    <>
      {busy.map((name) => {
        const share = failedShare(health, name) ?? 0;
        const { answered, refused, failed } = requestLines(health, name);
        const quantile = (word: string) => valuesOf(health, "latency", { interface: name, quantile: word });
        return (
          <ChartCard
            key={name}
            heading={interfaceWords(texts, name)}
            mark={
              <Badge tone={share > 0 ? "bad" : "good"}>
                {fill(words.failedShare, { share: format.percent(share) })}
              </Badge>
            }
          >
            <LineChart
              heading={words.perSecond}
              times={health.at}
              write={(value) => format.measure(value)}
              lines={[
                { id: "answered", words: words.answered, values: answered, tone: "good" },
                { id: "refused", words: words.refused, values: refused, tone: "warn" },
                { id: "failed", words: words.failed, values: failed, tone: "bad" },
              ]}
            />
            <LineChart
              heading={words.latency}
              times={health.at}
              write={(value) => format.duration(value)}
              lines={[
                { id: "0.5", words: words.half, values: quantile("0.5"), tone: "good" },
                { id: "0.95", words: words.most95, values: quantile("0.95"), tone: "warn" },
                { id: "0.99", words: words.most99, values: quantile("0.99"), tone: "plain" },
              ]}
            />
          </ChartCard>
        );
      })}
      <Quiet names={quiet.map((name) => interfaceWords(texts, name))} />
    </>
  );
}

function Models({ health }: { health: Health }) {
  const { health: words } = useTexts();
  const format = useFormat();
  return (
    <ChartCard>
      <LineChart
        heading={words.images}
        times={health.at}
        write={(value) => format.number(value)}
        lines={[
          { id: "running", words: words.running, values: valuesOf(health, "inference_running"), tone: "good" },
          { id: "queued", words: words.waiting, values: valuesOf(health, "inference_queued"), tone: "warn" },
        ]}
      />
      <LineChart
        heading={words.imagesPerSecond}
        times={health.at}
        write={(value) => format.measure(value)}
        lines={[{ id: "done", words: words.done, values: valuesOf(health, "inference_done"), tone: "good" }]}
      />
    </ChartCard>
  );
}

function Jobs({ health }: { health: Health }) {
  const { health: words, jobs } = useTexts();
  const format = useFormat();
  const { busy, quiet } = lanesOf(health);
  const laneWords = (lane: string) => lookup(jobs.lanes, lane) ?? lane;
  return (
    <>
      {busy.map((lane) => {
        const of = (state: string) => valuesOf(health, "jobs", { lane, state });
        return (
          <ChartCard key={lane} heading={laneWords(lane)}>
            <LineChart
              heading={words.jobs}
              times={health.at}
              write={(value) => format.number(value)}
              lines={[
                { id: "running", words: words.running, values: of("running"), tone: "good" },
                { id: "due", words: words.due, values: of("due"), tone: "warn" },
                { id: "parked", words: words.parked, values: of("parked"), tone: "bad" },
              ]}
            />
            <OldestChart health={health} values={valuesOf(health, "oldest_due_job", { lane })} />
          </ChartCard>
        );
      })}
      <Quiet names={quiet.map(laneWords)} />
    </>
  );
}

function Cases({ health }: { health: Health }) {
  const texts = useTexts();
  const { health: words } = texts;
  const format = useFormat();
  const kinds = [...new Set(seriesOf(health, "cases").map(({ labels }) => labels.kind ?? ""))];
  return kinds.map((kind) => {
    const of = (state: string) => valuesOf(health, "cases", { kind, state });
    return (
      <ChartCard key={kind} heading={lookup(texts.cases.kinds, kind) ?? kind}>
        <LineChart
          heading={texts.nav.cases}
          times={health.at}
          write={(value) => format.number(value)}
          lines={[
            { id: "open", words: words.openCases, values: of("open"), tone: "good" },
            { id: "overdue", words: words.overdueCases, values: of("overdue"), tone: "bad" },
          ]}
        />
      </ChartCard>
    );
  });
}

function OldestChart({ health, values }: { health: Health; values: Values }) {
  const { health: words } = useTexts();
  const format = useFormat();
  return (
    <LineChart
      heading={words.oldestDue}
      times={health.at}
      write={(value) => format.duration(value)}
      lines={[{ id: "oldest", words: words.overdueBy, values, tone: "warn" }]}
    />
  );
}

const OUTCOME_TONES: Readonly<Record<string, ChartLine["tone"]>> = {
  delivered: "good",
  rejected: "bad",
  unanswered: "warn",
  refused: "plain",
};

function Messages({ health }: { health: Health }) {
  const { health: words } = useTexts();
  const format = useFormat();
  const attempts = seriesOf(health, "delivery_attempts");
  const of = (state: string) => valuesOf(health, "deliveries", { state });
  return (
    <ChartCard>
      <LineChart
        heading={words.messages}
        times={health.at}
        write={(value) => format.number(value)}
        lines={[
          { id: "running", words: words.beingSent, values: of("running"), tone: "good" },
          { id: "waiting", words: words.waiting, values: of("waiting"), tone: "warn" },
        ]}
      />
      <OldestChart health={health} values={valuesOf(health, "oldest_due_delivery")} />
      {attempts.length > 0 && (
        <LineChart
          heading={words.attempts}
          times={health.at}
          write={(value) => format.measure(value)}
          lines={attempts.map(({ labels, values }) => {
            const outcome = labels.outcome ?? "";
            const said = lookup(words.outcomes, outcome) ?? outcome;
            return { id: outcome, words: said, values, tone: OUTCOME_TONES[outcome] ?? "plain" };
          })}
        />
      )}
    </ChartCard>
  );
}

function Database({ health }: { health: Health }) {
  const { health: words } = useTexts();
  const format = useFormat();
  const connections = (which: string) => valuesOf(health, `database_connections_${which}`);
  return (
    <ChartCard>
      <LineChart
        heading={words.connections}
        times={health.at}
        write={(value) => format.number(value)}
        lines={[
          { id: "used", words: words.inUse, values: connections("used"), tone: "good" },
          { id: "limit", words: words.atMost, values: connections("limit"), tone: "plain" },
        ]}
      />
      <LineChart
        heading={words.storedFiles}
        times={health.at}
        write={(value) => format.bytes(value)}
        lines={[{ id: "stored", words: words.size, values: valuesOf(health, "stored_files"), tone: "good" }]}
      />
      <LineChart
        heading={words.freeDisk}
        times={health.at}
        write={(value) => format.bytes(value)}
        lines={[{ id: "free", words: words.size, values: valuesOf(health, "disk_free"), tone: "good" }]}
      />
    </ChartCard>
  );
}

function Process({ health }: { health: Health }) {
  const { health: words } = useTexts();
  const format = useFormat();
  return (
    <ChartCard>
      <LineChart
        heading={words.cpu}
        times={health.at}
        write={(value) => format.measure(value)}
        lines={[{ id: "cpu", words: words.cores, values: valuesOf(health, "cpu"), tone: "good" }]}
      />
      <LineChart
        heading={words.memory}
        times={health.at}
        write={(value) => format.bytes(value)}
        lines={[{ id: "memory", words: words.resident, values: valuesOf(health, "memory"), tone: "good" }]}
      />
    </ChartCard>
  );
}
