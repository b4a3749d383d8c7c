import { median } from '../report/rows.mjs';

export const whole = (number) =>
  Number.isFinite(number) ? Math.round(number).toLocaleString('en-US') : 'unknown';

export const microseconds = (seconds) =>
  Number.isFinite(seconds) ? `${(seconds * 1e6).toFixed(seconds < 1e-5 ? 1 : 0)} µs` : 'unknown';

/** The median of some rounds, with the lowest and the highest. */
export const cost = (name, values) => ({
  [name]: microseconds(median(values)),
  spread: `${microseconds(Math.min(...values))} – ${microseconds(Math.max(...values))}`,
});
