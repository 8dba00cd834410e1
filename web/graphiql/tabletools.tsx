import { useMemo, useState } from 'react';
import { Chart } from './chart';
import { Choice } from './choice';
import { asCSV } from './csv';
import { download } from './download';
import { type Axes, axesOf, pointsOf, together, type Together, waysTogether } from './series';
import type { Table } from './tables';

interface TableToolsProps {
  table: Table;
  names: string[];
  onChoose(name: string): void;
  /** Whether the list is drawn, where it is a series. */
  drawn: boolean;
  onDraw(drawn: boolean): void;
}

/** Chooses a list of the result, saves it, and draws it where it is a series. */
export function TableTools({ table, names, onChoose, drawn, onDraw }: TableToolsProps) {
  const axes = useMemo(() => axesOf(table), [table]);
  return (
    <section className="results" aria-label="Lists of the result">
      {drawn && axes && <Series table={table} axes={axes} />}
      <div className="results-tools">
        <Choice label="List" options={names} value={table.name} onChoose={onChoose} />
        <span className="results-count">{table.rows.length === 1 ? '1 row' : `${table.rows.length} rows`}</span>
        <button type="button" onClick={() => download(`${table.name}.csv`, 'text/csv', asCSV(table))}>
          CSV
        </button>
        <button type="button" onClick={() => download(`${table.name}.json`, 'application/json', asJSON(table))}>
          JSON
        </button>
        <button
          type="button"
          aria-pressed={drawn}
          disabled={!axes}
          title={axes ? undefined : 'A chart needs a list with times and numbers'}
          onClick={() => onDraw(!drawn)}
        >
          Chart
        </button>
      </div>
    </section>
  );
}

/** The chart of a list, and the choice of its axes. */
function Series({ table, axes }: { table: Table; axes: Axes }) {
  const [number, setNumber] = useState<string>();
  const [time, setTime] = useState<string>();
  const [way, setWay] = useState<Together>('sum');
  const shown = among(axes.numbers, number);
  const over = among(axes.times, time);
  const points = useMemo(() => pointsOf(table.rows, over, shown), [table, over, shown]);
  const ways = waysTogether(points);
  const title = `${shown} of ${table.name}`;
  return (
    <>
      {ways.length > 0 ? (
        <Chart points={together(points, way)} title={`${title} (${way})`} />
      ) : (
        <Chart points={points} title={title} />
      )}
      <div className="results-tools">
        <Choice label="Value" options={axes.numbers} value={shown} onChoose={setNumber} />
        <Choice label="Time" options={axes.times} value={over} onChoose={setTime} />
        {ways.length > 0 && <Choice label="At the same time" options={ways} value={way} onChoose={(one) => setWay(one)} />}
      </div>
    </>
  );
}

/** What was chosen, as long as the list has it, else the first. */
function among(columns: string[], chosen?: string): string {
  return columns.find((column) => column === chosen) ?? columns[0]!;
}

/** The rows as they are in the CSV file, with every column in each. */
function asJSON({ columns, rows }: Table): string {
  const records = rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? null])));
  return `${JSON.stringify(records, null, 2)}\n`;
}
