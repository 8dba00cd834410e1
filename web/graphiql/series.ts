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
export function axesOf({ columns, rows }: Table): Axes | undefined {
  const holding = (fits: (cell: unknown) => boolean) =>
    columns.filter((column) => {
      const cells = rows.map((row) => row[column] ?? null).filter((cell) => cell !== null);
      return cells.length > 0 && cells.every(fits);
    });
  const times = holding((cell) => typeof cell === 'string' && time.test(cell));
  const numbers = holding((cell) => typeof cell === 'number' || (typeof cell === 'string' && integer.test(cell)));
  numbers.sort((a, b) => Number(ordinal.test(a)) - Number(ordinal.test(b)));
  return times.length > 0 && numbers.length > 0 && rows.length > 1 ? { times, numbers } : undefined;
}

/** The points of a series, the oldest first. Rows without a value are left out. */
export function pointsOf(rows: Row[], timeColumn: string, numberColumn: string): Point[] {
  return rows
    .filter((row) => (row[timeColumn] ?? null) !== null && (row[numberColumn] ?? null) !== null)
    .map((row) => ({ at: Date.parse(String(row[timeColumn])), value: Number(row[numberColumn]) }))
    .sort((a, b) => a.at - b.at);
}
