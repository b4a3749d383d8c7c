import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import prettier from 'prettier';
import { chart } from './chart.mjs';
import { document } from './document.mjs';

const docs = (name) => new URL(`../../docs/${name}`, import.meta.url);
const file = docs('performance.json');

/** The load of the machine before the measurement. */
const load = loadavg()[0].toFixed(1);

/** Keeps the results of a part, and writes the document and its chart from those of all parts. */
export async function keep(part, { rows, server }) {
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const { postgres, mariadb, memory } = known;
  const date = new Date().toISOString().slice(0, 10);
  const run = { command: commandLine(), commit: commit(), date, load, machine: machine(), server };
  const results = { postgres, mariadb, memory, [part]: { ...run, rows } };
  writeFileSync(file, await formatted(JSON.stringify(results), 'json'));
  if (results.postgres) writeFileSync(docs('performance.svg'), chart(results.postgres.rows));
  writeFileSync(docs('performance.md'), await formatted(document(results), 'markdown'));
  console.log('\nWritten: docs/performance.md, its chart and its figures.');
}

function commandLine() {
  return ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');
}

function commit() {
  const git = (...args) =>
    execFileSync('git', args, { cwd: new URL('.', import.meta.url) })
      .toString()
      .trim();
  const changed = git('status', '--porcelain', '--', '../../libs', '../../apps') !== '';
  return git('rev-parse', '--short', 'HEAD') + (changed ? ' and changes' : '');
}

function machine() {
  const [{ model }] = cpus();
  return `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
}

const formatted = (text, parser) => prettier.format(text, { parser, printWidth: 110, proseWrap: 'preserve' });
