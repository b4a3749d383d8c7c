import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import prettier from 'prettier';
import { chart } from './chart.mjs';
import { figures, summary } from './document.mjs';

const docs = (name) => new URL(`../../../docs/${name}`, import.meta.url);

/** The load of the machine before the measurement. */
const load = loadavg()[0].toFixed(1);

/** Writes the two documents and the chart. @param results the rows and the server of each part */
export async function write(results) {
  const date = new Date().toISOString().slice(0, 10);
  const run = { command: commandLine(), commit: commit(), date, load, machine: machine() };
  const parts = Object.entries(results).map(([part, result]) => [part, { ...run, ...result }]);
  const whole = Object.fromEntries(parts);
  const options = { parser: 'markdown', printWidth: 120, proseWrap: 'always' };
  writeFileSync(docs('performance.md'), await prettier.format(summary(whole), options));
  writeFileSync(new URL('../figures.md', import.meta.url), await prettier.format(figures(whole), options));
  writeFileSync(docs('performance.svg'), chart(results.postgres.rows));
  console.log('\nWritten: docs/performance.md, its chart and lab/bench/figures.md.');
}

function commandLine() {
  return ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');
}

function commit() {
  const git = (...args) =>
    execFileSync('git', args, { cwd: new URL('.', import.meta.url) })
      .toString()
      .trim();
  const changed = git('status', '--porcelain', '--', '../../../libs', '../../../apps') !== '';
  return git('rev-parse', '--short', 'HEAD') + (changed ? ' and changes' : '');
}

function machine() {
  const [{ model }] = cpus();
  return `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
}
