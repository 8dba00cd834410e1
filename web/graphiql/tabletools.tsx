import { useMemo, useState } from 'react';
import { Chart } from './chart';
import { Choice } from './choice';
import { asCSV } from './csv';
import { download } from './download';
import { type Axes, axesOf, seriesOf, together, type Together, waysTogether } from './series';
import type { Table } from './tables';
import { unitLabel } from './units';

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
  const [chosenUnit, setUnit] = useState<string>();
  const [chosenWay, setWay] = useState<Together>('sum');
  const shown = among(axes.numbers, number);
  const over = among(axes.times, time);
  const all = useMemo(() => seriesOf(table, over, shown), [table, over, shown]);
  const units = all.map(({ unit }) => (unit ? unitLabel(unit) : 'plain'));
  const unit = among(units, chosenUnit);
  const series = all[units.indexOf(unit)] ?? { points: [] };
  const ways = waysTogether(series);
  const way = among(ways, chosenWay);
  const title = `${shown} of ${table.name}${way ? ` (${way})` : ''}${series.unit ? ` in ${unit}` : ''}`;
  return (
    <>
      <Chart points={way ? together(series.points, way) : series.points} unit={series.unit?.name} title={title} />
      <div className="results-tools">
        <Choice label="Value" options={axes.numbers} value={shown} onChoose={setNumber} />
        <Choice label="Time" options={axes.times} value={over} onChoose={setTime} />
        {units.length > 1 && <Choice label="Unit" options={units} value={unit} onChoose={setUnit} />}
        {way && <Choice label="Values with equal times" options={ways} value={way} onChoose={(one) => setWay(one)} />}
      </div>
    </>
  );
}

/** What was chosen, as long as it is among the options, else the first. */
function among<Option extends string>(options: Option[], chosen?: Option): Option {
  return options.find((option) => option === chosen) ?? options[0]!;
}

/** The rows as they are in the CSV file, with every column in each. */
function asJSON({ columns, rows }: Table): string {
  const records = rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? null])));
  return `${JSON.stringify(records, null, 2)}\n`;
}
