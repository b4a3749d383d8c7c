// `npm run picture`: starts the sample on a new embedded database, and writes docs/page.png from its demo data.
// It needs a Chromium: CHROMIUM=/path/to/chromium, else the one of Debian's package.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const root = fileURLToPath(new URL('..', import.meta.url));
const path = join(root, 'docs/page.png');

const dataDir = await mkdtemp(join(tmpdir(), 'picture-'));
const sample = spawn(process.execPath, ['--import', 'tsx', 'apps/sample/src/main.ts'], {
  cwd: root,
  env: { ...process.env, DATABASE_URL: '', PORT: '0', DATA_DIR: dataDir },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(sample, 'close');
try {
  const origin = await new Promise((resolve, reject) => {
    let output = '';
    sample.stdout.on('data', (chunk) => {
      output += chunk;
      const [, found] = /sample: (\S+).*curl/s.exec(output) ?? [];
      if (found) resolve(found);
    });
    void ended.then(() => reject(new Error(`The sample does not start. ${output}`)));
  });

  // The root user of a container has no sandbox.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await browser.newPage({
    viewport: { width: 1400, height: 1000 },
    colorScheme: 'light',
    locale: 'en-US',
    timezoneId: 'Europe/Berlin',
  });
  await page.goto(`${origin}/shipping?project=demo&order=1001`);
  await page.getByRole('switch').first().waitFor();
  await page.getByRole('listitem').first().waitFor();
  // Only the first part of the body scrolls: the window becomes as high as all of it.
  const whole = await page.evaluate('document.querySelector("#page").scrollHeight');
  await page.setViewportSize({ width: 1400, height: whole });
  await page.screenshot({ path });
  await browser.close();
  console.log(`docs/page.png is written, ${whole} pixels high.`);
} finally {
  sample.kill();
  await ended;
  await rm(dataDir, { recursive: true });
}
