// Attacks the library as a stranger would, for some minutes or, with --long, for a night:
// `npm run test:campaign [-- file …]`, `npm run test:long`. With TEST_DATABASE_URLS it runs on servers too. Without
// names of files, CI's size leaves out some that take long. A failure is repeated with its CAMPAIGN_SEED.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const isLong = process.argv.includes('--long') || process.env.CAMPAIGN_SIZE === 'long';
const files = process.argv.slice(2).filter((argument) => argument !== '--long');
const size = isLong ? 'long' : 'ci';
const seed = process.env.CAMPAIGN_SEED ?? String(randomInt(2 ** 31));
const others = (process.env.TEST_DATABASE_URLS ?? '').split(',').map((url) => url.split(':')[0]);
const databases = ['the embedded database', ...others.filter((name) => name !== '')].join(', ');
console.log(`Campaign: size ${size}, on ${databases}, CAMPAIGN_SEED=${seed}`);

const started = Date.now();
const work = mkdtempSync(join(tmpdir(), 'nestjs-shipping-campaign-'));
const results = join(work, 'figures.jsonl');
const summary = join(work, 'summary.json');
const reporters = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${summary}`];
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    'lab/campaign/vitest.config.ts',
    ...reporters,
    ...files,
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      CAMPAIGN_SIZE: size,
      CAMPAIGN_SEED: seed,
      CAMPAIGN_RESULTS: results,
      CAMPAIGN_FILES: files.length > 0 ? 'named' : 'all',
    },
  },
);

const figures = existsSync(results)
  ? readFileSync(results, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  : [];
const {
  numPassedTests = 0,
  numFailedTests = 0,
  testResults = [],
} = existsSync(summary) ? JSON.parse(readFileSync(summary, 'utf8')) : {};
rmSync(work, { recursive: true, force: true });

printTable(['name', 'database', 'done', 'criterion', 'met'], figures);
const seconds = Math.round((Date.now() - started) / 1000);
console.log(`\nSize ${size}, ${seconds} s, CAMPAIGN_SEED=${seed}`);
// A file that cannot be loaded has no failed test, but the run has failed.
const failed = Math.max(numFailedTests, status === 0 ? 0 : 1);
console.log(`${numPassedTests} passed, ${failed} failed`);
// Said again at the end, where a log that keeps only its last lines has it.
for (const { name, assertionResults, message } of testResults) {
  if (message) console.log(`✗ ${relative(root, name)}: ${message.slice(0, 1500)}`);
  for (const { status: ended, fullName, failureMessages } of assertionResults) {
    if (ended === 'failed') {
      console.log(`✗ ${relative(root, name)}: ${fullName}\n${failureMessages.join('\n').slice(0, 1500)}`);
    }
  }
}
process.exitCode = failed > 0 ? 1 : 0;

/** Prints Markdown. lab/campaign/README.md has the figures of the last long run. */
function printTable(columns, rows) {
  const cells = rows.map((row) => columns.map((column) => (column === 'met' ? said(row.met) : row[column])));
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((row) => row[index].length)),
  );
  const line = (row) => `| ${row.map((cell, index) => cell.padEnd(widths[index])).join(' | ')} |`;
  console.log(`\n${line(columns)}\n${line(widths.map((width) => '-'.repeat(width)))}`);
  for (const row of cells) console.log(line(row));
}

function said(met) {
  return met ? 'yes' : 'NO';
}
