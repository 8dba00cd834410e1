/** A value of a cell: what is no plain value is written as JSON. */
export type Cell = string | number | boolean | null;

/** The cells of a row by the names of their columns. */
export type Row = Record<string, Cell>;

/** A list of a result, with one row for each of its items. */
export interface Table {
  /** Where the list is in the result, its parents' names first. */
  name: string;
  columns: string[];
  rows: Row[];
}

type Item = Record<string, unknown>;

/**
 * Finds the lists of a result: connections and plain lists of objects. A list
 * that is found in every item of another is one table, whose rows begin with
 * the cells of their parents.
 */
export function tablesIn(data: unknown): Table[] {
  const found = new Map<string, Row[]>();
  const visit = (item: Item, path: string, parents: Row) => {
    for (const [field, part] of Object.entries(item)) {
      const name = path + field;
      const items = itemsOf(part);
      if (items) {
        const rows = found.get(name) ?? [];
        found.set(name, rows);
        for (const one of items) {
          rows.push({ ...parents, ...cellsOf(one) });
          visit(one, `${name}.`, { ...parents, ...cellsOf(one, `${name}.`) });
        }
      } else if (isItem(part)) {
        visit(part, `${name}.`, { ...parents, ...cellsOf(part, `${name}.`) });
      }
    }
  };
  if (isItem(data)) visit(data, '', {});
  return [...found].filter(([, rows]) => rows.length > 0).map(([name, rows]) => ({ name, columns: columnsOf(rows), rows }));
}

/** The items of a connection or of a list of objects. */
function itemsOf(part: unknown): Item[] | undefined {
  if (Array.isArray(part)) return part.some(isItem) ? part.filter(isItem) : undefined;
  if (!isItem(part)) return undefined;
  if (Array.isArray(part.edges)) return part.edges.filter(isItem).map(({ node, ...edge }) => ({ ...edge, ...(isItem(node) ? node : {}) }));
  return Array.isArray(part.nodes) ? part.nodes.filter(isItem) : undefined;
}

/** The plain values of an item, and those of the objects that it holds. */
function cellsOf(item: Item, prefix = ''): Row {
  const cells: Row = {};
  for (const [field, part] of Object.entries(item)) {
    const name = prefix + field;
    if (isItem(part)) {
      if (!itemsOf(part)) Object.assign(cells, cellsOf(part, `${name}.`));
    } else if (Array.isArray(part)) {
      if (part.length > 0 && !itemsOf(part)) cells[name] = JSON.stringify(part);
    } else {
      cells[name] = part as Cell;
    }
  }
  return cells;
}

/** All columns, less those that stand for objects which are absent in some rows. */
function columnsOf(rows: Row[]): string[] {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const isAbsence = (column: string) =>
    rows.every((row) => (row[column] ?? null) === null) && columns.some((other) => other.startsWith(`${column}.`));
  return columns.filter((column) => !isAbsence(column));
}

function isItem(part: unknown): part is Item {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}
