// A stand-in for how the server is and what it is made of: figures, settings, models, providers, trust and keys.

import type {
  AccuracyReport,
  Health,
  HealthSeries,
  KeyLives,
  Model,
  Provider,
  ProviderTestOutcome,
  Setting,
  TrustList,
} from "../../console/api/installation";
import type { OperatorScope } from "../../console/api/session";
import type { ConsolePaths, PathsBelow } from "../../shared/schema";
import { refuse } from "./cases-stand-in";
import { type Reply, reply } from "./holder-stand-in";

type Operations = PathsBelow<ConsolePaths, "/console">;

export const INTERVAL_SECONDS = 15;
/** As many tests as the server lets an operator make in a minute. */
const TESTS_PER_MINUTE = 10;

/** What each operation demands: one of these. */
const SCOPES: readonly (readonly [RegExp, readonly OperatorScope[]])[] = [
  [/ \/health$/, ["health:view"]],
  [/ \/settings$/, ["settings:view"]],
  [/ \/(models|reports)$/, ["models:view"]],
  [/ \/providers/, ["providers:test"]],
  [/ \/(trust-list|signing-keys)$/, ["settings:view", "trust:manage"]],
];

/** A figure that is the same in each sample, or is given for each. */
export function series(
  name: string,
  unit: string,
  labels: Record<string, string>,
  values: HealthSeries["values"],
): HealthSeries {
  return { name, unit, labels, values };
}

/** Figures of so many samples, the newest of them just now, with ups and downs that are always the same. */
export function healthOf(samples: number, more: readonly HealthSeries[] = []): Health {
  const newest = Date.now();
  const at = Array.from({ length: samples }, (_, number) =>
    new Date(newest - 1000 * INTERVAL_SECONDS * (samples - 1 - number)).toISOString(),
  );
  const wave = (mean: number, swing: number) =>
    at.map((_, number) => Math.round(1e6 * (mean + swing * Math.sin(number / 9))) / 1e6);
  const steady = (value: number) => at.map(() => value);
  const requests = (name: string, status: string, values: HealthSeries["values"]) =>
    series("requests", "per second", { interface: name, status }, values);
  const latency = (name: string, quantile: string, values: HealthSeries["values"]) =>
    series("latency", "seconds", { interface: name, quantile }, values);
  const jobs = (lane: string, state: string, values: HealthSeries["values"]) =>
    series("jobs", "jobs", { lane, state }, values);
  const lanes = ["quick", "documents", "heavy", "live", "upkeep"].flatMap((lane) => [
    jobs(lane, "due", lane === "heavy" ? wave(4, 3) : steady(0)),
    jobs(lane, "running", lane === "heavy" ? steady(2) : steady(0)),
    jobs(lane, "parked", steady(0)),
    series("oldest_due_job", "seconds", { lane }, lane === "heavy" ? wave(40, 30) : steady(0)),
  ]);
  const all = [
    requests("ages", "2xx", wave(12, 6)),
    requests("ages", "4xx", wave(0.8, 0.5)),
    latency("ages", "0.5", wave(0.021, 0.004)),
    latency("ages", "0.95", wave(0.085, 0.03)),
    latency("ages", "0.99", wave(0.24, 0.12)),
    requests("console", "2xx", wave(0.5, 0.3)),
    latency("console", "0.5", wave(0.004, 0.001)),
    requests("oauth", "2xx", steady(0)),
    ...lanes,
    series("deliveries", "messages", { state: "waiting" }, wave(3, 2)),
    series("deliveries", "messages", { state: "running" }, steady(1)),
    series("oldest_due_delivery", "seconds", {}, steady(0)),
    series("delivery_attempts", "per second", { outcome: "delivered" }, wave(1.5, 0.5)),
    series("inference_queued", "images", {}, steady(0)),
    series("inference_running", "images", {}, wave(1.5, 1)),
    series("inference_done", "per second", {}, wave(9, 3)),
    series("database_connections_used", "connections", {}, wave(2.5, 1)),
    series("database_connections_limit", "connections", {}, steady(8)),
    series("cases", "cases", { kind: "FINDING", state: "open" }, wave(30, 8)),
    series("cases", "cases", { kind: "FINDING", state: "overdue" }, wave(3, 2)),
    series("disk_free", "bytes", {}, wave(4.1e10, 1e8)),
    series("stored_files", "bytes", {}, wave(2.4e9, 1e7)),
    series("memory", "bytes", {}, wave(4.2e8, 2e7)),
    series("cpu", "cores", {}, wave(0.6, 0.3)),
  ];
  const isReplaced = (one: HealthSeries) =>
    more.some(({ name, labels }) => name === one.name && JSON.stringify(labels) === JSON.stringify(one.labels));
  return { interval_seconds: INTERVAL_SECONDS, at, series: [...all.filter((one) => !isReplaced(one)), ...more] };
}

export class HealthStandIn {
  health: Health = { interval_seconds: INTERVAL_SECONDS, at: [], series: [] };
  settings: Setting[] = [];
  models: Model[] = [];
  reports: AccuracyReport[] = [];
  providers: Provider[] = [];
  /** What each test says; other services work. */
  readonly outcomes = new Map<string, ProviderTestOutcome>();
  trustList: TrustList = { issuers: [] };
  keys: KeyLives = { signing_keys: [], data_keys: [], processes: [] };
  #tests = 0;

  answer(asked: string, granted: readonly OperatorScope[]): Reply | undefined {
    const needed = SCOPES.find(([pattern]) => pattern.test(asked))?.[1];
    if (!needed) {
      return undefined;
    }
    if (!needed.some((scope) => granted.includes(scope))) {
      return refuse(401, `the scope ${needed.join(" or ")} is needed`, "UNAUTHORIZED");
    }
    const [, tested] = /^POST \/providers\/([^/]+)\/test$/.exec(asked) ?? [];
    switch (asked) {
      case "GET /health":
        return reply<Operations["/health"]["get"]>(200, this.health);
      case "GET /settings":
        return reply<Operations["/settings"]["get"]>(200, { settings: this.settings });
      case "GET /models":
        return reply<Operations["/models"]["get"]>(200, { models: this.models });
      case "GET /reports":
        return reply<Operations["/reports"]["get"]>(200, { reports: this.reports });
      case "GET /providers":
        return reply<Operations["/providers"]["get"]>(200, { providers: this.providers });
      case "GET /trust-list":
        return reply<Operations["/trust-list"]["get"]>(200, this.trustList);
      case "GET /signing-keys":
        return reply<Operations["/signing-keys"]["get"]>(200, this.keys);
      default:
        return tested ? this.#test(decodeURIComponent(tested)) : undefined;
    }
  }

  #test(name: string): Reply {
    if (!this.providers.some((one) => one.name === name)) {
      return refuse(404, "there is no such provider", "NOT_FOUND");
    }
    this.#tests += 1;
    if (this.#tests > TESTS_PER_MINUTE) {
      return refuse(429, "too many requests; try again later", "TOO_MANY_REQUESTS");
    }
    const usual = {
      succeeded: true,
      message: "a file was written, read and deleted",
      took_ms: 12,
      tested_at: new Date().toISOString(),
    };
    return reply<Operations["/providers/{provider}/test"]["post"]>(200, this.outcomes.get(name) ?? usual);
  }
}
