import { OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.js';
import { Client, freshProject, ground } from '../../support/client.js';
import { watchStatements } from '../../support/statements.js';

const express = { carrier_code: 'dhl', method_code: 'express', method_label: 'Express' };

let app: TestApp;
/** Another instance on the same database, whose cache has nothing. */
let cold: TestApp;
let methods: ShippingMethodsService;
let project: string;
let id: string;
beforeAll(async () => {
  app = await testApp();
  cold = await testApp({ database: app.database });
  methods = app.nest.get(ShippingMethodsService);
  await methods.create('default', { ...ground, method_label: 'Default' });
});
afterAll(async () => {
  await cold?.close();
  await app?.close();
});
beforeEach(async () => {
  project = freshProject();
  ({ id } = await methods.create(project, ground));
});

/** @returns the first words of the statements that `work` sends, even if it is refused */
async function sentBy(work: () => Promise<unknown>): Promise<string[]> {
  const { sent, stop } = watchStatements(app.database.dataSource);
  await work().catch(() => undefined);
  stop();
  return sent.map((sql) => /^\w+/.exec(sql)?.[0] ?? sql);
}

/** @returns a project that inherits from the default */
async function inheriting(): Promise<string> {
  const other = freshProject();
  await methods.create(other, { ...ground, use_default: true });
  return other;
}

describe('a write without a manager', () => {
  it.each<[name: string, write: () => Promise<unknown>, row: string]>([
    ['create', () => methods.create(project, express), 'INSERT'],
    ['upsert of a new method', () => methods.upsert(project, express), 'INSERT'],
    ['update', () => methods.update(project, id, { ...ground, sort_order: 1 }), 'UPDATE'],
    ['removal', () => methods.remove(project, id), 'DELETE'],
  ])('sends six statements: %s', async (_name, write, row) => {
    expect(await sentBy(write)).toEqual(['SELECT', 'START', 'UPDATE', row, 'SELECT', 'COMMIT']);
  });

  it('sends seven statements when it is the first one of its project', async () => {
    expect(await sentBy(() => methods.create(freshProject(), ground))).toEqual([
      'SELECT',
      'START',
      'INSERT',
      'UPDATE',
      'INSERT',
      'SELECT',
      'COMMIT',
    ]);
  });

  it('sends seven statements in a project that inherits', async () => {
    const other = await inheriting();

    expect(await sentBy(() => methods.create(other, express))).toEqual([
      'SELECT',
      'START',
      'UPDATE',
      'INSERT',
      'SELECT',
      'SELECT',
      'COMMIT',
    ]);
  });

  it.each<[name: string, call: () => Promise<unknown>]>([
    ['create of taken codes', () => methods.create(project, ground)],
    ['update of nothing', () => methods.update(project, id, ground)],
    ['update with an old etag', () => methods.update(project, id, express, { etag: '"0"' })],
  ])('sends one statement when it is refused or changes nothing: %s', async (_name, call) => {
    expect(await sentBy(call)).toEqual(['SELECT']);
  });

  it('sends no statement when its input is refused', async () => {
    expect(await sentBy(() => methods.create(project, { ...ground, method_label: '' }))).toEqual([]);
  });
});

describe('an event', () => {
  it('is one statement where there is no beforeCommit.event', async () => {
    const event = [
      { projectId: project, orderId: 'o' },
      { type: 'a.b', dedupe_key: 'k' },
    ] as const;

    expect(await sentBy(() => app.nest.get(OrderEventsService).record(...event))).toEqual(['INSERT']);
  });

  it.each(['beforeInsert', 'afterInsert', 'beforeQuery', 'afterQuery'] as const)(
    'has a transaction if a subscriber of the host, which may write too, has %s',
    async (method) => {
      const { subscribers } = app.database.dataSource;
      subscribers.push({ [method]: () => undefined });
      const sent = await sentBy(() =>
        app.nest.get(OrderEventsService).record({ projectId: project, orderId: 'o' }, { type: 'a.b' }),
      );
      subscribers.pop();

      expect(sent).toEqual(['START', 'INSERT', 'COMMIT']);
    },
  );
});

it('the defaults project is read once, although one of its methods has use_default', async () => {
  const unusual = await methods.create('default', { ...express, use_default: true });

  const sent = await sentBy(() =>
    app.database.dataSource.transaction((manager) => methods.findActive('default', { manager })),
  );

  await methods.remove('default', unusual.id);
  expect(sent).toEqual(['START', 'SELECT', 'COMMIT']);
});

describe("a write in the caller's transaction", () => {
  it.each<[name: string, write: (options: object) => Promise<unknown>, row: string]>([
    ['create', (options) => methods.create(project, express, options), 'INSERT'],
    ['update', (options) => methods.update(project, id, { ...ground, sort_order: 1 }, options), 'UPDATE'],
    ['removal', (options) => methods.remove(project, id, options), 'DELETE'],
  ])('sends four statements: %s', async (_name, write, row) => {
    const sent = await sentBy(() => app.database.dataSource.transaction((manager) => write({ manager })));

    expect(sent).toEqual(['START', 'SELECT', 'UPDATE', row, 'SELECT', 'COMMIT']);
  });
});

describe('reads', () => {
  const reads: [name: string, read: () => Promise<unknown>][] = [
    ['list', () => methods.list(project)],
    ['tree', () => methods.tree(project)],
    ['findByCodes', () => methods.findByCodes(project, { carrier_code: 'ups', method_code: '03' })],
  ];

  it.each(reads)(
    'send one statement for 50 callers when the cache has the project: %s',
    async (_name, read) => {
      const sent = await sentBy(() => Promise.all(Array.from({ length: 50 }, read)));

      expect(sent).toEqual(['SELECT']);
    },
  );

  it('send one statement for all projects that are asked for at the same time', async () => {
    const others = [project, await inheriting(), await inheriting(), 'default'];
    for (const other of others) await methods.list(other);

    const sent = await sentBy(() => Promise.all(others.map((other) => methods.list(other))));

    expect(sent).toEqual(['SELECT']);
  });

  it.each<[name: string, inherits: boolean, statements: number]>([
    ['one statement', false, 1],
    ['two statements where the project inherits', true, 2],
  ])('send %s when the cache does not have the project', async (_name, inherits, statements) => {
    const asked = inherits ? await inheriting() : project;
    const sent = await sentBy(() => cold.nest.get(ShippingMethodsService).list(asked));

    expect(sent).toEqual(Array(statements).fill('SELECT'));
  });

  it('send one statement for a 304 when the cache has the project', async () => {
    const shop = new Client(app.origin, await inheriting());
    const tag = (await shop.list()).headers.get('etag') ?? '';

    const sent = await sentBy(() => shop.list('', { 'if-none-match': tag }));

    expect(sent).toEqual(['SELECT']);
  });
});
