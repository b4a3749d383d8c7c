import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import { DatabaseUnavailableError, ShippingModule } from 'nestjs-shipping';
import { expect, it, onTestFinished, vi } from 'vitest';
import { compiled, listening, platformNames, typeOrm } from '../embedding/host.js';
import { Client } from '../support/client.js';
import { testDatabase } from '../support/database.js';

// docs/recipes/metrics.md promises this.

it.each(platformNames)(
  'a logger finds the request of each 503 in its async context on %s',
  async (platform) => {
    const database = await testDatabase();
    onTestFinished(() => database.close());
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
    const requests = new AsyncLocalStorage<string>();
    const trace = ({ url = '' }: { url?: string }, _response: object, next: () => void) =>
      requests.run(url, next);
    const { app, origin } = await listening(testing, (host) => host.use(trace), platform);
    const logged: unknown[] = [];
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => void logged.push(requests.getStore()));
    vi.spyOn(database.dataSource, 'createQueryRunner').mockImplementation(() => {
      throw new DatabaseUnavailableError(new Error('The pool is empty.'));
    });

    // Requests of one project share a statement.
    const client = new Client(origin, 'acme');
    const answers = await Promise.all([client.list('page=1'), client.list('page=2')]);
    vi.restoreAllMocks();

    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    expect(logged.toSorted()).toEqual(
      [1, 2].map((page) => expect.stringMatching(`/acme/.*page=${page}$`) as string),
    );
    await app.close();
  },
);
