// The figures of the server without anything that is seen: which belong together, and what is wrong by them.

import type { Health, HealthSeries } from "../api/installation";

export type Values = readonly (number | null)[];
type Labels = Readonly<Record<string, string>>;

/** What requests are counted by, in the order in which it is shown. */
const INTERFACES = ["moderation", "ai", "proof", "identity", "ages", "console", "oauth", "other"];
const LANES = ["quick", "documents", "heavy", "live", "upkeep"];

/** What counts as now, where one sample says too little. */
const RECENT_SECONDS = 300;
/** From this share of failed requests on, something is wrong. */
const FAILING_SHARE = 0.01;
/** From this share of attempts that did not deliver on, something is wrong. */
const UNDELIVERED_SHARE = 0.5;
/** Work that has been due for longer waits for something. */
const LATE_SECONDS = 300;
/** From this share of connections on, requests wait for one. */
const CONNECTIONS_SHARE = 0.9;
/** So long a shortage lasts before it is told. */
const SHORTAGE_SECONDS = 60;
/** Figures that are older are of a server that takes none any more. */
const STALE_SECONDS = 120;

/** The figures of a name, as far as they have these labels. */
export function seriesOf({ series }: Health, name: string, labels: Labels = {}): HealthSeries[] {
  const wanted = Object.entries(labels);
  return series.filter((one) => one.name === name && wanted.every(([label, value]) => one.labels[label] === value));
}

/** Adds figures up, sample by sample: null where none of them is known. */
export function addUp(all: readonly HealthSeries[], samples: number): Values {
  return Array.from({ length: samples }, (_, at) => {
    const known = all.flatMap(({ values }) => values[at] ?? []);
    return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
  });
}

function known(values: Values): number[] {
  return values.filter((one): one is number => one !== null);
}

export interface Summary {
  /** The newest value; nothing where it is not known. */
  now: number | undefined;
  mean: number;
  highest: number;
}

/** Values in short; nothing where none is known. */
export function summarise(values: Values): Summary | undefined {
  const all = known(values);
  if (all.length === 0) {
    return undefined;
  }
  const sum = all.reduce((sum, one) => sum + one, 0);
  return { now: values.at(-1) ?? undefined, mean: sum / all.length, highest: Math.max(...all) };
}

/** The values of a label, those that are known to the console first and in its order. */
function labelValues(health: Health, name: string, label: string, order: readonly string[]): string[] {
  const all = [...new Set(seriesOf(health, name).flatMap(({ labels }) => labels[label] ?? []))];
  const place = (one: string) => (order.includes(one) ? order.indexOf(one) : order.length);
  return all.sort((one, other) => place(one) - place(other) || (one < other ? -1 : 1));
}

function isEverPositive(all: readonly HealthSeries[]): boolean {
  return all.some(({ values }) => values.some((one) => one !== null && one > 0));
}

interface Subjects {
  /** Those of which something happened. */
  busy: string[];
  /** Those of which nothing happened in the whole hour. */
  quiet: string[];
}

function divide(all: readonly string[], isBusy: (one: string) => boolean): Subjects {
  return { busy: all.filter(isBusy), quiet: all.filter((one) => !isBusy(one)) };
}

export function interfacesOf(health: Health): Subjects {
  const all = labelValues(health, "requests", "interface", INTERFACES);
  return divide(all, (one) => isEverPositive(seriesOf(health, "requests", { interface: one })));
}

export function lanesOf(health: Health): Subjects {
  const all = labelValues(health, "jobs", "lane", LANES);
  return divide(all, (lane) => isEverPositive(seriesOf(health, "jobs", { lane })));
}

/** Requests of an interface by how they were answered. */
export function requestLines(health: Health, name: string): Record<"answered" | "refused" | "failed", Values> {
  const all = seriesOf(health, "requests", { interface: name });
  const whole = addUp(all, health.at.length);
  const of = (isOne: (status: string) => boolean) => {
    const part = addUp(
      all.filter(({ labels }) => isOne(labels.status ?? "")),
      health.at.length,
    );
    // A status that has not occurred yet has no figures: there were none of it.
    return part.map((value, at) => value ?? (whole[at] === null ? null : 0));
  };
  return {
    answered: of((status) => status !== "4xx" && status !== "5xx"),
    refused: of((status) => status === "4xx"),
    failed: of((status) => status === "5xx"),
  };
}

/** Which share of `parts` is of `all`, in the newest samples; nothing where there were none. */
function shareOf(parts: readonly HealthSeries[], all: readonly HealthSeries[], samples: number): number | undefined {
  const sum = (of: readonly HealthSeries[]) =>
    of.flatMap(({ values }) => known(values.slice(-samples))).reduce((sum, one) => sum + one, 0);
  const whole = sum(all);
  return whole > 0 ? sum(parts) / whole : undefined;
}

/** The share of an interface's requests that the server failed to answer, in the whole hour. */
export function failedShare(health: Health, name: string, samples = health.at.length): number | undefined {
  const all = seriesOf(health, "requests", { interface: name });
  return shareOf(seriesOf(health, "requests", { interface: name, status: "5xx" }), all, samples);
}

export type Problem =
  | { kind: "stale"; at: string }
  | { kind: "database" }
  | { kind: "failing"; interface: string; share: number }
  | { kind: "parked"; lane: string; count: number }
  | { kind: "lateJobs"; lane: string; seconds: number }
  | { kind: "lateMessages"; seconds: number }
  | { kind: "undelivered"; share: number }
  | { kind: "connections"; used: number; limit: number }
  | { kind: "queued"; images: number };

/** What is wrong now, as far as the figures say. */
export function problemsOf(health: Health, now: number): Problem[] {
  const newest = health.at.at(-1);
  if (newest === undefined) {
    return [];
  }
  const samples = (seconds: number) => Math.max(1, Math.ceil(seconds / health.interval_seconds));
  const isStale = now - Date.parse(newest) > 1000 * STALE_SECONDS;
  return [
    ...(isStale ? [{ kind: "stale" as const, at: newest }] : []),
    ...failingInterfaces(health, samples(RECENT_SECONDS)),
    ...lateWork(health),
    ...undeliveredMessages(health, samples(RECENT_SECONDS)),
    ...shortages(health, samples(SHORTAGE_SECONDS)),
  ];
}

function failingInterfaces(health: Health, samples: number): Problem[] {
  return interfacesOf(health).busy.flatMap((name) => {
    const share = failedShare(health, name, samples) ?? 0;
    return share >= FAILING_SHARE ? [{ kind: "failing" as const, interface: name, share }] : [];
  });
}

function newestOf(series: HealthSeries | undefined): number | null | undefined {
  return series?.values.at(-1);
}

function lateWork(health: Health): Problem[] {
  const jobs = seriesOf(health, "jobs");
  // The sample of this moment has no figures of the database, and earlier ones had.
  if (jobs.length > 0 && jobs.every((one) => newestOf(one) === null)) {
    return [{ kind: "database" }];
  }
  const parked = seriesOf(health, "jobs", { state: "parked" }).flatMap((one): Problem[] => {
    const count = newestOf(one) ?? 0;
    return count > 0 ? [{ kind: "parked", lane: one.labels.lane ?? "", count }] : [];
  });
  const late = seriesOf(health, "oldest_due_job").flatMap((one): Problem[] => {
    const seconds = newestOf(one) ?? 0;
    return seconds > LATE_SECONDS ? [{ kind: "lateJobs", lane: one.labels.lane ?? "", seconds }] : [];
  });
  const seconds = newestOf(seriesOf(health, "oldest_due_delivery")[0]) ?? 0;
  return [...parked, ...late, ...(seconds > LATE_SECONDS ? [{ kind: "lateMessages" as const, seconds }] : [])];
}

function undeliveredMessages(health: Health, samples: number): Problem[] {
  const all = seriesOf(health, "delivery_attempts");
  const failed = all.filter(({ labels }) => labels.outcome !== "delivered");
  const share = shareOf(failed, all, samples) ?? 0;
  return share >= UNDELIVERED_SHARE ? [{ kind: "undelivered", share }] : [];
}

function shortages(health: Health, samples: number): Problem[] {
  const used = seriesOf(health, "database_connections_used")[0]?.values.slice(-samples) ?? [];
  const limit = newestOf(seriesOf(health, "database_connections_limit")[0]);
  const isFull = limit && used.length === samples && used.every((one) => (one ?? 0) >= CONNECTIONS_SHARE * limit);
  const queued = seriesOf(health, "inference_queued")[0]?.values.slice(-samples) ?? [];
  const isQueued = queued.length === samples && queued.every((one) => (one ?? 0) > 0);
  return [
    ...(isFull ? [{ kind: "connections" as const, used: used.at(-1) ?? 0, limit }] : []),
    ...(isQueued ? [{ kind: "queued" as const, images: queued.at(-1) ?? 0 }] : []),
  ];
}
