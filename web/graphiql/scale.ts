/** A straight way from values to pixels, and the values that are labelled. */
export interface Scale {
  place(value: number): number;
  ticks: number[];
}

/** A scale over round values. It begins at zero unless that would leave half of the chart empty. */
export function valueScale(least: number, greatest: number, from: number, to: number): Scale {
  const low = least >= 0 && least <= greatest / 2 ? 0 : least;
  const step = roundStep((greatest - low || Math.abs(greatest) || 1) / 4);
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(greatest / step));
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  return { ticks, place: linear(first * step, last * step, from, to) };
}

/** A scale from the first to the last moment, with as many labels as there is room for. */
export function timeScale(first: number, last: number, from: number, to: number): Scale {
  const count = Math.max(2, Math.min(8, Math.floor((to - from) / 110) + 1));
  const span = last - first || 1;
  const ticks = last === first ? [first] : Array.from({ length: count }, (_, i) => first + (span * i) / (count - 1));
  return { ticks, place: linear(first, first + span, from, to) };
}

/** The next larger of 1, 2, 5 and 10 times a power of ten. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * ([1, 2, 5].find((factor) => factor * power >= step) ?? 10);
}

function linear(low: number, high: number, from: number, to: number): (value: number) => number {
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });

/** A number as a label: short, and by its power of ten where words end. */
export function numberLabel(value: number): string {
  if (Math.abs(value) < 1) return String(Number(value.toPrecision(3)));
  return Math.abs(value) < 1e15 ? short.format(value) : value.toExponential(2).replace(/\.?0*e\+/, 'e');
}

const hour = 3_600_000;

/** A moment in UTC as a label, as exact as the whole span needs it. */
export function timeLabel(at: number, span: number): string {
  const text = new Date(at).toISOString();
  if (span < 2 * hour) return text.slice(11, 19);
  return span < 72 * hour ? text.slice(5, 16).replace('T', ' ') : text.slice(0, 10);
}
