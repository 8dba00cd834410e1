import type { Row, Table } from './tables';

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

/** The points of a series, the oldest first. Rows without a value are left out. */
export function pointsOf(rows: Row[], timeColumn: string, numberColumn: string): Point[] {
  return rows
    .filter((row) => (row[timeColumn] ?? null) !== null && (row[numberColumn] ?? null) !== null)
    .map((row) => ({ at: Date.parse(String(row[timeColumn])), value: Number(row[numberColumn]) }))
    .sort((a, b) => a.at - b.at);
}

/** What becomes of several values of the same moment, such as the fees of one block. */
export type Together = 'sum' | 'mean' | 'each';

/** The ways to put values together, the usual one first; none where no two are of the same moment. */
export function waysTogether(points: Point[]): Together[] {
  return points.some(({ at }, i) => points[i + 1]?.at === at) ? ['sum', 'mean', 'each'] : [];
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
