import fc from 'fast-check';
import { type ShippingMethodChange, ShippingMethodsService } from 'nestjs-shipping';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { testDatabase } from '../support/database.js';
import { changes } from './changes.js';
import { type Script, type Shops } from './command.js';
import { ContractModel } from './contract-model.js';
import { eventCommands } from './events.js';
import { reads } from './reads.js';
import { transactions } from './transactions.js';

const defaultsProjectId = 'defaults';
/** A small number, so that projects are sometimes full. */
const maxMethods = 5;

/** The library in two hosts on one database, compared with the model of its contract. */
export interface Agreement {
  /**
   * Runs scripts of commands against the library and the model.
   * @param begun called before each script
   * @returns how many commands were run
   * @throws Error with the seed and the shortest script on which the two do not agree
   */
  check(parameters: { seed: number; numRuns: number }, begun?: () => void): Promise<number>;
  close(): Promise<void>;
}

export async function agreement(): Promise<Agreement> {
  const database = await testDatabase();
  const shipping = { defaultsProjectId, maxMethods };
  const apps: TestApp[] = [];
  for (const adapter of ['fastify', 'express'] as const)
    apps.push(await testApp({ adapter, database, shipping }));
  const [first] = apps;
  if (!first) throw new Error('There is no host.');
  const defaults = new Client(first.origin, defaultsProjectId);
  const seen: ShippingMethodChange[] = [];
  first.nest.get(ShippingMethodsService).changes.subscribe((change) => seen.push(change));

  const check: Agreement['check'] = async (parameters, begun) => {
    let run = 0;
    let done = 0;
    const all = [
      ...changes,
      ...changes,
      ...reads,
      ...reads,
      ...eventCommands,
      ...transactions,
      ...transactions,
    ];
    const scripts = fc.commands(all, { maxCommands: 68, size: 'max' });
    const agree = async (script: Script): Promise<void> => {
      begun?.();
      for (const { id } of (await defaults.list('per_page=100')).body.data) await defaults.remove(id);
      seen.length = 0;
      const shops: Shops = {
        run: run++,
        projects: [freshProject(), freshProject(), defaultsProjectId],
        apps,
        dataSource: database.dataSource,
        seen,
        held: [],
        loaded: [],
        states: new Map(),
        count: () => done++,
      };
      await fc.asyncModelRun(
        () => ({ model: new ContractModel(defaultsProjectId, maxMethods), real: shops }),
        script,
      );
    };
    await fc.assert(fc.asyncProperty(scripts, agree), parameters);
    return done;
  };

  return {
    check,
    close: async () => {
      for (const app of apps) await app.nest.close();
      await database.close();
    },
  };
}
