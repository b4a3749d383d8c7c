import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const reporter = fileURLToPath(new URL('support/quiet-reporter.ts', import.meta.url));

const tests = `
import { describe, expect, it } from 'vitest';
it('passes', () => console.log('a text of a test that passes'));
describe.skip('the other engine (it is not here)', () => {
  it('is left out', () => undefined);
  it('is left out, too', () => undefined);
});
it('fails', () => {
  console.log('a text of a test that fails');
  expect('this').toBe('that');
});
`;

// In the repository, so that its vitest is found.
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(root, '.cache/quiet-'));
  await writeFile(join(folder, 'vitest.config.js'), 'export default { test: { isolate: false } };');
});
afterAll(() => rm(folder, { recursive: true }));

async function outputOf(files: number): Promise<string> {
  for (let file = 0; file < files; file++) await writeFile(join(folder, `${file}.test.js`), tests);
  const args = ['vitest', 'run', '--root', folder, '--reporter', reporter];
  const run = promisify(execFile)('npx', args, { cwd: root, env: { ...process.env, NO_COLOR: '1' } });
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
  return stdout + stderr;
}

it('npm test prints failures, skipped tests and sums, and no passed test', async () => {
  const output = await outputOf(1);

  expect(output).toContain('Not run, 2 tests: the other engine (it is not here)\n');
  expect(output).toMatch(/expected 'this' to be 'that'/);
  expect(output).toContain('a text of a test that fails');
  expect(output).toMatch(/Tests {2}1 failed \| 1 passed \| 2 skipped/);
  expect(output).not.toMatch(/test that passes|minutes/);
});

it('npm test says at the start how long a long run takes', async () => {
  const output = await outputOf(41);

  expect(output).toMatch(/41 files, about 700 tests: about 2 minutes/);
});
