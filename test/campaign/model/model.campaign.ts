import fc from 'fast-check';
import { OrderEvents } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.js';
import { Client, freshProject } from '../../support/client.js';
import { counted, progress, report } from '../figures.js';
import { seed, sized } from '../size.js';
import { changes } from './changes.js';
import { type Shops } from './command.js';
import { ContractModel } from './contract-model.js';
import { eventCommands } from './events.js';
import { Histories } from './histories.js';
import { reads } from './reads.js';

const runs = sized({ ci: 300, long: 10_000 });
const defaultsProjectId = 'defaults';

describe('the library and a model of its contract in memory', () => {
  let app: TestApp;
  let defaults: Client;
  beforeAll(async () => {
    app = await testApp({ shipping: { defaultsProjectId } });
    defaults = new Client(app.origin, defaultsProjectId);
  });
  afterAll(() => app?.close());

  it('give the same answers to any commands in any order', async () => {
    let done = 0;
    let begun = 0;
    const all = [...changes, ...reads, ...eventCommands(() => app.nest.get(OrderEvents))];
    const commands = fc.commands(all, { maxCommands: 68, size: 'max' });
    const agree = async (script: Iterable<fc.AsyncCommand<ContractModel, Shops>>): Promise<void> => {
      progress('runs', begun++, runs);
      for (const { id } of (await defaults.list('per_page=100')).body.data) await defaults.remove(id);
      const clients = [
        new Client(app.origin, freshProject()),
        new Client(app.origin, freshProject()),
        defaults,
      ];
      const shops: Shops = {
        run: begun,
        clients,
        etags: [],
        histories: new Histories(),
        count: () => done++,
      };
      await fc.asyncModelRun(() => ({ model: new ContractModel(defaultsProjectId), real: shops }), script);
    };

    await fc.assert(fc.asyncProperty(commands, agree), { seed, numRuns: runs });

    expect(done).toBeGreaterThanOrEqual(runs * 30);
    report({
      name: 'model-based commands',
      done: `${counted(runs)} runs, ${counted(done)} commands, 0 divergences`,
      criterion: `${counted(runs)} runs of 30 commands on average, 0 divergences`,
      met: true,
    });
  });
});
