import { useEffect, useId, useRef, useState } from 'react';
import { numberLabel, timeLabel, timeScale, valueScale } from './scale';
import type { Point } from './series';

const height = 228;
const margin = { top: 20, right: 20, bottom: 26, left: 62 };

/** Points that are drawn one by one; where there are more, the line alone is clearer. */
const maxDots = 150;

/** A line through points over time. What it shows is said in words, too. */
export function Chart({ points, unit, title }: { points: Point[]; unit?: string; title: string }) {
  const caption = useId();
  const [frame, width] = useWidth();
  const first = points[0];
  const last = points.at(-1);
  return (
    <figure className="chart" ref={frame}>
      {first && last && width > 0 && (
        <Drawing points={points} unit={unit} first={first.at} last={last.at} width={width} caption={caption} />
      )}
      <figcaption id={caption}>{first && last ? describe(points, first, last, title) : `${title}: no values.`}</figcaption>
    </figure>
  );
}

interface DrawingProps {
  points: Point[];
  unit?: string;
  first: number;
  last: number;
  width: number;
  caption: string;
}

function Drawing({ points, unit, first, last, width, caption }: DrawingProps) {
  const values = points.map(({ value }) => value);
  const x = timeScale(first, last, margin.left, width - margin.right);
  const y = valueScale(least(values), greatest(values), height - margin.bottom, margin.top);
  const line = points.map(({ at, value }) => `${x.place(at).toFixed(1)},${y.place(value).toFixed(1)}`).join(' ');
  return (
    <svg role="img" aria-labelledby={caption} width={width} height={height}>
      {y.ticks.map((tick) => (
        <g key={tick} className="chart-tick">
          <line x1={margin.left} x2={width - margin.right} y1={y.place(tick)} y2={y.place(tick)} />
          <text x={margin.left - 8} y={y.place(tick)} dy="0.32em" textAnchor="end">
            {numberLabel(tick)}
          </text>
        </g>
      ))}
      {unit && (
        <text className="chart-unit" x={margin.left} y={10}>
          {unit}
        </text>
      )}
      {x.ticks.map((tick, i) => (
        <text key={tick} className="chart-time" x={x.place(tick)} y={height - 8} textAnchor={anchor(i, x.ticks.length)}>
          {timeLabel(tick, last - first)}
        </text>
      ))}
      <polyline className="chart-line" points={line} />
      {points.length <= maxDots &&
        points.map(({ at, value }, i) => (
          <circle key={i} className="chart-dot" cx={x.place(at)} cy={y.place(value)} r={3}>
            <title>{`${new Date(at).toISOString()}: ${value.toLocaleString('en', { maximumFractionDigits: 18 })}${unit ? ` ${unit}` : ''}`}</title>
          </circle>
        ))}
    </svg>
  );
}

function anchor(index: number, count: number): 'start' | 'middle' | 'end' {
  if (index === 0) return 'start';
  return index === count - 1 ? 'end' : 'middle';
}

function describe(points: Point[], first: Point, last: Point, title: string): string {
  const values = points.map(({ value }) => value);
  const moment = (at: number) => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return (
    `${title}: ${points.length} ${points.length === 1 ? 'value' : 'values'} from ${moment(first.at)} to ${moment(last.at)}; ` +
    `least ${numberLabel(least(values))}, greatest ${numberLabel(greatest(values))}, last ${numberLabel(last.value)}.`
  );
}

const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b));
const greatest = (values: number[]) => values.reduce((a, b) => Math.max(a, b));

/** The width that an element has, also after it was resized. */
function useWidth(): [React.RefObject<HTMLElement | null>, number] {
  const element = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
