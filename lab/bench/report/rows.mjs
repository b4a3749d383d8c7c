// A figure is printed and stored as text, so that results of different versions can be in one table.

/**
 * @param ratios one for each round
 * @param cpu how much less CPU time a request took, if it was measured: of the server and the database together
 * @param server the same for the server alone
 */
export function ratioRow({ title, rival, ratios, atLeast, atMost, cpu, server }) {
  const ratio = median(ratios);
  return {
    title,
    rival,
    ours: short(ratio),
    spread: `${short(Math.min(...ratios))}–${short(Math.max(...ratios))}`,
    ...judged(ratio, { atLeast, atMost }, ''),
    cpu: Number.isFinite(cpu) ? short(cpu) : '',
    server: Number.isFinite(server) ? short(server) : '',
  };
}

export function amountRow(title, amount, unit, atMost) {
  const ours = `${Math.round(amount)} ${unit}`;
  return {
    title,
    rival: '',
    ours,
    spread: '',
    ...judged(amount, { atMost }, ` ${unit}`),
    cpu: '',
    server: '',
  };
}

function judged(value, { atLeast, atMost }, unit) {
  if (atLeast !== undefined) return { goal: `≥ ${atLeast}${unit}`, verdict: verdict(value >= atLeast) };
  if (atMost !== undefined) return { goal: `≤ ${atMost}${unit}`, verdict: verdict(value <= atMost) };
  return { goal: '', verdict: '' };
}

const verdict = (isMet) => (isMet ? 'met' : 'MISSED');

export const short = (ratio) => ratio.toFixed(ratio >= 20 ? 0 : ratio >= 3 ? 1 : 2);

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export const columns = {
  title: 'figure',
  rival: 'against',
  ours: 'ours',
  spread: 'spread',
  goal: 'goal',
  verdict: '',
  cpu: 'by CPU time',
  server: 'of the server',
};

/** Prints the rows in aligned columns. */
export function printRows(rows) {
  const keys = Object.keys(columns);
  const all = [columns, ...rows];
  const widths = keys.map((key) => Math.max(...all.map((row) => row[key].length)));
  console.log();
  for (const row of all) {
    const cells = keys.map((key, index) => row[key].padEnd(widths[index]));
    console.log(`  ${cells.join('  ').trimEnd()}`);
  }
}
