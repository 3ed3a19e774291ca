// Figures over time, drawn as SVG. Lines differ by their dashes as well as by their colours, and stand below with their names
// and numbers; every figure is in a table that opens.

import { useId, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Disclosure, DisclosurePanel } from "react-aria-components/Disclosure";
import { summarise, type Values } from "../health/figures";
import { fill, useFormat, useTexts } from "../texts";
import { Icon } from "./icon";

const WIDTH = 300;
const HEIGHT = 80;
/** Room for the width of a line at the top. */
const TOP = 2;

export interface ChartLine {
  id: string;
  words: string;
  values: Values;
  tone: "good" | "bad" | "warn" | "plain";
}

interface LineChartProps {
  heading: string;
  /** When each value was measured. */
  times: readonly string[];
  lines: readonly ChartLine[];
  /** How a value is written, with its unit. */
  write(value: number): string;
}

/** The lines of values from 0 to `most`; where one is not known, the line has a gap. */
export function linePath(values: Values, most: number): string {
  const step = WIDTH / Math.max(1, values.length - 1);
  let isDrawing = false;
  const parts = values.map((value, at) => {
    if (value === null) {
      isDrawing = false;
      return "";
    }
    const place = `${round(at * step)} ${round(HEIGHT - (value / most) * (HEIGHT - TOP))}`;
    const isAlone = !isDrawing && (values[at + 1] ?? null) === null;
    const part = isDrawing ? `L${place}` : `M${place}`;
    isDrawing = true;
    // A value between two gaps is a dot.
    return isAlone ? `${part}h0` : part;
  });
  return parts.join("");
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}

export function LineChart({ heading, times, lines, write }: LineChartProps) {
  const { health: words } = useTexts();
  const format = useFormat();
  const id = useId();
  const most = Math.max(0, ...lines.flatMap(({ values }) => summarise(values)?.highest ?? []));
  const [from, to] = [times[0], times.at(-1)];
  const said = lines.map((line) => {
    const now = summarise(line.values)?.now;
    return `${line.words} ${now === undefined ? words.unknown : write(now)}`;
  });
  return (
    <figure className="line-figure" aria-labelledby={id}>
      <figcaption id={id} className="strong">
        {heading}
      </figcaption>
      <div className="line-frame">
        <span className="line-most soft">{write(most)}</span>
        <svg
          className="line-chart"
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          role="img"
          aria-label={fill(words.chart, { what: heading, values: said.join(", ") })}
          preserveAspectRatio="none"
        >
          {lines.map(({ id, values, tone }) => (
            <path key={id} className="chart-line" data-tone={tone} d={linePath(values, most || 1)} />
          ))}
        </svg>
        {from && to && (
          <span className="line-times soft">
            <time dateTime={from}>{format.time(from)}</time> <time dateTime={to}>{format.time(to)}</time>
          </span>
        )}
      </div>
      <table className="fields line-table" aria-label={heading}>
        <thead>
          <tr>
            <th scope="col">{words.line}</th>
            <th scope="col">{words.now}</th>
            <th scope="col">{words.mean}</th>
            <th scope="col">{words.highest}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <LineRow key={line.id} line={line} write={write} />
          ))}
        </tbody>
      </table>
      <AllValues heading={heading} times={times} lines={lines} write={write} />
    </figure>
  );
}

function LineRow({ line, write }: { line: ChartLine; write(value: number): string }) {
  const summary = summarise(line.values);
  const written = (value: number | undefined) => (value === undefined ? "–" : write(value));
  return (
    <tr>
      <th scope="row">
        <svg className="line-key" viewBox="0 0 28 10" aria-hidden="true" focusable="false">
          <path className="chart-line" data-tone={line.tone} d="M1 5H27" />
        </svg>{" "}
        {line.words}
      </th>
      <td>{written(summary?.now)}</td>
      <td>{written(summary?.mean)}</td>
      <td>{written(summary?.highest)}</td>
    </tr>
  );
}

/** Each figure by its time, the newest first; drawn when it is opened. */
function AllValues({ heading, times, lines, write }: LineChartProps) {
  const { health: words } = useTexts();
  const format = useFormat();
  const [isOpen, setOpen] = useState(false);
  return (
    <Disclosure className="disclosure" isExpanded={isOpen} onExpandedChange={setOpen}>
      <Button slot="trigger" className="disclosure-button" aria-label={`${words.allFigures}: ${heading}`}>
        <Icon name="forward" /> {words.allFigures}
      </Button>
      <DisclosurePanel>
        {isOpen && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it.
          <section className="scroll line-values" tabIndex={0} aria-label={`${words.allFigures}: ${heading}`}>
            <table className="fields">
              <thead>
                <tr>
                  <th scope="col">{words.time}</th>
                  {lines.map((line) => (
                    <th key={line.id} scope="col">
                      {line.words}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {[...times.entries()].reverse().map(([at, time]) => (
                  <tr key={time}>
                    <th scope="row">
                      <time dateTime={time}>{format.time(time)}</time>
                    </th>
                    {lines.map(({ id, values }) => {
                      const value = values[at] ?? null;
                      return <td key={id}>{value === null ? "–" : write(value)}</td>;
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
      </DisclosurePanel>
    </Disclosure>
  );
}
