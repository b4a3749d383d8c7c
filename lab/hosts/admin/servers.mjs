import { execSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const repository = process.env.SHIPPING_REPOSITORY;
if (!repository) throw new Error('SHIPPING_REPOSITORY must be the folder of the repository.');

/** Builds and starts the sample by the commands of `npm start`, on a new embedded database. */
export async function startSample() {
  const dataDir = await mkdtemp(join(tmpdir(), 'host-admin-'));
  const { scripts } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
  const settings = { DATABASE_URL: '', PORT: '0' };
  execSync('npm run --silent prestart', { cwd: repository, stdio: 'inherit' });
  const sample = spawn(scripts.start, {
    shell: true,
    cwd: repository,
    env: { ...process.env, ...settings, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(sample, 'close');
  const stop = async () => {
    sample.kill();
    await ended;
    await rm(dataDir, { recursive: true });
  };
  const origin = await new Promise((resolve, reject) => {
    let output = '';
    sample.stdout.on('data', (chunk) => {
      output += chunk;
      const [, found] = /nestjs-shipping sample: (\S+)/.exec(output) ?? [];
      if (found) resolve(found);
    });
    void ended.then(() => reject(new Error(`The sample does not start. ${output}`)));
  });
  return { origin, stop };
}

/** Serves the built admin, and sends requests for /api to the sample, so that both have one origin. */
export async function startAdmin(sample) {
  const files = {
    '/': ['text/html', await readFile('index.html')],
    '/main.js': ['text/javascript', await readFile('dist/main.js')],
  };
  const server = createServer((asked, response) => {
    const [type, file] = files[asked.url] ?? [];
    if (file) response.writeHead(200, { 'content-type': type }).end(file);
    else if (!asked.url.startsWith('/api/')) response.writeHead(404).end();
    else {
      const { method, headers } = asked;
      const passed = request(sample + asked.url, { method, headers }, (from) => {
        response.writeHead(from.statusCode, from.headers);
        from.pipe(response);
      });
      passed.on('error', () => response.destroy());
      asked.pipe(passed);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, stop };
}
