import fc from 'fast-check';
import { type DataSource } from 'typeorm';
import { vi } from 'vitest';
import { changes } from './changes.js';
import { Command } from './command.js';
import { eventCommands } from './events.js';
import { reads } from './reads.js';

class RolledBack extends Error {}

/** Commands in a transaction of the caller, or in one within it; kept, or rolled back. */
function transaction(steps: readonly Command[], isKept: boolean): Command {
  const title = `in a transaction, by services { ${steps.join('; ')} } ${isKept ? 'kept' : 'rolled back'}`;
  return new Command(title, async (model, shops) => {
    const takeBack = model.savepoint();
    const around = shops.manager ?? shops.dataSource.manager;
    const ended = around.transaction(async (manager) => {
      const stay = shops.manager ? undefined : refuseOtherConnections(shops.dataSource);
      try {
        for (const step of steps) await step.run(model, { ...shops, manager });
      } finally {
        stay?.mockRestore();
      }
      if (!isKept) throw new RolledBack();
    });
    await ended.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
      takeBack();
    });
  });
}

/** A call that leaves the transaction would wait for the one connection of the embedded database. */
function refuseOtherConnections(dataSource: DataSource): { mockRestore(): void } {
  return vi.spyOn(dataSource, 'createQueryRunner').mockImplementation(() => {
    throw new Error('A call with a manager has left the transaction of its caller.');
  });
}

const single = fc.oneof(...changes, ...reads, ...eventCommands);

/** @param part what stands in it */
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
