import type { Parents, Table } from './tables';
import { unitOf, unknownFee, type Unit } from './units';

/** The columns of a table that a chart can be of. */
export interface Axes {
  times: string[];
  numbers: string[];
}

/** One value at one time, in milliseconds. */
export interface Point {
  at: number;
  value: number;
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const integer = /^-?\d+$/;

/** Numbers that count or name something rather than measure it: they make dull charts. */
const ordinal = /(number|index|block|decimals|rank|version)$/i;

/** Finds the axes of a chart, undefined where the table is no series. */
export function axesOf({ name, columns, rows }: Table): Axes | undefined {
  const holding = (fits: (cell: unknown) => boolean) =>
    columns.filter((column) => {
      const cells = rows.map((row) => row[column] ?? null).filter((cell) => cell !== null);
      return cells.length > 0 && cells.every(fits);
    });
  const times = holding((cell) => typeof cell === 'string' && time.test(cell));
  const numbers = holding((cell) => typeof cell === 'number' || (typeof cell === 'string' && integer.test(cell)));
  const ofParents = (column: string) => name.includes('.') && column.startsWith(name.replace(/\..*/, '.'));
  const dullness = (column: string) => 2 * Number(ordinal.test(column)) + Number(ofParents(column));
  numbers.sort((a, b) => dullness(a) - dullness(b));
  return times.length > 0 && numbers.length > 0 && rows.length > 1 ? { times, numbers } : undefined;
}

/** The points of a series, all of which are in the same unit; undefined for plain numbers. */
export interface Series {
  unit?: Unit;
  points: Point[];
}

/**
 * The series of two columns, one for each unit: the most frequent first, the
 * oldest point first. Rows without a value are left out, and the value of an
 * object that several rows are in counts once.
 */
export function seriesOf({ rows, parents }: Table, timeColumn: string, numberColumn: string): Series[] {
  const found = new Map<string, Series>();
  const counted = new Set<number>();
  rows.forEach((row, i) => {
    if ((row[timeColumn] ?? null) === null || (row[numberColumn] ?? null) === null) return;
    const owner = ownerOf(parents[i] ?? {}, numberColumn);
    if (owner !== undefined && counted.has(owner)) return;
    if (owner !== undefined) counted.add(owner);
    const unit = unitOf(row, numberColumn);
    const key = unit?.key ?? 'plain';
    const series = found.get(key) ?? { unit, points: [] };
    found.set(key, series);
    series.points.push({ at: Date.parse(String(row[timeColumn])), value: Number(row[numberColumn]) / 10 ** (unit?.decimals ?? 0) });
  });
  const all = [...found.values()].sort((a, b) => b.points.length - a.points.length);
  for (const { points } of all) points.sort((a, b) => a.at - b.at);
  return all;
}

/** The innermost object above a row that a column belongs to; undefined for the row's own columns. */
function ownerOf(parents: Parents, column: string): number | undefined {
  const paths = Object.keys(parents).filter((path) => column.startsWith(path));
  return parents[paths.sort((a, b) => b.length - a.length)[0] ?? ''];
}

/** What becomes of several values of the same moment, such as the fees of one block. */
export type Together = 'sum' | 'mean' | 'each';

/**
 * The ways to put values together, the usual one first; none where no two are
 * of the same moment. Values that may be in different units stay apart.
 */
export function waysTogether({ points, unit }: Series): Together[] {
  if (!points.some(({ at }, i) => points[i + 1]?.at === at)) return [];
  return unit === unknownFee ? ['each'] : ['sum', 'mean', 'each'];
}

/** Makes one point of those of the same moment. The points are in their order. */
export function together(points: Point[], way: Together): Point[] {
  if (way === 'each') return points;
  const moments = new Map<number, number[]>();
  for (const { at, value } of points) moments.set(at, [...(moments.get(at) ?? []), value]);
  return [...moments].map(([at, values]) => {
    const sum = values.reduce((a, b) => a + b);
    return { at, value: way === 'sum' ? sum : sum / values.length };
  });
}
