import { afterAll, beforeAll, describe, it } from 'vitest';
import { guestChecks } from '../guest/checks.js';
import { type GuestHost, guestHost } from '../guest/guest-host.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { platformNames, typeOrm } from './host.js';
import { gzips } from './hostile-host.js';

// The same checks run in the hosts `hostile-10`, `hostile-11` and `hostile-12`, from the packed library.
describe.each(platformNames)('in a host on %s', (platform) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.close());

  // On Fastify, the tests of the routes have no other set-up.
  const ofExpress: [string, undefined][] =
    platform === 'Express' ? [['no other global set-up', undefined]] : [];
  describe.each<[string, ((app: GuestHost['app']) => void) | undefined]>([
    ...ofExpress,
    ['every other global set-up', (app) => gzips(app, platform)],
  ])('with %s,', (_what, compress) => {
    let host: GuestHost;
    beforeAll(async () => {
      host = await guestHost(platform, typeOrm(database), compress);
    });
    // The embedded database has one connection for all hosts: closing the app would close it too.
    afterAll(() => host?.app.getHttpServer().close());

    // The tests of the routes check the headers in a host without other set-ups.
    const checks = guestChecks.filter(({ title }) => compress || !title.includes('the headers are'));
    for (const { title, run } of checks) it(title, () => run(host));
  });
});
