import fc from 'fast-check';
import { type EntityManager } from 'typeorm';
import { inTransaction } from '../support/transactions.js';
import { changes } from './changes.js';
import { Command } from './command.js';
import { eventCommands } from './events.js';
import { reads } from './reads.js';

class RolledBack extends Error {}

/** Commands in a transaction of the caller, or in a nested one, which is committed or rolled back. */
function transaction(steps: readonly Command[], isKept: boolean): Command {
  const title = `in a transaction, by services { ${steps.join('; ')} } ${isKept ? 'kept' : 'rolled back'}`;
  return new Command(title, async (model, shops) => {
    const undo = model.savepoint();
    const work = async (manager: EntityManager): Promise<void> => {
      for (const step of steps) await step.run(model, { ...shops, manager });
      if (!isKept) throw new RolledBack();
    };
    const ended = shops.manager ? shops.manager.transaction(work) : inTransaction(shops.dataSource, work);
    await ended.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
      undo();
    });
  });
}

const single = fc.oneof(...changes, ...reads, ...eventCommands);

/** @param part generates its commands */
function transactionOf(part: fc.Arbitrary<Command>, maxLength: number): fc.Arbitrary<Command> {
  const isKept = fc.constantFrom(true, true, false);
  return fc
    .record({ steps: fc.array(part, { minLength: 1, maxLength }), isKept })
    .map(({ steps, isKept: kept }) => transaction(steps, kept));
}

const inner = transactionOf(single, 4);

export const transactions = [
  transactionOf(fc.oneof({ weight: 3, arbitrary: single }, { weight: 1, arbitrary: inner }), 8),
];
