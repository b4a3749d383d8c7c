import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem, type } from 'node:os';
import prettier from 'prettier';
import { chart } from './chart.mjs';
import { document, otherEngines } from './document.mjs';

const docs = (name) => new URL(`../../docs/${name}`, import.meta.url);
const file = docs('performance.json');

/** The load of the machine before the measurement. */
const [loadBefore] = loadavg();

/**
 * Adds the results of a part to those of the other parts, where a new row replaces the old row with the same title.
 * Then it writes the document and its chart from all results.
 * @param server its name and version
 */
export async function keep(part, { rows, multiples = {} }, server) {
  const results = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { rows: {}, multiples: {} };
  const commit = revision();
  const date = new Date().toISOString().slice(0, 10);
  const run = { part, date, commit, command: commandLine(), loadBefore: loadBefore.toFixed(1) };
  if (part in otherEngines) {
    for (const row of rows) results.rows[`${part}: ${row.title}`] = { ...row, ...run, server };
  } else {
    for (const row of rows) results.rows[row.title] = { ...row, ...run };
    Object.assign(results.multiples, multiples);
    results.machine = machine(server);
  }
  writeFileSync(file, await formatted(JSON.stringify(results), 'json'));
  writeFileSync(docs('performance.svg'), chart(results.multiples));
  writeFileSync(docs('performance.md'), await formatted(document(results), 'markdown'));
  console.log('\nWritten: docs/performance.md, its chart and its figures.');
}

function commandLine() {
  return ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');
}

function revision() {
  const git = (...args) =>
    execFileSync('git', args, { cwd: new URL('.', import.meta.url) })
      .toString()
      .trim();
  const changed = git('status', '--porcelain', '--', '../../libs', '../../apps') !== '';
  return git('rev-parse', '--short', 'HEAD') + (changed ? ' and changes' : '');
}

function machine(server) {
  const [{ model }] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return `${cpus().length} × ${model}, ${memory}, ${type()}, Node ${process.version}, ${server}`;
}

const formatted = (text, parser) => prettier.format(text, { parser, printWidth: 110, proseWrap: 'preserve' });
