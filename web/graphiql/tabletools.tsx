import { useMemo, useState } from 'react';
import { Chart } from './chart';
import { Choice } from './choice';
import { asCSV } from './csv';
import { download } from './download';
import { type Axes, axesOf, pointsOf } from './series';
import type { Table } from './tables';

interface TableToolsProps {
  table: Table;
  names: string[];
  onChoose(name: string): void;
}

/** Chooses a list of the result, saves it, and draws it where it is a series. */
export function TableTools({ table, names, onChoose }: TableToolsProps) {
  const axes = useMemo(() => axesOf(table), [table]);
  const [drawn, setDrawn] = useState(false);
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
          onClick={() => setDrawn(!drawn)}
        >
          Chart
        </button>
      </div>
    </section>
  );
}

/** The chart of a list, and the choice of its axes. */
function Series({ table, axes }: { table: Table; axes: Axes }) {
  const [number, setNumber] = useState(axes.numbers[0]!);
  const [time, setTime] = useState(axes.times[0]!);
  const shown = axes.numbers.includes(number) ? number : axes.numbers[0]!;
  const over = axes.times.includes(time) ? time : axes.times[0]!;
  const points = useMemo(() => pointsOf(table.rows, over, shown), [table, over, shown]);
  return (
    <>
      <Chart points={points} title={`${shown} of ${table.name}`} />
      <div className="results-tools">
        <Choice label="Value" options={axes.numbers} value={shown} onChoose={setNumber} />
        <Choice label="Time" options={axes.times} value={over} onChoose={setTime} />
      </div>
    </>
  );
}

/** The rows as they are in the CSV file, with every column in each. */
function asJSON({ columns, rows }: Table): string {
  const records = rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? null])));
  return `${JSON.stringify(records, null, 2)}\n`;
}
