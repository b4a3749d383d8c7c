import { EventEmitter, on } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { type TestApp, testApp } from '../../../test/support/app.js';
import { freshProject } from '../../../test/support/client.js';
import { engine } from '../../../test/support/database.js';
import { counted, progress, report } from '../figures.js';
import { sized } from '../size.js';

const changes = sized({ ci: 150, long: 10_000 });
/** On SQLite, TypeORM has one transaction at a time. */
const callers = engine.has.connections ? 6 : 1;

/** A worker of the host. It runs the jobs one after another, in an async context of its own. */
class Worker {
  private readonly jobs = new EventEmitter();
  private readonly stopped = new AbortController();
  readonly ended = this.work();

  do(job: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.jobs.emit('job', () => job().then(resolve, reject));
    });
  }

  stop(): void {
    this.stopped.abort();
  }

  private async work(): Promise<void> {
    const jobs = on(this.jobs, 'job', { signal: this.stopped.signal }) as AsyncIterable<
      [() => Promise<void>]
    >;
    try {
      for await (const [job] of jobs) await job();
    } catch (error) {
      if (!this.stopped.signal.aborted) throw error;
    }
  }
}

let app: TestApp;
const workers = Array.from({ length: callers }, () => new Worker());
let place = 0;
beforeAll(async () => {
  app = await testApp({
    shipping: {
      beforeCommit: {
        change: async ({ after }, manager) => {
          if (after)
            await (workers[place++ % callers] as Worker).do(() => noted(after.project_id, after.id, manager));
        },
      },
    },
  });
});
afterAll(async () => {
  for (const worker of workers) worker.stop();
  await Promise.all(workers.map(({ ended }) => ended));
  await app?.close();
});

/** Records an event for the change, and finds the changed method, in the transaction of the change. */
async function noted(projectId: string, id: string, manager: EntityManager): Promise<void> {
  const { version } = await app.nest.get(ShippingMethodsService).findOrFail(projectId, id, { manager });
  const event = [
    { projectId, orderId: id },
    { type: 'order.note_added', data: { version } },
  ] as const;
  await app.nest.get(OrderEventsService).record(...event, { manager });
}

it('a hook that hands its manager to a worker records one event for each committed change', async () => {
  const methods = app.nest.get(ShippingMethodsService);
  const events = app.nest.get(OrderEventsService);
  let [made, rolledBack, wrong] = [0, 0, 0];

  const caller = async (): Promise<void> => {
    const projectId = freshProject();
    const ups = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };
    const { id } = await methods.create(projectId, ups);
    const versions = [1];
    for (let sort_order = 1; made < changes; sort_order++) {
      progress('Hooks that hand their manager on', ++made, changes);
      const request = { ...ups, sort_order };
      const isKept = made % 3 !== 0;
      const alone = made % 2 === 0;
      const change = (manager?: EntityManager) =>
        methods.update(projectId, id, request, manager ? { manager } : {});
      const inTransaction = app.database.dataSource.transaction.bind(app.database.dataSource);
      if (alone) versions.push((await change()).version);
      else
        await inTransaction(async (manager) => {
          const { version } = await change(manager);
          if (!isKept) throw new Error('rollback');
          versions.push(version);
        }).catch((error: unknown) => {
          if (!(error instanceof Error) || error.message !== 'rollback') throw error;
          rolledBack++;
        });
    }
    const found = (await events.findAll({ projectId, orderId: id })).map(({ data }) => data['version']);
    if (String(found) !== String(versions)) wrong++;
  };
  await Promise.all(Array.from({ length: callers }, caller));

  expect(made).toBeGreaterThanOrEqual(changes);
  report({
    name: 'hooks that hand their manager to a worker',
    done: `${counted(made)} changes, ${counted(rolledBack)} rolled back, ${wrong} of ${callers} histories wrong`,
    criterion: 'each committed change has its event, and no other event is there',
    met: wrong === 0 && rolledBack > 0,
  });
});
