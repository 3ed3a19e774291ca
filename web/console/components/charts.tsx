// Figures that a decision rests on, drawn as SVG: each has its words beside it, so nothing is told by a colour alone.

import type { CaseAge } from "../api/cases";
import { fill, useFormat, useTexts } from "../texts";

const [WIDTH, HEIGHT] = [320, 56];
const [LEFT, RIGHT, LINE] = [10, 310, 30];
/** The part of it without numbers. */
const BARE_BOX = `0 ${LINE - 16} ${WIDTH} 32`;

/** Where a value lies on an axis from `low` to `high`. */
function place(value: number, low: number, high: number): number {
  const share = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return LEFT + share * (RIGHT - LEFT);
}

interface ScaleProps {
  label: string;
  low: number;
  high: number;
  value: number;
  limit: number;
  /** Which side of the limit counts as met. */
  met: "below" | "above";
  /** An interval around the value. */
  interval?: readonly [number, number] | undefined;
  tone: "good" | "bad" | "warn";
  /** Without the numbers, where they stand beside it. */
  isBare?: boolean;
}

/** An axis with the limit, the side on which it is met, and the value. Numbers run from left to right in every language. */
function Scale({ label, low, high, value, limit, met, interval, tone, isBare = false }: ScaleProps) {
  const format = useFormat();
  const [at, edge] = [place(value, low, high), place(limit, low, high)];
  const [from, to] = met === "below" ? [LEFT, edge] : [edge, RIGHT];
  return (
    <svg
      className="scale"
      viewBox={isBare ? BARE_BOX : `0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
      direction="ltr"
    >
      <rect className="scale-axis" x={LEFT} y={LINE - 4} width={RIGHT - LEFT} height={8} rx={4} />
      <rect className="scale-met" x={from} y={LINE - 4} width={Math.max(0, to - from)} height={8} rx={4} />
      {interval && (
        <line
          className="scale-interval"
          data-tone={tone}
          x1={place(interval[0], low, high)}
          x2={place(interval[1], low, high)}
          y1={LINE}
          y2={LINE}
        />
      )}
      <line className="scale-limit" x1={edge} x2={edge} y1={LINE - 14} y2={LINE + 14} />
      <circle className="scale-value" data-tone={tone} cx={at} cy={LINE} r={7} />
      {!isBare && (
        <>
          <text className="scale-text" x={at} y={LINE - 15} textAnchor={anchor(at)}>
            {format.measure(value)}
          </text>
          <text className="scale-text soft" x={edge} y={LINE + 25} textAnchor={anchor(edge)}>
            {format.measure(limit)}
          </text>
        </>
      )}
    </svg>
  );
}

function anchor(at: number): "start" | "middle" | "end" {
  return at < LEFT + 20 ? "start" : at > RIGHT - 20 ? "end" : "middle";
}

interface MatchProps {
  distance: number;
  limit: number;
  /** The share of strangers who are as near or nearer. */
  rate?: number | undefined;
}

/** How far a face is from the person's nearest one; up to the limit it matches. */
export function MatchScale({ distance, limit, rate }: MatchProps) {
  const { evidence } = useTexts();
  const format = useFormat();
  const strangers = useStrangers(rate);
  const alike = fill(distance <= limit ? evidence.isMatch : evidence.isNoMatch, {
    distance: format.measure(distance),
    limit: format.measure(limit),
  });
  const words = alike + strangers;
  return (
    <Figure words={words}>
      <Scale
        label={words}
        low={0}
        high={Math.max(2 * limit, 1.2 * distance)}
        value={distance}
        limit={limit}
        met="below"
        tone={distance <= limit ? "bad" : "good"}
      />
    </Figure>
  );
}

/** How many strangers would be as near as a distance with this rate of false matches; nothing where the model states none. */
function useStrangers(rate: number | undefined): string {
  const { evidence } = useTexts();
  const format = useFormat();
  return rate ? ` ${fill(evidence.strangers, { count: format.number(Math.round(1 / rate)) })}` : "";
}

/** From this similarity on two faces count as one person's, whatever the model: the server scales distances to it. */
const SIMILARITY_LIMIT = 0.5;

interface SimilarityProps {
  similarity: number;
  distance: number;
  /** The share of strangers who are as near or nearer. */
  rate?: number | undefined;
  /** Of the words only the number is shown; the others are said. */
  isShort?: boolean;
}

/** How similar two faces are: 1 for the same picture. */
export function SimilarityScale({ similarity, distance, rate, isShort = false }: SimilarityProps) {
  const { search } = useTexts();
  const format = useFormat();
  const isSame = similarity >= SIMILARITY_LIMIT;
  const strangers = useStrangers(rate);
  const alike = fill(isSame ? search.isSimilar : search.isLessSimilar, {
    similarity: format.measure(similarity),
    limit: format.measure(SIMILARITY_LIMIT),
    distance: format.measure(distance),
  });
  const words = alike + strangers;
  const scale = (
    <Scale
      label={words}
      low={0}
      high={1}
      value={similarity}
      limit={SIMILARITY_LIMIT}
      met="above"
      tone={isSame ? "good" : "warn"}
      isBare={isShort}
    />
  );
  if (isShort) {
    return (
      <span className="short-scale">
        {format.measure(similarity)} {scale}
      </span>
    );
  }
  return <Figure words={words}>{scale}</Figure>;
}

const MIN_SHOWN_YEARS = 40;

interface AgeProps {
  age: CaseAge;
  /** Whether the person is to be of the age that is asked for, or below it. */
  met?: ScaleProps["met"];
}

/** An estimated age with the interval in which it lies in 80 of 100 cases, and the age that is asked for. */
export function AgeScale({ age, met = "above" }: AgeProps) {
  const { evidence } = useTexts();
  const format = useFormat();
  const { years, low, high, threshold } = age;
  const interval = low !== undefined && high !== undefined ? ([low, high] as const) : undefined;
  const values = { years: format.number(years), low: format.number(low ?? years), high: format.number(high ?? years) };
  const estimate = fill(interval ? evidence.ageBetween : evidence.ageAbout, values);
  if (threshold === undefined) {
    return <p>{estimate}</p>;
  }
  const asked = fill(met === "above" ? evidence.ageAsked : evidence.ageAskedBelow, { threshold });
  const isMet = (at: number) => at >= threshold === (met === "above");
  const nearest = (met === "above" ? low : high) ?? years;
  const tone = !isMet(years) ? "bad" : isMet(nearest) ? "good" : "warn";
  return (
    <Figure words={`${estimate} ${asked}`}>
      <Scale
        label={`${estimate} ${asked}`}
        low={0}
        high={Math.max(MIN_SHOWN_YEARS, (high ?? years) + 5, threshold + 5)}
        value={years}
        limit={threshold}
        met={met}
        interval={interval}
        tone={tone}
      />
    </Figure>
  );
}

interface MeasureProps {
  label: string;
  value: number;
  limit: MeasureLimit;
  tone: ScaleProps["tone"];
}

/** A measure with its limit, where the limit is a number. */
export function MeasureScale({ label, value, limit, tone }: MeasureProps) {
  return (
    <Scale
      label={label}
      low={Math.min(0, value)}
      high={Math.max(2 * limit.at, 1.2 * value, Number.EPSILON)}
      value={value}
      limit={limit.at}
      met={limit.met}
      tone={tone}
    />
  );
}

export interface MeasureLimit {
  at: number;
  met: "below" | "above";
}

/** What a limit in words says as a number: "at most 1.8 decades", "at least 12". */
export function parseLimit(words: string): MeasureLimit | undefined {
  const [, side, number] = /\b(at most|at least) (-?\d+(?:\.\d+)?)/.exec(words) ?? [];
  return side && number ? { at: Number(number), met: side === "at most" ? "below" : "above" } : undefined;
}

function Figure({ words, children }: { words: string; children: React.ReactNode }) {
  return (
    <figure className="figure">
      {children}
      <figcaption>{words}</figcaption>
    </figure>
  );
}
