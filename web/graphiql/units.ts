import type { Row } from './tables';

/** What the numbers of a column are in. Numbers in different units are never put together. */
export interface Unit {
  /** Tells units apart: the name of a token does not. */
  key: string;
  name: string;
  /** How many digits of the integers are behind the decimal point. */
  decimals: number;
}

const wei: Unit = { key: 'wei', name: 'wei', decimals: 0 };
const fri: Unit = { key: 'fri', name: 'fri', decimals: 0 };

/** What a fee was paid in, by the value of `feeUnit`. */
const feeUnits: Record<string, Unit> = {
  WEI: { key: 'WEI', name: 'ETH', decimals: 18 },
  FRI: { key: 'FRI', name: 'STRK', decimals: 18 },
};

/** A fee whose unit is not part of the result: it may be either. */
export const unknownFee: Unit = { key: '', name: 'unknown units (request feeUnit, too)', decimals: 0 };

/** Finds the unit of a value by the name of its column and by what stands beside it. */
export function unitOf(row: Row, column: string): Unit | undefined {
  const start = column.lastIndexOf('.') + 1;
  const field = column.slice(start);
  const beside = (...names: string[]) => names.map((name) => row[column.slice(0, start) + name] ?? null).find((cell) => cell !== null);
  if (/InWei$/.test(field)) return wei;
  if (/InFri$/.test(field) || /^(tip|maxPricePerUnit)Raw$/.test(field)) return fri;
  if (field === 'maxFeeRaw') return feeUnits.WEI;
  if (/fee/i.test(field)) return feeUnits[String(beside('feeUnit'))] ?? unknownFee;
  if (/(amount|balance|supply)(Raw)?$/i.test(field)) return tokenUnit(beside);
  return undefined;
}

/** The unit of an amount of a token, which anybody can name as they like. */
function tokenUnit(beside: (...names: string[]) => unknown): Unit | undefined {
  const address = beside('tokenAddress', 'token.address');
  const symbol = beside('tokenSymbol', 'token.symbol', 'metadata.symbol');
  if (address === undefined && symbol === undefined) return undefined;
  const decimals = Number(beside('tokenDecimals', 'token.decimals', 'metadata.decimals') ?? 0);
  const known = decimals > 0 ? '' : ' (smallest unit)';
  const name = symbol === undefined ? shortened(String(address)) : `${symbol}${address === undefined ? '' : ` ${shortened(String(address))}`}`;
  return { key: String(address ?? symbol), name: name + known, decimals };
}

const shortened = (address: string) => (address.length > 12 ? `${address.slice(0, 8)}…` : address);

/** A unit in words, with its decimals. */
export function unitLabel({ name, decimals }: Unit): string {
  return decimals > 0 ? `${name}, ${decimals} ${decimals === 1 ? 'decimal' : 'decimals'}` : name;
}
