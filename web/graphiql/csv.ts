import type { Cell, Table } from './tables';

/**
 * A table as RFC 4180 wants it. Text is quoted, numbers and booleans are not,
 * null is empty. Large integers are text already and keep all digits.
 */
export function asCSV({ columns, rows }: Table): string {
  const lines = [columns.map(quoted), ...rows.map((row) => columns.map((column) => written(row[column] ?? null)))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

function written(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'string' ? quoted(harmless(cell)) : String(cell);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/**
 * Text that no spreadsheet takes for a formula. Anybody can name a token, and
 * a name may begin like one. A number is left as it is.
 */
function harmless(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^-?\d+$/.test(text) ? `'${text}` : text;
}
