import { Agent } from 'node:http';
import { OrderEventsService, type NewOrderEvent, ShippingHttpError } from 'nestjs-shipping';
import { type Logger } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../../test/support/app.js';
import { send } from '../../../test/support/bad-inputs-wire.js';
import { Client, freshProject } from '../../../test/support/client.js';
import { type TestDatabase, testDatabase } from '../../../test/support/database.js';
import { counted, report } from '../figures.js';
import { listsWith, requestsWith } from '../fuzz/places.js';
import { filledIn, type FuzzRequest, KnownIds } from '../fuzz/requests.js';
import { isLong, seed } from '../size.js';
import { mark, payloads } from './payloads.js';

/** A quarter of them in CI's size, which the seed chooses. */
const tried = payloads.filter((_payload, index) => isLong || index % 4 === seed % 4);

/** Collects the text of every statement that is sent, without its parameters. */
class StatementLog implements Logger {
  readonly texts = new Set<string>();

  logQuery(query: string): void {
    this.texts.add(query);
  }
  logQueryError(_error: string | Error, query: string): void {
    this.texts.add(query);
  }
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}
}

/** Places in an event, which only the service accepts. */
const eventPlaces: readonly ((text: string) => object)[] = [
  (type) => ({ type }),
  (message) => ({ message }),
  (text) => ({ data: { a: text } }),
  (text) => ({ data: Object.fromEntries([[text, 1]]) }),
  (text) => ({ actor: { type: text } }),
  (text) => ({ actor: { type: 'user', id: text.slice(0, 64), label: text } }),
  (dedupe_key) => ({ dedupe_key }),
  (occurred_at) => ({ occurred_at }),
] satisfies ((text: string) => Partial<Record<keyof NewOrderEvent, unknown>>)[];

describe('payloads of injection in every place of every route', () => {
  const log = new StatementLog();
  const agent = new Agent({ keepAlive: true });
  let database: TestDatabase;
  let app: TestApp;
  let bystander: Client;
  let before: string;
  const canaries = () => database.dataSource.query(`SELECT id, word FROM ${database.table('canary')}`);
  beforeAll(async () => {
    database = await testDatabase({ logging: ['query', 'error'], logger: log });
    app = await testApp({ database });
    bystander = new Client(app.origin, freshProject());
    await bystander.create({ carrier_code: 'ups', method_code: '03', method_label: 'Untouched' });
    before = (await bystander.list()).text;
    await database.dataSource.query(`CREATE TABLE ${database.table('canary')} (id integer, word text)`);
    await database.dataSource.query(`INSERT INTO ${database.table('canary')} VALUES (1, 'alive')`);
  });
  afterAll(async () => {
    agent.destroy();
    await app?.close();
    await database?.close();
  });

  it('stay values: none becomes part of a statement, and none finds or changes other rows', async () => {
    const [reader, writer] = [new Client(app.origin, freshProject()), freshProject()];
    await reader.create({ carrier_code: 'dhl', method_code: 'x', method_label: 'Mine' });
    const known = new KnownIds();
    const orderEvents = app.nest.get(OrderEventsService);
    const failures: string[] = [];
    let sent = 0;
    const responseTo = async ({ method, target, headers, body }: FuzzRequest, isRead: boolean) => {
      sent++;
      const response = await send(app.origin, method, filledIn(target, known), headers, body, agent);
      known.learn(response);
      const { status, text } = response;
      const found = isRead && status === 200 && !text.includes('"total":0');
      if (status >= 500 || found || text.includes('alive'))
        failures.push(`${method} ${target} ${String(body)} → ${status} ${text}`);
    };
    for (const payload of tried) {
      await Promise.all(listsWith(payload, reader.project).map((request) => responseTo(request, true)));
      await Promise.all(requestsWith(payload, writer).map((request) => responseTo(request, false)));
      const placed = { type: 'order.placed' };
      const events: Parameters<OrderEventsService['record']>[] = [
        [{ projectId: payload, orderId: 'o' }, placed],
        [{ projectId: writer, orderId: payload }, placed],
        ...eventPlaces.map((place): Parameters<OrderEventsService['record']> => [
          { projectId: writer, orderId: 'o' },
          { ...placed, ...place(payload) },
        ]),
      ];
      for (const event of events) {
        sent++;
        const error = await orderEvents.record(...event).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        const is400 = error instanceof ShippingHttpError && error.problem.status === 400;
        if (error !== undefined && !is400) failures.push(`${JSON.stringify(event)} → ${String(error)}`);
      }
    }

    const statements = [...log.texts];
    expect(failures).toEqual([]);
    expect(statements.filter((text) => text.toLowerCase().includes(mark))).toEqual([]);
    expect(await canaries()).toEqual([{ id: 1, word: 'alive' }]);
    expect((await bystander.list()).text).toBe(before);
    expect((await reader.list()).body.meta.total).toBe(1);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(Reflect.get({}, mark)).toBeUndefined();
    report({
      name: 'injection',
      done: `${tried.length} payloads, ${counted(sent)} requests, ${statements.length} statements, 0 with a payload`,
      criterion: 'canary intact, all parameterised, 0 5xx',
      met: tried.length >= 125 && statements.length > 20,
    });
  });
});
