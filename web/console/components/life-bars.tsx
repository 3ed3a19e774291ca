// From when until when something is valid: words, and a bar on an axis of time that bars of a list share, with today's line.

import { type Format, fill, type Texts, useFormat, useTexts } from "../texts";
import { Badge, type Tone } from "./screen";

const DAY_MS = 86_400_000;
/** What ends within so many days ends soon. */
const SOON_DAYS = 14;
/** An axis shows so much before and after today at least. */
const MIN_AXIS_DAYS = 30;
/** The share of an axis that is empty beyond the last moment on it. */
const MARGIN = 0.06;

const WIDTH = 300;
const HEIGHT = 18;

/** A time between two moments, either of which may be open. */
export interface Life {
  from?: string | null | undefined;
  until?: string | null | undefined;
}

export type LifeState = "future" | "over" | "soon" | "fine";

export function lifeState({ from, until }: Life, now: number): LifeState {
  if (until && Date.parse(until) <= now) {
    return "over";
  }
  if (from && Date.parse(from) > now) {
    return "future";
  }
  return until && Date.parse(until) <= now + SOON_DAYS * DAY_MS ? "soon" : "fine";
}

const TONES: Readonly<Record<LifeState, Tone>> = { future: "plain", over: "bad", soon: "warn", fine: "good" };

const REPLACED_TONES: Readonly<Record<LifeState, Tone>> = { ...TONES, over: "plain", soon: "good" };

interface LifeBadgeProps {
  life: Life;
  state: LifeState;
  now: number;
  tone?: Tone;
}

/** How it stands with a life, in words: "ends in 3 days". */
export function LifeBadge({ life, state, now, tone = TONES[state] }: LifeBadgeProps) {
  const { trust: words } = useTexts();
  const format = useFormat();
  const edge = state === "future" ? life.from : life.until;
  return (
    <Badge tone={tone} {...(tone === "bad" || tone === "warn" ? { icon: "warning" as const } : {})}>
      {edge ? fill(words.states[state], { when: format.fromNow(edge, now) }) : words.noEnd}
    </Badge>
  );
}

interface LifeAxis {
  low: number;
  high: number;
}

/** An axis on which all of these moments and today have room. */
export function lifeAxis(lives: readonly Life[], now: number): LifeAxis {
  const moments = lives.flatMap(({ from, until }) => [from, until].flatMap((at) => (at ? [Date.parse(at)] : [])));
  const low = Math.min(now - MIN_AXIS_DAYS * DAY_MS, ...moments);
  const high = Math.max(now + MIN_AXIS_DAYS * DAY_MS, ...moments);
  const margin = MARGIN * (high - low);
  return { low: low - margin, high: high + margin };
}

function place(at: number, { low, high }: LifeAxis): number {
  return Math.round((10 * WIDTH * (at - low)) / (high - low)) / 10;
}

export interface LifeRow {
  id: string;
  name: React.ReactNode;
  /** The same for those who hear. */
  words: string;
  /** What else is known of it. */
  detail?: React.ReactNode;
  life: Life;
  /** Something follows it by itself: that it ends soon or has ended is as it should be. */
  isReplaced?: boolean;
}

/** Lives one below the other, on one axis. */
export function LifeBars({ rows, now }: { rows: readonly LifeRow[]; now: number }) {
  const { trust: words } = useTexts();
  const format = useFormat();
  const axis = lifeAxis(
    rows.map(({ life }) => life),
    now,
  );
  const day = (at: number) => format.day(new Date(at).toISOString());
  return (
    <div className="lives">
      <ul className="lines">
        {rows.map((row) => (
          <LifeLine key={row.id} row={row} axis={axis} now={now} />
        ))}
      </ul>
      <p className="life-axis soft" aria-hidden="true">
        <span>{day(axis.low)}</span> <span>{fill(words.today, { day: day(now) })}</span> <span>{day(axis.high)}</span>
      </p>
    </div>
  );
}

function LifeLine({ row, axis, now }: { row: LifeRow; axis: LifeAxis; now: number }) {
  const texts = useTexts();
  const format = useFormat();
  const { life, isReplaced = false } = row;
  const state = lifeState(life, now);
  const tone = (isReplaced ? REPLACED_TONES : TONES)[state];
  const said = lifeWords(texts, format, life);
  return (
    <li className="life">
      <div className="life-name">
        {row.name} <LifeBadge life={life} state={state} now={now} tone={tone} />
        {row.detail && <div className="soft detail">{row.detail}</div>}
      </div>
      <div className="life-time">
        <LifeBar label={`${row.words}: ${said}`} life={life} tone={tone} axis={axis} now={now} />
        <span className="soft detail">{said}</span>
      </div>
    </li>
  );
}

function lifeWords({ trust: words }: Texts, format: Format, { from, until }: Life): string {
  const values = { from: from ? format.day(from) : "", until: until ? format.day(until) : "" };
  return fill(from ? (until ? words.fromUntil : words.fromOn) : until ? words.untilOnly : words.always, values);
}

interface LifeBarProps {
  label: string;
  life: Life;
  tone: Tone;
  axis: LifeAxis;
  now: number;
}

function LifeBar({ label, life: { from, until }, tone, axis, now }: LifeBarProps) {
  const begin = from ? place(Date.parse(from), axis) : 0;
  const end = until ? place(Date.parse(until), axis) : WIDTH;
  const today = place(now, axis);
  return (
    <svg
      className="life-bar"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      <rect className="stacked-rest" y={5} width={WIDTH} height={8} rx={2} />
      <rect className="life-part" data-tone={tone} x={begin} y={5} width={Math.max(2, end - begin)} height={8} />
      <line className="life-today" x1={today} x2={today} y1={0} y2={HEIGHT} />
    </svg>
  );
}
