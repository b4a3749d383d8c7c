import { type TestingModule, Test } from '@nestjs/testing';
import { OrderEventsService } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typeOrm } from '../embedding/host.js';
import { database } from '../guide/app.module.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { Dispatch, UnrecoverableError, WorkerModule } from './worker.js';

describe('a worker without an HTTP server', () => {
  let own: TestDatabase;
  let worker: TestingModule;
  beforeAll(async () => {
    own = await testDatabase();
    const testing = Test.createTestingModule({ imports: [WorkerModule] });
    worker = await testing.overrideModule(database).useModule(typeOrm(own)).compile();
    await worker.init();
  });
  afterAll(async () => {
    await worker?.close();
    await own?.close();
  });

  it('records one event for each parcel, although the queue repeats its jobs', async () => {
    const order = { projectId: 'acme', orderId: '1001' };
    const dispatch = worker.get(Dispatch);

    await Promise.all(['a', 'a', 'b'].map((parcel) => dispatch.process({ data: { ...order, parcel } })));
    await dispatch.process({ data: { ...order, parcel: 'a' } });

    const history = await worker.get(OrderEventsService).findAll(order);
    expect(history.map(({ data }) => data['parcel']).toSorted()).toEqual(['a', 'b']);
  });

  it.each([
    ['without data', null],
    ['without a parcel', { projectId: 'acme', orderId: '1001', parcel: '' }],
    ['with an invalid order', { projectId: 'acme', orderId: 'no order', parcel: 'a' }],
  ])('ends a job %s for good', async (_, data) => {
    await expect(worker.get(Dispatch).process({ data })).rejects.toThrow(UnrecoverableError);
  });
});
