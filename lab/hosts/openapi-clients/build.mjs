// Lints the documents, generates a client from each of them with each generator, and compiles calls of all six routes
// with it. The older tools are the last ones for Node 20. The newest ones ask for Node 22, but run on 20 too.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';

const documents = ['package', 'host'];
const tools = {
  older: { orval: 'orval-7/dist/bin/orval.js', heyApi: 'hey-api-0.95/bin/run.js' },
  newest: { orval: 'orval-8/dist/bin/orval.mjs', heyApi: 'hey-api-0.99/bin/run.js' },
};
const quiet = {
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  SCARF_ANALYTICS: 'false',
  DO_NOT_TRACK: '1',
};

run('node', ['dist/app/write-documents.js']);
for (const name of documents) {
  const document = `dist/documents/${name}.json`;
  run('tools/node_modules/.bin/redocly', ['lint', `${name}@v1`, '--config=lint/redocly.yaml']);
  run('tools/node_modules/.bin/spectral', [
    'lint',
    '--ruleset=lint/spectral.yaml',
    '--fail-severity=hint',
    document,
  ]);
  for (const [age, { orval, heyApi }] of Object.entries(tools)) {
    const folder = `dist/sources/${name}-${age}`;
    const generated = `${folder}/generated`;
    rmSync(folder, { recursive: true, force: true });
    cpSync('src/clients', folder, { recursive: true });
    cpSync('tsconfig.clients.json', `${folder}/tsconfig.json`);
    run('tools/node_modules/.bin/openapi-typescript', [document, '-o', `${generated}/openapi-typescript.ts`]);
    run('node', [`tools/node_modules/${orval}`, '--config', 'orval.config.cjs'], {
      DOCUMENT: document,
      CLIENT: `${generated}/orval.ts`,
      MUTATOR: `${folder}/orval-request.ts`,
    });
    run('node', [
      `tools/node_modules/${heyApi}`,
      '-i',
      document,
      '-o',
      `${generated}/hey-api`,
      '--no-log-file',
    ]);
    const output = ['--rootDir', folder, '--outDir', `dist/clients/${name}-${age}`];
    run('node_modules/.bin/tsc', ['-p', folder, ...output]);
  }
}

function run(command, args, env = {}) {
  console.log(`› ${[command, ...args].join(' ')}`);
  const { status } = spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...process.env, ...quiet, ...env },
  });
  if (status !== 0) process.exit(status ?? 1);
}
