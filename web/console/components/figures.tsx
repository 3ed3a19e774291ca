// Shares and counts, drawn as SVG: each has its words beside it.

interface Part {
  id: string;
  value: number;
  tone: "good" | "bad" | "warn" | "plain";
}

const WIDTH = 300;
const HEIGHT = 12;

/** Parts of a whole, one after the other. Where the parts are less than the whole, the rest is left empty. */
export function StackedBar({ label, parts, whole }: { label: string; parts: readonly Part[]; whole: number }) {
  const scale = whole > 0 ? WIDTH / whole : 0;
  let at = 0;
  return (
    <svg
      className="stacked"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      <rect className="stacked-rest" width={WIDTH} height={HEIGHT} rx={3} />
      {parts.map(({ id, value, tone }) => {
        const x = at;
        at += value * scale;
        return <rect key={id} className="stacked-part" data-tone={tone} x={x} width={value * scale} height={HEIGHT} />;
      })}
    </svg>
  );
}

interface Column {
  id: string;
  /** What the column says to those who hear. */
  label: string;
  value: number;
  /** How much of it is marked. */
  marked: number;
}

const CHART_HEIGHT = 80;

/** A column for each day. */
export function ColumnChart({ label, columns }: { label: string; columns: readonly Column[] }) {
  const most = Math.max(1, ...columns.map(({ value }) => value));
  const step = WIDTH / Math.max(1, columns.length);
  return (
    <svg
      className="column-chart"
      viewBox={`0 0 ${WIDTH} ${CHART_HEIGHT}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      {columns.map(({ id, label: words, value, marked }, at) => {
        const height = (CHART_HEIGHT * value) / most;
        const bad = (CHART_HEIGHT * marked) / most;
        const place = { x: at * step + step * 0.1, width: step * 0.8 };
        return (
          <g key={id}>
            <title>{words}</title>
            <rect className="column-bar" {...place} y={CHART_HEIGHT - height} height={height} />
            <rect className="column-bar" data-tone="bad" {...place} y={CHART_HEIGHT - bad} height={bad} />
          </g>
        );
      })}
    </svg>
  );
}
