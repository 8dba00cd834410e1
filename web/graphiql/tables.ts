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
  /** For each row the objects that its list is in: a number for each object, by its name. */
  parents: Parents[];
}

/** The objects above a row: a number for each object, by the path that its columns begin with. */
export type Parents = Record<string, number>;

type Item = Record<string, unknown>;

/**
 * Finds the lists of a result: connections and plain lists of objects. A list
 * that is found in every item of another is one table, whose rows begin with
 * the cells of their parents.
 */
export function tablesIn(data: unknown): Table[] {
  const found = new Map<string, { rows: Row[]; parents: Parents[] }>();
  let objects = 0;
  const visit = (item: Item, path: string, cells: Row, above: Parents) => {
    const enter = (one: Item, name: string) =>
      visit(one, `${name}.`, { ...cells, ...cellsOf(one, `${name}.`) }, { ...above, [`${name}.`]: objects++ });
    for (const [field, part] of Object.entries(item)) {
      const name = path + field;
      const items = itemsOf(part);
      if (items) {
        const table = found.get(name) ?? { rows: [], parents: [] };
        found.set(name, table);
        for (const one of items) {
          table.rows.push({ ...cells, ...cellsOf(one) });
          table.parents.push(above);
          enter(one, name);
        }
      } else if (isItem(part)) {
        enter(part, name);
      }
    }
  };
  if (isItem(data)) visit(data, '', {}, {});
  return [...found]
    .filter(([, { rows }]) => rows.length > 0)
    .map(([name, { rows, parents }]) => ({ name, columns: columnsOf(rows), rows, parents }));
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
