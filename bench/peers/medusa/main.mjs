// Medusa as it is installed: runs its migrations, adds as many shipping options as a shop of the benchmark has methods,
// and starts its server.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import start from '@medusajs/medusa/commands/start';

const directory = fileURLToPath(new URL('.', import.meta.url));
for (const command of [['db:migrate'], ['exec', './seed.js']]) {
  execFileSync('npx', ['medusa', ...command], { cwd: directory, stdio: 'ignore' });
}
await start.default({ directory, port: Number(process.env.PORT), host: process.env.HOST });
