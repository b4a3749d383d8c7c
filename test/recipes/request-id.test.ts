import { DatabaseUnavailableError, ShippingModule } from 'nestjs-shipping';
import { expect, it, onTestFinished, vi } from 'vitest';
import { compiled, listening, platformNames, typeOrm } from '../embedding/host.js';
import { testDatabase } from '../support/database.js';
import { RequestLogger, withRequestId } from './request-logger.js';

it.each(platformNames)('a logger adds the request id to the line of each 503 on %s', async (platform) => {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
  const { app, origin } = await listening(testing, (host) => host.use(withRequestId), platform);
  app.useLogger(new RequestLogger());
  const lines = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.spyOn(database.dataSource, 'createQueryRunner').mockImplementation(() => {
    throw new DatabaseUnavailableError(new Error('The pool is empty.'));
  });

  const path = '/api/projects/acme/sales/orders/shipments/methods';
  // Requests of one project share a statement.
  const list = (id: string): Promise<Response> =>
    fetch(`${origin}${path}`, { headers: { 'x-request-id': id } });
  const responses = await Promise.all([list('first'), list('second')]);
  const logged = lines.mock.calls.map(String).toSorted();
  vi.restoreAllMocks();
  app.useLogger(['error', 'warn']);
  await app.close();

  expect(responses.map(({ status }) => status)).toEqual([503, 503]);
  expect(logged).toEqual(
    ['first', 'second'].map(
      (id) => expect.stringContaining(`${id} GET ${path} database_unavailable The pool is empty`) as string,
    ),
  );
});

it.each([
  ['the stack of an error', new Error('boom'), /- Error: boom\n +at /],
  ['the fields of an object', { code: 7 }, /- \{ code: 7 \}/],
])('a logger with request ids keeps %s', (_, thrown, expected) => {
  const lines = vi.spyOn(console, 'error').mockImplementation(() => undefined);

  new RequestLogger({ colors: false, forceConsole: true }).error(thrown);
  const logged = lines.mock.calls.join('\n');
  lines.mockRestore();

  expect(logged).toMatch(expected);
});
